"""Where things stand in a document: from model values and elements to line, column and id.

libxml2 knows only the line on which a start tag ends, and no column. Exact places come from a
second, lazy pass of expat over the same bytes, made once and only when there is something to
report. It is safe: documents with a DOCTYPE never get this far.
"""

from __future__ import annotations

import contextlib
import re
from typing import Any
from xml.parsers import expat

from lxml import etree

from reference_runtime.document.finding import Finding, Severity
from reference_runtime.document.grammar import NAMESPACE, name_meant
from reference_runtime.document.masking import mask, mask_message

__all__ = ["BEYOND_ASCII", "LONGEST_VALUE", "NAMED", "Source", "clip", "local_name", "namespace_of"]

#: Characters of an offending value that a finding shows.
LONGEST_VALUE = 120
#: Characters of a value that are searched for secrets, so that none is cut in two.
_LONGEST_SECRET = 4000
#: Characters of a message; names in it can be as long as a document makes them.
_LONGEST_MESSAGE = 1000


def clip(text: str) -> str:
    """Shorten a value for people, without secrets; its end is what can be endless."""
    shown = mask(text[:_LONGEST_SECRET])
    return shown if len(shown) <= LONGEST_VALUE else f"{shown[:LONGEST_VALUE]}…"


def _clip_message(text: str, length: int = _LONGEST_MESSAGE) -> str:
    """Shorten a message in the middle: its end says what to do."""
    if len(text) <= length:
        return text
    end = length // 4
    return f"{text[: length - end]}…{text[-end:]}"


def _message(text: str, value: str) -> str:
    """Shorten a message about a value, without the secrets in either."""
    roughly = _clip_message(text, 10 * _LONGEST_SECRET)
    return _clip_message(mask_message(roughly, value[: 10 * _LONGEST_SECRET]))


def namespace_of(name: str) -> str:
    """Namespace of a name in Clark notation, empty if there is none."""
    return name[1:].partition("}")[0] if name.startswith("{") else ""


def local_name(element: etree._Element) -> str:
    """Name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


#: Characters that take several bytes.
BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")


def _starts(document: bytes) -> list[tuple[int, int]]:
    """Line and column of every start tag up to where expat stops."""
    starts: list[tuple[int, int]] = []
    parser = expat.ParserCreate("utf-8")

    def note(_name: str, _attributes: object) -> None:
        starts.append((parser.CurrentLineNumber, parser.CurrentColumnNumber + 1))

    parser.StartElementHandler = note
    with contextlib.suppress(expat.ExpatError):
        parser.Parse(document, True)  # noqa: FBT003 - the C function takes no keyword
    return starts


#: Elements whose ids are names of the document; any other id stands there by mistake.
NAMED = frozenset({"harness", "node", "edge", "resource", "artifact"})


def _label(element: etree._Element) -> str | None:
    """How to call an element that has an id, or an edge that has none."""
    name, identity = local_name(element), element.get("id")
    if name not in NAMED or namespace_of(str(element.tag)) != NAMESPACE:
        return None
    if identity:
        return f"{name} {clip(identity)!r}"
    if name == "edge" and element.get("from") and element.get("to"):
        return f"edge {clip(element.get('from', ''))!r} → {clip(element.get('to', ''))!r}"
    return None


class Source:
    """The text behind a model; grows while the model is built, then only answers.

    Attributes:
        document: the bytes that were read.
    """

    def __init__(self, document: bytes, root: etree._Element) -> None:
        self.document = document
        self._root = root
        self._origins: dict[int, etree._Element] = {}
        self._places: dict[etree._Element, tuple[int, int]] | None = None

    def remember(self, value: object, element: etree._Element) -> None:
        """Note the element from which a model value was made; the caller keeps the value."""
        self._origins[id(value)] = element

    def element_of(self, value: object) -> etree._Element:
        """Return the element of a model value, the root for a value that was made from none."""
        if isinstance(value, etree._Element):  # noqa: SLF001 - lxml names its element type so
            return value
        return self._origins.get(id(value), self._root)

    def part_of(self, value: object, name: str) -> etree._Element:
        """First child element of that local name, else the element of the value itself."""
        element = self.element_of(value)
        return next((child for child in element if name_meant(child.tag) == name), element)

    def place(self, element: etree._Element) -> tuple[int, int | None]:
        """Line and column at which an element starts, both 1-based."""
        if self._places is None:
            self._places = self._find_places()
        place = self._places.get(element)
        if place is not None:
            return place
        line: Any = element.sourceline
        return line or 1, None

    def line_of(self, value: object) -> int:
        """Line on which a model value starts."""
        return self.place(self.element_of(value))[0]

    def near(self, element: etree._Element) -> str:
        """Nearest id around an element (§13.5)."""
        at: etree._Element | None = element
        while at is not None:
            label = _label(at)
            if label is not None:
                return label
            at = at.getparent()
        return ""

    def finding(
        self, code: str, severity: Severity, where: object, value: str, message: str
    ) -> Finding:
        """Make a finding about an element or a model value."""
        element = self.element_of(where)
        line, column = self.place(element)
        return Finding(
            code=code,
            severity=severity,
            line=line,
            column=column,
            near=self.near(element),
            value=clip(value),
            message=_message(message, value),
        )

    def _find_places(self) -> dict[etree._Element, tuple[int, int]]:
        starts = _starts(self.document)
        elements = list(self._root.iter("*"))
        if len(starts) < len(elements):
            # Expat knows the names of XML's fourth edition only; these characters are in none.
            plain = BEYOND_ASCII.sub("x", self.document.decode("utf-8")).encode()
            starts = max(starts, _starts(plain), key=len)
        return dict(zip(elements, starts, strict=False))
