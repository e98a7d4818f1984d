"""A run that is over, or stuck, as explanations look at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reference_runtime.engine.effects import Path, Report, Transition
from reference_runtime.engine.graph import Link
from reference_runtime.engine.lives import Life
from reference_runtime.engine.state import State
from reference_runtime.explaining.addresses import Addresses
from reference_runtime.explaining.edges import Resolved, resolution
from reference_runtime.explaining.needs import Needs

__all__ = ["Story", "counted"]


def counted(states: Mapping[str, int]) -> str:
    """Write how many iterations are in each state."""
    return ", ".join(f"{number} {state}" for state, number in states.items())


class Story:
    """A run that is over, or stuck, as explanations look at it.

    Attributes:
        needs: what its nodes waited for.
        of: transitions by node of the main flow, in order.
        named: addresses of iterations.
        inside: number of iterations in each state, by node and innermost loop.
        broken: the first failure in an iteration, by node and innermost loop.
        culprit: the transition for which the instance unwound, None if it did not.
    """

    def __init__(
        self, state: State, transitions: Sequence[Transition], reports: Sequence[Report]
    ) -> None:
        self.state = state
        self.needs = Needs(state.graph)
        self.reports = reports
        self._entered = [seen.to for seen in transitions]
        self.of: dict[str, list[Transition]] = {}
        self.place: dict[Transition, int] = {}
        self.named = Addresses(state.graph.harness)
        self.inside: dict[str, dict[str, dict[str, int]]] = {}
        self.broken: dict[str, dict[str, Transition]] = {}
        self.culprit: Transition | None = None
        ends: dict[tuple[str, Path], str] = {}
        for number, seen in enumerate(transitions):
            if seen.iteration:
                ends[seen.node, seen.iteration] = seen.to
                if seen.to == "FAILED":
                    found = self.broken.setdefault(seen.node, {})
                    found.setdefault(seen.iteration[-1][0], seen)
                continue
            self.place.setdefault(seen, number)
            self.of.setdefault(seen.node, []).append(seen)
            if self.culprit is None and state.phase == "unwinding" and self._unhandled(seen):
                self.culprit = seen
        for (node, iteration), end in ends.items():
            counts = self.inside.setdefault(node, {}).setdefault(iteration[-1][0], {})
            counts[end] = counts.get(end, 0) + 1

    def _unhandled(self, seen: Transition) -> bool:
        """Whether a transition is a failure that makes the instance unwind (§5.8)."""
        life = self.life(seen.node)
        if seen.to != "FAILED" or life is None or life.discarded:
            return False
        return not self.state.rules.handled(len(life.vertex.errors))

    def unwinding(self, seen: Transition) -> bool:
        """Whether the instance had begun to unwind when something happened."""
        return self.culprit is not None and self.place[self.culprit] < self.place[seen]

    def first_ready(self, node: str) -> int | None:
        """Place of the transition with which a node of the main flow became READY first."""
        return next((self.place[t] for t in self.of.get(node, ()) if t.to == "READY"), None)

    def at_once(self, join: int, ready: int, end: int) -> bool:
        """Whether a node became READY with a join, and was cancelled before anything else moved.

        The numbers are places of transitions: of the two that became READY, and of the end.
        """
        first, then = self._entered[join:ready], self._entered[ready:end]
        return set(first) <= {"READY"} and set(then) <= {"READY", "CANCELLED"}

    def iterations(self, node: str) -> str:
        """Count the iterations of a node by their states, for each loop if there are several."""
        loops = self.inside.get(node, {})
        if len(loops) == 1:
            return counted(next(iter(loops.values())))
        return "; ".join(f"of {loop} {counted(counts)}" for loop, counts in loops.items())

    def life(self, node: str) -> Life | None:
        """Lifecycle of a node in the main flow."""
        return self.state.main.lives.get(self.state.graph.index[node])

    def resolved(self, link: Link) -> Resolved:
        """How an edge of the main flow stands."""
        return resolution(self.state, link)
