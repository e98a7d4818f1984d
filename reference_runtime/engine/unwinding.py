"""The end that is not a success: unwinding with compensation (§8.4), and external cancel."""

from __future__ import annotations

from collections import deque

from reference_runtime.engine.lives import Life
from reference_runtime.engine.siblings import cancel, spared_around
from reference_runtime.engine.state import State, Undo
from reference_runtime.engine.values import LifeScope
from reference_runtime.expressions import ExpressionError, evaluate_boolean
from reference_runtime.rules import INITIAL

__all__ = ["begin", "begin_after_handled", "cancel_instance", "compensate_next"]


def _stop_everything(state: State, states: frozenset[str]) -> None:
    """§8.4.1 step 1: cancel what may be cancelled; the rest finishes, nothing new starts.

    A loop that has to finish does so with all of its iterations: they are its attempt.
    """
    for life in sorted(state.active, key=lambda active: active.place):
        if life in state.active and life.state in states and not spared_around(state, life):
            cancel(state, life)


def begin(state: State) -> None:
    """Begin to unwind after a failure that nothing handles (§5.8)."""
    state.leave_forward("unwinding")
    _stop_everything(state, state.rules.ending.unwinding_cancels)


def begin_after_handled(state: State) -> None:
    """Begin to unwind at the end of a run in which a failure was handled."""
    failed = any(life.state == "FAILED" for life in state.main.lives.values())
    if failed and any(life.vertex.compensations for life in state.completed):
        state.leave_forward("unwinding")


def cancel_instance(state: State) -> None:
    """End the instance from outside; what could still be reached is CANCELLED too (A08)."""
    if state.phase != "forward":
        return
    state.leave_forward("cancelled")
    _stop_everything(state, frozenset(state.rules.cancellable))
    for life in state.main.lives.values():
        if life.undecided:
            cancel(state, life)


def _targets(state: State, source: Life) -> deque[Life]:
    """Compensating nodes of a source whose edges apply (A106)."""
    targets: deque[Life] = deque()
    for link in source.vertex.compensations:
        life = state.main.lives.get(link.target)
        if life is None:
            continue
        if link.condition is not None:
            place = f"condition of the edge to {life.vertex.node.id!r}"
            try:
                if not evaluate_boolean(
                    link.condition, LifeScope(state, source), state.rules.language, place
                ):
                    continue
            except ExpressionError as error:
                state.report(error.code, source, error.message)
                continue
        targets.append(life)
    return targets


def _plan(state: State) -> Undo:
    """§8.4.1 step 2: succeeded nodes with a compensation edge, latest completion first."""
    rules = state.rules.ending
    places = sorted(range(len(state.completed)), key=rules.order)
    sources = [state.completed[place] for place in places]
    if rules.needs_edge:
        sources = [life for life in sources if life.vertex.compensations]
    return Undo(sources=deque(s for number, s in enumerate(sources) if rules.compensated(number)))


def _close(state: State, undo: Undo) -> None:
    """Settle the source under way: COMPENSATED, or left SUCCEEDED with a report (§8.4.3)."""
    source, undo.source = undo.source, None
    if source is None:
        return
    rules = state.rules.ending
    if undo.spoiled and not rules.goes_on:
        undo.sources.clear()
    if undo.spoiled and rules.records:
        undo.failed += 1
        state.report(state.rules.codes["compensation"], source, "its compensating node failed")
    else:
        undo.done += 1
        state.move(source if rules.marks_source else undo.last or source, "COMPENSATED")


def compensate_next(state: State) -> None:
    """Go on with compensation, now that nothing is active: one undo after the other (A98)."""
    if state.undo is None:
        state.undo = _plan(state)
    undo = state.undo
    while True:
        if undo.running is not None:
            undo.spoiled |= undo.running.state not in state.rules.succeeded
            undo.last, undo.running = undo.running, None
        if undo.targets:
            undo.running = undo.targets.popleft()
            if undo.running.state == INITIAL:
                state.move(undo.running, "READY")
                return
            continue
        _close(state, undo)
        if not undo.sources:
            return
        source = undo.sources.popleft()
        undo.targets, undo.spoiled = _targets(state, source), False
        undo.source = source if undo.targets or not state.rules.ending.needs_edge else None
