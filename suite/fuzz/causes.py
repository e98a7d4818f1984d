"""Why a node may take a step (§6.2), pair by pair, with the sentence that says so."""

from collections.abc import Callable

from suite.fuzz.iterations import iteration_runs, iteration_starts, loop_ends
from suite.fuzz.seen import Seen
from suite.fuzz.undo import compensated, undo_cancelled, undo_ready, undo_runs

__all__ = ["judge_step"]

#: Seconds: times are sums of floats.
_CLOSE = 1e-6

#: Unlisted pairs that the ledger names one by one.
_NAMED = {
    "PENDING": ("RUNNING", "SKIPPED", "FAILED", "SUCCEEDED"),
    "READY": ("SUCCEEDED", "FAILED", "RETRYING", "PENDING", "COMPENSATED"),
    "RUNNING": ("SKIPPED", "READY", "PENDING", "COMPENSATED"),
    "RETRYING": ("RUNNING", "SUCCEEDED", "SKIPPED"),
}


def _unlisted(left: str, entered: str) -> tuple[str, ...]:
    """The sentences against a pair that §6.2 does not list."""
    if entered in _NAMED.get(left, ()):
        return ("6.2-only-listed-transitions", f"6.2-no-{left.lower()}-{entered.lower()}")
    return ("6.2-only-listed-transitions",)


def _pending_ready(seen: Seen, index: int) -> None:
    if seen.graph.undoes[index] is not None:
        undo_ready(seen, index)
        return
    if index == 0:
        iteration_starts(seen)
    suppressed = seen.losing() if seen.fired else ()
    wrong = seen.joins.unjustified(index, seen.states, suppressed)
    if wrong is not None:
        cites, expected = wrong
        seen.report(cites, index, expected, "PENDING to READY")
    elif seen.unwinding and seen.run.full and not _follows_failure(seen, index):
        cites = ("8.4.1-no-new-forward-work",)
        seen.report(cites, index, "no new forward work in unwinding", "PENDING to READY")
    elif seen.run.cancel == "handled" and _by_discarded(seen, index):
        cites = ("6.2.1-attempt-finishes-result-discarded",)
        seen.report(cites, index, "PENDING, as the result is discarded", "PENDING to READY")


def _follows_failure(seen: Seen, index: int) -> bool:
    """A94: whether the node depends on one that failed."""
    edges = seen.graph.into[index] + seen.graph.errors_into[index]
    return any(seen.states[e.source] == "FAILED" for e in edges)


def _by_discarded(seen: Seen, index: int) -> bool:
    """Whether nothing but results that the cancelled instance discards makes a node READY."""
    if seen.graph.errors_into[index]:  # A10
        return False
    good = [e for e in seen.graph.into[index] if seen.graph.satisfied(e, seen.states, lenient=True)]
    return bool(good) and all(e.type != "dependency" and e.source in seen.late for e in good)


def _pending_cancelled(seen: Seen, index: int) -> None:
    if not seen.stopping:  # A08, A49, A91
        cites = ("6.2-pending-cancelled",)
        seen.report(cites, index, "PENDING, as nothing cancels the instance", "CANCELLED")


def _ready_running(seen: Seen, index: int) -> None:
    if seen.model.nodes[index].guard == "false":
        cites = ("5.5-guard-false-skips", "5.5-guard-evaluated-first")
        seen.report(cites, index, "SKIPPED, as its guard is false", "READY to RUNNING")
    seen.attempts[index] += 1
    undo_runs(seen, index)
    if index == 0:
        iteration_runs(seen)
    losing = seen.losing()  # §5.3.2: a discarded result may lack at its consumers
    seen.bound[index] = frozenset(
        e.source
        for e in seen.graph.into[index]
        if seen.states[e.source] == "SUCCEEDED" and seen.graph.holds(e) and e.source not in losing
    )


def _ready_skipped(seen: Seen, index: int) -> None:
    if seen.model.nodes[index].guard != "false":
        cites = ("6.2-no-skip-without-false-guard", "5.3.1-skipped-means-reached")
        seen.report(cites, index, "RUNNING, as no guard is false", "READY to SKIPPED")


