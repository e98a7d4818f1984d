"""Deviants: wrong dead paths (§5.3.1, §5.3.3)."""

from __future__ import annotations

from typing import Final

from reference_runtime.deviants.deviant import Row, changed, flow
from reference_runtime.rules import RULES

__all__ = ["UNREACHABILITY"]

_SKIPPED: Final = ("READY", "SKIPPED")

UNREACHABILITY: Final[tuple[Row, ...]] = (
    (
        "unreached_consumer_fails",
        "5.3.1-unreached-consumers-do-not-fail",
        "a node fails when a required value of it will never be produced",
        {"unreached": changed(RULES.unreached, starved=("READY", "RUNNING", "FAILED"))},
    ),
    (
        "unreached_nodes_skipped",
        "5.3.1-skipped-means-reached",
        "a node is SKIPPED when its edges or its required data can never arrive",
        {"unreached": changed(RULES.unreached, lost=_SKIPPED, starved=_SKIPPED)},
    ),
    (
        "unreachable_does_not_negate",
        "5.3.3-unreachable-node-negates-outgoing",
        "the edges of an unreachable node stay undecided",
        {"negates": lambda _reason, _length: False},
    ),
    (
        "unreachable_does_not_propagate",
        "5.3.3-propagates-recursively",
        "unreachability reaches the next node but not the one behind it",
        {"negates": lambda _reason, length: length <= 1},
    ),
    (
        "untaken_target_does_not_negate",
        "5.3.3-join-resolves-on-taken-branch",
        "the edges of a case target that was not chosen stay undecided",
        {"negates": lambda reason, _length: reason != "unchosen"},
    ),
    (
        "declared_route_always_taken",
        "5.3.3-case-target-unchosen-by-all",
        "a control edge to a case target is satisfied although the decision has chosen another",
        flow(routes=lambda route: route.declared or route.chosen == route.target),
    ),
    (
        "first_decision_decides",
        "5.3.3-case-target-kept-while-one-decision-open",
        "a case target is unreachable once one of several decisions has not chosen it",
        flow(unchosen=lambda open_, all_: open_ < all_),
    ),
    (
        "decision_target_not_gated",
        "5.3.3-case-target-unreachable-despite-other-edges",
        "a case target that was not chosen runs through another edge",
        {"gated": False},
    ),
    (
        "lost_join_does_not_negate",
        "5.3.3-all-forward-edges-negative",
        "the edges of a node whose edges are all negative stay undecided",
        {"negates": lambda reason, _length: reason != "lost"},
    ),
    (
        "unreachable_data_ignored",
        "5.3.3-required-data-from-unreachable-source",
        "a node runs without a required value that an unreachable source would have produced",
        flow(starves=lambda _port: False),
    ),
    (
        "default_does_not_help",
        "5.3.3-default-keeps-node-reachable",
        "a required input with a default makes its node unreachable with its source",
        flow(starves=lambda port: port.required),
    ),
    (
        "optional_input_starves",
        "5.3.3-optional-input-keeps-node-reachable",
        "an optional input makes its node unreachable with its source",
        flow(starves=lambda port: port.default is None and port.value is None),
    ),
    (
        "dependency_on_unreachable_satisfied",
        "5.3.3-dependency-edge-of-unreachable-source",
        "a dependency on an unreachable node is satisfied",
        flow(vacuous=frozenset({"dependency"})),
    ),
    (
        "otherwise_always_runs",
        "5.3.3-otherwise-target-included",
        "the otherwise target of a decision always receives control",
        flow(routes=lambda route: route.fallback or route.chosen == route.target),
    ),
    (
        "untaken_branch_skipped",
        "5.3.3-untaken-branch-nodes-never-enter-ready",
        "the untaken target of a decision becomes SKIPPED, and its successors run",
        {"unreached": changed(RULES.unreached, unchosen=_SKIPPED)},
    ),
)
