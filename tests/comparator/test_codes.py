import pytest

from comparator.codes import RUN_TIME
from comparator.golden import Choice, CodeEntry, Option
from comparator.observation import Report
from tests.comparator_builder import CITES, differences, facts, golden, observed

PAIR = facts("a!>h", nodes="b", h={}, a={}, b={})
RUN = "b:READY b:RUNNING b:SUCCEEDED a:READY a:RUNNING a:FAILED h:READY h:RUNNING h:SUCCEEDED"
PATHS = {"a": "READY RUNNING FAILED", "b": "*", "h": "READY RUNNING SUCCEEDED"}
OF_A = CodeEntry(cites=CITES, node="a", any_of=("HX-4106",))


def unfounded(*reports, codes=(OF_A,), document=PAIR, run=RUN, paths=PATHS):
    told = tuple(Report(*report) for report in reports)
    expected = golden(paths, codes=codes)
    found = differences(document, observed(run, reports=told), expected)
    return [(str(d.key), d.observed) for d in found if d.kind == "unfounded-code"]


@pytest.mark.parametrize(
    "reports",
    [
        pytest.param([("HX-4106", "a")], id="named"),
        pytest.param([("HX-4106",)], id="nameless"),
        pytest.param([("HX-4106", "a"), ("HX-4106",)], id="both"),
        pytest.param([("HX-4106", "a")] * 2, id="twice"),
        pytest.param([("HX-4106", "a"), ("HX-4101", "a")], id="no-value"),
        pytest.param([("HX-4106",), ("HX-4107",)], id="no-boolean"),
    ],
)
def test_reports_of_what_failed_are_founded(reports):
    assert [] == unfounded(*reports)


@pytest.mark.parametrize(
    ("report", "where"),
    [
        pytest.param(("HX-4102", "a"), "a", id="another-of-the-same-node"),
        pytest.param(("HX-4106", "b"), "b", id="of-a-success"),
        pytest.param(("HX-4999", "a"), "a", id="unknown"),
        pytest.param(("HX-1001", "a"), "a", id="of-documents"),
        pytest.param(("x",), "None", id="unknown-nameless"),
        pytest.param(("HX-4102",), "None", id="another-nameless"),
        pytest.param(("HX-4106",), "None", id="more-than-failures"),
    ],
)
def test_a_report_of_nothing_is_noticed(report, where):
    found = unfounded(("HX-4106",), report)

    assert [(where, [report[0]])] == found


def test_every_code_at_once_is_noticed():
    (found,) = unfounded(*((code,) for code in sorted(RUN_TIME)))

    assert ("None", sorted(RUN_TIME - {"HX-4101", "HX-4106", "HX-4107"})) == found


def test_codes_are_not_looked_at_where_no_golden_is_about_them():
    assert [] == unfounded(("x", "b"), codes=())


def test_a_failure_that_no_entry_speaks_of_may_have_a_code():
    document = facts("a!>h c!>h", nodes="b")
    run = f"{RUN.partition(' h:')[0]} c:READY c:RUNNING c:FAILED h:READY h:RUNNING h:SUCCEEDED"
    paths = {**PATHS, "c": "READY RUNNING FAILED"}

    assert [] == unfounded(
        ("HX-4106", "a"), ("HX-4202", "c"), document=document, run=run, paths=paths
    )


def test_a_loop_may_repeat_the_code_of_its_iteration():
    document = facts(loops={"l": {"body": "w", "on_item_failure": "continue"}}, entry="l")
    run = "l:READY l:RUNNING w[l:0]:READY w[l:0]:RUNNING w[l:0]:FAILED l:SUCCEEDED"
    of_w = CodeEntry(cites=CITES, node="w[0]", any_of=("HX-4101",))
    reports = [("HX-4101", "w"), ("HX-4101", "l")]
    paths = {"l": "*", "w[0]": "READY RUNNING FAILED"}

    assert [] == unfounded(*reports, codes=(of_w,), document=document, run=run, paths=paths)


def test_a_wait_may_say_that_its_time_is_over():
    wait = {"type": "wait", "on_timeout": "fail"}
    document = facts("a!>h", nodes="b", b=wait)

    assert [] == unfounded(("HX-4106", "a"), ("HX-4108", "b"), document=document)
    assert [("b", ["HX-4108"])] == unfounded(("HX-4106", "a"), ("HX-4108", "b"))


UNDO = facts("a->b a~>u", entry="a")
UNDONE = "a:READY a:RUNNING a:SUCCEEDED b:READY b:RUNNING b:FAILED"
OF_UNDO = CodeEntry(cites=CITES, any_of=("HX-4110",))


@pytest.mark.parametrize("node", ["a", "u"])
def test_an_undo_reports_what_failed_in_it_at_either_end(node):
    paths = {"a": "READY RUNNING SUCCEEDED", "b": "READY RUNNING FAILED", "u": "*"}
    reports = [("HX-4110", node), ("HX-4108", "u")]

    assert [] == unfounded(*reports, codes=(OF_UNDO,), document=UNDO, run=UNDONE, paths=paths)


def test_the_option_that_was_not_followed_founds_nothing():
    option = Option(reading="a", preferred=True, codes=(OF_A,))
    other = Option(reading="b", codes=(CodeEntry(cites=CITES, node="b", any_of=("HX-4107",)),))
    choice = Choice(interpretation="X", options=(option, other))
    reports = (Report("HX-4106", "a"), Report("HX-4107", "b"))
    expected = golden(PATHS, choices=(choice,))
    found = differences(PAIR, observed(RUN, reports=reports), expected)

    assert [("unfounded-code", "b")] == [(d.kind, str(d.key)) for d in found]
