"""The plugin as a user meets it: selection, statuses, exit codes, files."""

import json
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

import pytest

from tests.pytest_runs import DIAMOND, QUIET, REFERENCE, Ran, run_pytest

DEVIANT = "--runtime=adapter:reference_runtime.deviants:quorum_off_by_one"
QUORUM = ("--hx-select", "execution/joins/quorum-*")

#: Claims nothing, so that everything is unsupported.
MODEST = """
class adapter:
    def describe(self):
        return {"name": "modest", "version": "1", "levels": [], "features": []}
    def validate(self, document):
        return []
    def run(self, document, plan):
        return {"transitions": []}
"""

#: Refuses every document in the first process and none in later ones: state outside of it.
MOODY = """
import pathlib
FLAG = pathlib.Path(__file__).with_name("flag")
class adapter:
    def describe(self):
        return {"name": "moody", "version": "1", "levels": ["core", "executing", "full"]}
    def validate(self, document):
        if FLAG.exists():
            return []
        FLAG.touch()
        return [{"code": "HX-1001", "severity": "error"}]
    def run(self, document, plan):
        return {"transitions": []}
"""


def statuses(ran):
    """Status → number, from the line that adds up; and the number deselected."""
    line = ran.line("result: ")
    found = re.search(r"(\d+) selected \+ (\d+) deselected = (\d+) scenarios; selected: (.*)", line)
    parts = [] if found[4] == "none" else found[4].split(", ")
    counts = {status: int(number) for number, status in map(str.split, parts)}

    assert int(found[1]) + int(found[2]) == int(found[3])
    assert int(found[1]) == sum(counts.values())
    return counts, int(found[2])


def test_a_whole_run_passes_and_tells_runtime_corpus_and_mode(tmp_path):
    ran = run_pytest(tmp_path, REFERENCE)
    counts, deselected = statuses(ran)

    assert 0 == ran.code
    assert {"pass"} == set(counts)
    assert 0 == deselected
    assert "full control" in ran.out
    assert "sha256:" in ran.out


def test_keyword_selection_passes_without_a_level(tmp_path):
    ran = run_pytest(tmp_path, REFERENCE, "-k", "all-diamond")
    counts, deselected = statuses(ran)

    assert 0 == ran.code
    assert {"pass": 1} == counts
    assert deselected > 0
    assert "level not assessed: 1 of " in ran.out


def test_collecting_only_lists_ids_without_a_runtime(tmp_path):
    ran = run_pytest(tmp_path, "--runtime=adapter:nowhere", DIAMOND, "--collect-only", "-q")

    assert 0 == ran.code
    assert DIAMOND == ran.out.splitlines()[0]


