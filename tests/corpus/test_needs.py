import pytest

from comparator.golden import (
    CallEntry,
    Choice,
    CodeEntry,
    Golden,
    IdleEntry,
    Option,
    PathEntry,
    TimerEntry,
)
from suite.corpus.case import Case, CaseText, Scenario
from suite.corpus.needs import Needs, needs_of
from suite.corpus.plan import EventText, PlanText, StepText, read_plan
from tests.corpus_builder import document

DOCUMENT = document(
    '<node id="a" type="task"/><node id="b" type="task"/><node id="c" type="task">'
    '<timeout duration="PT1H"/></node><node id="d" type="barrier"/>'
)
C = ("r",)


def scenario(plan: PlanText | None = None, golden: Golden | None = None) -> Scenario:
    text = CaseText(description="Something is so.", level="executing")
    case = Case(id="execution/t/x", group="execution", text=text, document=DOCUMENT.encode())
    return Scenario(
        id="execution/t/x.y",
        case=case,
        plan=read_plan(plan or PlanText()),
        golden=golden or Golden(),
    )


def steps(**answers: StepText | str) -> PlanText:
    return PlanText(steps=answers)


def path(text: str) -> PathEntry:
    return PathEntry(cites=C, is_=text)


@pytest.mark.parametrize(
    ("plan", "golden", "needs"),
    [
        pytest.param(None, None, Needs(), id="nothing"),
        pytest.param(steps(a="ok", b="hang"), None, Needs(), id="plain-answers"),
        pytest.param(
            steps(a=StepText(ok={}, hold_until="b RUNNING")),
            None,
            Needs(open_steps=2, holds=True),
            id="held-until-a-state",
        ),
        pytest.param(
            PlanText(
                steps={
                    "a": StepText(ok={}, hold_until="c RUNNING"),
                    "b": StepText(ok={}, hold_until="c RUNNING"),
                }
            ),
            None,
            Needs(open_steps=3, holds=True),
            id="two-held",
        ),
        pytest.param(
            PlanText(
                steps={
                    "a": StepText(ok={}, hold_until="b RUNNING"),
                    "b": StepText(ok={}, hold_until="c SUCCEEDED"),
                }
            ),
            None,
            Needs(open_steps=2, holds=True),
            id="held-until-another-is-held",
        ),
        pytest.param(
            PlanText(
                steps={
                    "a": StepText(ok={}, hold_until="b RUNNING"),
                    "b": StepText(ok={}, hold_until="a RUNNING"),
                    "c": StepText(ok={}, hold_until="d RUNNING"),
                }
            ),
            None,
            Needs(open_steps=4, holds=True),
            id="held-until-each-other",
        ),
        pytest.param(
            steps(a=StepText(ok={}, hold_until="idle")),
            None,
            Needs(holds=True, idle=True),
            id="held-until-idle",
        ),
        pytest.param(steps(a=StepText(ok={}, after="PT1H")), None, Needs(holds=True), id="after"),
        pytest.param(
            PlanText(steps={"a[1]": "hang"}), None, Needs(iterations=True), id="iteration"
        ),
        pytest.param(PlanText(cancel="a RUNNING"), None, Needs(cancel=True), id="cancel"),
        pytest.param(
            PlanText(cancel="idle"), None, Needs(cancel=True, idle=True), id="cancel-at-idle"
        ),
        pytest.param(PlanText(unresolvable=("r",)), None, Needs(faults=True), id="unresolvable"),
        pytest.param(PlanText(bad_digests=("r",)), None, Needs(faults=True), id="bad-digest"),
        pytest.param(
            None,
            Golden(calls=(CallEntry(cites=C, node="a", count=1),)),
            Needs(calls=True),
            id="calls",
        ),
        pytest.param(
            None,
            Golden(codes=(CodeEntry(cites=C, any_of=("HX-4101",)),)),
            Needs(codes=True),
            id="codes",
        ),
        pytest.param(
            None,
            Golden(timers=(TimerEntry(cites=C, node="a@2", delay=10),)),
            Needs(virtual_clock=True),
            id="timers",
        ),
        pytest.param(
            None,
            Golden(at_idle=(IdleEntry(cites=C, idle=1, states={"a": "RETRYING"}, timer=10),)),
            Needs(virtual_clock=True, idle_states=True),
            id="timer-at-idle",
        ),
        pytest.param(
            None,
            Golden(
                at_idle=(
                    IdleEntry(
                        cites=C, idle=1, states={"a": "RUNNING", "b": "RUNNING", "d": "RUNNING"}
                    ),
                )
            ),
            Needs(idle_states=True, open_steps=2),
            id="two-open-at-idle-beside-a-node-without-step",
        ),
        pytest.param(
            None,
            Golden(paths={"a": path("READY RUNNING CANCELLED")}),
            Needs(open_steps=2),
            id="stopped-by-another",
        ),
        pytest.param(
            None,
            Golden(paths={"d": path("READY RUNNING CANCELLED")}),
            Needs(),
            id="stopped-without-step",
        ),
        pytest.param(
            PlanText(cancel="a RUNNING"),
            Golden(paths={"a": path("READY RUNNING CANCELLED")}),
            Needs(cancel=True),
            id="stopped-by-the-suite",
        ),
        pytest.param(
            PlanText(cancel="a RUNNING"),
            Golden(
                paths={"a": path("READY RUNNING CANCELLED"), "b": path("READY RUNNING CANCELLED")}
            ),
            Needs(cancel=True, open_steps=2),
            id="two-stopped-by-the-suite",
        ),
        pytest.param(
            None,
            Golden(calls=(CallEntry(cites=C, node="a", aborts=1),)),
            Needs(calls=True, open_steps=2),
            id="aborted-by-another",
        ),
        pytest.param(
            None,
            Golden(calls=(CallEntry(cites=C, node="c", aborts=1),)),
            Needs(calls=True),
            id="aborted-by-its-timeout",
        ),
        pytest.param(
            None,
            Golden(calls=(CallEntry(cites=C, node="a", aborts=0),)),
            Needs(calls=True),
            id="not-aborted",
        ),
        pytest.param(
            None,
            Golden(
                choices=(
                    Choice(
                        interpretation="A1",
                        options=(
                            Option(reading="a", paths={"a": path("READY RUNNING CANCELLED")}),
                            Option(reading="b", codes=(CodeEntry(cites=C, any_of=("HX-4101",)),)),
                        ),
                    ),
                )
            ),
            Needs(codes=True),
            id="an-option-that-need-not-be-taken",
        ),
    ],
)
def test_needs_follow_from_plan_and_golden(plan, golden, needs):
    assert needs == needs_of(scenario(plan, golden))


def test_events_are_a_need():
    plan = PlanText(events=(EventText(name="go", at="idle"),))

    assert Needs(events=True, idle=True) == needs_of(scenario(plan))


def test_a_verdict_on_a_document_needs_nothing():
    text = CaseText(description="Something is so.", level="core")
    case = Case(id="valid/t/x", group="valid", text=text, document=b"<")

    assert Needs() == needs_of(Scenario(id="valid/t/x", case=case))


def test_whatever_is_needed_needs_full_control():
    assert not Needs().full_control
    assert Needs(open_steps=2).full_control
    assert Needs(codes=True).full_control
