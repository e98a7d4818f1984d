"""Deviants: wrong handling of failures (§4.4, §5.8)."""

from __future__ import annotations

from typing import Final

from reference_runtime.deviants.deviant import Row, changed, flow
from reference_runtime.rules import RULES

__all__ = ["FAILURE"]

FAILURE: Final[tuple[Row, ...]] = (
    (
        "error_edge_not_after_retries",
        "4.4-error-edge-only-on-failed",
        "a node that fails after retries does not traverse its error edges",
        flow(error_edges=lambda _traversed, attempts: attempts < 2),
    ),
    (
        "error_edge_on_success",
        "4.4-error-edge-not-on-succeeded",
        "a SUCCEEDED node traverses its error edges",
        {"error_edges_on": frozenset({"FAILED", "SUCCEEDED"})},
    ),
    (
        "error_edge_on_cancelled",
        "4.4-error-edge-not-on-cancelled",
        "a CANCELLED node traverses its error edges",
        {"error_edges_on": frozenset({"FAILED", "CANCELLED"})},
    ),
    (
        "shared_handler_awaits_all",
        "4.4-shared-handler-runs-once",
        "a shared handler waits until every error edge into it is decided",
        flow(handler_starts=lambda tally: not tally.errors),
    ),
    (
        "first_error_edge_only",
        "5.8-all-error-edges-traversed",
        "only the first error edge of a FAILED node is traversed",
        flow(error_edges=lambda traversed, _attempts: not traversed),
    ),
    (
        "several_error_edges_do_not_handle",
        "5.8-handled-failure-continues",
        "a failure with more than one error edge still ends the run",
        {"handled": lambda error_edges: error_edges == 1},
    ),
    (
        "error_edge_on_first_failure",
        "5.8-only-after-retries-exhausted",
        "error edges are traversed at the first failed attempt",
        {"error_edges_on": frozenset({"RETRYING", "FAILED"})},
    ),
    (
        "failure_without_handler_ignored",
        "5.8-unhandled-failure-propagates",
        "a failure without error edge only stops its branch",
        {"handled": lambda _error_edges: True},
    ),
    (
        "failure_releases_control",
        "5.8-failed-node-does-not-release-control",
        "a FAILED node satisfies its control edges",
        {"satisfying": changed(RULES.satisfying, control=RULES.satisfying["control"] | {"FAILED"})},
    ),
)
