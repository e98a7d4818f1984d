"""Cancellation: of one lifecycle, and of the branches that an ``any`` join leaves behind.

§5.3.2: siblings still under way that could only have reached the node are cancelled, at any
distance (A46); a branch that could also reach another node goes on, and error handlers are none
(A47); a RUNNING node with idempotent="false" finishes and its result is discarded.
"""

from __future__ import annotations

from reference_runtime.engine.effects import Abort
from reference_runtime.engine.lives import Life
from reference_runtime.engine.state import State

__all__ = ["abandon", "abort_call", "cancel", "cancel_siblings", "disturb", "spared_around"]


def abort_call(state: State, life: Life) -> None:
    """Give up the open step call of a lifecycle, if there is one."""
    if life.call is not None:
        if not (state.rules.late_answers or state.rules.data.binds_late):
            state.calls.pop(life.call, None)
        state.ask(Abort(life.call))
        life.call = None


def abandon(state: State, life: Life) -> None:
    """Give up what a lifecycle is executing inside of it."""
    if life.loop is not None:
        for inner in life.loop.stop():
            cancel(state, inner)
    if life.child is not None:
        life.child.abandon()


def _cancellable(state: State, life: Life) -> bool:
    return life.vertex.node.idempotent in state.rules.cancellable.get(life.state, frozenset())


def spared_around(state: State, life: Life) -> bool:
    """Whether a lifecycle belongs to the attempt of a loop that has to finish (§6.2.1)."""
    owner = life.flow.owner
    while owner is not None:
        if owner.state == "RUNNING" and not _cancellable(state, owner):
            return True
        owner = owner.flow.owner
    return False


def cancel(state: State, life: Life) -> bool:
    """Cancel a lifecycle where the rules allow it; tell whether they did.

    What is inside of it comes first; one list, so that the nesting of loops costs no stack.
    """
    stack, found = [life], []
    while stack:
        one = stack.pop()
        found.append(one)
        if one.loop is not None and _cancellable(state, one):
            stack += one.loop.stop()
    for one in reversed(found):
        if _cancellable(state, one):
            if one.state != "RETRYING" or "CANCELLED" not in state.rules.waking:
                state.stop_timers(one)
            state.waiting.pop(one, None)
            abort_call(state, one)
            if one.child is not None:
                one.child.abandon()
            state.move(one, "CANCELLED")
        elif one.state == "RUNNING":
            one.discarded = one.discarded or one is not life
            for to in state.rules.spared:
                abort_call(state, one)
                state.move(one, to)
    return life.state == "CANCELLED"


def _exclusive(state: State, join: Life) -> list[Life]:
    """Undecided or active lifecycles from which every way leads to ``join`` only.

    Walks back over links that are not resolved yet, so that finished parts of the graph cost
    nothing: a node qualifies once all its ways out have been found to lead here, be it over nodes
    that are finished.
    """
    lives = join.flow.lives
    found: dict[Life, None] = {}
    hits: dict[int, int] = {}
    queue = [join]
    for life in queue:
        for link in life.vertex.incoming:
            source = lives.get(link.source)
            if source is None or source in found or not _open(state, source):
                continue
            hits[link.source] = hits.get(link.source, 0) + 1
            ways = len(source.vertex.forward) if state.rules.spares_shared else 1
            if hits[link.source] == ways or (
                hits[link.source] == 1 and _leads_only_to(state, source, join)
            ):
                found[source] = None
                queue.append(source)
    return list(found)


def _open(state: State, life: Life) -> bool:
    return life.undecided or life in state.active


def _leads_only_to(state: State, life: Life, join: Life) -> bool:
    """Whether a node with ways out over nodes that are finished can reach one node only."""
    lives = life.flow.lives
    beyond = any(
        target is not None and target is not join and not _open(state, target)
        for target in (lives.get(link.target) for link in life.vertex.forward)
    )
    return beyond and state.graph.ways_out.all_pass(life.vertex.index, join.vertex.index)


def cancel_siblings(state: State, join: Life) -> None:
    """Cancel what could only have reached ``join``, which has just become READY."""
    for life in sorted(_exclusive(state, join), key=lambda found: found.place):
        if life.state == "RETRYING":
            life.doomed = True
        elif life.state in state.rules.losing and not cancel(state, life):
            life.discarded = True


def disturb(state: State) -> None:
    """Let a failure that is about to be handled change active nodes, where the rules say so."""
    if not state.rules.on_handled:
        return
    for life in list(state.active):
        to = state.rules.on_handled.get(life.state)
        if to == "CANCELLED":
            cancel(state, life)
        elif to is not None:
            state.stop_timers(life)
            abort_call(state, life)
            state.move(life, to)
