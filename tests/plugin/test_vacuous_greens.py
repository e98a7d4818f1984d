"""Ways in which suites said "pass" without having checked: one place for all of them.

``WAYS`` names each. Every run is read back four times, through terminal, results, JUnit and exit
code, which have to agree; what is left of a run is then asked about the way at stake.
"""

import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest

from suite.corpus.catalogue import load_corpus
from suite.report.results import read_results
from suite.verdict.status import EXIT, STATUSES
from tests.pytest_runs import DIAMOND, REFERENCE, run, run_pytest

ROOT = Path(__file__).parents[2]
LEVELS = "tests/verdict/test_levels.py"

#: way → test in this module, or in the module named, that shows that it is closed.
WAYS = {
    "a filter that matched nothing and exit 0": "test_nothing_selected",
    "a regression in the filter that skipped all": "test_unknown_pattern_is_told",
    "0 passed, all skipped, success": "test_all_skipped",
    "a claim with some of the required tests": "test_part_of_the_corpus_is_no_claim",
    "skipped tests absent from the report": "test_all_skipped",
    "a missing prerequisite skipped on a MUST": "test_missing_means_block_the_level",
    "one report conformant, another with skips": "test_all_skipped",
    "0 of 0 counted as complete": f"{LEVELS}::test_zero_of_zero_is_not_reached",
    "a guard that an unreadable count switched off": "test_unreadable_counts_are_refused",
    "no diagnostics, ever, passed a third": "test_silence_about_documents",
    "absence checks passed on an empty answer": "test_empty_answers",
    "capabilities claimed that no case tests": f"{LEVELS}::test_lists_tell_the_kinds_of_gaps_apart",
    "unsupported on a feature that was declared": "test_declared_and_not_delivered",
    "a rejection satisfied by a crash": "test_crash_is_no_rejection",
    "an option that ignored the expected error": "test_silence_about_documents",
    "a negative check that passed for another reason": "test_one_code_for_everything",
    "timed-out and never-reached tests vanished": "test_timeouts_and_the_rest_stay",
    "extra events ignored": "test_extra_events",
    "shared state gave false passes": "test_state_between_cases",
    "JUnit readers could not tell skipped from passed": "test_all_skipped",
}

VENDOR = """
import os

def engine():
    import reference_runtime
    return reference_runtime

class Full:
    features = ["cancel", "events", "faults", "codes"]
    levels = ["core", "executing", "full"]
    def describe(self):
        return {
            "name": type(self).__name__, "version": "1", "levels": self.levels,
            "features": self.features,
        }
    def validate(self, document, companions):
        return engine().adapter.validate(document)
    async def run(self, document, session):
        return await engine().adapter.run(document, session)

class Modest(Full):
    levels = []

class Bare(Full):
    features = []

class Silent(Full):
    def validate(self, document):
        return []

class Empty(Full):
    async def run(self, document, session):
        return "succeeded"

class Still(Full):
    def validate(self, document):
        import time
        time.sleep(60)
    async def run(self, document, session):
        self.validate(document)

class OneCode(Full):
    def validate(self, document):
        return [{"code": "HX-2001"}]

class Crashes(Full):
    def validate(self, document, companions):
        findings = super().validate(document, companions)
        if findings:
            os._exit(3)
        return findings

class Hearing:
    def __init__(self, session):
        self.session = session
    def __getattr__(self, name):
        return getattr(self.session, name)
    async def receive(self, timer=None):
        message = await self.session.receive(timer)
        while message["type"] == "cancel":
            message = await self.session.receive(timer)
        return message

class Deaf(Full):
    async def run(self, document, session):
        return await super().run(document, Hearing(session))

class Extra(Full):
    features = ["cancel", "faults", "codes", "iterations", "calls"]
    def run(self, document, plan):
        result = engine().scripted.run(document, plan)
        moves = [move for move in result["transitions"] if "to" in move]
        return {**result, "transitions": [*result["transitions"], moves[-1]]}

class State(Full):
    count = 0
    async def run(self, document, session):
        State.count += 1
        return await super().run(document, session) if State.count == 1 else "succeeded"
"""


