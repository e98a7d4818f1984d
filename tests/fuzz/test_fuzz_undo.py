import pytest

from suite.fuzz.model import Edge, Model, Node
from suite.fuzz.oracle import judge_run
from tests.fuzz.fuzz_words import done, failed, words

TASK = Node()
FAILS = Node(failures=1)


def undone(*, condition="none", undo=TASK):
    """n0 succeeds and n1 undoes it; n2 fails after n0."""
    edges = (Edge(0, 1, "compensation", condition), Edge(0, 2))
    return Model((TASK, undo, FAILS), edges)


#: n0 and n1 succeed in this order, n2 undoes n0 and n3 undoes n1, then n4 fails.
TWO = Model(
    (TASK, TASK, TASK, TASK, FAILS),
    (Edge(0, 1), Edge(0, 2, "compensation"), Edge(1, 3, "compensation"), Edge(1, 4)),
)
FORWARD = f"{done('n0', 'n1')} {failed('n4')}"


def cites(model, text, outcome="compensated", *, full=True, **options):
    return [f.requirements[0] for f in judge_run(model, words(text, outcome, **options), full=full)]


def test_full_compensation_is_accepted():
    text = f"{FORWARD} {done('n3')} n1:COMPENSATED {done('n2')} n0:COMPENSATED"

    assert [] == cites(TWO, text)


def test_overlap_in_the_right_order_is_accepted():
    text = (
        f"{FORWARD} n3:READY n2:READY n3:RUNNING call:n3 n2:RUNNING call:n2 ok:n2 n2:SUCCEEDED "
        "n0:COMPENSATED ok:n3 n3:SUCCEEDED n1:COMPENSATED"
    )

    assert [] == cites(TWO, text)


def test_latest_completion_is_undone_first():
    text = f"{FORWARD} {done('n2')} n0:COMPENSATED {done('n3')} n1:COMPENSATED"

    assert ["8.4.1-reverse-completion-order"] == cites(TWO, text)


@pytest.mark.parametrize(("full", "expected"), [(True, 2), (False, 0)])
def test_compensation_is_demanded_at_level_full(full, expected):
    found = cites(TWO, FORWARD, "failed", full=full)

    assert ["8.4.1-compensate-succeeded-with-edge"] * expected == found


def test_begun_compensation_has_to_go_on_at_every_level():
    text = f"{FORWARD} {done('n3')} n1:COMPENSATED"

    assert ["8.4.1-compensate-succeeded-with-edge"] == cites(TWO, text, full=False)


def test_compensated_needs_the_work_of_the_undo():
    early = f"{done('n0')} {failed('n2')} n1:READY n1:RUNNING call:n1 n0:COMPENSATED"

    assert ["6.2-succeeded-compensated"] == cites(undone(), f"{early} ok:n1 n1:SUCCEEDED")


def test_undo_without_shown_states_is_open():
    text = f"{done('n0')} {failed('n2')} call:n1 ok:n1 n0:COMPENSATED"

    assert [] == cites(undone(), text)
    assert ["6.2-succeeded-compensated"] == cites(undone(), text.replace("call:n1 ok:n1", ""))


def test_undo_waits_for_unwinding():
    model = Model((TASK, TASK), (Edge(0, 1, "compensation"),))

    assert ["4.5-compensation-edge-never-forward"] == cites(model, done("n0", "n1"), "succeeded")


def test_failed_node_is_not_undone():
    model = Model((FAILS, TASK), (Edge(0, 1, "compensation"),))
    text = f"{failed('n0')} {done('n1')}"

    assert ["8.4.1-only-succeeded-compensated"] == cites(model, text, "failed")


def test_node_without_undo_stays_succeeded():
    model = Model((TASK, FAILS), (Edge(0, 1),))
    text = f"{done('n0')} {failed('n1')} n0:COMPENSATED"

    assert ["8.4.1-without-edge-stays-succeeded"] == cites(model, text)


def test_false_edge_undoes_nothing_and_leaves_the_outcome_open():
    model = undone(condition="false")
    text = f"{done('n0')} {failed('n2')}"

    assert [] == cites(model, text, "failed")
    assert [] == cites(model, text, "compensated")
    assert ["4.6-false-condition-not-traversed"] == cites(model, f"{text} {done('n1')}")


def test_failed_undo_leaves_the_source_and_gives_failed():
    model = undone(undo=FAILS)
    text = f"{done('n0')} {failed('n2', 'n1')}"

    assert [] == cites(model, text, "failed")
    assert ["8.4.3-failed-compensation-outcome"] == cites(model, text, "compensated")
    assert ["8.4.3-failed-compensation-recorded"] == cites(
        model, f"{text} n0:COMPENSATED", "failed"
    )


def test_undo_uses_its_retries():
    model = undone(undo=Node(attempts=2, failures=1))
    text = f"{done('n0')} {failed('n2', 'n1')}"

    assert ["8.4.3-compensating-node-retried"] == cites(model, text, "failed")


@pytest.mark.parametrize("outcome", ["failed", "compensated"])
def test_outcome_without_anything_to_undo_is_open(outcome):
    assert [] == cites(Model((FAILS,)), failed("n0"), outcome)


def test_outcome_after_compensation_is_compensated():
    text = f"{done('n0')} {failed('n2')} {done('n1')} n0:COMPENSATED"

    assert ["5.7-outcome-compensated"] == cites(undone(), text, "failed")


def test_undo_is_not_cancelled_by_unwinding():
    text = f"{done('n0')} {failed('n2')} n1:READY n1:CANCELLED"

    assert "8.4.1-compensate-succeeded-with-edge" in cites(undone(), text, "failed")


@pytest.mark.parametrize("tail", ["", f"{done('n2')} n1:COMPENSATED"], ids=["left", "undone"])
def test_node_that_finishes_while_unwinding_may_be_undone(tail):
    model = Model((FAILS, Node(idempotent=False), TASK), (Edge(1, 2, "compensation"),))
    text = f"n1:READY n1:RUNNING call:n1 {failed('n0')} ok:n1 n1:SUCCEEDED {tail}"

    assert [] == cites(model, text, "compensated" if tail else "failed")


@pytest.mark.parametrize(
    ("full", "expected"), [(True, ["8.4.1-unwind-cancels-ready-and-running"]), (False, [])]
)
def test_held_sibling_is_cancelled_at_level_full(full, expected):
    model = Model((FAILS, TASK))
    text = f"n1:READY n1:RUNNING call:n1 {failed('n0')} idle ok:n1 n1:SUCCEEDED"

    assert expected == cites(model, text, "failed", full=full)
