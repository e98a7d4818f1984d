"""Thousands of cases, and endless answers, leave the process as large as it was."""

import json
import subprocess
import sys
from pathlib import Path

from suite.corpus.catalogue import load_corpus
from tests.pytest_runs import run_pytest

PROGRAM = Path(__file__).parents[1] / "runtimes" / "hostile" / "program.py"

#: Accepts every document, with 20 KB of talk about it on either way.
TALKS = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["type"] == "describe":
        print(json.dumps({
            "type": "description", "id": request["id"], "protocol": 1, "name": "talks",
            "version": "1", "levels": ["core", "executing", "full"], "control": "scripted",
        }), flush=True)
    elif request["type"] == "validate":
        finding = {"code": "HX-3005", "severity": "warning", "message": "x" * 20000}
        print("y" * 20000, file=sys.stderr, flush=True)
        answer = {"type": "findings", "id": request["id"], "findings": [finding]}
        print(json.dumps(answer), flush=True)
    elif request["type"] == "stop":
        break
"""

#: Runs the same documents again and again, and measures after 500 of them and at the end.
CONFTEST = """
import json, pathlib
HERE = pathlib.Path(__file__).parent
sizes = []
def size():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096
def pytest_collection_modifyitems(items):
    items[:] = (items * 2500)[:2500]
def pytest_runtest_logfinish():
    sizes.append(size())
def pytest_unconfigure():
    (HERE / "sizes.json").write_text(json.dumps([sizes[500], sizes[-1], len(sizes)]))
"""


def test_two_thousand_cases_do_not_grow_memory(tmp_path):
    (tmp_path / "talks.py").write_text(TALKS, encoding="utf-8")
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    valid = [key for key in load_corpus().scenarios if key.startswith("valid/")][:40]
    ran = run_pytest(
        tmp_path,
        *(f"--runtime=cmd:{sys.executable} -S talks.py", "-p", "no:cacheprovider", "-q"),
        *("--hx-results=results.jsonl", *(f"--hx-select={key}" for key in valid)),
    )
    first, last, number = json.loads((tmp_path / "sizes.json").read_text())
    written = (tmp_path / "results.jsonl").stat().st_size

    assert 0 == ran.code
    assert 2500 == number
    assert written > 80_000_000
    assert last - first < 25_000_000  # pytest itself keeps some 5 kB of each


#: Asks a hostile program three times; prints how much the process grew, and what came of it.
MEASURE = """
import pathlib, sys
from suite.corpus.plan import Plan
from suite.protocol.runtime import open_runtime
def peak():
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024
with open_runtime(sys.argv[1]) as runtime:
    before = peak()
    kinds = [runtime.run(b"bad", {}, Plan(), 20.0).kind for _ in range(3)]
print(peak() - before, *kinds)
"""


def measured(mode):
    """Return how much the suite grows over three requests to a hostile program, and their kinds."""
    target = f"cmd:{sys.executable} -I -S {PROGRAM} {mode}"
    command = [sys.executable, "-c", MEASURE, target]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    grown, *kinds = told.split()
    return int(grown), kinds


def test_endless_small_transitions_are_cut_off_in_little_memory():
    grown, kinds = measured("flood")

    assert ["timeout"] * 3 == kinds
    assert grown < 250_000_000


def test_calls_with_large_inputs_are_cut_off_in_little_memory():
    grown, kinds = measured("big-invokes")

    assert ["timeout"] * 3 == kinds
    assert grown < 500_000_000
