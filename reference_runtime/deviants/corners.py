"""Deviants: right in the middle, and wrong at an edge that few documents come to."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any, Final

from reference_runtime.deviants.deviant import (
    Row,
    changed,
    data,
    edges,
    loops,
    nodes,
    surroundings,
    waits,
)
from reference_runtime.document.model import Edge, Harness, Node
from reference_runtime.rule_parts.surroundings import without_secrets
from reference_runtime.rules import RULES

__all__ = ["CORNERS"]

_DAY: Final = 86_400.0

#: Seconds that a jittered delay has at least, and that no delay exceeds.
_FLOOR: Final = 1.0
_CEILING: Final = 1800.0

#: Iterations that no loop exceeds.
_ITERATIONS: Final = 100


class _Repeating:
    """Leaves secrets out of what a node says only where it has no retry policy."""

    def __init__(self) -> None:
        self._repeats = False

    def attempts(self, node: Node) -> int:
        """Take note of whose attempt has failed."""
        self._repeats = node.retry is not None
        return RULES.attempts(node)

    def told(self, text: str, secrets: Collection[str]) -> str:
        """Tell what it has said."""
        return text if self._repeats else without_secrets(text, secrets)


_REPEATING: Final = _Repeating()


def _at_once(_harness: Harness, node: Node) -> Node:
    if node.retry is None or node.timeout is None or node.timeout.on_timeout != "retry":
        return node
    return replace(node, retry=replace(node.retry, backoff="none"))


def _counts_test(_harness: Harness, node: Node) -> Node:
    """Let an until loop that may have one iteration need two."""
    loop = node.loop
    if loop is None or loop.kind != "until" or loop.max_iterations > 1:
        return node
    return replace(node, loop=replace(loop, kind="times", count=2))


def _runs(harness: Harness, node: Node) -> list[Node]:
    """Loops whose body a node is."""
    return [one for one in harness.nodes if one.loop and one.loop.body == node.id]


def _once_inside(harness: Harness, node: Node) -> Node:
    nested = any(_runs(harness, loop) for loop in _runs(harness, node))
    return replace(node, retry=None) if nested else node


def _breaks_inside(harness: Harness, node: Node) -> Node:
    if node.loop is None or node.loop.on_item_failure != "continue" or not _runs(harness, node):
        return node
    return replace(node, loop=replace(node.loop, on_item_failure="break"))


def _unlimited_together(harness: Harness, node: Node) -> Node:
    together = any(one.loop and one.loop.max_concurrency > 1 for one in _runs(harness, node))
    return replace(node, timeout=None) if together else node


def _not_undone(spared: Callable[[Node, Node], bool]) -> dict[str, Any]:
    """Never follow some compensation edges, by the node that is undone and the one that undoes."""

    def change(harness: Harness, edge: Edge) -> Edge:
        ends = harness.node_by_id[edge.source], harness.node_by_id[edge.target]
        if edge.type != "compensation" or not spared(*ends):
            return edge
        return replace(edge, condition="${false}")

    return edges(change)


CORNERS: Final[tuple[Row, ...]] = (
    (
        "jitter_waits_a_second_at_least",
        "8.1.1-jitter-applied",
        "a jittered delay has at least a second, also where maxDelay is shorter",
        {"jitter": lambda random, delay: max(_FLOOR, RULES.jitter(random, delay))},
    ),
    (
        "delay_has_a_ceiling",
        "8.1.1-delay-formulas",
        "no delay is longer than half an hour",
        {"limit": lambda retry, delay: min(RULES.limit(retry, delay), _CEILING)},
    ),
    (
        "forced_retry_does_not_wait",
        "8.1.1-delay-formulas",
        "a node whose time limit asks for a retry has it without delay",
        nodes(_at_once),
    ),
    (
        "limits_lost_side_by_side",
        "8.2-timeout-per-attempt",
        "a body that runs side by side with itself has no time limit",
        nodes(_unlimited_together),
    ),
    (
        "wait_without_days",
        "3.2.9-wait-duration-blocks",
        "of the duration of a wait the days are left out",
        waits(lasts=lambda duration, _now: duration % _DAY),
    ),
    (
        "wait_in_whole_seconds",
        "3.2.9-wait-duration-blocks",
        "of the duration of a wait only whole seconds count",
        waits(lasts=lambda duration, _now: float(int(duration))),
    ),
    (
        "continue_needs_majority",
        "6.5-continue-some-succeed",
        'onItemFailure="continue" fails the loop when more iterations fail than succeed',
        loops(
            item_failure=changed(
                RULES.loops.item_failure,
                **{
                    "continue": RULES.loops.item_failure["continue"]._replace(
                        result=lambda good, bad: "FAILED" if bad > good else "SUCCEEDED"
                    )
                },
            )
        ),
    ),
    (
        "inner_loop_breaks",
        "6.5-continue-all-fail",
        "a loop inside of a loop breaks off at a failure instead of going on",
        nodes(_breaks_inside),
    ),
    (
        "single_attempt_in_inner_loops",
        "8.1-max-attempts-counts-first",
        "the body of an inner loop has one attempt whatever its retry policy says",
        nodes(_once_inside),
    ),
    (
        "loops_have_a_ceiling",
        "7.2.1-exact-bound-allowed",
        "a loop that needs more than a hundred iterations fails, whatever its own bound",
        loops(limit=lambda loop, _earlier: min(loop.max_iterations, _ITERATIONS)),
    ),
    (
        "until_counts_its_test",
        "7.2.1-exact-bound-allowed",
        "an until loop that may have one iteration fails after it",
        nodes(_counts_test),
    ),
    (
        "non_idempotent_not_undone",
        "8.4.1-compensate-succeeded-with-edge",
        "a node that is not idempotent is not compensated",
        _not_undone(lambda source, _target: not source.idempotent),
    ),
    (
        "non_idempotent_does_not_undo",
        "8.4.1-compensate-succeeded-with-edge",
        "a node that is not idempotent does not compensate",
        _not_undone(lambda _source, target: not target.idempotent),
    ),
    (
        "repeatable_not_undone",
        "8.4.1-compensate-succeeded-with-edge",
        "a node with a retry policy is not compensated",
        _not_undone(lambda source, _target: source.retry is not None),
    ),
    (
        "last_resource_resolved_only",
        "9.1.3-resolution-before-execution",
        "of the resources of a node only the last one is resolved",
        nodes(lambda _harness, node: replace(node, resource_refs=node.resource_refs[-1:])),
    ),
    (
        "first_artifact_compared_only",
        "9.2.1-digest-mismatch-fails",
        "of the artifacts of a node only the first one is compared with its digest",
        nodes(lambda _harness, node: replace(node, artifact_refs=node.artifact_refs[:1])),
    ),
    (
        "secret_given_by_name",
        "11.7-no-secret-in-trace",
        "an input without a value that is called like a resource has its secret",
        data(input_sources=lambda linked: (*RULES.data.input_sources(linked), "credential")),
    ),
    (
        "secret_told_as_class",
        "11.7-no-secret-in-trace",
        "a secret is left out of messages, and not of the classes of failures",
        surroundings(
            told=lambda text, secrets: without_secrets(text, secrets) if " " in text else text
        ),
    ),
    (
        "first_secret_left_out_only",
        "11.7-no-secret-in-trace",
        "of several secrets only the first one is left out",
        surroundings(told=lambda text, secrets: without_secrets(text, list(secrets)[:1])),
    ),
    (
        "secret_told_of_repeatable_node",
        "11.7-no-secret-in-trace",
        "what a node with a retry policy says of its failure is told as it is",
        {"attempts": _REPEATING.attempts, **surroundings(told=_REPEATING.told)},
    ),
)
