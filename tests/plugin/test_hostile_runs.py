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
    "silent": ("timeout", r"no end within 1 s"),
    "not-utf8": ("protocol-error", "not UTF-8"),
    "drip": ("timeout", r"no end within 1 s"),
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
    "text-late": ("protocol-error", "after the answer was complete: .*'Done.'"),
    "half-late": ("protocol-error", "after the answer was complete: .*'Do"),
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
    "Blocks": ("timeout", r"no end within 1 s"),
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

#: Mode of sly.py → status and reason.
SLY_PROGRAMS = {
    "bom": ("protocol-error", "a byte order mark"),
    "crlf": ("fail", "observed"),
    "utf16": ("protocol-error", "not UTF-8"),
    "nul-inside": ("protocol-error", "not JSON"),
    "no-newline": ("protocol-error", "half a line was sent"),
    "interleaved": ("protocol-error", "not JSON"),
    "negative-n": ("protocol-error", r"\$\.n"),
    "bool-n": ("protocol-error", "got `bool`"),
    "string-id": ("protocol-error", "got `str`"),
    "clock-storm": ("timeout", "no end within|more than"),
    "timer-negative": ("protocol-error", r"\$\.timer"),
    "timer-infinite": ("protocol-error", "Infinity is not JSON"),
    "stop-itself": ("timeout", "no end within"),
    "kill-parent": ("crash", "lost the suite's process that watches it"),
    "kill-own-group": ("crash", "killed by SIGKILL"),
    "signals-to-parent": ("fail", "observed"),
    "fork-bomb": ("timeout", "no end within"),
    "daemon": ("fail", "observed"),
    "daemon-exit": ("crash", "exited with code 0"),
    "descriptors": ("fail", "observed"),
    "balloon": ("crash", "exited with code 1"),
    "close-stdin": ("crash", "after its answer was complete"),
    "stderr-escapes": ("crash", "exited with code 3"),
    "evil": ("protocol-error", r"no node '\\x1b"),
    "evil-fault": ("crash", r"^\\x1b"),
    "evil-code": ("fail", r"\\x1b\[31m\\x1b"),
    "evil-findings": ("fail", r"refused with \\x1b\[31m\\x1b"),
    "foreign-code": ("protocol-error", "end: the document has no node 'zzz'"),
}

#: Class of sly_objects.py → status and reason.
SLY_OBJECTS = {
    "Patched": ("crash", "exited with code 1"),
    "WritesForUs": ("protocol-error", "half a line was sent"),
    "ClosesStdout": ("crash", "KeyError: 'closed'"),
    "ClosesDescriptors": ("crash", "exited with code 1"),
    "ThreadReports": ("fail", "observed"),
    "ThreadForEver": ("fail", "observed"),
    "AtExit": ("fail", "observed"),
    "DelRaises": ("crash", "exited with code 4"),
    "Interrupts": ("crash", "killed by SIGINT"),
    "Cancels": ("crash", "CancelledError"),
    "Recursion": ("crash", "RecursionError"),
    "StackOverflow": ("crash", "killed by SIGSEGV|RecursionError"),
    "ErrorWithoutText": ("crash", "EvilError whose text cannot be had: RuntimeError"),
    "ErrorWithHugeText": ("crash", r"ValueError: x{2000}… \(3145728 characters\)"),
    "ErrorWithEvilText": ("crash", r"ValueError: \\x1b.*\\ud800"),
    "HugeRepr": ("crash", r"run\(\) returned .*characters"),
    "ReprRaises": ("crash", r"run\(\) returned <Odd whose text"),
    "EndlessDict": ("timeout", "no end within"),
    "ClosesLoop": ("crash", "Event loop stopped"),
    "RunsLoop": ("crash", "cannot be called from a running event loop"),
    "EndsTwice": ("protocol-error", "after the answer was complete"),
    "ForksAndReturns": ("fail", "observed"),
    "ForksAndWaits": ("fail", "observed"),
    "PollutesSession": ("protocol-error", "a gap"),
    "SleepsNan": ("crash", "expected a finite number of seconds, observed nan"),
    "OddIteration": ("crash", r"expected a list of \(loop, index\)"),
    "SpinsInTheLoop": ("timeout", "no end within"),
    "StopsItself": ("timeout", "no end within"),
}
SLY_SCRIPTED = {
    "ScriptedGenerator": ("crash", r"run\(\) returned <generator"),
    "ScriptedEnds": ("protocol-error", "after the answer was complete"),
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

    def __init__(self, folder, modes, target, limit):
        self.folder = folder
        bad, self.good = scenarios(len(modes), trace_only="Scripted" in target)
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
            *(f"--runtime={target}", f"--hx-limit={limit}", "-p", "no:cacheprovider"),
            *("--hx-results=results.jsonl", "--junitxml=junit.xml"),
            *(f"--hx-select={key}" for key in chosen),
        )
        self.chosen = chosen
        self.results = read_results(folder / "results.jsonl")
        self.said = json.loads((folder / "said.json").read_text())
        self.left = processes_in(folder)

    def cases(self):
        """Yield name and element of each case of the JUnit report."""
        for case in ET.parse(self.folder / "junit.xml").getroot().iter("testcase"):
            yield f"{case.get('classname').replace('.', '/')}/{case.get('name')}", case


