"""Cycles of a directed graph, in linear time and without recursion (Kahn, Tarjan on the rest)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TypeVar

__all__ = ["components", "find_cycles"]

Graph = Mapping[str, Sequence[str]]
_Node = TypeVar("_Node", bound=Hashable)


def components(graph: Mapping[_Node, Sequence[_Node]]) -> Iterator[list[_Node]]:
    """Yield the strongly connected components; ``graph`` lists successors of every node."""
    index: dict[_Node, int] = {}
    low: dict[_Node, int] = {}
    stack: list[_Node] = []
    stacked: set[_Node] = set()
    for root in graph:
        if root in index:
            continue
        work = [(root, iter(graph[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        stacked.add(root)
        while work:
            node, successors = work[-1]
            for successor in successors:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    stacked.add(successor)
                    work.append((successor, iter(graph[successor])))
                    break
                if successor in stacked:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    component: list[_Node] = []
                    while not component or component[-1] != node:
                        component.append(stack.pop())
                    stacked.difference_update(component)
                    yield component


def _one_cycle(graph: Graph, component: list[str], order: Mapping[str, int]) -> list[str]:
    """Walk inside a component until a node comes again; every node has a successor there."""
    inside = set(component)
    position: dict[str, int] = {}
    path: list[str] = []
    node = min(component, key=order.__getitem__)
    while node not in position:
        position[node] = len(path)
        path.append(node)
        node = next(successor for successor in graph[node] if successor in inside)
    cycle = path[position[node] :]
    first = cycle.index(min(cycle, key=order.__getitem__))
    return cycle[first:] + cycle[:first]


def _unresolved(graph: Graph) -> dict[str, list[str]]:
    """Take away nodes that no cycle leads to; what is left is empty in a document without fault."""
    waits = dict.fromkeys(graph, 0)
    for successors in graph.values():
        for successor in successors:
            waits[successor] += 1
    free = [node for node, count in waits.items() if not count]
    for node in free:
        for successor in graph[node]:
            waits[successor] -= 1
            if not waits[successor]:
                free.append(successor)
    return {
        node: [successor for successor in graph[node] if waits[successor]]
        for node, count in waits.items()
        if count
    }


def find_cycles(graph: Graph) -> Iterator[list[str]]:
    """Yield one cycle for each component that has any: nodes along the edges, the first first."""
    rest = _unresolved(graph)
    order = {node: position for position, node in enumerate(graph)}
    for component in components(rest):
        if len(component) > 1 or component[0] in rest[component[0]]:
            yield _one_cycle(rest, component, order)
