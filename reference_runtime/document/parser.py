"""The hardened XML parser: bytes in, immutable model and findings out.

No network, no document type, no entities but the five of XML, UTF-8 only, bounded size, and a
bounded depth (libxml2 stops at 256 nested elements unless told otherwise). Elements are known by
namespace and local name, never by prefix (§2.6). Comments and processing instructions are no
content.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from lxml import etree

from reference_runtime.document.advice import Advice
from reference_runtime.document.convert import read_harness
from reference_runtime.document.finding import Finding
from reference_runtime.document.grammar import ELEMENTS, NAMESPACE, Element
from reference_runtime.document.libxml import OPTIONS
from reference_runtime.document.model import Harness
from reference_runtime.document.prolog import check_prolog
from reference_runtime.document.schema import check_schema
from reference_runtime.document.source import Source, clip, local_name, namespace_of

__all__ = ["MAX_DEPTH", "Parsed", "parse"]

#: Deepest nesting that libxml2 accepts without its option for huge documents.
MAX_DEPTH = 256

#: Words in messages of libxml2 → what to do; the first that occurs counts.
_WHAT_TO_DO = (
    ("Excessive depth", f"Elements may be nested {MAX_DEPTH} deep: flatten the document."),
    ("limit", "Shorten the text or attribute: libxml2 bounds it at about 10 MB."),
    ("too long", "Shorten the text or attribute: libxml2 bounds it at about 10 MB."),
    ("Entity", "Only &lt; &gt; &amp; &quot; &apos; and character numbers exist: use these."),
    ("empty", "Write a harness element."),
    ("Namespace prefix", "Declare the prefix with xmlns."),
)
#: Place at the end of such a message; the finding has it in fields of its own.
_PLACE = re.compile(r",? ?line \d+, column \d+.*$")
_DEFAULT_ADVICE = "Correct the XML at this place."


@dataclass(frozen=True, slots=True)
class Parsed:
    """A document as read.

    Attributes:
        harness: a forgiving reading, also of documents with faults; None where there is none,
            because the XML is broken or the root is another element.
        findings: faults of the schema layer (§13.1); layer 2 is ``reference_runtime.validation``.
        source: places of the model's values; None together with ``harness``.
    """

    harness: Harness | None
    findings: tuple[Finding, ...]
    source: Source | None = None


def _new_parser() -> etree.XMLParser:
    """Parsers keep state between documents, so each document gets its own."""
    return etree.XMLParser(recover=False, **OPTIONS)


def _malformed(error: etree.XMLSyntaxError) -> Finding:
    line, column = error.position
    text = _PLACE.sub("", " ".join(str(error.msg).split())).rstrip(" .,")
    advice = next((advice for word, advice in _WHAT_TO_DO if word in text), _DEFAULT_ADVICE)
    return Finding(
        code="HX-1001",
        severity="error",
        line=max(line, 1),
        column=max(column, 1),
        near="",
        value="",
        message=f"Malformed XML: {text}. {advice} Nothing after this place was checked.",
    )


def _wrong_root(root: etree._Element, source: Source) -> Finding | None:
    """Check the root by namespace and local name (A181)."""
    name, namespace = local_name(root), namespace_of(str(root.tag))
    if name == "harness" and namespace == NAMESPACE:
        return None
    kind = f"of namespace {clip(namespace)!r}" if namespace else "without namespace"
    message = (
        f"The root element is {clip(name)!r} {kind}, expected 'harness' of namespace "
        f"{NAMESPACE!r}. Correct the root; nothing inside it was checked."
    )
    return source.finding("HX-1001", "error", root, name, message)


def parse(document: bytes, elements: Mapping[str, Element] = ELEMENTS) -> Parsed:
    """Read a document; findings are those of the schema layer (§13.1) by its tables."""
    refusal = check_prolog(document)
    if refusal is not None:
        return Parsed(harness=None, findings=(refusal,))
    try:
        root = etree.fromstring(document, _new_parser())
    except etree.XMLSyntaxError as error:
        return Parsed(harness=None, findings=(_malformed(error),))
    source = Source(document, root)
    wrong = _wrong_root(root, source)
    if wrong is not None:
        return Parsed(harness=None, findings=(wrong,))
    findings = check_schema(root, source, Advice(), elements)
    return Parsed(harness=read_harness(root, source), findings=findings, source=source)
