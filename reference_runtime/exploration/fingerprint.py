"""Fingerprints: two runs with the same one behave the same from here on, and did so far."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from reference_runtime.engine.effects import Path
from reference_runtime.engine.lives import Flow, Life
from reference_runtime.engine.loops import LoopRun
from reference_runtime.engine.state import State
from reference_runtime.exploration.history import History
from reference_runtime.script import Act, Script

__all__ = ["act_name", "fingerprint", "life_name", "running_flows"]


def life_name(life: Life) -> tuple[str, Path]:
    """Tell lifecycles of one run apart in a way that is the same in every run."""
    return life.vertex.node.id, life.flow.path


def act_name(act: Act) -> tuple[Hashable, ...]:
    """Tell acts of one run apart in a way that is the same in every run."""
    about = act.about
    if about is None or isinstance(about, str):
        return (act.order, about)
    return (about.node, about.iteration, about.attempt)


def running_flows(state: State) -> Iterator[Flow]:
    """Yield the main flow and every iteration under way."""
    yield state.main
    for life in state.active:
        if isinstance(life.loop, LoopRun):
            yield from life.loop.running


def _life(life: Life) -> tuple[Hashable, ...]:
    """What the history of a lifecycle does not tell about it."""
    return (
        life.satisfied, life.negative, life.open, life.errors_open, life.routes_open,
        life.routed, life.cut, life.reason, life.doomed, life.discarded, life.chosen,
        life.outputs is None, life.call is None,
    )  # fmt: skip


def _flow(flow: Flow) -> tuple[Hashable, ...]:
    lives = tuple(_life(life) for life in flow.lives.values())
    return (flow.path, flow.active, flow.failed, flow.ended, frozenset(flow.blocked), lives)


def _loop(life: Life, loop: LoopRun) -> tuple[Hashable, ...]:
    """``latest`` matters only to loops that test a condition, whose iterations are in order."""
    return (
        life_name(life), repr(loop.items), loop.started, loop.good, loop.bad,
        frozenset(flow.path for flow in loop.running), loop.stopped, loop.fault,
    )  # fmt: skip


def _timers(state: State) -> tuple[Hashable, ...]:
    """When timers are due; those of one moment fire in the order in which they were set."""
    live = [
        (timer.due, timer.number, life_name(life), place)
        for life in state.active
        for place, timer in enumerate(life.timers)
        if timer.live
    ]
    return tuple((due, name, place) for due, _, name, place in sorted(live))


def _undo(state: State) -> Hashable:
    undo = state.undo
    if undo is None:
        return None
    return (
        tuple(map(life_name, undo.sources)),
        undo.source and life_name(undo.source),
        tuple(map(life_name, undo.targets)),
        undo.running and life_name(undo.running),
        undo.spoiled, undo.done, undo.failed,
    )  # fmt: skip


def _world(script: Script) -> tuple[Hashable, ...]:
    """Acts to come; those that wait for idleness are released in order."""
    waiting = list(script.world.waiting())
    idle = tuple(act_name(a) for a in waiting if a.hold is not None and a.hold.address is None)
    return idle, frozenset((act_name(act), act.due, act.hold) for act in waiting)


def fingerprint(script: Script, history: History, moves: Iterable[Hashable]) -> Hashable:
    """Make the fingerprint of a run at a choice among the moves of these names.

    Beside the history it has everything that changes and that the engine reads under ``RULES``.
    Left out are numbers that only count: of calls, timers, and moves.
    """
    state = script.run.state
    jitter = any(vertex.node.retry and vertex.node.retry.jitter for vertex in state.graph.vertices)
    loops = ((life, life.loop) for life in state.active if isinstance(life.loop, LoopRun))
    return (
        history.frozen(),
        frozenset(moves),
        frozenset(map(_flow, running_flows(state))),
        frozenset(_loop(*pair) for pair in loops),
        frozenset(state.iterations.items()),
        frozenset(state.bodies.items()),
        state.phase,
        state.clock.now,
        frozenset(state.events),
        tuple(life_name(life) for life in state.waiting),
        tuple(life_name(life) for life in state.completed if life.vertex.compensations),
        _timers(state),
        _undo(state),
        _world(script),
        state.random.getstate() if jitter else None,
    )
