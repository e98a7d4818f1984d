"""``hxconf run``: one document of one's own on any runtime."""

import json
import subprocess
import sys

import pytest

from suite.cli.plan_files import outline_of, plan_from
from suite.corpus.plan import Answer, IdlePoint, PlanError, Point
from tests.strategies_runtime import document

DOC = document(
    "a <outputs><output name='n' type='number'/></outputs>\n"
    "d:decision <cases><case when='${a.n &gt; 1}' to='t'/><otherwise to='u'/></cases>\n"
    "t <inputs><input name='x'/></inputs>\nu",
    "a->d d->t d->u a=n:x=>t",
    entry="a",
)
LOOP = document(
    "l:loop <loop kind='times' count='12' maxIterations='12'><body ref='b'/></loop>\nb", entry="l"
)


@pytest.fixture
def run(hxconf, tmp_path, monkeypatch):
    """Run ``hxconf run`` in a folder with the document ``a.hxml``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.hxml").write_bytes(DOC)

    def run(*arguments, **files):
        for name, text in files.items():
            (tmp_path / name.replace("_", ".")).write_text(text)
        return hxconf("run", *arguments, "--hx-in-process")

    return run


def test_a_wait_of_a_day_is_no_deadlock(run, tmp_path):
    text = document("w:wait <wait duration='P1D'/>\na", "w->a")
    (tmp_path / "a.hxml").write_bytes(text)
    expected = ["w  SUCCEEDED", "a  SUCCEEDED", "outcome: succeeded"]

    assert (0, expected, "") == run("a.hxml")


def test_states_and_outcome_are_shown(run):
    expected = ["a  SUCCEEDED", "d  SUCCEEDED", "t  PENDING", "u  SUCCEEDED", "outcome: succeeded"]

    assert (0, expected, "") == run("a.hxml")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.toml", "[steps]\na = { ok = { n = 3 } }\n"),
        ("p.plan", "# steps\n[steps]\na = { ok = { n = 3 } }\n"),
        ("p.json", '{"answers": [{"node": "a", "result": "ok", "outputs": {"n": 3}}]}'),
        ("p.plan", '{"answers": [{"node": "a", "result": "ok", "outputs": {"n": 3}}]}'),
        ("p.txt", "a ok n=3 # more\n"),
    ],
    ids=["toml", "toml-by-content", "json", "json-by-content", "lines"],
)
def test_plan_in_every_form(run, name, text):
    code, out, _ = run("a.hxml", "--plan", name, **{name.replace(".", "_"): text})

    assert (0, "t  SUCCEEDED", "u  PENDING") == (code, out[2], out[3])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("p.toml", "[steps]\nz = 'ok'\n", "p.toml: the document has no node 'z'"),
        ("p.toml", "[steps\n", "p.toml: expected TOML, observed "),
        ("p.toml", "[steps]\na = { okay = 1 }\n", "p.toml: steps.a: "),
        ("p.toml", "cancel = 'now'\n", "p.toml: cancel: expected 'idle' or 'node STATE'"),
        ("p.json", "{\n!", "p.json: line 2: "),
        ("p.json", '{"answers": 1}', "p.json: answers: expected array"),
        ("p.json", "[" * 9999, "p.json: its values are nested too deep"),
        ("p.toml", "x = " + "[" * 9999, "p.toml: its values are nested too deep"),
        (
            "p.json",
            '{"answers": [{"node": "a", "result": "ok", "outputs": {"n": [1e999]}}]}',
            "p.json: step 'a': ok: expected values that JSON can say, observed inf",
        ),
        (
            "p.toml",
            "[steps]\na = { ok = { n = nan } }",
            "p.toml: step 'a': ok: expected values that ",
        ),
        (
            "p.toml",
            "[steps]\na = { ok = { n = 2026-01-01 } }",
            "p.toml: step 'a': ok: expected values that ",
        ),
        ("p.txt", "z ok", "p.txt: line 1: the document has no node 'z'"),
        ("p.txt", "a ok\na fail", "p.txt: line 2: a has a directive already"),
        ("p.txt", "a maybe", "p.txt: line 1: expected ok, fail or timeout, observed 'maybe'"),
        ("p.txt", "a", "p.txt: line 1: expected ok, fail or timeout, observed nothing"),
        ("p.txt", "a ok 3", "p.txt: line 1: expected key=value after ok, observed '3'"),
        ("p.txt", "!a ok", "p.txt: line 1: expected node or node@attempt, observed '!a'"),
    ],
)
def test_faulty_plan_is_one_line(run, name, text, message):
    code, out, err = run("a.hxml", "--plan", name, **{name.replace(".", "_"): text})

    assert (4, [], 1) == (code, out, err.count("\n"))
    assert err.startswith(f"hxconf: run: {message}")


def test_lines_read_every_value_and_result():
    text = (
        "a@2 ok n=-1.5 t=true z=null l=[1,x] e=[] i=1e999 a=1٣\n"
        "a fail\nd fail unavailable rail down\nt timeout"
    )
    answers = plan_from(text, ".txt", outline_of(DOC)).answers
    outputs = {"n": -1.5, "t": True, "z": None, "l": [1, "x"], "e": [], "i": "1e999", "a": "1٣"}

    assert (
        Answer(node="a@2", result="ok", outputs=outputs),
        Answer(node="a", result="fail", error_class="internal"),
        Answer(node="d", result="fail", error_class="unavailable", message="rail down"),
        Answer(node="t", result="hang"),
        Answer(node="a", result="ok", outputs={"n": 1}),
    ) == answers


def test_toml_has_moments_and_durations():
    text = "cancel = 'idle'\n[steps]\na = { ok = {}, after = 'PT2S', hold-until = 'u RUNNING' }\n"
    plan = plan_from(text, ".toml", outline_of(DOC))

    assert IdlePoint() == plan.cancel
    assert (2, Point("u", "RUNNING")) == (plan.answers[0].after, plan.answers[0].hold)


def test_plan_for_a_document_that_cannot_be_read_is_read_all_the_same():
    assert None is outline_of(b"<")
    assert None is outline_of(b"<?xml version='1.0' encoding='utf-7'?><harness/>")
    assert None is outline_of(b"<?xml version='1.0' encoding='no-such'?><harness/>")
    assert "z" == plan_from("z ok", "", None).answers[0].node
    with pytest.raises(PlanError, match="line 1: expected ok, fail or timeout"):
        plan_from("steps", "", None)


def test_failures_show_code_class_and_message(run):
    text = "a fail unavailable rail down"
    code, out, _ = run("a.hxml", "--plan", "p.txt", p_txt=text)

    assert (1, ["  a: unavailable rail down", "outcome: failed"]) == (code, out[-2:])


RETRIED = document(
    "l:loop <loop kind='times' count='2' maxIterations='2' onItemFailure='continue'>"
    "<body ref='b'/></loop>\n"
    "b <retry maxAttempts='2' backoff='none'/><timeout duration='PT1S'/>",
    entry="l",
)


@pytest.mark.parametrize("way", [(), ("--hx-in-process",)], ids=["played", "protocol"])
def test_each_attempt_that_failed_is_told_apart(hxconf, tmp_path, way):
    (tmp_path / "a.hxml").write_bytes(RETRIED)
    (tmp_path / "p.toml").write_text("[steps]\n'b[0]' = 'hang'\n'b[1]@1' = 'hang'\n")
    code, out, _ = hxconf("run", tmp_path / "a.hxml", "--plan", tmp_path / "p.toml", *way)

    assert 0 == code
    assert [
        "  b[0]@1: HX-4108 no end within 1 s",
        "  b[0]@2: HX-4108 no end within 1 s",
        "  b[1]@1: HX-4108 no end within 1 s",
        "outcome: succeeded",
    ] == sorted(out[3:])


def test_attempt_that_was_the_only_one_is_not_numbered(run, tmp_path):
    (tmp_path / "a.hxml").write_bytes(document("a <retry maxAttempts='3' retryOn='x'/>"))
    out = run("a.hxml", "--plan", "p.txt", p_txt="a fail y no")[1]

    assert ["  a: y no", "outcome: failed"] == out[1:]


UNDO = document("a\nb\nu", "a->b a-~>u", "a")


@pytest.mark.parametrize(
    ("runtime", "told"),
    [
        ((), "a: HX-4110 its compensating node failed\n"),
        (("--hx-in-process",), "a: HX-4110\n"),
        (("--hx-in-process", "--runtime=adapter:reference_runtime:scripted"), "a: HX-4110\n"),
    ],
    ids=["played", "protocol", "scripted"],
)
def test_codes_without_a_transition_stand_beside_the_trace(hxconf, tmp_path, runtime, told):
    (tmp_path / "a.hxml").write_bytes(UNDO)
    (tmp_path / "p.txt").write_text("b fail x\nu fail y\n")
    shown = ("run", tmp_path / "a.hxml", "--plan", tmp_path / "p.txt", *runtime)
    code, out, err = hxconf(*shown, "--trace")
    (tmp_path / "t.json").write_text("\n".join(out))

    assert (1, told) == (code, err)
    assert f"  {told.strip()}" == hxconf(*shown)[1][-2]
    assert (0, ["no difference"]) == hxconf("compare", tmp_path / "a.hxml", tmp_path / "t.json")[:2]


def test_codes_are_shown_of_a_runtime_that_does_not_claim_to_have_them(
    hxconf, tmp_path, monkeypatch
):
    (tmp_path / "quiet.py").write_text(
        "class adapter:\n"
        "    def describe(self):\n"
        "        return {'name': 'quiet', 'version': '1', 'levels': ['core', 'executing']}\n"
        "    def validate(self, document):\n"
        "        return []\n"
        "    def run(self, document, plan):\n"
        "        return {'transitions': [], 'codes': [{'code': 'HX-4106'}]}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "a.hxml").write_bytes(DOC)
    shown = ("run", tmp_path / "a.hxml", "--runtime=adapter:quiet", "--hx-in-process")

    assert ["  the run: HX-4106", "outcome: none"] == hxconf(*shown)[1][-2:]
    assert "the run: HX-4106\n" == hxconf(*shown, "--trace")[2]


@pytest.mark.parametrize("way", [(), ("--hx-in-process",)], ids=["played", "protocol"])
def test_codes_that_iterations_repeat_are_counted(hxconf, tmp_path, way):
    failing = LOOP.replace(b"kind=", b"onItemFailure='continue' kind=")
    with_handler = failing.replace(b"</nodes><edges>", b"<node id='h' type='task'/></nodes><edges>")
    edge = b'<edge from="b" to="h" type="error" condition="${1 &lt; \'x\'}"/></edges>'
    (tmp_path / "l.hxml").write_bytes(with_handler.replace(b"</edges>", edge))
    (tmp_path / "p.txt").write_text("b fail x")
    out = hxconf("run", tmp_path / "l.hxml", "--plan", tmp_path / "p.txt", *way)[1]
    codes = [line for line in out if "HX-4106" in line]

    assert (1, True) == (len(codes), codes[0].endswith(" (12 times)"))


@pytest.mark.parametrize("way", [(), ("--hx-in-process",)], ids=["played", "protocol"])
def test_names_that_nobody_declares_are_warned_about(hxconf, tmp_path, monkeypatch, way):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.hxml").write_bytes(DOC)
    (tmp_path / "p.toml").write_text(
        "unresolvable = ['r']\n[steps]\na = { ok = { n = 1, nn = 2 } }\n"
    )
    code, _, err = hxconf("run", "a.hxml", "--plan", "p.toml", *way)

    assert 0 == code
    assert [
        "warning: p.toml: unresolvable: no document declares resource 'r'",
        "warning: p.toml: a: the node does not declare output 'nn'; the nearest is n",
    ] == err.splitlines()


def test_plan_in_a_form_of_the_embedded_runtime_gets_no_warning(hxconf, tmp_path):
    (tmp_path / "m.hxml").write_bytes(document("s:subworkflow <subworkflow href='c.hxml'/>"))
    (tmp_path / "c.hxml").write_bytes(document("x"))
    (tmp_path / "p.json").write_text('{"answers": [{"node": "s/x", "result": "fail"}]}')
    code, out, err = hxconf("run", tmp_path / "m.hxml", "--plan", tmp_path / "p.json")

    assert (1, "outcome: failed", "") == (code, out[-1], err)


@pytest.mark.parametrize("way", [(), ("--hx-in-process",), ("--all-schedules",)])
def test_document_and_options_stand_in_any_order(hxconf, tmp_path, monkeypatch, way):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-a.hxml").write_bytes(document("a"))
    (tmp_path / "a.hxml").write_bytes(document("a"))
    (tmp_path / "-p.txt").write_text("")

    assert 0 == hxconf("run", *way, "--plan=-p.txt", "a.hxml", "--companion=x=a.hxml")[0]
    assert 0 == hxconf("run", "--plan=-p.txt", *way, "--", "-a.hxml")[0]


def test_trace_is_what_compare_reads(run, hxconf, tmp_path):
    code, out, _ = run("a.hxml", "--trace", "--seed", "3")
    trace = json.loads("\n".join(out))
    (tmp_path / "t.json").write_text("\n".join(out))

    assert (0, "succeeded") == (code, trace["outcome"])
    assert ["a", "d", "u"] == [e["node"] for e in trace["transitions"] if e["to"] == "SUCCEEDED"]
    assert (0, ["no difference"]) == hxconf("compare", "a.hxml", "t.json")[:2]


def test_many_iterations_are_summed_up(run, tmp_path):
    (tmp_path / "l.hxml").write_bytes(LOOP)
    code, out, _ = run("l.hxml")

    assert (0, "b[…]  12 SUCCEEDED in 12 iterations") == (code, out[1])


def test_many_failures_are_summed_up(run, tmp_path):
    failing = LOOP.replace(b"kind=", b"onItemFailure='continue' kind=")
    (tmp_path / "l.hxml").write_bytes(failing)
    code, out, _ = run("l.hxml", "--plan", "p.txt", p_txt="b fail x")

    assert (1, "  b[0]: x the step", "  b[9]: x the step") == (code, out[2][:18], out[11][:18])
    assert "  b[…]: 2 more like these" in out


def test_long_name_does_not_push_the_states_away(run, tmp_path):
    (tmp_path / "n.hxml").write_bytes(document("a" * 41 + "\n" + "b" * 40))

    assert [f"{'a' * 41}  SUCCEEDED", f"{'b' * 40}  SUCCEEDED"] == run("n.hxml")[1][:2]


def test_invalid_document_shows_findings(run, tmp_path):
    (tmp_path / "b.hxml").write_bytes(document("a", "a->z"))
    code, out, _ = run("b.hxml")

    assert (1, "HX-2001  b.hxml:1  error") == (code, out[0])
    assert "z" in out[1]


def test_run_that_cannot_end_shows_how_far_it_came(run):
    code, out, err = run("a.hxml", "--plan", "p.txt", p_txt="a timeout")

    assert (1, "a  RUNNING") == (code, out[0])
    assert err.startswith("deadlock: ")


def test_documents_beside_are_companions(run, tmp_path):
    sub = "s:subworkflow <subworkflow href='{}'/>"
    (tmp_path / "m.hxml").write_bytes(document(sub.format("sub/c.hxml")))
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/c.hxml").write_bytes(document(sub.format("urn:d")))
    (tmp_path / "d.xml").write_bytes(document("x"))

    assert 0 == run("m.hxml", "--companion", "urn:d=d.xml")[0]
    assert "HX-4109" in run("m.hxml")[1][1]


def test_all_schedules_are_searched_by_the_embedded_runtime(run):
    code, out, _ = run("a.hxml", "--all-schedules", "--plan", "p.txt", p_txt="a ok n=2")

    assert (0, "1 behaviour in 1 run") == (code, out[-1])
    assert "t  SUCCEEDED" in " ".join(out)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope.hxml"], "run: nope.hxml: No such file"),
        (["a.hxml", "--runtime=x.y", "--all-schedules"], "run: --all-schedules: only the embedded"),
        (["a.hxml", "--runtime=x.y", "--seed=1"], "run: --seed: only the embedded"),
        (["a.hxml", "--seed=-1"], "run: --seed: expected 0 or more"),
        (["a.hxml", "--companion=x"], "run: --companion: expected URI=FILE, observed 'x'"),
        (["a.hxml", "--all-schedules", "--companion=x"], "run: --companion: expected URI=FILE"),
        (["a.hxml", "--runtime=adapter:"], "run: "),
        (["a.hxml", "--hx-limit=x"], "run: --hx-limit: "),
    ],
)
def test_wrong_usage_is_one_line(run, arguments, message):
    code, _, err = run(*arguments)

    assert (4, 1) == (code, err.count("\n"))
    assert err.startswith(f"hxconf: {message}")


def test_any_runtime_that_speaks_the_protocol(tmp_path):
    (tmp_path / "a.hxml").write_bytes(DOC)
    command = "adapter:reference_runtime:scripted"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "suite.cli",
            "run",
            str(tmp_path / "a.hxml"),
            f"--runtime={command}",
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (0, "outcome: succeeded") == (done.returncode, done.stdout.splitlines()[-1])
