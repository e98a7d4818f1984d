"""``hxconf validate``: findings for people and as JSON, and the exit codes of §14.7."""

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from suite.cli.validate import MOST_BYTES, main

CASES = Path(__file__).parents[2] / "cases"
WRONG = CASES / "invalid/references/edge-to-no-node.hxml"
RIGHT = CASES / "valid/structure/single-node.hxml"
WARNED = CASES / "valid/harness/unreached-node.hxml"
SUBWORKFLOW = (
    '<harness xmlns="https://harnessxml.com/spec/1.0" id="h" specVersion="1.0"><nodes>'
    '<node id="s" type="subworkflow"><subworkflow href="{}"/></node></nodes></harness>'
)


@pytest.fixture
def validate(capsys):
    """Run the command in this process; return exit code, output and error lines."""

    def validate(*arguments):
        code = main(["--hx-in-process", *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err.splitlines()

    return validate


def test_valid_document(validate):
    assert (0, f"{RIGHT}: valid\n", []) == validate(RIGHT)


def test_options_stand_between_files(validate):
    code, out, _ = validate(RIGHT, "--json", WARNED)

    assert (0, [str(RIGHT), str(WARNED)]) == (code, [each["file"] for each in json.loads(out)])


def test_what_follows_two_dashes_is_a_file(validate, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "--json").write_bytes(RIGHT.read_bytes())

    assert (0, "--json: valid\n", []) == validate("--", "--json")


def test_warning_is_told_and_rejects_nothing(validate):
    code, out, _ = validate(WARNED)
    lines = out.splitlines()

    assert (0, f"{WARNED}: valid (1 warning)") == (code, lines[-1])
    assert lines[0].startswith(f"{WARNED}:6:5 warning HX-3005 ")


def test_invalid_document_shows_place_severity_code_and_value(validate):
    code, out, _ = validate(WRONG)
    head, near, value, result = out.splitlines()

    assert 1 == code
    assert head.startswith(f"{WRONG}:9:5 error HX-2001 edge/@to names the node 'maple'")
    assert ["    near: edge 'alder' → 'maple'", "    value: maple"] == [near, value]
    assert f"{WRONG}: invalid (1 error)" == result


def test_json_holds_the_findings_of_every_document(validate, tmp_path):
    code, out, errors = validate("--json", RIGHT, WRONG, tmp_path / "none")
    right, wrong, none = json.loads(out)

    assert (2, 1) == (code, len(errors))
    assert {"file": str(RIGHT), "valid": True, "findings": []} == right
    assert (False, ["HX-2001"]) == (wrong["valid"], [one["code"] for one in wrong["findings"]])
    assert {"file": str(tmp_path / "none"), "failure": "No such file or directory"} == none
    assert ["error"] == [one["severity"] for one in wrong["findings"]]


def test_several_documents_are_counted(validate, tmp_path):
    _, out, _ = validate(RIGHT, WRONG, tmp_path / "none", WARNED)

    assert "4 documents: 2 valid, 1 invalid, 1 without verdict" == out.splitlines()[-1]


def test_json_gives_every_finding_its_severity(validate):
    _, out, _ = validate("--json", WARNED)
    ((document,), [finding]) = json.loads(out), json.loads(out)[0]["findings"]

    assert (True, "HX-3005", "warning") == (document["valid"], finding["code"], finding["severity"])


def test_the_worst_document_gives_the_exit_code(validate, tmp_path):
    assert 1 == validate(RIGHT, WRONG, RIGHT)[0]

    code, out, _ = validate(tmp_path / "none", WRONG)

    assert (2, True) == (code, "HX-2001" in out)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "HX-1001"),
        (b"\x00\x01\x02", "HX-1001"),
        (b"\xff\x00", "HX-1005"),
        (b"<harness", "HX-1001"),
        (b" " * (17 * 1024 * 1024), "HX-1001"),
        (b"<a>" * 100_000, "HX-1001"),
    ],
    ids=["empty", "control characters", "binary", "malformed", "huge", "deep"],
)
def test_what_is_no_document_is_invalid(validate, tmp_path, content, code):
    file = tmp_path / "x.hxml"
    file.write_bytes(content)
    exit_code, out, errors = validate(file)

    assert (1, [], 1) == (exit_code, errors, out.count(f" error {code} "))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "required: FILE"),
        (["/no/such/file"], "/no/such/file: No such file or directory"),
        (["/"], "/: Is a directory"),
        ([""], "'': an empty name"),
        (["a\0b"], "no name of a file"),
        ([str(RIGHT), "--runtime=nonsense"], "a scheme or an attribute is missing"),
        ([str(RIGHT), "--runtime=cmd:/no/such/program"], "No such file"),
        ([str(RIGHT), "--hx-limit=0"], "--hx-limit: expected seconds above 0"),
        ([str(RIGHT), "--no-such-option"], "unrecognized arguments"),
    ],
    ids=[
        "nothing",
        "missing",
        "directory",
        "no name",
        "nul",
        "no target",
        "no program",
        "no limit",
        "option",
    ],
)
def test_a_mistake_is_one_line_and_a_tool_failure(capsys, arguments, says):
    code = main(arguments)
    error = capsys.readouterr().err

    assert (2, 1) == (code, error.count("\n"))
    assert says in error


