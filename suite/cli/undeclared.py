"""What a plan speaks of although no document declares it: most likely a slip of the pen."""

from collections.abc import Collection, Iterator, Sequence
from itertools import chain, islice
from typing import Final, NamedTuple
from xml.etree import ElementTree as ET

from comparator.address import parse_address
from suite.corpus.plan import Plan
from suite.runner.selection import nearest

__all__ = ["undeclared"]

#: Names that are told; of more only the number is.
_TOLD: Final = 10

_NODE: Final = "{*}nodes/{*}node"

#: Kind of name → path of the elements that declare it, and the attribute that has the name.
_DECLARED: Final = {
    "resource": ("{*}resources/{*}resource", "id"),
    "artifact": ("{*}artifacts/{*}artifact", "id"),
    "event": (f"{_NODE}/{{*}}wait", "event"),
    "principal": (".//{*}security", "principal"),
    "isolation": (".//{*}security", "isolation"),
    "permission": (".//{*}security/{*}permission", "action"),
}


class _Slip(NamedTuple):
    """A name that is not among those that are known, with its kind and its place in the plan."""

    place: str
    kind: str
    name: str
    known: Collection[str]


def undeclared(plan: Plan, documents: Sequence[bytes]) -> Iterator[str]:
    """Yield a sentence for each of the first names in a plan that nothing can ask for.

    Args:
        plan: what a run is told; nodes that the document does not have are a fault of reading.
        documents: the one that is run, then those that it may use. Nothing is said of a plan
            for documents that cannot be read.
    """
    try:
        roots = [ET.fromstring(document) for document in documents]  # noqa: S314 - a user's own
    except (ET.ParseError, LookupError, ValueError):
        return
    found = chain(_of_documents(plan, roots), _of_nodes(plan, roots[0]))
    for place, kind, name, known in islice(found, _TOLD):
        who = "the node does not declare" if kind == "output" else "no document declares"
        yield f"{place}: {who} {kind} {name!r}{nearest(name, known)}"
    more = sum(1 for _ in found)
    if more:
        yield f"{more} more like these"


def _of_documents(plan: Plan, roots: Sequence[ET.Element]) -> Iterator[_Slip]:
    tables: dict[str, dict[str, None]] = {}
    for place, kind, name in dict.fromkeys(_names(plan)):
        if kind not in tables:
            names = _credentials(roots) if kind == "credential" else _declared(roots, kind)
            tables[kind] = dict.fromkeys(names)
        if name not in tables[kind]:
            yield _Slip(place, kind, name, tables[kind])


def _names(plan: Plan) -> Iterator[tuple[str, str, str]]:
    """Yield place in the plan, kind, and name."""
    for name in plan.unresolvable:
        yield "unresolvable", "resource", name
    for name in plan.bad_digests:
        yield "bad-digests", "artifact", name
    for event in plan.events:
        yield "events", "event", event.name
    for refused in plan.refused:
        kind, colon, name = refused.partition(":")
        if colon:
            yield "refused", kind, name
    for name in plan.secrets:
        yield "secrets", "credential", name


def _declared(roots: Sequence[ET.Element], kind: str) -> list[str]:
    path, attribute = _DECLARED[kind]
    found = (item.get(attribute) for root in roots for item in root.iterfind(path))
    return [name for name in found if name is not None]


def _credentials(roots: Sequence[ET.Element]) -> list[str]:
    """Credentials as plans write them: ``store/ref``, or ``ref`` where no store is named."""
    found = (item for root in roots for item in root.iterfind(".//{*}resource/{*}credential"))
    return ["/".join(filter(None, (item.get("store"), item.get("ref")))) for item in found]


def _of_nodes(plan: Plan, root: ET.Element) -> Iterator[_Slip]:
    """Yield outputs that a step answers and its node does not have, for ``*`` no node."""
    ports = {
        node.get("id", ""): [port.get("name", "") for port in node.iterfind("{*}outputs/{*}output")]
        for node in root.iterfind(_NODE)
    }
    every = dict.fromkeys(name for names in ports.values() for name in names)
    for answer in plan.answers:
        node = parse_address(answer.node).node
        known: Collection[str] = every if node == "*" else ports.get(node, [])
        for name in answer.outputs:
            if name not in known:
                yield _Slip(answer.node, "output", name, known)
