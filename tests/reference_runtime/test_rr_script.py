from dataclasses import replace

import pytest

from reference_runtime.plans import read_plan
from reference_runtime.script import StuckError, play
from tests.strategies_runtime import harness, hold, ok, plan, shown


def test_run_that_nothing_can_move_says_who_is_open():
    doc = harness("a\nb\nw:wait <wait event='go'/>", "a->w")

    with pytest.raises(StuckError, match="b RUNNING, w RUNNING"):
        shown(doc, plan({"b": {"result": "hang"}}))


def test_timer_beyond_the_horizon_is_never_due():
    doc = harness("a <timeout duration='PT1H'/>")

    with pytest.raises(StuckError, match="a RUNNING"):
        shown(doc, plan({"a": {"result": "hang"}}))


def test_timer_beyond_the_horizon_is_due_at_last_where_the_plan_says_so():
    doc = harness("a <timeout duration='PT2H'/>\nb")
    steps = read_plan(plan({"a": {"result": "hang"}, "b": ok(until=hold("idle"))}))
    ends = [
        (t.node, t.to, t.at)
        for t in play(doc, replace(steps, at_last=True)).transitions()
        if t.from_ == "RUNNING"
    ]

    assert [("b", "SUCCEEDED", 0.0), ("a", "FAILED", 7200.0)] == ends
