"""Cycles, against a slow and obvious search."""

import itertools

from hypothesis import example, given
from hypothesis import strategies as st

from reference_runtime.validation.cycles import find_cycles


def reachable(graph, start):
    """Nodes that one step or more lead to."""
    waiting, seen = list(graph[start]), set()
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting.extend(graph[node])
    return seen


@st.composite
def graphs(draw):
    """Directed graphs of up to six nodes, self-edges and parallel edges included."""
    names = "abcdef"[: draw(st.integers(1, 6))]
    edges = st.tuples(st.sampled_from(names), st.sampled_from(names))
    graph = {name: [] for name in names}
    for source, target in draw(st.lists(edges, max_size=10)):
        graph[source].append(target)
    return graph


@given(graphs())
@example({"a": ["a"]})
@example({"a": ["b", "c"], "b": ["a"], "c": ["d"], "d": ["c"], "e": ["a"]})
def test_one_real_cycle_for_each_knot(graph):
    knots = {
        frozenset({node, *(one for one in reachable(graph, node) if node in reachable(graph, one))})
        for node in graph
        if node in reachable(graph, node)
    }
    found = list(find_cycles(graph))

    assert len(knots) == len(found)
    for cycle in found:
        assert len(set(cycle)) == len(cycle)
        for node, following in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
            assert following in graph[node]
        assert min(cycle, key=list(graph).index) == cycle[0]
    assert knots == {next(knot for knot in knots if set(cycle) <= knot) for cycle in found}


def test_long_chains_and_long_cycles():
    names = [str(number) for number in range(30_000)]
    chain = {name: [following] for name, following in itertools.pairwise(names)}
    chain[names[-1]] = []

    assert list(find_cycles(chain)) == []

    chain[names[-1]] = [names[0]]

    assert list(find_cycles(chain)) == [names]
