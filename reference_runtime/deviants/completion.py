"""Deviants: wrong ends and outcomes (§5.7)."""

from __future__ import annotations

from typing import Final

from reference_runtime.deviants.deviant import Row, ending
from reference_runtime.rules import RULES

__all__ = ["COMPLETION"]

COMPLETION: Final[tuple[Row, ...]] = (
    (
        "first_branch_completes",
        "5.7-complete-when-nothing-can-move",
        "an instance is complete when the first of its last nodes has SUCCEEDED",
        ending(first_end_completes=True),
    ),
    (
        "ends_while_retrying",
        "5.7-not-complete-while-retrying",
        "an instance ends although a node waits for its next attempt",
        ending(keeps_open=lambda state, _discarded: state in {"READY", "RUNNING"}),
    ),
    (
        "ends_while_discarded_runs",
        "5.7-not-complete-while-non-idempotent-runs",
        "an instance ends although a node runs whose result will be discarded",
        ending(
            keeps_open=lambda state, discarded: (
                RULES.ending.keeps_open(state, discarded) and not discarded
            )
        ),
    ),
    (
        "skipped_spoils_success",
        "5.7-outcome-succeeded",
        "an instance with a SKIPPED node counts as failed",
        ending(
            outcome=lambda end: "failed" if "SKIPPED" in end.states else RULES.ending.outcome(end)
        ),
    ),
    (
        "partial_success_succeeds",
        "5.7-outcome-failed",
        "an unhandled failure counts as success if other nodes have SUCCEEDED",
        ending(
            outcome=lambda end: (
                "succeeded"
                if "SUCCEEDED" in end.states and end.phase == "unwinding"
                else RULES.ending.outcome(end)
            )
        ),
    ),
    (
        "compensated_is_failed",
        "5.7-outcome-compensated",
        "a compensated instance counts as failed",
        ending(outcome=lambda end: RULES.ending.outcome(end).replace("compensated", "failed")),
    ),
    (
        "compensated_is_succeeded",
        "8.4.1-compensated-outcome",
        "a compensated instance counts as succeeded",
        ending(outcome=lambda end: RULES.ending.outcome(end).replace("compensated", "succeeded")),
    ),
    (
        "cancelled_is_failed",
        "5.7-outcome-cancelled",
        "an instance that was cancelled from outside counts as failed",
        ending(outcome=lambda end: RULES.ending.outcome(end).replace("cancelled", "failed")),
    ),
)
