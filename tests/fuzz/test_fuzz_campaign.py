import msgspec
import pytest
from msgspec.structs import replace

from suite.corpus.case import CaseText
from suite.corpus.plan import read_plan
from suite.fuzz.areas import AREAS, UnknownAreaError
from suite.fuzz.campaign import run_campaign
from suite.fuzz.writer import case_text, failure_text, write_case
from suite.protocol.exchange import AdapterDidNotStart, Exchange
from suite.protocol.runtime import open_runtime
from suite.protocol.transcript import Entry, Transcript


@pytest.fixture(scope="module")
def reference():
    with open_runtime("adapter:reference_runtime", in_process=True) as runtime:
        yield runtime


def deviant(name):
    return open_runtime(f"adapter:reference_runtime.deviants:{name}", in_process=True)


class Given:
    """A runtime behind another one, which is asked in time only."""

    def ask_ahead(self, request):
        pass

    def go_on(self):
        pass


class Broken(Given):
    """A runtime that breaks on documents with a certain text, and is right on all others."""

    def __init__(self, runtime, needle, kind="crash", error=None, transcript=None):
        self.runtime, self.needle, self.kind, self.error = runtime, needle, kind, error
        self.transcript = transcript or Transcript()
        self.description = runtime.description
        self.runs = 0

    def ask(self, request):
        self.runs += 1
        if self.needle not in request.document:
            return self.runtime.ask(request)
        if self.error is not None:
            raise self.error
        return Exchange(kind=self.kind, transcript=self.transcript, detail="signal 11")


@pytest.mark.parametrize("area", AREAS)
def test_reference_runtime_is_clean_at_level_full(reference, area):
    result = run_campaign(reference, area, 60, 3, full=True)

    assert (True, 60) == (result.clean, result.examples)


@pytest.mark.parametrize("scheduler", ["serial", "random_3"])
@pytest.mark.parametrize("area", ["joins", "mixed"])
def test_other_schedulers_of_the_reference_runtime_are_clean(scheduler, area):
    target = f"adapter:reference_runtime.adapter:{scheduler}"
    with open_runtime(target, in_process=True) as runtime:
        result = run_campaign(runtime, area, 40, 5)

    assert result.clean


def test_scripted_runtime_is_judged_by_its_trace():
    with open_runtime("adapter:reference_runtime.adapter:scripted", in_process=True) as runtime:
        result = run_campaign(runtime, "mixed", 40, 5)

    assert result.clean


class Recorder(Given):
    """Takes down plans and documents of a runtime that declares other features."""

    def __init__(self, runtime, **declared):
        self.runtime = runtime
        self.description = replace(runtime.description, **declared)
        self.plans = []

    def ask(self, request):
        self.plans.append(request.plan)
        return self.runtime.ask(request)


def test_nothing_is_cancelled_where_that_is_not_declared(reference):
    recorder = Recorder(reference, features=())
    result = run_campaign(recorder, "cancellation", 40, 5)

    assert result.clean
    assert {None} == {plan.cancel for plan in recorder.plans}


def test_iterations_are_answered_alike_where_addresses_are_not_declared():
    with open_runtime("adapter:reference_runtime.adapter:scripted", in_process=True) as runtime:
        recorder = Recorder(runtime, features=())
        result = run_campaign(recorder, "loops", 60, 5)
    addresses = {a.node: a.result for plan in recorder.plans for a in plan.answers}

    assert result.clean
    assert {"ok"} == {result for node, result in addresses.items() if "[" in node}


def test_unknown_area_is_an_error(reference):
    with pytest.raises(UnknownAreaError, match="areas: joins, races, failures"):
        run_campaign(reference, "nothing", 1, 1)


def test_progress_is_told_for_each_example(reference):
    told = []
    run_campaign(reference, "joins", 5, 1, progress=lambda done, total: told.append((done, total)))

    assert [(n, 5) for n in range(1, 6)] == told


def test_same_seed_gives_the_same_failure():
    with deviant("skip_blocks_successors") as runtime:
        first, second = (run_campaign(runtime, "joins", 300, 9) for _ in range(2))

    assert (first.examples, first.failure.document) == (second.examples, second.failure.document)


@pytest.mark.parametrize(
    ("area", "name", "requirement", "nodes"),
    [
        ("joins", "quorum_off_by_one", "5.3.1-quorum-not-below-count", 3),
        ("joins", "any_waits_for_all", "5.3.1-any-fires-on-first", 3),
        ("joins", "skip_blocks_successors", "6.3-skip-satisfies-control", 2),
        ("joins", "untaken_decision_target_runs", "7.1.3-exactly-one-successor", 3),
        ("joins", "unreachable_does_not_negate", "5.3.3-unreachable-node-negates-outgoing", 4),
        ("failures", "fixed_backoff_multiplied", "8.1.1-delay-formulas", 1),
        ("handlers", "error_edge_on_skip", "4.4-error-edge-only-on-failed", 2),
        ("inputs", "guard_after_inputs", "5.5-guard-evaluated-first", 2),
        ("unwinding", "compensation_in_completion_order", "8.4.1-reverse-completion-order", 5),
        ("cancellation", "cancelled_is_failed", "5.7-outcome-cancelled", 1),
        ("loops", "loop_takes_one_more", "5.4-loop-concurrency-bound", 2),
        ("loops", "fail_runs_all_iterations", "6.5-fail-policy", 2),
    ],
)
def test_deviant_is_found_and_made_small(area, name, requirement, nodes):
    with deviant(name) as runtime:
        result = run_campaign(runtime, area, 600, 1, full=True)

    assert requirement in result.failure.findings[0].requirements
    assert len(result.failure.example.model.nodes) <= nodes


