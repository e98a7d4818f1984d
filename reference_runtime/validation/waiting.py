"""Which nodes wait for which others: whether each way to start a node comes from one node.

All questions about a document are answered together. Every node has a set of those that it waits
for, as bits of one number; a node's set follows from the sets of the nodes that lead to it, so one
pass over the nodes in the order of the links answers some thousand questions.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from reference_runtime.document.model import Node
from reference_runtime.validation.cycles import components
from reference_runtime.validation.scopes import Scopes
from reference_runtime.validation.view import FORWARD, View

__all__ = ["Wait", "Waiting"]

#: Questions that one pass answers.
_TOGETHER: Final = 4_096
#: Links that all passes may follow, so many for each node and link of the document and some more.
#: What is not answered then is not certain.
_PASSES: Final = 20
_SPARE: Final = 1_000_000
#: Looks at a node of a cycle, where a set may grow again.
_ROUNDS: Final = 8

#: How a link leads to its target: an edge of a join, an error edge, a case, a case beside which
#: a control edge is declared, an iteration.
_Way = Literal["join", "error", "case", "route", "body"]
#: All bits: every question.
_ALL: Final = -1


class Wait(NamedTuple):
    """The question whether ``node`` can only start after ``first``.

    With ``bodies`` a body of ``first`` starts after it: when it has begun. Without, only what
    follows when it has completed does.
    """

    first: str
    node: str
    bodies: bool


def _common(sets: Iterable[int]) -> int:
    return functools.reduce(int.__and__, sets, _ALL)


def _any(sets: Iterable[int]) -> int:
    return functools.reduce(int.__or__, sets, 0)


def _at_least(sets: Iterable[int], least: int) -> int:
    """Return the bits that are in so many of the sets, by counting in binary, bit beside bit."""
    planes: list[int] = []
    for bits in sets:
        carry, place = bits, 0
        while carry:
            if place == len(planes):
                planes.append(0)
            planes[place], carry = planes[place] ^ carry, planes[place] & carry
            place += 1
    above, equal = 0, _ALL
    for place in reversed(range(max(len(planes), least.bit_length()))):
        plane = planes[place] if place < len(planes) else 0
        if least >> place & 1:
            equal &= plane
        else:
            above |= equal & plane
            equal &= ~plane
    return above | equal


def _joined(node: Node, edges: Sequence[int], cases: Sequence[int], declared: Sequence[int]) -> int:
    """Say what a join waits for, when its edges and the cases that lead to it wait for these.

    A case is a link of the join as an edge is, the declared edge beside it the same link (§7.1.3).
    """
    if not edges:
        return 0 if cases or declared else _ALL
    if node.join_policy == "all":
        return _any(edges)
    links = (*edges, *cases)
    if node.join_policy == "quorum":
        return _at_least(links, max(1, len(links) - (node.quorum or 1) + 1))
    return _common(links)


class Waiting:
    """Answers for one document; the answers share a bound on the work."""

    def __init__(self, view: View, scopes: Scopes) -> None:
        self._view = view
        self._scopes = scopes

    @functools.cached_property
    def _into(self) -> dict[str, list[tuple[str, _Way]]]:
        """Node id → what leads into it."""
        into: dict[str, list[tuple[str, _Way]]] = {}
        edges = self._view.joined_edges
        for edge in edges:
            if edge.type in FORWARD:
                into.setdefault(edge.target, []).append((edge.source, "join"))
            elif edge.type == "error":
                into.setdefault(edge.target, []).append((edge.source, "error"))
        declared = {(edge.source, edge.target) for edge in edges if edge.type == "control"}
        for node in self._view.nodes.values():
            cases = node.decision.cases if node.decision is not None else ()
            for target in dict.fromkeys(case.to for case in cases):
                if target in self._view.nodes:
                    way: _Way = "route" if (node.id, target) in declared else "case"
                    into.setdefault(target, []).append((node.id, way))
            if node.loop is not None and node.loop.body in self._view.nodes:
                into.setdefault(node.loop.body, []).append((node.id, "body"))
        return into

    @functools.cached_property
    def _knots(self) -> list[list[str]]:
        """Nodes in an order that no link goes against; those of a cycle stand together."""
        back = {
            name: [source for source, _ in self._into.get(name, ())] for name in self._view.nodes
        }
        return list(components(back))

    @functools.cached_property
    def _rank(self) -> dict[str, int]:
        """Node id → its place in that order."""
        return {name: rank for rank, knot in enumerate(self._knots) for name in knot}

    def certain(self, waits: Iterable[Wait]) -> frozenset[Wait]:
        """Return those questions whose answer is certainly yes."""
        rank = self._rank
        open_ = [wait for wait in waits if rank[wait.first] <= rank[wait.node]]
        open_.sort(key=lambda wait: rank[wait.first])
        left = _SPARE + _PASSES * (len(rank) + sum(map(len, self._into.values())))
        found: set[Wait] = set()
        for start in range(0, len(open_), _TOGETHER):
            batch = open_[start : start + _TOGETHER]
            left -= self._pass(batch, found, left)
            if left < 0:
                break
        return frozenset(found)

    def _pass(self, batch: Sequence[Wait], found: set[Wait], most: int) -> int:
        """Answer some questions; return the links that were followed."""
        begun: dict[str, int] = {}
        ended: dict[str, int] = {}
        bits: dict[tuple[str, bool], int] = {}
        for wait in batch:
            bit = bits.setdefault((wait.first, wait.bodies), 1 << len(bits))
            ended[wait.first] = ended.get(wait.first, 0) | bit
            if wait.bodies:
                begun[wait.first] = begun.get(wait.first, 0) | bit
        first = self._rank[batch[0].first]
        last = max(self._rank[wait.node] for wait in batch)
        sets: dict[str, int] = {}
        work = 0
        for knot in self._knots[first : last + 1]:
            for name in self._looks(knot, sets):
                work += len(self._into.get(name, ())) + 1
                bits_of_it = self._set_of(name, sets, begun, ended)
                if bits_of_it:
                    sets[name] = bits_of_it
            if work > most:
                break
        found.update(
            wait for wait in batch if sets.get(wait.node, 0) & bits[wait.first, wait.bodies]
        )
        return work

    @staticmethod
    def _looks(knot: list[str], sets: Mapping[str, int]) -> Iterator[str]:
        """Yield the nodes of a knot, again while something grows; a bound keeps that short."""
        yield from knot
        if len(knot) == 1:
            return
        before = None
        for _ in range(_ROUNDS):
            now = [sets.get(name, 0) for name in knot]
            if now == before:
                return
            before = now
            yield from knot

    def _set_of(
        self,
        name: str,
        sets: Mapping[str, int],
        begun: Mapping[str, int],
        ended: Mapping[str, int],
    ) -> int:
        """Return what a node waits for, by the sets of the nodes that lead to it."""
        links = self._into.get(name, ())
        if not links or name == self._view.harness.entry:
            return 0
        every = _ALL
        by_way: dict[_Way, list[int]] = {}
        for source, way in links:
            own = (begun if way == "body" else ended).get(source, 0)
            bits = sets.get(source, 0) | own
            every &= bits
            # What follows in a join from the iterations of a node is not certain.
            unsure = way == "join" and self._scopes.iterates(source)
            by_way.setdefault(way, []).append(0 if unsure else bits)
        if "body" in by_way:
            # Edges only bind values into a body (A114).
            return _common(by_way["body"])
        if self._scopes.iterates(name):
            # Which of its links count in an iteration is not certain.
            return every
        routes, edges, cases = (by_way.get(way, []) for way in ("route", "join", "case"))
        join = _joined(self._view.nodes[name], edges, cases, routes)
        chosen = _common((*routes, *cases)) if routes or cases else 0
        return every | (_common(by_way.get("error", ())) & (chosen | join))