def some(number, *beginnings, where=lambda _: True):
    """Return options that select the first scenarios of each folder."""
    scenarios = load_corpus().scenarios
    found = [
        [
            key
            for key, scenario in scenarios.items()
            if key.startswith(beginning) and where(scenario)
        ]
        for beginning in beginnings
    ]
    return [f"--hx-select={key}" for keys in found for key in keys[:number]]


JOINS = some(4, "execution/joins/all-", "valid/")


class Read:
    """One run, read back in four ways that agree.

    Attributes:
        code: exit code.
        statuses: scenario → status.
        out: what was printed.
        level: the line about levels.
    """

    def __init__(self, folder, ran):
        results = read_results(folder / "results.jsonl")
        self.code, self.out = ran.code, ran.out
        self.statuses = {key: record.status for key, record in results.records.items()}
        self.reasons = {record.reason for record in results.records.values()}
        self.level = ran.line("level")
        self.complete = results.complete
        counts = Counter(self.statuses.values())
        found = re.search(r"selected: (.*)", ran.line("result: "))[1]
        told = {} if found == "none" else dict(part.split()[::-1] for part in found.split(", "))

        assert {status: str(number) for status, number in counts.items()} == told
        assert self.statuses == self.in_junit(folder / "junit.xml")
        assert self.code == self.expected(counts)

    @staticmethod
    def in_junit(path):
        """Read statuses from JUnit, where elements and properties have to say the same."""
        elements = {"passed": set(), "failed": {"failure"}, "skipped": {"skipped"}}
        found = {}
        for case in ET.parse(path).getroot().iter("testcase"):
            key = f"{case.get('classname').replace('.', '/')}/{case.get('name')}"
            told = {p.get("name"): p.get("value") for p in case.iter("property")}
            found[key] = told["status"]
            seen = {child.tag for child in case} & {"failure", "error", "skipped"}

            assert elements[STATUSES[found[key]].pytest] == seen
        return found

    @staticmethod
    def expected(counts):
        if any(STATUSES[status].red for status in counts):
            return EXIT["failed"]
        return EXIT["ok" if any(STATUSES[s].judged for s in counts) else "nothing"]


@pytest.fixture
def read(tmp_path):
    """Run the corpus on an adapter of the vendor's and read the reports back."""
    (tmp_path / "vendor.py").write_text(VENDOR, encoding="utf-8")

    def read(adapter, *arguments):
        target = REFERENCE if adapter is None else f"--runtime=vendor:{adapter}"
        files = ("--hx-results=results.jsonl", "--junitxml=junit.xml", "-p", "no:cacheprovider")
        return Read(tmp_path, run_pytest(tmp_path, target, *files, *arguments))

    return read


def test_every_way_has_its_test():
    here = {name for name in WAYS.values() if "::" not in name}
    elsewhere = [name.split("::") for name in WAYS.values() if "::" in name]

    assert here <= set(globals())
    assert all(f"def {test}(" in (ROOT / file).read_text() for file, test in elsewhere)
    assert 20 == len(WAYS)


@pytest.mark.parametrize("option", [("-k", "no-such-word"), ("--hx-select=execution/joints/*",)])
def test_nothing_selected(read, option):
    seen = read(None, *option)

    assert (EXIT["nothing"], {}) == (seen.code, seen.statuses)
    assert "level not assessed: 0 of " in seen.level


def test_unknown_pattern_is_told(read):
    seen = read(None, "--hx-select=execution/joints/*", f"--hx-select={DIAMOND}")

    assert "--hx-select 'execution/joints/*' selects nothing" in seen.out
    assert {DIAMOND: "pass"} == seen.statuses
    assert "level not assessed: 1 of " in seen.level


def test_all_skipped(read):
    seen = read("Modest", *JOINS)

    assert EXIT["nothing"] == seen.code
    assert {"unsupported"} == set(seen.statuses.values())
    assert re.search(r"\d+ unsupported: level executing is not declared", seen.out)


def test_part_of_the_corpus_is_no_claim(tmp_path):
    ran = run(
        tmp_path,
        *("certify", REFERENCE, "--out", "out", "--hx-select", DIAMOND),
        module="suite.cli",
    )
    badge = json.loads((tmp_path / "out" / "badge.json").read_text(encoding="utf-8"))

    assert EXIT["incomplete"] == ran.code
    assert "level not assessed: 1 of " in ran.out
    assert "reached" not in json.dumps(badge)


