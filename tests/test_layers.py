"""The house of docs/architecture.md: who may import whom, one home for each library."""

import ast
import graphlib
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("comparator", "reference_runtime", "suite")

#: package → packages of ours that it may import.
MAY_IMPORT = {
    "comparator": {"comparator"},
    "reference_runtime": {"reference_runtime"},
    "suite": {"comparator", "suite"},
}

#: Rooms of the suite from bottom to top; a room imports itself and what stands below it.
SUITE_LAYERS = (
    ("corpus",),
    ("protocol",),
    ("verdict",),
    ("report", "fuzz"),
    ("runner",),
    ("pytest_plugin",),
    ("cli",),
)

#: Free-standing programs that ship with the suite and import nothing of ours.
STANDALONE = (
    "suite/protocol/host.py",
    "suite/protocol/session.py",
    "suite/protocol/watcher.py",
    "suite/controls",
)

#: library → (homes, reason). A home is a path prefix.
HOMES = {
    "msgspec": (("comparator", "suite"), "values and their JSON: decoding is the hot path"),
    "deepdiff": (("comparator/values.py",), "what differs inside one value"),
    "lxml": (
        ("reference_runtime/document", "suite/corpus/facts_reader.py"),
        "two readers of documents, on purpose independent",
    ),
    "lark": (("reference_runtime/expressions",), "the expression grammar"),
    "hypothesis": (("suite/fuzz",), "random documents"),
    "jsonschema": (("suite/corpus",), "published schemas against real files"),
    "pytest": (
        ("suite/pytest_plugin", "suite/cli/certify.py", "hxconf_pytest.py"),
        "the test runner",
    ),
}

#: Imports inside functions, each for start-up time.
LAZY = {
    ("reference_runtime/expressions/parsing.py", "lark"),
    ("comparator/values.py", "deepdiff"),
}


#: Files that become files of other projects; they are no modules of ours.
FOREIGN = "suite/cli/templates/"


def modules():
    """Every Python file of the three packages as (relative path, tree)."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith(FOREIGN):
                yield name, ast.parse(path.read_text(encoding="utf-8"))


TREES = dict(modules())


def imports(tree, *, top_only=False):
    """Imported module names as (name, line, at top level)."""
    top = set(map(id, tree.body))
    for node in ast.walk(tree):
        if top_only and id(node) not in top:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import at line {node.lineno}"
            yield node.module, node.lineno


def dotted(path):
    """Module name of a path."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def layer(path):
    """Number of the suite's room that a path stands in, or None for the package itself."""
    parts = path.split("/")
    room = parts[1].removesuffix(".py") if len(parts) > 1 else ""
    return next((i for i, rooms in enumerate(SUITE_LAYERS) if room in rooms), None)


@pytest.mark.parametrize("path", TREES)
def test_packages_import_only_what_stands_below_them(path):
    package = path.split("/")[0]
    standalone = path.startswith(STANDALONE)
    wrong = []
    for name, line in imports(TREES[path]):
        head = name.split(".")[0]
        if head in PACKAGES and (standalone or head not in MAY_IMPORT[package]):
            wrong.append(f"{path}:{line} imports {name}")
        if head == "suite" and package == "suite":
            own, other = layer(path), layer(name.replace(".", "/"))
            if own is not None and other is not None and other > own:
                wrong.append(f"{path}:{line} imports upwards: {name}")

    assert [] == wrong


@pytest.mark.parametrize("path", TREES)
def test_every_library_stays_in_its_home(path):
    wrong = []
    for name, line in imports(TREES[path]):
        head = name.split(".")[0]
        if head in sys.stdlib_module_names or head in PACKAGES:
            continue
        homes, _ = HOMES.get(head, ((), ""))
        if not path.startswith(homes):
            wrong.append(f"{path}:{line} imports {name}")

    assert [] == wrong


@pytest.mark.parametrize("path", TREES)
def test_imports_inside_functions_are_listed(path):
    tree = TREES[path]
    top = {line for _, line in imports(tree, top_only=True)}
    lazy = {(path, name.split(".")[0]) for name, line in imports(tree) if line not in top}

    assert set() == lazy - LAZY


def test_modules_form_no_cycle():
    names = {dotted(path): path for path in TREES}
    graph = {
        module: {
            name
            for name, _ in imports(TREES[path], top_only=True)
            if name in names and name != module
        }
        for module, path in names.items()
    }

    order = list(graphlib.TopologicalSorter(graph).static_order())

    assert sorted(names) == sorted(order)


@pytest.mark.parametrize("path", TREES)
def test_modules_are_short_described_and_name_their_surface(path):
    tree = TREES[path]
    text = (ROOT / path).read_text(encoding="utf-8")
    long_functions = [
        f"{path}:{node.lineno} {node.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno - node.lineno >= 60
    ]
    surface = any(
        isinstance(target, ast.Name) and target.id == "__all__"
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    )

    assert text.count("\n") <= 400
    assert [] == long_functions
    assert ast.get_docstring(tree)
    assert surface


def test_every_dependency_is_used_and_has_a_home():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {re.match(r"[\w-]+", text)[0].replace("-", "_") for text in project["dependencies"]}
    used = {name.split(".")[0] for tree in TREES.values() for name, _ in imports(tree)}

    assert needed == set(HOMES)
    assert needed == needed & used


def test_homes_exist():
    missing = [home for homes, _ in HOMES.values() for home in homes if not (ROOT / home).exists()]

    assert [] == missing
