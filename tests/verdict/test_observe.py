import pytest

from comparator.observation import Call, Idle, Report
from comparator.trace import LoopStep, Transition
from suite.verdict.observe import observe, open_together
from tests.verdict_builder import describe, run_messages, transcript, walk

STEP = [{"loop": "l", "index": 2}]


def invoke(call: int, node: str = "a", **fields):
    return {"type": "invoke", "call": call, "node": node} | fields


def outcome(call: int, result: str = "ok"):
    return {"source": "suite", "type": "outcome", "call": call, "result": result}


def abort(call: int):
    return {"type": "abort", "call": call}


def test_transitions_keep_all_their_fields():
    message = {
        "type": "transition",
        "node": "w",
        "from": "RUNNING",
        "to": "FAILED",
        "iteration": STEP,
        "attempt": 2,
        "errorClass": "transient",
        "code": "HX-4108",
        "message": "no",
        "at": 1.5,
    }
    seen = observe(transcript(message), describe())

    assert seen.trace.transitions == (
        Transition(
            "w",
            "RUNNING",
            "FAILED",
            (LoopStep("l", 2),),
            attempt=2,
            error_class="transient",
            code="HX-4108",
            message="no",
            at=1.5,
        ),
    )
    assert seen.trace.outcome is None


def test_outcome_and_codes_come_with_the_end():
    messages = run_messages(
        outcome="failed", codes=[{"code": "HX-4110"}, {"code": "HX-4101", "node": "a"}]
    )
    seen = observe(transcript(*messages), describe())

    assert seen.trace.outcome == "failed"
    assert seen.reports == (Report("HX-4110"), Report("HX-4101", "a"))


def test_codes_are_unknown_where_the_runtime_does_not_show_them():
    seen = observe(transcript(*run_messages()), describe(features=()))

    assert seen.reports is None


def test_calls_know_when_they_were_answered_and_aborted():
    ready, running, done = walk("a", "READY", "RUNNING", "SUCCEEDED")
    seen = observe(
        transcript(
            ready,
            running,
            invoke(1, inputs={"x": 1}, attempt=1, iteration=STEP),
            invoke(2, "b"),
            invoke(3, "c"),
            outcome(1),
            done,
            outcome(3, "fail"),
            abort(2),
        ),
        describe(),
    )

    assert seen.calls == (
        Call("a", 2, (LoopStep("l", 2),), attempt=1, inputs={"x": 1}, answered=2, ok=True),
        Call("b", 2, aborts=1),
        Call("c", 2, answered=3, ok=False),
    )


@pytest.mark.parametrize(
    ("control", "features", "shown"),
    [
        pytest.param("interactive", (), True, id="interactive"),
        pytest.param("scripted", (), False, id="scripted"),
        pytest.param("scripted", ("calls",), True, id="scripted-with-calls"),
    ],
)
def test_no_calls_differs_from_calls_that_are_not_shown(control, features, shown):
    seen = observe(transcript(), describe(control=control, features=features))

    assert (seen.calls == ()) == shown
    assert (seen.calls is None) != shown


def test_idle_points_that_have_not_seen_everything_do_not_count():
    seen = observe(
        transcript(
            *walk("a", "READY"),
            {"type": "idle", "seen": 0, "timer": 10.0},
            {"source": "suite", "type": "advance", "seconds": 10.0},
            {"type": "idle", "seen": 0},
            *walk("b", "READY"),
            {"source": "suite", "type": "event", "name": "go"},
            {"source": "suite", "type": "cancel"},
            {"type": "idle", "seen": 2},
            {"type": "idle", "seen": 3},
        ),
        describe(),
    )

    assert seen.idles == (Idle(1, 10.0), Idle(2))


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"control": "scripted"}, id="scripted"),
        pytest.param({"quiescence": "settle"}, id="settle"),
    ],
)
def test_idle_points_are_unknown_where_the_runtime_does_not_tell(changes):
    assert observe(transcript(), describe(**changes)).idles is None


def test_times_are_those_of_the_virtual_clock():
    messages = transcript(*walk("a", "READY", "RUNNING"), times={0: 1.0, 1: 2.5})

    assert observe(messages, describe()).times == (1.0, 2.5)
    assert observe(messages, describe(clock="wall")).times == ()
    assert observe(messages, describe(control="scripted")).times == ()


