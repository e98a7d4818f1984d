import json
import subprocess
import sys

import pytest

from reference_runtime.__main__ import main
from tests.strategies_runtime import document, plan


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Folder with a document ``a.hxml`` and what else a test writes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.hxml").write_bytes(
        document(
            "a <outputs><output name='n' type='number'/></outputs>\n"
            "d:decision <cases><case when='${a.n &gt; 1}' to='t'/><otherwise to='u'/></cases>\n"
            "t <inputs><input name='x'/></inputs><outputs><output name='y'/></outputs>\nu",
            "a->d d->t d->u a=n:x=>t",
            entry="a",
        )
    )
    return tmp_path


def call(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


@pytest.mark.usefixtures("files")
def test_final_states_and_outcome_are_printed(capsys):
    code, out, _ = call(capsys, "run", "a.hxml")

    assert ["a  SUCCEEDED", "d  SUCCEEDED", "t  PENDING", "u  SUCCEEDED", "outcome: succeeded"] == (
        out.splitlines()
    )
    assert 0 == code


def test_public_plan_decides_the_branch_and_trace_is_json(files, capsys):
    (files / "p.txt").write_text("a ok n=3\n")
    code, out, _ = call(capsys, "run", "a.hxml", "--public-plan", "p.txt", "--trace", "--seed", "2")
    trace = json.loads(out)

    assert (0, "succeeded") == (code, trace["outcome"])
    assert ["a", "d", "t"] == [e["node"] for e in trace["transitions"] if e["to"] == "SUCCEEDED"]


def test_plan_of_the_suite_is_read_and_codes_are_printed(files, capsys):
    (files / "p.json").write_text(json.dumps(plan({"a": {"result": "ok", "outputs": {}}})))
    code, out, _ = call(capsys, "run", "a.hxml", "--plan", "p.json")

    assert 1 == code
    assert ["  d: HX-4106", "outcome: failed"] == [
        line[:12] if line.startswith(" ") else line for line in out.splitlines()[4:]
    ]


def test_invalid_document_is_refused_with_findings(files, capsys):
    (files / "b.hxml").write_bytes(document("a", "a->z"))
    code, out, _ = call(capsys, "run", "b.hxml")

    assert 1 == code
    assert out.startswith("HX-2001  b.hxml:1  error\n")


def test_run_that_cannot_end_says_so(files, capsys):
    (files / "p.json").write_text(json.dumps(plan({"a": {"result": "hang"}})))
    code, _, err = call(capsys, "run", "a.hxml", "--plan", "p.json")

    assert (1, 1) == (code, err.count("\n"))
    assert "a RUNNING" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "required: command"),
        (["run"], "required: document"),
        (["run", "none.hxml"], "none.hxml: No such file"),
        (["run", "a.hxml", "--sed"], "unrecognized arguments"),
        (["run", "a.hxml", "--seed", "x"], "invalid int value: 'x'"),
        (["run", "a.hxml", "--plan", "p", "--public-plan", "p"], "not allowed with argument"),
        (["run", "a.hxml", "--plan", "bad.json"], "bad.json: line 2: "),
        (["run", "a.hxml", "--plan", "odd.json"], "odd.json: plan: expected dict"),
        (["run", "a.hxml", "--public-plan", "bad.txt"], "bad.txt: line 1: the document has no"),
        (["run", "a.hxml", "--public-plan", "latin.txt"], "latin.txt: not UTF-8 at byte 0"),
        (["run", "long.hxml"], "long.hxml: loop 'l' (line 1): more than 100,000 iterations"),
        (["run", "long.hxml", "--all-schedules"], "long.hxml: loop 'l' (line 1): more than"),
        (["run", "a.hxml", "--companion", "x"], "--companion: expected URI=FILE, observed 'x'"),
        (["run", "a.hxml", "--companion", "x=nope"], "nope: No such file"),
        (["explain", "a.hxml", "z"], "a.hxml: there is no node 'z'"),
        (["explain", "nope.hxml"], "nope.hxml: No such file"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_wrong_usage_is_one_line_and_exit_code_2(files, capsys, arguments, message):
    (files / "bad.json").write_text("{\n!")
    (files / "odd.json").write_text("[]")
    (files / "bad.txt").write_text("zz ok")
    (files / "latin.txt").write_bytes(b"\xe9")
    loop = "<loop kind='times' count='999999' maxIterations='999999'><body ref='b'/></loop>"
    (files / "long.hxml").write_bytes(document(f"l:loop {loop}\nb", entry="l"))
    code, out, err = call(capsys, *arguments)

    assert (2, "", 1) == (code, out, err.count("\n"))
    assert err.startswith("reference_runtime: ")
    assert message in err


@pytest.mark.usefixtures("files")
def test_module_runs_as_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "reference_runtime", "run", "a.hxml"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (0, "outcome: succeeded") == (done.returncode, done.stdout.splitlines()[-1])


def write_race(files):
    doc = document("f\na\nb\nj joinPolicy=any", "f->a f->b a->j b->j", entry="f")
    (files / "race.hxml").write_bytes(doc)


def test_all_schedules_are_summed_up(files, capsys):
    write_race(files)
    code, out, _ = call(capsys, "run", "race.hxml", "--all-schedules")

    assert (0, "4 behaviours in 5 runs") == (code, out.splitlines()[-1])
    assert "  a  SUCCEEDED or CANCELLED" in out.splitlines()


def test_bound_that_is_hit_is_told_and_no_success(files, capsys):
    write_race(files)
    code, out, _ = call(capsys, "run", "race.hxml", "--all-schedules", "--bound", "2")

    assert (1, "not all: 2 behaviours in 2 runs, and the bound is 2") == (
        code,
        out.splitlines()[-1],
    )


def test_one_order_that_fails_is_no_success(files, capsys):
    write_race(files)
    (files / "p.txt").write_text("a fail\n")
    code, out, _ = call(capsys, "run", "race.hxml", "--all-schedules", "--public-plan", "p.txt")

    assert 1 == code
    assert ["failed", "succeeded"] == [
        line.split()[1] for line in out.splitlines() if line.startswith("outcome")
    ]


def test_traces_of_all_schedules_are_json(files, capsys):
    write_race(files)
    code, out, _ = call(capsys, "run", "race.hxml", "--all-schedules", "--trace")
    found = json.loads(out)

    assert (0, True, 4, 5) == (
        code,
        found["complete"],
        len(found["behaviours"]),
        found["runs"],
    )


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--bound", "0", "--all-schedules"), "--bound: expected a number above 0, observed '0'"),
        (("--bound", "3"), "--bound: it limits --all-schedules"),
        (("--seed", "3", "--all-schedules"), "--seed: --all-schedules tries every order"),
    ],
)
@pytest.mark.usefixtures("files")
def test_options_that_do_not_fit_are_one_line(capsys, arguments, line):
    code, out, err = call(capsys, "run", "a.hxml", *arguments)

    assert (2, "", 1) == (code, out, err.count("\n"))
    assert line in err


