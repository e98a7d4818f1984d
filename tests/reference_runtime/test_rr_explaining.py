"""Explanations: what a node waits for, and why it ended as it did."""

import itertools

import pytest

from reference_runtime.explaining import explain
from reference_runtime.plans import read_plan
from tests.strategies_runtime import fail, harness, ok, plan


def said(doc, node, the_plan=None, **kwargs):
    """Lines about one node without its heading, and the outcome in the last one."""
    _, *lines = explain(doc, read_plan(the_plan or plan()), (node,), **kwargs)
    return [line.strip() for line in lines]


def why(doc, node, the_plan=None, **kwargs):
    """Lines from the final state on."""
    lines = said(doc, node, the_plan, **kwargs)[:-1]
    return lines[next(n for n, line in enumerate(lines) if line.startswith("→")) :]


LOOP = "l:loop <loop kind='times' count='2' maxIterations='2'><body ref='b'/></loop>"


@pytest.mark.parametrize(
    ("nodes", "edges", "entry", "node", "expected"),
    [
        ("a b", "a->b", "a", "a", "starts the instance (entry)"),
        ("a b", "a->b", None, "a", "starts the instance (no edge leads to it)"),
        ("a b", "a->b[${a.x}]", None, "b", "waits for a (control) if ${a.x}"),
        (
            "a <outputs><output name='o'/></outputs>\nb <inputs><input name='i'/></inputs>",
            "a=o:i=>b",
            None,
            "b",
            "waits for data a.o into i",
        ),
        ("a\nb", "a..>b", None, "b", "waits for the end of a, however it ends (dependency)"),
        ("a b c", "a->c b->c", None, "c", "waits for all of: a (control); b (control)"),
        ("a\nb\nc joinPolicy=any", "a->c b->c", None, "c", "waits for the first of: a (control); "),
        ("a\nb\nc joinPolicy=quorum quorum=2", "a->c b->c", None, "c", "waits for 2 of: a (contr"),
        ("a b", "a-!>b", None, "b", "waits for the failure of a (error)"),
        ("a b c", "a->c b-!>c", None, "c", "waits for a (control)"),
        ("a u", "a-~>u", None, "u", "undoes a when the instance unwinds"),
        (f"{LOOP}\nb\nh", "b-!>h", "l", "b", "waits for each iteration of loop l, as its body"),
        (f"{LOOP}\nb\nh", "b-!>h", "l", "h", "waits for each iteration of loop l, as a handler of"),
        (
            "d:decision <cases><case when='${true}' to='t'/></cases>\nt",
            "",
            "d",
            "t",
            "waits for decision d to choose it",
        ),
        ("a b c", "b->c", "a", "b", "waits for nothing that can happen: no way leads to it"),
    ],
)
def test_what_a_node_waits_for(nodes, edges, entry, node, expected):
    first = said(harness(nodes, edges, entry), node)[0]

    assert expected == first[: len(expected)]


def test_what_is_needed_besides():
    doc = harness(
        "a <inputs><input name='i' value='x'/></inputs><resourceRef ref='r'/>"
        "<guard when='${true}'/>",
        before="<resources><resource id='r' type='queue'/></resources>",
    )

    assert [
        "then its guard ${true} decides whether it runs or is SKIPPED",
        "then it needs resource r, input i",
    ] == said(doc, "a")[1:3]


def test_success_names_the_edges_that_led_to_it():
    doc = harness("a b c", "a->c b->c[${false}]")
    condition = "b ended SUCCEEDED, and ${false} was not true"

    assert [
        "→ SUCCEEDED",
        "READY because a ended SUCCEEDED",
        f"without the edges that will never be satisfied: {condition}",
    ] == why(doc, "c")


def test_success_after_retries_and_in_loops_and_decisions():
    retry = harness("a <retry maxAttempts='3' backoff='none'/>")
    loop = harness(
        f"{LOOP.replace('><body', ' onItemFailure=#continue#><body').replace('#', chr(39))}\nb",
        entry="l",
    )
    decision = harness(
        "d:decision <cases><case when='${true}' to='t'/><otherwise to='u'/></cases>\nt\nu",
        entry="d",
    )

    assert "→ SUCCEEDED in attempt 2" == why(retry, "a", plan({"a@1": fail()}))[0]
    assert (
        "→ SUCCEEDED: 1 iterations FAILED, 1 iterations SUCCEEDED"
        == (why(loop, "l", plan({"b[0]": fail()}))[0])
    )
    assert "→ ran in iterations: 2 SUCCEEDED" == why(loop, "b")[0]
    assert "→ SUCCEEDED: chose t (case 1, ${true})" == why(decision, "d")[0]
    assert ["→ SUCCEEDED", "READY because d chose t (case 1, ${true})"] == why(decision, "t")
    assert ["→ PENDING: never reached", "since d chose t (case 1, ${true})"] == why(decision, "u")


