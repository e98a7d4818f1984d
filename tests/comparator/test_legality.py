import pytest

from comparator.facts import Node
from comparator.histories import History
from comparator.legality import (
    ILLEGAL,
    broken_by_attempts,
    broken_by_gap,
    broken_by_pair,
)
from comparator.lifecycle import LEGAL, STATES, TERMINAL
from tests.comparator_builder import differences, facts, kinds

OPEN = [state for state in STATES if state not in TERMINAL]


def test_every_unlisted_pair_out_of_an_open_state_has_a_requirement():
    unlisted = {(a, b) for a in OPEN for b in STATES if b not in LEGAL[a]}

    assert unlisted == ILLEGAL.keys()


@pytest.mark.parametrize(("from_", "to"), [(a, b) for a in STATES for b in sorted(LEGAL[a])])
def test_listed_pair_breaks_nothing(from_, to):
    assert () == broken_by_pair(Node("a", "task", guard="dynamic"), from_, to)


@pytest.mark.parametrize(
    ("from_", "to"), [(a, b) for a in STATES for b in STATES if b not in LEGAL[a]]
)
def test_unlisted_pair_cites_section_six(from_, to):
    cites = broken_by_pair(Node("a", "task"), from_, to)

    assert cites[0].startswith("6.2-no-")


@pytest.mark.parametrize(
    ("node", "from_", "to", "expected"),
    [
        (Node("a", "task"), "PENDING", "RUNNING", ("6.2-no-pending-running",)),
        (Node("a", "task"), "FAILED", "READY", ("6.2-no-leaving-failed",)),
        (Node("a", "task"), "FAILED", "FAILED", ("6.2-no-self-transitions",)),
        (
            Node("a", "task"),
            "RETRYING",
            "RUNNING",
            ("6.2-no-retrying-running", "8.1.1-backoff-none-keeps-states"),
        ),
        (
            Node("a", "task", idempotent=False),
            "RUNNING",
            "CANCELLED",
            ("6.2.1-no-cancel-of-running-non-idempotent",),
        ),
        (Node("a", "task", idempotent=False), "READY", "CANCELLED", ()),
        (Node("a", "task"), "RUNNING", "SKIPPED", ("6.2-no-running-skipped",)),
        (Node("a", "task", on_timeout="skip"), "RUNNING", "SKIPPED", ()),
        (Node("a", "task", on_timeout="skip"), "READY", "SKIPPED", ()),
        (Node("a", "task"), "READY", "SKIPPED", ("6.2-no-skip-without-false-guard",)),
        (Node("a", "task", guard="true"), "READY", "SKIPPED", ("6.2-no-skip-without-false-guard",)),
        (Node("a", "task", guard="false"), "READY", "SKIPPED", ()),
    ],
    ids=str,
)
def test_pair_of_a_node(node, from_, to, expected):
    assert expected == broken_by_pair(node, from_, to)


@pytest.mark.parametrize(
    ("state", "from_", "to", "expected"),
    [
        ("READY", "RUNNING", "SUCCEEDED", ("6-one-state-at-a-time",)),
        ("READY", "PENDING", "RUNNING", ("6-one-state-at-a-time", "6.2-no-pending-running")),
        (
            "SUCCEEDED",
            "RUNNING",
            "SUCCEEDED",
            ("6.2-no-leaving-succeeded-except-compensated",),
        ),
    ],
    ids=str,
)
def test_gap_cites_what_the_step_breaks(state, from_, to, expected):
    assert expected == broken_by_gap(state, from_, to)


@pytest.mark.parametrize(
    ("node", "attempts", "expected"),
    [
        (Node("a", "task"), 1, ()),
        (Node("a", "task"), 2, ("8.1-absent-retry-one-attempt",)),
        (Node("a", "task", max_attempts=2), 2, ()),
        (Node("a", "task", max_attempts=2), 3, ("8.1-max-attempts-counts-first",)),
        (Node("a", "task", idempotent=False), 1, ()),
        (
            Node("a", "task", idempotent=False, max_attempts=3),
            2,
            ("1.3-no-automatic-retry-of-non-idempotent",),
        ),
    ],
    ids=str,
)
def test_number_of_attempts_is_bounded(node, attempts, expected):
    history = History()
    for _ in range(attempts):
        history = history.grow("READY").grow("RUNNING").grow("RETRYING")

    assert expected == broken_by_attempts(node, history)


@pytest.mark.parametrize(
    ("text", "kind", "cite"),
    [
        ("a:READY", "left-open", "5.7-complete-when-nothing-can-move"),
        ("a:READY a:RUNNING", "left-open", "5.7-complete-when-nothing-can-move"),
        ("a:READY a:RUNNING a:RETRYING", "left-open", "5.7-not-complete-while-retrying"),
        ("a:RUNNING a:SUCCEEDED", "illegal-pair", "6.2-no-pending-running"),
        ("a:READY a:READY>RUNNING a:READY>RUNNING a:SUCCEEDED", "gap", "6-one-state-at-a-time"),
        ("a:READY a:RUNNING a:DONE", "unknown-state", "6.2-only-listed-transitions"),
        (
            "a:READY a:RUNNING a:SUCCEEDED a:RUNNING",
            "illegal-pair",
            "6.2-no-leaving-succeeded-except-compensated",
        ),
        (
            "a:READY a:RUNNING a:RETRYING a:READY a:RUNNING a:SUCCEEDED",
            "attempts",
            "8.1-absent-retry-one-attempt",
        ),
    ],
    ids=lambda value: value.replace(" ", "_"),
)
def test_illegal_trace_of_one_node(text, kind, cite):
    found = differences(facts(nodes="a", entry="a"), text)

    assert (kind, "a") == kinds(found)[0]
    assert cite == found[0].cites[0]


def test_last_detour_over_retrying_is_legal():
    # A16: whether it is expected is for the golden to say.
    assert () == differences(facts("a!>h", entry="a"), "a:READY a:RUNNING a:RETRYING a:FAILED")


def test_further_breaches_of_a_node_are_counted():
    found = differences(facts(nodes="a", entry="a"), "a:RUNNING a:READY a:SUCCEEDED a:RUNNING")

    assert {"more": 4} == found[0].detail
