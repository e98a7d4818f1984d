import msgspec
import pytest

from comparator.golden import CallEntry
from comparator.observation import Call, Report
from comparator.trace import LoopStep
from tests.comparator_builder import CITES, differences, facts, golden, kinds, observed

OK = "READY RUNNING SUCCEEDED"
RAN = "a:READY a:RUNNING a:SUCCEEDED"
RETRIED = "a:READY a:RUNNING a:RETRYING a:READY a:RUNNING a:SUCCEEDED"
ONE = facts(nodes="a", a={"max_attempts": 2})
PROTECTED = facts(nodes="a b", a={"idempotent": False})
FIRST = Call("a", 2, answered=2, ok=False)
SECOND = Call("a", 5, answered=5, ok=True)


def one(**declared):
    return facts(nodes="a", a=declared)


def judge(text, *calls, document=ONE, **seen):
    return differences(document, observed(text, calls=calls, **seen))


@pytest.mark.parametrize(
    ("text", "calls", "document"),
    [
        (RAN, (Call("a", 2, attempt=1, answered=2, ok=True),), ONE),
        (RETRIED, (FIRST, SECOND), ONE),
        ("a:READY a:RUNNING a:FAILED", (), ONE),
        ("a:READY a:RUNNING a:FAILED", (FIRST,), ONE),
        ("a:READY a:SKIPPED", (), one(guard="dynamic")),
        ("a:READY a:RUNNING a:SKIPPED", (), one(on_timeout="skip")),
        ("a:READY a:RUNNING a:SKIPPED", (Call("a", 2),), one(on_timeout="skip")),
        (RAN, (), one(type="decision")),
        (RAN, (), one(type="wait")),
        (RAN, (), one(type="transform")),
    ],
    ids=[
        "once", "once-an-attempt", "failed-before-its-step", "failed-step", "guard",
        "timeout-before", "timeout", "decision", "wait", "reused-result",
    ],
)  # fmt: skip
def test_attempt_with_its_call_passes(text, calls, document):
    assert () == judge(text, *calls, document=document)


@pytest.mark.parametrize("text", ["a:CANCELLED", "a:READY a:RUNNING a:CANCELLED"])
@pytest.mark.parametrize("calls", [(), (Call("a", 2, aborts=1),)])
def test_cancelled_attempt_may_have_called_its_step_or_not(text, calls):
    calls = calls if "RUNNING" in text else ()

    assert () == judge(text, *calls, cancelled=0, answering=True)


@pytest.mark.parametrize(
    ("text", "calls", "document", "kind", "cite"),
    [
        (RAN, (), ONE, "no-call", "6.2-no-succeeded-without-completion"),
        (RAN, (), one(type="human"), "no-call", "6.2-no-succeeded-without-completion"),
        (RETRIED, (SECOND,), ONE, "no-call", "6.2-running-retrying"),
        (RETRIED, (FIRST,), ONE, "no-call", "6.2-no-succeeded-without-completion"),
        (RAN, (SECOND, SECOND), ONE, "calls-in-attempt", "5.5-step-runs-under-timeout"),
        ("a:READY a:RUNNING a:FAILED", (FIRST, FIRST), ONE, "calls-in-attempt",
         "5.5-step-runs-under-timeout"),
        (RAN, (SECOND, SECOND), one(idempotent=False), "calls-in-attempt",
         "1.3-no-automatic-retry-of-non-idempotent"),
        (RAN, (SECOND,), one(type="barrier"), "stepless-call",
         "3.1.1-pure-control-types-need-no-impl"),
        (RAN, (msgspec.structs.replace(SECOND, attempt=99),), ONE, "call-attempt",
         "6.6-entry-attempt-number"),
        ("a:READY a:RUNNING@1 a:RETRYING a:READY a:RUNNING@2 a:SUCCEEDED",
         (FIRST, msgspec.structs.replace(SECOND, place=5, attempt=1)), ONE, "call-attempt",
         "6.6-entry-attempt-number"),
    ],
    ids=[
        "never", "human-never", "first-attempt", "second-attempt", "twice", "twice-failing",
        "twice-protected", "stepless", "number", "number-of-the-first",
    ],
)  # fmt: skip
def test_attempt_with_other_calls_is_noticed(text, calls, document, kind, cite):
    if text == RAN:
        calls = [msgspec.structs.replace(call, place=2, answered=2) for call in calls]
    (found,) = judge(text, *calls, document=document)

    assert (kind, "a", cite) == (found.kind, str(found.key), found.cites[0])


