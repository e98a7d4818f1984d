import msgspec
import pytest

from comparator.golden import (
    CallEntry,
    CodeEntry,
    IdleEntry,
    OrderEntry,
    OutcomeEntry,
    TextEntry,
    TimerEntry,
)
from comparator.observation import Call, Idle, Report
from comparator.trace import LoopStep
from tests.comparator_builder import CITES, differences, facts, golden, kinds, observed

OK = "READY RUNNING SUCCEEDED"
PAIR = facts(nodes="a b", a={"max_attempts": 2})
RETRIED = "a:READY a:RUNNING a:RETRYING a:READY a:RUNNING a:SUCCEEDED"
PATHS = {"a": "*", "b": "*"}


def judge(text, document=PAIR, *, seen=None, **sections):
    observation = observed(text, **(seen or {}))
    return differences(document, observation, golden(PATHS, **sections))


def order(event, *after, at_least=None):
    return (OrderEntry(cites=CITES, event=event, after=after, at_least=at_least),)


RUN = "a:READY b:READY b:RUNNING a:RUNNING b:SUCCEEDED a:SUCCEEDED"


@pytest.mark.parametrize(
    "entries",
    [
        order("a:RUNNING", "b:RUNNING"),
        order("a:SUCCEEDED", "b:RUNNING", "b:SUCCEEDED", "a:READY"),
        order("a:RUNNING", "b:RUNNING", "b:SUCCEEDED", at_least=1),
        order("a:READY", "b:PENDING"),
        order("a:FAILED", "b:SUCCEEDED"),
    ],
    ids=["after", "after-all", "at-least", "pending-is-first", "never-happens"],
)
def test_order_that_holds_passes(entries):
    assert () == judge(RUN, order=entries)


@pytest.mark.parametrize(
    ("entries", "late"),
    [
        (order("a:RUNNING", "b:SUCCEEDED"), ["b:SUCCEEDED"]),
        (order("a:RUNNING", "b:RUNNING", "b:FAILED"), ["b:FAILED"]),
        (order("b:RUNNING", "a:RUNNING", "b:READY", at_least=2), ["a:RUNNING"]),
        (order("a:RUNNING", "b:RUNNING#2"), ["b:RUNNING#2"]),
    ],
    ids=["later", "never", "at-least", "second-time"],
)
def test_order_that_does_not_hold_is_noticed(entries, late):
    (found,) = judge(RUN, order=entries)

    assert ("order", CITES, late) == (found.kind, found.cites, found.detail["late"])


def test_order_counts_occurrences():
    assert () == judge(RETRIED, order=order("a:READY#2", "a:RUNNING"))
    assert [("order", "a")] == kinds(judge(RETRIED, order=order("a:READY", "a:RUNNING")))


# --- calls -------------------------------------------------------------------------------

TWICE = (
    Call("a", 2, attempt=1, inputs={"x": 1}, answered=2, ok=False),
    Call("a", 5, attempt=2, inputs={"x": 2}, answered=5, ok=True),
)


def call(node, **wanted):
    return (CallEntry(cites=CITES, node=node, **wanted),)


def test_calls_that_agree_pass():
    for entries in (
        call("a", count=2, aborts=0),
        call("a@2", count=1, inputs={"x": 2.0}),
        call("b", count=0),
    ):
        assert () == judge(RETRIED, calls=entries, seen={"calls": TWICE})


def test_attempts_are_counted_where_calls_do_not_tell_them():
    anonymous = tuple(
        Call("a", c.place, inputs=c.inputs, answered=c.answered, ok=c.ok) for c in TWICE
    )

    assert () == judge(
        RETRIED, calls=call("a@2", count=1, inputs={"x": 2}), seen={"calls": anonymous}
    )


@pytest.mark.parametrize(
    ("entries", "kind", "expected", "observed_"),
    [
        (call("a", count=1), "call-count", 1, 2),
        (call("a", count=3), "call-count", 3, 2),
        (call("b", count=1), "call-count", 1, 0),
        (call("a@3", count=1), "call-count", 1, 0),
        (call("a", aborts=1), "call-aborts", 1, 0),
        (call("a@1", inputs={"x": True}), "call-inputs", {"x": True}, {"x": 1}),
        (call("a@1", inputs={"x": 1, "y": None}), "call-inputs", {"x": 1, "y": None}, {"x": 1}),
        (call("b", inputs={}), "call-inputs", {}, None),
    ],
    ids=str,
)
def test_calls_that_disagree_are_noticed(entries, kind, expected, observed_):
    (found,) = judge(RETRIED, calls=entries, seen={"calls": TWICE})

    assert (kind, expected, observed_) == (found.kind, found.expected, found.observed)


