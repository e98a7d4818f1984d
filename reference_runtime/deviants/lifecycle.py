"""Deviants: wrong lifecycles (§6 to §6.4).

What §6.2 does not list is in ``forbidden``, wrong meanings of states are in ``states``; here are
states that are lost, or entered for another reason than the listed one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from reference_runtime.deviants.deviant import Row, changed, ending, flow
from reference_runtime.deviants.forbidden import FORBIDDEN
from reference_runtime.deviants.states import STATES
from reference_runtime.deviants.trace import pairs
from reference_runtime.document.model import Harness, Node
from reference_runtime.engine.effects import Transition
from reference_runtime.rule_parts.ending import End
from reference_runtime.rules import RULES

__all__ = ["LIFECYCLE", "SERIAL", "UNBREAKABLE_LIFECYCLE"]


def _with_outputs(node: Node, _transition: Transition) -> bool:
    return len(node.outputs) > 1


def _without_noop(harness: Harness) -> Harness:
    """Take nodes for some without step by the name of their step."""
    nodes = (
        replace(node, type="barrier") if node.impl == "noop" else node for node in harness.nodes
    )
    return replace(harness, nodes=tuple(nodes), node_by_id={})


def _failed_with(*states: str) -> dict[str, Any]:
    """Take a run in which nodes ended in each of these states for a failed one."""

    def outcome(end: End) -> str:
        regular = RULES.ending.outcome(end)
        return "failed" if regular == "succeeded" and end.states.issuperset(states) else regular

    return ending(outcome=outcome)


def _guarded_by(condition: str | None) -> Callable[[Harness], Harness]:
    """Read another guard wherever a node has one."""

    def reading(harness: Harness) -> Harness:
        nodes = (
            node if node.guard is None else replace(node, guard=condition) for node in harness.nodes
        )
        return replace(harness, nodes=tuple(nodes), node_by_id={})

    return reading


_ROWS: Final[tuple[Row, ...]] = (
    (
        "unreached_node_cancelled",
        "6.2-pending-cancelled",
        "a node whose incoming edges are all negative is CANCELLED",
        {"unreached": changed(RULES.unreached, lost=("CANCELLED",))},
    ),
    (
        "guards_ignored",
        "6.2-ready-skipped",
        "a node runs whatever its guard says",
        {"reading": _guarded_by(None)},
    ),
    (
        "guarded_nodes_always_skipped",
        "6.2-ready-running",
        "a node with a guard is skipped whatever the guard says",
        {"reading": _guarded_by("${false}")},
    ),
    (
        "second_root_not_started",
        "6.2-pending-ready",
        "the second of several roots stays PENDING",
        flow(entry=lambda entry: RULES.flow.entry(entry) and (entry.named or entry.earlier != 1)),
    ),
    (
        "success_of_producer_not_written",
        "6.2-running-succeeded",
        "the trace leaves out that a node with several outputs has SUCCEEDED",
        {"written": pairs({("RUNNING", "SUCCEEDED"): ()}, _with_outputs)},
    ),
    (
        "ready_nodes_left_ready",
        "6.2-ready-cancelled",
        "READY nodes are left READY when the instance is cancelled or a sibling has won",
        {"written": pairs({("READY", "CANCELLED"): ()})},
    ),
    (
        "failure_cancels_itself",
        "6.2-running-failed",
        "a node without error edge is CANCELLED when its last attempt has failed",
        {"exhausted": lambda _node, error_edges: ("FAILED",) if error_edges else ("CANCELLED",)},
    ),
    (
        "retry_policy_ignored",
        "6.2-running-retrying",
        "a node has one attempt whatever its retry policy says",
        {"attempts": lambda _node: 1},
    ),
    (
        "backoff_ends_in_failure",
        "6.2-retrying-ready",
        "a node whose backoff is over is FAILED",
        {"after_backoff": "FAILED"},
    ),
    (
        "exhausted_node_cancelled",
        "6.2-retrying-failed",
        "a node whose retries are used up ends CANCELLED out of RETRYING",
        {
            "exhausted": lambda node, _error_edges: (
                ("RETRYING", "CANCELLED") if node.retry else ("FAILED",)
            )
        },
    ),
    (
        "retrying_nodes_not_cancelled",
        "6.2-retrying-cancelled",
        "a node that waits out its backoff goes on when the instance is cancelled",
        {"cancellable": changed(RULES.cancellable, RETRYING=frozenset())},
    ),
    (
        "compensation_leaves_no_mark",
        "6.2-succeeded-compensated",
        "a node stays SUCCEEDED although it has been compensated",
        {"written": pairs({("SUCCEEDED", "COMPENSATED"): ()})},
    ),
)

_CAUSES: Final[tuple[Row, ...]] = (
    (
        "handled_failure_undone",
        "6.2-no-compensated-outside-unwinding",
        "a failure that was handled is compensated at the end of the run",
        {"undoes_handled": True},
    ),
    (
        "unprepared_node_waits",
        "6.2-no-retrying-without-retries-left",
        "a node whose preparation fails passes through RETRYING",
        {"unprepared": ("RUNNING", "RETRYING", "FAILED")},
    ),
    (
        "last_attempt_left_out",
        "6.2-no-early-failed",
        "a node has one attempt less than maxAttempts",
        {"attempts": lambda node: max(1, RULES.attempts(node) - 1)},
    ),
    (
        "handled_failure_cancels_ready_nodes",
        "6.2-no-ready-cancelled-in-plain-run",
        "READY nodes are cancelled when the failure of another one is handled",
        {"on_handled": {"READY": "CANCELLED"}},
    ),
    (
        "handled_failure_cancels_running_nodes",
        "6.2-no-running-cancelled-without-cause",
        "RUNNING nodes are cancelled when the failure of another one is handled",
        {"on_handled": {"RUNNING": "CANCELLED"}},
    ),
    (
        "handled_failure_cancels_retrying_nodes",
        "6.2-no-retrying-cancelled-without-instance-cancel",
        "RETRYING nodes are cancelled when the failure of another one is handled",
        {"on_handled": {"RETRYING": "CANCELLED"}},
    ),
    (
        "handled_failure_ends_retries",
        "6.2-no-retrying-failed-while-retry-due",
        "RETRYING nodes fail when the failure of another one is handled",
        {"on_handled": {"RETRYING": "FAILED"}},
    ),
    (
        "unprepared_node_skipped",
        "6.2-no-skip-without-false-guard",
        "a node whose preparation fails is SKIPPED",
        {"unprepared": ("SKIPPED",)},
    ),
    (
        "noop_not_called",
        "6.2-no-succeeded-without-completion",
        "a node whose impl is noop is SUCCEEDED without a call of its step",
        {"reading": _without_noop},
    ),
    (
        "backoff_not_awaited",
        "6.2-no-retrying-ready-before-backoff",
        "a node is READY again without waiting out the backoff",
        {"limit": lambda _retry, _delay: 0.0},
    ),
)

_MEANINGS: Final[tuple[Row, ...]] = (
    (
        "cancels_non_idempotent",
        "6.2.1-no-cancel-of-running-non-idempotent",
        "a RUNNING node is cancelled although it is not idempotent",
        {"cancellable": changed(RULES.cancellable, RUNNING=frozenset({True, False}))},
    ),
    (
        "spared_attempt_not_finished",
        "6.2.1-attempt-finishes-result-discarded",
        "a RUNNING node that may not be cancelled is SUCCEEDED without waiting for its step",
        {"spared": ("SUCCEEDED",)},
    ),
    (
        "skip_is_no_success",
        "6.3-skipped-is-terminal-success",
        "a run in which a node was SKIPPED has failed",
        _failed_with("SKIPPED"),
    ),
    (
        "skip_blocks_successors",
        "6.3-skip-satisfies-control",
        "a SKIPPED node does not satisfy its control edges",
        {"satisfying": changed(RULES.satisfying, control=frozenset({"SUCCEEDED"}))},
    ),
    (
        "skip_blocks_consumers",
        "6.3-skip-satisfies-data-for-scheduling",
        "a SKIPPED node does not satisfy its data edges",
        {"satisfying": changed(RULES.satisfying, data=frozenset({"SUCCEEDED"}))},
    ),
    (
        "skipped_outputs_are_null",
        "6.3-skip-values-unavailable",
        "the outputs of a SKIPPED node are available as null",
        {"skipped_outputs": lambda node: {port.name: None for port in node.outputs}},
    ),
    (
        "error_edge_on_skip",
        "6.3-skip-takes-no-error-edge",
        "a SKIPPED node traverses its error edges",
        {"error_edges_on": frozenset({"FAILED", "SKIPPED"})},
    ),
    (
        "unreached_target_cancelled",
        "6.4-unreached-stays-pending",
        "the untaken target of a decision is CANCELLED",
        {"unreached": changed(RULES.unreached, unchosen=("CANCELLED",))},
    ),
    (
        "pending_is_a_failure",
        "6.4-pending-not-a-failure",
        "a run that SKIPPED a node has failed when it leaves another one PENDING",
        _failed_with("SKIPPED", "PENDING"),
    ),
    (
        "unreached_node_satisfies_control",
        "6.4-pending-successors-not-reached",
        "a node that was not reached satisfies its control edges",
        flow(vacuous=frozenset({"control"})),
    ),
    (
        "cancellation_satisfies_control",
        "6.4-cancelled-successors-not-reached",
        "a CANCELLED node satisfies its control edges",
        {
            "satisfying": changed(
                RULES.satisfying, control=RULES.satisfying["control"] | {"CANCELLED"}
            )
        },
    ),
    (
        "skip_is_cancellation",
        "6.4-three-outcomes-distinguished",
        "a node whose guard is false is CANCELLED",
        {"written": pairs({("READY", "SKIPPED"): (("READY", "CANCELLED"),)})},
    ),
    (
        "waiting_siblings_cancelled",
        "6.4-cancelled-means-stopped",
        "nodes of a losing branch that were not reached are CANCELLED",
        {"losing": RULES.losing | {"PENDING"}},
    ),
)

#: Deviants that show themselves only while few steps may be open: nodes wait in READY.
SERIAL: Final = frozenset(
    {
        "handled_failure_cancels_ready_nodes",
        "ready_nodes_left_ready",
        "ready_nodes_rolled_back",
    }
)

LIFECYCLE: Final[tuple[Row, ...]] = (
    *STATES,
    *_ROWS,
    *_CAUSES,
    *FORBIDDEN,
    *_MEANINGS,
)

#: Requirement → why no runtime can break it so that a scenario fails.
UNBREAKABLE_LIFECYCLE: Final[Mapping[str, str]] = {
    "6.1-pending-meaning": "a node that begins in another state leaves one that it is not in, "
    "which 6-one-state-at-a-time names",
    "6.1-ready-meaning": "a node that runs without having been READY makes an unlisted step, which "
    "6.2-no-pending-running names",
    "6.1-running-meaning": "a node that ends without having been RUNNING makes an unlisted step, "
    "which 6.2-no-ready-succeeded names; calls of nodes that are not RUNNING are refused by the "
    "protocol",
    "6.2.1-protects-running-only": "the sentence is a permission: a runtime that lets a READY node "
    "run on does not break it, and one that starts a PENDING node breaks its join first",
    "6.2-only-listed-transitions": "every unlisted pair of states has a requirement of its own, "
    "and states of a runtime's own are refused by the protocol",
}
