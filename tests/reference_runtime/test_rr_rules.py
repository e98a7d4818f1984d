"""The tables against the sentences that they transcribe."""

import pytest

from comparator.lifecycle import LEGAL, SUCCESSES, TERMINAL, UNDER_TIMEOUT_SKIP
from reference_runtime.document.model import Node, Retry
from reference_runtime.rules import RULES, Count


def test_lifecycle_agrees_with_the_judge():
    assert LEGAL == RULES.legal
    assert (TERMINAL, SUCCESSES) == (RULES.terminal, RULES.succeeded)
    assert UNDER_TIMEOUT_SKIP == RULES.exceptions


def test_terminal_states_are_left_only_by_compensation():
    left = {state: RULES.legal[state] for state in RULES.terminal if RULES.legal[state]}

    assert {"SUCCEEDED": {"COMPENSATED"}} == left


@pytest.mark.parametrize(
    ("tally", "met", "lost"),
    [
        (Count(1, 0, 1, 2), {"any"}, set()),
        (Count(1, 1, 0, 2), {"all", "any"}, {"quorum"}),
        (Count(2, 0, 1, 2), {"any", "quorum"}, set()),
        (Count(0, 2, 0, 2), set(), {"all", "any", "quorum"}),
        (Count(0, 0, 2, 2), set(), set()),
        (Count(0, 1, 1, 2), set(), {"quorum"}),
    ],
    ids=lambda value: str(sorted(value) if isinstance(value, set) else value),
)
def test_policies(tally, met, lost):
    assert met == {policy for policy, holds in RULES.met.items() if holds(tally)}
    assert lost == {policy for policy, gone in RULES.lost.items() if gone(tally)}


@pytest.mark.parametrize(
    ("retry", "idempotent", "attempts"),
    [(None, True, 1), (Retry(3), True, 3), (Retry(3), False, 1)],
    ids=["none", "policy", "not-idempotent"],
)
def test_attempts(retry, idempotent, attempts):
    assert attempts == RULES.attempts(Node("a", "task", retry=retry, idempotent=idempotent))


@pytest.mark.parametrize(
    ("policy", "good", "bad", "state"),
    [
        ("fail", 2, 0, "SUCCEEDED"),
        ("fail", 2, 1, "FAILED"),
        ("continue", 1, 2, "SUCCEEDED"),
        ("continue", 0, 2, "FAILED"),
        ("continue", 0, 0, "SUCCEEDED"),
        ("break", 0, 1, "SUCCEEDED"),
    ],
)
def test_outcome_of_loops(policy, good, bad, state):
    assert state == RULES.loops.item_failure[policy].result(good, bad)
