import pytest

from reference_runtime.document.model import Harness, Node
from reference_runtime.engine.graph import UnsupportedError
from reference_runtime.plans import Plan
from reference_runtime.script import StuckError, play
from tests.strategies_runtime import harness, plan, shown


def test_run_that_nothing_can_move_says_who_is_open():
    doc = harness("a\nb\nw:wait <wait event='go'/>", "a->w")

    with pytest.raises(StuckError, match="b RUNNING, w RUNNING"):
        shown(doc, plan({"b": {"result": "hang"}}))


def test_timer_beyond_the_horizon_is_never_due():
    doc = harness("a <timeout duration='PT1H'/>")

    with pytest.raises(StuckError, match="a RUNNING"):
        shown(doc, plan({"a": {"result": "hang"}}))


def test_node_type_that_is_not_executed_is_refused_with_its_place():
    doc = Harness("t", "1.0", (Node("s", "subworkflow", line=7),))

    with pytest.raises(UnsupportedError, match=r"'s' \(line 7\).*subworkflow"):
        play(doc, Plan())
