"""Interference: which moves of a run may not be swapped, told from the document alone.

Moves belong to lifecycles; those inside a loop count as moves of the loop where the rest of the
document is concerned. A move is *bare* if it only opens a step call, otherwise it is *ending*:
it may end its node and draw consequences. These pairs interfere:

- an ending move of a node whose failure would unwind the instance, with everything (§5.8);
- ending moves that may decide the same join in an order that shows: ``any``, quorum, or more
  than one way in with error edges (§5.3); where the join cancels siblings, with every move of
  a node above it (§5.3.2);
- an ending move of a node, with every move that evaluates an expression over its outputs or
  resolves an input from them without waiting for it;
- ending moves of nodes with compensation edges while unwinding is possible, since their order
  is the order of compensation (§8.4.1);
- moves that set timers, if what the timers do interferes: those of one moment fire in turn;
- moves that draw from the jitter, and calls whose answers the plan holds for idleness in one
  place, as they are released in turn.

Everything else commutes: joins only count, and the counts decide when the last link is resolved.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from reference_runtime.engine.graph import Graph, Vertex
from reference_runtime.exploration.traits import Traits
from reference_runtime.plans import Plan
from reference_runtime.rules import RULES

__all__ = ["Interference"]


class _Node(NamedTuple):
    """Traits of a node of the main flow, with all that runs inside of it."""

    fatal: bool
    reads: frozenset[int]
    members: frozenset[int]
    compensated: bool
    timed: bool
    drawing: bool
    idle: frozenset[int]
    entangled: bool
    names: frozenset[str]
    events: frozenset[str]


class _Join(NamedTuple):
    """A join whose sources' order shows: who may decide it, and who may lose by that."""

    number: int
    deciders: frozenset[int]
    losers: frozenset[int]


class Interference:
    """The relation, for one document under one plan.

    Attributes:
        bare: whether the start of a node only opens a call.
    """

    def __init__(self, graph: Graph, plan: Plan) -> None:
        self._graph = graph
        self._plan = plan
        self._traits = Traits(graph, plan)
        self.bare = [self._is_bare(vertex) for vertex in graph.vertices]
        self._nodes = [self._node(vertex) for vertex in graph.vertices]
        self._fatal = any(node.fatal for node in self._nodes)
        joins = [self._join(vertex) for vertex in graph.vertices if _order_shows(vertex)]
        self._joins = [join for join in joins if len(join.deciders) > 1]
        self.between = cache(self._between)

    def _is_bare(self, vertex: Vertex) -> bool:
        waits = vertex.node.join_policy == "all" and not vertex.errors_in
        return (
            vertex.calls
            and vertex.node.guard is None
            and not self._traits.unprepared(vertex)
            and not any("${" in (port.value or "") for port in vertex.node.inputs)
            and (waits or not vertex.feeds)
        )

    def _members(self, vertex: Vertex) -> list[Vertex]:
        """The node and everything inside of it."""
        found = {vertex.index: vertex}
        queue = [vertex]
        for outer in queue:
            if outer.node.loop is None:
                continue
            body = self._graph.vertices[self._graph.index[outer.node.loop.body]]
            for index in body.region:
                if index not in found:
                    found[index] = self._graph.vertices[index]
                    queue.append(found[index])
        return list(found.values())

    def _places(self, vertex: Vertex) -> frozenset[int]:
        """Places in the plan from which calls of the node get answers held for idleness."""
        return frozenset(
            planned.place
            for planned in self._plan.answers
            if planned.address.node in ("*", vertex.node.id)
            and planned.answer.hold is not None
            and planned.answer.hold.address is None
        )

    def _node(self, vertex: Vertex) -> _Node:
        members = self._members(vertex)
        draws = any(
            member.node.retry is not None
            and member.node.retry.jitter
            and self._traits.fails(member)
            for member in members
        )
        idle = frozenset(place for member in members for place in self._places(member))
        return _Node(
            fatal=not vertex.inner and not vertex.errors and self._traits.fails(vertex),
            reads=frozenset().union(*map(self._traits.reads, members)),
            members=frozenset(member.index for member in members),
            compensated=bool(vertex.compensations),
            timed=any(
                member.node.timeout or member.node.retry or member.node.wait for member in members
            ),
            drawing=draws,
            idle=idle,
            entangled=bool(draws or idle or any(map(self._stops, members))),
            names=frozenset(member.node.id for member in members),
            events=frozenset(
                member.node.wait.event
                for member in members
                if member.node.wait is not None and member.node.wait.event is not None
            ),
        )

    def _stops(self, vertex: Vertex) -> bool:
        """Whether a failing iteration may cancel others."""
        loop = vertex.node.loop
        if loop is None or not RULES.loops.item_failure[loop.on_item_failure].stops:
            return False
        return self._traits.region_fails(loop)

    def _join(self, vertex: Vertex) -> _Join:
        above = self._traits.above(vertex)
        direct = {link.source for link in (*vertex.incoming, *vertex.errors_in)}
        vertices = self._graph.vertices
        deciders = direct | {index for index in above if self._negates(vertices[index])}
        cancels = vertex.node.join_policy in RULES.cancelling
        return _Join(vertex.index, frozenset(deciders), above if cancels else frozenset())

    def _negates(self, vertex: Vertex) -> bool:
        """Whether its end may make links below it negative."""
        conditional = any(link.condition for link in vertex.forward)
        return bool(
            vertex.errors or vertex.node.decision or conditional or self._traits.fails(vertex)
        )

    def _between(self, one: int, ending: bool, other: int) -> bool | frozenset[int]:  # noqa: FBT001 - a key of the cache
        """Whether a move of one node interferes with any of another, always or until joins.

        The result is a bool, or the joins that still have to be undecided.
        """
        mine, its = self._nodes[one], self._nodes[other]
        if (
            its.fatal
            or (ending and mine.fatal)
            or (ending and mine.members & its.reads)
            or (mine.reads & its.members and (ending or not self.bare[one]))
        ):
            return True
        if self.at_the_end(one, other, ending=ending):
            return True
        if not ending and mine.timed and its.timed:
            return self._between(one, True, other)  # noqa: FBT003
        return frozenset(
            join.number
            for join in self._joins
            if (ending and one in join.deciders and other in join.deciders | join.losers)
            or (other in join.deciders and one in join.losers)
        )

    def at_the_end(self, one: int, other: int, *, ending: bool) -> bool:
        """Whether they interfere even when nothing new is started any more."""
        mine, its = self._nodes[one], self._nodes[other]
        return bool(
            (ending and mine.compensated and its.compensated and self._fatal)
            or (ending and mine.drawing and its.drawing)
            or mine.idle & its.idle
        )

    def reads(self, index: int) -> frozenset[int]:
        """Nodes whose outputs a node, or anything inside of it, looks at."""
        return self._nodes[index].reads

    def names(self, index: int) -> frozenset[str]:
        """Ids of a node and of all that runs inside of it."""
        return self._nodes[index].names

    def events(self, index: int) -> frozenset[str]:
        """Events that a node, or anything inside of it, may wait for."""
        return self._nodes[index].events

    def entangled(self, index: int) -> bool:
        """Whether moves of different iterations inside a node interfere."""
        return self._nodes[index].entangled


def _order_shows(vertex: Vertex) -> bool:
    """Whether it matters in which order the links into a node are resolved."""
    ways = len(vertex.incoming) + len(vertex.errors_in)
    return ways > 1 and (vertex.node.join_policy != "all" or bool(vertex.errors_in))
