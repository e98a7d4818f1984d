"""What is due when nothing moves, and at the end of a run (§5.3, §5.7)."""

from suite.fuzz.finding import Finding
from suite.fuzz.iterations import finish_loops
from suite.fuzz.reach import TERMINAL
from suite.fuzz.seen import Seen
from suite.fuzz.undo import must_be_compensated, outcomes

__all__ = ["judge_end", "judge_obligations"]

_UNWOUND = frozenset({"failed", "compensated"})


def judge_obligations(main: Seen, expected: str, *, at_end: bool) -> None:
    """§5.3: nodes that have to be READY by now."""
    if main.stopping or main.discarded_failure or "PENDING" not in main.states:
        return
    losing: set[int] | None = None
    for index, cites in main.joins.due(main.states, at_end=at_end):
        losing = main.losing() if losing is None else losing
        if index not in losing:  # A57
            main.report(cites, index, expected, "PENDING")


def judge_end(main: Seen, outcome: str | None) -> None:
    """§5.7: completion and outcome."""
    judge_obligations(main, "READY before the end, as its join is satisfied", at_end=True)
    must_be_compensated(main)
    cites: tuple[str, ...] = ("5.7-complete-when-nothing-can-move",)
    for scope in (main, *finish_loops(main)):
        for index, state in enumerate(scope.states):
            if state not in TERMINAL and state != "PENDING":
                scope.report(cites, index, "a terminal state, or PENDING, at the end", state)
    allowed, cites = _outcomes(main)
    if outcome is not None and outcome not in allowed:
        expected = f"outcome {' or '.join(sorted(allowed))}"
        main.run.findings.append(Finding(cites, "", "end", expected, outcome))


def _outcomes(main: Seen) -> tuple[frozenset[str], tuple[str, ...]]:
    allowed, cites = _uncancelled(main)
    run = main.run
    if not run.cancel:
        return allowed, cites
    if run.cancel != "handled" and not run.pending:  # it may have come too late
        return allowed | {"cancelled"}, cites
    if main.unwinding or main.perhaps_unwinding:  # A10, and a cancel while the run unwinds
        return _UNWOUND | allowed | {"cancelled"}, ("5.7-outcome-cancelled",)
    return frozenset({"cancelled"}), ("5.7-outcome-cancelled",)


def _uncancelled(main: Seen) -> tuple[frozenset[str], tuple[str, ...]]:
    """Outcomes without a cancel from outside."""
    if main.perhaps_unwinding:
        return _UNWOUND | {"succeeded"}, ("5.7-outcome-succeeded",)
    if main.unwinding:
        return outcomes(main)
    cites: tuple[str, ...] = ("5.7-outcome-succeeded",)
    if "FAILED" in main.states:
        cites = (*cites, "5.8-handled-failure-continues")
    elif "FAILED" in _inner_states(main):
        cites = (*cites, "6.5-iteration-failure-contained")
    return frozenset({"succeeded"}), cites


def _inner_states(main: Seen) -> set[str]:
    return {
        state
        for iterations in main.iterations.values()
        for scope in iterations.begun.values()
        for state in scope.states
    }