def test_calls_that_are_not_shown_are_not_missed():
    assert () == differences(ONE, observed(RAN, calls=None))


def test_retry_of_a_failure_before_the_step_is_left_open():
    # A13.
    assert () == judge(RETRIED, SECOND, reports=(Report("HX-4101", "a"),))


def test_undo_without_states_may_call_its_step():
    # A96.
    document = facts("a->f a~>u", entry="a")
    text = f"{RAN} f:READY f:RUNNING f:FAILED a:COMPENSATED"
    places = {"a": 2, "f": 5, "u": 6}
    calls = [Call(node, at, answered=at, ok=node != "f") for node, at in places.items()]

    assert () == judge(text, *calls, document=document)
    early = msgspec.structs.replace(calls[2], place=3, answered=3)
    assert [("call-outside-running", "u")] == kinds(
        judge(text, calls[0], early, calls[1], document=document)
    )


# --- steps that must not be interrupted ----------------------------------------------------

LET_FINISH = "6.2.1-attempt-finishes-result-discarded"


def test_step_of_a_protected_node_is_not_abandoned():
    found = judge(RAN, Call("a", 2), document=PROTECTED, answering=True, cancelled=2)

    assert [("before-answer", "a")] == kinds(found)
    assert LET_FINISH == found[0].cites[0]


@pytest.mark.parametrize("answered", [None, 2])
def test_step_of_a_protected_node_is_not_aborted(answered):
    call = Call("a", 2, answered=answered, ok=answered and True, aborts=1)
    found = judge(RAN, call, document=PROTECTED, cancelled=2)

    assert [("abandoned", "a")] == kinds(found)
    assert ("6.2.1-no-cancel-of-running-non-idempotent", LET_FINISH) == found[0].cites


def test_step_that_nobody_answers_may_end_unanswered():
    assert () == judge(RAN, Call("a", 2), document=PROTECTED, answering=False)


@pytest.mark.parametrize(
    ("document", "end"),
    [
        (one(idempotent=False, on_timeout="fail"), "FAILED"),
        (one(idempotent=False, on_timeout="skip"), "SKIPPED"),
        (one(), "CANCELLED"),
    ],
    ids=["timeout", "timeout-skip", "idempotent"],
)
def test_step_may_be_aborted_by_its_timeout_or_where_cancelling_is_allowed(document, end):
    text = f"a:READY a:RUNNING a:{end}"

    assert () == judge(text, Call("a", 2, aborts=1), document=document, cancelled=2)


def test_success_is_no_timeout():
    document = one(idempotent=False, on_timeout="fail")
    found = judge(RAN, Call("a", 2, aborts=1), document=document, answering=True)

    assert [("abandoned", "a"), ("before-answer", "a")] == kinds(found)


# --- classes of failures -------------------------------------------------------------------


def failing(given, answered, **declared):
    seen = observed("a:READY a:RUNNING a:FAILED", calls=(FIRST,))
    *before, last = seen.trace.transitions
    last = msgspec.structs.replace(last, error_class=given)
    call = msgspec.structs.replace(FIRST, error_class=answered)
    trace = msgspec.structs.replace(seen.trace, transitions=(*before, last))
    seen = msgspec.structs.replace(seen, trace=trace, calls=(call,))
    return differences(one(**declared), seen)


def test_class_of_a_failure_is_the_one_answered():
    (found,) = failing("timeout", "internal")

    assert ("error-class", "internal", "timeout") == (found.kind, found.expected, found.observed)
    assert ("6.6-failed-entry-class-and-message",) == found.cites


