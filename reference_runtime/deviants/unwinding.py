"""Deviants: wrong unwinding and compensation (§4.5, §8.4)."""

from __future__ import annotations

from typing import Final

from reference_runtime.deviants.deviant import Row, changed, ending
from reference_runtime.rules import RULES

__all__ = ["UNWINDING"]

UNWINDING: Final[tuple[Row, ...]] = (
    (
        "target_marked_compensated",
        "4.5-compensation-direction",
        "the compensating node becomes COMPENSATED and not the node that it undoes",
        ending(marks_source=False),
    ),
    (
        "running_goes_on_in_unwinding",
        "8.4.1-unwind-cancels-ready-and-running",
        "nodes that are RUNNING when unwinding begins run to their end",
        ending(unwinding_cancels=frozenset({"READY", "RETRYING"})),
    ),
    (
        "unwinding_releases_successors",
        "8.4.1-no-new-forward-work",
        "nodes that end while the instance unwinds release their successors",
        ending(releases=True),
    ),
    (
        "only_last_compensated",
        "8.4.1-compensate-succeeded-with-edge",
        "only the node that has succeeded last is compensated",
        ending(compensated=lambda others: not others),
    ),
    (
        "compensation_in_completion_order",
        "8.4.1-reverse-completion-order",
        "nodes are compensated in the order of their completion",
        ending(order=lambda place: place),
    ),
    (
        "failed_node_compensated",
        "8.4.1-only-succeeded-compensated",
        "the failed node is compensated, too",
        {
            **ending(compensable=frozenset({"SUCCEEDED", "FAILED"})),
            "legal": changed(RULES.legal, FAILED=frozenset({"COMPENSATED"})),
        },
    ),
    (
        "all_marked_compensated",
        "8.4.1-without-edge-stays-succeeded",
        "every SUCCEEDED node becomes COMPENSATED in unwinding",
        ending(needs_edge=False),
    ),
    (
        "failed_compensation_stops",
        "8.4.3-failed-compensation-continues",
        "nothing more is compensated after a compensation has failed",
        ending(goes_on=False),
    ),
    (
        "failed_compensation_ignored",
        "8.4.3-failed-compensation-recorded",
        "a node is COMPENSATED although its compensating node failed",
        ending(records=False),
    ),
    (
        "no_retries_in_unwinding",
        "8.4.3-compensating-node-retried",
        "a compensating node has a single attempt",
        ending(retries=False),
    ),
)