@pytest.mark.parametrize(
    ("message", "cancelled"),
    [
        pytest.param({"type": "cancel"}, 1, id="by-message"),
        pytest.param({"type": "run", "plan": {"cancel": {"when": "idle"}}}, 0, id="by-plan"),
        pytest.param({"type": "run", "plan": {}}, None, id="plan-without"),
        pytest.param({"type": "run"}, None, id="no-plan"),
    ],
)
def test_a_cancelled_instance_is_known(message, cancelled):
    seen = observe(
        transcript(*walk("a", "READY"), {"source": "suite"} | message, *walk("b", "READY")),
        describe(),
    )

    assert seen.cancelled == cancelled


@pytest.mark.parametrize(("control", "answering"), [("interactive", True), ("scripted", False)])
def test_who_answers_calls_comes_from_the_description(control, answering):
    assert observe(transcript(), describe(control=control)).answering == answering


def test_abort_that_crosses_the_answer_does_not_count():
    seen = observe(transcript(invoke(1), outcome(1), abort(1)), describe())

    assert [call.aborts for call in seen.calls or ()] == [0]


def test_class_of_a_failed_answer_is_known():
    failed = outcome(1, "fail") | {"errorClass": "transient"}
    seen = observe(transcript(invoke(1), invoke(2, "b"), failed, outcome(2)), describe())

    assert [call.error_class for call in seen.calls or ()] == ["transient", None]


def test_text_is_what_the_runtime_sent_and_nothing_else():
    seen = observe(
        transcript(
            {
                "source": "suite",
                "type": "outcome",
                "call": 1,
                "result": "ok",
                "outputs": {"p": "q"},
            },
            {"type": "transition", "node": "a", "from": "PENDING", "to": "READY", "message": 'x"y'},
            invoke(1, inputs={"key": ["deep", {"number": 4711}]}),
        ),
        describe(),
    )

    assert 'x"y' in seen.text
    assert "deep" in seen.text
    assert "4711" in seen.text
    assert "key" in seen.text
    assert "q" not in seen.text.split("\n")


def test_text_has_no_words_for_truth_and_nothing():
    seen = observe(transcript(invoke(1, inputs={"x": True, "y": None})), describe())

    assert seen.text.split("\n") == ["type", "invoke", "call", "1", "node", "a", "inputs", "x", "y"]


def test_an_instance_that_nobody_cancels_is_not_cancelled():
    assert not observe(transcript(*walk("a", "READY")), describe()).cancelled


def test_text_is_left_out_when_nobody_asks():
    assert observe(transcript(*walk("a", "READY")), describe(), text=False).text == ""


@pytest.mark.parametrize(
    ("messages", "most"),
    [
        pytest.param([], 0, id="none"),
        pytest.param([invoke(1), outcome(1), invoke(2), outcome(2)], 1, id="one-after-the-other"),
        pytest.param([invoke(1), invoke(2, "b"), outcome(1), outcome(2)], 2, id="together"),
        pytest.param([invoke(1), abort(1), invoke(2, "b")], 1, id="closed-by-abort"),
        pytest.param(
            [
                invoke(1),
                {"type": "transition", "node": "a", "from": "RUNNING", "to": "SUCCEEDED"},
                invoke(2, "b"),
            ],
            1,
            id="closed-by-the-transition",
        ),
        pytest.param(
            [
                invoke(1, iteration=STEP),
                {"type": "transition", "node": "a", "from": "RUNNING", "to": "SUCCEEDED"},
                invoke(2, "b"),
            ],
            2,
            id="another-iteration-closes-nothing",
        ),
    ],
)
def test_open_calls_are_counted(messages, most):
    assert open_together(transcript(*messages)) == most


@pytest.mark.parametrize(("told", "seen"), [("no:hazel", None), ("no:linden", "no:linden")])
def test_class_that_holds_a_secret_is_none_that_a_runtime_repeats(told, seen):
    run = {"source": "suite", "type": "run", "id": 3, "document": "", "secrets": {"v/k": "hazel"}}
    answer = {**outcome(1, "fail"), "errorClass": told}
    calls = observe(transcript(run, invoke(1), answer), describe()).calls

    assert [seen] == [call.error_class for call in calls]
