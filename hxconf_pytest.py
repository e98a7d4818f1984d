"""Entry point of the pytest plugin: options, and the way to this distribution's own packages.

The module is loaded by every pytest of the environment, so without ``--runtime`` it does
nothing but register options. With it, the packages ``suite`` and ``comparator`` that stand
beside this file are put in place of foreign packages of the same names, whatever ``sys.path``
says, and the plugin proper, ``suite.pytest_plugin``, takes over.
"""

import importlib
import importlib.util
import sys
from pathlib import Path

import pytest

__all__ = ["pytest_addoption", "pytest_configure", "pytest_load_initial_conftests"]

HERE = Path(__file__).resolve().parent

#: Packages imported here; the runtime under test lives in a process of its own.
IMPORTED = ("comparator", "suite")
SIBLINGS = (*IMPORTED, "reference_runtime")

#: option → (metavar, help). All values are read as text, so that a wrong one gives one line.
OPTIONS = {
    "--hx-python": ("PATH", "interpreter that runs an adapter written in Python (default: ours)"),
    "--hx-settle": ("SECONDS", "silence taken as idle with a runtime that cannot say (0.25)"),
    "--hx-limit": ("SECONDS", "time limit of one case (10)"),
    "--hx-level": ("LEVEL", "run and assess up to core, executing or full (default: full)"),
    "--hx-order": ("ORDER", "document, reverse or shuffle:SEED (default: document)"),
    "--hx-rename": ("SEED", "show the runtime other ids than those of the corpus (0: the same)"),
    "--hx-expected": ("FILE", "reviewed list of expected failures"),
    "--hx-results": ("FILE", "write the results with all transcripts, as JSON lines"),
    "--hx-fuzz": ("AREA", "also run random documents, e.g. joins"),
    "--hx-fuzz-examples": ("NUMBER", "number of random documents"),
    "--hx-fuzz-seed": ("SEED", "seed of the random documents"),
    "--hx-fuzz-out": ("DIR", "write what the random documents find here, as cases"),
}
SELECT = "--hx-select"
IN_PROCESS = "--hx-in-process"
NAMES = (*OPTIONS, SELECT, IN_PROCESS)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register ``--runtime`` and the options that go with it."""
    group = parser.getgroup("hxconf", "HarnessXML conformance (harness-conformance)")
    group.addoption(
        "--runtime",
        nargs="?",
        const="",
        default=None,
        metavar="TARGET",
        help="run the conformance corpus against this runtime: adapter:pkg.mod[:attribute], "
        "pkg.mod:attribute or cmd:program args",
    )
    for name, (metavar, text) in OPTIONS.items():
        group.addoption(name, nargs="?", const="", default=None, metavar=metavar, help=text)
    group.addoption(
        SELECT,
        nargs="?",
        const="",
        default=None,
        action="append",
        metavar="ID",
        help="scenario, case, folder of cases or pattern (execution/joins/*); repeatable",
    )
    group.addoption(
        IN_PROCESS,
        action="store_true",
        default=False,
        help="run a Python adapter inside this process, for a debugger",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(args: list[str]) -> None:
    """Name an unknown ``--hx-`` option in one line, before pytest prints its usage."""
    for argument in args:
        name = argument.partition("=")[0]
        if name.startswith("--hx-") and name not in NAMES:
            raise pytest.UsageError(f"{name}: no such option; there are {', '.join(NAMES)}")


def pytest_configure(config: pytest.Config) -> None:
    """Hand over to the plugin proper when a runtime is named."""
    if config.getoption("--runtime") is None:
        for name in NAMES:
            if config.getoption(name):
                raise pytest.UsageError(f"{name}: goes with --runtime=TARGET, which is missing")
            if config.getoption(name) == "":
                raise pytest.UsageError(f"{name}: needs a value, and --runtime=TARGET")
        return
    _check_whole()
    hidden = [name for name in IMPORTED if _take_the_place(name)]
    plugin = importlib.import_module("suite.pytest_plugin.plugin")
    config.pluginmanager.register(plugin.Plugin(config, hidden), "hxconf-suite")


def _check_whole() -> None:
    """Refuse to work with half an installation."""
    for name in SIBLINGS:
        if not (HERE / name / "__init__.py").is_file():
            found = importlib.util.find_spec(name)
            other = "nowhere" if found is None else f"at {found.origin}"
            raise pytest.UsageError(
                f"harness-conformance is not whole: expected package {name} at {HERE / name}, "
                f"found it {other}; install it anew, in an environment of its own"
            )


def _take_the_place(name: str) -> bool:
    """Load our package ``name`` by its path; say whether a foreign one had to go."""
    place = HERE / name
    present = sys.modules.get(name)
    if present is not None:
        file = getattr(present, "__file__", None)
        if file is not None and Path(file).resolve().parent == place:
            return False
        for foreign in [m for m in sys.modules if m == name or m.startswith(f"{name}.")]:
            del sys.modules[foreign]
    spec = importlib.util.spec_from_file_location(
        name, place / "__init__.py", submodule_search_locations=[str(place)]
    )
    if spec is None or spec.loader is None:
        raise pytest.UsageError(f"harness-conformance: package {name} at {place} is unreadable")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return present is not None
