"""Plans at work: which answer, and at which moment."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparator.trace import LoopStep
from suite.corpus.plan import EventAt, IdlePoint, Plan, PlanText, Point, StepText, read_plan
from suite.protocol.interpreter import Cancelling, Clock, Delivery, Interpreter, Reply, UntoldError
from suite.protocol.messages import Invoke, TransitionMessage


def plan(steps=None, **others):
    return read_plan(PlanText(steps=steps or {}, **others))


def move(world, node, *states, iteration=(), now=0.0):
    """Report a node's way through states and return what the suite did."""
    actions = []
    for left, entered in pairwise(states):
        message = TransitionMessage(
            id=1, n=1, node=node, from_=left, to=entered, iteration=iteration
        )
        actions += world.transition(message, now)
    return actions


def call(world, number, node, *, now=0.0, **more):
    return world.invoke(Invoke(id=1, n=1, call=number, node=node, **more), now)


def answers(actions):
    return [(a.call, a.answer.outputs or a.answer.result) for a in actions if isinstance(a, Reply)]


def at(*pairs):
    return tuple(LoopStep(loop, index) for loop, index in pairs)


def test_unplanned_attempt_succeeds_without_outputs():
    (reply,) = call(Interpreter(plan()), 1, "a")

    assert (1, "ok", {}) == (reply.call, reply.answer.result, reply.answer.outputs)


SPECIFIC = plan(
    {
        "*": StepText(ok={"by": "any"}),
        "a": StepText(ok={"by": "node"}),
        "a[1]": StepText(ok={"by": "iteration"}),
        "a@2": StepText(ok={"by": "attempt"}),
        "*@3": StepText(ok={"by": "any attempt"}),
        "b[outer:0,inner:2]": StepText(ok={"by": "nested"}),
    }
)


@pytest.mark.parametrize(
    ("node", "iteration", "attempt", "expected"),
    [
        ("z", (), 1, "any"),
        ("z", (), 3, "any attempt"),
        ("a", (), 1, "node"),
        ("a", at(("l", 0)), 1, "node"),
        ("a", at(("l", 1)), 1, "iteration"),
        ("a", at(("l", 1)), 2, "attempt"),
        ("a", (), 2, "attempt"),
        ("a", at(("l", 0), ("m", 1)), 1, "node"),
        ("b", at(("outer", 0), ("inner", 2)), 1, "nested"),
        ("b", at(("inner", 0), ("outer", 2)), 1, "any"),
        ("b", at(("outer", 0), ("inner", 1)), 1, "any"),
    ],
)
def test_most_specific_address_answers(node, iteration, attempt, expected):
    actions = call(Interpreter(SPECIFIC), 1, node, iteration=iteration, attempt=attempt)

    assert [(1, {"by": expected})] == answers(actions)


def test_attempts_are_counted_where_the_runtime_does_not_number_them():
    world = Interpreter(SPECIFIC)
    move(world, "a", "PENDING", "READY", "RUNNING")
    first = call(world, 1, "a")
    move(world, "a", "RUNNING", "RETRYING", "READY", "RUNNING")
    second = call(world, 2, "a")

    assert [(1, {"by": "node"}), (2, {"by": "attempt"})] == answers(first + second)


def test_iterations_are_counted_where_the_runtime_does_not_tell_them():
    world = Interpreter(SPECIFIC)
    replies = []
    for number in (1, 2, 3):
        move(world, "a", "PENDING", "READY", "RUNNING")
        replies += call(world, number, "a")
        move(world, "a", "RUNNING", "SUCCEEDED")

    assert ["node", "iteration", "node"] == [r.answer.outputs["by"] for r in replies]


def test_concurrent_iterations_have_to_be_told_apart():
    world = Interpreter(SPECIFIC)
    move(world, "a", "PENDING", "READY", "RUNNING")
    move(world, "a", "PENDING", "READY", "RUNNING")

    with pytest.raises(UntoldError, match="every call of 'a', 1 level; the call tells 0"):
        call(world, 1, "a")


@pytest.mark.parametrize("told", [(), at(("inner", 0))], ids=["none", "inner-only"])
def test_nested_iterations_have_to_be_told(told):
    world = Interpreter(plan({"a[1,0]": StepText(fail="internal")}))
    move(world, "a", "PENDING", "READY", "RUNNING", iteration=told)

    with pytest.raises(UntoldError, match=f"2 levels; the call tells {len(told)}"):
        call(world, 1, "a", iteration=told)


