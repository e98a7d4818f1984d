"""Wait nodes (§3.2.9): RUNNING for a time, until something is true, or until an event."""

from __future__ import annotations

from reference_runtime.engine.lives import Life
from reference_runtime.engine.state import State
from reference_runtime.engine.values import LifeScope
from reference_runtime.expressions import ExpressionError, evaluate_boolean

__all__ = ["event_arrived", "look_again", "start_wait"]


def _finish(state: State, life: Life) -> None:
    state.stop_timers(life)
    state.waiting.pop(life, None)
    life.outputs = {}
    state.move(life, "SUCCEEDED")


def _look(state: State, life: Life, text: str) -> None:
    """Evaluate @until; end the wait when it is true or cannot be evaluated."""
    try:
        done = evaluate_boolean(state.graph.template(text), LifeScope(state, life))
    except ExpressionError as error:
        state.stop_timers(life)
        state.waiting.pop(life, None)
        state.fail(life, error.code, error.message)
        return
    if done:
        _finish(state, life)


def start_wait(state: State, life: Life) -> None:
    """Begin to wait; an event that came before is remembered (A147)."""
    wait = life.vertex.node.wait
    if wait is None:
        return
    state.waiting[life] = None
    if wait.duration is not None:
        life.timers.append(state.clock.after(wait.duration, lambda: _finish(state, life)))
    elif wait.until is not None:
        _look(state, life, wait.until)
    elif wait.event in state.events:
        _finish(state, life)


def look_again(state: State) -> None:
    """Evaluate the conditions of waiting nodes after new values have appeared (A146)."""
    for life in list(state.waiting):
        wait = life.vertex.node.wait
        if wait is not None and wait.until is not None:
            _look(state, life, wait.until)


def event_arrived(state: State, name: str) -> None:
    """Deliver an external event to every node that waits for it, and remember it."""
    state.events.add(name)
    for life in list(state.waiting):
        wait = life.vertex.node.wait
        if wait is not None and wait.event == name:
            _finish(state, life)