def test_unequal_inputs_are_told_in_lines():
    (found,) = judge(RETRIED, calls=call("a@1", inputs={"x": 5}), seen={"calls": TWICE})

    assert any("changed from 5 to 1" in line for line in found.detail["lines"])


def test_calls_of_iterations_are_told_apart():
    document = facts(entry="l", nodes="a b", loops={"l": {"body": "w"}})
    text = (
        "l:READY l:RUNNING w[l:0]:READY w[l:0]:RUNNING w[l:0]:SUCCEEDED "
        "w[l:1]:READY w[l:1]:RUNNING w[l:1]:SUCCEEDED l:SUCCEEDED"
    )
    calls = tuple(
        Call("w", place, iteration=(LoopStep("l", n),), inputs={"i": n}, answered=place, ok=True)
        for n, place in enumerate((4, 7))
    )
    paths = {"a": "", "b": "", "l": OK, "w": "", "w[0]": OK, "w[1]": OK}
    entries = (*call("w[1]", count=1, inputs={"i": 1}), *call("w", count=2))
    seen = observed(text, calls=calls)

    assert () == differences(document, seen, golden(paths, calls=entries))


@pytest.mark.parametrize(
    ("text", "seen", "kind", "cite"),
    [
        ("a:READY a:RUNNING a:SUCCEEDED", Call("a", 2, answered=3, ok=True), "before-answer",
         "6.2-no-succeeded-without-completion"),
        ("a:READY a:RUNNING a:SUCCEEDED", Call("a", 2), "before-answer",
         "6.2-no-succeeded-without-completion"),
        ("a:READY a:RUNNING a:RETRYING a:READY a:RUNNING a:FAILED",
         Call("a", 2, answered=4, ok=False), "before-answer", "6.2-running-retrying"),
        ("a:READY a:RUNNING a:FAILED", Call("a", 2), "before-answer", "6.2-running-failed"),
        ("a:READY a:RUNNING a:SUCCEEDED", Call("a", 2, answered=2, ok=False), "against-answer",
         "6.2-no-succeeded-without-completion"),
        ("a:READY a:RUNNING a:SUCCEEDED", Call("a", 1, answered=2, ok=True),
         "call-outside-running", "6.1-running-meaning"),
        ("a:READY a:RUNNING a:SUCCEEDED", Call("a", 3, answered=3, ok=True),
         "call-outside-running", "6.1-running-meaning"),
    ],
    ids=["early", "never", "retrying", "failed", "against", "before-running", "after-running"],
)  # fmt: skip
def test_calls_and_transitions_have_an_order(text, seen, kind, cite):
    other = Call("b", 2, answered=2, ok=True)
    shifted = msgspec.structs.replace(
        seen, place=seen.place + 2, answered=None if seen.answered is None else seen.answered + 2
    )
    (found,) = judge(f"b:READY b:RUNNING {text} b:SUCCEEDED", seen={"calls": (other, shifted)})

    assert (kind, (cite,)) == (found.kind, found.cites)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a:READY a:RUNNING a:FAILED", Call("a", 2)),
        ("a:READY a:RUNNING a:FAILED", Call("a", 2, answered=2, ok=True)),
    ],
    ids=["timeout", "output-missing"],
)
def test_node_with_a_timeout_may_end_unanswered(text, seen):
    document = facts(nodes="a b", a={"on_timeout": "fail"})
    other = Call("b", 5, answered=5, ok=True)

    assert () == judge(
        f"{text} b:READY b:RUNNING b:SUCCEEDED", document, seen={"calls": (seen, other)}
    )


def test_call_of_an_unknown_node_is_left_to_the_protocol():
    seen = {"calls": (Call("q", 0), *TWICE)}

    assert () == judge(RETRIED, seen=seen)


def test_call_of_an_iteration_that_is_not_told_is_not_placed():
    document = facts(entry="l", nodes="a b", loops={"l": {"body": "w"}})
    text = "l:READY l:RUNNING w:READY w:RUNNING w:SUCCEEDED l:SUCCEEDED"
    paths = {"a": "", "b": "", "l": OK, "w": "", "w[0]": OK}
    seen = observed(text, calls=(Call("w", 4, answered=4, ok=True),))

    assert () == differences(document, seen, golden(paths, calls=call("w", count=1)))


def test_calls_that_nobody_answers_say_nothing_about_ends():
    calls = (Call("a", 2), Call("a", 5))

    assert () == judge(RETRIED, seen={"calls": calls})


