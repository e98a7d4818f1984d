"""When at the earliest a node that never moved may count as unreachable (§5.3.3).

The readings of "a node that no path will reach" differ (see the interpretations); an order is
only wrong if it is wrong under every one of them. So each function here takes, among the
allowed readings, the one under which the node is dead first. Moments are places in the trace;
``START`` means from the beginning, ``NEVER`` that no reading lets the node be dead.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from comparator.facts import Edge
from comparator.graph import SURE
from comparator.walk import Run

__all__ = ["NEVER", "START", "Deaths"]

START: Final = -1
NEVER: Final = 1 << 60


class Deaths:
    """Works out and remembers the moments; each edge is looked at once."""

    def __init__(self, run: Run) -> None:
        """Begin with nothing worked out."""
        self._run = run
        self._known: dict[str, int] = {}

    def of(self, node: str) -> int:
        """Return the earliest moment for ``node``, which never moved in the main flow."""
        known = self._known
        stack = [node]
        while stack:
            at = stack[-1]
            if at in known and known[at] != _OPEN:
                stack.pop()
            elif at not in known:
                known[at] = _OPEN
                stack.extend(n for n in self._needs(at) if n not in known)
            else:
                # Nodes that wait for each other in a ring can never be reached: each counts as
                # dead from the start for the others.
                known[at] = self._moment(at)
                stack.pop()
        return known[node]

    def _needs(self, node: str) -> Iterator[str]:
        graph = self._run.graph
        for edge in (*graph.incoming(node), *graph.errors.get(node, ())):
            if self.stays(edge.source):
                yield edge.source
        for decision in graph.routes.get(node, ()):
            if self.stays(decision):
                yield decision

    def stays(self, node: str) -> bool:
        """Tell whether ``node`` is one of the main flow that never moved."""
        return node not in self._run.graph.extent and not self._run.moved(node)

    def _moment(self, node: str) -> int:
        graph = self._run.graph
        if graph.starts(node) and node not in graph.routes:
            # It should have started: a divergence of its own, not unreachability.
            return NEVER
        edges = graph.incoming(node)
        moments = [self._negative(node, edges)]
        routes = graph.routes.get(node)
        if routes:
            moments.append(max(self.ended(decision) for decision in routes))
            if not edges:
                del moments[0]
        starving = graph.facts.nodes[node].starving
        if starving:
            moments += [
                self.negative(edge)
                for edge in edges
                if edge.type == "data" and edge.to_port in starving
            ]
        return min(moments)

    def _negative(self, node: str, edges: Sequence[Edge]) -> int:
        """Return when enough incoming edges are negative that the join cannot be met."""
        graph = self._run.graph
        if not edges:
            # A32 b is left to the goldens: while a source may still fail, the handler may run.
            sources = graph.errors.get(node, ())
            return max((self.ended(edge.source) for edge in sources), default=START)
        moments = sorted(self.negative(edge) for edge in edges)
        declared = graph.facts.nodes[node]
        if declared.join == "quorum":
            spare = len(moments) - (declared.quorum or 1)
            return moments[spare] if 0 <= spare < len(moments) else START
        return moments[-1]

    def ended(self, node: str) -> int:
        """Return when ``node`` was terminal or dead."""
        run = self._run
        if node in run.graph.extent:
            return START
        if not run.moved(node):
            moment = self._known.get(node)
            return self.of(node) if moment is None else START if moment == _OPEN else moment
        return min(run.good.get(node, NEVER), run.bad.get(node, NEVER))

    def negative(self, edge: Edge) -> int:
        """Return the earliest moment at which ``edge`` may be resolved-negative."""
        run = self._run
        source = edge.source
        if source in run.graph.extent or not run.moved(source):
            return self.ended(source)
        ended = self.ended(source)
        satisfied = edge.type == "dependency" or source in run.good
        certain = satisfied and edge.condition in SURE and not self._may_withhold(edge)
        return NEVER if certain else ended

    def _may_withhold(self, edge: Edge) -> bool:
        """Tell whether the source is a decision that may have passed the target over.

        It passes over the targets that it did not choose, and under one reading everything
        that no case names (A74), except over a dependency.
        """
        if self._run.graph.facts.nodes[edge.source].decision is None:
            return False
        named = edge.source in self._run.graph.routes.get(edge.target, ())
        return named or edge.type != "dependency"


_OPEN: Final = -2