@pytest.mark.usefixtures("files")
def test_nodes_are_explained(capsys):
    code, out, _ = call(capsys, "explain", "a.hxml", "t")

    assert 0 == code
    assert [
        "t (task, line 1)",
        "  waits for all of: decision d to choose it (control); data a.n into x",
        "  then it needs input x",
        "  → PENDING: never reached",
        "    since d chose u (otherwise)",
        "outcome: succeeded",
    ] == out.splitlines()


def test_invalid_document_is_not_explained(files, capsys):
    (files / "b.hxml").write_bytes(document("a", "a->z"))
    code, out, _ = call(capsys, "explain", "b.hxml")

    assert (1, "HX-2001") == (code, out[:7])


def test_documents_beside_are_companions(files, capsys):
    (files / "m.hxml").write_bytes(document("s:subworkflow <subworkflow href='in/c.hxml'/>"))
    (files / "in").mkdir()
    (files / "in/c.hxml").write_bytes(document("s:subworkflow <subworkflow href='d.hxml'/>"))
    (files / "in/d.hxml").write_bytes(document("x"))
    (files / "p.json").write_text(json.dumps(plan({"s/s/x": {"result": "fail"}})))

    assert 0 == call(capsys, "run", "m.hxml")[0]
    assert "s  FAILED" in call(capsys, "run", "m.hxml", "--plan", "p.json")[1]
    assert "1 behaviour in 1 run\n" in call(capsys, "run", "m.hxml", "--all-schedules")[1]


def test_refused_document_says_why(files, capsys):
    (files / "p.toml").write_text("refused = ['unsigned']\n")
    refused = "refused: the document has no good signature, and the environment requires one\n"

    assert (1, refused) == call(capsys, "run", "a.hxml", "--plan", "p.toml")[:2]
    assert (0, refused) == call(capsys, "explain", "a.hxml", "--plan", "p.toml")[:2]
    assert refused == call(capsys, "run", "a.hxml", "--plan", "p.toml", "--trace")[2]


@pytest.mark.parametrize(
    "words",
    [
        ("a.hxml", "t", "u", "--plan", "p.toml"),
        ("a.hxml", "--plan", "p.toml", "t", "u"),
        ("--plan", "p.toml", "a.hxml", "t", "u"),
        ("a.hxml", "t", "--plan", "p.toml", "u"),
        ("--plan", "p.toml", "--", "a.hxml", "t", "u"),
    ],
    ids=["last", "between", "first", "among-nodes", "dashes"],
)
def test_options_stand_anywhere(files, capsys, words):
    (files / "p.toml").write_text("[steps]\na = { ok = { n = 3 } }\n")
    code, out, _ = call(capsys, "explain", *words)

    assert (0, ["t (task, line 1)", "u (task, line 1)"]) == (
        code,
        [line for line in out.splitlines()[:-1] if not line.startswith(" ")],
    )
    assert "  → PENDING: never reached\n    since d chose t" in out


def test_failed_attempts_are_told_apart_and_codes_have_their_message(files, capsys):
    timeout = "<retry maxAttempts='2' backoff='none'/><timeout duration='PT1S'/>"
    doc = document(f"f {timeout}\ng", "f..>g[${1 &lt; 'x'}]".replace("&lt;", "<"), "f")
    (files / "f.hxml").write_bytes(doc)
    (files / "p.txt").write_text("f timeout\n")
    _, out, _ = call(capsys, "run", "f.hxml", "--plan", "p.txt")
    _, trace, _ = call(capsys, "run", "f.hxml", "--plan", "p.txt", "--trace")
    late = "HX-4108 no end within 1 s"
    reported = [line for line in out.splitlines() if line.startswith("  f: HX-4106")]

    assert [f"  f@1: {late}", f"  f@2: {late}"] == [
        line for line in out.splitlines() if "HX-4108" in line
    ]
    assert [f"  f: HX-4106 {code['message']}" for code in json.loads(trace)["codes"]] == reported
