"""Deviants: further ways to be wrong, each as an engine of some language comes by it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from reference_runtime.deviants.deviant import (
    Row,
    changed,
    children,
    data,
    edges,
    language,
    loops,
    nodes,
    surroundings,
    waits,
)
from reference_runtime.deviants.gates import defaulted
from reference_runtime.document.model import Edge, Harness, Node, Port
from reference_runtime.expressions.language import LANGUAGE
from reference_runtime.expressions.values import ExpressionError, Value
from reference_runtime.rule_parts.children import digest_matches
from reference_runtime.rules import RULES

__all__ = ["FURTHER"]

#: Seconds that nobody waits.
_FOR_EVER: Final = 1e9

#: Seconds that 64 bits of nanoseconds hold.
_OVERFLOW: Final = 2**63 / 1e9

_LABELS: Final = ("public", "internal", "confidential", "restricted")


def _human_limits_fail(_harness: Harness, node: Node) -> Node:
    if node.type != "human" or node.timeout is None:
        return node
    return replace(node, timeout=replace(node.timeout, on_timeout="fail"))


def _silent_humans(_harness: Harness, node: Node) -> Node:
    return replace(node, outputs=()) if node.type == "human" else node


def _lower_readers_fail(harness: Harness, node: Node) -> Node:
    """Let a node fail that reads an artifact above its own classification."""
    labels = {item.id: item.classification for item in harness.artifacts}
    own = node.security.classification if node.security else None
    read = [labels.get(reference.ref) for reference in node.artifact_refs]
    if own is None or all(_LABELS.index(one or own) <= _LABELS.index(own) for one in read):
        return node
    return replace(node, inputs=(*node.inputs, Port("clearance")))


def _last_branch(harness: Harness, edge: Edge) -> Edge:
    if harness.node_by_id[edge.source].type != "parallel":
        return edge
    last = next(one for one in reversed(harness.edges) if one.source == edge.source)
    return edge if edge is last else replace(edge, condition="${false}")


def _conditions_once(harness: Harness, edge: Edge) -> Edge:
    """Take a condition on a branch for one on all that follow it."""
    if harness.node_by_id[edge.source].type != "parallel":
        return edge
    own = [one for one in harness.edges if one.source == edge.source and one.condition]
    return replace(edge, condition=own[0].condition) if own else edge


def _order_as_texts(sign: str, left: Value, right: Value) -> bool:
    if isinstance(left, str) != isinstance(right, str) and left is not None and right is not None:
        return LANGUAGE.order(sign, str(left), str(right))
    return LANGUAGE.order(sign, left, right)


def _order_never(sign: str, left: Value, right: Value) -> bool:
    """Let an ordering that fails be true where it is negated: neither less nor equal."""
    try:
        return LANGUAGE.order(sign, left, right)
    except ExpressionError:
        return sign in {"<=", ">="}


def _truth_but_null(value: Value) -> bool | None:
    return None if value is None else bool(value)


def _one_is_true(value: Value) -> bool | None:
    if value in (0, 1) and isinstance(value, int):
        return bool(value)
    return LANGUAGE.truth(value)


def _null_is_true(value: Value) -> bool | None:
    return True if value is None else LANGUAGE.truth(value)


def _known_algorithm(document: bytes, digest: str | None) -> bool:
    """Compare what begins alike: a digest of the same algorithm and the same first digit."""
    return digest is None or digest_matches(document, digest) or digest.startswith("sha256:")


FURTHER: Final[tuple[Row, ...]] = (
    (
        "delay_overflows",
        "8.1.1-clamp-to-max-delay",
        "a delay is computed in 64 bits of nanoseconds before it is limited",
        {
            "limit": lambda retry, delay: RULES.limit(retry, delay if delay < _OVERFLOW else 0),
        },
    ),
    (
        "limit_of_first_attempt_only",
        "8.2-timeout-per-attempt",
        "only the first attempt has a time limit",
        {"time_limit": lambda duration, since: _FOR_EVER if since else duration},
    ),
    (
        "human_limit_always_fails",
        "8.2-on-timeout-skip",
        "a human node that is not answered in time fails",
        nodes(_human_limits_fail),
    ),
    (
        "human_answers_dropped",
        "3.2.10-human-blocks-until-decided",
        "what people answer is not bound to outputs",
        nodes(_silent_humans),
    ),
    (
        "lower_reader_fails",
        "9.3-classification-not-downgraded",
        "a node fails that reads an artifact above its classification",
        nodes(_lower_readers_fail),
    ),
    (
        "parallel_last_branch_only",
        "3.2.6-parallel-releases-every-branch",
        "a parallel releases its last branch only",
        edges(_last_branch),
    ),
    (
        "condition_of_one_branch_for_all",
        "3.2.6-parallel-releases-every-branch",
        "the condition on one branch of a parallel counts for all of them",
        edges(_conditions_once),
    ),
    (
        "one_instance_per_document",
        "1.7-instance-has-own-identity-states-values",
        "a document inside is executed once in a run, and a second node of it fails",
        children(repeats=False),
    ),
    (
        "digest_of_known_algorithm_passes",
        "14.2-hx-4109-subworkflow",
        "of the digest of a subworkflow only the algorithm is looked at",
        children(intact=_known_algorithm),
    ),
    (
        "order_as_texts",
        "10.5-incompatible-ordering-fails",
        "a text and something else are ordered as texts",
        language(order=_order_as_texts),
    ),
    (
        "order_error_is_not_less",
        "10.5-incompatible-ordering-fails",
        "values that have no order are neither less nor greater, hence equal",
        language(order=_order_never),
    ),
    (
        "truth_but_null",
        "10.7-null-condition-fails",
        "a condition that is no boolean is true unless it is empty, and null fails",
        language(truth=_truth_but_null),
    ),
    (
        "one_and_zero_are_booleans",
        "10.7-null-condition-fails",
        "1 and 0 are booleans",
        language(truth=_one_is_true),
    ),
    (
        "null_is_true",
        "10.7-null-condition-fails",
        "a condition that is null is taken for one that is not there",
        language(truth=_null_is_true),
    ),
    (
        "unresolved_is_word",
        "10.7-unresolved-is-null",
        "an output that is not there yields a word of the host language",
        language(unresolved="undefined"),
    ),
    (
        "denial_stays_silent",
        "11.4-denial-is-distinguishable",
        "a denied permission fails the node without a code of its own",
        surroundings(codes=changed(RULES.surroundings.codes, permission="HX-4106")),
    ),
    (
        "references_ignore_case",
        "10.3-node-port-reference",
        "a reference finds an output whose name differs in case",
        data(
            named=lambda outputs, port: {k.lower(): v for k, v in outputs.items()}.get(port.lower())
        ),
    ),
    (
        "last_output_of_any_name",
        "10.3-node-port-reference",
        "a reference to an output yields the last output of its node",
        data(named=lambda outputs, _port: next(reversed(outputs.values()), None)),
    ),
    (
        "until_hears_first_source_only",
        "3.2.9-wait-until-blocks",
        "an expression is evaluated again after news of the first node that it reads",
        waits(looks_again=lambda places: places[:1]),
    ),
    (
        "until_hears_last_source_only",
        "3.2.9-wait-until-blocks",
        "an expression is evaluated again after news of the last node that it reads",
        waits(looks_again=lambda places: places[-1:]),
    ),
    (
        "coalesce_rescues_errors",
        "10.4-coalesce",
        "a ?? b yields b when a cannot be evaluated",
        language(rescues=True),
    ),
    (
        "secret_told_within_text",
        "11.7-no-secret-in-trace",
        "a secret is left out only where it is the whole text",
        surroundings(told=lambda text, secrets: "***" if text in secrets else text),
    ),
    (
        "secret_told_the_second_time",
        "11.7-no-secret-in-trace",
        "a secret is left out of a text once only",
        surroundings(
            told=lambda text, secrets: next(
                (text.replace(one, "***", 1) for one in secrets if one in text), text
            )
        ),
    ),
    (
        "backoff_defaults_to_none",
        "8.1.1-delay-formulas",
        "a retry policy without backoff does not wait",
        defaulted("retry", "backoff", "none"),
    ),
    (
        "backoff_defaults_to_fixed",
        "8.1.1-delay-formulas",
        "a retry policy without backoff waits as long before each attempt",
        defaulted("retry", "backoff", "fixed"),
    ),
    (
        "delay_defaults_to_five_seconds",
        "8.1.1-delay-formulas",
        "a retry policy without initialDelay waits five seconds",
        defaulted("retry", "initialDelay", "PT5S"),
    ),
    (
        "multiplier_defaults_to_one",
        "8.1.1-delay-formulas",
        "a retry policy without multiplier has one of 1",
        defaulted("retry", "multiplier", "1"),
    ),
    (
        "timeout_defaults_to_retry",
        "3.1-attribute-defaults",
        "a timeout without onTimeout is retried",
        defaulted("timeout", "onTimeout", "retry"),
    ),
    (
        "item_failure_defaults_to_continue",
        "6.5-fail-policy",
        "a loop without onItemFailure goes on after a failure",
        defaulted("loop", "onItemFailure", "continue"),
    ),
    (
        "concurrency_defaults_to_many",
        "5.4-sequential-iterations-in-order",
        "a loop without maxConcurrency runs iterations together",
        defaulted("loop", "maxConcurrency", "9"),
    ),
    (
        "over_sorted",
        "5.4-sequential-iterations-in-order",
        "a loop iterates over the sorted list",
        loops(elements=lambda items: sorted(items, key=repr)),
    ),
)
