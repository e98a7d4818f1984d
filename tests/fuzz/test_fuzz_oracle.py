import re
from pathlib import Path

import pytest

import suite.fuzz
from suite.corpus.ledger import read_ledger
from suite.fuzz.causes import _unlisted
from suite.fuzz.model import Case, Edge, Example, Model, Node, Schedule
from suite.fuzz.observed import Event, Observed
from suite.fuzz.oracle import judge_run
from tests.fuzz_simulator import SIMULATED, Simulator, draw, seeded

ROOT = Path(__file__).resolve().parents[2]
TASK = Node()
OTHER_STATES = (
    "PENDING",
    "READY",
    "RUNNING",
    "RETRYING",
    "SUCCEEDED",
    "SKIPPED",
    "FAILED",
    "CANCELLED",
    "COMPENSATED",
)


def run(text, outcome="succeeded"):
    """``0:READY 0:RUNNING call:0 ok:0 … idle`` as an observed run with all states filled in."""
    states, events = {}, []
    for word in text.split():
        kind, _, rest = word.partition(":")
        if word == "idle":
            events.append(Event("idle"))
        elif kind == "call":
            events.append(Event("call", f"n{rest}"))
        elif kind in ("ok", "fail"):
            events.append(Event("answer", f"n{rest}", result=kind))
        else:
            left = states.get(kind, "PENDING")
            events.append(Event("transition", f"n{kind}", left, rest))
            states[kind] = rest
    calls = any(event.kind == "call" for event in events)
    return Observed(tuple(events), outcome, calls=calls)


def done(*nodes):
    return " ".join(f"{n}:READY {n}:RUNNING call:{n} ok:{n} {n}:SUCCEEDED" for n in nodes)


def cites(model, observed, **options):
    return [finding.requirements[0] for finding in judge_run(model, observed, **options)]


# --- runs that are legal are accepted --------------------------------------------------------


@pytest.mark.parametrize("name", SIMULATED)
@pytest.mark.parametrize(
    "options",
    [{}, {"serial": True}, {"lazy": True}, {"bullets": True}, {"lazy": True, "bullets": True}],
    ids=["eager", "serial", "lazy", "bullets", "lazy-bullets"],
)
def test_legal_runs_are_accepted_under_many_schedules(name, options):
    rng = seeded(23)
    for _ in range(150):
        example = draw(rng, name)
        observed = Simulator(example, rng, **options).run()

        assert judge_run(example.model, observed, full=True) == [], example


# --- runs of runtimes that are wrong in one way are rejected ---------------------------------

