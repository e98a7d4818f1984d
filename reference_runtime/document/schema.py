"""The schema layer (§13.1): ``harness-1.0.xsd`` gives the verdict, the tables explain it.

The identity constraints of the schema (keys and references) have codes of their own in layer 2,
which checks them in linear time; the compiled schema is therefore made without them.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lxml import etree

from reference_runtime.document.advice import Advice
from reference_runtime.document.finding import MAX_FINDINGS, Finding
from reference_runtime.document.grammar import ELEMENTS, Element
from reference_runtime.document.source import Source, local_name
from reference_runtime.document.structure import explain

__all__ = ["SCHEMA_FILE", "check_schema", "load_schema"]

#: The schema as a file, complete with keys and references, for editors and other tools.
SCHEMA_FILE = Path(__file__).with_name("harness-1.0.xsd")

#: Namespaces in messages of libxml2, and how much of a message is shown.
_CLARK = re.compile(r"\{[^}]*\}")
_ELEMENT = re.compile(r"Element '([^']*)'")
_LONGEST_REASON = 300
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


def _element_at(root: etree._Element, line: int, reason: str) -> etree._Element:
    """Find the element that a message of libxml2 is about, by its line and its name."""
    name = _ELEMENT.match(reason)
    for element in root.iter("*"):
        end: Any = element.sourceline
        if end == line and name is not None and local_name(element) == name[1]:
            return element
    return root


def check_schema(
    root: etree._Element,
    source: Source,
    advice: Advice,
    elements: Mapping[str, Element] = ELEMENTS,
) -> tuple[Finding, ...]:
    """Return the faults of the schema layer, nothing if the schema accepts the document.

    Other tables than those of the schema give the verdict by themselves.
    """
    schema = load_schema()
    if elements is ELEMENTS and schema.validate(root):
        return ()
    findings = tuple(itertools.islice(explain(root, source, advice, elements), MAX_FINDINGS))
    if findings or elements is not ELEMENTS:
        return findings
    # The schema is stricter than the tables, e.g. about the characters of a URI.
    log: Any = schema.error_log
    reason = _CLARK.sub("", log[0].message)[:_LONGEST_REASON]
    message = f"Schema: {reason} Correct it as harness-1.0.xsd says."
    element = _element_at(root, log[0].line, reason)
    return (source.finding("HX-1001", "error", element, "", message),)
