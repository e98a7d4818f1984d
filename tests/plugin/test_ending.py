"""How a run ends when an adapter took away what it stands on, and what its exit code is."""

import os
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from suite.pytest_plugin.ending import broken_off, exit_code, way_back
from suite.report.results import Record, read_results
from tests.pytest_runs import run_pytest
from tests.verdict_builder import execution

NAME = "valid/joins/quorum-equal-to-edges"

PROGRAM = """
import json, os, shutil, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["type"] == "describe":
        print(json.dumps({
            "type": "description", "id": 1, "protocol": 1, "name": "vandal", "version": "1",
            "levels": ["core"], "control": "scripted",
        }), flush=True)
    elif request["type"] == "validate":
        %s
        print(json.dumps({"type": "findings", "id": request["id"]}), flush=True)
    elif request["type"] == "stop":
        break
"""

PIPE = "os.unlink('out/results.jsonl'); os.mkfifo('out/results.jsonl')"
NO_FOLDER = "shutil.rmtree('out'); open('out', 'w').close()"
NO_WAY = "shutil.rmtree(os.getcwd())"
OBSTACLE = f"here = os.getcwd(); {NO_WAY}; open(here, 'w').close()"


@pytest.fixture
def vandal(tmp_path, monkeypatch):
    """Run an adapter that does something to the folder of the run at its first case."""
    folder, temporary = tmp_path / "here", tmp_path / "temporary"
    (folder / "out").mkdir(parents=True)
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))

    def run(act, *arguments):
        program = tmp_path / "vandal.py"
        program.write_text(PROGRAM % act, encoding="utf-8")
        return run_pytest(
            folder,
            *("-q", "-p", "no:cacheprovider", f"--runtime=cmd:{sys.executable} {program}", NAME),
            *("--hx-results=out/results.jsonl", *arguments),
        )

    return run


def faults(ran):
    return [line for line in ran.out.splitlines() if line.startswith("suite-fault: ")]


def test_a_pipe_in_the_place_of_the_results_stops_nothing(vandal, tmp_path):
    ran = vandal(PIPE)
    results = read_results(tmp_path / "here" / "out" / "results.jsonl")

    assert (3, True) == (ran.code, results.footer is not None)
    assert [] != [line for line in faults(ran) if line.endswith("; it was written again")]


def test_results_without_a_folder_are_kept_and_it_is_told_where(vandal):
    ran = vandal(NO_FOLDER)
    (fault,) = faults(ran)
    place = re.search(r"; what was written is in (\S+\.jsonl): ", fault)[1]

    assert (3, "pass") == (ran.code, read_results(Path(place)).records[NAME].status)


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "worker"])
def test_without_its_folder_a_run_has_summary_results_and_exit_code(vandal, tmp_path, workers):
    ran = vandal(NO_WAY, *workers)
    told = "\n".join(faults(ran))

    assert (3, True) == (ran.code, "level not assessed: " in ran.out)
    assert "deleted during the run; it was written again" in told
    if not workers:  # a worker makes it anew for both
        assert "the run cannot go back there (No such file or directory); it was made anew" in told
    assert "Traceback" not in ran.out + ran.err
    assert read_results(tmp_path / "here" / "out" / "results.jsonl").footer.counts == {"pass": 1}


def test_where_pytest_breaks_off_results_and_summary_come_first(vandal):
    ran = vandal(OBSTACLE)
    told = "\n".join(faults(ran))
    place = re.search(r"; what was written is in (\S+\.jsonl): ", told)[1]

    assert (True, True) == (ran.code not in (0, 5), "level not assessed: " in ran.out)
    assert "the run cannot go back there (" in told
    assert "pass" == read_results(Path(place)).records[NAME].status


def test_a_report_that_pytest_cannot_write_is_one_line_beside_the_summary(vandal):
    ran = vandal(NO_FOLDER, "--junitxml=out/junit.xml")

    assert (3, True) == (ran.code, "level not assessed: " in ran.out)
    assert 2 == len(faults(ran))
    assert "a report of pytest or of a plugin cannot be written: " in "\n".join(faults(ran))
    assert "Traceback" not in ran.out + ran.err


def test_a_report_in_a_folder_that_is_gone_is_written(vandal, tmp_path):
    vandal("shutil.rmtree('out')", "--junitxml=out/junit.xml")

    assert 1 == len(ET.parse(tmp_path / "here" / "out" / "junit.xml").findall(".//testcase"))


class Told:
    """A tally as far as the end of a run asks for it."""

    def __init__(self, status, code):
        scenario = execution()
        self.records = {scenario.id: Record(id=scenario.id, status=status)}
        self._code = code

    def exit_code(self):
        return self._code


@pytest.mark.parametrize(
    ("tally", "status", "most", "damaged", "expected"),
    [
        pytest.param(Told("pass", 0), 0, 0, False, 0, id="well"),
        pytest.param(Told("pass", 0), 1, 0, False, 1, id="tests of the user fail"),
        pytest.param(Told("not-run", 5), 1, 0, False, 1, id="only they were run and fail"),
        pytest.param(Told("fail", 1), 1, 0, False, 1, id="failed"),
        pytest.param(Told("suite-fault", 3), 1, 0, False, 3, id="fault of the suite"),
        pytest.param(Told("pass", 0), 0, 0, True, 3, id="damaged"),
        pytest.param(Told("fail", 1), 1, 0, True, 3, id="damaged and failed"),
        pytest.param(Told("pass", 0), 2, 0, False, 2, id="interrupted"),
        pytest.param(Told("pass", 0), 2, 0, True, 2, id="interrupted and damaged"),
        pytest.param(Told("pass", 0), 2, 1, False, 2, id="interrupted before the first failure"),
        pytest.param(
            Told("fail", 1), 2, 1, False, 1, id="stopped at the first failure by a worker"
        ),
        pytest.param(Told("fail", 1), 2, 2, False, 2, id="interrupted before the second failure"),
        pytest.param(Told("pass", 0), 3, 0, False, 3, id="pytest broke off"),
        pytest.param(Told("pass", 0), 4, 0, False, 4, id="usage"),
    ],
)
def test_exit_code(tally, status, most, damaged, expected):
    stopped = broken_off(tally, status, most)

    assert expected == exit_code(tally, status, most, damaged=damaged)
    assert stopped in (None, expected)


def test_only_what_did_not_come_to_its_end_is_broken_off():
    tally = Told("fail", 1)

    assert [None, None, 2, 3, 4, None] == [broken_off(tally, status, 0) for status in range(6)]


def test_way_back_is_made_where_there_is_none(tmp_path, monkeypatch):
    folder = tmp_path / "a" / "b"
    monkeypatch.chdir(tmp_path)

    assert way_back(folder).endswith("(No such file or directory); it was made anew, empty")
    assert (folder, "") == (Path.cwd(), way_back(folder))


def test_no_way_back_is_told(tmp_path, monkeypatch):
    (tmp_path / "a").touch()
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "a" / "b"

    assert f"{folder}: the run cannot go back there (Not a directory)" == way_back(folder)
    assert str(tmp_path) == os.getcwd()  # noqa: PTH109 -- of the process, whatever it is