WRONG = {
    "all fires on first": ("joins", "5.3.1-all-waits-for-every-edge"),
    "all negative runs": ("joins", "5.3.1-all-needs-one-satisfied"),
    "any cancels nothing": ("joins", "5.3.2-any-cancels-exclusive-running-siblings"),
    "any waits": ("joins", "5.3.1-any-fires-on-first"),
    "conditions ignored": ("joins", "5.3-false-condition-is-resolved-negative"),
    "dependency needs success": ("failures", "4.3-dependency-on-failed"),
    "cancel ignored": ("cancellation", "5.7-outcome-cancelled"),
    "cancelled is succeeded": ("cancellation", "5.7-outcome-cancelled"),
    "ends early": ("joins", "5.7-complete-when-nothing-can-move"),
    "failed releases control": ("failures", "5.8-failed-node-does-not-release-control"),
    "failures succeed": ("failures", "6.2-no-succeeded-without-completion"),
    "failed undo compensates": ("unwinding", "8.4.3-failed-compensation-recorded"),
    "first undone first": ("unwinding", "8.4.1-reverse-completion-order"),
    "guard ignored": ("joins", "5.5-guard-false-skips"),
    "handled is failed": ("failures", "5.7-outcome-succeeded"),
    "handler starts": ("failures", "4.4-error-edge-only-on-failed"),
    "inputs lost": ("joins", "5.5-input-from-data-edge"),
    "negatives block": ("joins", "5.3-negative-does-not-block"),
    "no propagation": ("joins", "5.3.3-unreachable-node-negates-outgoing"),
    "non-idempotent cancelled": ("joins", "6.2.1-no-cancel-of-running-non-idempotent"),
    "nothing spared": ("cancellation", "6.2.1-no-cancel-of-running-non-idempotent"),
    "null delivered": ("joins", "5.5-required-input-without-value-fails"),
    "one retry less": ("failures", "6.2-no-early-failed"),
    "one retry more": ("failures", "8.1-max-attempts-counts-first"),
    "one undo only": ("unwinding", "8.4.1-compensate-succeeded-with-edge"),
    "one root only": ("joins", "5.2-default-entry-set-all-roots"),
    "quorum cancels": ("joins", "5.3.2-no-cancellation-for-all-or-quorum"),
    "quorum one less": ("joins", "5.3.1-quorum-not-below-count"),
    "quorum one more": ("joins", "5.3.1-quorum-fires-at-count"),
    "retried early": ("failures", "6.2-no-retrying-ready-before-backoff"),
    "retried late": ("failures", "8.1.1-delay-formulas"),
    "shared branches cancelled": ("joins", "5.3.2-any-spares-branches-with-other-targets"),
    "skip blocks": ("joins", "6.3-skip-satisfies-control"),
    "spoiled is fine": ("unwinding", "8.4.3-failed-compensation-outcome"),
    "unchosen runs": ("joins", "7.1.3-exactly-one-successor"),
    "undo leaves no mark": ("unwinding", "8.4.1-compensate-succeeded-with-edge"),
    "undone before the undo": ("unwinding", "6.2-succeeded-compensated"),
    "unreached skipped": ("joins", "6.2-only-listed-transitions"),
}


@pytest.mark.parametrize(("wrong", "expected"), WRONG.items(), ids=WRONG)
def test_wrong_runtime_is_found_by_its_requirement(wrong, expected):
    name, requirement = expected
    rng = seeded(29)
    seen = set()
    for _ in range(3000):
        example = draw(rng, name)
        found = judge_run(example.model, Simulator(example, rng, wrong=wrong).run())
        seen.update(cite for finding in found for cite in finding.requirements)
        if requirement in seen:
            break

    assert requirement in seen


# --- falsified traces are rejected -----------------------------------------------------------


def legal_runs(count, name="failures"):
    rng = seeded(31)
    for _ in range(count):
        example = draw(rng, name)
        yield example.model, Simulator(example, rng).run()


def places(observed):
    return [i for i, event in enumerate(observed.events) if event.kind == "transition"]


def test_dropped_transition_is_noticed():
    for model, observed in legal_runs(60):
        events = observed.events
        for place in places(observed):
            cut = Observed((*events[:place], *events[place + 1 :]), observed.outcome, calls=True)

            assert judge_run(model, cut), events[place]


def test_doubled_transition_is_noticed():
    for model, observed in legal_runs(60):
        events = observed.events
        for place in places(observed):
            more = Observed((*events[:place], events[place], *events[place:]), observed.outcome)

            assert judge_run(model, more), events[place]


def test_falsified_final_state_is_noticed():
    for model, observed in legal_runs(60):
        events = observed.events
        races = any(node.join == "any" for node in model.nodes)  # may cancel what is RUNNING
        for place in places(observed):
            event = events[place]
            for state in OTHER_STATES:
                if state == event.entered or (races and "CANCELLED" in (state, event.entered)):
                    continue
                false = Event("transition", event.node, event.left, state)
                observed_false = Observed(
                    (*events[:place], false, *events[place + 1 :]), observed.outcome, calls=True
                )

                assert judge_run(model, observed_false), (event, state)


def test_swapped_steps_of_one_node_are_noticed():
    for model, observed in legal_runs(60):
        events = list(observed.events)
        steps = places(observed)
        for first in steps:
            later = [p for p in steps if p > first and events[p].node == events[first].node]
            if later:
                swapped = list(events)
                swapped[first], swapped[later[0]] = swapped[later[0]], swapped[first]

                assert judge_run(model, Observed(tuple(swapped), observed.outcome))


