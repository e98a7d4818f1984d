"""Reachability where counting does not end it: handlers that wait only for each other.

Unreachability otherwise spreads link by link (``joins.consider``). A ring of error links keeps
its members open for ever, because each might still be started by the next. What nothing outside
of the ring can start any more, and no member that is active, is unreachable (§5.3.3, first
sentence).
"""

from __future__ import annotations

from collections.abc import Sequence

from reference_runtime.engine.graph import Link
from reference_runtime.engine.lives import Life
from reference_runtime.engine.state import State
from reference_runtime.rules import Count

__all__ = ["give_up_dead_cycles", "give_up_dead_ring"]


def _possible(state: State, life: Life, reached: int) -> bool:
    """Whether the join could hold if ``reached`` open links were satisfied and the rest not."""
    if not life.vertex.incoming:
        return False
    tally = Count(life.satisfied + reached, 0, 0, life.quorum)
    return state.rules.met[life.vertex.join_policy](tally)


def give_up_dead_cycles(state: State) -> None:
    """Give up what is left in the main flow now that nothing is active; it is propagated."""
    undecided = [life for life in state.main.lives.values() if life.undecided]
    reached = dict.fromkeys((life.vertex.index for life in undecided), 0)
    starts = [life for life in undecided if _possible(state, life, 0)]
    _give_up_unreached(state, undecided, starts, reached)


def give_up_dead_ring(state: State, ring: Sequence[int]) -> None:
    """Give up the members of one ring of the main flow that nothing can start any more."""
    if not state.forward:
        return
    lives, active = state.main.lives, state.active
    members = [lives[index] for index in ring if index in lives]
    undecided = [life for life in members if life.undecided]
    reached = dict.fromkeys((life.vertex.index for life in undecided), 0)
    starts = [life for life in members if life in active]
    inside = frozenset(ring)

    def open_outside(link: Link) -> bool:
        source = lives.get(link.source)
        return (
            link.source not in inside
            and source is not None
            and (source.undecided or source in active)
        )

    for life in undecided:
        reached[life.vertex.index] = sum(map(open_outside, life.vertex.incoming))
        if any(map(open_outside, life.vertex.errors_in)) or _possible(
            state, life, reached[life.vertex.index]
        ):
            starts.append(life)
    _give_up_unreached(state, undecided, starts, reached)


def _give_up_unreached(
    state: State, undecided: Sequence[Life], starts: Sequence[Life], reached: dict[int, int]
) -> None:
    """Give up what waits for an error link and cannot be reached from where something starts."""
    lives = state.main.lives
    queue = list(starts)
    seen = {life.vertex.index for life in queue}
    for life in queue:
        for link in (*life.vertex.forward, *life.vertex.errors):
            target = lives.get(link.target)
            if target is None or link.target not in reached or link.target in seen:
                continue
            reached[link.target] += link.type != "error"
            if link.type == "error" or _possible(state, target, reached[link.target]):
                seen.add(link.target)
                queue.append(target)
    for life in undecided:
        if life.errors_open and life.vertex.index not in seen:
            state.give_up(life, "unlinked", 1)
