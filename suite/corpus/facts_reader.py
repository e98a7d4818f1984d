"""Read from a document what the judge must know of it, independently of every runtime.

Only well-formed documents without a document type declaration are read; nothing is fetched,
no entity is expanded beyond the five of XML itself, and size and depth are bounded. Whether
the document is valid is not decided here: the facts of an invalid one are never judged by.
"""

import re
from typing import Any, Final, Literal, TypeVar

from lxml import etree

from comparator.facts import Constant, Decision, Edge, Facts, Loop, Node

__all__ = [
    "MAX_BYTES",
    "NAMESPACE",
    "Element",
    "FactsError",
    "enclosing_lines",
    "parse_document",
    "read_facts",
]

#: §2.1.
NAMESPACE: Final = "https://harnessxml.com/spec/1.0"

#: Larger documents are refused; 100,000 nodes take about 10 MB.
MAX_BYTES: Final = 64 * 1024 * 1024

#: An element as ``parse_document`` returns it; lxml stays at home in this module.
Element = etree._Element  # noqa: SLF001  the only name that the type has

_HX: Final = f"{{{NAMESPACE}}}"
_CONSTANT: Final = re.compile(r"\$\{\s*(true|false)\s*\}")

#: Closed lists by attribute, the default first (§2.1 of the schema).
_EDGE_TYPES: Final = ("control", "data", "dependency", "error", "compensation")
_JOINS: Final = ("all", "any", "quorum")
_ITEM_FAILURES: Final = ("fail", "continue", "break")
_OnTimeout = Literal["fail", "skip", "retry"]
_TIMEOUTS: Final[tuple[_OnTimeout, ...]] = ("fail", "skip", "retry")

_Word = TypeVar("_Word", bound=str)


class FactsError(ValueError):
    """The document is not well-formed or not safe to read, or an attribute makes no sense."""


