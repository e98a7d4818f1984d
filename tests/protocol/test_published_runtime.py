"""The published command-line runtime as a target; a stand-in has its interface."""

import os
import re
import sys
from pathlib import Path

import pytest

from suite.corpus.plan import Plan, PlanText, StepText, read_plan
from suite.protocol.exchange import AdapterDidNotStart, TargetError
from suite.protocol.runtime import open_runtime
from suite.protocol.wire import Bounds
from tests.pytest_runs import run_pytest

SOURCE = Path(__file__).parents[1] / "runtimes" / "harnessxml_stand_in.py"
DOCUMENT = b"""\
<harness xmlns="https://harnessxml.com/spec/1.0" id="grove" specVersion="1.0">
  <nodes>
    <node id="alder" type="task"><outputs><output name="y"/></outputs></node>
    <node id="birch" type="task">
      <inputs><input name="x" required="true" value="${alder.y}"/></inputs>
    </node>
  </nodes>
  <edges><edge from="alder" to="birch"/></edges>
</harness>
"""
PLAN = read_plan(PlanText(steps={"alder": StepText(ok={"y": 1})}))


@pytest.fixture
def binary(tmp_path):
    """Return a function that makes the program, right or wrong as its name says."""

    def make(name="harnessxml"):
        path = tmp_path / name
        text = SOURCE.read_text(encoding="utf-8")
        path.write_text(f"#!{sys.executable}\n{text}", encoding="utf-8")
        path.chmod(0o755)
        return f"harnessxml-cli:{path}"

    return make


def states(exchange):
    return [
        (entry.message["node"], entry.message["to"])
        for entry in exchange.transcript.entries
        if entry.message["type"] == "transition"
    ]


def test_a_run_has_transitions_outcome_and_codes(binary):
    document = DOCUMENT.replace(b"${alder.y}", b"${alder.y + true}")
    with open_runtime(binary()) as runtime:
        exchange = runtime.run(document, {}, PLAN, 10)
    end = exchange.transcript.entries[-1].message

    assert ("ended", "failed") == (exchange.kind, end["outcome"])
    assert ("alder", "SUCCEEDED") in states(exchange)
    assert ("birch", "FAILED") in states(exchange)
    assert [{"code": "HX-4106", "node": "birch"}] == end["codes"]


def test_an_invalid_document_is_refused_with_its_findings(binary):
    broken = DOCUMENT.replace(b'to="birch"', b'to="zelkova"')
    with open_runtime(binary()) as runtime:
        verdict = runtime.validate(broken, {}, 10)
        refused = runtime.run(broken, {}, PLAN, 10)

    assert ("findings", "findings") == (verdict.kind, refused.kind)
    assert "HX-2001" in {finding.code for finding in verdict.findings}
    assert verdict.findings == refused.findings


@pytest.mark.parametrize(
    ("name", "kind", "detail"),
    [
        pytest.param("harnessxml-unescaped", "protocol-error", "not valid JSON", id="no-json"),
        pytest.param("harnessxml-endless", "protocol-error", "not valid JSON", id="cut-json"),
        pytest.param("harnessxml-states", "protocol-error", "'EXECUTING'", id="unknown-state"),
        pytest.param("harnessxml-silent", "protocol-error", "expected one line", id="no-ending"),
        pytest.param("harnessxml-exits", "protocol-error", "exit code 1", id="exit-code"),
        pytest.param("harnessxml-mumbles", "protocol-error", "expected a table", id="no-table"),
        pytest.param(
            "harnessxml-contradicts", "protocol-error", "observed 'failed'", id="two-ends"
        ),
        pytest.param("harnessxml-turns", "protocol-error", "with exit code 1", id="two-codes"),
        pytest.param("harnessxml-quotes", "protocol-error", "expected an integer", id="iteration"),
        pytest.param("harnessxml-killed", "crash", "was killed by SIGKILL", id="killed"),
    ],
)
def test_a_broken_program_gets_its_kind(binary, name, kind, detail):
    with open_runtime(binary(name)) as runtime:
        exchange = runtime.run(DOCUMENT, {}, PLAN, 10)

    assert (kind, True) == (exchange.kind, detail in exchange.detail)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        pytest.param("harnessxml-refuses", "exit code 2 .tool failure., said: unknown", id="tool"),
        pytest.param("harnessxml-hangs", "no end within the limit", id="hangs"),
        pytest.param("harnessxml-floods", "without an end", id="floods"),
    ],
)
def test_a_program_that_cannot_validate_did_not_start(binary, name, reason):
    target, limit = binary(name), 1 if name == "harnessxml-hangs" else 20
    with pytest.raises(AdapterDidNotStart, match=reason) as caught:
        open_runtime(target, start_limit=limit, bounds=Bounds(request=100_000))

    assert "\n" not in str(caught.value)


