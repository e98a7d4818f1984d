import pytest

from reference_runtime.script import StuckError
from tests.strategies_runtime import harness, plan, shown


def test_run_that_nothing_can_move_says_who_is_open():
    doc = harness("a\nb\nw:wait <wait event='go'/>", "a->w")

    with pytest.raises(StuckError, match="b RUNNING, w RUNNING"):
        shown(doc, plan({"b": {"result": "hang"}}))


def test_timer_beyond_the_horizon_is_never_due():
    doc = harness("a <timeout duration='PT1H'/>")

    with pytest.raises(StuckError, match="a RUNNING"):
        shown(doc, plan({"a": {"result": "hang"}}))
