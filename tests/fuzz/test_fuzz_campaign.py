import msgspec
import pytest

from suite.corpus.case import CaseText
from suite.corpus.plan import read_plan
from suite.fuzz.areas import UnknownAreaError
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


class Broken:
    """A runtime that breaks on documents with a certain text, and is right on all others."""

    def __init__(self, runtime, needle, kind="crash", error=None, transcript=None):
        self.runtime, self.needle, self.kind, self.error = runtime, needle, kind, error
        self.transcript = transcript or Transcript()
        self.description = runtime.description
        self.runs = 0

    def run(self, document, companions, plan, limit, **options):
        self.runs += 1
        if self.needle not in document:
            return self.runtime.run(document, companions, plan, limit, **options)
        if self.error is not None:
            raise self.error
        return Exchange(kind=self.kind, transcript=self.transcript, detail="signal 11")


@pytest.mark.parametrize("area", ["joins", "failures"])
def test_reference_runtime_is_clean(reference, area):
    result = run_campaign(reference, area, 60, 3)

    assert (True, 60) == (result.clean, result.examples)


def test_other_schedulers_of_the_reference_runtime_are_clean():
    with open_runtime("adapter:reference_runtime.adapter:serial", in_process=True) as runtime:
        result = run_campaign(runtime, "joins", 40, 5)

    assert result.clean


def test_unknown_area_is_an_error(reference):
    with pytest.raises(UnknownAreaError, match="areas: joins, failures"):
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
    ("name", "requirement", "nodes"),
    [
        ("quorum_off_by_one", "5.3.1-quorum-not-below-count", 3),
        ("any_waits_for_all", "5.3.1-any-fires-on-first", 3),
        ("skip_blocks_successors", "6.3-skip-satisfies-control", 2),
        ("untaken_decision_target_runs", "7.1.3-exactly-one-successor", 3),
        ("unreachable_does_not_negate", "5.3.3-unreachable-node-negates-outgoing", 3),
    ],
)
def test_deviant_is_found_and_made_small(name, requirement, nodes):
    with deviant(name) as runtime:
        result = run_campaign(runtime, "joins", 600, 0)

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
    original = broken.run

    def once(document, companions, plan, limit, **options):
        if broken.runs:
            broken.needle = b"never"
        return original(document, companions, plan, limit, **options)

    broken.run = once
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


def test_clean_campaign_has_no_case_to_write(reference, tmp_path):
    result = run_campaign(reference, "joins", 3, 1)

    with pytest.raises(ValueError, match="a clean campaign has no case"):
        write_case(result, tmp_path)
