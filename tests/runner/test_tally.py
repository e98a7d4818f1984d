"""Counts that add up, completeness, levels, exit codes, and the lines that tell them."""

import json

import pytest

from suite.corpus.catalogue import load_corpus
from suite.protocol.messages import Finding
from suite.protocol.transcript import Transcript
from suite.report.results import Record
from suite.runner.settings import Settings
from suite.runner.summary import level_line, summary
from suite.runner.tally import Tally
from suite.verdict.expected import Expected
from tests.corpus_builder import corpus_files, write_corpus
from tests.verdict_builder import describe

IDS = ("execution/flow/pair.plain", "invalid/edges/dangling", "valid/edges/pair")
CITES = {IDS[0]: ("5.3-runs", "5.7-ends"), IDS[1]: ("13.2-hx-2001",), IDS[2]: ("13.2-hx-2001",)}
FULL = describe(levels=("full",))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return load_corpus(write_corpus(tmp_path_factory.mktemp("corpus"), corpus_files()))


@pytest.fixture
def tally(corpus):
    tally = Tally(corpus, Settings(target="x:y"))
    tally.choose(IDS)
    return tally


def fill(tally, **statuses):
    for identifier in IDS:
        status = statuses.get(identifier.partition("/")[0], "pass")
        tally.add(Record(id=identifier, status=status, cites=CITES[identifier], reason=status))
    return tally


def test_all_passed_reaches_the_levels(tally):
    fill(tally)

    assert tally.complete
    assert {"pass": 3} == tally.counts
    assert 0 == tally.exit_code()
    assert "level: Core reached; Executing reached; Full reached (full control)" == level_line(
        tally, tally.assessment(FULL)
    )


@pytest.mark.parametrize(
    ("status", "code"),
    [
        ("fail", 1),
        ("crash", 1),
        ("timeout", 1),
        ("protocol-error", 1),
        ("xpass", 1),
        ("flaky", 1),
        ("suite-fault", 3),
        ("unsupported", 0),
        ("inapplicable", 0),
        ("not-run", 0),
        ("xfail", 0),
    ],
)
def test_one_status_among_passes_decides_the_exit_code(tally, status, code):
    fill(tally, valid=status)

    assert code == tally.exit_code()


@pytest.mark.parametrize("status", ["unsupported", "inapplicable", "not-run"])
def test_nothing_judged_is_five(tally, status):
    fill(tally, valid=status, invalid=status, execution=status)

    assert 5 == tally.exit_code()


def test_no_record_is_five(corpus):
    assert 5 == Tally(corpus, Settings(target="x:y")).exit_code()


def test_a_fault_of_the_suite_outweighs_failures(tally):
    fill(tally, valid="suite-fault", invalid="fail")

    assert 3 == tally.exit_code()


def test_what_was_not_reached_gets_a_record_and_no_level(tally):
    tally.add(Record(id=IDS[0], status="pass"))
    made = tally.finish("stopped before it")

    assert list(IDS[1:]) == [record.id for record in made]
    assert {"pass": 1, "not-run": 2} == tally.counts
    assert not tally.complete
    assert "level not assessed: the run stopped before 2 scenarios (full control)" == level_line(
        tally, tally.assessment(FULL)
    )


def test_a_selection_adds_up_and_is_never_complete(corpus):
    tally = Tally(corpus, Settings(target="x:y"))
    tally.choose([IDS[2], "test_own.py::test_own", "fuzz/joins"])
    tally.add(Record(id=IDS[2], status="pass"))
    lines = summary(tally, FULL, verbose=False)

    assert "result: 1 selected + 2 deselected = 3 scenarios; selected: 1 pass" in lines
    assert not tally.complete
    assert "level not assessed: 1 of 3 scenarios selected (full control)" == lines[-1]


@pytest.mark.parametrize(("open_steps", "mode"), [(0, "full control"), (1, "trace only")])
def test_up_to_a_level_is_complete_for_that_level(corpus, open_steps, mode):
    tally = Tally(corpus, Settings(target="x:y", level="core"))
    tally.choose(IDS[1:])
    for identifier in IDS[1:]:
        tally.add(Record(id=identifier, status="pass", cites=CITES[identifier]))

    assessment = tally.assessment(describe(levels=("full",), open_steps=open_steps))

    assert f"level: Core reached ({mode})" == level_line(tally, assessment)
    assert ("core", "reached") == (assessment.judged.level, assessment.judged.result)


