"""Subworkflows: what is loaded, what goes in and out, and how ends travel between instances."""

import hashlib

import pytest

from reference_runtime.engine.effects import Inner, Transition
from reference_runtime.exploration import explore
from reference_runtime.plans import read_plan
from reference_runtime.rules import RULES
from reference_runtime.scheduler import SeededRandom
from tests.strategies_runtime import document, fail, harness, ok, plan, shown

SUB = "s:subworkflow <subworkflow href='c.hxml'/>"
CHILD = document("x y", "x->y", entry="x")

#: A child that passes data on: from its source to its sink, and a task that nothing follows.
PIPE = document(
    "in:source <outputs><output name='v'/></outputs>\n"
    "out:sink <inputs><input name='w'/></inputs>\n"
    "last <inputs><input name='v' required='false'/></inputs><outputs><output name='r'/></outputs>",
    "in=v:w=>out in->last",
)


def sub(attributes="", *, ports="", retry="", href="c.hxml"):
    return f"s:subworkflow {attributes}{ports}{retry}<subworkflow href='{href}'/>"


def inner(run):
    """Transitions inside, as ``s/x STATE``."""
    effects = (e for e in run.played.effects if isinstance(e, Inner))
    return [
        f"{'/'.join(e.within)}/{e.effect.node} {e.effect.to}"
        for e in effects
        if isinstance(e.effect, Transition)
    ]


def test_child_runs_inside_its_node():
    doc = harness(f"a\n{SUB}\nb", "a->s s->b", entry="a")
    run = shown(doc, companions={"c.hxml": CHILD})

    assert "READY RUNNING SUCCEEDED" == run.paths["s"] == run.paths["b"]
    assert ["s/x READY", "s/x RUNNING", "s/x SUCCEEDED", "s/y READY"] == inner(run)[:4]
    assert ["a", "b"] == [node for node, _ in run.calls]
    assert "succeeded" == run.outcome


def test_trace_has_nodes_of_the_main_document_only():
    doc = harness(SUB)
    run = shown(doc, companions={"c.hxml": document("s")})

    assert ["READY", "RUNNING", "SUCCEEDED"] == [t.to for t in run.played.transitions()]


@pytest.mark.parametrize(
    ("companions", "reason"),
    [
        ({}, "no document 'c.hxml' was given"),
        ({"c.hxml": document("x", "x->z")}, "is invalid: HX-2001 in line 1"),
        ({"c.hxml": b"<"}, "is invalid: HX-1001"),
    ],
    ids=["missing", "invalid", "malformed"],
)
def test_child_that_cannot_be_loaded_fails_its_node(companions, reason):
    doc = harness(f"a\n{SUB}\nh", "a->s s-!>h", entry="a")
    run = shown(doc, companions=companions)

    assert "READY RUNNING FAILED" == run.paths["s"]
    assert ({"s": "HX-4109"}, "succeeded") == (run.codes, run.outcome)
    assert reason in run.played.transitions()[5].message


@pytest.mark.parametrize(
    ("digest", "codes"),
    [
        (f"sha256:{hashlib.sha256(CHILD).hexdigest()}", {}),
        (f"SHA-256:{hashlib.sha256(CHILD).hexdigest().upper()}", {}),
        (f"sha512:{hashlib.sha512(CHILD).hexdigest()}", {}),
        (f"sha256:{'0' * 64}", {"s": "HX-4109"}),
        ("crc99:1234", {"s": "HX-4109"}),
        ("shake_128:00", {"s": "HX-4109"}),
    ],
    ids=[
        "right",
        "spelt-otherwise",
        "another-algorithm",
        "wrong",
        "unknown-algorithm",
        "no-length",
    ],
)
def test_digest_is_compared(digest, codes):
    doc = harness(f"s:subworkflow <subworkflow href='c.hxml' digest='{digest}'/>")

    assert codes == shown(doc, companions={"c.hxml": CHILD}).codes


def test_inputs_enter_at_sources_and_outputs_leave_at_sinks_and_ends():
    ports = (
        "<inputs><input name='v' value='7' type='integer'/></inputs>"
        "<outputs><output name='w'/><output name='r'/><output name='none'/></outputs>"
    )
    doc = harness(
        f"{sub(ports=ports)}\nb <inputs><input name='w'/><input name='r'/></inputs>",
        "s=w:w=>b s=r:r=>b",
    )
    run = shown(doc, plan({"s/last": ok(r="done")}), companions={"c.hxml": PIPE})

    assert [("b", {"w": 7, "r": "done"})] == run.calls