def test_missing_node_is_noticed():
    # Losing branches, merges behind decisions and unwinding leave open whether a node runs.
    runs = [
        (model, observed)
        for model, observed in legal_runs(200, "joins")
        if not model.entry and all(node.join != "any" for node in model.nodes)
        if observed.outcome == "succeeded"
    ]

    assert len(runs) > 50
    for model, observed in runs:
        for node in {event.node for event in observed.events if event.kind == "transition"}:
            events = tuple(e for e in observed.events if e.node != node)

            assert judge_run(model, Observed(events, observed.outcome)), node


def test_false_outcome_is_noticed():
    model = Model((TASK,))

    assert ["5.7-outcome-succeeded"] == cites(model, run(done(0), "failed"))
    assert ["5.7-outcome-succeeded"] == cites(model, run(done(0), "cancelled"))
    assert [] == cites(model, run(done(0), None))


# --- single sentences, and the points that stay open -----------------------------------------

JOIN = Model((TASK, TASK, TASK), (Edge(0, 2), Edge(1, 2)))
ANY = Model((TASK, TASK, Node(join="any")), (Edge(0, 2), Edge(1, 2)))
HANDLED = Model((Node(failures=1), TASK, TASK), (Edge(0, 1, "error"), Edge(0, 2), Edge(1, 2)))
ROUTED = Model(
    (TASK, Node(kind="decision", cases=(Case(2, "false"), Case(3, "true"))), TASK, TASK),
    (Edge(0, 1), Edge(1, 2), Edge(1, 3), Edge(0, 2)),
    entry=True,
)
FAIL = "0:READY 0:RUNNING call:0 fail:0 0:FAILED"
DECIDE = "1:READY 1:RUNNING 1:SUCCEEDED"


def test_unknown_node_is_reported_by_name():
    found = judge_run(Model((TASK,)), run(f"{done(0)} 7:READY"))

    assert [("n7", "transition 4")] == [(f.node, f.place) for f in found]


def test_ready_before_its_last_source_is_reported_at_its_place():
    early = run(f"{done(0)} 2:READY {done(1)} 2:RUNNING call:2 ok:2 2:SUCCEEDED")
    (found,) = judge_run(JOIN, early)

    assert ("n2", "transition 4") == (found.node, found.place)
    assert "PENDING until the edges from n1 resolve" == found.expected


def test_due_any_join_is_demanded_at_the_next_idle_point():
    late = run(
        "0:READY 0:RUNNING call:0 1:READY 1:RUNNING call:1 ok:0 0:SUCCEEDED idle "
        "ok:1 1:SUCCEEDED 2:READY 2:RUNNING call:2 ok:2 2:SUCCEEDED"
    )

    assert ["5.3.1-any-fires-on-first"] == cites(ANY, late)


def test_losing_sibling_may_end_if_its_answer_crossed():
    crossed = run(
        "0:READY 0:RUNNING call:0 1:READY 1:RUNNING call:1 ok:0 0:SUCCEEDED 2:READY "
        "ok:1 1:SUCCEEDED 2:RUNNING call:2 ok:2 2:SUCCEEDED"
    )

    assert [] == cites(ANY, crossed)


@pytest.mark.parametrize("ending", ["1:CANCELLED", "1:RUNNING call:1 ok:1 1:SUCCEEDED"])
def test_ready_sibling_may_be_cancelled_or_run(ending):
    serial = run(f"1:READY {done(0)} 2:READY {ending} 2:RUNNING call:2 ok:2 2:SUCCEEDED")

    assert [] == cites(ANY, serial)


def test_pending_node_on_a_losing_branch_is_not_cancelled():
    model = Model((TASK, TASK, TASK, Node(join="any")), (Edge(0, 3), Edge(1, 2), Edge(2, 3)))
    observed = run(
        f"1:READY 1:RUNNING call:1 {done(0)} 3:READY 1:CANCELLED 2:CANCELLED "
        "3:RUNNING call:3 ok:3 3:SUCCEEDED"
    )

    assert ["6.2-pending-cancelled"] == cites(model, observed)


