"""``hxconf run`` without --runtime: the embedded runtime in a process of its own."""

import json

import pytest

from tests.strategies_runtime import document

DOC = document(
    "a <outputs><output name='n' type='number'/></outputs>\n"
    "d:decision <cases><case when='${a.n &gt; 1}' to='t'/><otherwise to='u'/></cases>\n"
    "t <inputs><input name='x'/></inputs>\nu",
    "a->d d->t d->u a=n:x=>t",
    entry="a",
)
LOOP = "l:loop <loop kind='times' count='{n}' maxIterations='{n}'><body ref='b'/></loop>\nb"


@pytest.fixture
def run(hxconf, tmp_path, monkeypatch):
    """Run ``hxconf run a.hxml`` in a folder with that document and a plan ``p.txt``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.txt").write_text("")

    def run(*arguments, doc=DOC, plan=""):
        (tmp_path / "a.hxml").write_bytes(doc)
        (tmp_path / "p.txt").write_text(plan)
        return hxconf("run", "a.hxml", "--plan", "p.txt", *arguments)

    return run


@pytest.mark.parametrize(
    ("doc", "plan"),
    [
        (DOC, ""),
        (DOC, "a fail unavailable rail down"),
        (document(LOOP.format(n=3), entry="l"), "b@1 fail x"),
        (document(LOOP.format(n=12), entry="l"), ""),
        (
            document(LOOP.format(n=12).replace("count", "onItemFailure='continue' count")),
            "b fail x",
        ),
        (document("a", "a->z"), ""),
        (document("a" * 50 + "\nb"), ""),
    ],
    ids=["branch", "failure", "iterations", "many", "many-failures", "invalid", "long-name"],
)
def test_shows_what_is_shown_by_way_of_the_protocol(run, doc, plan):
    assert run("--hx-in-process", doc=doc, plan=plan) == run(doc=doc, plan=plan)


def test_time_passes_that_is_longer_than_any_case_waits(run):
    doc = document("a:human <timeout duration='P3D'/>\nw:wait <wait duration='P1D'/>\nh", "a-!>h")
    code, out, err = run(doc=doc, plan="a timeout")

    assert (0, "") == (code, err)
    assert [
        "a  FAILED",
        "w  SUCCEEDED",
        "h  SUCCEEDED",
        "  a: HX-4108 no end within 259200 s",
        "outcome: succeeded",
    ] == out


def test_trace_is_what_compare_reads(run, hxconf, tmp_path):
    code, out, _ = run("--trace", "--seed", "3")
    (tmp_path / "t.json").write_text("\n".join(out))

    assert (0, "succeeded") == (code, json.loads("\n".join(out))["outcome"])
    assert (0, ["no difference"]) == hxconf("compare", "a.hxml", "t.json")[:2]


def test_trace_of_an_invalid_document_is_its_findings(run):
    code, out, _ = run("--trace", doc=document("a", "a->z"))

    assert (1, "HX-2001  a.hxml:1  error") == (code, out[0])


def test_run_that_cannot_end_shows_how_far_it_came(run):
    code, out, err = run(plan="a timeout")

    assert (1, "a  RUNNING", 1) == (code, out[0], err.count("\n"))
    assert "a RUNNING" in err


def test_what_is_too_large_is_one_line(run):
    code, out, err = run(doc=document(LOOP.format(n=10**12), entry="l"))

    assert (4, [], 1) == (code, out, err.count("\n"))
    assert err.startswith("hxconf: run: a.hxml: loop 'l' (line 1): more than 100,000 iterations")


def test_limit_ends_a_run(run):
    code, _, err = run("--hx-limit", "0.001")

    assert (1, "timeout: no end within 0.001 s\n") == (code, err)


def test_packages_of_a_user_with_our_names_do_no_harm(run, tmp_path):
    for name in ("reference_runtime", "comparator", "suite"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('not this one')")

    assert 0 == run()[0]


SHARED = """<harness xmlns="https://harnessxml.com/spec/1.0" id="t" specVersion="1.0" entry="s">
<nodes>
<node id="s" type="task"/>
<node id="l" type="loop">
<loop kind="times" count="2" maxIterations="9"><body ref="b"/></loop></node>
<node id="b" type="task"/><node id="m" type="task"/><node id="h" type="task"/>
</nodes>
<edges><edge from="s" to="l"/><edge from="s" to="m"/>
<edge from="b" to="h" type="error"/><edge from="m" to="h" type="error"/></edges>
</harness>"""


@pytest.mark.parametrize(
    "plan",
    [
        pytest.param("", id="iterations"),
        pytest.param('cancel = "b[0] RUNNING"', id="cancelled"),
        pytest.param('steps = { "b[0]" = { fail = "x" }, m = { fail = "y" } }', id="both-fail"),
        pytest.param(
            'steps = { "b[0]" = { fail = "x" }, m = { fail = "y", hold-until = "h[0] RUNNING" }, '
            '"h[0]" = { ok = {}, hold-until = "h RUNNING" } }',
            id="side-by-side",
        ),
    ],
)
def test_trace_of_loops_and_shared_handlers_has_no_difference(hxconf, tmp_path, plan):
    (tmp_path / "l.hxml").write_text(SHARED)
    (tmp_path / "l.toml").write_text(plan)
    for seed in range(2):
        _, out, _ = hxconf(
            "run", tmp_path / "l.hxml", "--plan", tmp_path / "l.toml", "--trace", "--seed", seed
        )
        (tmp_path / "t.json").write_text("\n".join(out))

        assert (0, ["no difference"]) == hxconf(
            "compare", tmp_path / "l.hxml", tmp_path / "t.json"
        )[:2]
