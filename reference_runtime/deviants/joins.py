"""Deviants: wrong joins and resolution of edges (§4.2, §4.3, §5.3, §5.3.1)."""

from __future__ import annotations

from typing import Final

from reference_runtime.deviants.deviant import Row, changed, flow
from reference_runtime.rules import RULES

__all__ = ["JOINS"]

JOINS: Final[tuple[Row, ...]] = (
    (
        "wide_join_never_ready",
        "5.3-pending-to-ready-on-join",
        "an all join of more than two satisfied edges is never READY",
        {"met": changed(RULES.met, all=lambda tally: not tally.open and 0 < tally.satisfied <= 2)},
    ),
    (
        "control_satisfied_by_retrying",
        "5.3-not-ready-before-join",
        "a control edge is satisfied as soon as its source is RETRYING",
        flow(early={"RETRYING": frozenset({"control"})}),
    ),
    (
        "error_edges_make_a_handler",
        "5.3-only-control-data-dependency-join",
        "an all join into which an error edge leads, too, is not READY through its other edges",
        {"met": changed(RULES.met, all=lambda t: RULES.met["all"](t) and not t.error_edges)},
    ),
    (
        "join_awaits_error_edges",
        "5.3-untaken-error-edge-does-not-block-join",
        "an all join waits until its error edges are decided",
        {"met": changed(RULES.met, all=lambda t: RULES.met["all"](t) and not t.errors)},
    ),
    (
        "retried_source_satisfies_no_control",
        "5.3-control-satisfied-by-success-or-skip",
        "a control edge is not satisfied by a node that needed more than one attempt",
        flow(satisfies=lambda type_, attempts: type_ != "control" or attempts < 2),
    ),
    (
        "retried_source_satisfies_no_data",
        "5.3-data-satisfied-by-success-with-value",
        "a data edge is not satisfied by a node that needed more than one attempt",
        flow(satisfies=lambda type_, attempts: type_ != "data" or attempts < 2),
    ),
    (
        "data_does_not_order",
        "4.2-data-implies-control",
        "a data edge is satisfied as soon as its source is READY",
        flow(early={"READY": frozenset({"data"})}),
    ),
    (
        "dependency_needs_real_success",
        "5.3-dependency-satisfied-by-any-terminal",
        "a dependency edge is satisfied by SUCCEEDED only",
        {"satisfying": changed(RULES.satisfying, dependency=frozenset({"SUCCEEDED"}))},
    ),
    (
        "dependency_needs_success",
        "4.3-dependency-on-failed",
        "a dependency edge waits for success like a control edge",
        {"satisfying": changed(RULES.satisfying, dependency=RULES.satisfying["control"])},
    ),
    (
        "dependency_as_clean_up",
        "4.3-dependency-on-succeeded",
        "a dependency edge is satisfied only if its source did not succeed",
        {"satisfying": changed(RULES.satisfying, dependency=RULES.terminal - {"SUCCEEDED"})},
    ),
    (
        "dependency_needs_run",
        "4.3-dependency-on-skipped",
        "a dependency edge is not satisfied by a SKIPPED source",
        {"satisfying": changed(RULES.satisfying, dependency=RULES.terminal - {"SKIPPED"})},
    ),
    (
        "dependency_satisfied_by_retrying",
        "4.3-dependency-not-before-terminal",
        "a dependency edge is satisfied as soon as its source is RETRYING",
        flow(early={"RETRYING": frozenset({"dependency"})}),
    ),
    (
        "false_condition_satisfies",
        "5.3-false-condition-is-resolved-negative",
        "an edge with a false condition is satisfied, only without its value",
        flow(false_satisfies=True),
    ),
    (
        "false_condition_reconsidered",
        "5.3-negative-is-permanent",
        "a false condition is evaluated again whenever there are new values",
        flow(reconsiders=True),
    ),
    (
        "negative_blocks_all_join",
        "5.3-negative-does-not-block",
        "an all join with a negative edge is never READY",
        {"met": changed(RULES.met, all=lambda t: not (t.open or t.negative) and t.satisfied > 0)},
    ),
    (
        "negative_counts",
        "5.3-negative-does-not-count",
        "a negative edge counts for any and quorum like a satisfied one",
        {
            "met": changed(
                RULES.met,
                any=lambda t: t.satisfied + t.negative > 0,
                quorum=lambda t: t.satisfied + t.negative >= t.quorum,
            )
        },
    ),
    (
        "join_policy_of_barriers_only",
        "5.3.1-policy-of-the-target",
        "joinPolicy is honoured on barriers only",
        flow(join_policy=lambda node: node.join_policy if node.type == "barrier" else "all"),
    ),
    (
        "all_fires_on_first",
        "5.3.1-all-waits-for-every-edge",
        "an all join is READY when its first edge is satisfied",
        {"met": changed(RULES.met, all=RULES.met["any"])},
    ),
    (
        "all_gives_up_on_negative",
        "5.3.1-all-accepts-mixed-resolution",
        "an all join is unreachable once an edge is negative while others are open",
        {"lost": changed(RULES.lost, all=lambda tally: tally.negative > 0)},
    ),
    (
        "all_negative_runs",
        "5.3.1-all-needs-one-satisfied",
        "an all join is READY when all of its edges are negative",
        {"met": changed(RULES.met, all=lambda tally: not tally.open)},
    ),
    (
        "all_negative_skipped",
        "5.3.1-all-negative-is-not-skipped",
        "an all join with negative edges only is SKIPPED",
        {"unreached": changed(RULES.unreached, lost=("READY", "SKIPPED"))},
    ),
    (
        "any_waits_for_all",
        "5.3.1-any-fires-on-first",
        "an any join waits until every edge is resolved",
        {"met": changed(RULES.met, any=RULES.met["all"])},
    ),
    (
        "any_gives_up_on_negative",
        "5.3.1-any-survives-negatives",
        "an any join is unreachable once one of its edges is negative",
        {"lost": changed(RULES.lost, any=lambda tally: tally.negative > 0)},
    ),
    (
        "quorum_waits_for_all",
        "5.3.1-quorum-fires-at-count",
        "a quorum join waits until every edge is resolved",
        {"met": changed(RULES.met, quorum=lambda t: not t.open and t.satisfied >= t.quorum)},
    ),
    (
        "quorum_off_by_one",
        "5.3.1-quorum-not-below-count",
        "a quorum join is READY when one satisfied edge is still missing",
        {"met": changed(RULES.met, quorum=lambda t: t.satisfied >= max(1, t.quorum - 1))},
    ),
    (
        "default_policy_any",
        "5.3.1-default-policy-all",
        "a node without joinPolicy joins with any",
        flow(join_policy=lambda n: "any" if n.join_policy == "all" else n.join_policy),
    ),
)