def test_input_that_nothing_inside_feeds_takes_the_outer_value_before_its_default():
    child = document(
        "x <inputs><input name='v' required='false' default='d'/>"
        "<input name='u' required='false' default='d'/></inputs>"
    )
    doc = harness(sub(ports="<inputs><input name='v' value='o'/></inputs>"))
    run = shown(doc, companions={"c.hxml": child})
    (call,) = [e.effect for e in run.played.effects if isinstance(e, Inner)][2:3]

    assert {"v": "o", "u": "d"} == call.inputs


def test_failing_child_fails_its_attempt_with_the_class_of_the_failure():
    doc = harness(sub(retry="<retry maxAttempts='3' backoff='none' retryOn='transient'/>"))
    answers = {"s/x@1": fail("transient")}
    once = shown(doc, plan(answers), companions={"c.hxml": document("x")})
    other = shown(doc, plan({"s/x": fail("not_found")}), companions={"c.hxml": document("x")})

    assert "READY RUNNING FAILED" == other.paths["s"]
    assert "not_found" == other.played.transitions()[-1].error_class
    assert "node 'x'" in other.played.transitions()[-1].message
    assert "READY RUNNING RETRYING READY RUNNING RETRYING READY RUNNING FAILED" == once.paths["s"]


def test_child_that_was_compensated_fails_its_node():
    child = document("x y u", "x->y x-~>u", entry="x")
    run = shown(harness(SUB), plan({"s/y": fail()}), companions={"c.hxml": child})

    assert "s/x COMPENSATED" in inner(run)
    assert ("READY RUNNING FAILED", "failed") == (run.paths["s"], run.outcome)
    assert run.played.transitions()[-1].message.startswith("subworkflow compensated: node 'y'")


def test_handled_failure_inside_is_none_outside():
    child = document("x h", "x-!>h", entry="x")
    run = shown(harness(SUB), plan({"s/x": fail()}), companions={"c.hxml": child})

    assert "READY RUNNING SUCCEEDED" == run.paths["s"]


@pytest.mark.parametrize(
    ("idempotent", "path", "within"),
    [("true", "CANCELLED", "CANCELLED"), ("false", "SUCCEEDED", "SUCCEEDED")],
)
def test_unwinding_cancels_the_child_of_an_idempotent_node_only(idempotent, path, within):
    doc = harness(f"f\n{sub(f'idempotent={idempotent} ')}")
    answers = {"f": fail(after=5), "s/x": ok(after=9)}
    run = shown(doc, plan(answers), companions={"c.hxml": document("x")})

    assert f"READY RUNNING {path}" == run.paths["s"]
    assert f"s/x {within}" == inner(run)[-1]
    assert "failed" == run.outcome


def test_timeout_ends_the_child():
    doc = harness(sub(retry="<timeout duration='PT2S' onTimeout='skip'/>") + "\nb", "s->b")
    run = shown(doc, plan({"s/x": ok(after=9)}), companions={"c.hxml": document("x")})

    assert ("READY RUNNING SKIPPED", "s/x CANCELLED") == (run.paths["s"], inner(run)[-1])
    assert "READY RUNNING SUCCEEDED" == run.paths["b"]


def test_external_cancel_reaches_the_child():
    run = shown(
        harness(SUB),
        plan({"s/x": ok(after=9)}, cancel="s RUNNING"),
        companions={"c.hxml": CHILD},
    )

    assert ("READY RUNNING CANCELLED", "cancelled") == (run.paths["s"], run.outcome)
    assert "SUCCEEDED" not in " ".join(inner(run))


def test_compensation_of_the_node_does_not_look_into_the_child():
    doc = harness(f"{SUB}\nf\nu", "s->f s-~>u", entry="s")
    run = shown(doc, plan({"f": fail()}), companions={"c.hxml": document("x y", "x-~>y")})

    assert "READY RUNNING SUCCEEDED COMPENSATED" == run.paths["s"]
    assert ["s/x READY", "s/x RUNNING", "s/x SUCCEEDED"] == inner(run)


def test_time_and_events_pass_inside_as_well():
    child = document(
        "w:wait <wait duration='PT5S'/>\nv:wait <wait event='go'/>\n"
        "r <retry maxAttempts='2' backoff='fixed' initialDelay='PT3S' jitter='false'/>"
    )
    doc = harness(f"{SUB}\nb")
    answers = {"s/r@1": fail(), "b": ok(after=1)}
    run = shown(doc, plan(answers, events=[("go", "b SUCCEEDED")]), companions={"c.hxml": child})
    at = {
        f"{e.effect.node} {e.effect.to}": e.effect.at
        for e in run.played.effects
        if isinstance(e, Inner) and isinstance(e.effect, Transition)
    }

    assert (5, 1, 3) == (at["w SUCCEEDED"], at["v SUCCEEDED"], at["r SUCCEEDED"])
    assert "READY RUNNING SUCCEEDED" == run.paths["s"]


