"""``hxconf rejudge``: verdicts made anew from recorded transcripts."""

import pytest

from suite.report.results import read_results
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

    assert 0 == code
    assert f"0 of {len(lines) - 3} verdicts changed" in out
    assert out[-1].startswith("level not assessed")


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
