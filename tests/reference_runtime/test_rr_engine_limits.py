"""What has no reasonable end is refused with a clear word; depth and width cost no stack."""

import time

import pytest

from reference_runtime.document.model import Edge, Harness, Loop, Node, Port, Wait
from reference_runtime.engine.graph import UnsupportedError
from reference_runtime.engine.loops import MOST_ITERATIONS, MOST_NESTING
from reference_runtime.plans import Plan, read_plan
from reference_runtime.script import play
from tests.strategies_runtime import document, harness, ok, plan, shown

#: Seconds that anything here may take, on a machine that does other things as well.
LIMIT = 30.0


def nested(depth, **fields):
    """Loops inside each other around a task, each with one iteration."""
    loops = [
        Node(f"l{n}", "loop", loop=Loop("times", f"l{n + 1}", 1, count=1), **fields)
        for n in range(depth)
    ]
    return Harness("t", "1.0", (*loops, Node(f"l{depth}", "task")), entry="l0")


@pytest.mark.parametrize("count", [10**12, 10**30])
def test_counted_loop_without_reasonable_end_is_refused_at_once(count):
    loop = Loop("times", "b", count, count=count)
    doc = Harness("t", "1.0", (Node("l", "loop", loop=loop, line=7), Node("b", "task")), entry="l")
    begin = time.monotonic()

    with pytest.raises(
        UnsupportedError, match=r"loop 'l' \(line 7\): more than 100,000 iterations"
    ):
        play(doc, Plan())
    assert time.monotonic() - begin < LIMIT


def test_large_count_beyond_the_bound_is_the_fault_of_the_document():
    run = shown(
        harness(
            "l:loop <loop kind='forEach' over='${a.v}' maxIterations='2'><body ref='b'/></loop>\n"
            "a <outputs><output name='v'/></outputs>\nb",
            "a->l",
            entry="a",
        ),
        plan({"a": ok(v=[0] * (MOST_ITERATIONS + 1))}),
    )

    assert {"l": "HX-4104"} == run.codes


def test_loops_that_test_a_condition_are_bounded_as_well(monkeypatch):
    monkeypatch.setattr("reference_runtime.engine.loops.MOST_ITERATIONS", 1_000)
    doc = harness(
        "l:loop <loop kind='while' while='${true}' maxIterations='1000000000000'>"
        "<body ref='b'/></loop>\nb",
        entry="l",
    )

    with pytest.raises(UnsupportedError, match="more than 1,000 iterations in one run"):
        shown(doc)


def test_iterations_of_nested_loops_are_counted_together(monkeypatch):
    monkeypatch.setattr("reference_runtime.engine.loops.MOST_ITERATIONS", 1_000)
    inner = "m:loop <loop kind='times' count='100' maxIterations='100'><body ref='b'/></loop>"
    outer = "l:loop <loop kind='times' count='{}' maxIterations='100'><body ref='m'/></loop>"

    assert "succeeded" == shown(harness(f"{outer.format(9)}\n{inner}\nb", entry="l")).outcome
    with pytest.raises(UnsupportedError, match="loop 'm'"):
        shown(harness(f"{outer.format(10)}\n{inner}\nb", entry="l"))


def test_loops_nest_deeply_without_stack():
    begin = time.monotonic()
    played = play(nested(MOST_NESTING), Plan())

    assert ("succeeded", "SUCCEEDED") == (played.outcome, played.states["l0"])
    assert time.monotonic() - begin < LIMIT


def test_deeply_nested_loops_are_cancelled_without_stack():
    answers = {"answers": [{"node": f"l{MOST_NESTING}", "result": "ok", "after": 9}]}
    at = {"when": "state", "node": f"l{MOST_NESTING}", "state": "RUNNING"}
    played = play(nested(MOST_NESTING), read_plan({**answers, "cancel": at}))
    cancelled = [t.node for t in played.transitions() if t.to == "CANCELLED"]

    assert [f"l{n}" for n in range(MOST_NESTING, -1, -1)] == cancelled


def test_deeper_nesting_is_refused():
    with pytest.raises(UnsupportedError, match="nested more than 1,000 deep"):
        play(nested(MOST_NESTING + 1), Plan())


def test_values_that_nobody_waits_for_cost_nothing():
    size = 20_000
    waits = [Node(f"w{n}", "wait", wait=Wait(until=f"${{t{n}.v == 1}}")) for n in range(size)]
    tasks = [Node(f"t{n}", "task", outputs=(Port("v"),)) for n in range(size)]
    answers = [
        {"node": f"t{n}", "result": "ok", "outputs": {"v": 1}, "hold": {"when": "idle"}}
        for n in range(size)
    ]
    begin = time.monotonic()
    played = play(Harness("t", "1.0", (*waits, *tasks)), read_plan({"answers": answers}))

    assert "succeeded" == played.outcome
    assert time.monotonic() - begin < LIMIT


def test_events_reach_those_that_wait_for_them():
    size = 20_000
    waits = [Node(f"w{n}", "wait", wait=Wait(event=f"e{n}")) for n in range(size)]
    events = [{"name": f"e{n}", "at": {"when": "idle"}} for n in range(size)]
    begin = time.monotonic()
    played = play(Harness("t", "1.0", tuple(waits)), read_plan({"events": events}))

    assert "succeeded" == played.outcome
    assert time.monotonic() - begin < LIMIT


def test_long_chain_of_failing_conditions_ends():
    size = 40_000
    nodes = tuple(Node(f"n{i}", "task") for i in range(size))
    edges = [Edge(f"n{i}", f"n{i + 1}") for i in range(size - 1)]
    edges[0] = Edge("n0", "n1", condition="${false}")
    begin = time.monotonic()
    played = play(Harness("t", "1.0", nodes, tuple(edges)), Plan())

    assert size - 1 == list(played.states.values()).count("PENDING")
    assert time.monotonic() - begin < LIMIT


def test_many_subworkflows_cost_no_more_than_many_nodes():
    size = 2_000
    loop = f"<loop kind='times' count='{size}' maxIterations='{size}'><body ref='s'/></loop>"
    doc = harness(f"l:loop {loop}\ns:subworkflow <subworkflow href='c'/>", entry="l")
    begin = time.monotonic()
    run = shown(doc, companions={"c": document("x y", "x->y")})

    assert ("succeeded", "READY RUNNING SUCCEEDED") == (run.outcome, run.paths[f"s[{size - 1}]"])
    assert time.monotonic() - begin < LIMIT