def test_skips():
    guard = harness("a <guard when='${1 &gt; 2}'/>")
    timeout = harness("a <timeout duration='PT1S' onTimeout='skip'/>")

    assert "→ SKIPPED: its guard ${1 > 2} was false" == why(guard, "a")[0]
    assert (
        "→ SKIPPED: no end within 1 s (onTimeout=skip)"
        == (why(timeout, "a", plan({"a": {"result": "hang"}}))[0])
    )


def test_failures_handled_and_unhandled():
    doc = harness("a b h", "a->b a-!>h", "a")
    unhandled = harness("a\nb\nu", "a->b a-~>u", "a")
    the_plan = plan({"b": fail("transient")})

    assert ["→ FAILED: not_found the step reported a failure", "handled by h"] == (
        why(doc, "a", plan({"a": fail("not_found")}))[:2]
    )
    assert "READY because a ended FAILED (error edge)" == why(doc, "h", plan({"a": fail()}))[1]
    assert "nothing handles that, so the instance unwound" == why(unhandled, "b", the_plan)[1]
    assert (
        "→ COMPENSATED: it had succeeded and u undid it, since b FAILED"
        == (why(unhandled, "a", the_plan)[0])
    )
    assert ["→ SUCCEEDED", "READY to undo a"] == why(unhandled, "u", the_plan)
    assert ["→ PENDING: never reached", "since only unwinding would start it"] == (
        why(unhandled, "u")
    )


def test_cancellations_name_who_is_to_blame():
    race = harness("a\nb\nj joinPolicy=any", "a->j b->j")
    siblings = harness("a\nb\nc", "b->c")

    assert (
        "→ CANCELLED out of RUNNING: j (any) did not need it any more"
        == (why(race, "b", plan({"b": ok(after=9)}))[0])
    )
    failing = plan({"a": fail(), "b": ok(after=9)})
    assert (
        "→ CANCELLED out of RUNNING: the instance unwound, since a FAILED"
        == (why(siblings, "b", failing)[0])
    )
    assert (
        "→ PENDING: the instance unwound before, since a FAILED" == why(siblings, "c", failing)[0]
    )
    outside = plan({"b": ok(after=9)}, cancel="a SUCCEEDED")
    assert (
        "→ CANCELLED out of RUNNING: the instance was cancelled from outside"
        == (why(siblings, "b", outside)[0])
    )


def test_reasons_lead_back_to_the_first_cause_and_stay_short():
    names = [f"n{number}" for number in range(12)]
    edges = " ".join(f"{a}->{b}" for a, b in itertools.pairwise(names[1:]))
    doc = harness("\n".join(names), f"n0->n1[${{false}}] {edges}")

    assert [
        "→ PENDING: never reached",
        "since n2 was never reached",
        "since n1 was never reached",
        "since n0 ended SUCCEEDED, and ${false} was not true",
    ] == why(doc, "n3")
    assert "and so on" == why(doc, "n11")[-1]


def test_starved_node_names_the_missing_source():
    doc = harness(
        "a\nb <outputs><output name='o'/></outputs>\nc <inputs><input name='i'/></inputs>",
        "a->b[${false}] a->c b=o:i=>c",
    )

    assert "since b was never reached" == why(doc, "c")[1]


def test_run_that_cannot_end_is_explained_too():
    doc = harness("w:wait <wait event='go'/>\nb", "w->b")

    assert "→ RUNNING: still under way, and nothing moves any more" == why(doc, "w")[0]
    assert ["→ PENDING: still waiting, and nothing moves any more", "open: w is RUNNING"] == (
        why(doc, "b")
    )
    assert said(doc, "b")[-1].startswith("no outcome: nothing can move")


def test_codes_without_a_transition_are_told():
    doc = harness("a b", "a->b[${1 + 'x'}]")

    assert "reported HX-4106" == why(doc, "a")[-1][:16]


def test_all_nodes_come_in_the_order_of_the_document():
    lines = list(explain(harness("b a", "b->a"), read_plan(plan())))

    assert ["b (task, line 1)", "a (task, line 1)", "outcome: succeeded"] == [
        line for line in lines if not line.startswith(" ")
    ]
