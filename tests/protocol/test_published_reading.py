"""Output of the published command-line runtime, read strictly."""

import pytest

from suite.protocol.breach import Breach
from suite.protocol.messages import Finding, ReportedCode
from suite.protocol.published.reading import read_findings, read_run, read_table


def test_findings_have_code_line_severity_and_text():
    text = (
        "HX-2001  /x/a b.hxml:7  error\n    edge e1 ends at 'zelkova'\n    which is no node\n"
        "HX-3005  /x/a b.hxml:9  warning\n    'birch' is guarded\n/x/a b.hxml: 1 error(s)\n"
    )
    told = "edge e1 ends at 'zelkova' which is no node"

    found = read_findings(text)

    assert (
        Finding("HX-2001", "error", 7, near=told, value=told, message=told),
        Finding(
            "HX-3005", "warning", 9,
            near="'birch' is guarded", value="'birch' is guarded", message="'birch' is guarded",
        ),
    ) == found  # fmt: skip


@pytest.mark.parametrize(
    "verdict", ["valid", "valid (2 warnings)", "valid (1 warning)", "valid (2 warning(s))"]
)
def test_a_valid_document_has_no_error(verdict):
    assert () == read_findings(f"doc.hxml: {verdict}\n")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("", "no verdict", id="nothing"),
        pytest.param("HX-2001  d:1  error\n  text\n", "no verdict", id="no-verdict"),
        pytest.param("all fine\nd: valid\n", "neither finding nor verdict: 'all fine'", id="noise"),
        pytest.param("HX-2001  d:1  error\nd: valid\n", "count 1 errors", id="valid-with-error"),
        pytest.param("d: 2 error(s)\n", "count 0 errors, observed '2 error", id="errors-unnamed"),
        pytest.param("d: valid\nd: valid\n", "neither finding nor verdict", id="two-verdicts"),
    ],
)
def test_a_verdict_that_does_not_fit_is_refused(text, reason):
    with pytest.raises(Breach, match=reason):
        read_findings(text)


def test_text_of_a_finding_may_hold_what_its_value_held():
    text = (
        "HX-2001  d:7:3  error\r\n    value 'a\x85b\u2028c\r\nd'\r\n"
        "HX-3001  d  error\n    a cycle\nd: 2 error(s), 1 warning(s)\n"
    )
    first, second = read_findings(text)

    assert (7, "value 'a\x85b\u2028c d'") == (first.line, first.message)
    assert (None, "a cycle") == (second.line, second.message)


def test_a_run_may_refuse_without_a_verdict():
    text = "HX-2001  d:7  error\n  text\n"
    (finding,) = read_findings(text, refused=True)

    assert "HX-2001" == finding.code


def test_a_run_that_refuses_for_no_error_is_refused():
    with pytest.raises(Breach, match="no verdict"):
        read_findings("HX-3005  d:7  warning\n  text\n", refused=True)


def test_warnings_before_the_trace_and_remarks_after_it_are_passed_over():
    printed = read_run(
        "HX-3005  d:9  warning\n    'birch' is guarded [always]\nd: valid (1 warning)\n"
        '[\n  {"node": "a"}\n]\nd: succeeded\n  a: FAILED once\nsee the manual\n'
    )

    assert ([{"node": "a"}], "succeeded") == (printed.transitions, printed.outcome)


@pytest.mark.parametrize(
    ("last", "outcome"),
    [
        pytest.param("d: succeeded", "succeeded", id="succeeded"),
        pytest.param("d: COMPENSATED — one node undone", "compensated", id="compensated"),
        pytest.param("d: FAILED", "failed", id="failed"),
    ],
)
def test_a_run_is_a_trace_and_an_ending(last, outcome):
    printed = read_run(f'[{{"node": "a"}}]\n\n{last}\n')

    assert ([{"node": "a"}], outcome) == tuple(printed)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("", "expected the trace", id="nothing"),
        pytest.param('{"node": 1}', "expected the trace", id="object"),
        pytest.param('[{"detail": "tab\there"}]\nd: FAILED', "line 1, column 17", id="control"),
        pytest.param('[{"detail": "a\\qb"}]\nd: FAILED', "not valid JSON.*escape", id="escape"),
        pytest.param('[{"attempt": NaN}]\nd: FAILED', "NaN is no number", id="nan"),
        pytest.param('[{"x":' + "[" * 100_000, "nested too deeply", id="deep"),
        pytest.param('[{"node": "a"}', "not valid JSON", id="cut"),
        pytest.param("[]\n", "expected one line 'FILE: succeeded'", id="no-ending"),
        pytest.param("[]\nd: succeeded\nd: FAILED", "expected one line", id="two-endings"),
        pytest.param("[]\nd: done", "expected one line", id="other-ending"),
    ],
)
def test_a_run_of_another_form_is_refused_with_the_place(text, reason):
    with pytest.raises(Breach, match=reason):
        read_run(text)


def test_codes_below_the_table_belong_to_nodes():
    text = "a   FAILED\nb   PENDING\n  a: HX-4101 no value for x\n  c: HX-4102 other\nd: FAILED\n"

    assert ((ReportedCode("HX-4101", "a"),), "failed") == read_table(text, ("a", "b"))


def test_a_line_of_a_log_is_no_trace():
    printed = read_run('[INFO] begins\n[\n  {"node": "a"}\n]\nd: succeeded\n')

    assert [{"node": "a"}] == printed.transitions


def test_advice_about_details_is_given_behind_a_detail_only():
    with pytest.raises(Breach, match=r"near '\[\{\"node\": a\}\]'$"):
        read_run('[{"node": a}]')


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        pytest.param("a: FAILED\nb  PENDING\n", None, id="rows-alone"),
        pytest.param("/x/d.hxml: COMPENSATED — undone\n", "compensated", id="ending-alone"),
        pytest.param("a: FAILED\nb: PENDING\nd: FAILED\n", "failed", id="both"),
    ],
)
def test_a_table_shows_every_node_or_the_end(text, outcome):
    assert outcome == read_table(text, ("a", "b")).outcome


@pytest.mark.parametrize(
    "text", ["", "rubbish\n", "a FAILED\n", "d: FAILED\nd: succeeded\n"], ids=repr
)
def test_output_that_is_no_table_is_refused(text):
    with pytest.raises(Breach, match="without --trace: expected a table"):
        read_table(text, ("a", "b"))
