"""Wait nodes (§3.2.9): RUNNING for a time, until something is true, or until an event."""

from __future__ import annotations

from reference_runtime.engine.lives import Life
from reference_runtime.engine.state import State
from reference_runtime.engine.values import LifeScope
from reference_runtime.expressions import ExpressionError, evaluate_boolean
from reference_runtime.expressions.syntax import Reference
from reference_runtime.expressions.template import names_in

__all__ = ["event_arrived", "look_again", "start_wait"]


def _finish(state: State, life: Life) -> None:
    state.stop_timers(life)
    state.waiting.pop(life, None)
    life.outputs = {}
    state.move(life, "SUCCEEDED")


def _look(state: State, life: Life, text: str) -> None:
    """Evaluate @until; end the wait when it is true or cannot be evaluated."""
    try:
        done = evaluate_boolean(
            state.graph.template(text), LifeScope(state, life), state.rules.language, "until"
        )
    except ExpressionError as error:
        state.stop_timers(life)
        state.waiting.pop(life, None)
        state.fail(life, error.code, error.message)
        return
    if done:
        _finish(state, life)


def start_wait(state: State, life: Life) -> None:
    """Begin to wait; an event that came before is remembered (A147)."""
    wait, rules = life.vertex.node.wait, state.rules.waits
    if wait is None:
        return
    state.waiting[life] = None
    if wait.duration is not None:
        lasts = rules.lasts(wait.duration, state.clock.now)
        if lasts is not None:
            state.set_timer(life, lasts, lambda: _finish(state, life))
    elif wait.until is not None:
        _start_until(state, life, wait.until)
    elif rules.name(wait.event or "") in state.events:
        _finish(state, life)
    else:
        state.awaited.setdefault(rules.name(wait.event or ""), []).append(life)


def _start_until(state: State, life: Life, text: str) -> None:
    rules = state.rules.waits
    if rules.looks_at_once:
        _look(state, life, text)
    if life in state.waiting:
        for index in rules.looks_again(_read(state, text)):
            state.awaited.setdefault(index, []).append(life)
    if life in state.waiting and rules.unmet != "RUNNING":
        state.waiting.pop(life)
        state.move(life, rules.unmet)


def _read(state: State, text: str) -> list[int]:
    """Places of the nodes whose outputs an expression reads, in the order of the text."""
    index = state.graph.index
    names = names_in(state.graph.template(text))
    read = (n.path[0] for n in names if isinstance(n, Reference))
    return list(dict.fromkeys(index[name] for name in read if name in index))


def look_again(state: State, source: Life) -> None:
    """Evaluate the conditions that read a node which has new values (A146)."""
    waiting = state.awaited.get(source.vertex.index)
    if not waiting:
        return
    for life in waiting:
        wait = life.vertex.node.wait
        if life in state.waiting and wait is not None and wait.until is not None:
            _look(state, life, wait.until)
    state.awaited[source.vertex.index] = [life for life in waiting if life in state.waiting]


def event_arrived(state: State, name: str) -> None:
    """Deliver an external event to every node that waits for it, and remember it."""
    key = state.rules.waits.name(name)
    state.events.add(key)
    for life in state.awaited.pop(key, ()):
        if life in state.waiting:
            _finish(state, life)
