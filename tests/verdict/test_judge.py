import pytest

from comparator.difference import Reading
from suite.corpus.case import Case, CaseText, Scenario
from suite.protocol.exchange import Exchange
from suite.protocol.messages import Finding
from suite.protocol.transcript import Transcript
from suite.verdict.judge import judge
from tests.corpus_builder import GOLDEN
from tests.verdict_builder import (
    describe,
    ended,
    execution,
    pair_messages,
    run_messages,
    walk,
)

CHOICE = GOLDEN.replace('b = { is = "READY RUNNING SUCCEEDED", cites = ["5.3-runs"] }', "") + (
    '[[choices]]\ninterpretation = "A91"\noptions = [\n'
    '{ reading = "a", preferred = true, paths.b = { is = "", cites = ["5.3-runs"] } },\n'
    '{ reading = "b", up-to = "executing", '
    'paths.b = { is = "READY RUNNING SUCCEEDED", cites = ["5.3-runs"] } } ]\n'
)


def validation(group: str = "invalid", **fields) -> Scenario:
    text = CaseText(description="Something is so.", level="core", cites=("13.2-hx-2001",), **fields)
    return Scenario(
        id=f"{group}/t/x", case=Case(id=f"{group}/t/x", group=group, text=text, document=b"")
    )


def answer(*codes: str) -> Exchange:
    findings = tuple(Finding(code) for code in codes)
    return Exchange(kind="findings", transcript=Transcript(), findings=findings)


def test_a_conforming_run_passes():
    verdict = judge(execution(), None, ended(*run_messages(*pair_messages())), describe())

    assert verdict.status == "pass"
    assert verdict.reason == ""
    assert verdict.differences == ()
    assert verdict.cites == ("5.3-runs", "5.7-ends")
    assert verdict.blamed == ()
    assert not verdict.red


def test_a_deviating_run_fails_and_blames_the_first_divergence_only():
    messages = [
        *walk("a", "READY", "RUNNING", "SUCCEEDED"),
        *walk("b", "READY", "RUNNING", "FAILED"),
    ]
    verdict = judge(
        execution(), None, ended(*run_messages(*messages, outcome="failed")), describe()
    )

    assert verdict.status == "fail"
    assert verdict.red
    assert verdict.blamed == verdict.differences[0].cites
    assert len(verdict.differences) > 1
    assert verdict.reason != ""
    assert verdict.text != ()


def test_an_empty_run_never_passes():
    assert judge(execution(), None, ended(*run_messages()), describe()).status == "fail"


@pytest.mark.parametrize("kind", ["crash", "timeout", "protocol-error"])
def test_a_broken_exchange_is_no_failure_of_a_requirement(kind):
    exchange = ended(*run_messages(*pair_messages()), kind=kind, detail="first line\nsecond")
    verdict = judge(execution(), None, exchange, describe())

    assert verdict.status == kind
    assert verdict.reason == "first line"
    assert verdict.text == ("first line", "second")
    assert verdict.blamed == ()
    assert verdict.cites == ("5.3-runs", "5.7-ends")


@pytest.mark.parametrize("kind", ["crash", "timeout", "protocol-error"])
def test_a_broken_exchange_rejects_no_document(kind):
    exchange = ended(kind=kind, findings=(Finding("HX-2001"),))

    assert judge(validation(codes=("HX-2001",)), None, exchange, describe()).status == kind


def test_a_deadlock_fails_whatever_was_seen_before():
    exchange = ended(*pair_messages(), kind="deadlock", detail="idle with nothing to do")
    verdict = judge(execution(), None, exchange, describe())

    assert verdict.status == "fail"
    assert verdict.reason == "idle with nothing to do"
    assert verdict.blamed == ("5.7-complete-when-nothing-can-move",)


def test_a_refused_valid_document_fails():
    verdict = judge(execution(), None, answer("HX-2001"), describe())

    assert verdict.status == "fail"
    assert verdict.reason == "expected a run of a valid document, observed it refused with HX-2001"


