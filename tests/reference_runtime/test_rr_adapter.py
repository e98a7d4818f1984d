import asyncio
import importlib
import inspect

import pytest

import reference_runtime
from reference_runtime import adapter as module
from reference_runtime.adapter import Interactive, Scripted, adapter, scripted, serial
from tests.strategies_runtime import document, fail, hold, ok, plan

VALID = document("a b", "a->b", entry="a")
INVALID = document("a", "a->z")


class Session:
    """Stands in for the suite: answers calls in order, then does what it was told."""

    def __init__(self, answers=None, *, then=(), unresolvable=(), refused=(), companions=None):
        self.unresolvable = unresolvable
        self.bad_digests = ()
        self.refused = refused
        self.secrets = {}
        self.companions = companions or {}
        self.answers = answers or {}
        self.then = list(then)
        self.inbox = []
        self.trace = []
        self.calls = []
        self.open = set()
        self.most = 0
        self.aborted = []
        self.timers = []

    def transition(self, node, from_, to, **fields):
        self.trace.append((node, from_, to, {k: v for k, v in fields.items() if v is not None}))

    def invoke(self, node, inputs, *, iteration, attempt):
        call = len(self.calls) + 1
        self.calls.append((node, inputs, iteration, attempt))
        self.open.add(call)
        self.most = max(self.most, len(self.open))
        answer = self.answers.get(node, {"result": "ok", "outputs": {}})
        if answer is not None:
            self.inbox.append({"type": "outcome", "call": call, **answer})
        return call

    def abort(self, call):
        self.open.discard(call)
        self.aborted.append(call)

    async def receive(self, timer=None):
        if not self.inbox:
            self.timers.append(timer)
            return self.then.pop(0)
        message = self.inbox.pop(0)
        self.open.discard(message["call"])
        return message

    def invalid(self, findings):
        return ("invalid", findings)


def paths(session):
    found = {}
    for node, _, to, _ in session.trace:
        found.setdefault(node, []).append(to)
    return {node: " ".join(states) for node, states in found.items()}


def run(doc, session=None, target=adapter):
    session = session or Session()
    return asyncio.run(target.run(doc, session)), session


RAN = "READY RUNNING SUCCEEDED"


def test_interactive_run_reports_transitions_calls_and_outcome():
    result, session = run(VALID)

    assert {"outcome": "succeeded", "codes": []} == result
    assert {"a": RAN, "b": RAN} == paths(session)
    assert ("a", "READY", "RUNNING", {"iteration": (), "attempt": 1, "at": 0.0}) == session.trace[1]
    assert [("a", {}, (), 1), ("b", {}, (), 1)] == session.calls


def test_running_is_reported_before_the_call():
    _, session = run(VALID)
    states = [to for _, _, to, _ in session.trace]

    assert states.index("RUNNING") < states.index("SUCCEEDED")


def test_invalid_document_is_not_executed():
    (kind, findings), session = run(INVALID)

    assert ("invalid", ["HX-2001"]) == (kind, [finding["code"] for finding in findings])
    assert [] == session.trace


def test_failure_carries_class_and_message():
    answer = {"result": "fail", "errorClass": "transient", "message": "no"}
    result, session = run(VALID, Session({"a": answer}))

    assert "failed" == result["outcome"]
    assert ("transient", "no") == (
        session.trace[-1][3]["error_class"],
        session.trace[-1][3]["message"],
    )


def test_timer_is_announced_and_time_advanced():
    doc = document("w:wait <wait duration='PT30S'/>")
    result, session = run(doc, Session(then=[{"type": "advance", "seconds": 30}]))

    assert ("succeeded", [30]) == (result["outcome"], session.timers)
    assert 30 == session.trace[-1][3]["at"]


def test_event_and_cancel_reach_the_run():
    doc = document("w:wait <wait event='go'/>\nb", "w->b")
    messages = [{"type": "event", "name": "go"}, {"type": "cancel"}]
    result, session = run(doc, Session({"b": None}, then=messages))

    assert ("cancelled", [1]) == (result["outcome"], session.aborted)
    assert {"w": RAN, "b": "READY RUNNING CANCELLED"} == paths(session)


def test_late_answer_to_an_aborted_call_is_ignored():
    doc = document("f\na\nb\nj joinPolicy=any", "f->a f->b a->j b->j")
    result, session = run(doc)

    assert ("succeeded", "READY RUNNING CANCELLED") == (result["outcome"], paths(session)["b"])
    assert [3] == session.aborted


def test_unresolvable_resource_shows_its_code():
    doc = document(
        "a <resourceRef ref='r'/>", before="<resources><resource id='r' type='queue'/></resources>"
    )
    _, session = run(doc, Session(unresolvable=("r",)))

    assert "HX-4102" == session.trace[-1][3]["code"]


def test_code_without_a_transition_comes_with_the_end():
    doc = document("a <outputs><output name='n'/></outputs>\nb", "a->b[${a.n}]")
    result, _ = run(doc, Session({"a": {"result": "ok", "outputs": {"n": 1}}}))

    assert [{"code": "HX-4107", "node": "a"}] == result["codes"]


@pytest.mark.parametrize(
    ("target", "most"), [(adapter, 3), (serial, 1)], ids=["unlimited", "serial"]
)
def test_open_steps_are_what_is_declared(target, most):
    _, session = run(document("a b c"), target=target)

    assert most == session.most
    assert {3: 0, 1: 1}[most] == target.describe()["openSteps"]


