"""Branches that could only have reached one ``any`` join (§5.3.2)."""

from collections.abc import Collection, Sequence

from suite.fuzz.reach import Graph

__all__ = ["maybe_exclusive", "surely_exclusive"]


def surely_exclusive(graph: Graph, join: int, states: Sequence[str]) -> set[int]:
    """Nodes from which every path leads to the join, whatever paths are taken to be (A46, A47).

    Only plain control and data edges: with a dependency, an error edge or a condition on the
    branch the text does not say whether the branch could have reached something else. Nor does
    it where a path leads over a node that another branch has reached before, or that nothing
    reaches any more.
    """
    dead = graph.unreachable(states, lenient=True)
    waiting = {i for i, state in enumerate(states) if state == "PENDING"} - dead
    found: set[int] = set()
    for index in range(join - 1, -1, -1):
        out = graph.out[index]
        if (
            out
            and not graph.errors_out[index]
            and not graph.model.nodes[index].cases
            and all(
                (e.target == join or e.target in found & waiting)
                and e.type != "dependency"
                and e.condition == "none"
                for e in out
            )
        ):
            found.add(index)
    return found


def maybe_exclusive(
    graph: Graph, join: int, states: Sequence[str], dead: Collection[int]
) -> set[int]:
    """Nodes that some reading counts among the branches that could only have reached the join.

    An edge elsewhere spares a branch for certain only if it is a plain control or data edge to
    a node that can still be reached by it.
    """
    found: set[int] = set()
    for index in range(join - 1, -1, -1):
        out = graph.out[index]
        # An error edge is a path too: a branch may have no other one (A47).
        leads = any(e.target == join or e.target in found for e in (*out, *graph.errors_out[index]))
        spared = any(
            e.target != join
            and e.target not in found
            and e.type != "dependency"
            and e.condition == "none"
            and states[e.target] == "PENDING"
            and e.target not in dead
            for e in out
        )
        if leads and not spared:
            found.add(index)
    return found
