"""Reachability where counting does not end it: handlers that wait only for each other.

Unreachability otherwise spreads link by link (``joins.consider``). A ring of error links keeps
its members open for ever, because each might still be started by the next. What nothing outside
of the ring can start any more, and no member that is active, is unreachable (§5.3.3, first
sentence).
"""

from __future__ import annotations

from reference_runtime.engine.graph import Ring
from reference_runtime.engine.lives import Life
from reference_runtime.engine.state import State
from reference_runtime.rules import Count

__all__ = ["give_up_dead_cycles", "give_up_dead_ring"]


def _possible(life: Life, reached: int) -> bool:
    """Whether the join could hold if ``reached`` open links were satisfied and the rest not."""
    if not life.vertex.incoming:
        return False
    return life.vertex.join.met(Count(life.satisfied + reached, 0, 0, life.quorum))


def give_up_dead_cycles(state: State) -> None:
    """Give up what is left in the main flow now that nothing is active; it is propagated."""
    lives = state.main.lives
    undecided = [life for life in lives.values() if life.undecided]
    reached = dict.fromkeys((life.vertex.index for life in undecided), 0)
    queue = [life for life in undecided if _possible(life, 0)]
    seen = {life.vertex.index for life in queue}
    for life in queue:
        for link in (*life.vertex.forward, *life.vertex.errors):
            target = lives.get(link.target)
            if target is None or not target.undecided or link.target in seen:
                continue
            reached[link.target] += link.type != "error"
            if link.type == "error" or _possible(target, reached[link.target]):
                seen.add(link.target)
                queue.append(target)
    for life in undecided:
        if life.errors_open and life.vertex.index not in seen:
            state.give_up(life, "unlinked", 1)


def give_up_dead_ring(state: State, ring: Ring) -> None:
    """Give up the members of one ring of the main flow that nothing can start any more.

    What has ended stays so: sources outside of the ring are gone through once in a run.
    """
    if not state.forward:
        return
    lives, active = state.main.lives, state.active

    def may_end(index: int) -> bool:
        source = lives.get(index)
        return source is not None and (source.undecided or source in active)

    ended = state.rings_ended.get(ring, 0)
    while ended < len(ring.sources) and not may_end(ring.sources[ended]):
        ended += 1
    state.rings_ended[ring] = ended
    if ended < len(ring.sources):
        return
    members = ring.members & lives.keys()
    few = members if len(members) < len(active) else {life.vertex.index for life in active}
    if any(index in members and lives[index] in active for index in few):
        return
    for index in sorted(members):
        life = lives[index]
        if life.undecided and life.errors_open:
            state.give_up(life, "unlinked", 1)
