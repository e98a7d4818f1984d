"""Deviants: wrong meanings of states (§6, §6.1), and wrong entries of the trace (§6.6)."""

from __future__ import annotations

from typing import Final

from reference_runtime.deviants.deviant import Row, ending
from reference_runtime.deviants.trace import pairs, types
from reference_runtime.document.model import Node
from reference_runtime.engine.effects import Transition
from reference_runtime.rules import CODES, INTERNAL

__all__ = ["STATES"]


def _timed_out(_node: Node, transition: Transition) -> bool:
    return transition.code == CODES["timeout"]


def _always_first(_node: Node, transition: Transition) -> tuple[Transition, ...]:
    """Number every attempt 1."""
    return (transition._replace(attempt=transition.attempt and 1),)


def _internal_only(_node: Node, transition: Transition) -> tuple[Transition, ...]:
    """Write one class for all failures."""
    if transition.error_class is None:
        return (transition,)
    return (transition._replace(error_class=INTERNAL),)


def _countdown(_node: Node, transition: Transition) -> tuple[Transition, ...]:
    return (transition._replace(at=-transition.at),)


_MEANINGS: Final[tuple[Row, ...]] = (
    (
        "start_of_decision_not_written",
        "6-one-state-at-a-time",
        "the trace leaves out that a decision, a parallel, a barrier or a wait is RUNNING",
        {
            "written": pairs(
                {("READY", "RUNNING"): ()}, types("decision", "parallel", "barrier", "wait")
            )
        },
    ),
    (
        "timed_out_node_cancelled",
        "6-runtimes-agree-on-states",
        "a node that has timed out is shown as CANCELLED",
        {"written": pairs({("RUNNING", "FAILED"): (("RUNNING", "CANCELLED"),)}, _timed_out)},
    ),
    (
        "retrying_written_at_the_end",
        "6.1-retrying-meaning",
        "a node is shown as RUNNING while it waits out the backoff",
        {
            "written": pairs(
                {
                    ("RUNNING", "RETRYING"): (),
                    ("RETRYING", "READY"): (("RUNNING", "RETRYING"), ("RETRYING", "READY")),
                    ("RETRYING", "CANCELLED"): (("RUNNING", "RETRYING"), ("RETRYING", "CANCELLED")),
                }
            )
        },
    ),
    (
        "failed_per_attempt",
        "6.1-failed-meaning",
        "every failed attempt leads to FAILED, also one that is retried",
        {
            "written": pairs(
                {("RUNNING", "RETRYING"): (("RUNNING", "FAILED"), ("FAILED", "RETRYING"))}
            )
        },
    ),
    (
        "cancellation_not_written",
        "6.1-cancelled-meaning",
        "the trace leaves out that a RUNNING node was cancelled",
        {"written": pairs({("RUNNING", "CANCELLED"): ()})},
    ),
    (
        "compensating_node_marked",
        "6.1-compensated-meaning",
        "the compensating node becomes COMPENSATED, and not the one that it undoes",
        ending(marks_source=False),
    ),
    (
        "handled_failure_is_success",
        "6.1-succeeded-meaning",
        "a node with an error edge is SUCCEEDED when its step has failed",
        {"exhausted": lambda _node, error_edges: ("SUCCEEDED",) if error_edges else ("FAILED",)},
    ),
    (
        "timed_out_node_skipped",
        "6.1-skipped-meaning",
        "a node that has timed out goes on as if its guard were false",
        {
            "written": pairs(
                {
                    ("RUNNING", "FAILED"): (
                        ("RUNNING", "RETRYING"),
                        ("RETRYING", "READY"),
                        ("READY", "SKIPPED"),
                    )
                },
                _timed_out,
            )
        },
    ),
)

_TRACES: Final[tuple[Row, ...]] = (
    (
        "every_attempt_numbered_one",
        "6.6-entry-attempt-number",
        "every attempt of a node is written as its first one",
        {"written": _always_first},
    ),
    (
        "one_class_for_all_failures",
        "6.6-failed-entry-class-and-message",
        "every failure is written with the class internal",
        {"written": _internal_only},
    ),
    (
        "time_runs_backwards",
        "6.6-entry-timestamp",
        "the times in the trace decrease",
        {"written": _countdown},
    ),
)

STATES: Final[tuple[Row, ...]] = (*_MEANINGS, *_TRACES)
