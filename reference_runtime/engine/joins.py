"""Joins: links are resolved, and a PENDING node becomes READY or unreachable (§5.3)."""

from __future__ import annotations

from reference_runtime.engine.graph import Link
from reference_runtime.engine.lives import Flow, Life
from reference_runtime.engine.state import State
from reference_runtime.rules import Tally

__all__ = ["close_error_link", "consider", "open_error_link", "reopen", "resolve"]


def _tally(life: Life) -> Tally:
    vertex = life.vertex
    fields = (
        life.satisfied,
        life.negative,
        life.open,
        vertex.quorum,
        len(vertex.errors_in),
        life.errors_open,
    )
    return tuple.__new__(Tally, fields)


def consider(state: State, life: Life, length: int = 0) -> None:
    """Decide what the links resolved so far mean for a node that is still PENDING.

    ``length`` is that of the chain of unreachable nodes that led here, 0 for none.
    """
    if not life.undecided or not state.forward:
        return
    vertex = life.vertex
    if state.rules.gated and vertex.routes and not life.routed:
        passed = state.rules.flow.unchosen(life.routes_open, vertex.routes)
        if passed and not life.errors_open:
            state.give_up(life, "unchosen", length + 1)
        return
    if not vertex.incoming:
        if not life.errors_open:
            state.give_up(life, "unlinked", length + 1)
        return
    policy = vertex.join_policy
    tally = _tally(life)
    if state.rules.met[policy](tally):
        state.move(life, "READY")
    elif state.rules.lost[policy](tally) and not life.errors_open:
        state.give_up(life, "lost", length + 1)


def resolve(state: State, flow: Flow, link: Link, *, satisfied: bool, length: int = 0) -> None:
    """Resolve one forward link, satisfied or negative for good.

    ``length`` is that of the chain of unreachable nodes that made it negative, 0 for none.
    """
    life = flow.lives.get(link.target)
    if life is None:
        return
    life.open -= 1
    if satisfied:
        life.satisfied += 1
    else:
        life.negative += 1
    if link.routed:
        life.routes_open -= 1
        life.routed = life.routed or satisfied
    if length and link.starves and life.undecided:
        if state.forward:
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
    life.cut = 0
    resolve(state, flow, link, satisfied=True)


def open_error_link(state: State, flow: Flow, link: Link) -> None:
    """Traverse an error link: its target becomes READY unless it is decided (§5.8, A81)."""
    life = flow.lives.get(link.target)
    if life is None:
        return
    life.errors_open -= 1
    if life.cut or life.state not in state.rules.restartable or not state.forward:
        return
    if state.rules.flow.handler_starts(_tally(life)):
        state.move(life, "READY")


def close_error_link(state: State, flow: Flow, link: Link, length: int = 0) -> None:
    """Note that an error link will never be traversed."""
    life = flow.lives.get(link.target)
    if life is None:
        return
    life.errors_open -= 1
    consider(state, life, length)