#: Adapter → file, target (without a file of objects: a program) and modes.
ADAPTERS = {
    "programs": ("program.py", None, PROGRAMS),
    "sly_programs": ("sly.py", None, SLY_PROGRAMS),
    "objects": ("objects.py", "objects:Table", OBJECTS),
    "sly_objects": ("sly_objects.py", "sly_objects:Table", SLY_OBJECTS),
    "scripted": ("objects.py", "objects:ScriptedTable", SCRIPTED),
    "sly_scripted": ("sly_objects.py", "sly_objects:ScriptedTable", SLY_SCRIPTED),
}

#: Seconds a case may take: little for the modes that use them up, for all others as many as a
#: busy machine needs.
LIMITS = {"hang": 1, "end": 30}


def way_of(mode, row):
    """Return the key of ``LIMITS`` for a mode."""
    return "hang" if row[0] == "timeout" or mode == "WritesForUs" else "end"


def runs():
    """Yield adapter, modes and limit of each run; an adapter has one run for each limit."""
    for adapter, (_, _, modes) in ADAPTERS.items():
        for way, limit in LIMITS.items():
            chosen = {mode: row for mode, row in modes.items() if way_of(mode, row) == way}
            if chosen:
                yield pytest.param(adapter, chosen, limit, id=f"{adapter}-{way}")


@pytest.fixture
def met(adapter, modes, limit, tmp_path):
    """The run over some modes of an adapter."""
    name, target, _ = ADAPTERS[adapter]
    if target is None:
        target = f"cmd:{sys.executable} -I -S {HOSTILE / name} table.json"
    else:
        for file in {name, "objects.py"}:
            (tmp_path / file).symlink_to(HOSTILE / file)
    return Met(tmp_path, modes, target, limit)


# One test for a whole run: workers of xdist share nothing, and each would make it again.
@pytest.mark.parametrize(("adapter", "modes", "limit"), list(runs()))
def test_hostile_adapters_get_their_status_and_harm_nothing_else(met, modes, subtests):
    for mode, (status, reason) in modes.items():
        with subtests.test("the status of its row", mode=mode):
            has_status_of_its_row(met, mode, status, reason)
    for holds in (
        next_case_is_judged_by_itself,
        every_report_is_whole,
        no_process_and_no_descriptor_is_left,
        memory_is_bounded_whatever_is_sent,
        nothing_that_steers_a_terminal_is_shown,
    ):
        with subtests.test(holds.__name__.replace("_", " ")):
            holds(met)
    if "crash-late" in modes:
        with subtests.test("what follows the verdict is red everywhere"):
            what_follows_the_verdict_is_red_everywhere(met, met.scenario["crash-late"])

    assert set(modes) == set(met.scenario)


def has_status_of_its_row(met, mode, status, reason):
    record = met.results.records[met.scenario[mode]]

    assert status == record.status
    assert re.search(reason, "\n".join((record.reason, record.detail, *record.text)))


def next_case_is_judged_by_itself(met):
    statuses = {met.results.records[key].status for key in met.good}

    assert {"pass"} == statuses


def every_report_is_whole(met):
    assert 1 == met.ran.code
    assert set(met.chosen) == set(met.results.records) == {name for name, _ in met.cases()}
    assert met.results.footer is not None
    assert "suite-fault" not in met.ran.out


def no_process_and_no_descriptor_is_left(met):
    assert [] == met.left
    assert met.said["before"] == met.said["after"]


def memory_is_bounded_whatever_is_sent(met):
    assert met.said["peak"] < 250


def nothing_that_steers_a_terminal_is_shown(met):
    shown = met.ran.out + (met.folder / "junit.xml").read_text(encoding="utf-8")

    assert set() == {c for c in shown if not (c.isprintable() or c in "\n\t")}


def what_follows_the_verdict_is_red_everywhere(met, late):
    assert any(case.find("error") is not None for name, case in met.cases() if name == late)
    assert f"ERROR at teardown of {late}" in met.ran.out


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


#: Accepts every document, and does something to the file of results.
SPOILS = """
import json, os, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["type"] == "describe":
        print(json.dumps({
            "type": "description", "id": 1, "protocol": 1, "name": "spoils", "version": "1",
            "levels": ["core"], "control": "scripted",
        }), flush=True)
    elif request["type"] == "validate":
        %s
        print(json.dumps({"type": "findings", "id": request["id"]}), flush=True)
    elif request["type"] == "stop":
        break
"""
SPOILED = [
    pytest.param("os.truncate('results.jsonl', 0)", "changed by others", id="truncated"),
    pytest.param("os.unlink('results.jsonl')", "deleted during the run", id="deleted"),
    pytest.param(
        "open('results.jsonl', 'a').write('garbage' * 10**5)", "changed by others", id="appended"
    ),
]


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "worker"])
@pytest.mark.parametrize(("act", "says"), SPOILED)
def test_adapter_that_spoils_the_results_is_told_and_they_are_whole(tmp_path, act, says, workers):
    name = "valid/joins/quorum-equal-to-edges"
    (tmp_path / "spoils.py").write_text(SPOILS % act, encoding="utf-8")
    ran = run_pytest(
        tmp_path,
        *(f"--runtime=cmd:{sys.executable} spoils.py", name, "--hx-results=results.jsonl"),
        *workers,
    )
    results = read_results(tmp_path / "results.jsonl")

    assert (3, "pass") == (ran.code, results.records[name].status)
    assert re.search(f"\nsuite-fault: .*results.jsonl: {says}.*; it was written again\n", ran.out)
    assert results.footer is not None


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