@pytest.mark.parametrize(
    ("scenario", "codes", "status"),
    [
        pytest.param(validation(codes=("HX-2001",)), ["HX-2001"], "pass", id="rejected"),
        pytest.param(validation(codes=("HX-2001",)), [], "fail", id="accepted"),
        pytest.param(validation(codes=("HX-2001",)), ["HX-1001"], "fail", id="other-code"),
        pytest.param(validation("valid"), [], "pass", id="valid"),
        pytest.param(validation("valid"), ["HX-2001"], "fail", id="valid-rejected"),
    ],
)
def test_documents_are_judged_by_their_findings(scenario, codes, status):
    verdict = judge(scenario, None, answer(*codes), describe())

    assert verdict.status == status
    assert verdict.blamed == (("13.2-hx-2001",) if status == "fail" else ())


@pytest.mark.parametrize(
    ("exchange", "reason"),
    [
        pytest.param(ended(*run_messages(outcome=None)), "", id="ended-at-once"),
        pytest.param(ended(*run_messages(outcome="failed")), "", id="failed-at-once"),
        pytest.param(answer("VENDOR-1"), "", id="an-error-of-the-surroundings"),
        pytest.param(
            answer("HX-1001"),
            "expected the document refused, observed it called invalid, with HX-1001",
            id="called-invalid",
        ),
        pytest.param(
            ended(*run_messages(outcome="succeeded")),
            "expected the document refused, observed a run of 0 transitions and 0 step calls "
            "with the outcome succeeded",
            id="nothing-done-and-called-a-success",
        ),
        pytest.param(
            ended(*run_messages(*walk("a", "READY"), outcome="failed")),
            "expected the document refused, observed a run of 1 transitions and 0 step calls "
            "with the outcome failed",
            id="moved",
        ),
        pytest.param(answer(), "expected the document refused, observed it accepted", id="found"),
    ],
)
def test_an_environment_refuses_a_valid_document_before_anything_moves(exchange, reason):
    verdict = judge(validation(run=True, refused=("unsigned",)), None, exchange, describe())

    assert (verdict.status, verdict.reason) == ("fail" if reason else "pass", reason)


def test_an_invalid_document_is_not_refused_by_a_run_in_which_nothing_moves():
    scenario = validation(run=True, codes=("HX-2001",))
    verdict = judge(scenario, None, ended(*run_messages(outcome=None)), describe())

    assert verdict.status == "fail"


def test_a_run_in_answer_to_validate_is_a_protocol_error():
    verdict = judge(validation("valid"), None, ended(*run_messages()), describe())

    assert verdict.status == "protocol-error"
    assert verdict.reason == "expected findings in answer to validate, observed ended"


def test_a_serial_declaration_is_held_to():
    messages = [
        *walk("a", "READY", "RUNNING"),
        {"type": "invoke", "node": "a", "call": 1},
        {"type": "invoke", "node": "a", "call": 2},
    ]
    exchange = ended(*run_messages(*messages))
    verdict = judge(execution(), None, exchange, describe(open_steps=1))

    assert verdict.status == "fail"
    assert "expected at most 1 steps open together" in verdict.reason
    assert "openSteps" not in judge(execution(), None, exchange, describe()).reason


def test_a_conforming_run_fails_when_it_breaks_the_serial_declaration():
    text = execution().case.document.decode().replace('<edge from="a" to="b"/>', "")
    steps = [walk(node, "READY", "RUNNING", "SUCCEEDED") for node in "ab"]
    messages = [
        *steps[0][:2],
        *steps[1][:2],
        {"type": "invoke", "node": "a", "call": 1},
        {"type": "invoke", "node": "b", "call": 2},
        {"source": "suite", "type": "outcome", "call": 1, "result": "ok"},
        {"source": "suite", "type": "outcome", "call": 2, "result": "ok"},
        steps[0][2],
        steps[1][2],
    ]
    exchange = ended(*run_messages(*messages))

    assert judge(execution(text=text), None, exchange, describe()).status == "pass"
    assert judge(execution(text=text), None, exchange, describe(open_steps=2)).status == "pass"
    assert judge(execution(text=text), None, exchange, describe(open_steps=1)).status == "fail"


