"""The command line: one line for every mistake, exit codes, and what the commands print."""

import json
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from suite.cli import COMMANDS, controls, main
from suite.cli.controls import unguarded
from suite.corpus.catalogue import load_corpus
from suite.corpus.cites import cites_of
from suite.verdict.verdict import Verdict
from tests.verdict_builder import describe

DIAMOND = "execution/joins/all-diamond"
DOCUMENT = str(Path(__file__).parents[2] / "cases" / f"{DIAMOND}.hxml")
STATES = ("PENDING", "READY", "RUNNING", "SUCCEEDED")


def moves(*nodes):
    return [
        {"node": node, "from": a, "to": b, "attempt": 1}
        for node in nodes
        for a, b in pairwise(STATES)
    ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nonsense"], "no command 'nonsense'; there are certify, list, case"),
        (["certify"], "certify: the following arguments are required: --runtime"),
        (["certify", "--runtime=a:b", "extra"], "certify: unrecognized argument 'extra'"),
        (["certify", "--runtime=a:b", "-k", "x"], "certify: unrecognized argument '-k'"),
        (["certify", "--runtime=a:b", "--hx-results=x"], "--hx-results is DIR/results.jsonl"),
        (["certify", "--runtime=a:b", "-n", "two"], "argument -n: invalid int value: 'two'"),
        (["case", "execution/joins/all-dimond"], f"the nearest is {DIAMOND}"),
        (["case", "execution/joins"], "case: no case or scenario 'execution/joins'"),
        (["list", "--wrong"], "list: unrecognized arguments: --wrong"),
        (["badge", "no-such-file"], "no-such-file: No such file or directory"),
        (["compare", "no/such", "trace.json"], "no scenario with a golden 'no/such'"),
        (["compare", f"{DIAMOND}.trace", "none.json"], "none.json: No such file or directory"),
        (["compare", "pyproject.toml", "x"], "'pyproject.toml' does not lie under expected_traces"),
        (["deviants", "zzzz"], "deviants: no deviant 'zzzz'; there are "),
        (["controls", "nobody"], "controls: no control 'nobody'; there are null, yes"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistake_is_one_line(hxconf, arguments, says):
    code, out, error = hxconf(*arguments)

    assert 4 == code
    assert [] == out
    assert 1 == error.count("\n")
    assert error.startswith("hxconf: ")
    assert says in error


def test_help_names_every_command(hxconf):
    code, out, _ = hxconf("--help")

    assert 0 == code
    assert set(COMMANDS) <= {line.split()[0] for line in out if line.startswith("  ")}


def test_no_command_is_a_mistake_that_shows_the_help(hxconf):
    assert 4 == hxconf()[0]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command, capsys):
    with pytest.raises(SystemExit, match=r"^0$"):
        main([command, "--help"])

    assert f"usage: hxconf {command}" in capsys.readouterr().out


def test_list_shows_what_matches(hxconf):
    code, out, _ = hxconf("list", "execution/joins/all-*")

    assert 0 == code
    assert f"{DIAMOND}.trace" in [line.split()[0] for line in out]
    assert all(line.startswith("execution/joins/all-") for line in out)


def test_list_of_nothing_is_five(hxconf):
    assert (5, []) == hxconf("list", "no/such")[:2]


def test_case_shows_document_plan_golden_and_cites(hxconf):
    code, out, _ = hxconf("case", DIAMOND)

    assert 0 == code
    assert "alder  task" in out
    assert {
        f"--- cases/{DIAMOND}.hxml",
        f"--- cases/{DIAMOND}.toml",
        "--- expected_traces/joins/all-diamond.trace.toml",
        "--- cited requirements",
    } <= set(out)
    assert any(line.startswith("§5.3.1 5.3.1-default-policy-all: ") for line in out)


def test_compare_accepts_any_legal_order(hxconf, tmp_path):
    path = tmp_path / "trace.json"
    trace = {"transitions": moves("alder", "cedar", "birch", "dogwood"), "outcome": "succeeded"}
    trace |= {"codes": [{"code": "HX-4106", "node": "alder", "attempt": 1, "message": "no"}]}
    path.write_text(json.dumps(trace), encoding="utf-8")

    code, out, _ = hxconf("compare", f"{DIAMOND}.trace", path)

    assert 0 == code
    assert "no difference" == out[-1]


def test_compare_explains_a_join_that_did_not_wait(hxconf, tmp_path):
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(moves("alder", "birch", "dogwood", "cedar")), encoding="utf-8")
    code, out, _ = hxconf("compare", f"{DIAMOND}.trace", path)

    assert 1 == code
    assert any("dogwood" in line for line in out)
    assert re.fullmatch(r"[1-9]\d* differences?", out[-1])


