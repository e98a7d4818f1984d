from datetime import date

import msgspec
import pytest

from suite.corpus.plan import (
    Answer,
    EventAt,
    EventText,
    IdlePoint,
    Plan,
    PlanError,
    PlanText,
    Point,
    StepText,
    read_plan,
)


@pytest.mark.parametrize(
    ("step", "answer"),
    [
        pytest.param("ok", Answer(node="a", result="ok"), id="short-ok"),
        pytest.param("hang", Answer(node="a", result="hang"), id="short-hang"),
        pytest.param(StepText(hang=True), Answer(node="a", result="hang"), id="hang"),
        pytest.param(
            StepText(ok={"x": 1}), Answer(node="a", result="ok", outputs={"x": 1}), id="outputs"
        ),
        pytest.param(
            StepText(fail="transient", message="no"),
            Answer(node="a", result="fail", error_class="transient", message="no"),
            id="fail",
        ),
        pytest.param(
            StepText(ok={}, after="PT0.05S"),
            Answer(node="a", result="ok", after=0.05),
            id="after",
        ),
        pytest.param(
            StepText(ok={}, hold_until="idle"),
            Answer(node="a", result="ok", hold=IdlePoint()),
            id="until-idle",
        ),
        pytest.param(
            StepText(fail="x", hold_until="b[1] RUNNING"),
            Answer(node="a", result="fail", error_class="x", hold=Point("b[1]", "RUNNING")),
            id="until-a-state",
        ),
        pytest.param(StepText(fail=""), Answer(node="a", result="fail"), id="no-class"),
    ],
)
def test_steps_become_answers(step, answer):
    assert read_plan(PlanText(steps={"a": step})) == Plan(answers=(answer,))


def test_what_happens_from_outside_is_read():
    plan = read_plan(
        PlanText(
            events=(EventText("go", "a RUNNING"), EventText("stop", "idle")),
            cancel="b READY",
            unresolvable=("r",),
            bad_digests=("f",),
            secrets={"vault/key": "hazel"},
        )
    )

    assert plan == Plan(
        events=(EventAt("go", Point("a", "RUNNING")), EventAt("stop", IdlePoint())),
        cancel=Point("b", "READY"),
        unresolvable=("r",),
        bad_digests=("f",),
        secrets={"vault/key": "hazel"},
    )


def test_answers_keep_the_order_of_the_file_and_canonical_addresses():
    plan = read_plan(PlanText(steps={"b[0, 2]@1": "ok", "*": "hang", "a": "ok"}))

    assert [a.node for a in plan.answers] == ["b[0,2]@1", "*", "a"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        pytest.param(
            PlanText(steps={"a": StepText()}), "step 'a': expected exactly one of", id="nothing"
        ),
        pytest.param(
            PlanText(steps={"a": StepText(ok={}, fail="x")}), "observed 2", id="ok-and-fail"
        ),
        pytest.param(
            PlanText(steps={"a": StepText(ok={}, message="x")}), "goes with fail", id="message"
        ),
        pytest.param(
            PlanText(steps={"a": StepText(hang=True, after="PT1H")}), "never answered", id="hang"
        ),
        pytest.param(
            PlanText(steps={"a": StepText(hang=True, hold_until="idle")}), "never", id="hang-hold"
        ),
        pytest.param(
            PlanText(steps={"a": StepText(ok={}, after="1h")}), "step 'a': duration '1h'", id="time"
        ),
        pytest.param(
            PlanText(steps={"a": StepText(ok={"x": [{"y": float("nan")}]})}),
            "step 'a': ok: expected values that JSON can say, observed nan",
            id="not-a-number",
        ),
        pytest.param(
            PlanText(steps={"a": StepText(ok={"x": date(2026, 1, 2)})}),
            "observed datetime.date",
            id="date",
        ),
        pytest.param(PlanText(steps={"a@0": "ok"}), "step 'a@0': address 'a@0'", id="address"),
        pytest.param(PlanText(cancel="a"), "cancel: expected 'idle' or", id="no-state"),
        pytest.param(PlanText(cancel="a DONE"), "observed 'a DONE'", id="unknown-state"),
        pytest.param(PlanText(cancel="a[ READY"), r"cancel: address 'a\['", id="point-address"),
        pytest.param(
            PlanText(events=(EventText("go", "soon"),)), "event 'go': expected 'idle'", id="event"
        ),
    ],
)
def test_a_malformed_plan_names_the_place(text, sentence):
    with pytest.raises(PlanError, match=sentence):
        read_plan(text)


def test_the_json_form_survives_a_round_trip():
    plan = read_plan(
        PlanText(
            steps={"a": StepText(ok={"x": [1]}, hold_until="idle"), "b": "hang"},
            cancel="a READY",
            bad_digests=("f",),
        )
    )

    assert msgspec.json.decode(msgspec.json.encode(plan), type=Plan) == plan