def test_iterations_are_named_by_loop_and_index():
    doc = document(
        "l:loop <loop kind='times' count='1' maxIterations='1'><body ref='b'/></loop>\nb", entry="l"
    )
    _, session = run(doc)

    assert [("b", {}, (("l", 0),), 1)] == session.calls


def test_scripted_run_returns_everything_at_once():
    result = scripted.run(VALID, plan({"b": fail("internal")}))
    calls = [entry for entry in result["transitions"] if entry.get("type") == "invoke"]

    assert ("failed", []) == (result["outcome"], result["codes"])
    assert [("a", 1), ("b", 2)] == [(call["node"], call["call"]) for call in calls]
    assert ("b", "FAILED", "internal") == tuple(
        result["transitions"][-1][name] for name in ("node", "to", "errorClass")
    )


def test_scripted_abort_and_iteration_are_shown():
    doc = document(
        "a\nl:loop <loop kind='times' count='1' maxIterations='1'><body ref='b'/></loop>\nb\n"
        "j joinPolicy=any\ns",
        "s->a s->l a->j l->j",
        entry="s",
    )
    result = scripted.run(doc, plan({"b": ok(until=hold("j SUCCEEDED"))}))

    assert {"type": "abort", "call": 3} in result["transitions"]
    assert [{"loop": "l", "index": 0}] in [e.get("iteration") for e in result["transitions"]]


def test_scripted_run_of_an_invalid_document_gives_findings():
    assert ["HX-2001"] == [finding["code"] for finding in scripted.run(INVALID, {})["findings"]]


def test_validate_gives_place_and_code():
    assert [] == adapter.validate(VALID)

    (finding,) = adapter.validate(INVALID)

    assert ("HX-2001", "error", 1) == (finding["code"], finding["severity"], finding["line"])


def test_random_variants_differ_by_seed_and_repeat():
    doc = document("a b c d e f")
    orders = [
        [call[0] for call in run(doc, target=getattr(module, name))[1].calls]
        for name in ("random_1", "random_1", "random_2", "random_3")
    ]

    assert orders[0] == orders[1]
    assert 1 < len({tuple(order) for order in orders})


def test_control_follows_from_the_kind_of_run():
    assert inspect.iscoroutinefunction(adapter.run)
    assert not inspect.iscoroutinefunction(scripted.run)
    assert ["core", "executing", "full"] == adapter.describe()["levels"]
    assert {"iterations", "calls"} == set(scripted.describe()["features"]) - set(
        adapter.describe()["features"]
    )


def test_package_offers_the_adapters_however_it_is_loaded():
    assert isinstance(reference_runtime.serial, Interactive)
    assert isinstance(reference_runtime.scripted, Scripted)
    assert isinstance(reference_runtime.random_4, Interactive)
    assert adapter.describe() == importlib.import_module("reference_runtime").adapter.describe()
    assert inspect.iscoroutinefunction(module.run)


@pytest.mark.parametrize("place", [reference_runtime, module], ids=["package", "module"])
def test_unknown_variant_is_named(place):
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = place.nonsense


SUB = document("s:subworkflow <subworkflow href='c'/>\nb", "s->b", entry="s")
CHILD = document(
    "x <outputs><output name='o'/></outputs>\ny <inputs><input name='i'/></inputs>", "x=o:i=>y"
)


@pytest.mark.parametrize("target", [adapter, serial], ids=["adapter", "serial"])
def test_steps_inside_subworkflows_are_answered_without_the_suite(target):
    result, session = run(SUB, Session(companions={"c": CHILD}), target)

    assert "succeeded" == result["outcome"]
    assert {"s": RAN, "b": RAN} == paths(session)
    assert ["b"] == [call[0] for call in session.calls]


def test_subworkflow_without_its_document_fails_with_its_code():
    _, session = run(SUB)

    assert "HX-4109" == session.trace[-1][3]["code"]


def test_scripted_run_gets_the_companions():
    shown = scripted.run(SUB, plan(), {"c": CHILD})

    assert "succeeded" == shown["outcome"]
    assert {"s", "b"} == {fields["node"] for fields in shown["transitions"] if "node" in fields}


def test_refusals_reach_the_run():
    doc = document("a <security principal='me'/>")
    _, session = run(doc, Session(refused=("principal:me",)))
    refused = scripted.run(doc, plan(refused=["isolation:vm", "principal:me"]))

    assert "HX-4201" == session.trace[-1][3]["code"]
    assert "HX-4201" == refused["transitions"][-1]["code"]


@pytest.mark.parametrize("target", ["interactive", "scripted"])
def test_unsigned_document_is_refused_without_a_transition(target):
    if target == "interactive":
        result, session = run(VALID, Session(refused=("unsigned",)))
        seen = session.trace
    else:
        result = scripted.run(VALID, plan(refused=["unsigned"]))
        seen = result["transitions"]

    assert (None, []) == (result["outcome"], seen)


def test_code_of_the_very_last_moment_comes_with_the_end():
    doc = document("a b u", "a->b a-~>u", entry="a")
    result, _ = run(doc, Session({"b": fail(), "u": fail()}))

    assert [{"code": "HX-4110", "node": "a"}] == result["codes"]