def test_control_successor_of_handled_failure_stays_pending():
    model = Model(HANDLED.nodes, HANDLED.edges[:2])
    observed = run(f"{FAIL} {done(1)} {done(2)}")

    assert ["5.3.1-all-needs-one-satisfied"] == cites(model, observed)


@pytest.mark.parametrize("tail", [done(2), ""], ids=["resolves", "pending"])
def test_join_behind_a_handled_failure_is_open(tail):
    observed = run(f"{FAIL} {done(1)} {tail}")

    assert [] == cites(HANDLED, observed)


def test_handler_has_to_run_after_a_failure():
    observed = run(FAIL)

    assert "5.8-all-error-edges-traversed" in cites(HANDLED, observed)


def test_unchosen_target_with_a_satisfied_edge_stays_pending():
    good = run(f"{done(0)} {DECIDE} {done(3)}")
    bad = run(f"{done(0)} {DECIDE} {done(2)} {done(3)}")

    assert [] == cites(ROUTED, good)
    assert ["7.1.3-exactly-one-successor"] == cites(ROUTED, bad)


def test_target_waits_for_the_decision():
    early = run(f"{done(0)} {done(2)} {DECIDE} {done(3)}")

    assert ["7.1.3-exactly-one-successor"] == cites(ROUTED, early)


@pytest.mark.parametrize("tail", [done(2), ""], ids=["runs", "pending"])
def test_unchosen_otherwise_target_with_further_edges_is_open(tail):
    decision = Node(kind="decision", cases=(Case(3, "true"), Case(2, "otherwise")))
    model = Model((TASK, decision, TASK, TASK), ROUTED.edges, entry=True)
    observed = run(f"{done(0)} {DECIDE} {done(3)} {tail}")

    assert [] == cites(model, observed)


def test_starved_node_of_an_unreached_source_stays_pending():
    model = Model(
        (TASK, TASK, TASK),
        (Edge(0, 1, condition="false"), Edge(1, 2, "data", feeds="starving"), Edge(0, 2)),
    )
    fails = f"{done(0)} 2:READY 2:RUNNING 2:FAILED"

    assert [] == cites(model, run(done(0)))
    assert ["5.3.3-required-data-from-unreachable-source"] == cites(model, run(fails, "failed"))


def test_starved_node_of_a_skipped_source_fails_without_a_call():
    model = Model((Node(guard="false"), TASK), (Edge(0, 1, "data", feeds="starving"),))
    skip = "0:READY 0:SKIPPED 1:READY 1:RUNNING"

    assert [] == cites(model, run(f"{skip} 1:FAILED", "failed"))
    assert "5.5-required-input-without-value-fails" in cites(
        model, run(f"{skip} call:1 ok:1 1:SUCCEEDED")
    )


@pytest.mark.parametrize("waiting", ["", "2:CANCELLED"], ids=["stays-pending", "cancelled"])
def test_unwinding_may_cancel_what_is_waiting(waiting):
    model = Model((Node(failures=1), TASK, TASK), (Edge(1, 2),))
    observed = run(f"1:READY {FAIL} 1:CANCELLED {waiting}", "failed")

    assert [] == cites(model, observed)


def test_failure_in_unwinding_needs_its_answer():
    model = Model((Node(failures=1), Node(failures=1)))
    observed = run(f"1:READY 1:RUNNING call:1 {FAIL} 1:FAILED", "failed")

    assert ["6.2-running-failed"] == cites(model, observed)


@pytest.mark.parametrize(("full", "expected"), [(False, []), (True, ["8.4.1-no-new-forward-work"])])
def test_new_forward_work_in_unwinding_counts_at_full_only(full, expected):
    model = Model((Node(failures=1), TASK, TASK), (Edge(1, 2),))
    text = f"1:READY 1:RUNNING call:1 {FAIL} ok:1 1:SUCCEEDED {done(2)}"

    assert expected == cites(model, run(text, "failed"), full=full)