# --- timers, idle points, codes, outcome, text ---------------------------------------------

TIMES = {"times": (0.0, 0.0, 1.0, 11.0, 11.0, 11.0)}


def timer(**wanted):
    return (TimerEntry(cites=CITES, node="a@2", **wanted),)


@pytest.mark.parametrize("wanted", [{"delay": 10}, {"between": (0, 10)}, {"between": (10, 20)}])
def test_wait_within_bounds_passes(wanted):
    assert () == judge(RETRIED, timers=timer(**wanted), seen=TIMES)


@pytest.mark.parametrize("wanted", [{"delay": 9.9}, {"between": (0, 9)}, {"between": (11, 20)}])
def test_other_wait_is_noticed(wanted):
    (found,) = judge(RETRIED, timers=timer(**wanted), seen=TIMES)

    assert ("timer", 10.0, 3) == (found.kind, found.observed, found.place)


def test_wait_that_never_was_is_noticed():
    entries = (TimerEntry(cites=CITES, node="a@3", delay=1),)
    (found,) = judge(RETRIED, timers=entries, seen=TIMES)

    assert None is found.observed


IDLES = {"idles": (Idle(3, 10.0), Idle(5))}


@pytest.mark.parametrize(
    ("idle", "states", "due"),
    [(1, {"a": "RETRYING", "b": "PENDING"}, 10), (2, {"a": "RUNNING"}, None)],
)
def test_idle_point_that_agrees_passes(idle, states, due):
    entries = (IdleEntry(cites=CITES, idle=idle, states=states, timer=due),)

    assert () == judge(RETRIED, at_idle=entries, seen=IDLES)


@pytest.mark.parametrize(
    ("idle", "states", "due", "kind"),
    [
        (1, {"a": "READY"}, None, "idle-state"),
        (1, {"b": "READY"}, None, "idle-state"),
        (1, {}, 9, "idle-timer"),
        (2, {}, 1, "idle-timer"),
        (3, {}, None, "idle-missing"),
    ],
)
def test_idle_point_that_disagrees_is_noticed(idle, states, due, kind):
    entries = (IdleEntry(cites=CITES, idle=idle, states=states, timer=due),)

    assert [kind] == [d.kind for d in judge(RETRIED, at_idle=entries, seen=IDLES)]


CODE = (CodeEntry(cites=CITES, node="a", any_of=("HX-4106", "HX-4107")),)


@pytest.mark.parametrize("report", [Report("HX-4107", "a"), Report("HX-4106")])
def test_code_that_was_reported_passes(report):
    assert () == judge(RETRIED, codes=CODE, seen={"reports": (report,)})


@pytest.mark.parametrize(
    "reports", [(), (Report("HX-4107", "b"),), (Report("HX-4101", "a"),)], ids=str
)
def test_code_that_was_not_reported_is_noticed(reports):
    found = judge(RETRIED, codes=CODE, seen={"reports": reports})

    assert ("code", "a") == kinds(found)[0]


def test_other_outcome_is_noticed():
    expected = golden(PATHS, outcome=OutcomeEntry(cites=CITES, is_="succeeded"))
    (found,) = differences(PAIR, observed(RETRIED, "failed"), expected)

    assert ("outcome", "failed") == (found.kind, found.observed)


def test_outcome_that_is_not_told_is_not_judged():
    expected = golden(PATHS, outcome=OutcomeEntry(cites=CITES, is_="succeeded"))

    assert () == differences(PAIR, observed(RETRIED, None), expected)


def test_secret_in_the_text_is_noticed_without_repeating_it():
    entry = (TextEntry(cites=CITES, text="hunter2"),)
    (found,) = judge(RETRIED, absent_text=entry, seen={"text": "… hunter2 …"})

    assert "text" == found.kind
    assert "hunter2" not in repr(found)
    assert () == judge(RETRIED, absent_text=entry, seen={"text": "clean"})


@pytest.mark.parametrize(
    "sections",
    [
        {"calls": call("a", count=0)},
        {"timers": timer(delay=1)},
        {"at_idle": (IdleEntry(cites=CITES, idle=1, states={}),)},
        {"codes": CODE},
        {"absent_text": (TextEntry(cites=CITES, text="hunter2"),)},
    ],
    ids=lambda sections: next(iter(sections)),
)
def test_entry_without_evidence_is_never_green(sections):
    found = judge(RETRIED, **sections)

    assert ["unobservable"] == [difference.kind for difference in found]
