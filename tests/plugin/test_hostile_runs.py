"""Hostile adapters from end to end: statuses, the next case, a whole report, nothing left.

One run of pytest meets all of them: each goes wrong on a document of its own, and between any two
of them stands a document that it accepts.
"""

import base64
import json
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from suite.corpus.catalogue import load_corpus
from suite.report.results import read_results
from tests.pytest_runs import processes_in, run_pytest

HOSTILE = Path(__file__).parents[1] / "runtimes" / "hostile"

#: Mode of program.py → status and reason.
PROGRAMS = {
    "exit": ("crash", "exited with code 0"),
    "text": ("protocol-error", r"text on standard output.*'Starting engine\.\.\.'"),
    "exit-code": ("crash", "exited with code 7"),
    "half-line": ("protocol-error", "half a JSON value"),
    "killed": ("crash", "killed by SIGKILL"),
    "half-then-exit": ("protocol-error", "half a line was sent"),
    "silent": ("timeout", r"no end within 0\.5 s"),
    "not-utf8": ("protocol-error", "not UTF-8"),
    "drip": ("timeout", r"no end within 0\.5 s"),
    "long-line": ("protocol-error", "a line longer than 1048576 bytes"),
    "flood": ("timeout", "no end|more than"),
    "nan": ("protocol-error", "NaN is not JSON"),
    "huge": ("protocol-error", "out of range"),
    "late": ("timeout", "no end within"),
    "surrogate": ("protocol-error", "a lone surrogate"),
    "close-stdout": ("crash", "closed its standard output and runs on"),
    "deep": ("protocol-error", "nested deeper than 64"),
    "fault": ("crash", "boom"),
    "unknown-id": ("protocol-error", "expected id"),
    "ignore-sigterm": ("timeout", "no end within"),
    "end-twice": ("protocol-error", "after the answer was complete"),
    "leave-child": ("crash", "exited with code 0"),
    "gap": ("protocol-error", "expected n 2, observed 3"),
    "leave-clean-child": ("timeout", "no end within"),
    "after-end": ("protocol-error", "after the answer was complete"),
    "leave-session-exit": ("crash", "exited with code 0"),
    "unknown-type": ("protocol-error", "unknown message type"),
    "unknown-state": ("protocol-error", "observed 'DONE'"),
    "unknown-node": ("protocol-error", "no node 'zzz'"),
    "claim": ("fail", "observed"),
    "leave-session": ("fail", "observed"),
    "noise": ("fail", "observed"),
    "deadlock": ("fail", "nothing can happen any more"),
    "big-invokes": ("timeout", "no end|more than 8388608 bytes"),
    "twice-late": ("protocol-error", "request \\d+ had ended"),
    "crash-late": ("crash", "exited with code 9 after its answer was complete"),
}

#: Class of objects.py → status and reason.
OBJECTS = {
    "Raises": ("crash", "KeyError: 'engine is broken'"),
    "UnknownState": ("protocol-error", "observed 'DONE'"),
    "ReturnsNone": ("crash", r"run\(\) returned None"),
    "UnknownNode": ("protocol-error", "no node 'zzz'"),
    "ReturnsCoroutine": ("crash", r"run\(\) returned a coroutine"),
    "UnknownOutcome": ("protocol-error", "excellent"),
    "Blocks": ("timeout", r"no end within 0\.5 s"),
    "Deep": ("protocol-error", "nested deeper than 64"),
    "Exits": ("crash", r"sys\.exit\(3\)"),
    "ClaimsSuccess": ("fail", "observed"),
    "ExitsAtOnce": ("crash", "exited with code 7"),
    "WaitsForNothing": ("fail", "nothing can happen any more"),
    "Killed": ("crash", "killed by SIGKILL"),
    "Noisy": ("fail", "observed"),
    "Floods": ("timeout", "no end|more than"),
    "WritesToStandardOutput": ("fail", "observed"),
    "IgnoresSigterm": ("timeout", "no end within"),
    "LeavesChild": ("fail", "observed"),
    "NotANumber": ("crash", "JSON compliant"),
    "Unserialisable": ("crash", "not JSON serializable"),
}
SCRIPTED = {
    "ScriptedNone": ("crash", r"run\(\) returned None for the transitions"),
    "ScriptedIdles": ("protocol-error", "a scripted run has its plan"),
    "ScriptedCoroutine": ("crash", r"run\(\) returned a coroutine"),
    "ScriptedTuples": ("crash", "expected a dict"),
}

