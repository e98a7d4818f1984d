"""Joins: links are resolved, and a PENDING node becomes READY or unreachable (§5.3)."""

from __future__ import annotations

from reference_runtime.engine.graph import Link
from reference_runtime.engine.lives import Flow, Life
from reference_runtime.engine.state import State
from reference_runtime.rules import INITIAL

__all__ = ["close_error_link", "consider", "negate", "open_error_link", "reopen", "satisfy"]


def consider(state: State, life: Life, length: int = 0) -> None:
    """Decide what the links resolved so far mean for a node that is still PENDING.

    ``length`` is that of the chain of unreachable nodes that led here, 0 for none.
    """
    if life.state != INITIAL or life.cut or not (state.forward or state.goes_on(life.flow)):
        return
    vertex = life.vertex
    if vertex.routes and not life.routed and state.rules.gated:
        passed = state.rules.flow.unchosen(life.routes_open, vertex.routes)
        if passed and not life.errors_open:
            state.give_up(life, "unchosen", length + 1)
    elif not vertex.incoming:
        if not life.errors_open:
            state.give_up(life, "unlinked", length + 1)
    elif vertex.join.met(life):
        state.move(life, "READY")
    elif not life.errors_open and vertex.join.lost(life):
        state.give_up(life, "lost", length + 1)
    if life.errors_open and life.state == INITIAL and vertex.index in state.graph.rings:
        state.rings[state.graph.rings[vertex.index]] = None


def satisfy(state: State, flow: Flow, link: Link, length: int = 0) -> None:
    """Resolve a forward link: it is satisfied for good."""
    life = flow.lives.get(link.target)
    if life is None:
        return
    life.open -= 1
    life.satisfied += 1
    if link.routed:
        life.routes_open -= 1
        life.routed = True
    consider(state, life, length)


def negate(state: State, flow: Flow, link: Link, length: int = 0) -> None:
    """Resolve a forward link: it is negative for good.

    ``length`` is that of the chain of unreachable nodes that made it so, 0 for none.
    """
    life = flow.lives.get(link.target)
    if life is None:
        return
    life.open -= 1
    life.negative += 1
    if link.routed:
        life.routes_open -= 1
    if length and link.starves and life.undecided:
        if state.forward or state.goes_on(flow):
            state.give_up(life, "starved", length + 1)
        return
    consider(state, life, length)


def reopen(state: State, flow: Flow, link: Link) -> None:
    """Let a negative link be satisfied after all."""
    life = flow.lives.get(link.target)
    if life is None:
        return
    life.negative -= 1
    life.open += 1
    life.routes_open += link.routed
    life.cut = 0
    satisfy(state, flow, link)


def open_error_link(state: State, flow: Flow, link: Link) -> None:
    """Traverse an error link: its target becomes READY unless it is decided (§5.8, A81)."""
    life = flow.lives.get(link.target)
    if life is None:
        return
    life.errors_open -= 1
    if life.cut or life.state not in state.rules.restartable:
        return
    if not (state.forward or state.goes_on(flow)):
        return
    if state.rules.flow.handler_starts(life):
        state.move(life, "READY")


def close_error_link(state: State, flow: Flow, link: Link, length: int = 0) -> None:
    """Note that an error link will never be traversed."""
    life = flow.lives.get(link.target)
    if life is None:
        return
    life.errors_open -= 1
    consider(state, life, length)
