"""Deviants about concepts, lifecycles and retries whose fault is not in the paths alone."""

import pytest

from reference_runtime.deviants import DEVIANTS
from reference_runtime.deviants.lifecycle import SERIAL
from reference_runtime.document.parser import parse
from reference_runtime.engine.run import Run
from reference_runtime.rules import RULES
from tests.strategies_runtime import document, fail, harness, hold, ok, plan, shown

DONE = "READY RUNNING SUCCEEDED"
OFF = "<guard when='${false}'/>"
ON = "<guard when='${true}'/>"
OUT = "<outputs><output name='x'/></outputs>"
INTO = "<inputs><input name='x'/></inputs>"
OPTIONAL = "<inputs><input name='x' required='false'/></inputs>"
SLOW = "<retry maxAttempts='2' backoff='fixed' initialDelay='PT2S' jitter='false'/>"
RACE = "f->a f->b a->j b->j"
AFTER = plan({"b": ok(until=hold("j SUCCEEDED"))})
ONCE = plan({"a@1": fail("transient")})
FAILS = plan({"a": fail("transient")})


def run(name, nodes, edges="", the_plan=None, **others):
    doc = harness(nodes, edges, **others)
    serial = int(name in SERIAL)
    return shown(doc, the_plan, rules=DEVIANTS[name].rules, open_steps=serial)


def outcomes(name, nodes, edges, the_plan):
    return [
        shown(harness(nodes, edges), the_plan, rules=rules).outcome
        for rules in (RULES, DEVIANTS[name].rules)
    ]


def times(name, nodes):
    ends = []
    for rules in (RULES, DEVIANTS[name].rules):
        played = shown(harness(nodes), ONCE, rules=rules).played
        ends.append(played.transitions()[-1].at)
    return ends


@pytest.mark.parametrize(
    ("name", "delays", "ends"),
    [
        ("fixed_backoff_multiplied", "backoff='fixed' jitter='false'", [2, 4]),
        ("delay_above_limit", "backoff='fixed' jitter='false' maxDelay='PT1S'", [1, 2]),
        ("backoff_not_awaited", "backoff='fixed' jitter='false'", [2, 0]),
    ],
    ids=["formula", "limit", "wait"],
)
def test_wrong_delay_shows_in_time(name, delays, ends):
    nodes = f"a <retry maxAttempts='2' initialDelay='PT2S' {delays}/>"

    assert ends == times(name, nodes)


def test_jitter_on_top_is_longer_than_the_delay():
    right, wrong = times("jitter_added_on_top", "a <retry maxAttempts='2' initialDelay='PT2S'/>")

    assert right <= 2 < wrong


@pytest.mark.parametrize(
    ("name", "nodes", "edges"),
    [
        ("skip_is_no_success", f"a {OFF}", ""),
        ("pending_is_a_failure", f"a {OFF}\nb", "a->b[${false}]"),
    ],
    ids=["skipped", "pending"],
)
def test_outcome_is_failed_without_a_failure(name, nodes, edges):
    assert ["succeeded", "failed"] == outcomes(name, nodes, edges, plan())


def test_step_that_is_not_called_leaves_the_path():
    seen = run("noop_not_called", "a impl=noop")

    assert ({"a": DONE}, []) == (seen.paths, seen.calls)


def test_values_come_from_where_none_are():
    null = run("skipped_outputs_are_null", f"p {OUT}{OFF}\nq {OPTIONAL}", "p=x:x=>q")
    shared = run("outputs_shared_by_name", f"p {OUT}\nq {OPTIONAL}", "p->q", plan({"p": ok(x=1)}))

    assert ([("q", {"x": None})], ("q", {"x": 1})) == (null.calls, shared.calls[1])


def test_ports_are_bound_by_position():
    nodes = "p <outputs><output name='x'/><output name='y'/></outputs>\nq " + INTO
    seen = run("ports_bound_by_position", nodes, "p=y:x=>q", plan({"p": ok(x=1, y=2)}))

    assert ("q", {"x": 1}) == seen.calls[1]


