import pytest
from msgspec.structs import replace

from suite.fuzz.model import Edge, Loop, Model, Node
from suite.fuzz.oracle import judge_run
from tests.fuzz.fuzz_words import done, failed, words

FAILS = Node(failures=1)
BODY = Model((FAILS,))
WITH_HANDLER = Model((FAILS, Node()), (Edge(0, 1, "error"),))
OPENS = "n0:READY n0:RUNNING"
ENDS = "n0:SUCCEEDED"
B = "n0n0"


def loop(*fates, body=BODY, **options):
    return Model((Node(kind="loop", loop=Loop(body, fates=fates, **options)),), entry=True)


def cites(model, text, outcome="succeeded", **options):
    return [f.requirements[0] for f in judge_run(model, words(text, outcome, **options))]


def iteration(number, *, fails=False, node=B):
    return (failed if fails else done)(f"{node}[{number}]")


TWICE = f"{iteration(0)} {iteration(1)}"
FAILED_FIRST = iteration(0, fails=True)


def test_iterations_one_after_the_other_are_accepted():
    assert [] == cites(loop("ok", "ok"), f"{OPENS} {TWICE} {ENDS}")


@pytest.mark.parametrize(
    ("policy", "fates", "text", "end"),
    [
        ("fail", ("fail", "ok"), FAILED_FIRST, "FAILED"),
        ("break", ("fail", "ok"), FAILED_FIRST, "SUCCEEDED"),
        ("continue", ("fail", "ok"), f"{FAILED_FIRST} {iteration(1)}", "SUCCEEDED"),
        ("continue", ("fail",), FAILED_FIRST, "FAILED"),
        ("fail", (), "", "SUCCEEDED"),
        ("continue", (), "", "SUCCEEDED"),
        ("continue", (), "", "FAILED"),
    ],
)
def test_end_by_policy_is_accepted(policy, fates, text, end):
    outcome = "failed" if end == "FAILED" else "succeeded"

    assert [] == cites(loop(*fates, policy=policy), f"{OPENS} {text} n0:{end}", outcome)


@pytest.mark.parametrize(
    ("policy", "fates", "text", "end", "expected"),
    [
        ("fail", ("fail",), FAILED_FIRST, "SUCCEEDED", "6.5-fail-policy"),
        ("break", ("fail",), FAILED_FIRST, "FAILED", "6.5-break-policy"),
        ("continue", ("fail",), FAILED_FIRST, "SUCCEEDED", "6.5-continue-all-fail"),
        ("continue", ("fail", "ok"), FAILED_FIRST, "FAILED", "7.2.5-continue-runs-all"),
        ("fail", ("ok", "ok"), iteration(0), "SUCCEEDED", "7.2.2-foreach-once-per-element"),
        ("fail", ("ok",), iteration(0), "FAILED", "6.2-running-failed"),
        (
            "continue",
            ("fail", "ok"),
            f"{FAILED_FIRST} {iteration(1)}",
            "FAILED",
            "6.5-continue-some-succeed",
        ),
        (
            "fail",
            ("ok",),
            f"{B}[0]:READY {B}[0]:RUNNING",
            "SUCCEEDED",
            "6.2-no-succeeded-without-completion",
        ),
    ],
)
def test_end_against_the_policy_is_rejected(policy, fates, text, end, expected):
    outcome = "failed" if end == "FAILED" else "succeeded"
    found = cites(loop(*fates, policy=policy), f"{OPENS} {text} n0:{end}", outcome)

    assert expected == found[0]


@pytest.mark.parametrize(
    ("policy", "end", "expected"),
    [
        ("fail", "FAILED", "7.2.5-fail-stops-at-once"),
        ("break", "SUCCEEDED", "7.2.5-break-starts-no-more"),
    ],
)
def test_no_iteration_starts_after_a_failed_one(policy, end, expected):
    text = f"{OPENS} {FAILED_FIRST} {iteration(1)} n0:{end}"
    outcome = "failed" if end == "FAILED" else "succeeded"

    assert [expected] == cites(loop("fail", "ok", policy=policy), text, outcome)


