"""JSON Schemas of every format, made from the types; ``python -m suite.corpus.schemas --write``.

The files beside this module are published for programs in other languages. A test proves
them equal to the types.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Final

import msgspec
from jsonschema import Draft202012Validator

__all__ = [
    "FORMATS",
    "faults",
    "load_schema",
    "make_schema",
    "outdated",
    "render_schema",
    "write_schemas",
]

#: Format → type. Named, not imported: some of them live in layers above this one.
FORMATS: Final[dict[str, str]] = {
    "case": "suite.corpus.case:CaseText",
    "expected": "suite.verdict.expected:ExpectedFile",
    "facts": "comparator.facts:Facts",
    "golden": "comparator.golden:Golden",
    "interpretations": "suite.corpus.interpretations:InterpretationsFile",
    "ledger": "suite.corpus.ledger:LedgerFile",
    "manifest": "suite.corpus.manifest:Manifest",
    "message-from-runtime": "suite.protocol.messages:FromRuntime",
    "message-to-runtime": "suite.protocol.messages:ToRuntime",
    "plan": "suite.corpus.plan:Plan",
    "results": "suite.report.results:Line",
    "trace": "comparator.trace:Trace",
    "transcript": "suite.protocol.transcript:Transcript",
}

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_HERE: Final = Path(__file__).parent


def make_schema(name: str) -> dict[str, Any]:
    """Make the schema of a format from its type."""
    made = msgspec.json.schema(resolve_name(FORMATS[name]))
    # Defaults are values of Python (tuples); as JSON they are what the file holds.
    schema: dict[str, Any] = json.loads(json.dumps({"$schema": _DIALECT, "title": name, **made}))
    return schema


def render_schema(name: str) -> str:
    """Return the schema as its file holds it."""
    return json.dumps(make_schema(name), indent=1, ensure_ascii=False) + "\n"


def load_schema(name: str) -> dict[str, Any]:
    """Read the published schema of a format."""
    schema: dict[str, Any] = json.loads((_HERE / f"{name}.json").read_text("utf-8"))
    return schema


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(load_schema(name))


def faults(name: str, value: Any) -> Iterator[str]:
    """Yield what the published schema of a format says against a decoded value."""
    for error in _validator(name).iter_errors(value):
        place = ".".join(map(str, error.absolute_path)) or "top level"
        yield f"{place}: {error.message}"


def outdated() -> list[str]:
    """Return the formats whose file differs from the type, and files without a format."""
    files = {path.stem: path.read_text("utf-8") for path in _HERE.glob("*.json")}
    wrong = [name for name in FORMATS if files.get(name) != render_schema(name)]
    return wrong + sorted(files.keys() - FORMATS.keys())


def write_schemas() -> None:
    """Write every schema, and remove the files without a format."""
    for path in _HERE.glob("*.json"):
        path.unlink()
    for name in FORMATS:
        (_HERE / f"{name}.json").write_text(render_schema(name), "utf-8")