def test_config_is_overwritten_for_the_next_iteration():
    nodes = (
        "a:loop <loop kind='times' count='2' maxIterations='2'><body ref='b'/></loop>\n"
        "b <inputs><input name='y' value='${config.x}'/></inputs>"
        + OUT
        + "<config><property name='x' value='low'/></config>"
    )
    seen = run("config_overwritten", nodes, "", plan({"b": ok(x="high")}), entry="a")

    assert [("b[0]", {"y": "low"}), ("b[1]", {"y": "high"})] == seen.calls


def test_later_case_of_a_target_is_dropped():
    nodes = (
        "d:decision <cases><case when='${false}' to='t'/><case when='${true}' to='t'/>"
        "<otherwise to='u'/></cases>\nt\nu"
    )
    seen = run("later_case_of_target_dropped", nodes, entry="d")

    assert {"d": DONE, "t": "", "u": DONE} == seen.paths


def test_guarded_node_is_skipped_in_the_second_run_of_a_document():
    name, nodes = "skip_remembered_in_next_run", f"a {ON}\nb"
    paths = [run(name, nodes).paths for _ in range(2)]

    assert [{"a": DONE, "b": DONE}, {"a": "READY SKIPPED", "b": DONE}] == paths


def test_resource_of_a_mock_is_refused():
    resources = "<resources><resource id='r' type='service' provider='mock'/></resources>"
    seen = run("mock_resource_refused", "a <resourceRef ref='r'/>", before=resources)

    assert ("READY RUNNING FAILED", []) == (seen.paths["a"], seen.calls)


def test_edge_with_an_extension_is_not_followed():
    source = document("a b", "a->b").replace(
        b'type="control"/>', b'><extension namespace="urn:drawing"/></edge>'
    )
    seen = shown(parse(source).harness, rules=DEVIANTS["drawn_edges_hidden"].rules)

    assert {"a": DONE, "b": ""} == seen.paths


def test_spared_step_is_given_up():
    nodes = "f\na\nb idempotent=false\nj joinPolicy=any"
    seen = run("spared_attempt_not_finished", nodes, RACE, AFTER)

    assert (DONE, ["b"]) == (seen.paths["b"], seen.aborts)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("ready_nodes_left_ready", "READY"),
        ("ready_nodes_rolled_back", "READY COMPENSATED"),
    ],
)
def test_ready_node_of_a_cancelled_instance(name, path):
    seen = run(name, "a b", "", plan({"a": ok(until=hold("idle"))}, cancel="a RUNNING"))

    assert path == seen.paths["b"]


def test_ready_nodes_are_cancelled_by_a_handled_failure():
    seen = run("handled_failure_cancels_ready_nodes", "a b h", "a-!>h", FAILS)

    assert {"a": "READY RUNNING FAILED", "b": "READY CANCELLED", "h": DONE} == seen.paths


def entries(name, field):
    seen = run(name, f"a {SLOW}", "", ONCE)
    return [(t.to, getattr(t, field)) for t in seen.played.transitions()]


def test_trace_is_wrong_where_paths_are_right():
    attempts = [attempt for _, attempt in entries("every_attempt_numbered_one", "attempt")]
    classes = {value for _, value in entries("one_class_for_all_failures", "error_class")}
    moments = [at for _, at in entries("time_runs_backwards", "at")]
    retrying = dict(entries("retrying_written_at_the_end", "at"))["RETRYING"]

    assert ([1] * 6, {None, "internal"}, [0, 0, 0, -2, -2, -2], 2) == (
        attempts,
        classes,
        moments,
        retrying,
    )


@pytest.mark.parametrize(("name", "left"), [(None, 6.0), ("limits_begin_anew", 10.0)])
def test_deviant_forgets_time_in_which_nothing_was_due(name, left):
    rules = RULES if name is None else DEVIANTS[name].rules
    run = Run(harness("a <timeout duration='PT10S'/>"), rules=rules)
    run.start()
    run.step()
    run.advance(4)

    assert left == run.next_timer()
