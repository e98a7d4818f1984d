"""Streams that are closed, full, narrow, or read by nobody: the exit code stays true."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BAD = "<harness xmlns='https://harnessxml.com/spec/1.0' id='é' specVersion='1.0'><nodes/></harness>"
ODD = """<harness xmlns='https://harnessxml.com/spec/1.0' id='t' specVersion='1.0'>
<nodes><node id='subworkflow'/></nodes></harness>"""
VALIDATE = ("validate", "bad.hxml")


@pytest.fixture
def shell(tmp_path):
    """Run hxconf with redirections; the exit code, and what the streams got."""
    (tmp_path / "bad.hxml").write_text(BAD, encoding="utf-8")

    def run(redirections, *words, **more):
        line = f'"$0" -P -m suite.cli {" ".join(words)} {redirections}'
        done = subprocess.run(
            ["/bin/bash", "-c", f"{line}; exit ${{PIPESTATUS[0]}}", sys.executable],
            cwd=tmp_path, capture_output=True, check=False, env=os.environ | more,
        )  # fmt: skip
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    return run


@pytest.mark.parametrize(
    ("redirections", "words", "code"),
    [
        pytest.param("| true", VALIDATE, 1, id="nobody-reads-the-findings"),
        pytest.param(">&-", VALIDATE, 1, id="closed-output"),
        pytest.param(">/dev/full 2>&-", VALIDATE, 2, id="full-and-closed-errors"),
        pytest.param("| true", ("list",), 0, id="nobody-reads-the-list"),
        pytest.param("2>&-", ("nonsense",), 4, id="closed-errors"),
    ],
)
def test_exit_code_does_not_depend_on_who_reads(shell, redirections, words, code):
    assert (code, "", "") == shell(redirections, *words)


@pytest.mark.parametrize(
    ("redirections", "words", "code", "says"),
    [
        pytest.param(">/dev/full", VALIDATE, 2, "standard output: No space", id="validate"),
        pytest.param(">/dev/full", ("list",), 4, "standard output: No space", id="list"),
        pytest.param("<&-", ("validate", "-"), 2, "-: standard input is closed", id="input"),
    ],
)
def test_a_stream_that_fails_is_one_line(shell, redirections, words, code, says):
    ended, out, error = shell(redirections, *words)

    assert (code, "", 1) == (ended, out, error.count("\n"))
    assert says in error


def test_what_a_terminal_cannot_show_is_escaped(shell):
    code, out, error = shell("", *VALIDATE, PYTHONIOENCODING="ascii")

    assert (1, "") == (code, error)
    assert "\\xe9" in out


def test_odd_names_are_escaped(tmp_path, hxconf):
    names = [str(tmp_path / name) for name in ("a\nb.hxml", "caf\udce9.hxml")]
    for name in names:
        Path(name).write_text(ODD)
    plain, as_json = hxconf("validate", *names), hxconf("validate", "--json", *names)
    shown = {line.split(": invalid")[0] for line in plain[1] if ": invalid" in line}

    assert (1, 1) == (plain[0], as_json[0])
    assert {"a\\nb.hxml", "caf\\udce9.hxml"} == {Path(name).name for name in shown}