def test_a_pass_cites_only_the_readings_that_it_followed():
    golden = CHOICE.replace(
        '"READY RUNNING SUCCEEDED", cites = ["5.3-runs"] } } ]',
        '"READY RUNNING SUCCEEDED", cites = ["5.3-b"] } } ]',
    )
    unreached = pair_messages()[:5]
    cites = [
        judge(execution(golden), None, ended(*run_messages(*messages)), describe()).cites
        for messages in (pair_messages(), unreached)
    ]

    assert [True, False] == ["5.3-b" in cited for cited in cites]


def test_an_outcome_that_is_not_told_is_noted_and_not_shown():
    messages = run_messages(*pair_messages(), outcome=None)
    verdict = judge(execution(), None, ended(*messages), describe())

    assert ("pass", ("5.3-runs",)) == (verdict.status, verdict.cites)
    assert 1 == verdict.notes["outcome-missing"]


def test_the_reading_of_an_open_point_is_noted():
    exchange = ended(*run_messages(*pair_messages()))
    verdict = judge(execution(CHOICE), None, exchange, describe())

    assert verdict.status == "pass"
    assert verdict.readings == (Reading("A91", "b", preferred=False, option=1),)


@pytest.mark.parametrize(
    ("levels", "level", "status"),
    [
        pytest.param(("executing",), None, "pass", id="declared"),
        pytest.param(("full",), None, "fail", id="highest-declared"),
        pytest.param(("full",), "executing", "pass", id="asked-for"),
    ],
)
def test_readings_may_end_at_a_level(levels, level, status):
    exchange = ended(*run_messages(*pair_messages()))
    verdict = judge(execution(CHOICE), None, exchange, describe(levels=levels), level=level)

    assert verdict.status == status


def test_secrets_are_looked_for_in_all_messages():
    golden = GOLDEN + '[[absent-text]]\ntext = "hush"\ncites = ["5.3-runs"]\n'
    clean = run_messages(*pair_messages())
    leaky = run_messages(*pair_messages(), codes=[{"code": "HX-4102", "node": "hush"}])

    assert judge(execution(golden), None, ended(*clean), describe()).status == "pass"
    assert judge(execution(golden), None, ended(*leaky), describe()).status == "fail"


def test_what_could_not_be_seen_is_neither_passed_nor_blamed():
    golden = GOLDEN + '[[calls]]\nnode = "a"\ncount = 1\ncites = ["5.3-runs"]\n'
    unseen = describe(control="scripted", features=())
    verdict = judge(execution(golden), None, ended(*run_messages(*pair_messages())), unseen)

    assert ("not-run", ()) == (verdict.status, verdict.blamed)


def test_want_of_evidence_beside_a_fault_is_a_failure():
    golden = GOLDEN + '[[calls]]\nnode = "a"\ncount = 1\ncites = ["5.3-runs"]\n'
    unseen = describe(control="scripted", features=())
    exchange = ended(*run_messages(*pair_messages(), outcome="failed"))

    assert "fail" == judge(execution(golden), None, exchange, unseen).status


@pytest.mark.parametrize(
    "scenario",
    [
        pytest.param(execution(), id="a run expected"),
        pytest.param(validation(run=True, refused=("unsigned",)), id="a refusal expected"),
    ],
)
def test_what_is_shown_of_very_many_codes_has_a_bound(scenario):
    exchange = answer(*(f"HX-1{number:06}" for number in range(45_000)))
    verdict = judge(scenario, None, exchange, describe())

    assert verdict.reason.endswith(", HX-1000019 and 44980 more")
    assert ("fail", (verdict.reason,)) == (verdict.status, verdict.text)


@pytest.mark.parametrize(
    ("state", "status"), [("SUCCEEDED", "fail"), ("RUNNING", "not-run")], ids=["illegal", "legal"]
)
def test_impossible_steps_are_judged_where_nothing_else_can_be(state, status):
    exchange = ended(*walk("a", "READY", state), kind="unable", detail="needs the iteration")

    assert status == judge(execution(), None, exchange, describe()).status