def test_a_missing_program_did_not_start():
    with pytest.raises(AdapterDidNotStart, match="No such file"):
        open_runtime("harnessxml-cli:/no/such/harnessxml")


def test_options_for_python_objects_are_refused(binary):
    with pytest.raises(TargetError, match="--hx-python goes with Python objects"):
        open_runtime(binary(), python=sys.executable)


@pytest.mark.parametrize(
    "uri", ["https://x/child.hxml", "../x", "/x", "", "document.hxml", "./plan.txt", "a" * 300]
)
def test_companions_that_cannot_be_laid_out_are_not_asked_for(binary, uri):
    with open_runtime(binary()) as runtime:
        exchange = runtime.run(DOCUMENT, {uri: b""}, PLAN, 10)

    assert "unable" == exchange.kind


def test_what_the_description_does_not_name_is_passed_over(binary):
    with open_runtime(binary("harnessxml-talkative")) as runtime:
        exchange = runtime.run(DOCUMENT, {}, PLAN, 10)
    first, second = (entry.message for entry in exchange.transcript.entries[:2])

    assert "ended" == exchange.kind
    assert ("READY", None) == (first["to"], first.get("attempt"))
    assert ("RUNNING", 1) == (second["to"], second.get("attempt"))


NESTED = b"""\
<harness xmlns="https://harnessxml.com/spec/1.0" id="grove" specVersion="1.0">
  <nodes>
    <node id="outer" type="loop">
      <loop kind="times" count="2" maxIterations="2"><body ref="inner"/></loop>
    </node>
    <node id="inner" type="loop">
      <loop kind="times" count="2" maxIterations="2"><body ref="leaf"/></loop>
    </node>
    <node id="leaf" type="task"/>
  </nodes>
</harness>
"""


def test_one_number_for_several_loops_is_no_fault_of_the_runtime(binary):
    with open_runtime(binary()) as runtime:
        exchange = runtime.run(NESTED, {}, Plan(), 10)

    assert ("unable", True) == (exchange.kind, "is inside several loops" in exchange.detail)


def test_document_that_is_none_is_refused_by_a_run(binary):
    with open_runtime(binary()) as runtime:
        exchange = runtime.run(b"<harness", {}, Plan(), 10)

    assert "findings" == exchange.kind


def test_program_is_found_as_a_shell_finds_it(binary, monkeypatch):
    folder = Path(binary().partition(":")[2]).parent
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    with open_runtime("harnessxml-cli:harnessxml") as runtime:
        name = runtime.description.name

    assert "harnessxml-cli harnessxml" == name


@pytest.mark.parametrize(
    ("path", "reason"), [(".", "Is a directory"), (__file__, "Permission denied")]
)
def test_what_is_no_program_did_not_start(path, reason):
    with pytest.raises(AdapterDidNotStart, match=reason) as caught:
        open_runtime(f"harnessxml-cli:{path}")

    assert "\n" not in str(caught.value)


def test_scenarios_pass_or_say_what_is_missing(binary, tmp_path):
    ran = run_pytest(
        tmp_path, f"--runtime={binary()}", "-q", "-p", "no:cacheprovider",
        "--hx-select", "execution/joins/any-cancels-running-sibling.*",
        "--hx-select", "execution/data/skipped-producer-required.*",
        "--hx-select", "invalid/diagnostics/*",
    )  # fmt: skip

    assert 0 == ran.code
    assert "trace only" in ran.out
    assert re.search(r"selected: \d+ pass, 3 inapplicable, 1 not-run$", ran.out, re.MULTILINE)
