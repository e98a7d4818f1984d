"""Corners of execution: given-up subworkflows, compensating loops, huge delays, literal texts."""

import json
import math
from dataclasses import replace

import pytest

from reference_runtime.engine.effects import Inner, Transition
from reference_runtime.exploration import explore
from reference_runtime.plans import read_plan
from reference_runtime.script import StuckError, play
from tests.strategies_runtime import document, fail, harness, hold, ok, plan, shown

RAN = "READY RUNNING SUCCEEDED"
FAILED = "READY RUNNING FAILED"
CANCELLED = "READY RUNNING CANCELLED"


def race(child_nodes):
    """A subworkflow that loses a race, and a run of it in which its first node is held."""
    doc = harness(
        "f\na\ns:subworkflow <subworkflow href='c'/>\nj joinPolicy=any",
        "f->a f->s a->j s->j",
        entry="f",
    )
    return doc, {"companions": {"c": document(child_nodes, "x->y", entry="x")}}


def inner(run):
    """Transitions inside of subworkflows, as ``x STATE``."""
    effects = (e.effect for e in run.played.effects if isinstance(e, Inner))
    return [f"{e.node} {e.to}" for e in effects if isinstance(e, Transition)]


def test_step_that_must_finish_does_so_in_a_subworkflow_that_was_given_up():
    doc, given = race("x idempotent=false\ny")
    steps = plan({"s/x": ok(until=hold("idle")), "a": ok(until=hold("s/x RUNNING"))})
    run = shown(doc, steps, **given)

    assert (CANCELLED, RAN, "succeeded") == (run.paths["s"], run.paths["j"], run.outcome)
    assert "x SUCCEEDED" in inner(run)
    assert [] == [entry for entry in inner(run) if entry in {"x CANCELLED", "y RUNNING"}]


def test_step_that_may_be_cancelled_is_in_a_subworkflow_that_was_given_up():
    doc, given = race("x\ny")
    steps = plan({"s/x": {"result": "hang"}, "a": ok(until=hold("s/x RUNNING"))})
    run = shown(doc, steps, **given)

    assert ("succeeded", "x CANCELLED") == (run.outcome, inner(run)[2])


def test_step_that_must_finish_and_is_never_answered_keeps_the_run_open():
    doc, given = race("x idempotent=false\ny")
    steps = plan({"s/x": {"result": "hang"}, "a": ok(until=hold("s/x RUNNING"))})

    with pytest.raises(StuckError, match="not finished: s/x RUNNING"):
        shown(doc, steps, **given)


def undone_by_loop(policy="fail", more="", edges=""):
    loop = f"<loop kind='times' count='3' maxIterations='3' onItemFailure='{policy}'>"
    return harness(
        f"a\nf\nl:loop {loop}<body ref='w'/></loop>\nw{more}", f"a->f a-~>l {edges}", entry="a"
    )


@pytest.mark.parametrize(
    ("policy", "loop", "last", "outcome"),
    [
        ("fail", FAILED, "", "failed"),
        ("break", RAN, "", "compensated"),
        ("continue", RAN, RAN, "compensated"),
    ],
)
def test_failed_iteration_counts_in_a_loop_that_compensates(policy, loop, last, outcome):
    run = shown(undone_by_loop(policy), plan({"f": fail("x"), "w[1]": fail("y")}))

    assert (loop, FAILED, last) == (run.paths["l"], run.paths["w[1]"], run.paths.get("w[2]", ""))
    assert outcome == run.outcome
    assert (outcome == "failed") == ("a!" in run.codes)


def test_handler_of_a_body_runs_in_a_loop_that_compensates():
    doc = undone_by_loop(more="\nh", edges="w-!>h")
    run = shown(doc, plan({"f": fail("x"), "w[1]": fail("y")}))

    assert (RAN, RAN, "compensated") == (run.paths["h[1]"], run.paths["l"], run.outcome)


def test_nothing_follows_a_compensating_node_itself():
    run = shown(harness("a\nf\nu\nn", "a->f a-~>u u->n", entry="a"), plan({"f": fail("x")}))

    assert (RAN, "", "compensated") == (run.paths["u"], run.paths["n"], run.outcome)


@pytest.mark.parametrize(
    ("attributes", "longest"),
    [
        ("multiplier='10' maxDelay='PT1S'", 1),
        ("multiplier='1000'", 1e12),
        ("multiplier='1000' initialDelay='PT0S'", 0),
        ("multiplier='1000' backoff='linear'", 999_000),
    ],
)
def test_delay_stays_a_number_however_often_it_grows(attributes, longest):
    doc = harness(f"a <retry maxAttempts='1000' jitter='false' {attributes}/>\nh", "a-!>h")
    seen = play(doc, read_plan_without_horizon({"a": fail("x")})).transitions()
    times = [(t.to, t.at) for t in seen if t.node == "a" and t.to in {"RETRYING", "READY"}][1:]
    waits = [after[1] - before[1] for before, after in zip(times[::2], times[1::2], strict=True)]

    assert 999 == len(waits)
    assert math.isclose(longest, max(waits), rel_tol=1e-9)


def read_plan_without_horizon(answers):
    return replace(read_plan(plan(answers)), horizon=math.inf)