@pytest.mark.parametrize(
    ("given", "answered", "declared"),
    [
        ("internal", "internal", {}),
        (None, "internal", {}),
        ("internal", None, {}),
        ("timeout", "internal", {"on_timeout": "fail"}),
    ],
    ids=["same", "not-given", "not-answered", "timeout-came-first"],
)
def test_class_of_a_failure_may_be(given, answered, declared):
    assert () == failing(given, answered, **declared)


# --- iterations ----------------------------------------------------------------------------

LOOP = facts(entry="l", loops={"l": {"body": "b", "max_concurrency": 2}})
PATHS = {"l": OK, "b": "", "b[0]": OK, "b[1]": OK}
TURNS = (
    "l:READY l:RUNNING b:READY b:RUNNING b:SUCCEEDED "
    "b:PENDING>READY b:RUNNING b:SUCCEEDED l:SUCCEEDED"
)
NAMED = (
    "l:READY l:RUNNING b[l:0]:READY b[l:0]:RUNNING b[l:0]:SUCCEEDED "
    "b[l:1]:READY b[l:1]:RUNNING@2 b[l:1]:SUCCEEDED@2 l:SUCCEEDED"
)
OVERLAP = (
    "l:READY l:RUNNING b[l:0]:READY b[l:0]:RUNNING b[l:1]:READY b[l:1]:RUNNING "
    "b[l:0]:SUCCEEDED b[l:1]:SUCCEEDED l:SUCCEEDED"
)
CALLS = (
    Call("b", 4, inputs={"x": 0}, answered=4, ok=True),
    Call("b", 7, inputs={"x": 1}, answered=7, ok=True),
)
LISTED = tuple(
    CallEntry(cites=CITES, node=f"b[{n}]{attempt}", count=1, inputs={"x": n})
    for n in (0, 1)
    for attempt in ("", "@1")
)


def looped(text, calls, entries=LISTED):
    return differences(LOOP, observed(text, calls=calls), golden(PATHS, calls=entries))


@pytest.mark.parametrize("text", [TURNS, NAMED], ids=["nothing-named", "calls-not-named"])
def test_call_belongs_to_the_iteration_that_runs(text):
    assert () == looped(text, CALLS)


def test_attempts_of_calls_are_counted_in_each_iteration():
    steps = [(LoopStep("l", n),) for n in (0, 1)]
    calls = tuple(
        msgspec.structs.replace(call, iteration=step, attempt=n)
        for n, (call, step) in enumerate(zip(CALLS, steps, strict=True), 1)
    )

    assert () == looped(NAMED, calls)
    assert () == looped(NAMED.replace("@2", ""), calls)


def test_unnamed_call_while_no_iteration_runs_is_outside():
    late = msgspec.structs.replace(CALLS[1], place=8, answered=8)

    assert ("call-outside-running", "b") in kinds(looped(TURNS, (CALLS[0], late), ()))


def test_unnamed_calls_of_iterations_that_overlap_cannot_be_told_apart():
    calls = tuple(
        msgspec.structs.replace(call, place=place, answered=6)
        for call, place in zip(CALLS, (4, 6), strict=True)
    )

    assert () == looped(OVERLAP, calls, ())
    assert () == looped(OVERLAP, calls, (CallEntry(cites=CITES, node="b", count=2),))
    found = looped(OVERLAP, calls)
    assert {"unobservable"} == {difference.kind for difference in found}


def test_inner_level_is_enough_while_one_outer_iteration_runs():
    document = facts(entry="o", loops={"o": {"body": "i"}, "i": {"body": "b"}})
    text = (
        "o:READY o:RUNNING i[o:0]:READY i[o:0]:RUNNING b[o:0,i:0]:READY b[o:0,i:0]:RUNNING "
        "b[o:0,i:0]:SUCCEEDED i[o:0]:SUCCEEDED o:SUCCEEDED"
    )
    calls = (Call("b", 6, iteration=(LoopStep("i", 0),), answered=6, ok=True),)
    paths = {"o": OK, "i": "", "b": "", "i[0]": OK, "b[0,0]": OK}
    entries = (CallEntry(cites=CITES, node="b[0,0]", count=1),)

    assert () == differences(document, observed(text, calls=calls), golden(paths, calls=entries))
