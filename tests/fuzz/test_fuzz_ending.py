import pytest

from suite.fuzz.model import Edge, Model, Node
from suite.fuzz.oracle import judge_run
from tests.fuzz.fuzz_words import done, failed, words

TASK = Node()
ONCE = Node(idempotent=False)
OPEN = "n0:READY n0:RUNNING call:n0"


def cites(model, text, outcome="cancelled"):
    return [f.requirements[0] for f in judge_run(model, words(text, outcome))]


@pytest.mark.parametrize("waiting", ["", "n1:CANCELLED"], ids=["pending", "cancelled"])
def test_cancelled_instance_is_accepted(waiting):
    model = Model((TASK, TASK), (Edge(0, 1),))

    assert [] == cites(model, f"{OPEN} idle cancel n0:CANCELLED abort:n0 {waiting}")


@pytest.mark.parametrize("outcome", ["succeeded", "failed", "compensated"])
def test_outcome_of_a_cancelled_instance_is_cancelled(outcome):
    text = f"{OPEN} idle cancel n0:CANCELLED abort:n0"

    assert ["5.7-outcome-cancelled"] == cites(Model((TASK,)), text, outcome)


@pytest.mark.parametrize("outcome", ["succeeded", "cancelled"])
def test_cancel_may_come_too_late(outcome):
    text = f"{OPEN} ok:n0 n0:SUCCEEDED cancel"

    assert [] == cites(Model((TASK,)), text, outcome)


@pytest.mark.parametrize(
    "shown", ["idle ok:n0 n0:SUCCEEDED", "n0:CANCELLED"], ids=["idle", "cancelled"]
)
def test_cancel_that_was_surely_handled_decides(shown):
    text = f"{OPEN} cancel {shown}"

    assert ["5.7-outcome-cancelled"] == cites(Model((TASK,)), text, "succeeded")


def test_race_decided_beside_the_cancel_does_not_show_it_handled():
    model = Model((TASK, TASK, Node(join="any")), (Edge(0, 2), Edge(1, 2)))
    text = f"{OPEN} {done('n1')} n2:READY cancel n0:CANCELLED n2:RUNNING call:n2 ok:n2 n2:SUCCEEDED"

    assert [] == cites(model, text, "succeeded")


def test_non_idempotent_node_finishes():
    model = Model((ONCE,))
    good = f"{OPEN} idle cancel ok:n0 n0:SUCCEEDED"
    bad = f"{OPEN} idle cancel abort:n0 ok:n0 n0:SUCCEEDED"

    assert [] == cites(model, good)
    assert ["6.2.1-attempt-finishes-result-discarded"] == cites(model, bad)


def test_running_non_idempotent_node_is_not_cancelled():
    text = f"{OPEN} idle cancel n0:CANCELLED"

    assert ["6.2.1-no-cancel-of-running-non-idempotent"] == cites(Model((ONCE,)), text)


def test_discarded_result_starts_nothing():
    model = Model((ONCE, TASK), (Edge(0, 1),))
    text = f"{OPEN} idle cancel idle ok:n0 n0:SUCCEEDED {done('n1')}"

    assert ["6.2.1-attempt-finishes-result-discarded"] == cites(model, text)


def test_dependent_of_a_discarded_result_is_open():
    model = Model((ONCE, TASK), (Edge(0, 1, "dependency"),))
    text = f"{OPEN} idle cancel idle ok:n0 n0:SUCCEEDED {done('n1')}"

    assert [] == cites(model, text)


def test_cancelled_instance_is_not_compensated():
    model = Model((TASK, TASK, TASK), (Edge(0, 1, "compensation"), Edge(0, 2)))
    text = f"{done('n0')} n2:READY n2:RUNNING call:n2 idle cancel n2:CANCELLED"
    undo = f"{done('n1')} n0:COMPENSATED"

    assert [] == cites(model, text)
    assert [
        "4.5-compensation-edge-never-forward",
        "6.2-no-compensated-outside-unwinding",
    ] == cites(model, f"{text} {undo}")


@pytest.mark.parametrize("outcome", ["failed", "cancelled", "compensated"])
def test_failure_of_a_spared_node_leaves_the_outcome_open(outcome):
    text = f"{OPEN} idle cancel fail:n0 n0:FAILED"

    assert [] == cites(Model((Node(idempotent=False, failures=1),)), text, outcome)


@pytest.mark.parametrize("outcome", ["failed", "cancelled"])
def test_cancel_while_the_run_unwinds_leaves_the_outcome_open(outcome):
    model = Model((Node(failures=1), ONCE))
    text = f"n1:READY n1:RUNNING call:n1 {failed('n0')} idle cancel ok:n1 n1:SUCCEEDED"

    assert [] == cites(model, text, outcome)


def test_nothing_may_be_left_open():
    text = f"{OPEN} idle cancel"

    assert ["5.7-complete-when-nothing-can-move"] == cites(Model((TASK,)), text)