@pytest.mark.parametrize("detour", ["0:FAILED", "0:RETRYING 0:FAILED"])
def test_last_attempt_may_pass_retrying(detour):
    model = Model((Node(attempts=2, failures=2),))
    text = f"0:READY 0:RUNNING call:0 fail:0 0:RETRYING 0:READY 0:RUNNING call:0 fail:0 {detour}"

    assert [] == cites(model, run(text, "failed"))


def test_class_that_is_not_listed_is_not_retried():
    model = Model((Node(attempts=2, failures=1, excluded=True),))
    first = "0:READY 0:RUNNING call:0 fail:0"

    assert [] == cites(model, run(f"{first} 0:FAILED", "failed"))
    assert ["8.1.2-retry-on-limits-classes"] == cites(
        model, run(f"{first} 0:RETRYING {done(0)}", "failed")
    )[:1]


@pytest.mark.parametrize("outcome", ["failed", "compensated"])
def test_unhandled_failure_gives_either_outcome(outcome):
    model = Model((Node(failures=1),))

    assert [] == cites(model, run(FAIL, outcome))
    assert ["5.7-outcome-failed"] == cites(model, run(FAIL, "succeeded"))


def test_success_before_the_answer_is_noticed():
    model = Model((TASK, TASK))
    early = run(
        "0:READY 0:RUNNING call:0 1:READY 1:RUNNING call:1 0:SUCCEEDED ok:0 ok:1 1:SUCCEEDED"
    )

    assert ["6.2-no-succeeded-without-completion"] == cites(model, early)


def test_second_call_in_one_attempt_is_noticed():
    twice = run("0:READY 0:RUNNING call:0 call:0 ok:0 0:SUCCEEDED")

    assert ["6.1-running-meaning"] == cites(Model((TASK,)), twice)


def test_wrong_value_at_an_input_is_noticed():
    model = Model((TASK, TASK), (Edge(0, 1, "data"),))
    observed = run(f"{done(0)} {done(1)}")

    assert ["5.5-input-from-data-edge"] == cites(model, observed)


def test_value_over_a_false_condition_is_noticed():
    model = Model((TASK, TASK), (Edge(0, 1, "data", "false"), Edge(0, 1)))
    events = tuple(
        Event("call", "n1", inputs={"in0": "value of 0"})
        if e.kind == "call" and e.node == "n1"
        else e
        for e in run(f"{done(0)} {done(1)}").events
    )

    assert ["5.6-value-not-available-earlier"] == cites(
        model, Observed(events, "succeeded", calls=True)
    )


def test_same_run_judged_twice_gives_the_same():
    example = Example(JOIN, Schedule((0, 1, 2), ("idle", "now", "now")))
    observed = Simulator(example, seeded(1), wrong="all fires on first").run()

    assert judge_run(JOIN, observed) == judge_run(JOIN, observed)


def test_every_cited_requirement_is_in_the_ledger():
    ledger = read_ledger((ROOT / "cases" / "requirements.toml").read_bytes())
    folder = Path(suite.fuzz.__file__).parent
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py")))
    cited = set(re.findall(r'"(\d+(?:\.\d+)*-[a-z0-9-]+)"', text))
    cited |= {cite for left in OTHER_STATES for to in OTHER_STATES for cite in _unlisted(left, to)}

    assert len(cited) > 40
    assert [] == sorted(cited - set(ledger))


@pytest.mark.parametrize("feeds", ["optional", "starving"])
def test_discarded_result_may_lack_at_its_consumer(feeds):
    model = Model(
        (Node(idempotent=False), TASK, TASK, Node(join="any")),
        (Edge(0, 1, "data", feeds=feeds), Edge(1, 3), Edge(2, 3)),
    )
    text = f"0:READY 0:RUNNING call:0 {done(2)} {done(3)} ok:0 0:SUCCEEDED 1:READY 1:RUNNING"
    tail = "call:1 ok:1 1:SUCCEEDED" if feeds == "optional" else "1:FAILED"

    assert [] == cites(model, run(f"{text} {tail}"))