@pytest.mark.parametrize("kind", ["crash", "protocol-error", "findings"])
def test_broken_run_is_a_finding_and_made_small(reference, kind):
    result = run_campaign(Broken(reference, b'"any"', kind), "joins", 200, 1)
    (finding,) = result.failure.findings

    assert "a valid document to run to its end" == finding.expected
    assert 2 == len(result.failure.example.model.nodes)


def test_timeout_is_not_repeated_many_times(reference):
    broken = Broken(reference, b"<node", "timeout")
    result = run_campaign(broken, "joins", 50, 1)

    assert "timeout: signal 11" == result.failure.findings[0].observed
    assert broken.runs <= 3


def test_deadlock_is_judged_as_far_as_it_went(reference):
    result = run_campaign(Broken(reference, b"<node", "deadlock"), "joins", 50, 1)
    cites = [finding.requirements[0] for finding in result.failure.findings]

    assert ["5.2-default-entry-set-all-roots", "5.7-complete-when-nothing-can-move"] == cites


def test_adapter_that_does_not_come_back_is_a_finding(reference):
    broken = Broken(reference, b"<node", error=AdapterDidNotStart("gone"))
    result = run_campaign(broken, "joins", 50, 1)

    assert "crash: gone" == result.failure.findings[0].observed


def test_run_that_fails_once_is_marked(reference):
    broken = Broken(reference, b"<node")
    original = broken.ask

    def once(request):
        if broken.runs:
            broken.needle = b"never"
        return original(request)

    broken.ask = once
    result = run_campaign(broken, "joins", 50, 1)

    assert not result.failure.reproducible
    assert "a second run passed" in failure_text(result, result.failure)


def test_failure_text_shows_findings_document_plan_and_trace():
    with deviant("all_negative_runs") as runtime:
        result = run_campaign(runtime, "joins", 300, 2)
    text = failure_text(result, result.failure)

    words = ("of seed 2 failed", "5.3.1-all-needs-one-satisfied", "<harness", "plan:", "end:")

    assert [] == [word for word in words if word not in text]


def test_failure_text_stays_short_for_endless_runs(reference):
    message = {"type": "transition", "node": "n0", "from": "READY", "to": "READY"}
    endless = Transcript(tuple(Entry("runtime", 0.0, message) for _ in range(5000)))
    broken = Broken(reference, b"<node", "timeout", transcript=endless)
    result = run_campaign(broken, "joins", 5, 1)
    text = failure_text(result, result.failure)

    assert "(4940 lines left out)" in text
    assert len(text.splitlines()) < 120


def test_written_case_reads_back_as_the_same_run(tmp_path):
    with deviant("any_waits_for_all") as runtime:
        result = run_campaign(runtime, "joins", 300, 4)
    document, case = write_case(result, tmp_path / "found")
    text = msgspec.toml.decode(case.read_bytes(), type=CaseText)

    assert result.failure.document == document.read_bytes()
    assert result.failure.plan == read_plan(text.plans["found"])
    assert "5.3.1-any-fires-on-first" in case_text(result, result.failure)


def test_written_case_tells_when_the_instance_is_cancelled(tmp_path):
    with deviant("cancelled_is_failed") as runtime:
        result = run_campaign(runtime, "cancellation", 300, 4)
    _, case = write_case(result, tmp_path / "found")
    text = msgspec.toml.decode(case.read_bytes(), type=CaseText)

    assert None is not result.failure.plan.cancel
    assert result.failure.plan == read_plan(text.plans["found"])
    assert "  (cancel)" in failure_text(result, result.failure)


def test_written_case_with_iterations_reads_back_as_the_same_run(tmp_path):
    with deviant("fail_runs_all_iterations") as runtime:
        result = run_campaign(runtime, "loops", 300, 4)
    _, case = write_case(result, tmp_path / "found")
    text = msgspec.toml.decode(case.read_bytes(), type=CaseText)

    assert result.failure.plan == read_plan(text.plans["found"])
    assert "[0] RUNNING to FAILED" in failure_text(result, result.failure)


def test_case_with_compensation_is_of_level_full():
    with deviant("compensation_in_completion_order") as runtime:
        result = run_campaign(runtime, "unwinding", 600, 0, full=True)

    assert 'level = "full"' in case_text(result, result.failure)


def test_clean_campaign_has_no_case_to_write(reference, tmp_path):
    result = run_campaign(reference, "joins", 3, 1)

    with pytest.raises(ValueError, match="a clean campaign has no case"):
        write_case(result, tmp_path)