def test_file_without_end_is_not_read_to_it(validate):
    code, _, errors = validate("/dev/zero")

    assert (2, [f"hxconf: validate: /dev/zero: more than {MOST_BYTES} bytes, "]) == (
        code,
        [error.removesuffix("which is more than is read") for error in errors],
    )


def test_standard_input(validate, monkeypatch):
    stdin = SimpleNamespace(buffer=io.BytesIO(WRONG.read_bytes()))
    monkeypatch.setattr(sys, "stdin", stdin)
    code, out, _ = validate("-")

    assert (1, True) == (code, out.startswith("-:9:5 error HX-2001 "))


def test_documents_given_together_are_each_others_companions(validate, tmp_path):
    (tmp_path / "sub").mkdir()
    one, other = tmp_path / "one.hxml", tmp_path / "sub" / "an other.hxml"
    one.write_text(SUBWORKFLOW.format("sub/an%20other.hxml"), encoding="utf-8")
    other.write_text(SUBWORKFLOW.format("../one.hxml"), encoding="utf-8")

    assert 0 == validate(one)[0]
    assert 0 == validate(other)[0]

    code, out, _ = validate(one, other)

    assert (1, 2) == (code, out.count(" error HX-3002 "))


def test_document_that_uses_itself(validate, tmp_path):
    file = tmp_path / "self.hxml"
    file.write_text(SUBWORKFLOW.format("self.hxml"), encoding="utf-8")
    code, out, _ = validate(file)

    assert (1, 1) == (code, out.count(" error HX-3002 "))


ADAPTER = """
class Own:
    def describe(self):
        return {"name": "x", "version": "1", "levels": ["core"]}

    def validate(self, document):
        %s

    def run(self, document, session):
        return "succeeded"

adapter = Own()
"""


@pytest.fixture
def adapter(tmp_path, monkeypatch):
    """Make a runtime whose validate does this; return its target."""

    def adapter(body):
        (tmp_path / "own_runtime.py").write_text(ADAPTER % body, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        return "--runtime=adapter:own_runtime"

    return adapter


def test_any_runtime_can_be_asked(adapter, capsys):
    target = adapter('return [{"code": "HX-9999"}, {"code": "\\x1b[31m", "severity": "warning"}]')
    code = main([target, str(RIGHT)])
    lines = capsys.readouterr().out.splitlines()

    assert 1 == code
    assert [
        f"{RIGHT} error HX-9999",
        f"{RIGHT} warning \\x1b[31m",
        f"{RIGHT}: invalid (1 error, 1 warning)",
    ] == lines


def test_runtime_without_a_verdict_is_a_tool_failure(adapter, capsys):
    code = main([adapter("raise SystemExit(3)"), str(RIGHT), str(WRONG)])
    captured = capsys.readouterr()
    errors = captured.err.splitlines()

    assert (2, "") == (code, captured.out)
    assert [str(RIGHT), str(WRONG)] == [line.split(": ")[2] for line in errors]
    assert all("no verdict: crash" in line for line in errors)


def test_the_command_is_listed(hxconf):
    code, out, _ = hxconf("validate", RIGHT)

    assert (0, [f"{RIGHT}: valid"]) == (code, out)
    assert any(line.startswith("  validate ") for line in hxconf("help")[1])


@pytest.mark.parametrize(
    ("options", "expected"),
    [([], 10.0 + 4.0), (["--hx-limit=3"], 3.0)],
    ids=["by size", "by the user"],
)
def test_large_documents_get_more_time(monkeypatch, capsys, tmp_path, options, expected):
    limits = []

    class Runtime:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def validate(self, _document, _companions, limit):
            limits.append(limit)
            return SimpleNamespace(kind="findings", findings=())

    file = tmp_path / "large.hxml"
    file.write_bytes(b" " * 1_000_000)
    monkeypatch.setattr("suite.cli.validate.open_runtime", lambda *_, **__: Runtime())
    code = main([*options, str(file)])

    assert (0, f"{file}: valid\n") == (code, capsys.readouterr().out)
    assert [expected] == limits
