"""``hxconf rejudge``: verdicts made anew from recorded transcripts."""

import re

import msgspec
import pytest

from suite.report.results import Footer, read_results
from tests.pytest_runs import run_pytest

SELECTED = ("--hx-select", "execution/joins/all-diamond*", "--hx-select", "valid/joins/*")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Results of a few scenarios on the reference runtime."""
    path = tmp_path_factory.mktemp("recorded") / "results.jsonl"
    run_pytest(
        path.parent, "--runtime=adapter:reference_runtime", "-q", "-p", "no:cacheprovider",
        f"--hx-results={path}", *SELECTED,
    )  # fmt: skip
    return path


def test_verdicts_of_the_same_suite_do_not_change(hxconf, recorded, tmp_path):
    again = tmp_path / "again.jsonl"
    code, out, _ = hxconf("rejudge", recorded, "--out", again)
    count = len(read_results(recorded).records)

    assert 0 == code
    assert f"0 of {count} verdicts changed" in out
    assert read_results(recorded).records == read_results(again).records


def test_a_transcript_is_judged_and_not_its_old_verdict(hxconf, recorded, tmp_path):
    tampered = tmp_path / "tampered.jsonl"
    text = recorded.read_text(encoding="utf-8")
    tampered.write_text(text.replace('"to":"SUCCEEDED"', '"to":"SKIPPED"'), encoding="utf-8")
    code, out, _ = hxconf("rejudge", tampered, "-v")

    assert 1 == code
    assert any(line.startswith("execution/joins/all-diamond.trace: pass, now fail") for line in out)
    assert any("expected: " in line for line in out)


def test_a_run_that_was_broken_off_is_judged_as_far_as_it_goes(hxconf, recorded, tmp_path):
    cut = tmp_path / "cut.jsonl"
    lines = recorded.read_bytes().splitlines(keepends=True)
    cut.write_bytes(b"".join(lines[:-1])[:-20])
    code, out, _ = hxconf("rejudge", cut)

    assert 6 == code
    assert f"0 of {len(lines) - 3} verdicts changed" in out
    assert any(
        re.match(rf"level not assessed: {len(lines) - 3} of \d+ scenarios recorded, of a", line)
        for line in out
    )
    assert "the file is incomplete: it has no footer, and its last line is cut off" in out[-1]


def footer(recorded, tmp_path, **changes):
    """Results with another last line."""
    path = tmp_path / "other.jsonl"
    *lines, last = recorded.read_bytes().splitlines(keepends=True)
    found = msgspec.structs.replace(msgspec.json.decode(last, type=Footer), **changes)
    path.write_bytes(b"".join([*lines, msgspec.json.encode(found), b"\n"]))
    return path


@pytest.mark.parametrize(
    ("code", "says"),
    [
        pytest.param(2, "the run was interrupted", id="interrupted"),
        pytest.param(3, "did not come to its end: it broke off with exit code 3", id="broken off"),
    ],
)
def test_a_run_that_did_not_end_well_keeps_its_exit_code(hxconf, recorded, tmp_path, code, says):
    path, again = footer(recorded, tmp_path, code=code, complete=False), tmp_path / "again.jsonl"
    given, out, _ = hxconf("rejudge", path, "--out", again)

    assert (code, code) == (given, read_results(again).footer.code)
    assert any(says in line for line in out)


def test_results_without_a_footer_are_no_success(hxconf, recorded, tmp_path):
    path, again = tmp_path / "cut.jsonl", tmp_path / "again.jsonl"
    path.write_bytes(b"".join(recorded.read_bytes().splitlines(keepends=True)[:-1]))
    code, out, _ = hxconf("rejudge", path, "--out", again)

    assert (6, None) == (code, read_results(again).footer)
    assert "the file is incomplete: it has no footer; the run did not come to its end" in out


def test_a_fault_of_the_suite_stays_one(hxconf, recorded, tmp_path):
    path = tmp_path / "fault.jsonl"
    *lines, _, last = recorded.read_text(encoding="utf-8").splitlines()
    fault = '{"type":"scenario","id":"fuzz/joins","status":"suite-fault","reason":"broken"}'
    path.write_text("\n".join([*lines, fault, last, ""]), encoding="utf-8")

    assert 3 == hxconf("rejudge", path)[0]


def test_results_of_nothing_but_what_was_not_run_are_nothing(hxconf, recorded, tmp_path):
    path = tmp_path / "nothing.jsonl"
    header, *_, last = recorded.read_text(encoding="utf-8").splitlines()
    name = "execution/joins/all-diamond.trace"
    nothing = f'{{"type":"scenario","id":"{name}","status":"unsupported","reason":"r"}}'
    ended = msgspec.structs.replace(
        msgspec.json.decode(last, type=Footer), counts={"unsupported": 1}
    )
    text = [header, nothing, msgspec.json.encode(ended).decode(), ""]
    path.write_text("\n".join(text), encoding="utf-8")

    assert 5 == hxconf("rejudge", path)[0]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param(b"", "expected the header", id="empty"),
        pytest.param(b'{"type": "scenario"}\n', "line 1", id="no-header"),
        pytest.param(b"\xff\n", "line 1", id="no-text"),
    ],
)
def test_what_is_no_results_file_takes_one_line(hxconf, tmp_path, content, says):
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    code, _, error = hxconf("rejudge", path)

    assert (4, 1) == (code, error.count("\n"))
    assert says in error


def test_an_expected_failure_is_none_when_judged_again(hxconf, recorded, tmp_path):
    tampered, expected = tmp_path / "tampered.jsonl", tmp_path / "expected.toml"
    text = recorded.read_text(encoding="utf-8")
    tampered.write_text(text.replace('"to":"SUCCEEDED"', '"to":"SKIPPED"'), encoding="utf-8")
    expected.write_text(
        '[[expected]]\nrequirement = "5.3.1-default-policy-all"\nstatus = "fail"\n'
        'reason = "r"\nlink = "https://issues.example/1"\n'
        '[[expected]]\nscenario = "execution/joins/all-diamond.trace"\nstatus = "fail"\n'
        'reason = "r"\nlink = "https://issues.example/1"\n',
        encoding="utf-8",
    )
    code, out, _ = hxconf("rejudge", tampered, "--expected", expected)

    assert 0 == code
    assert any("pass, now xfail" in line for line in out)