def test_compare_judges_a_document_of_ones_own(hxconf, tmp_path):
    document, path = tmp_path / "own.hxml", tmp_path / "trace.json"
    document.write_bytes(Path(DOCUMENT).read_bytes())
    path.write_text(json.dumps(moves("alder", "birch", "cedar", "dogwood")), encoding="utf-8")
    good = hxconf("compare", document, path)
    path.write_text(json.dumps(moves("dogwood", "alder", "birch", "cedar")), encoding="utf-8")
    bad = hxconf("compare", document, path)

    assert (0, 1) == (good[0], bad[0])


def test_a_trace_of_another_form_is_the_users_fault(hxconf, tmp_path):
    path = tmp_path / "trace.json"
    path.write_text('[{"node": "alder"}]', encoding="utf-8")
    code, _, error = hxconf("compare", f"{DIAMOND}.trace", path)

    assert 4 == code
    assert "trace.json" in error


def verdict(scenario, status, *blamed):
    return Verdict(scenario=scenario, status=status, cites=("r1", "r2"), blamed=blamed)


def test_a_requirement_is_guarded_when_a_control_fails_a_scenario_that_cites_it():
    verdicts = [verdict("a", "fail"), Verdict(scenario="b", status="pass", cites=("r3",))]

    assert ["r3"] == unguarded({"r1", "r2", "r3"}, verdicts)


def test_controls_reach_no_level(hxconf):
    code, out, _ = hxconf("controls", "null", "liar")

    assert 0 == code
    assert 2 == sum("reaches no level, is shown" in line for line in out)


def test_a_requirement_that_no_control_fails_is_a_failure(hxconf, monkeypatch):
    monkeypatch.setattr(controls, "measure", lambda *_: (describe(), []))
    code, out, _ = hxconf("controls", "yes", "echo", "shout")
    asserted = {cite for s in load_corpus().scenarios.values() for cite in cites_of(s)}

    assert 1 == code
    assert f"requirements for which no scenario fails yes, echo, shout: {len(asserted)}" in out


def test_badge_refuses_results_of_another_corpus(hxconf, tmp_path):
    path = tmp_path / "results.jsonl"
    header = {
        "type": "header",
        "tool": "0",
        "corpus": "0",
        "digest": "sha256:0",
        "implementation": {
            "type": "description",
            "id": 1,
            "protocol": 1,
            "name": "r",
            "version": "1",
            "levels": [],
            "control": "scripted",
        },
        "mode": "trace only",
        "started": "2026-01-01T00:00:00+00:00",
    }
    path.write_text(json.dumps(header) + "\n", encoding="utf-8")
    code, _, error = hxconf("badge", path)

    assert 4 == code
    assert "made by corpus sha256:0" in error


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("suite.cli", "list"), id="hxconf"),
        pytest.param(("reference_runtime", "run", DOCUMENT, "--trace"), id="reference-runtime"),
    ],
)
def test_a_reader_that_has_seen_enough_gets_no_traceback(words):
    process = subprocess.Popen(
        [sys.executable, "-m", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()

    assert (0, b"") == (process.wait(20), errors)
