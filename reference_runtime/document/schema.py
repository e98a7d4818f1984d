"""The schema layer (§13.1): what ``harness-1.0.xsd`` accepts is valid, the tables explain the rest.

The identity constraints of the schema (keys and references) have codes of their own in layer 2,
which checks them in linear time; the compiled schema is therefore made without them.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lxml import etree

from reference_runtime.document.advice import Advice
from reference_runtime.document.finding import MAX_FINDINGS, Finding
from reference_runtime.document.grammar import ELEMENTS, Element
from reference_runtime.document.libxml import OPTIONS
from reference_runtime.document.source import Source
from reference_runtime.document.structure import explain

__all__ = ["SCHEMA_FILE", "check_schema", "load_schema"]

#: The schema as a file, complete with keys and references, for editors and other tools.
SCHEMA_FILE = Path(__file__).with_name("harness-1.0.xsd")

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


def _accepts(root: etree._Element, document: bytes) -> bool:
    """Tell whether libxml2 has nothing to say against a document; of a large one it says little.

    Each entry of its log costs time by its place among its siblings, so a document of many
    elements is read again and let go at the first. That in turn costs time by the square of the
    pieces of a text.
    """
    schema = load_schema()
    if document.count(b"<") <= _MANY or document.count(b"&") + document.count(b"<!") > _IN_PIECES:
        return schema.validate(root)
    parser = etree.XMLPullParser(events=(), schema=schema, **OPTIONS)
    for at in range(0, len(document), _PIECE):
        with contextlib.suppress(etree.XMLSyntaxError):  # it is in the log, too
            parser.feed(document[at : at + _PIECE])
        log: Any = parser.feed_error_log
        if log.filter_from_errors():
            return False
    return True


def check_schema(
    root: etree._Element,
    source: Source,
    advice: Advice,
    elements: Mapping[str, Element] = ELEMENTS,
) -> tuple[Finding, ...]:
    """Return the faults of the schema layer, nothing if the schema accepts the document.

    What libxml2 refuses is looked at by the tables, and these are right where the two differ: it
    bounds numbers, durations and years, knows brackets of an address nowhere but around a host
    and a port as a number only, takes no blanks around times, and looks for the types that
    foreign elements name. Other tables than those of the schema give the verdict by themselves.
    """
    if elements is ELEMENTS and _accepts(root, source.document):
        return ()
    return tuple(itertools.islice(explain(root, source, advice, elements), MAX_FINDINGS))
