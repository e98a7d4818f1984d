"""Read from a document what only the checks of the corpus ask: reads, times, name clashes."""

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

import msgspec

from suite.corpus.durations import DurationError, parse_duration
from suite.corpus.facts_reader import NAMESPACE, Element, parse_document

__all__ = ["Delay", "Survey", "survey"]

_HX: Final = f"{{{NAMESPACE}}}"
_STRING: Final = re.compile(r"'[^']*'|\"[^\"]*\"")
_PART: Final = re.compile(r"\$\{([^}]*)\}")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*")

#: Element → attributes that hold expressions (§10).
_EXPRESSIONS: Final[dict[str, tuple[str, ...]]] = {
    "guard": ("when",),
    "case": ("when",),
    "edge": ("condition",),
    "loop": ("over", "while"),
    "wait": ("until",),
    "input": ("value",),
}

#: (element, attribute) that refer to a node; all other attributes keep clear of node ids.
_REFERENCES: Final = frozenset(
    {
        ("harness", "entry"),
        ("node", "id"),
        ("node", "compensates"),
        ("edge", "from"),
        ("edge", "to"),
        ("case", "to"),
        ("otherwise", "to"),
        ("body", "ref"),
    }
)

_Kind = Literal["retry", "timeout", "wait"]


class Delay(NamedTuple):
    """A time that a document declares, in seconds; ``kind`` is the element that declares it."""

    node: str
    kind: _Kind
    seconds: float


class Survey(msgspec.Struct, frozen=True):
    """What the checks ask of a document.

    Attributes:
        reads: (node, output) that a data edge or an expression reads.
        delays: in document order.
        clashes: values of attributes that are also node ids without referring to a node.
        resources: ids.
        artifacts: ids.
        credentials: ``store/ref``, or ``ref`` where no store is named.
        faults: durations that cannot be read.
    """

    reads: frozenset[tuple[str, str]]
    delays: tuple[Delay, ...]
    clashes: tuple[str, ...]
    resources: frozenset[str]
    artifacts: frozenset[str]
    credentials: frozenset[str]
    faults: tuple[str, ...] = ()


def survey(document: bytes) -> Survey:
    """Look through a document.

    Raises:
        FactsError: it is not well-formed or not safe to read.
    """
    root = parse_document(document)
    outputs = {
        node.get("id", ""): [o.get("name", "") for o in node.iterfind(f"{_HX}outputs/{_HX}output")]
        for node in root.iterfind(f"{_HX}nodes/{_HX}node")
    }
    faults: list[str] = []
    return Survey(
        reads=frozenset(_reads(root, outputs)),
        delays=tuple(_delays(root, faults)),
        clashes=tuple(dict.fromkeys(_clashes(root, outputs))),
        resources=frozenset(_ids(root, "resources/resource")),
        artifacts=frozenset(_ids(root, "artifacts/artifact")),
        credentials=frozenset(_credentials(root)),
        faults=tuple(faults),
    )


def _ids(root: Element, path: str) -> Iterator[str]:
    for element in root.iterfind("/".join(f"{_HX}{part}" for part in path.split("/"))):
        yield element.get("id", "")


def _credentials(root: Element) -> Iterator[str]:
    for element in root.iterfind(f"{_HX}resources/{_HX}resource/{_HX}credential"):
        store, ref = element.get("store"), element.get("ref", "")
        yield f"{store}/{ref}" if store else ref


def _local(element: Element) -> str:
    tag = str(element.tag)
    return tag.removeprefix(_HX) if tag.startswith(_HX) else ""


def _reads(root: Element, outputs: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    for element in root.iter():
        name = _local(element)
        if name == "edge" and element.get("type") == "data":
            yield element.get("from", ""), element.get("fromPort", "")
        for attribute in _EXPRESSIONS.get(name, ()):
            for part in _PART.findall(element.get(attribute, "")):
                for word in _NAME.findall(_STRING.sub(" ", part)):
                    yield from _read(word, outputs)


def _read(word: str, outputs: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    """Split ``node.port``; an identifier may hold dots itself, so the document decides."""
    places = [index for index, letter in enumerate(word) if letter == "."]
    for place in places:
        node, port = word[:place], word[place + 1 :]
        if node in outputs:
            known = [o for o in outputs[node] if port == o or port.startswith((f"{o}.", f"{o}-"))]
            yield node, max(known, key=len, default=port)


def _delays(root: Element, faults: list[str]) -> Iterator[Delay]:
    for node in root.iterfind(f"{_HX}nodes/{_HX}node"):
        key = node.get("id", "")
        retry = node.find(f"{_HX}retry")
        timeout = node.find(f"{_HX}timeout")
        wait = node.find(f"{_HX}wait")
        texts: list[tuple[_Kind, str | None]] = []
        if (
            retry is not None
            and retry.get("backoff") != "none"
            and retry.get("maxAttempts", "").strip() != "1"
        ):
            # §8.1: the delay is a second unless the document says otherwise.
            texts.append(("retry", retry.get("initialDelay", "PT1S")))
        if timeout is not None:
            texts.append(("timeout", timeout.get("duration")))
        if wait is not None:
            texts.append(("wait", wait.get("duration")))
        for kind, text in texts:
            if text is None:
                continue
            try:
                yield Delay(key, kind, parse_duration(text))
            except DurationError as error:
                faults.append(f"node {key!r}: {kind}: {error}")


def _clashes(root: Element, outputs: dict[str, list[str]]) -> Iterator[str]:
    for element in root.iter():
        name = _local(element)
        for attribute in map(str, element.keys()):
            value = element.get(attribute)
            if value in outputs and (name, attribute) not in _REFERENCES:
                yield f"{name} {attribute}={value!r}"
