"""The schema layer (§13.1): ``harness-1.0.xsd`` gives the verdict, the tables explain it.

The identity constraints of the schema (keys and references) have codes of their own in layer 2,
which checks them in linear time; the compiled schema is therefore made without them.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from lxml import etree

from reference_runtime.document.advice import Advice
from reference_runtime.document.finding import MAX_FINDINGS, Finding
from reference_runtime.document.grammar import ELEMENTS, NAMESPACE, Element
from reference_runtime.document.libxml import OPTIONS
from reference_runtime.document.source import Source
from reference_runtime.document.structure import explain

__all__ = ["SCHEMA_FILE", "check_schema", "load_schema"]

#: The schema as a file, complete with keys and references, for editors and other tools.
SCHEMA_FILE = Path(__file__).with_name("harness-1.0.xsd")

#: Namespaces in messages of libxml2, and how much of a message is shown.
_CLARK = re.compile(r"\{[^}]*\}")
_SUBJECT = re.compile(
    r"Element '(?P<element>[^']*)'(?:, attribute '(?P<attribute>[^']*)': '(?P<value>.*)' is not a)?"
)
_LONGEST_REASON = 300
#: Tags from which on a document has many elements, and bytes of a piece of such a document.
_MANY = 3000
_PIECE = 16 * 1024
#: References and sections from which on some text may have too many pieces.
_IN_PIECES = 200_000
_XS = "{http://www.w3.org/2001/XMLSchema}"


@functools.cache
def load_schema(*, references: bool = False) -> etree.XMLSchema:
    """Compile the schema, with or without keys and references."""
    tree = etree.parse(SCHEMA_FILE, etree.XMLParser(no_network=True, remove_comments=True))
    if not references:
        for constraint in list(tree.iter(f"{_XS}key", f"{_XS}keyref")):
            parent = constraint.getparent()
            if parent is not None:
                parent.remove(constraint)
    return etree.XMLSchema(tree)


def _element_of(root: etree._Element, line: int, reason: str) -> etree._Element:
    """Find the element that a message of libxml2 is about, by its name and its value or line."""
    match = _SUBJECT.match(reason)
    if match is not None:
        for element in root.iter(f"{{{NAMESPACE}}}{match['element']}"):
            at: Any = element.sourceline
            told = match["attribute"]
            if at == line if line else told is None or element.get(told) == match["value"]:
                return element
    return root


def _complaints(root: etree._Element, document: bytes) -> list[Any]:
    """Entries of libxml2's log that speak against a document; of a large one the first ones.

    Each entry costs time by its place among its siblings, so a document of many elements is read
    again and let go at the first. That in turn costs time by the square of the pieces of a text.
    """
    schema = load_schema()
    if document.count(b"<") <= _MANY or document.count(b"&") + document.count(b"<!") > _IN_PIECES:
        return [] if schema.validate(root) else list(cast("Any", schema.error_log))
    parser = etree.XMLPullParser(events=(), schema=schema, **OPTIONS)
    for at in range(0, len(document), _PIECE):
        with contextlib.suppress(etree.XMLSyntaxError):  # it is in the log, too
            parser.feed(document[at : at + _PIECE])
        log: Any = parser.feed_error_log
        if errors := list(log.filter_from_errors()):
            return errors
    return []


def check_schema(
    root: etree._Element,
    source: Source,
    advice: Advice,
    elements: Mapping[str, Element] = ELEMENTS,
) -> tuple[Finding, ...]:
    """Return the faults of the schema layer, nothing if the schema accepts the document.

    Other tables than those of the schema give the verdict by themselves.
    """
    complaints = _complaints(root, source.document) if elements is ELEMENTS else []
    if elements is ELEMENTS and not complaints:
        return ()
    findings = tuple(itertools.islice(explain(root, source, advice, elements), MAX_FINDINGS))
    # libxml2 refuses blanks around times, which XSD collapses; the tables know times in full.
    strict = [one for one in complaints if "'xs:dateTime'" not in one.message]
    if findings or not strict:
        return findings
    # The schema is stricter than the tables, e.g. about the characters of a URI.
    reason = _CLARK.sub("", strict[0].message)[:_LONGEST_REASON]
    message = f"Schema: {reason} Correct it as harness-1.0.xsd says."
    element = _element_of(root, strict[0].line, reason)
    return (source.finding("HX-1001", "error", element, "", message),)