def test_empty_guard_is_a_text_and_no_boolean():
    run = shown(harness("a <guard when=''/>\nh", "a-!>h"))

    assert (FAILED, "HX-4107", RAN) == (run.paths["a"], run.codes["a"], run.paths["h"])


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        ("integer", "-3", -3),
        ("integer", "2.5", "2.5"),
        ("integer", "1_0", "1_0"),
        ("number", "+5", 5),
        ("number", "1e3", 1000.0),
        ("number", "1_0", "1_0"),
        ("number", "NaN", "NaN"),
        ("number", "inf", "inf"),
        ("number", "1e999", "1e999"),
        ("number", "٣", "٣"),
        ("boolean", "0", False),
        ("boolean", "TRUE", "TRUE"),
        ("json", '{"a": [1, null]}', {"a": [1, None]}),
        ("json", "{", "{"),
        ("json", "NaN", "NaN"),
        ("json", "[" * 9999, "[" * 9999),
        ("json", "[1e999]", "[1e999]"),
        ("json", "[-1e999]", "[-1e999]"),
        ("json", f"[1{'0' * 400}]", f"[1{'0' * 400}]"),
        ("json", f"[1{'0' * 5000}]", f"[1{'0' * 5000}]"),
        ("json", '["\\ud800"]', '["\\ud800"]'),
        ("json", '{"\\udfff": 1}', '{"\\udfff": 1}'),
        ("json", '"\\ud83d\\ude00"', "\U0001f600"),
        ("json", "[" * 60 + "]" * 60, json.loads("[" * 60 + "]" * 60)),
        ("json", "[" * 62 + "]" * 62, "[" * 62 + "]" * 62),
        ("array<json>", "[1e999]", "[1e999]"),
        ("map<string,json>", '{"a": 1e999}', '{"a": 1e999}'),
        ("integer", "1" + "0" * 400, "1" + "0" * 400),
        ("integer", "1" * 5000, "1" * 5000),
        ("number", "1" + "0" * 400, "1" + "0" * 400),
        ("array<integer>", "[1, 2]", [1, 2]),
        ("array<integer>", "{}", "{}"),
        ("map<string,integer>", '{"a": 1}', {"a": 1}),
        ("map<string,integer>", "[]", "[]"),
        ("string", "5", "5"),
        ("pose6d", "5", "5"),
    ],
    ids=lambda value: str(value)[:20],
)
@pytest.mark.parametrize("kind", ["value", "default"])
def test_literal_text_has_the_declared_type_if_it_can(kind, type_, text, value):
    quoted = text.replace("<", "&lt;").replace('"', "&quot;")
    port = (
        f'<input name="v" type="{type_.replace("<", "&lt;")}" required="false" {kind}="{quoted}"/>'
    )
    run = shown(harness(f"a <inputs>{port}</inputs>"))

    assert [("a", {"v": value})] == run.calls
    assert type(value) is type(run.calls[0][1]["v"])


def test_fault_of_a_value_names_input_and_expression():
    doc = harness("a <inputs><input name='v' value='n: ${null + 1}'/></inputs>")
    last = shown(doc).played.transitions()[-1]

    assert ("HX-4106", "input 'v', 'n: ${null + 1}': +: expected numbers, this is null.") == (
        last.code,
        last.message,
    )


def test_array_that_loops_make_deeper_and_deeper_is_a_fault():
    loops = [
        f"l{n}:loop <loop kind='forEach' over='${{[[{'item' if n else '1'}]]}}' maxIterations='1'>"
        f"<body ref='l{n + 1}'/></loop>"
        for n in range(70)
    ]
    doc = harness("\n".join([*loops, "l70"]), entry="l0")
    codes = {t.code for t in shown(doc).played.transitions() if t.code}

    assert {"HX-4106"} == codes


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${artifact('d').lang}", "de"),
        ("${artifact('d').type}", "dataset"),
        ("${artifact('d').uri}", "u:p"),
        ("${resource('r').region}", "eu"),
        ("${resource('r').type}", "queue"),
        ("${resource('r').uri}", "u:a"),
    ],
)
def test_declarations_show_attributes_before_properties(text, value):
    before = (
        "<resources><resource id='r' type='queue' uri='u:a'><property name='region' value='eu'/>"
        "<property name='type' value='no'/><property name='uri' value='u:p'/></resource>"
        "</resources><artifacts><artifact id='d' type='dataset'><property name='lang' value='de'/>"
        "<property name='type' value='no'/><property name='uri' value='u:p'/></artifact>"
        "</artifacts>"
    )
    doc = harness(f"a <inputs><input name='v' value=\"{text}\"/></inputs>", before=before)

    assert [("a", {"v": value})] == shown(doc).calls


def test_every_order_is_tried_of_a_subworkflow_that_may_be_given_up_before_it_began():
    doc, given = race("x\ny")
    found = explore(doc, read_plan(plan()), **given)
    ends = {tuple(b.played.states[node] for node in ("a", "s", "j")) for b in found.behaviours}

    assert found.complete
    assert {
        ("SUCCEEDED", "CANCELLED", "SUCCEEDED"),
        ("CANCELLED", "SUCCEEDED", "SUCCEEDED"),
    } <= ends


def test_subworkflow_that_is_given_up_before_it_began_does_nothing():
    doc, given = race("x\ny")
    found = explore(doc, read_plan(plan()), **given)
    never = [
        b.played
        for b in found.behaviours
        if not any(isinstance(e, Inner) for e in b.played.effects)
    ]

    assert never
    assert all(played.states["s"] == "CANCELLED" for played in never)
