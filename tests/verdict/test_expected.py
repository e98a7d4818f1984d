import pytest

from suite.verdict.expected import (
    Expected,
    ExpectedError,
    apply_expected,
    check_known,
    load_expected,
    stale_lines,
)
from suite.verdict.verdict import Verdict

LINE = Expected(scenario="execution/t/x.y", status="fail", reason="known", link="issue 7")
BY_REQUIREMENT = Expected(requirement="5.3-a", status="fail", reason="known", link="issue 7")


def verdict(status: str, scenario: str = "execution/t/x.y", blamed=("5.3-a",)) -> Verdict:
    blamed = blamed if status == "fail" else ()
    return Verdict(scenario=scenario, status=status, reason="because", blamed=blamed)


def test_a_file_is_read(tmp_path):
    path = tmp_path / "expected.toml"
    path.write_text(
        '[[expected]]\nscenario = "execution/t/x.y"\nstatus = "fail"\nreason = "known"\n'
        'link = "issue 7"\n\n[[expected]]\nrequirement = "5.3-a"\nstatus = "fail"\n'
        'reason = "known"\nlink = "issue 7"\n'
    )

    assert load_expected(path) == (LINE, BY_REQUIREMENT)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        pytest.param('status = "fail"\nreason = "x"\nlink = "y"', "both or neither", id="neither"),
        pytest.param(
            'scenario = "a"\nrequirement = "b"\nstatus = "fail"\nreason = "x"\nlink = "y"',
            "both or neither",
            id="both",
        ),
        pytest.param('scenario = "a"\nstatus = "pass"\nreason = "x"\nlink = "y"', "'pass'", id="p"),
        pytest.param('scenario = "a"\nstatus = "fail"\nreason = "x"', "`link`", id="no-link"),
        pytest.param(
            'scenario = "a"\nstatus = "fail"\nreason = "x"\nlink = "y"\nuntil = "z"',
            "unknown field `until`",
            id="unknown-key",
        ),
        pytest.param(
            'scenario = "a"\nstatus = "fail"\nreason = "x"\nlink = "y"\n[[known]]',
            "unknown field `known`",
            id="unknown-table",
        ),
        pytest.param(
            'scenario = "a"\nstatus = "fail"\nreason = ""\nlink = "y"',
            r"expected\.0\.reason: expected str of length >= 1",
            id="no-reason",
        ),
    ],
)
def test_a_malformed_file_is_a_usage_error(tmp_path, text, sentence):
    path = tmp_path / "expected.toml"
    path.write_text(f"[[expected]]\n{text}\n")
    with pytest.raises(ExpectedError, match=sentence):
        load_expected(path)


def test_a_missing_file_is_a_usage_error(tmp_path):
    with pytest.raises(ExpectedError, match="expected a readable file"):
        load_expected(tmp_path / "none.toml")


def test_lines_about_what_the_corpus_has_not_are_refused():
    check_known((LINE, BY_REQUIREMENT), {"execution/t/x.y": None}, {"5.3-a": None})
    with pytest.raises(ExpectedError, match=r"scenario execution/t/x\.y: fail; requirement 5\.3-a"):
        check_known((LINE, BY_REQUIREMENT), {}, {})


@pytest.mark.parametrize(
    ("line", "given", "status"),
    [
        pytest.param(LINE, verdict("fail"), "xfail", id="agrees"),
        pytest.param(LINE, verdict("pass"), "xpass", id="passes-now"),
        pytest.param(LINE, verdict("crash"), "xpass", id="fails-otherwise"),
        pytest.param(LINE, verdict("flaky"), "xpass", id="fails-at-times"),
        pytest.param(LINE, verdict("unsupported"), "xpass", id="declared-off"),
        pytest.param(LINE, verdict("inapplicable"), "xpass", id="inapplicable"),
        pytest.param(LINE, verdict("not-run"), "not-run", id="not-run"),
        pytest.param(LINE, verdict("suite-fault"), "suite-fault", id="suite-fault"),
        pytest.param(LINE, verdict("fail", "execution/t/x.z"), "fail", id="another-scenario"),
        pytest.param(BY_REQUIREMENT, verdict("fail"), "xfail", id="blamed"),
        pytest.param(BY_REQUIREMENT, verdict("fail", blamed=("5.3-b",)), "fail", id="not-blamed"),
        pytest.param(BY_REQUIREMENT, verdict("pass"), "pass", id="requirement-and-pass"),
        pytest.param(BY_REQUIREMENT, verdict("crash"), "crash", id="requirement-and-crash"),
    ],
)
def test_only_the_exact_status_is_expected(line, given, status):
    assert apply_expected(given, (line,)).status == status


def test_the_reason_keeps_what_was_observed():
    known = apply_expected(verdict("fail"), (LINE,))
    stale = apply_expected(verdict("pass"), (LINE,))
    other = apply_expected(verdict("crash"), (LINE,))

    assert known.reason == "known (issue 7): because"
    assert stale.reason == "listed as fail, observed pass; remove the line"
    assert other.reason == "listed as fail, observed crash: because"


def test_without_lines_nothing_changes():
    assert apply_expected(verdict("fail"), ()) == verdict("fail")


def test_lines_that_met_no_failure_are_stale():
    other = Expected(scenario="execution/t/x.z", status="fail", reason="r", link="l")
    applied = [
        apply_expected(v, (LINE, BY_REQUIREMENT, other))
        for v in (verdict("fail"), verdict("pass", "execution/t/x.z"))
    ]

    assert stale_lines((LINE, BY_REQUIREMENT, other), applied) == (other,)
