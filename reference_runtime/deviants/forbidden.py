"""Deviants: transitions that §6.2 does not list, one deviant for each forbidden neighbour."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from reference_runtime.deviants.deviant import Row, changed
from reference_runtime.deviants.trace import pairs, types
from reference_runtime.document.model import Node
from reference_runtime.engine.effects import Transition
from reference_runtime.rules import RULES

__all__ = ["FORBIDDEN"]


def _may(**further: str) -> dict[str, Any]:
    """Make a further state legal after some states."""
    rows = {from_: RULES.legal[from_] | {to} for from_, to in further.items()}
    return {"legal": changed(RULES.legal, **rows)}


def _started_by_any(node: Node, transition: Transition) -> bool:
    first = (transition.attempt or 1) == 1
    return first and node.join_policy == "any" and node.guard is None


def _joins_by_quorum(node: Node, _transition: Transition) -> bool:
    return node.join_policy == "quorum"


def _undoing(*states: str) -> dict[str, Any]:
    """Compensate nodes that have ended in other states, too."""
    compensable = RULES.ending.compensable | set(states)
    return {"ending": replace(RULES.ending, compensable=compensable)}


_PENDING: Final[tuple[Row, ...]] = (
    (
        "any_join_starts_at_once",
        "6.2-no-pending-running",
        "an any join goes from PENDING to RUNNING when its first edge is satisfied",
        {
            "written": pairs(
                {
                    ("PENDING", "READY"): (),
                    ("READY", "RUNNING"): (("PENDING", "RUNNING"),),
                    ("READY", "CANCELLED"): (("PENDING", "CANCELLED"),),
                },
                _started_by_any,
            )
        },
    ),
    (
        "unchosen_target_skipped_unreached",
        "6.2-no-pending-skipped",
        "the untaken target of a decision goes from PENDING to SKIPPED",
        {"unreached": changed(RULES.unreached, unchosen=("SKIPPED",)), **_may(PENDING="SKIPPED")},
    ),
    (
        "starved_consumer_fails_unreached",
        "6.2-no-pending-failed",
        "a node whose required value nobody will produce goes from PENDING to FAILED",
        {"unreached": changed(RULES.unreached, starved=("FAILED",)), **_may(PENDING="FAILED")},
    ),
    (
        "barrier_completes_unscheduled",
        "6.2-no-pending-succeeded",
        "a parallel or a barrier goes from PENDING to SUCCEEDED",
        {
            "written": pairs(
                {
                    ("PENDING", "READY"): (),
                    ("READY", "RUNNING"): (),
                    ("RUNNING", "SUCCEEDED"): (("PENDING", "SUCCEEDED"),),
                },
                types("parallel", "barrier"),
            )
        },
    ),
    (
        "unreached_nodes_rolled_back",
        "6.2-no-pending-retrying-or-compensated",
        "unwinding marks nodes that never ran as COMPENSATED",
        {
            "at_end": lambda outcome: ("COMPENSATED",) if outcome == "compensated" else (),
            **_may(PENDING="COMPENSATED"),
        },
    ),
)

_READY: Final[tuple[Row, ...]] = (
    (
        "decision_completes_without_running",
        "6.2-no-ready-succeeded",
        "a decision goes from READY to SUCCEEDED",
        {
            "written": pairs(
                {
                    ("READY", "RUNNING"): (),
                    ("RUNNING", "SUCCEEDED"): (("READY", "SUCCEEDED"),),
                    ("RUNNING", "FAILED"): (("READY", "RUNNING"), ("RUNNING", "FAILED")),
                },
                types("decision"),
            )
        },
    ),
    (
        "unprepared_node_fails_without_running",
        "6.2-no-ready-failed",
        "a node whose preparation fails goes from READY to FAILED",
        {"unprepared": ("FAILED",), **_may(READY="FAILED")},
    ),
    (
        "preparation_retried_before_running",
        "6.2-no-ready-retrying",
        "a node whose preparation fails goes from READY to RETRYING",
        {"unprepared": ("RETRYING", "FAILED"), **_may(READY="RETRYING")},
    ),
    (
        "quorum_join_put_back",
        "6.2-no-ready-pending",
        "a quorum join is put back to PENDING once before it may run",
        {
            "written": pairs(
                {
                    ("PENDING", "READY"): (
                        ("PENDING", "READY"),
                        ("READY", "PENDING"),
                        ("PENDING", "READY"),
                    )
                },
                _joins_by_quorum,
            )
        },
    ),
    (
        "ready_nodes_rolled_back",
        "6.2-no-ready-compensated",
        "a READY node that is cancelled is marked as COMPENSATED",
        {"written": pairs({("READY", "CANCELLED"): (("READY", "COMPENSATED"),)})},
    ),
)

_RUNNING: Final[tuple[Row, ...]] = (
    (
        "guard_evaluated_while_running",
        "6.2-no-running-skipped",
        "a node enters RUNNING before its guard is evaluated",
        {"written": pairs({("READY", "SKIPPED"): (("READY", "RUNNING"), ("RUNNING", "SKIPPED"))})},
    ),
    (
        "retry_without_retrying",
        "6.2-no-running-ready",
        "a failed attempt that is retried goes from RUNNING to READY",
        {
            "written": pairs(
                {
                    ("RUNNING", "RETRYING"): (),
                    ("RETRYING", "READY"): (("RUNNING", "READY"),),
                    ("RETRYING", "CANCELLED"): (("RUNNING", "CANCELLED"),),
                }
            )
        },
    ),
    (
        "retry_from_the_beginning",
        "6.2-no-running-pending",
        "a failed attempt that is retried puts the node back to PENDING",
        {
            "written": pairs(
                {
                    ("RUNNING", "RETRYING"): (("RUNNING", "PENDING"),),
                    ("RETRYING", "READY"): (("PENDING", "READY"),),
                    ("RETRYING", "CANCELLED"): (("PENDING", "CANCELLED"),),
                }
            )
        },
    ),
    (
        "running_nodes_rolled_back",
        "6.2-no-running-compensated",
        "a RUNNING node that is cancelled is marked as COMPENSATED",
        {"written": pairs({("RUNNING", "CANCELLED"): (("RUNNING", "COMPENSATED"),)})},
    ),
)

_RETRYING: Final[tuple[Row, ...]] = (
    (
        "late_answer_ends_retrying",
        "6.2-no-retrying-succeeded",
        "the late answer of an attempt that has timed out completes the node",
        {"late_answers": frozenset({"RETRYING"}), **_may(RETRYING="SUCCEEDED")},
    ),
    (
        "exhausted_node_skipped",
        "6.2-no-retrying-skipped",
        "a node whose retries are used up is SKIPPED",
        {
            "exhausted": lambda node, _error_edges: (
                ("RETRYING", "SKIPPED") if node.retry else ("FAILED",)
            ),
            **_may(RETRYING="SKIPPED"),
        },
    ),
    (
        "retry_joins_again",
        "6.2-no-retrying-pending-or-compensated",
        "a node whose backoff is over is PENDING until its join has been looked at again",
        {
            "written": pairs(
                {("RETRYING", "READY"): (("RETRYING", "PENDING"), ("PENDING", "READY"))}
            )
        },
    ),
)

_TERMINAL: Final[tuple[Row, ...]] = (
    (
        "handler_runs_again",
        "6.2-no-leaving-succeeded-except-compensated",
        "an error edge starts a node that has SUCCEEDED once more",
        {"restartable": RULES.restartable | {"SUCCEEDED"}, **_may(SUCCEEDED="READY")},
    ),
    (
        "skipped_nodes_rolled_back",
        "6.2-no-leaving-skipped",
        "unwinding compensates SKIPPED nodes",
        {**_undoing("SKIPPED"), **_may(SKIPPED="COMPENSATED")},
    ),
    (
        "failed_nodes_rolled_back",
        "6.2-no-leaving-failed",
        "unwinding compensates the node that has FAILED",
        {**_undoing("FAILED"), **_may(FAILED="COMPENSATED")},
    ),
    (
        "late_answer_completes",
        "6.2-no-leaving-cancelled",
        "a CANCELLED node goes on when the answer of its step arrives",
        {
            "late_answers": frozenset({"CANCELLED"}),
            "legal": changed(RULES.legal, CANCELLED=frozenset({"SUCCEEDED", "FAILED", "RETRYING"})),
        },
    ),
    (
        "backoff_wakes_the_cancelled",
        "6.2-no-leaving-cancelled",
        "a CANCELLED node is started again when the backoff that it waited out has elapsed",
        {
            "waking": frozenset({"RETRYING", "CANCELLED"}),
            "legal": changed(RULES.legal, CANCELLED=frozenset({"READY"})),
        },
    ),
    (
        "compensated_twice",
        "6.2-no-leaving-compensated",
        "a node is compensated a second time",
        {"written": pairs({("SUCCEEDED", "COMPENSATED"): (("SUCCEEDED", "COMPENSATED"),) * 2})},
    ),
)

_OTHER: Final[tuple[Row, ...]] = (
    (
        "backoff_reported_again",
        "6.2-no-self-transitions",
        "a node that waits out its backoff is reported as RETRYING twice",
        {
            "written": pairs(
                {("RUNNING", "RETRYING"): (("RUNNING", "RETRYING"), ("RETRYING", "RETRYING"))}
            )
        },
    ),
)

FORBIDDEN: Final[tuple[Row, ...]] = (
    *_PENDING,
    *_READY,
    *_RUNNING,
    *_RETRYING,
    *_TERMINAL,
    *_OTHER,
)