def parse_document(document: bytes) -> Element:
    """Parse with every door closed and return the root element.

    Raises:
        FactsError: too large, not well-formed, too deep, or with a document type declaration.
    """
    if len(document) > MAX_BYTES:
        raise FactsError(f"document: expected at most {MAX_BYTES} bytes, observed {len(document)}")
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        huge_tree=False,
        recover=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(document, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise FactsError(f"document: expected well-formed XML, observed {error}") from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise FactsError("document: expected no document type declaration, observed one")
    return root


def enclosing_lines(document: bytes, line: int) -> frozenset[int]:
    """Return the line and those of the elements around what begins there, up to one with an id.

    A document that is not well-formed has no elements: the line alone.
    """
    try:
        root = parse_document(document)
    except FactsError:
        return frozenset({line})
    lines = {line}
    for element in root.iter():
        if _line(element) == line:
            around: Element | None = element
            while around is not None:
                lines.add(_line(around))
                around = None if around.get("id") else around.getparent()
    return frozenset(lines)


def read_facts(document: bytes) -> Facts:
    """Read the graph and the declarations that bear on a verdict.

    Raises:
        FactsError: see ``parse_document``; also a number or a word of a closed list is wrong.
    """
    root = parse_document(document)
    if root.tag != f"{_HX}harness":
        raise FactsError(f"document: expected the root {_HX}harness, observed {root.tag}")
    edges = tuple(
        _edge(index, element)
        for index, element in enumerate(root.iterfind(f"{_HX}edges/{_HX}edge"))
    )
    fed: dict[str, set[str]] = {}
    for edge in edges:
        if edge.type == "data" and edge.to_port is not None:
            fed.setdefault(edge.target, set()).add(edge.to_port)
    nodes = [
        _node(element, fed.get(element.get("id", ""), set()))
        for element in root.iterfind(f"{_HX}nodes/{_HX}node")
    ]
    return Facts(
        id=root.get("id", ""),
        nodes={node.id: node for node in nodes},
        edges=edges,
        entry=root.get("entry"),
    )


def _edge(index: int, element: Element) -> Edge:
    return Edge(
        index=index,
        source=element.get("from", ""),
        target=element.get("to", ""),
        type=_word(element, "type", _EDGE_TYPES),
        condition=_constant(element.get("condition")),
        from_port=element.get("fromPort"),
        to_port=element.get("toPort"),
    )


def _node(element: Element, fed: set[str]) -> Node:
    first: dict[Any, Element] = {}  # of each name; one walk takes less than a search for each
    for child in element:
        first.setdefault(child.tag, child)
    guard = first.get(f"{_HX}guard")
    retry = first.get(f"{_HX}retry")
    timeout = first.get(f"{_HX}timeout")
    loop = first.get(f"{_HX}loop")
    cases = first.get(f"{_HX}cases")
    classes = None if retry is None else retry.get("retryOn")
    on_timeout: _OnTimeout | None = None
    if timeout is not None:
        on_timeout = _word(timeout, "onTimeout", _TIMEOUTS)
    return Node(
        id=element.get("id", ""),
        type=element.get("type", ""),
        idempotent=_flag(element.get("idempotent"), default=True),
        join=_word(element, "joinPolicy", _JOINS),
        quorum=_number(element, "quorum"),
        guard="absent" if guard is None else _constant(guard.get("when")),
        starving=_starving(first.get(f"{_HX}inputs"), fed),
        max_attempts=1 if retry is None else _number(retry, "maxAttempts") or 1,
        retry_on=None if classes is None else tuple(classes.split()),
        on_timeout=on_timeout,
        loop=None if loop is None else _loop(loop),
        decision=None if cases is None else _decision(cases),
        line=_line(element),
    )


def _loop(element: Element) -> Loop:
    body = element.find(f"{_HX}body")
    return Loop(
        body="" if body is None else body.get("ref", ""),
        kind=element.get("kind", ""),
        max_iterations=_number(element, "maxIterations") or 1,
        max_concurrency=_number(element, "maxConcurrency") or 1,
        on_item_failure=_word(element, "onItemFailure", _ITEM_FAILURES),
    )


def _decision(element: Element) -> Decision:
    """§7.1: cases in document order, the otherwise last; a target named twice counts once."""
    routes = [*element.iterfind(f"{_HX}case"), *element.iterfind(f"{_HX}otherwise")]
    return Decision(targets=tuple(dict.fromkeys(route.get("to", "") for route in routes)))


def _starving(inputs: Element | None, fed: set[str]) -> tuple[str, ...]:
    """§5.3.3, third bullet: required, without default or value, and fed by a data edge."""
    if inputs is None:
        return ()
    return tuple(
        port.get("name", "")
        for port in inputs.iterfind(f"{_HX}input")
        if _flag(port.get("required"), default=True)
        and port.get("default") is None
        and port.get("value") is None
        and port.get("name") in fed
    )


def _line(element: Element) -> int:
    line: Any = element.sourceline
    return int(line or 0)


def _constant(text: str | None) -> Constant:
    """A lone literal is constant; text without ``${}`` is a string, which no run may accept."""
    if text is None:
        return "absent"
    match = _CONSTANT.fullmatch(text.strip())
    if match is None:
        return "dynamic"
    return "true" if match[1] == "true" else "false"


def _flag(text: str | None, *, default: bool) -> bool:
    """xs:boolean."""
    if text is None:
        return default
    word = text.strip()
    if word not in {"true", "false", "1", "0"}:
        raise FactsError(f"document: expected a boolean, observed {text!r}")
    return word in {"true", "1"}


def _number(element: Element, name: str) -> int | None:
    text = element.get(name)
    if text is None:
        return None
    if re.fullmatch(r"\s*\+?\d{1,9}\s*", text) is None:
        raise FactsError(f"line {_line(element)}: {name}: expected a number, observed {text!r}")
    return int(text)


def _word(element: Element, name: str, allowed: tuple[_Word, ...]) -> _Word:
    """Return a word of a closed list, its first member where the attribute is absent."""
    text = element.get(name)
    if text is None:
        return allowed[0]
    for word in allowed:
        if word == text.strip():
            return word
    raise FactsError(
        f"line {_line(element)}: {name}: expected one of {', '.join(allowed)}, observed {text!r}"
    )
