"""Order and numbers of the messages of one run."""

import pytest

from suite.protocol.breach import Breach
from suite.protocol.grammar import Grammar
from suite.protocol.messages import (
    Abort,
    End,
    Fault,
    Findings,
    Idle,
    Invoke,
    ReportedCode,
    TransitionMessage,
)


def transition(n, left, entered, node="a"):
    return TransitionMessage(id=1, n=n, node=node, from_=left, to=entered)


def accept(*messages, sent=0, nodes=frozenset({"a"}), scripted=False):
    grammar = Grammar(nodes, scripted=scripted)
    for message in messages:
        grammar.check(message, sent)
    return grammar.messages


START = (transition(1, "PENDING", "READY"), transition(2, "READY", "RUNNING"))


def test_run_in_order_is_accepted():
    messages = (*START, Invoke(id=1, n=3, call=1, node="a"), Abort(id=1, n=4, call=1))

    assert 4 == accept(*messages)


def test_concurrent_iterations_without_numbers_may_each_be_called():
    both = (
        transition(1, "PENDING", "READY"),
        transition(2, "READY", "RUNNING"),
        transition(3, "PENDING", "READY"),
        transition(4, "READY", "RUNNING"),
        Invoke(id=1, n=5, call=1, node="a"),
        transition(6, "RUNNING", "SUCCEEDED"),
        Invoke(id=1, n=7, call=2, node="a"),
    )

    assert 7 == accept(*both)


def test_call_after_the_attempt_ended_is_a_breach():
    with pytest.raises(Breach, match="'a', which is not RUNNING"):
        accept(
            *START,
            transition(3, "RUNNING", "RETRYING"),
            Invoke(id=1, n=4, call=1, node="a"),
        )


def test_a_node_that_undoes_others_may_be_called_without_states():
    grammar = Grammar({"a"}, scripted=False, undoing={"a"})
    grammar.check(Invoke(id=1, n=1, call=1, node="a"), 0)

    assert 1 == grammar.calls


def test_any_node_is_accepted_where_the_nodes_are_not_known():

    assert 1 == accept(transition(1, "PENDING", "READY", node="zzz"), nodes=None)


@pytest.mark.parametrize(
    ("nodes", "named"), [({"a"}, "a"), ({"a"}, None), (None, "zzz")], ids=["its", "none", "unknown"]
)
def test_codes_at_the_end_name_a_node_or_none(nodes, named):
    codes = (ReportedCode("HX-4110", named),)

    assert 1 == accept(End(id=1, n=1, messages=1, codes=codes), nodes=nodes)


def test_code_of_a_node_of_another_document_is_a_breach():
    codes = (ReportedCode("HX-4110", "a"), ReportedCode("HX-4110", "zzz"))
    with pytest.raises(Breach, match="end: the document has no node 'zzz'"):
        accept(End(id=1, n=1, messages=1, codes=codes))


def test_findings_and_fault_carry_no_number():

    assert 0 == accept(Findings(id=1), Fault(id=1, message="x"))


def test_fault_may_come_in_the_middle_of_a_run():

    assert 2 == accept(*START, Fault(id=1, message="x"))


def test_idle_of_a_scripted_run_is_a_breach():
    with pytest.raises(Breach, match="a scripted run has its plan"):
        accept(Idle(id=1, n=1, seen=0), scripted=True)


def test_idle_that_has_seen_everything_is_accepted():

    assert 1 == accept(Idle(id=1, n=1, seen=2), sent=2)


HUGE = "x" * 900_000


@pytest.mark.parametrize(
    "messages",
    [
        pytest.param((transition(1, "PENDING", "READY", HUGE),), id="node"),
        pytest.param((transition(1, "PENDING", HUGE),), id="state"),
        pytest.param((transition(1, HUGE, "READY", HUGE),), id="node and state"),
        pytest.param((Invoke(id=1, n=1, call=1, node=HUGE),), id="node of a call"),
        pytest.param(
            (End(id=1, n=1, messages=1, codes=(ReportedCode("HX-1001", HUGE),)),), id="node of code"
        ),
    ],
)
def test_what_is_shown_of_a_name_has_a_bound(messages):
    with pytest.raises(Breach, match=r"x'… \(900000 characters\)") as caught:
        accept(*messages)

    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("call", [1, 2], ids=["not RUNNING", "wrong call"])
def test_what_is_shown_of_a_known_name_has_a_bound(call):
    with pytest.raises(Breach, match=r"x'… \(900000 characters\)") as caught:
        accept(Invoke(id=1, n=1, call=call, node=HUGE), nodes=None)

    assert len(str(caught.value)) < 1000
