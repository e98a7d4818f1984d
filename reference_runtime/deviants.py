"""Deviants: the reference runtime wrong in exactly one way each, to measure the corpus.

A deviant is one replacement in ``RULES`` and breaks one requirement. Every name below is an
attribute of this module, so that ``adapter:reference_runtime.deviants:quorum_off_by_one`` runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from reference_runtime.adapter import Interactive
from reference_runtime.rules import RULES, Rules

__all__ = ["DEVIANTS", "Deviant"]


@dataclass(frozen=True, slots=True)
class Deviant:
    """A runtime with one fault.

    Attributes:
        name: attribute of this module.
        requirement: id in the ledger of what it breaks; killed means that some scenario's
            first divergence cites it.
        description: what it does wrong.
        rules: its semantics.
    """

    name: str
    requirement: str
    description: str
    rules: Rules


def _with(table: Mapping[Any, Any], **rows: Any) -> dict[Any, Any]:
    """Copy a table with other rows."""
    return {**table, **rows}


_SUCCEEDED: Final = frozenset({"SUCCEEDED"})

_TABLE: Final[tuple[tuple[str, str, str, dict[str, Any]], ...]] = (
    (
        "quorum_off_by_one",
        "5.3.1-quorum-not-below-count",
        "a quorum join is READY when one satisfied edge is still missing",
        {"met": _with(RULES.met, quorum=lambda tally: tally.satisfied >= max(1, tally.quorum - 1))},
    ),
    (
        "any_waits_for_all",
        "5.3.1-any-fires-on-first",
        "an any join waits until every edge is resolved",
        {"met": _with(RULES.met, any=RULES.met["all"])},
    ),
    (
        "any_does_not_cancel",
        "5.3.2-any-cancels-exclusive-running-siblings",
        "the losing branches of an any join go on",
        {"cancelling": frozenset()},
    ),
    (
        "any_cancels_shared_branches",
        "5.3.2-any-spares-branches-with-other-targets",
        "an any join also cancels branches that lead to other nodes",
        {"spares_shared": False},
    ),
    (
        "quorum_cancels",
        "5.3.2-no-cancellation-for-all-or-quorum",
        "a satisfied quorum cancels the remaining branches",
        {"cancelling": frozenset({"any", "quorum"})},
    ),
    (
        "cancels_non_idempotent",
        "6.2.1-no-cancel-of-running-non-idempotent",
        "a RUNNING node is cancelled although it is not idempotent",
        {"cancellable": _with(RULES.cancellable, RUNNING=frozenset({True, False}))},
    ),
    (
        "late_answer_completes",
        "6.2-no-leaving-cancelled",
        "a CANCELLED node goes on when the answer of its step arrives",
        {
            "late_answers": True,
            "legal": _with(RULES.legal, CANCELLED=frozenset({"SUCCEEDED", "FAILED", "RETRYING"})),
        },
    ),
    (
        "skip_blocks_successors",
        "6.3-skip-satisfies-control",
        "a SKIPPED node does not satisfy its control edges",
        {"satisfying": _with(RULES.satisfying, control=_SUCCEEDED)},
    ),
    (
        "untaken_branch_skipped",
        "5.3.3-untaken-branch-nodes-never-enter-ready",
        "the untaken target of a decision becomes SKIPPED, and its successors run",
        {"unreached": _with(RULES.unreached, unchosen=("READY", "SKIPPED"))},
    ),
    (
        "untaken_decision_target_runs",
        "7.1.3-exactly-one-successor",
        "a decision gives control to all of its targets",
        {"routes": lambda _chosen, _target: True},
    ),
    (
        "decision_target_not_gated",
        "5.3.3-case-target-unreachable-despite-other-edges",
        "a case target that was not chosen runs through another edge",
        {"gated": False},
    ),
    (
        "negative_blocks_all_join",
        "5.3-negative-does-not-block",
        "an all join with a negative edge is never READY",
        {
            "met": _with(
                RULES.met, all=lambda tally: not (tally.open or tally.negative) and tally.satisfied
            )
        },
    ),
    (
        "all_negative_runs",
        "5.3.1-all-needs-one-satisfied",
        "an all join is READY when all of its edges are negative",
        {"met": _with(RULES.met, all=lambda tally: not tally.open)},
    ),
    (
        "unreachable_does_not_negate",
        "5.3.3-unreachable-node-negates-outgoing",
        "the edges of an unreachable node stay undecided",
        {"negates": lambda _length: False},
    ),
    (
        "unreachable_does_not_propagate",
        "5.3.3-propagates-recursively",
        "unreachability reaches the next node but not the one behind it",
        {"negates": lambda length: length <= 1},
    ),
    (
        "failure_releases_control",
        "5.8-failed-node-does-not-release-control",
        "a FAILED node satisfies its control edges",
        {
            "satisfying": _with(
                RULES.satisfying, control=frozenset({"SUCCEEDED", "SKIPPED", "FAILED"})
            )
        },
    ),
    (
        "dependency_needs_success",
        "4.3-dependency-on-failed",
        "a dependency edge waits for success like a control edge",
        {"satisfying": _with(RULES.satisfying, dependency=RULES.satisfying["control"])},
    ),
    (
        "retry_counts_retries",
        "8.1-max-attempts-counts-first",
        "maxAttempts is taken as the number of retries after the first attempt",
        {"attempts": lambda node: RULES.attempts(node) + bool(node.retry and node.idempotent)},
    ),
    (
        "retry_ignores_classes",
        "8.1.2-retry-on-limits-classes",
        "every failure is retried whatever retryOn lists",
        {"retryable": lambda _retry, _error_class: True},
    ),
    (
        "fixed_backoff_multiplied",
        "8.1.1-delay-formulas",
        "a fixed backoff is multiplied like the others",
        {
            "backoff": _with(
                RULES.backoff, fixed=lambda retry, _attempt: retry.initial_delay * retry.multiplier
            )
        },
    ),
    (
        "retrying_to_running",
        "8.1.1-backoff-none-keeps-states",
        "a retry goes from RETRYING to RUNNING without being READY",
        {
            "after_backoff": "RUNNING",
            "legal": _with(RULES.legal, RETRYING=RULES.legal["RETRYING"] | {"RUNNING"}),
        },
    ),
    (
        "error_edge_on_first_failure",
        "5.8-only-after-retries-exhausted",
        "error edges are traversed at the first failed attempt",
        {"error_edges_on": frozenset({"RETRYING", "FAILED"})},
    ),
    (
        "error_edge_on_skip",
        "6.3-skip-takes-no-error-edge",
        "a SKIPPED node traverses its error edges",
        {"error_edges_on": frozenset({"FAILED", "SKIPPED"})},
    ),
    (
        "error_edge_does_not_handle",
        "5.8-handled-failure-continues",
        "a failure with an error edge still ends the run",
        {"handled": lambda _error_edges: False},
    ),
    (
        "guard_after_inputs",
        "5.5-guard-evaluated-first",
        "inputs are resolved before the guard is evaluated",
        {"preparation": ("inputs", "guard", "resources", "artifacts")},
    ),
    (
        "null_for_missing_input",
        "5.5-required-input-without-value-fails",
        "a required input without a value is null instead of a failure",
        {"null_for_missing": True},
    ),
)

DEVIANTS: Final[dict[str, Deviant]] = {
    name: Deviant(name, requirement, description, replace(RULES, **changes))
    for name, requirement, description, changes in _TABLE
}


def __getattr__(name: str) -> Interactive:
    """Adapter of a deviant."""
    if name not in DEVIANTS:
        raise AttributeError(
            f"module {__name__!r} has no deviant {name!r}; there are {', '.join(DEVIANTS)}"
        )
    return Interactive(rules=DEVIANTS[name].rules)
