"""Which edges are satisfied or negative and which nodes are unreachable (§5.3, §5.3.3).

Everything is asked in two ways. Strictly: every reading of the text agrees. Leniently: some
reading that follows the letter says so. A step of a runtime is wrong when it is not even
leniently right; it is missing when it is strictly due.
"""

from collections.abc import Collection, Sequence

from suite.fuzz.model import FORWARD, Edge, Model

__all__ = ["TERMINAL", "Graph"]

#: §6.1: states that are never left in forward execution.
TERMINAL = frozenset({"SUCCEEDED", "SKIPPED", "FAILED", "CANCELLED", "COMPENSATED"})

_NOTHING: frozenset[int] = frozenset()


class Graph:
    """A workflow, indexed for the oracle. States are given as a list by node number.

    Attributes:
        into: forward edges into each node; ``out``: out of each node.
        errors_into: error edges into each node; ``errors_out``: out of each node.
        undoes: per node, the compensation edge into it (§8.4), None for most.
        undone: per node, the compensation edge out of it.
        deciders: decisions that name the node in a case or otherwise.
        choice: the target that a decision has to choose, None when no case is true.
        starts: the entry set (§5.2).
    """

    def __init__(self, model: Model) -> None:
        """Index the model."""
        count = range(len(model.nodes))
        self.model = model
        self.into: list[list[Edge]] = [[] for _ in count]
        self.out: list[list[Edge]] = [[] for _ in count]
        self.errors_into: list[list[Edge]] = [[] for _ in count]
        self.errors_out: list[list[Edge]] = [[] for _ in count]
        self.undoes: list[Edge | None] = [None for _ in count]
        self.undone: list[Edge | None] = [None for _ in count]
        self.deciders: list[list[int]] = [[] for _ in count]
        self.choice: list[int | None] = [None for _ in count]
        for edge in model.edges:
            if edge.type == "compensation":
                self.undoes[edge.target] = self.undone[edge.source] = edge
                continue
            forward = edge.type in FORWARD
            (self.into if forward else self.errors_into)[edge.target].append(edge)
            (self.out if forward else self.errors_out)[edge.source].append(edge)
        for index, node in enumerate(model.nodes):
            for case in node.cases:
                self.deciders[case.target].append(index)
                true = case.when in ("true", "otherwise") or (
                    case.when == "flag" and model.nodes[case.reads].flag
                )
                if true and self.choice[index] is None:
                    self.choice[index] = case.target
        self.starts = {
            i
            for i in count
            if (
                i == 0
                if model.entry
                else not (self.into[i] or self.errors_into[i] or self.undoes[i])
            )
        }

    def holds(self, edge: Edge) -> bool:
        """Whether the edge's condition is true once its source has ended (§4.6)."""
        if edge.condition == "flag":
            return self.model.nodes[edge.source].flag
        return edge.condition != "false"

    def satisfied(self, edge: Edge, states: Sequence[str], *, lenient: bool) -> bool:
        """§5.3: whether an incoming edge is satisfied."""
        state = states[edge.source]
        if state not in TERMINAL or not self.holds(edge):
            return False
        if edge.type == "dependency":  # any terminal state; CANCELLED against §6.4 is A29
            return state != "CANCELLED" or lenient
        if state == "SUCCEEDED":  # a decision gives control to its chosen target alone (§7.1.3)
            named = edge.source in self.deciders[edge.target]
            return not named or self.choice[edge.source] == edge.target
        return state == "SKIPPED"  # §6.3, control and data alike

    def negative(
        self, edge: Edge, states: Sequence[str], dead: Collection[int], *, lenient: bool
    ) -> bool:
        """Whether an incoming edge is resolved-negative, given the unreachable nodes."""
        state = states[edge.source]
        if lenient:
            if edge.condition == "false":  # can never be satisfied, whatever its source does
                return True
            if state in TERMINAL:  # A28, A29: dead edges of failed and cancelled sources
                return not self.satisfied(edge, states, lenient=False)
            return edge.source in dead
        if state in ("SUCCEEDED", "SKIPPED"):
            return not self.satisfied(edge, states, lenient=False)
        if state == "FAILED":
            return edge.type == "dependency" and not self.holds(edge)
        return edge.source in dead

    def open_shape(self, target: int, states: Sequence[str], dead: Collection[int]) -> bool:
        """A70, A72: whether an unchosen target with further edges may run through those."""
        deciders = self.deciders[target]
        others = [edge for edge in self.into[target] if edge.source not in deciders]
        if not others:
            return False
        if any(states[d] != "SUCCEEDED" for d in deciders):
            return all(states[d] in TERMINAL or d in dead for d in deciders)
        below = self._below(deciders)
        otherwise = any(
            case.target == target and case.when == "otherwise"
            for d in deciders
            for case in self.model.nodes[d].cases
        )
        return (
            otherwise
            or self.model.nodes[target].join != "all"
            or any(e.type == "dependency" or e.source in below for e in others)
        )

    def _below(self, roots: Sequence[int]) -> set[int]:
        """Nodes after any of the roots."""
        below = set(roots)
        for index in range(min(roots), len(self.into)):
            if any(e.source in below for e in self.into[index] + self.errors_into[index]):
                below.add(index)
        return below - set(roots)

    def chosen(self, target: int, states: Sequence[str]) -> bool:
        """Whether a decision has routed to the target."""
        return any(
            states[d] == "SUCCEEDED" and self.choice[d] == target for d in self.deciders[target]
        )

    def unreachable(
        self, states: Sequence[str], suppressed: Collection[int] = _NOTHING, *, lenient: bool
    ) -> set[int]:
        """§5.3.3: the PENDING nodes that no path will reach.

        Edges go from lower to higher numbers, so that one pass in that order is the least fixed
        point. Leniently the bullets and the leading sentence are each enough; strictly both
        have to say so.

        Args:
            states: state of each node.
            suppressed: PENDING nodes on branches that lost an ``any`` join (A57), which some
                runtimes no longer start.
            lenient: see the module.
        """
        dead: set[int] = set()
        for index, state in enumerate(states):
            if state != "PENDING" or index in self.starts:
                continue
            if lenient:
                gone = index in suppressed or self._gone(index, states, dead)
            else:
                gone = self._surely_gone(index, states, dead)
            if gone:
                dead.add(index)
        return dead

    def _surely_gone(self, index: int, states: Sequence[str], dead: set[int]) -> bool:
        for edge in self.errors_into[index]:  # A33: an error edge that may still fire
            state = states[edge.source]
            if state == "FAILED" or (state not in TERMINAL and edge.source not in dead):
                return False
        deciders = self.deciders[index]
        elsewhere = all(states[d] == "SUCCEEDED" and self.choice[d] != index for d in deciders)
        if deciders and elsewhere and not self.open_shape(index, states, dead):
            return True  # first bullet
        into = self.into[index]
        return bool(into) and (
            all(self.negative(e, states, dead, lenient=False) for e in into)  # second bullet
            or any(e.feeds == "starving" and e.type == "data" and e.source in dead for e in into)
        )

    def _gone(self, index: int, states: Sequence[str], dead: set[int]) -> bool:
        deciders = self.deciders[index]
        if deciders and all(
            d in dead
            or (states[d] in TERMINAL and self.choice[d] != index)
            or states[d] in ("FAILED", "CANCELLED")
            for d in deciders
        ):
            return True
        into = self.into[index]
        negative = [self.negative(e, states, dead, lenient=True) for e in into]
        if into and all(negative):
            return True
        if any(
            no and e.feeds == "starving" and e.type == "data"
            for no, e in zip(negative, into, strict=True)
        ):
            return True
        node = self.model.nodes[index]
        hopeless = not into or (node.join == "quorum" and len(into) - sum(negative) < node.quorum)
        return hopeless and all(
            e.source in dead or (states[e.source] in TERMINAL and states[e.source] != "FAILED")
            for e in self.errors_into[index]
        )
