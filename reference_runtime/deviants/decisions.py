"""Deviants: wrong conditions and choices (§7.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from reference_runtime.deviants.deviant import Row, data, flow
from reference_runtime.document.model import Case

__all__ = ["DECISIONS"]


def _last_first(cases: Sequence[Case]) -> list[Case]:
    """The cases in reverse, otherwise still last."""
    return sorted(cases, key=lambda case: (case.when is None, -cases.index(case)))


DECISIONS: Final[tuple[Row, ...]] = (
    (
        "guard_evaluated_at_start",
        "7.1.1-guard-evaluated-when-ready",
        "guards are evaluated when the instance starts",
        data(blind_guards=True),
    ),
    (
        "condition_evaluated_at_start",
        "7.1.2-edge-condition-at-source-terminal",
        "conditions of edges are evaluated when the instance starts",
        flow(blind_conditions=True),
    ),
    (
        "last_true_case_wins",
        "7.1.3-first-true-case-wins",
        "the last true case of a decision wins",
        flow(cases=_last_first),
    ),
    (
        "untaken_decision_target_runs",
        "7.1.3-exactly-one-successor",
        "a decision gives control to all of its targets",
        flow(routes=lambda _route: True),
    ),
    (
        "otherwise_looked_at_first",
        "7.1.3-otherwise-when-none-true",
        "a decision without a true case gives control to nobody although it has an otherwise",
        flow(
            cases=lambda cases: [case for case in cases if case.when is not None],
            no_case="SUCCEEDED",
        ),
    ),
    (
        "no_case_succeeds",
        "7.1.3-no-match-no-otherwise-fails",
        "a decision without a true case and without otherwise is SUCCEEDED",
        flow(no_case="SUCCEEDED"),
    ),
)