def _answer_fails(seen: Seen, index: int) -> bool:
    """Whether the attempt under way has to fail."""
    node = seen.model.nodes[index]
    if seen.starved(index):
        return True
    if node.kind == "decision":
        return seen.graph.choice[index] is None
    return seen.attempts[index] <= node.failures


def _running_succeeded(seen: Seen, index: int) -> None:
    node = seen.model.nodes[index]
    if node.loop is not None:
        loop_ends(seen, index, "SUCCEEDED")
    elif _answer_fails(seen, index):
        cites: tuple[str, ...] = ("6.2-no-succeeded-without-completion",)
        if seen.starved(index):
            cites = ("5.5-required-input-without-value-fails", "5.6-never-null-for-required")
        elif node.kind == "decision":
            cites = ("7.1.3-no-match-no-otherwise-fails",)
        seen.report(cites, index, "a failed attempt", "RUNNING to SUCCEEDED")
    elif seen.run.calls and node.kind == "task" and seen.answers[index] != "ok":
        cites = ("6.2-no-succeeded-without-completion",)
        seen.report(cites, index, "RUNNING until its step answers ok", "SUCCEEDED")


def _unanswered(seen: Seen, index: int) -> bool:
    """Whether a step was called and has not failed, so that its attempt goes on."""
    task = seen.model.nodes[index].kind == "task"
    return seen.run.calls and task and not seen.starved(index) and seen.answers[index] != "fail"


def _perhaps_starved(seen: Seen, index: int) -> bool:
    """Whether a required value is the result of a losing branch, which may be discarded."""
    losing = seen.losing()
    return any(e.feeds == "starving" and e.source in losing for e in seen.graph.into[index])


def _running_failed(seen: Seen, index: int) -> None:
    node = seen.model.nodes[index]
    cites: tuple[str, ...]
    if node.loop is not None:
        loop_ends(seen, index, "FAILED")
    elif _perhaps_starved(seen, index):
        return
    elif not _answer_fails(seen, index):
        cites = ("6.2-running-failed", "6-runtimes-agree-on-states")
        seen.report(cites, index, "SUCCEEDED, as the attempt succeeds", "RUNNING to FAILED")
    elif seen.attempts[index] < node.attempts_due and not _spared(seen, index):
        cites = ("6.2-no-early-failed", "8.1-max-attempts-counts-first")
        if seen.graph.undoes[index] is not None:
            cites = ("8.4.3-compensating-node-retried", *cites)
        seen.report(cites, index, "RETRYING, as attempts are left", "RUNNING to FAILED")
    elif _unanswered(seen, index):
        cites = ("6.2-running-failed", "6-runtimes-agree-on-states")
        seen.report(cites, index, "RUNNING until its step answers", "RUNNING to FAILED")


def _spared(seen: Seen, index: int) -> bool:
    """Whether the retries of a node may be cut short (A92); those of an undo may not (§8.4.3)."""
    return bool(seen.run.cancel) if seen.graph.undoes[index] is not None else seen.stopping


def _backoff(seen: Seen, index: int) -> None:
    """§8.1.1: the delay before the coming attempt, where the suite's clock measures it."""
    node, run = seen.model.nodes[index], seen.run
    if not run.observed.timed or _spared(seen, index) or index in seen.losing():
        return
    delay = node.delay_before(seen.attempts[index] + 1) / 1000
    passed = run.now - seen.since[index]
    cites: tuple[str, ...] = ("8.1.1-delay-formulas",)
    if node.cap and delay == node.cap / 1000:
        cites = ("8.1.1-clamp-to-max-delay", *cites)
    words = f"READY {delay:g} s after the failure"
    if passed < delay - _CLOSE:
        cites = ("6.2-no-retrying-ready-before-backoff", *cites)
        seen.report(cites, index, words, f"READY after {passed:g} s")
    elif passed > delay + _CLOSE and not run.busy:
        seen.report(cites, index, words, f"READY after {passed:g} s")


