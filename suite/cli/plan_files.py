"""Plans as files of people: TOML as in case files, our JSON form, or the public line syntax.

The suffix decides (``.toml``, ``.json``); of other files the content: a brace at the beginning is
JSON, ``[steps]`` or ``key = …`` at the beginning is TOML, anything else is the line syntax of the
published command-line runtime. A plan in that syntax, or none at all, lets every other step
succeed with one value for each output, by its type; the other forms let it succeed without any.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any, Final
from xml.etree import ElementTree as ET

from comparator.address import parse_address
from comparator.facts import STEP_TYPES
from suite.corpus.plan import Answer, Plan, PlanError, PlanText, check_outputs, read_plan
from suite.corpus.toml_file import CorpusError, read_toml, to_type

__all__ = ["Outline", "outline_of", "plan_from"]

_TOML: Final = re.compile(r"\s*(?:#[^\n]*\n\s*)*(?:\[|[\w\"'-]+(?:\.[\w\"'-]+)*\s*=)")
_WHO: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_.\-]*)(?:@([1-9]\d*))?")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_WORDS: Final[Mapping[str, Any]] = {"true": True, "false": False, "null": None}

#: Output of an unplanned step by the type of its port, without what stands in ``<>``.
_DEFAULTS: Final[Mapping[str, Any]] = {
    "array": [1, 2],
    "number": 1,
    "integer": 1,
    "boolean": True,
    "json": {},
    "map": {},
}


class Outline:
    """What reading a plan needs of a document, as far as it can be read at all.

    Attributes:
        nodes: id → outputs that a step has when nobody says otherwise, None without a step.
        hrefs: documents that its subworkflows name.
    """

    def __init__(self, nodes: dict[str, dict[str, Any] | None], hrefs: tuple[str, ...]) -> None:
        self.nodes = nodes
        self.hrefs = hrefs


def outline_of(document: bytes) -> Outline | None:
    """Return the outline of a document, None for one that cannot be read as XML."""
    try:
        root = ET.fromstring(document)  # noqa: S314 - a file of the user's own
    except (ET.ParseError, LookupError, ValueError):  # the last two: encodings
        return None
    nodes: dict[str, dict[str, Any] | None] = {}
    for node in root.iterfind("{*}nodes/{*}node"):
        name = node.get("id", "")
        ports = node.iterfind("{*}outputs/{*}output")
        outputs = {port.get("name", ""): _default(name, port) for port in ports}
        nodes[name] = outputs if node.get("type") in STEP_TYPES else None
    hrefs = (item.get("href", "") for item in root.iterfind("{*}nodes/{*}node/{*}subworkflow"))
    return Outline(nodes, tuple(dict.fromkeys(hrefs)))


def _default(node: str, port: ET.Element) -> Any:
    type_ = port.get("type", "").partition("<")[0]
    return _DEFAULTS.get(type_, f"{node}.{port.get('name')}")


def plan_from(text: str, suffix: str, outline: Outline | None) -> Plan:
    """Read a plan in the form that suffix and content tell.

    Raises:
        PlanError: it is malformed, or names a node that the document does not have; one line.
    """
    form = suffix.lower()
    if form not in {".toml", ".json"}:
        form = ".json" if text.lstrip().startswith("{") else ".toml" if _TOML.match(text) else ""
    try:
        if form == ".json":
            plan = to_type(json.loads(text), Plan, "plan")
            check_outputs(plan)
        elif form == ".toml":
            plan = read_plan(read_toml(text.encode(), PlanText, "plan"))
        else:
            plan = Plan(answers=(*_directives(text, outline), *_defaults(outline)))
        for node in _named(plan):
            if outline and node not in outline.nodes and node != "*":
                raise PlanError(f"the document has no node {node!r}")
    except RecursionError:
        raise PlanError("its values are nested too deep") from None
    except json.JSONDecodeError as error:
        raise PlanError(f"line {error.lineno}: {error.msg}") from error
    except (CorpusError, tomllib.TOMLDecodeError) as error:
        raise PlanError(f"{error}".removeprefix("plan: ")) from error
    except ValueError as error:
        raise PlanError(f"{error}") from error
    return plan


def _named(plan: Plan) -> Iterator[str]:
    """Yield the ids of nodes that a plan names."""
    for answer in plan.answers:
        yield parse_address(answer.node).node
    moments = [event.at for event in plan.events] + [answer.hold for answer in plan.answers]
    for moment in (*moments, plan.cancel):
        node = getattr(moment, "node", None)
        if node is not None:
            yield parse_address(node).node


def _defaults(outline: Outline | None) -> Iterator[Answer]:
    for node, outputs in (outline.nodes if outline else {}).items():
        if outputs:
            yield Answer(node=node, result="ok", outputs=outputs)


def _directives(text: str, outline: Outline | None) -> Iterator[Answer]:
    """Read one directive a line; of two answers that fit the suite takes the first."""
    said: set[str] = set()
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        who = _WHO.fullmatch(words[0])
        if who is None:
            raise PlanError(f"line {number}: expected node or node@attempt, observed {words[0]!r}")
        if outline is not None and who[1] not in outline.nodes:
            raise PlanError(f"line {number}: the document has no node {who[1]!r}")
        if words[0] in said:
            raise PlanError(f"line {number}: {words[0]} has a directive already")
        said.add(words[0])
        yield _directive(words[0], words[1:], f"line {number}")


def _directive(node: str, words: Sequence[str], where: str) -> Answer:
    match words:
        case ["ok", *pairs]:
            return Answer(node=node, result="ok", outputs=dict(_pairs(pairs, where)))
        case ["fail"]:
            return Answer(node=node, result="fail", error_class="internal")
        case ["fail", error_class, *message]:
            told = " ".join(message) or None
            return Answer(node=node, result="fail", error_class=error_class, message=told)
        case ["timeout"]:
            return Answer(node=node, result="hang")
        case _:
            observed = repr(" ".join(words)) if words else "nothing"
            raise PlanError(f"{where}: expected ok, fail or timeout, observed {observed}")


def _pairs(words: Sequence[str], where: str) -> Iterator[tuple[str, Any]]:
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise PlanError(f"{where}: expected key=value after ok, observed {word!r}")
        yield name, _value(value)


def _value(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if _NUMBER.fullmatch(text) and isfinite(number := json.loads(text)):
        return number
    if text.startswith("[") and text.endswith("]"):
        inner = text[1:-1].strip()
        return [_value(part.strip()) for part in inner.split(",")] if inner else []
    return text
