"""Deviants: wrong security, subworkflows, metadata and reports (chapters 9, 11, 12 and 14)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from reference_runtime.deviants.deviant import Row, changed, children, data, surroundings
from reference_runtime.deviants.gates import edited, element
from reference_runtime.document.grammar import ELEMENTS
from reference_runtime.document.model import Harness, Node, Security
from reference_runtime.engine.effects import Transition
from reference_runtime.rule_parts.children import digest_matches
from reference_runtime.rule_parts.surroundings import denials
from reference_runtime.rules import RULES

__all__ = ["AROUND"]

_CODES: Final = RULES.surroundings.codes

#: §9.3, from the lowest to the highest.
_LABELS: Final = ("public", "internal", "confidential", "restricted")


def _denied(*kinds: str, **others: str) -> dict[str, Any]:
    """Let some denials have no effect, others another code."""
    kept = {kind: code for kind, code in _CODES.items() if kind not in kinds}
    return surroundings(codes={**kept, **others})


def _document_wins(whole: Security | None, own: Security | None) -> Security | None:
    return RULES.surroundings.in_force(own, whole)


def _lower(artifact: str | None, reader: str | None) -> str | None:
    if artifact is None or reader is None:
        return artifact
    return min(artifact, reader, key=_LABELS.index)


def _first_permission(security: Security) -> tuple[tuple[str, str], ...]:
    return denials(replace(security, permissions=security.permissions[:1]))


def _without_code(node: Node, entry: Transition) -> tuple[Transition, ...]:
    """Tell the code of a failure only where a step can report one."""
    if entry.to != "FAILED" or node.impl is not None:
        return (entry,)
    return (entry._replace(code=None),)


def _without_loose_edges(harness: Harness) -> Harness:
    """Leave out edges that lead nowhere."""
    known = harness.node_by_id
    kept = tuple(edge for edge in harness.edges if {edge.source, edge.target} <= known.keys())
    return replace(harness, edges=kept, node_by_id={})


def _tagged(tag: bytes, edit: Callable[[bytes], bytes]) -> dict[str, Any]:
    """Edit documents that have a tag."""
    return edited(lambda document: edit(document) if b"<tag>" + tag in document else document)


def _blank(pattern: bytes) -> Callable[[bytes], bytes]:
    return lambda document: re.sub(pattern, b"", document)


_SECURITY: Final[tuple[Row, ...]] = (
    (
        "document_security_wins",
        "11.2-node-security-overrides-document",
        "what the document says of security wins over what a node says",
        surroundings(in_force=_document_wins),
    ),
    (
        "document_security_not_inherited",
        "11.2-node-security-overrides-document",
        "a node that says nothing of security has none",
        surroundings(in_force=lambda _whole, own: own),
    ),
    (
        "own_identity_as_fallback",
        "11.3-unresolvable-principal-fails",
        "a step whose principal cannot be resolved acts as the runtime",
        _denied("principal"),
    ),
    (
        "denial_is_generic",
        "11.4-denial-is-distinguishable",
        "a denied permission has the code of an unresolved principal",
        _denied(permission="HX-4201"),
    ),
    (
        "only_first_permission",
        "11.4-denial-is-distinguishable",
        "only the first permission of a node is looked at",
        surroundings(denials=_first_permission),
    ),
    (
        "isolation_lowered",
        "11.6-isolation-not-downgraded",
        "a step runs without the isolation that it names",
        _denied("isolation"),
    ),
    (
        "secrets_told",
        "11.7-no-secret-in-trace",
        "what a step says of its failure is told as it is",
        surroundings(told=lambda text, _secrets: text),
    ),
    (
        "unsigned_documents_run",
        "11.8-bad-signature-refused",
        "a document without a good signature runs where one is required",
        surroundings(unsigned_refused=False),
    ),
    (
        "label_of_the_reader_wins",
        "9.3-classification-not-downgraded",
        "an artifact has the classification of the node that reads it when that is lower",
        surroundings(label=_lower),
    ),
    (
        "digests_not_compared",
        "9.2.1-digest-mismatch-fails",
        "an artifact is used whatever its digest",
        surroundings(verifies=lambda _artifact: False),
    ),
    (
        "resources_not_resolved",
        "9.1.3-resolution-before-execution",
        "resources are left to the steps",
        data(preparation=("guard", "inputs", "artifacts")),
    ),
)

_CHILDREN: Final[tuple[Row, ...]] = (
    (
        "subworkflow_digest_ignored",
        "14.2-hx-4109-subworkflow",
        "the digest of a subworkflow is not compared",
        children(intact=lambda _document, _digest: True),
    ),
    (
        "missing_subworkflow_succeeds",
        "14.2-hx-4109-subworkflow",
        "a subworkflow that cannot be loaded counts as done",
        children(missing="SUCCEEDED"),
    ),
    (
        "missing_subworkflow_is_an_input",
        "14.2-hx-4109-subworkflow",
        "a subworkflow that cannot be loaded has the code of an unresolved resource",
        {"codes": changed(RULES.codes, subworkflow="HX-4102")},
    ),
    (
        "subworkflow_digest_demanded_at_run",
        "3.2.7-subworkflow-digest-recommended",
        "a subworkflow without digest fails its node",
        children(intact=lambda text, digest: digest is not None and digest_matches(text, digest)),
    ),
    (
        "invalid_subworkflow_runs",
        "5.1-invalid-document-not-executed",
        "a document inside is executed although it has faults",
        {**children(validates=False), "reading": _without_loose_edges},
    ),
    (
        "inner_failure_never_ends",
        "5.7-complete-when-nothing-can-move",
        "a subworkflow node whose document has failed stays RUNNING",
        children(ends=lambda outcome: outcome == "succeeded"),
    ),
)

_REPORTS: Final[tuple[Row, ...]] = (
    (
        "timeout_as_operation",
        "14.2-hx-4108-timeout",
        "a step that takes too long has the code of an invalid operation",
        {"codes": changed(RULES.codes, timeout="HX-4106")},
    ),
    (
        "compensation_as_operation",
        "14.2-hx-4110-compensation",
        "a failed compensation has the code of an invalid operation",
        {"codes": changed(RULES.codes, compensation="HX-4106")},
    ),
    (
        "codes_of_steps_only",
        "14.4-runtime-report-content",
        "a failure has its code only where a node calls a step",
        {"written": _without_code},
    ),
)

_METADATA: Final[tuple[Row, ...]] = (
    (
        "retries_off_by_tag",
        "12.1-metadata-no-effect",
        "a document with the tag no-retries repeats nothing",
        _tagged(b"no-retries", _blank(rb"<retry\b[^>]*/>")),
    ),
    (
        "one_source_only",
        "12.2-provenance-accepted",
        "provenance names one source at most",
        element(
            "provenance",
            children=tuple(replace(one, many=False) for one in ELEMENTS["provenance"].children),
        ),
    ),
    (
        "provenance_in_any_order",
        "12.2-provenance-accepted",
        "the parts of provenance may come in any order",
        element("provenance", ordered=False),
    ),
    (
        "signature_demanded_in_provenance",
        "12.2-provenance-accepted",
        "provenance without generator and signature is refused",
        element(
            "provenance",
            children=tuple(replace(one, required=True) for one in ELEMENTS["provenance"].children),
        ),
    ),
)

AROUND: Final[tuple[Row, ...]] = (*_SECURITY, *_CHILDREN, *_REPORTS, *_METADATA)
