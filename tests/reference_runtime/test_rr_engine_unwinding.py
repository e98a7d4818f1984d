"""Unwinding, compensation, cancellation; expectations are read off §5.7, §5.8, §6.2 and §8.4."""

import pytest

from tests.strategies_runtime import fail, harness, hold, ok, plan, shown

RAN = "READY RUNNING SUCCEEDED"
FAILED = "READY RUNNING FAILED"
UNDONE = "READY RUNNING SUCCEEDED COMPENSATED"


def test_unhandled_failure_stops_everything():
    retry = "<retry maxAttempts='2' backoff='fixed' initialDelay='PT1H' jitter='false'/>"
    nodes = f"f\na\nb\nn idempotent=false\nr {retry}\nafter\nnext"
    doc = harness(nodes, "n->after b->next f..>after")
    answers = {
        "f": fail("internal", until=hold("r RETRYING")),
        "b": {"result": "hang"},
        "n": ok(until=hold("b CANCELLED")),
        "r": fail("transient"),
    }
    run = shown(doc, plan(answers))

    assert {
        "f": FAILED,
        "a": RAN,
        "b": "READY RUNNING CANCELLED",
        "n": RAN,
        "r": "READY RUNNING RETRYING CANCELLED",
        "after": "",
        "next": "",
    } == run.paths
    assert (["b"], "failed") == (run.aborts, run.outcome)


def test_ready_nodes_of_a_serial_runtime_are_cancelled():
    run = shown(harness("a b"), plan({"a": fail("internal")}), open_steps=1)

    assert {"a": FAILED, "b": "READY CANCELLED"} == run.paths


def test_compensation_runs_in_reverse_completion_order():
    doc = harness("a b f ua ub", "a->f b->f a-~>ua b-~>ub")
    run = shown(doc, plan({"f": fail("x"), "a": ok(until=hold("b SUCCEEDED"))}))

    first, done, second = run.order("ua:SUCCEEDED", "a:COMPENSATED", "ub:READY")

    assert {"a": UNDONE, "b": UNDONE, "f": FAILED, "ua": RAN, "ub": RAN} == run.paths
    assert first < done < second
    assert "compensated" == run.outcome


def test_node_without_compensation_edge_stays_succeeded():
    run = shown(harness("a b f u", "a->b b->f a-~>u"), plan({"f": fail("x")}))

    assert ({"a": UNDONE, "b": RAN, "f": FAILED, "u": RAN}, "compensated") == (
        run.paths,
        run.outcome,
    )


def test_failed_compensation_leaves_its_source_and_the_others_go_on():
    doc = harness("a b f ua ub", "a->b b->f a-~>ua b-~>ub")
    run = shown(doc, plan({"f": fail("x"), "ub": fail("y")}))

    assert (UNDONE, RAN, FAILED) == (run.paths["a"], run.paths["b"], run.paths["ub"])
    assert ("failed", {"b!": "HX-4110"}) == (run.outcome, run.codes)


def test_compensating_node_is_retried_and_reads_its_source():
    nodes = (
        "a <outputs><output name='id'/></outputs>\nf\n"
        "u <inputs><input name='id' value='${a.id}'/></inputs><retry maxAttempts='2'/>"
    )
    run = shown(
        harness(nodes, "a->f a-~>u"), plan({"a": ok(id=7), "f": fail("x"), "u@1": fail("y")})
    )

    assert [("u", {"id": 7})] * 2 == run.calls[-2:]
    assert "compensated" == run.outcome


def test_false_condition_keeps_a_source_from_being_compensated():
    run = shown(harness("a f u", "a->f a-~>u[${false}]"), plan({"f": fail("x")}))

    assert {"a": RAN, "f": FAILED, "u": ""} == run.paths


def test_clean_run_and_handled_failure_compensate_nothing():
    doc = harness("a f u h", "a->f a-~>u f-!>h")

    assert ["", ""] == [
        shown(doc, the_plan).paths["u"] for the_plan in (plan(), plan({"f": fail("x")}))
    ]


def test_external_cancel_ends_everything_but_non_idempotent_steps():
    doc = harness("a\nn idempotent=false\nb\nz\nu", "a->b a-~>u a->z[${false}]")
    answers = {"a": {"result": "hang"}, "n": ok(until=hold("a CANCELLED"))}
    run = shown(doc, plan(answers, cancel="idle"))

    assert {
        "a": "READY RUNNING CANCELLED",
        "n": RAN,
        "b": "CANCELLED",
        "z": "CANCELLED",
        "u": "",
    } == run.paths
    assert ("cancelled", ["a"]) == (run.outcome, run.aborts)


@pytest.mark.parametrize("point", ["b RUNNING", "idle"], ids=["at-state", "at-idle"])
def test_external_cancel_compensates_nothing(point):
    doc = harness("a b u", "a->b a-~>u")
    run = shown(doc, plan({"b": {"result": "hang"}}, cancel=point))

    assert {"a": RAN, "b": "READY RUNNING CANCELLED", "u": ""} == run.paths


def test_nothing_starts_after_unwinding_began():
    doc = harness("f\nn idempotent=false\nafter\nh", "n->after n-!>h f..>after")
    answers = {"f": fail("x"), "n": fail("y", until=hold("f FAILED"))}

    assert ("", "") == tuple(shown(doc, plan(answers)).paths[node] for node in ("after", "h"))


def test_failed_compensation_is_recorded_when_nothing_comes_after_it():
    run = shown(harness("a b u", "a->b a-~>u"), plan({"b": fail(), "u": fail()}))

    assert ("failed", {"a!": "HX-4110"}) == (run.outcome, run.codes)


SPARED = (
    "l:loop idempotent=false "
    "<loop maxIterations='9' kind='times' count='3'{}><body ref='b'/></loop>"
)
ENDS = [
    pytest.param({"q": fail("x", until=hold("b[1] RUNNING"))}, {}, "failed", id="unwinding"),
    pytest.param({"q": ok()}, {"cancel": "b[1] RUNNING"}, "cancelled", id="cancelled"),
]


@pytest.mark.parametrize(("answers", "more", "outcome"), ENDS)
def test_loop_that_has_to_finish_does_so_with_all_iterations(answers, more, outcome):
    doc = harness(SPARED.format("") + "\nb\nq\nz", "l->z")
    run = shown(doc, plan({"b[1]": ok(until=hold("idle")), **answers}, **more))

    finished = [run.paths[f"b[{number}]"] for number in range(3)]

    assert ["READY RUNNING SUCCEEDED"] * 3 == finished
    assert "READY RUNNING SUCCEEDED" == run.paths["l"]
    assert outcome == run.played.outcome


@pytest.mark.parametrize(("answers", "more", "outcome"), ENDS)
@pytest.mark.parametrize(("policy", "end"), [("fail", "FAILED"), ("break", "SUCCEEDED")])
def test_failed_iteration_ends_a_loop_that_has_to_finish(answers, more, outcome, policy, end):
    doc = harness(SPARED.format(f" onItemFailure='{policy}'") + "\nb idempotent=false\nq")
    run = shown(doc, plan({"b[1]": fail("y", until=hold("idle")), **answers}, **more))

    assert f"READY RUNNING {end}" == run.paths["l"]
    assert "b[2]" not in run.paths
    assert outcome == run.played.outcome