def test_iteration_after_the_end_of_the_loop_is_rejected():
    found = cites(loop("ok", "ok"), f"{OPENS} {iteration(0)} {ENDS} {iteration(1)}")

    assert ["7.2.2-foreach-once-per-element", "7.2.6-body-runs-only-as-iteration"] == found


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("forEach", "7.2.2-foreach-once-per-element"), ("times", "7.2.2-times-exact")],
)
def test_one_iteration_too_many_is_rejected(kind, expected):
    text = f"{OPENS} {TWICE} {ENDS}"

    assert [expected] == cites(loop("ok", kind=kind), text)


@pytest.mark.parametrize("number", range(3))
def test_any_number_of_iterations_within_the_limit_before_it_strikes(number):
    runs = " ".join(map(iteration, range(number)))
    model = loop("ok", "ok", "ok", limit=2)

    assert [] == cites(model, f"{OPENS} {runs} n0:FAILED", "failed")
    assert "7.2.1-exceeding-fails" in cites(model, f"{OPENS} {runs} {ENDS}")


def test_iterations_do_not_overlap_without_leave():
    text = (
        f"{OPENS} {B}[0]:READY {B}[0]:RUNNING call:{B}[0] {iteration(1)} ok:{B}[0] "
        f"{B}[0]:SUCCEEDED {ENDS}"
    )

    assert ["5.4-sequential-iterations-in-order"] == cites(loop("ok", "ok"), text)
    assert [] == cites(loop("ok", "ok", concurrency=2), text)


def test_bound_of_concurrency_is_kept():
    opened = " ".join(f"{B}[{n}]:READY {B}[{n}]:RUNNING call:{B}[{n}]" for n in range(3))
    closed = " ".join(f"ok:{B}[{n}] {B}[{n}]:SUCCEEDED" for n in range(3))
    text = f"{OPENS} {opened} {closed} {ENDS}"

    assert [] == cites(loop("ok", "ok", "ok", concurrency=3), text)
    assert ["5.4-loop-concurrency-bound"] == cites(loop("ok", "ok", "ok", concurrency=2), text)


def test_sequence_order_is_kept():
    text = f"{OPENS} {iteration(1)} {iteration(0)} {ENDS}"

    assert ["5.4-sequential-iterations-in-order"] == cites(loop("ok", "ok"), text)
    assert [] == cites(loop("ok", "ok", concurrency=2), text)


def test_iteration_is_judged_like_a_run_of_its_own():
    retried = replace(BODY, nodes=(Node(attempts=2, failures=1),))
    text = f"{OPENS} {iteration(0, fails=True)} n0:FAILED"

    assert ["6.2-no-early-failed"] == cites(loop("fail", body=retried), text, "failed")


def test_skipped_iteration_counts_as_a_success():
    skip = f"{B}[1]:READY {B}[1]:SKIPPED"
    text = f"{OPENS} {FAILED_FIRST} {skip} n0:"
    model = loop("fail", "skip", policy="continue")

    assert [] == cites(model, f"{text}SUCCEEDED")
    assert ["6.5-continue-some-succeed"] == cites(model, f"{text}FAILED", "failed")


@pytest.mark.parametrize("tail", ["n0n0[1]:CANCELLED n0:FAILED", "n0:FAILED n0n0[1]:CANCELLED"])
def test_iterations_under_way_of_a_stopped_loop_may_be_cancelled(tail):
    text = f"{OPENS} {B}[0]:READY {B}[1]:READY {B}[0]:RUNNING call:{B}[0] fail:{B}[0] {B}[0]:FAILED"
    model = loop("fail", "ok", concurrency=2)

    assert [] == cites(model, f"{text} {tail}", "failed")


def test_iteration_of_a_loop_that_goes_on_is_not_cancelled():
    text = f"{OPENS} {B}[0]:READY {B}[0]:CANCELLED"

    first = judge_run(loop("ok"), words(f"{text} {ENDS}"))[0]

    assert "6.2-no-ready-cancelled-in-plain-run" in first.requirements


@pytest.mark.parametrize("handler", ["n0n1[0]", "n0n1"], ids=["iteration", "main-flow"])
@pytest.mark.parametrize("end", ["SUCCEEDED", "FAILED"])
def test_handler_of_a_body_runs_once_in_either_scope(handler, end):
    model = loop("fail", body=WITH_HANDLER)
    outcome = "failed" if end == "FAILED" else "succeeded"

    assert [] == cites(model, f"{OPENS} {FAILED_FIRST} {done(handler)} n0:{end}", outcome)