def test_hold_is_released_by_the_state_and_stays_released():
    world = Interpreter(plan({"a": StepText(ok={}, hold_until="b SUCCEEDED")}))
    held = call(world, 1, "a")
    before = move(world, "b", "PENDING", "READY", "RUNNING")
    released = move(world, "b", "RUNNING", "SUCCEEDED")
    later = call(world, 2, "a")

    assert ([], [], [1], [2]) == (held, before, [r.call for r in released], [r.call for r in later])


def test_hold_on_an_iteration_waits_for_that_iteration():
    world = Interpreter(plan({"a": StepText(ok={}, hold_until="b[1] RUNNING")}))
    call(world, 1, "a")
    other = move(world, "b", "READY", "RUNNING", iteration=at(("l", 0)))
    meant = move(world, "b", "READY", "RUNNING", iteration=at(("l", 1)))

    assert ([], [1]) == (other, [r.call for r in meant])


def test_answers_held_until_one_state_are_released_in_plan_order():
    steps = {name: StepText(ok={}, hold_until="z FAILED") for name in "abc"}
    world = Interpreter(plan(steps))
    for number, node in enumerate("cab", start=1):
        call(world, number, node)

    assert [2, 3, 1] == [r.call for r in move(world, "z", "RUNNING", "FAILED")]


def test_aborted_call_is_not_answered():
    steps = {"b": StepText(ok={}, hold_until="idle"), "c": StepText(ok={}, after="PT5S")}
    world = Interpreter(plan(steps))
    for number, node in enumerate("bc", start=1):
        call(world, number, node)
        world.abort(number)
    world.abort(9)

    assert ([], None) == (world.idle(None, 0.0), world.next_due(0.0))


def test_aborted_call_that_is_held_until_a_state_is_answered_late():
    world = Interpreter(plan({"a": StepText(ok={}, hold_until="a CANCELLED")}))
    call(world, 1, "a")
    world.abort(1)

    assert [1] == [r.call for r in move(world, "a", "RUNNING", "CANCELLED")]
    assert [] == world.idle(None, 0.0)


def test_hang_is_never_answered():
    world = Interpreter(plan({"a": "hang"}))

    assert ([], []) == (call(world, 1, "a"), world.idle(None, 0.0))
    assert "call 1 of 'a' is planned never to be answered" == world.waiting()


def test_idle_answers_what_is_due_before_anything_else():
    steps = {
        "a": StepText(ok={}, hold_until="idle"),
        "b": StepText(ok={}, after="PT5S"),
        "c": StepText(ok={}, after="PT5S"),
    }
    world = Interpreter(plan(steps))
    for number, node in enumerate("abc", start=1):
        call(world, number, node)

    assert [Clock(5.0)] == world.idle(7.0, 0.0)
    assert [2, 3] == [r.call for r in world.idle(2.0, 5.0)]
    assert [Clock(2.0)] == world.idle(2.0, 5.0)
    assert [1] == [r.call for r in world.idle(None, 7.0)]
    assert [] == world.idle(None, 7.0)


@pytest.mark.parametrize(
    ("timer", "after", "expected"),
    [
        (3.0, "PT5S", [Clock(3.0)]),
        (9.0, "PT5S", [Clock(5.0)]),
        (0.0, None, [Clock(0.0)]),
        (3599.9, "PT1H", [Clock(3599.9)]),
        (3600.0, "PT1H", [Cancelling()]),
        (None, None, [Cancelling()]),
    ],
)
def test_clock_moves_to_what_is_next_unless_it_is_an_hour_away(timer, after, expected):
    world = Interpreter(plan({"a": StepText(ok={}, after=after)}, cancel="idle"))
    call(world, 1, "a")

    assert expected == world.idle(timer, 0.0)


DAY = 86400.0


def test_far_times_pass_at_last_where_they_may():
    text = {"a": StepText(ok={}, after="P2D"), "b": StepText(ok={}, hold_until="idle")}
    world = Interpreter(plan(text, cancel="idle"), at_last=True)
    call(world, 1, "a")
    call(world, 2, "b")
    held = [world.idle(DAY, 0.0) for _ in range(2)]

    assert 2 * DAY == world.next_due(0.0)
    assert ([2], [Cancelling()]) == ([r.call for r in held[0]], held[1])
    assert [Clock(DAY)] == world.idle(DAY, 0.0)
    assert [Clock(DAY)] == world.idle(None, DAY)
    assert [1] == [r.call for r in world.idle(None, 2 * DAY)]
    assert [] == world.idle(None, 2 * DAY)


