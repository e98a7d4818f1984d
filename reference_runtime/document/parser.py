"""The hardened XML parser: bytes in, immutable model and findings out.

No network, no document type, no entities but the five of XML, UTF-8 only, bounded size, and a
bounded depth (libxml2 stops at 2048 nested elements at the latest). Elements are known by
namespace and local name, never by prefix (§2.6). Comments and processing instructions are no
content.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lxml import etree

from reference_runtime.document.advice import Advice
from reference_runtime.document.convert import read_harness
from reference_runtime.document.finding import Finding
from reference_runtime.document.grammar import ELEMENTS, NAMESPACE, Element
from reference_runtime.document.libxml import OPTIONS
from reference_runtime.document.malformed import MAX_DEPTH, Refusal, malformed
from reference_runtime.document.meant import mend
from reference_runtime.document.model import Harness
from reference_runtime.document.prolog import UTF8_MARK, check_prolog
from reference_runtime.document.schema import check_schema
from reference_runtime.document.source import Source, clip, local_name, namespace_of

__all__ = ["MAX_DEPTH", "Parsed", "parse"]

#: End of what libxml2 says about the name of a namespace with a character beyond ASCII.
_NO_URI = "is not a valid URI"


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


def _refusals(log: Any) -> list[Refusal]:
    """Errors of a parser but for names of namespaces: IRIs are none to libxml2, and legal."""
    return [
        Refusal(one.message, one.line, one.column)
        for one in log.filter_from_errors()
        if not one.message.endswith(_NO_URI)
    ]


def _read(document: bytes) -> etree._Element | Refusal:
    parser = _new_parser()
    try:
        return etree.fromstring(document, parser)
    except etree.XMLSyntaxError as error:
        line, column = error.position
        refusal = Refusal(str(error.msg), line, column)
        if not refusal.text.partition(", line ")[0].endswith(_NO_URI):
            return refusal
    # Only now may the parser go on after an error; every other one refuses the document still.
    forgiving = _new_parser(recover=True)
    root = etree.fromstring(document, forgiving)
    others = _refusals(forgiving.error_log)
    return root if root is not None and not others else next(iter(others), refusal)


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
    if isinstance(root, Refusal):
        return Parsed(harness=None, findings=(malformed(root, document),))
    source = Source(document, root)
    wrong = _wrong_root(root, source)
    if wrong is not None:
        return Parsed(harness=None, findings=(wrong,))
    findings = check_schema(root, source, Advice(), elements)
    if findings:
        mend(root, elements)
    return Parsed(harness=read_harness(root, source), findings=findings, source=source)
