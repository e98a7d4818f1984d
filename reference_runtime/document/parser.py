"""The hardened XML parser: bytes in, immutable model and findings out.

No network, no document type, no entities but the five of XML, UTF-8 only, bounded size, and a
bounded depth (libxml2 stops at 2048 nested elements at the latest). Elements are known by
namespace and local name, never by prefix (§2.6). Comments and processing instructions are no
content.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lxml import etree

from reference_runtime.document.advice import Advice
from reference_runtime.document.convert import read_harness
from reference_runtime.document.finding import Finding
from reference_runtime.document.grammar import ELEMENTS, NAMESPACE, Element
from reference_runtime.document.libxml import OPTIONS
from reference_runtime.document.masking import mask
from reference_runtime.document.model import Harness
from reference_runtime.document.prolog import UTF8_MARK, check_prolog, stop
from reference_runtime.document.schema import check_schema
from reference_runtime.document.source import Source, clip, local_name, namespace_of

__all__ = ["MAX_DEPTH", "Parsed", "parse"]

#: Deepest nesting that libxml2 accepts with its option for huge documents.
MAX_DEPTH = 2048

#: Words in messages of libxml2 → what to do; the first that occurs counts.
_WHAT_TO_DO = (
    ("Entity", "Only &lt; &gt; &amp; &quot; &apos; and character numbers exist: use these."),
    ("empty", "Write a harness element."),
    ("Namespace prefix", "Declare the prefix with xmlns."),
)
#: Words in messages of libxml2 about what has no end → how that begins and how it should end.
_UNCLOSED = (
    ("Comment not terminated", b"<!--", b"-->"),
    ("CData section not finished", b"<![CDATA[", b"]]>"),
)
#: Place at the end of such a message; the finding has it in fields of its own.
_PLACE = re.compile(r",? ?line \d+, column \d+.*$")
#: End of what libxml2 says about the name of a namespace with a character beyond ASCII.
_NO_URI = "is not a valid URI"
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


def _new_parser(*, recover: bool = False) -> etree.XMLParser:
    """Parsers keep state between documents, so each document gets its own."""
    return etree.XMLParser(recover=recover, **OPTIONS)


@dataclass(frozen=True, slots=True)
class _Refusal:
    """What libxml2 says against a document, and where."""

    text: str
    line: int
    column: int


def _refusals(log: Any) -> list[_Refusal]:
    """Errors of a parser but for names of namespaces: IRIs are none to libxml2, and legal."""
    return [
        _Refusal(one.message, one.line, one.column)
        for one in log.filter_from_errors()
        if not one.message.endswith(_NO_URI)
    ]


def _read(document: bytes) -> etree._Element | _Refusal:
    parser = _new_parser()
    try:
        return etree.fromstring(document, parser)
    except etree.XMLSyntaxError as error:
        line, column = error.position
        refusal = _Refusal(str(error.msg), line, column)
        if not refusal.text.partition(", line ")[0].endswith(_NO_URI):
            return refusal
    # Only now may the parser go on after an error; every other one refuses the document still.
    forgiving = _new_parser(recover=True)
    root = etree.fromstring(document, forgiving)
    others = _refusals(forgiving.error_log)
    return root if root is not None and not others else next(iter(others), refusal)


def _stopped(line: int, column: int, message: str) -> Finding:
    return Finding(
        code="HX-1001",
        severity="error",
        line=line,
        column=column,
        near="",
        value="",
        message=f"{message} Nothing after this place was checked.",
    )


def _too_deep(line: int, column: int) -> Finding:
    limit = f"Limit of this runtime, not of the format: elements may be nested {MAX_DEPTH} deep."
    return _stopped(line, column, f"{limit} Flatten the document.")


def _malformed(refusal: _Refusal, document: bytes) -> Finding:
    line, column = max(refusal.line, 1), max(refusal.column, 1)
    if "Excessive depth" in refusal.text:
        return _too_deep(line, column)
    text = mask(_PLACE.sub("", " ".join(refusal.text.split())).rstrip(" .,"))
    for words, opening, closing in _UNCLOSED:
        at = document.find(opening, document.rfind(closing) + 1)
        if words in text and at >= 0:
            message = f"Malformed XML: {text}. Close it with {closing.decode()}."
            return stop("HX-1001", document, at, opening.decode(), message)
    advice = next((advice for word, advice in _WHAT_TO_DO if word in text), _DEFAULT_ADVICE)
    return _stopped(line, column, f"Malformed XML: {text}. {advice}")


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
    root = _read(document)
    document = document.removeprefix(UTF8_MARK)
    if isinstance(root, _Refusal):
        return Parsed(harness=None, findings=(_malformed(root, document),))
    source = Source(document, root)
    wrong = _wrong_root(root, source)
    if wrong is not None:
        return Parsed(harness=None, findings=(wrong,))
    findings = check_schema(root, source, Advice(), elements)
    return Parsed(harness=read_harness(root, source), findings=findings, source=source)