def test_handler_of_a_body_has_to_run():
    model = loop("fail", body=WITH_HANDLER)
    found = cites(model, f"{OPENS} {FAILED_FIRST} {ENDS}")

    assert ["7.2.6-body-error-edges-per-iteration"] == found


@pytest.mark.parametrize("handler", ["n0n1[0]", "n0n1"], ids=["iteration", "main-flow"])
def test_handler_of_a_body_waits_for_a_failure(handler):
    model = loop("ok", body=WITH_HANDLER)
    text = f"{OPENS} {done(handler)} {iteration(0)} {ENDS}"

    assert "4.4-error-edge-only-on-failed" in [
        cite for f in judge_run(model, words(text)) for cite in f.requirements
    ]


def test_nested_loops_are_judged_level_by_level():
    inner = Model((Node(kind="loop", loop=Loop(BODY, fates=("ok", "fail"))),))
    good = "n0n0[0]:READY n0n0[0]:RUNNING " + done("n0n0n0[0,0]", "n0n0n0[0,1]")
    bad = "n0n0[1]:READY n0n0[1]:RUNNING " + failed("n0n0n0[1,1]")
    model = loop("ok", "fail", body=inner, policy="continue")
    first = f"{OPENS} {good} n0n0[0]:SUCCEEDED"

    assert [] == cites(
        model,
        f"{first} n0n0[1]:READY n0n0[1]:RUNNING {done('n0n0n0[1,0]')} "
        f"{failed('n0n0n0[1,1]')} n0n0[1]:FAILED {ENDS}",
    )
    assert ["6.5-fail-policy"] == cites(model, f"{first} {bad} n0n0[1]:SUCCEEDED {ENDS}")


def test_iterations_without_number_are_told_apart_by_their_order():
    runs = f"{B}:READY {B}:RUNNING {B}:SUCCEEDED"
    text = f"{OPENS} {runs} {runs} {ENDS}"
    left = words(text, calls=False)
    events = [
        replace(e, left="PENDING") if e.entered == "READY" and e.node == B else e
        for e in left.events
    ]

    assert [] == judge_run(loop("ok", "ok"), replace(left, events=tuple(events)))
    assert [] != judge_run(loop("ok", "ok", "ok"), replace(left, events=tuple(events)))


def test_concurrent_iterations_without_number_are_not_judged():
    runs = f"{B}:READY {B}:RUNNING {B}:SUCCEEDED"

    assert [] == cites(loop("ok", "ok", concurrency=2), f"{OPENS} {runs} {ENDS}")


def test_outer_state_of_a_body_is_open():
    text = f"{OPENS} {iteration(0)} {B}:SUCCEEDED {ENDS}"

    assert [] == cites(loop("ok"), text)


def test_body_does_not_run_in_the_main_flow():
    found = cites(loop("ok"), f"{done(B)} {OPENS} {iteration(0)} {ENDS}")

    assert "7.2.6-body-runs-only-as-iteration" == found[0]


def test_unknown_iteration_is_reported():
    model = Model((Node(), *loop("ok").nodes), (Edge(0, 1),), entry=True)
    found = cites(model, f"{done('n0')} n1:READY n1:RUNNING n0n0[0]:READY")

    assert "6.6-entry-node-and-both-states" == found[0]


def test_failed_iteration_does_not_spoil_the_run():
    text = f"{OPENS} {FAILED_FIRST} {iteration(1)} {ENDS}"
    model = loop("fail", "ok", policy="continue")

    assert ["5.7-outcome-succeeded"] == cites(model, text, "failed")


def test_running_non_idempotent_iteration_is_not_cancelled():
    once = Model((Node(idempotent=False),))
    model = Model(
        (Node(), Node(failures=1), Node(kind="loop", loop=Loop(once))),
        (Edge(0, 1), Edge(0, 2)),
        entry=True,
    )
    text = (
        f"{done('n0')} n2:READY n2:RUNNING n2n0[0]:READY n2n0[0]:RUNNING call:n2n0[0] "
        f"{failed('n1')} n2:CANCELLED"
    )

    assert [] == cites(model, f"{text} ok:n2n0[0] n2n0[0]:SUCCEEDED", "failed")
    assert ["6.2.1-no-cancel-of-running-non-idempotent"] == cites(
        model, f"{text} n2n0[0]:CANCELLED", "failed"
    )
