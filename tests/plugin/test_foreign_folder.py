"""A folder that has its own pytest.ini, conftest and packages of our names."""

import importlib.util
import os
from pathlib import Path

import pytest

import comparator
from tests.pytest_runs import DIAMOND, REFERENCE, run, run_pytest

INI = """
[pytest]
addopts = -q --strict-markers --strict-config tests
testpaths = tests
python_files = check_*.py
filterwarnings = error
"""

CONFTEST = """
import os, sys
sys.path.insert(0, os.path.dirname(__file__))
import cases, comparator, reference_runtime, suite.inner

assert suite.MINE and comparator.MINE and cases.MINE
"""

VENDOR = """
import comparator, suite.inner
from reference_words import STATES

assert comparator.MINE and suite.MINE

class adapter:
    def describe(self):
        return {"name": "vendor", "version": "1", "levels": ["core", "executing", "full"]}
    def validate(self, document):
        return []
    def run(self, document, plan):
        order = ["alder", "birch", "cedar", "dogwood"]
        return {
            "transitions": [
                {"node": node, "from": a, "to": b, "attempt": 1}
                for node in order for a, b in zip(STATES, STATES[1:])
            ],
            "outcome": "succeeded",
        }
"""


@pytest.fixture
def foreign(tmp_path):
    for name in ("suite", "cases", "comparator", "reference_runtime"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("MINE = True\n", encoding="utf-8")
    (tmp_path / "suite" / "inner.py").write_text("", encoding="utf-8")
    (tmp_path / "reference_words.py").write_text(
        'STATES = ("PENDING", "READY", "RUNNING", "SUCCEEDED")\n', encoding="utf-8"
    )
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "check_own.py").write_text("def test_own(): pass\n", encoding="utf-8")
    # What pytest collects by itself where no ini file says otherwise.
    (tmp_path / "test_own.py").write_text("def test_own(): assert False\n", encoding="utf-8")
    (tmp_path / "pytest.ini").write_text(INI, encoding="utf-8")
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (tmp_path / "vendor.py").write_text(VENDOR, encoding="utf-8")
    return tmp_path


def test_only_the_corpus_runs_and_the_vendor_keeps_its_packages(foreign):
    ran = run_pytest(foreign, "--runtime=vendor:adapter", "-k", "all-diamond", "-v")

    assert 0 == ran.code
    assert "1 selected" in ran.line("result: ")
    assert "trace only" in ran.line("level not assessed")
    assert "_own" not in ran.out
    assert "hidden by ours in this process: comparator, suite" in ran.out


def test_paths_on_the_command_line_come_after_the_corpus(foreign):
    ran = run_pytest(foreign, "--runtime=vendor:adapter", DIAMOND, "tests/check_own.py", "-vv")
    verdicts = [line for line in ran.out.splitlines() if "PASSED" in line]

    assert 0 == ran.code
    assert DIAMOND in verdicts[0]
    assert "test_own" in verdicts[1]


def test_workers_find_our_packages_too(foreign):
    ran = run_pytest(foreign, "--runtime=vendor:adapter", DIAMOND, "-n", "1")

    assert 0 == ran.code
    assert "1 pass" in ran.line("result: ")


def test_without_a_runtime_nothing_changes(foreign):
    ran = run_pytest(foreign)

    assert 0 == ran.code
    assert "1 passed" in ran.out
    assert "HarnessXML" not in ran.out


def test_half_an_installation_names_both_paths(tmp_path, monkeypatch):
    entry = Path(importlib.util.find_spec("hxconf_pytest").origin)
    (tmp_path / entry.name).write_bytes(entry.read_bytes())
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    arguments = ("--disable-plugin-autoload", "-p", "hxconf_pytest", REFERENCE)
    ran = run(tmp_path, *arguments)
    errors = [line for line in ran.err.splitlines() if line.startswith("ERROR:")]

    assert 4 == ran.code
    assert 1 == len(errors)
    assert f"expected package comparator at {tmp_path / 'comparator'}, found it at " in errors[0]
    assert str(Path(comparator.__file__)) in errors[0]


def test_a_folder_that_is_also_a_value_of_an_option_is_not_collected(foreign):
    ran = run_pytest(
        foreign, "--runtime=vendor:adapter", "--rootdir", str(foreign), "-c", os.devnull,
        "--hx-select", DIAMOND,
    )  # fmt: skip

    assert (0, True) == (ran.code, "test_own" not in ran.out)


def test_certify_is_not_touched_by_the_folder(foreign, monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", "-k nothing")
    ran = run(
        foreign,
        *("certify", "--runtime=vendor:adapter", "--hx-select=valid", f"--hx-select={DIAMOND}"),
        "--hx-rename=0",  # that runtime knows the ids by heart
        module="suite.cli",
    )
    names = {path.name for path in (foreign / "certification").iterdir()}

    assert "test_own" not in ran.out
    report = (foreign / "certification" / "report.txt").read_text(encoding="utf-8")

    assert 6 == ran.code
    assert {"results.jsonl", "report.txt", "badge.svg", "badge.json"} == names
    assert "level not assessed" in report
    assert f"pass           {DIAMOND}\n" in report