def test_environment_is_the_same_inside():
    child = document(
        "x <resourceRef ref='r'/>", before="<resources><resource id='r' type='queue'/></resources>"
    )
    run = shown(harness(SUB), plan(unresolvable=["r"]), companions={"c.hxml": child})

    assert "READY RUNNING FAILED" == run.paths["s"]
    assert "HX-4102" in run.played.transitions()[-1].message


def test_each_iteration_has_a_child_of_its_own():
    doc = harness(
        f"l:loop <loop kind='times' count='3' maxIterations='3' maxConcurrency='2'"
        f" onItemFailure='continue'><body ref='s'/></loop>\n{SUB}",
        entry="l",
    )
    run = shown(doc, companions={"c.hxml": CHILD})

    assert ["READY RUNNING SUCCEEDED"] * 3 == [run.paths[f"s[{number}]"] for number in range(3)]
    assert 3 == inner(run).count("s/y SUCCEEDED")


def test_any_join_cancels_a_losing_child():
    doc = harness(f"a\n{SUB}\nj joinPolicy=any", "a->j s->j")
    run = shown(doc, plan({"s/x": ok(after=9)}), companions={"c.hxml": CHILD})

    assert "READY RUNNING CANCELLED" == run.paths["s"]


def test_recursion_is_found_when_it_happens():
    loop = document("s:subworkflow <subworkflow href='d.hxml'/>")
    back = document("s:subworkflow <subworkflow href='c.hxml'/>")
    run = shown(harness(SUB), companions={"c.hxml": loop, "d.hxml": back})

    assert "READY RUNNING FAILED" == run.paths["s"]
    assert "HX-4109 document 'c.hxml' would run inside of itself" in (
        run.played.transitions()[-1].message
    )


def nested(depth):
    """Companions in which each names the next."""
    last = {f"c{depth}": document("x")}
    return last | {
        f"c{n}": document(f"s:subworkflow <subworkflow href='c{n + 1}'/>") for n in range(depth)
    }


@pytest.mark.parametrize(
    ("depth", "state"), [(2, "SUCCEEDED"), (900, "SUCCEEDED"), (1_100, "FAILED")]
)
def test_nesting_costs_no_stack_and_has_an_end(depth, state):
    run = shown(harness("s:subworkflow <subworkflow href='c0'/>"), companions=nested(depth))

    assert f"READY RUNNING {state}" == run.paths["s"]


def test_cancelling_a_deep_nesting_costs_no_stack():
    doc = harness("s:subworkflow <subworkflow href='c0'/>")
    deepest = "/".join(["s"] * 501 + ["x"])
    run = shown(
        doc, plan({deepest: ok(after=9)}, cancel=f"{deepest} RUNNING"), companions=nested(500)
    )

    assert ("READY RUNNING CANCELLED", "cancelled") == (run.paths["s"], run.outcome)
    assert f"{deepest} CANCELLED" == inner(run)[-1]


def test_relative_reference_is_resolved_against_the_document_that_has_it():
    companions = {
        "https://x.example/a/c.hxml": document("s:subworkflow <subworkflow href='../b/d.hxml'/>"),
        "https://x.example/b/d.hxml": document("x"),
    }
    doc = harness(sub(href="https://x.example/a/c.hxml"))

    assert "succeeded" == shown(doc, companions=companions).outcome


@pytest.mark.parametrize("seed", range(5))
def test_any_order_gives_the_same_end(seed):
    doc = harness(f"a\n{SUB}\nt:subworkflow <subworkflow href='c.hxml'/>\nb", "a->b s->b t->b")
    run = shown(doc, companions={"c.hxml": PIPE}, scheduler=SeededRandom(seed))

    assert {"READY RUNNING SUCCEEDED"} == set(run.paths.values())


def test_exploration_goes_into_children():
    child = document("x\ny\nj joinPolicy=any", "x->j y->j")
    found = explore(harness(SUB), read_plan(plan()), companions={"c.hxml": child})

    assert (True, ["succeeded"]) == (
        found.complete,
        [behaviour.played.outcome for behaviour in found.behaviours],
    )


def test_stuck_child_keeps_its_node_running():
    child = document("w:wait <wait event='never'/>")

    with pytest.raises(Exception, match="s RUNNING"):
        shown(harness(SUB), companions={"c.hxml": child})


def test_digest_rule_is_one_rule():
    assert RULES.children.intact(b"", None)