def test_far_times_never_pass_in_plans_of_the_corpus():
    world = Interpreter(plan({"a": StepText(ok={}, after="P2D")}))
    call(world, 1, "a")

    assert ([], None) == (world.idle(DAY, 0.0), world.next_due(0.0))


def test_sums_of_times_meet_the_due_moment():
    world = Interpreter(plan({"a": StepText(ok={}, after="PT0.3S")}))
    call(world, 1, "a")

    assert [1] == [r.call for r in world.idle(None, 0.1 + 0.1 + 0.1 - 1e-12)]


def test_one_held_thing_happens_at_each_idle_answers_events_cancel():
    world = Interpreter(
        Plan(
            answers=plan({n: StepText(ok={}, hold_until="idle") for n in "ab"}).answers,
            events=(EventAt("e", IdlePoint()), EventAt("f", IdlePoint())),
            cancel=IdlePoint(),
        )
    )
    call(world, 1, "b")
    call(world, 2, "a")
    happened = [world.idle(None, 0.0) for _ in range(6)]

    assert [2, 1] == [r.call for actions in happened[:2] for r in actions]
    assert [[Delivery("e")], [Delivery("f")], [Cancelling()], []] == happened[2:]


def test_hold_until_idle_with_a_time_is_answered_when_both_have_come():
    answer = plan({"a": StepText(ok={}, hold_until="idle", after="PT5S")})
    world = Interpreter(answer)
    call(world, 1, "a")

    assert [Clock(5.0)] == world.idle(None, 0.0)
    assert [1] == [r.call for r in world.idle(None, 5.0)]


def test_events_and_cancel_happen_once_at_their_state():
    world = Interpreter(
        Plan(events=(EventAt("e", Point("a", "RUNNING")),), cancel=Point("a", "RUNNING"))
    )
    first = move(world, "a", "PENDING", "READY", "RUNNING")
    again = move(world, "a", "RUNNING", "RETRYING", "READY", "RUNNING")

    assert ([Delivery("e"), Cancelling()], []) == (first, again)


def test_waiting_names_everything_that_has_not_happened():
    steps = {
        "a": StepText(ok={}, hold_until="b FAILED"),
        "c": StepText(ok={}, after="PT2H"),
    }
    world = Interpreter(
        Plan(
            answers=plan(steps).answers,
            events=(EventAt("e", Point("x", "RUNNING")),),
            cancel=IdlePoint(),
        )
    )
    call(world, 1, "a")
    call(world, 2, "c")

    assert (
        "call 1 of 'a' is held until b FAILED; call 2 of 'c' is answered after 7200 s; "
        "event 'e' is planned for x RUNNING; cancel is planned for idle"
    ) == world.waiting()
    assert "no call is open and nothing more is planned" == Interpreter(Plan()).waiting()


STEP = st.sampled_from(
    [
        "ok",
        StepText(ok={}, after="PT5S"),
        StepText(fail="x", after="PT0.05S"),
        StepText(ok={}, hold_until="idle"),
        StepText(ok={}, hold_until="a RUNNING"),
        StepText(ok={}, hold_until="idle", after="PT1S"),
    ]
)


@given(st.fixed_dictionaries(dict.fromkeys("abc", STEP)), st.permutations("abc"))
def test_every_call_that_can_be_answered_is_answered_once(steps, order):
    world = Interpreter(plan(steps))
    now, actions = 0.0, []
    for number, node in enumerate(order, start=1):
        actions += move(world, node, "PENDING", "READY", "RUNNING", now=now)
        actions += call(world, number, node, now=now)
    while step := world.idle(None, now):
        actions += step
        now += sum(action.seconds for action in step if isinstance(action, Clock))
    answered = sorted(action.call for action in actions if isinstance(action, Reply))

    assert [1, 2, 3] == answered


def test_many_planned_and_open_calls_are_followed_in_linear_time():
    """Each of many calls has an answer of its own; they are held for a state, idle, or a time."""
    ways = ({"hold_until": "z READY"}, {"hold_until": "idle"}, {"after": "PT5S"})

    def seconds(number):
        steps = {f"n{i}": StepText(ok={}, **ways[i % 3]) for i in range(number)}
        world, answered, now = Interpreter(plan(steps)), 0, 0.0
        before = time.process_time()
        for i in range(number):
            call(world, i + 1, f"n{i}")
        answered += len(answers(move(world, "z", "PENDING", "READY")))
        while answered < number:
            for action in world.idle(None, now):
                answered += isinstance(action, Reply)
                now += action.seconds if isinstance(action, Clock) else 0
        return time.process_time() - before

    small, large = seconds(1000), seconds(8000)

    assert large < 30 * small