def test_missing_means_block_the_level(read):
    seen = read("Bare", *some(6, "execution/cancellation/"), f"--hx-select={DIAMOND}")
    skipped = Counter(seen.statuses.values()) - Counter({"pass": len(seen.statuses)})

    assert EXIT["ok"] == seen.code
    assert skipped
    assert set(skipped) <= {"unsupported", "not-run"}
    assert "reached" not in seen.level


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda line: line.replace(b'"pass":', b'"pass":9'), id="more"),
        pytest.param(lambda line: line.replace(b'"counts":{"pass":1},', b""), id="none"),
        pytest.param(lambda line: line.replace(b'"pass":1', b'"pass":null'), id="unreadable"),
    ],
)
def test_unreadable_counts_are_refused(tmp_path, whole_of_one, spoil):
    *lines, footer = whole_of_one.read_bytes().splitlines(keepends=True)
    (tmp_path / "spoilt.jsonl").write_bytes(b"".join([*lines, spoil(footer)]))
    ran = run(tmp_path, "rejudge", "spoilt.jsonl", module="suite.cli")

    assert spoil(footer) != footer
    assert EXIT["usage"] == ran.code
    assert ran.err.startswith("hxconf: rejudge: spoilt.jsonl: line ")


@pytest.fixture(scope="module")
def whole_of_one(tmp_path_factory):
    folder = tmp_path_factory.mktemp("one")
    run_pytest(folder, REFERENCE, "--hx-results=results.jsonl", DIAMOND)
    return folder / "results.jsonl"


def test_silence_about_documents(read):
    seen = read("Silent", *some(2, "invalid/joins/", "invalid/cycles/"))

    assert EXIT["failed"] == seen.code
    assert {"fail"} == set(seen.statuses.values())
    assert any("observed it accepted" in reason for reason in seen.reasons)


def test_empty_answers(read):
    seen = read("Empty", *some(2, "execution/skips/", "execution/unreachable/"))

    assert EXIT["failed"] == seen.code
    assert {"fail"} == set(seen.statuses.values())


def test_declared_and_not_delivered(read):
    seen = read("Deaf", *some(3, "execution/cancellation/", where=lambda s: s.plan.cancel))

    assert EXIT["failed"] == seen.code
    assert not {"unsupported", "not-run", "inapplicable"} & set(seen.statuses.values())
    assert "pass" not in seen.statuses.values()


def test_crash_is_no_rejection(read):
    seen = read("Crashes", *some(3, "invalid/joins/"))

    assert EXIT["failed"] == seen.code
    assert {"crash"} == set(seen.statuses.values()) - {"not-run"}


def test_one_code_for_everything(read):
    seen = read("OneCode", *some(2, "invalid/joins/", "invalid/cycles/", "invalid/ports/"))
    cases = load_corpus().cases
    passed = [key for key, status in seen.statuses.items() if status == "pass"]
    due = [key for key in seen.statuses if {"HX-2001"} == set(cases[key].text.codes)]

    assert EXIT["failed"] == seen.code
    assert set(passed) <= set(due)
    assert len(passed) < len(seen.statuses)


def test_timeouts_and_the_rest_stay(read):
    seen = read("Still", *JOINS, "--hx-limit=0.2")
    chosen = {option.partition("=")[2] for option in JOINS}

    assert EXIT["failed"] == seen.code
    assert {"timeout", "not-run"} == set(seen.statuses.values())
    assert chosen == set(seen.statuses)


def test_extra_events(read):
    seen = read("Extra", *some(3, "execution/flow/", where=lambda s: s.id.endswith(".trace")))
    judged = {s for s in seen.statuses.values() if STATUSES[s].judged}

    assert EXIT["failed"] == seen.code
    assert {"fail"} == judged


@pytest.mark.parametrize("order", ["document", "reverse"])
def test_state_between_cases(read, order):
    traces = some(3, "execution/joins/all-", where=lambda s: s.id.endswith(".trace"))
    seen = read("State", *traces, f"--hx-order={order}")
    counts = Counter(seen.statuses.values())

    assert EXIT["failed"] == seen.code
    assert 1 == counts["pass"]
    assert {"pass", "flaky"} == set(counts)