def test_a_failure_explains_itself_and_the_last_failed_repeats_it(tmp_path):
    first = run_pytest(tmp_path, DEVIANT, *QUORUM, "-x")
    second = run_pytest(tmp_path, DEVIANT, *QUORUM, "--lf")
    stopped, again = statuses(first)[0], statuses(second)[0]
    failing = re.search(r"^fail: (execution/joins/quorum-\S+): ", first.out, re.MULTILINE)[1]
    repeat = (
        "pytest --runtime=adapter:reference_runtime.deviants:quorum_off_by_one "
        f"--hx-select {failing}"
    )

    assert (1, 1) == (first.code, second.code)
    assert 1 == stopped["fail"]
    assert stopped["not-run"] > 0
    assert "not-run: stopped before it" in first.out
    assert repeat in first.out
    assert re.search(r" \[§5\.[^\]]*\]$", first.line(f"fail: {failing}"))
    assert "Traceback" not in first.out
    assert {"fail": 1} == again


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A run over two workers that leaves results and a JUnit file."""
    folder = tmp_path_factory.mktemp("shared")
    ran = run_pytest(
        folder,
        *(DEVIANT, "-n", "2", "--hx-select", "execution/joins", "--hx-order", "shuffle:3"),
        *("--hx-results=results.jsonl", "--junitxml=junit.xml"),
    )
    return folder, ran


def test_workers_share_the_run_and_the_controller_alone_writes(shared):
    folder, ran = shared
    counts, _ = statuses(ran)
    text = (folder / "results.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]

    assert 1 == ran.code
    assert counts == lines[-1]["counts"]
    assert ["header", "footer"] == [lines[0]["type"], lines[-1]["type"]]
    assert len(lines) - 2 == sum(counts.values())
    assert lines[-1]["complete"] is False
    assert all(line["transcript"]["entries"] for line in lines[1:-1])


def test_junit_names_and_properties(shared):
    folder, ran = shared
    counts, _ = statuses(ran)
    suite = ET.parse(folder / "junit.xml").getroot()[0]
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    failed = cases["quorum-two-of-three.trace"]
    properties = {p.get("name"): p.get("value") for p in failed.find("properties")}
    totals = {p.get("name"): p.get("value") for p in suite.find("properties")}

    assert {"execution.joins"} == {case.get("classname") for case in cases.values()}
    assert len(cases) == sum(counts.values())
    assert "fail" == properties["status"]
    assert "§5.3.1" in properties["section"].split()
    assert "5.3.1-quorum-not-below-count" in properties["cites"].split()
    assert failed.find("failure").get("message").startswith("fail: ")
    assert 2 == len(failed)
    assert cases["all-diamond.trace"].find("failure") is None
    assert totals["level"].startswith("level not assessed")


def test_stopping_under_workers_is_a_failure_and_leaves_nothing_out(tmp_path):
    ran = run_pytest(tmp_path, DEVIANT, "-n", "1", "-x", *QUORUM)
    counts, _ = statuses(ran)

    assert 1 == ran.code
    assert counts["fail"] >= 1


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["-k", "nothing-like-it"], id="keyword selects nothing"),
        pytest.param(["--hx-select", "no/*"], id="pattern selects nothing"),
    ],
)
def test_nothing_selected_is_never_green(tmp_path, arguments):
    ran = run_pytest(tmp_path, REFERENCE, *arguments)

    assert 5 == ran.code
    assert {} == statuses(ran)[0]


def test_everything_skipped_is_never_green_and_read_back_as_skipped(tmp_path):
    (tmp_path / "vendor.py").write_text(MODEST, encoding="utf-8")
    ran = run_pytest(
        tmp_path,
        *("--runtime=vendor:adapter", "-k", "joins", "-rs"),
        *("--hx-results=results.jsonl", "--junitxml=junit.xml"),
    )
    counts, _ = statuses(ran)
    text = (tmp_path / "results.jsonl").read_text(encoding="utf-8")
    records = [json.loads(line) for line in text.splitlines()][1:-1]
    cases = list(ET.parse(tmp_path / "junit.xml").getroot().iter("testcase"))
    reason = "unsupported: level executing is not declared"

    assert 5 == ran.code
    assert {"unsupported": len(records)} == counts
    assert {"unsupported"} == {record["status"] for record in records}
    assert len(records) == len(cases)
    assert all(c.find("skipped").get("message").startswith("unsupported: ") for c in cases)
    assert re.search(rf"SKIPPED \[\d+\] .*: {reason}", ran.out)


def test_a_verdict_that_changes_in_a_fresh_process_is_flaky(tmp_path):
    (tmp_path / "vendor.py").write_text(MOODY, encoding="utf-8")
    ran = run_pytest(tmp_path, "--runtime=vendor:adapter", "valid/joins/quorum-equal-to-edges")
    counts, _ = statuses(ran)

    assert 1 == ran.code
    assert {"flaky": 1} == counts
    assert "fail, then pass in a fresh process" in ran.out


def test_expected_failures_are_neither_red_nor_forgotten(tmp_path):
    expected = tmp_path / "expected.toml"
    entry = '[[expected]]\nscenario = "{}"\nstatus = "fail"\nreason = "known"\nlink = "#1"\n'
    known = "execution/joins/quorum-two-of-three.trace"
    expected.write_text(entry.format(known) + entry.format(DIAMOND), encoding="utf-8")
    ran = run_pytest(tmp_path, DEVIANT, known, DIAMOND, f"--hx-expected={expected}", "-rx")
    counts, _ = statuses(ran)

    assert 1 == ran.code
    assert {"xfail": 1, "xpass": 1} == counts
    assert f"XFAIL {known} - xfail: known (#1)" in ran.out
    assert f"xpass: {DIAMOND}: listed as fail, observed pass" in ran.out


def test_a_dead_adapter_trips_the_breaker(tmp_path):
    ran = run_pytest(tmp_path, "--runtime=adapter:suite.controls:crash", "-k", "joins")
    counts, _ = statuses(ran)

    assert 1 == ran.code
    assert 5 == counts["crash"]
    assert re.search(r"^  \d+ not-run: adapter unhealthy: 5 crashes", ran.out, re.MULTILINE)


def test_an_interrupted_run_accounts_for_every_scenario(tmp_path):
    results = tmp_path / "results.jsonl"
    command = [sys.executable, "-P", "-m", "pytest", *QUIET, "-k", "joins"]
    started = subprocess.Popen(
        [*command, "--runtime=adapter:suite.controls:hang", f"--hx-results={results}"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    while not results.exists():
        assert started.poll() is None
        time.sleep(0.05)
    time.sleep(1)
    started.send_signal(signal.SIGINT)
    out, _ = started.communicate(timeout=30)
    counts, _ = statuses(Ran(started.returncode, out, ""))

    assert 2 == started.returncode
    assert {"not-run"} == set(counts)
    assert re.search(r"not-run: interrupted before it", out)


def test_fuzz_is_an_item_beside_the_corpus(tmp_path):
    ran = run_pytest(
        tmp_path,
        "--runtime=adapter:reference_runtime.deviants:skip_blocks_successors",
        *("--hx-fuzz=joins", "--hx-fuzz-seed=1", "--hx-fuzz-out=found", "-k", "fuzz"),
    )

    assert 1 == ran.code
    assert "fuzz/joins: fail, " in ran.line("fuzz/joins: ")
    assert "0 selected" in ran.line("result: ")
    assert "document:" in ran.out
    assert "plan:" in ran.out
    assert {".hxml", ".toml"} == {path.suffix for path in (tmp_path / "found").iterdir()}