#: Puts a document that is accepted after each hostile one; notes what the process has open and
#: how much memory it took.
CONFTEST = """
import json, os, pathlib
HERE = pathlib.Path(__file__).parent
def opened():
    links = [os.path.realpath(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd")]
    return sorted({link for link in links if "pipe:" in link or "anon_inode" in link})
def pytest_collection_modifyitems(items):
    bad = [item for item in items if item.nodeid.startswith("execution/")]
    good = [item for item in items if item.nodeid.startswith("valid/")]
    items[:] = [item for pair in zip(bad, good) for item in pair]
def pytest_configure(config):
    config.hx_opened = opened()
def pytest_unconfigure(config):
    status = pathlib.Path("/proc/self/status").read_text()
    peak = int(status.split("VmHWM:")[1].split()[0]) // 1024
    said = {"before": config.hx_opened, "after": opened(), "peak": peak}
    (HERE / "said.json").write_text(json.dumps(said))
"""


def scenarios(number, *, trace_only):
    """Return as many execution scenarios of different documents, and valid documents."""
    corpus = load_corpus()
    documents = {}
    for key, scenario in corpus.scenarios.items():
        if not key.startswith("execution/") or scenario.case.companions:
            continue
        plain = not (trace_only and scenario.plan.answers)
        if plain and b'<node id="' in scenario.case.document:
            documents.setdefault(scenario.case.document, key)
    bad = list(documents.items())[:number]
    good = [key for key in corpus.scenarios if key.startswith("valid/")][:number]

    assert number == len(bad) == len(good)
    return bad, good


