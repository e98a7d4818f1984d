"""Deviants: wrong reading of documents, before any rule of the text is asked (chapter 2)."""

from __future__ import annotations

import re
from typing import Final

from reference_runtime.deviants.deviant import Row
from reference_runtime.deviants.doubted import misplaced_only_on_nodes
from reference_runtime.deviants.gates import attribute, edited, element, instead, refused, told
from reference_runtime.document import lexical

__all__ = ["READING"]


def _any_root_namespace(document: bytes) -> bytes:
    """Take the namespace of the root for that of the format, in the same number of bytes."""
    return re.sub(rb"harnessxml\.com/spec/\d\.\d", b"harnessxml.com/spec/1.0", document)


def _namespace_of_minor(document: bytes) -> bytes:
    """Take the namespace of a later minor version for that of the format."""
    return re.sub(rb"harnessxml\.com/spec/1\.\d", b"harnessxml.com/spec/1.0", document)


def _closed(document: bytes) -> bytes:
    """Close what was left open."""
    return document if document.rstrip().endswith(b"</harness>") else document + b"</harness>"


def _transcoded(document: bytes) -> bytes:
    """Read other encodings as XML parsers can, too."""
    for mark, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if document.startswith(mark):
            return document.decode(encoding).replace("UTF-16", "UTF-8").encode()
    if b'encoding="ISO-8859-1"' in document:
        return document.decode("latin-1").replace("ISO-8859-1", "UTF-8").encode()
    return document


READING: Final[tuple[Row, ...]] = (
    (
        "root_of_any_namespace",
        "2.1-root-element-and-namespace",
        "a harness of another namespace is taken for one of the format",
        edited(_any_root_namespace),
    ),
    (
        "prefixes_refused",
        "2.6-match-by-uri-not-prefix",
        "elements with a prefix are not recognised",
        refused(rb"<\w+:harness\b"),
    ),
    (
        "namespace_follows_version",
        "2.6-namespace-constant-within-major",
        "a minor version may have a namespace of its own",
        edited(_namespace_of_minor),
    ),
    (
        "sections_in_any_order",
        "2.2-section-order-fixed",
        "the sections of a document may come in any order",
        element("harness", ordered=False),
    ),
    (
        "ids_of_any_text",
        "2.3-identifier-pattern",
        "any text is the id of a node",
        attribute("node", "id", read=lexical.read_text),
    ),
    (
        "schema_location_refused",
        "2.7-schema-association-optional",
        "a document that says where its schema lies is refused when nothing lies there",
        refused(rb"\bxsi:schemaLocation="),
    ),
    (
        "declarations_of_a_host_refused",
        "2.9.1-embedded-harness-complete",
        "a document that declares the namespace of a host needs the host",
        refused(rb"\bxmlns:host="),
    ),
    (
        "required_extensions_of_nodes_only",
        "13.2-hx-1004-required-extension",
        "extensions are looked at on nodes only",
        instead("HX-1004", misplaced_only_on_nodes),
    ),
    (
        "encodings_transcoded",
        "13.2-hx-1005-utf8",
        "a document is read in whatever encoding it has",
        edited(_transcoded),
    ),
    (
        "foreign_elements_ignored",
        "13.2-hx-1006-foreign-outside-extension",
        "elements of other vocabularies are ignored wherever they stand",
        told({"HX-1006": ""}),
    ),
    (
        "unclosed_elements_closed",
        "14.6-unparsable-single-report",
        "a document that ends too early is completed",
        edited(_closed),
    ),
    (
        "subworkflow_digest_demanded",
        "3.2.7-subworkflow-digest-recommended",
        "a subworkflow without digest is refused",
        attribute("subworkflow", "digest", required=True),
    ),
    (
        "durations_as_schema_faults",
        "13.2-hx-3401-duration",
        "a duration with months or years is reported as any schema fault",
        told({"HX-3401": "HX-1001"}),
    ),
    (
        "cases_may_be_empty",
        "13.2-hx-2206-no-case",
        "cases may hold no case",
        told({"HX-2206": ""}),
    ),
)
