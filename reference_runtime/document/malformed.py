"""The one finding about malformed XML: what libxml2 refuses, and where that is.

libxml2 names the place at which it gave up, often behind the fault. Expat, which reads the same
bytes again, names the piece that does not fit, and knows which elements are open there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final
from xml.parsers import expat

from reference_runtime.document.finding import Finding
from reference_runtime.document.grammar import NAMESPACE
from reference_runtime.document.masking import mask
from reference_runtime.document.prolog import stop
from reference_runtime.document.source import BEYOND_ASCII, NAMED, clip

__all__ = ["MAX_DEPTH", "Refusal", "malformed"]

#: Deepest nesting that libxml2 accepts with its option for huge documents.
MAX_DEPTH: Final = 2048

_END: Final = "</"
_NO_NAME: Final = "xmlParseEntityRef: no name"
_BARE: Final = "This & begins no reference"
#: Words in messages of libxml2 → what to do; the first that occurs counts.
_WHAT_TO_DO: Final = (
    (_NO_NAME, "Write &amp; for it."),
    ("Entity", "Only &lt; &gt; &amp; &quot; &apos; and character numbers exist: use these."),
    ("empty", "Write a harness element."),
    ("Namespace prefix", "Declare the prefix with xmlns."),
)
_NOTHING_MORE: Final = "Nothing after this place was checked."
_DEFAULT_ADVICE: Final = "Correct the XML at this place."
#: Words in messages of libxml2 about what has no end → how that begins and how it should end.
_UNCLOSED: Final = (
    ("Comment not terminated", b"<!--", b"-->"),
    ("CData section not finished", b"<![CDATA[", b"]]>"),
)
#: Place at the end of such a message; the finding has it in fields of its own.
_PLACE: Final = re.compile(r",? ?line \d+, column \d+.*$")
#: Name of a function of libxml2 before a message.
_FUNCTION: Final = re.compile(r"^xml[A-Z]\w+: ?")
#: The piece of a text that a fault is about: a reference, a tag, a name, a character.
_PIECE: Final = re.compile(r"&[^;&<\s\"']*;?|</?[^\s<>/\"']*|[^\s<>=\"'&/]+|\S", re.DOTALL)
#: What libxml2 says about a reference, behind it; expat points to the tag around it.
_REFERENCE: Final = re.compile(r"Entity '([^']*)' not defined|xmlParseEntityRef: no name()")


@dataclass(frozen=True, slots=True)
class Refusal:
    """What libxml2 says against a document, and where."""

    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class _Place:
    """Where expat gives up; ``at`` in characters."""

    line: int
    column: int
    at: int
    near: str


def _place_by_expat(text: str) -> _Place | None:
    """Read a text until it does not go on; None if there is nothing against it."""
    parser = expat.ParserCreate("utf-8", " ")
    open_: list[str] = [""]

    def enter(name: str, attributes: dict[str, str]) -> None:
        namespace, _, local = name.rpartition(" ")
        identity = attributes.get("id")
        known = identity and local in NAMED and namespace == NAMESPACE
        open_.append(f"{local} {clip(identity)!r}" if identity and known else open_[-1])

    parser.StartElementHandler = enter
    parser.EndElementHandler = lambda _name: open_.pop()
    try:
        # Expat knows the names of XML's fourth edition only; these characters are in none.
        parser.Parse(BEYOND_ASCII.sub("x", text).encode(), True)  # noqa: FBT003 - no keyword
    except expat.ExpatError as error:
        return _Place(error.lineno, error.offset + 1, parser.ErrorByteIndex, open_[-1])
    return None


def _stopped(line: int, column: int, message: str) -> Finding:
    return Finding(
        code="HX-1001",
        severity="error",
        line=line,
        column=column,
        near="",
        value="",
        message=f"{message} {_NOTHING_MORE}",
    )


def _too_deep(line: int, column: int) -> Finding:
    limit = f"Limit of this runtime, not of the format: elements may be nested {MAX_DEPTH} deep."
    return _stopped(line, column, f"{limit} Flatten the document.")


def _unclosed(text: str, document: bytes) -> Finding | None:
    """Report what has no end at the place where it begins."""
    for words, opening, closing in _UNCLOSED:
        at = document.find(opening, document.rfind(closing) + 1)
        if words in text and at >= 0:
            message = f"Malformed XML: {words}. Close it with {closing.decode()}."
            return stop("HX-1001", document, at, opening.decode(), message)
    return None


def _at_piece(finding: Finding, text: str, place: _Place | None) -> Finding:
    """Move a finding from where libxml2 gave up to the piece that does not fit."""
    line, column = finding.line, finding.column or 1
    reference = _REFERENCE.search(finding.message)
    if reference is not None:
        piece = f"&{reference[1]};" if reference[1] else "&"
        start = text.split("\n")[line - 1 : line]
        at = start[0].rfind(piece, 0, column) if start else -1
        return replace(finding, column=at + 1, value=clip(piece)) if at >= 0 else finding
    if place is None or place.line != line or place.column > column + 1:
        return finding
    # An end tag begins before its name.
    back = len(_END) if text.endswith(_END, 0, place.at) else 0
    found = _PIECE.match(text, place.at - back)
    piece = found[0] if found is not None else ""
    # Text and values of attributes may be secrets: names, tags and references are shown.
    shown = piece[:1] in {"<", "&"} or len(piece) == 1 or f"{piece} " in f"{finding.message} "
    return replace(finding, column=place.column - back, value=clip(piece) if shown else "")


def malformed(refusal: Refusal, document: bytes) -> Finding:
    """Make the finding about a document that is no XML; ``document`` is UTF-8 without mark."""
    line, column = max(refusal.line, 1), max(refusal.column, 1)
    if "Excessive depth" in refusal.text:
        return _too_deep(line, column)
    said = mask(_PLACE.sub("", " ".join(refusal.text.split())).rstrip(" .,"))
    text = document.decode("utf-8", "replace")
    place = _place_by_expat(text)
    finding = _unclosed(said, document)
    if finding is None:
        advice = next((advice for word, advice in _WHAT_TO_DO if word in said), _DEFAULT_ADVICE)
        finding = _at_piece(_stopped(line, column, said), text, place)
        told = _FUNCTION.sub("", said.replace(_NO_NAME, _BARE))
        message = f"Malformed XML: {told}. {advice} {_NOTHING_MORE}"
        finding = replace(finding, message=message)
    return replace(finding, near=place.near if place is not None and place.line <= line else "")