class Met:
    """A run over all hostile modes of one adapter."""

    def __init__(self, folder, modes, target, *options, trace_only=False):
        self.folder = folder
        bad, self.good = scenarios(len(modes), trace_only=trace_only)
        self.scenario = dict(zip(modes, (key for _, key in bad), strict=True))
        table = {
            base64.b64encode(document).decode(): mode
            for mode, (document, _) in zip(modes, bad, strict=True)
        }
        (folder / "table.json").write_text(json.dumps(table), encoding="utf-8")
        (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
        chosen = [*self.scenario.values(), *self.good]
        self.ran = run_pytest(
            folder,
            *(f"--runtime={target}", "--hx-limit=0.5", "-p", "no:cacheprovider", *options),
            *("--hx-results=results.jsonl", "--junitxml=junit.xml"),
            *(f"--hx-select={key}" for key in chosen),
        )
        self.chosen = chosen
        self.results = read_results(folder / "results.jsonl")
        self.said = json.loads((folder / "said.json").read_text())
        self.left = processes_in(folder)


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    return Met(folder, PROGRAMS, f"cmd:{sys.executable} -I -S {HOSTILE / 'program.py'} table.json")


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    folder = tmp_path_factory.mktemp("objects")
    (folder / "objects.py").symlink_to(HOSTILE / "objects.py")
    return Met(folder, OBJECTS, "objects:Table")


@pytest.fixture(scope="module")
def scripted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scripted")
    (folder / "objects.py").symlink_to(HOSTILE / "objects.py")
    return Met(folder, SCRIPTED, "objects:ScriptedTable", trace_only=True)


ROWS = [
    pytest.param(adapter, mode, status, reason, id=f"{adapter}-{mode}")
    for adapter, modes in (("programs", PROGRAMS), ("objects", OBJECTS), ("scripted", SCRIPTED))
    for mode, (status, reason) in modes.items()
]


@pytest.mark.parametrize(("adapter", "mode", "status", "reason"), ROWS)
def test_hostile_adapter_gets_the_status_of_its_row(adapter, mode, status, reason, request):
    met = request.getfixturevalue(adapter)
    record = met.results.records[met.scenario[mode]]

    assert status == record.status
    assert re.search(reason, "\n".join((record.reason, record.detail, *record.text)))


@pytest.fixture(params=["programs", "objects", "scripted"])
def met(request):
    return request.getfixturevalue(request.param)


def test_the_next_case_is_judged_by_itself(met):
    statuses = {met.results.records[key].status for key in met.good}

    assert {"pass"} == statuses


def test_the_run_ends_and_every_report_is_whole(met):
    cases = [
        f"{case.get('classname').replace('.', '/')}/{case.get('name')}"
        for case in ET.parse(met.folder / "junit.xml").getroot().iter("testcase")
    ]

    assert 1 == met.ran.code
    assert set(met.chosen) == set(met.results.records) == set(cases)
    assert met.results.footer is not None
    assert "suite-fault" not in met.ran.out


def test_no_process_and_no_descriptor_is_left(met):
    assert [] == met.left
    assert met.said["before"] == met.said["after"]


def test_memory_is_bounded_whatever_is_sent(programs, objects):
    assert programs.said["peak"] < 250
    assert objects.said["peak"] < 250


def test_what_follows_the_verdict_is_red_everywhere(programs):
    late = programs.scenario["crash-late"]
    cases = [
        case
        for case in ET.parse(programs.folder / "junit.xml").getroot().iter("testcase")
        if f"{case.get('classname').replace('.', '/')}/{case.get('name')}" == late
    ]

    assert any(case.find("error") is not None for case in cases)
    assert f"ERROR at teardown of {late}" in programs.ran.out


#: Accepts every document, and goes wrong when it is told to stop.
LAST = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["type"] == "describe":
        print(json.dumps({
            "type": "description", "id": 1, "protocol": 1, "name": "last", "version": "1",
            "levels": ["core"], "control": "scripted",
        }), flush=True)
    elif request["type"] == "validate":
        print(json.dumps({"type": "findings", "id": request["id"]}), flush=True)
        last = request["id"]
    elif request["type"] == "stop":
        %s
"""
WAYS = [
    pytest.param("sys.exit(3)", "crash", "exited with code 3", id="crash"),
    pytest.param("print('Bye!', flush=True)", "protocol-error", "'Bye!'", id="message"),
]


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "worker"])
@pytest.mark.parametrize(("act", "status", "reason"), WAYS)
def test_what_follows_the_very_last_case_is_red(tmp_path, act, status, reason, workers):
    name = "valid/joins/quorum-equal-to-edges"
    (tmp_path / "last.py").write_text(LAST % act, encoding="utf-8")
    ran = run_pytest(
        tmp_path,
        *(f"--runtime=cmd:{sys.executable} last.py", name, "--hx-results=results.jsonl", *workers),
    )
    record = read_results(tmp_path / "results.jsonl").records[name]

    assert (1, status) == (ran.code, record.status)
    assert reason in record.reason
    assert f"selected: 1 {status}" in ran.out
    assert f"ERROR at teardown of {name}" in ran.out


STARTS = [
    pytest.param(f"cmd:{sys.executable} -I -S {HOSTILE / 'program.py'} {mode}", says, id=mode)
    for mode, says in (
        ("start-exit", "exited with code 1"),
        ("start-killed", "was killed by SIGKILL"),
        ("start-version", "expected protocol version 1 to 1, observed 9"),
    )
] + [
    pytest.param("objects:NoMethods", r"has no method describe\(\)", id="object-without-methods"),
    pytest.param("objects:broken_factory", "no engine in this place", id="object-that-raises"),
]


@pytest.mark.parametrize(("target", "says"), STARTS)
def test_adapter_that_does_not_start_is_one_line_and_exit_code_4(tmp_path, target, says):
    (tmp_path / "objects.py").symlink_to(HOSTILE / "objects.py")
    ran = run_pytest(tmp_path, f"--runtime={target}", "-q")
    lines = [line for line in (ran.out + ran.err).splitlines() if line.strip()]

    assert (4, 1) == (ran.code, len(lines))
    assert re.search(says, lines[0])
    assert [] == processes_in(tmp_path)