def test_a_changed_corpus_is_run_without_a_level(tmp_path):
    files = corpus_files()
    root = write_corpus(tmp_path, files)
    (root / "cases/valid/edges/pair.hxml").write_text(
        files["cases/valid/edges/pair.hxml"] + "<!-- -->\n", encoding="utf-8"
    )
    tally = Tally(load_corpus(root), Settings(target="x:y"))
    tally.choose(IDS)
    fill(tally)

    assert level_line(tally, tally.assessment(FULL)).startswith(
        "level not assessed: the corpus is not the one that its manifest freezes"
    )


def test_a_manifest_that_asks_less_is_not_believed(tmp_path):
    root = write_corpus(tmp_path, corpus_files())
    path = root / "cases/manifest.json"
    manifest = json.loads(path.read_bytes())
    for added in manifest["required"].values():
        added["fullControl"] = added["fullControl"][:1]
    path.write_text(json.dumps(manifest), encoding="utf-8")
    tally = Tally(load_corpus(root), Settings(target="x:y"))
    tally.choose(IDS)
    fill(tally)

    assert level_line(tally, tally.assessment(FULL)).startswith(
        "level not assessed: the corpus is not the one that its manifest freezes"
    )


def test_a_broken_off_record_is_not_complete(corpus):
    tally = Tally(corpus, Settings(target="x:y"), cut=True)

    assert not fill(tally).complete


def test_two_verdicts_on_one_scenario_are_flaky(tally):
    fill(tally)
    kept = tally.add(Record(id=IDS[2], status="fail", text=("broken",)))

    assert "flaky" == kept.status
    assert ("pass, then fail when it was run again", "broken") == kept.text
    assert 1 == tally.exit_code()


def test_what_became_of_a_scenario_later_replaces_its_verdict(tally):
    fill(tally)
    late = Record(id=IDS[2], status="crash", reason="gone")
    kept = tally.amend(late)

    assert late == kept == tally.records[IDS[2]]
    assert {"pass": 2, "crash": 1} == tally.counts
    assert 1 == tally.exit_code()


def test_messages_are_kept_by_the_results_file_alone(tally):
    record = Record(id=IDS[2], status="pass", kind="findings", transcript=Transcript())
    given = tally.add(record)

    assert record == given
    assert tally.records[IDS[2]].transcript is None


def test_a_stale_expectation_about_a_requirement_is_red_when_all_ran(corpus):
    line = Expected(status="fail", reason="r", link="l", requirement="5.7-ends")
    tally = Tally(corpus, Settings(target="x:y"), (line,))
    tally.choose(IDS)
    fill(tally)

    assert ["requirement 5.7-ends: fail"] == tally.stale
    assert 1 == tally.exit_code()
    assert any(
        "expected failure that did not come" in t for t in summary(tally, FULL, verbose=False)
    )


def test_fuzz_is_counted_beside_the_corpus(tally):
    fill(tally)
    tally.add(Record(id="fuzz/joins", status="fail", reason="a, end: expected x"))

    assert {"pass": 3} == tally.counts
    assert 1 == tally.exit_code()
    assert "fuzz/joins: fail, a, end: expected x" in summary(tally, FULL, verbose=False)


def test_gaps_are_counted_and_listed_when_asked(tally):
    fill(tally, execution="unsupported")
    short = summary(tally, FULL, verbose=False)
    long = summary(tally, FULL, verbose=True)

    assert "gaps to Executing: 3 unsupported (-v lists them)" in short
    assert "  unsupported: 5.3-runs" not in short
    assert "  unsupported: 5.3-runs" in long


def test_failures_are_told_with_their_section(tally):
    tally.add(Record(id=IDS[0], status="fail", reason="no end", blamed=("5.7-ends",)))

    assert f"fail: {IDS[0]}: no end [§5.7]" in summary(tally, FULL, verbose=False)


def test_reasons_for_not_executing_are_told(tally):
    fill(tally, valid="unsupported", invalid="unsupported")

    assert "  2 unsupported: unsupported" in summary(tally, FULL, verbose=False)


def test_records_of_a_run_without_its_end_are_no_selection(corpus):
    tally = Tally(corpus, Settings(target="x:y"), cut=True)
    tally.choose(IDS)
    for identifier in IDS:
        tally.add(Record(id=identifier, status="pass"))
    line = level_line(tally, tally.assessment(FULL))

    assert (
        "level not assessed: 3 of 3 scenarios recorded, of a run that was not whole (full control)"
        == line
    )


def test_what_a_runtime_sent_is_not_kept_in_memory(corpus):
    tally = Tally(corpus, Settings(target="x:y"))
    told = Record(id=IDS[0], status="fail", detail="d", stderr="e", findings=(Finding("HX-1001"),))

    assert told == tally.add(told)
    assert Record(id=IDS[0], status="fail") == tally.records[IDS[0]]
