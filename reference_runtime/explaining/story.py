"""A run that is over, or stuck, as explanations look at it."""

from __future__ import annotations

from collections.abc import Sequence

from reference_runtime.engine.effects import Report, Transition
from reference_runtime.engine.graph import Link
from reference_runtime.engine.lives import Life
from reference_runtime.engine.state import State
from reference_runtime.explaining.edges import Resolved, resolution
from reference_runtime.explaining.needs import Needs

__all__ = ["Story"]


class Story:
    """A run that is over, or stuck, as explanations look at it.

    Attributes:
        needs: what its nodes waited for.
        of: transitions by node of the main flow, in order.
        inside: number of iterations that ended in each state, by node.
        broken: the first failure in an iteration, by node.
        culprit: the transition for which the instance unwound, None if it did not.
    """

    def __init__(
        self, state: State, transitions: Sequence[Transition], reports: Sequence[Report]
    ) -> None:
        self.state = state
        self.needs = Needs(state.graph)
        self.reports = reports
        self.of: dict[str, list[Transition]] = {}
        self.place: dict[Transition, int] = {}
        self.inside: dict[str, dict[str, int]] = {}
        self.broken: dict[str, Transition] = {}
        self.culprit: Transition | None = None
        ends: dict[tuple[str, object], str] = {}
        vertices, index = state.graph.vertices, state.graph.index
        for number, seen in enumerate(transitions):
            if seen.iteration:
                ends[seen.node, seen.iteration] = seen.to
                if seen.to == "FAILED":
                    self.broken.setdefault(seen.node, seen)
                continue
            self.place.setdefault(seen, number)
            self.of.setdefault(seen.node, []).append(seen)
            unhandled = seen.to == "FAILED" and not vertices[index[seen.node]].errors
            if unhandled and self.culprit is None and state.phase == "unwinding":
                self.culprit = seen
        for (node, _), end in ends.items():
            counts = self.inside.setdefault(node, {})
            counts[end] = counts.get(end, 0) + 1

    def life(self, node: str) -> Life | None:
        """Lifecycle of a node in the main flow."""
        return self.state.main.lives.get(self.state.graph.index[node])

    def resolved(self, link: Link) -> Resolved:
        """How an edge of the main flow stands."""
        return resolution(self.state, link)
