"""Wait nodes; expectations are read off §3.2.9 and §8.2."""

from tests.strategies_runtime import harness, ok, plan, shown

RAN = "READY RUNNING SUCCEEDED"


def test_duration_passes_on_the_virtual_clock():
    run = shown(harness("w:wait <wait duration='PT30S'/>\nb", "w->b"))

    assert [0, 0, 30, 30, 30, 30] == [t.at for t in run.played.transitions()]


def test_true_condition_ends_the_wait_at_once():
    assert RAN == shown(harness("w:wait <wait until='${true}'/>")).paths["w"]


def test_condition_is_looked_at_again_when_values_appear():
    doc = harness("b <outputs><output name='x'/></outputs>\nw:wait <wait until='${b.x == 1}'/>")
    run = shown(doc, plan({"b": ok(x=1, after=5)}))

    assert (RAN, 5) == (run.paths["w"], run.played.transitions()[-1].at)


def test_faulty_condition_fails_the_node():
    doc = harness("w:wait <wait until='${1}'/>\nh", "w-!>h")

    assert {"w": "HX-4107"} == shown(doc).codes


def test_event_ends_the_wait_for_it_only():
    doc = harness("w:wait <wait event='go'/>\nv:wait <wait event='stop'/>")
    run = shown(doc, plan(events=[("go", "idle"), ("stop", "w SUCCEEDED")]))

    assert {"w": RAN, "v": RAN} == run.paths


def test_timeout_limits_the_wait():
    doc = harness("w:wait <timeout duration='PT5S'/><wait event='go'/>\nh", "w-!>h")
    run = shown(doc)

    assert ("READY RUNNING FAILED", {"w": "HX-4108"}) == (run.paths["w"], run.codes)