def _running_retrying(seen: Seen, index: int) -> None:
    if not _answer_fails(seen, index):
        cites = ("6.2-running-retrying", "8.1-success-stops-retrying")
        seen.report(cites, index, "SUCCEEDED, as the attempt succeeds", "RETRYING")
    elif _unanswered(seen, index):
        cites = ("6.2-running-retrying", "6-runtimes-agree-on-states")
        seen.report(cites, index, "RUNNING until its step answers", "RUNNING to RETRYING")


def _retrying_ready(seen: Seen, index: int) -> None:
    node = seen.model.nodes[index]
    due = node.attempts_due
    _backoff(seen, index)
    if seen.attempts[index] >= due and not _spared(seen, index):  # A15, A16: RETRYING is open
        cites = ("8.1-max-attempts-counts-first", "6.2-no-retrying-without-retries-left")
        if node.excluded:
            cites = ("8.1.2-retry-on-limits-classes", "6.2-retrying-failed")
        seen.report(cites, index, f"no attempt after number {due}", "RETRYING to READY")


def _retrying_failed(seen: Seen, index: int) -> None:
    if seen.attempts[index] < seen.model.nodes[index].attempts_due and not _spared(seen, index):
        cites = ("6.2-no-retrying-failed-while-retry-due",)
        seen.report(cites, index, "READY, as attempts are left", "RETRYING to FAILED")


def _running_cancelled(seen: Seen, index: int) -> None:
    if not seen.model.nodes[index].idempotent:
        cites = (
            "6.2.1-no-cancel-of-running-non-idempotent",
            "5.3.2-non-idempotent-sibling-finishes",
        )
        seen.report(cites, index, "its own end, as it is not idempotent", "CANCELLED")
    _cancelled(seen, index, "6.2-no-running-cancelled-without-cause")


def _ready_cancelled(seen: Seen, index: int) -> None:
    _cancelled(seen, index, "6.2-no-ready-cancelled-in-plain-run")


def _retrying_cancelled(seen: Seen, index: int) -> None:  # A50: leniently as a running sibling
    _cancelled(seen, index, "6.2-no-retrying-cancelled-without-instance-cancel")


def _cancelled(seen: Seen, index: int, cite: str) -> None:
    """§5.3.2: cancelled only with the instance or on an exclusive branch of an any join."""
    if seen.graph.undoes[index] is not None:
        undo_cancelled(seen, index)
        return
    if seen.stopping or index in seen.losing():
        return
    if "FAILED" in seen.states:
        special = "5.8-handled-failure-continues"
        expected = "no cancellation, as the failure is handled"
    elif seen.fired:
        special = "5.3.2-any-spares-branches-with-other-targets"
        expected = "no cancellation, as it can reach more than an any join"
    else:
        special = "5.3.2-no-cancellation-for-all-or-quorum"
        expected = "no cancellation, as no any join became READY"
    seen.report((special, cite), index, expected, "CANCELLED")


#: §6.2: every listed pair, with what its cause demands.
_JUDGES: dict[tuple[str, str], Callable[[Seen, int], None]] = {
    ("PENDING", "READY"): _pending_ready,
    ("PENDING", "CANCELLED"): _pending_cancelled,
    ("READY", "RUNNING"): _ready_running,
    ("READY", "SKIPPED"): _ready_skipped,
    ("READY", "CANCELLED"): _ready_cancelled,
    ("RUNNING", "SUCCEEDED"): _running_succeeded,
    ("RUNNING", "FAILED"): _running_failed,
    ("RUNNING", "RETRYING"): _running_retrying,
    ("RUNNING", "CANCELLED"): _running_cancelled,
    ("RETRYING", "READY"): _retrying_ready,
    ("RETRYING", "FAILED"): _retrying_failed,
    ("RETRYING", "CANCELLED"): _retrying_cancelled,
    ("SUCCEEDED", "COMPENSATED"): compensated,
}


def judge_step(seen: Seen, index: int, left: str, entered: str) -> None:
    """§6: one state at a time, listed pairs only, each for its cause."""
    state = seen.states[index]
    words = f"{left} to {entered}"
    if left != state:
        seen.report(("6-one-state-at-a-time",), index, f"a step out of {state}", words)
    judge = _JUDGES.get((left, entered))
    if judge is None:
        seen.report(_unlisted(left, entered), index, "a listed pair of states", words)
    else:
        judge(seen, index)
