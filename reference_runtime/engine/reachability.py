"""Reachability where counting does not end it: handlers that wait only for each other.

Unreachability otherwise spreads link by link (``joins.consider``). A ring of error links keeps
its members open for ever, because each might still be started by the next. When nothing is
active any more, whatever no satisfied link can lead to is unreachable (§5.3.3, first sentence).
"""

from __future__ import annotations

from reference_runtime.engine.lives import Life
from reference_runtime.engine.state import State
from reference_runtime.rules import Count

__all__ = ["give_up_dead_cycles"]


def _possible(state: State, life: Life, reached: int) -> bool:
    """Whether the join could hold if ``reached`` open links were satisfied and the rest not."""
    if not life.vertex.incoming:
        return False
    tally = Count(life.satisfied + reached, 0, 0, life.quorum)
    return state.rules.met[life.vertex.join_policy](tally)


def give_up_dead_cycles(state: State) -> None:
    """Give up the members of such rings in the main flow; what follows is propagated."""
    lives = state.main.lives
    undecided = [life for life in lives.values() if life.undecided]
    reached = dict.fromkeys((life.vertex.index for life in undecided), 0)
    queue = [life for life in undecided if _possible(state, life, 0)]
    seen = {life.vertex.index for life in queue}
    for life in queue:
        for link in (*life.vertex.forward, *life.vertex.errors):
            target = lives.get(link.target)
            if target is None or not target.undecided or link.target in seen:
                continue
            reached[link.target] += link.type != "error"
            if link.type == "error" or _possible(state, target, reached[link.target]):
                seen.add(link.target)
                queue.append(target)
    for life in undecided:
        if life.errors_open and life.vertex.index not in seen:
            state.give_up(life, "unlinked", 1)
