"""Which nodes can have completed when an expression is evaluated (§10.3, HX-3104, A170).

A node cannot have completed when it is the reader itself or when each of its ways to start waits
for the reader. A node beside the reader can have. What is not certain is no finding: nodes that
run in iterations may have run before, and everything may have when a run unwinds.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from reference_runtime.document.model import Node
from reference_runtime.validation.cycles import components
from reference_runtime.validation.sites import Site
from reference_runtime.validation.view import FORWARD, View

__all__ = ["Completion"]

#: Links that one validation may follow for nodes beside each other; no rule is owed certainty.
_BUDGET = 200_000

#: How a link leads to its target: an edge of a join, an error edge, a case, an iteration.
_Way = Literal["join", "error", "route", "body"]


@dataclass(slots=True)
class _Links:
    """What leads out of every node, and how much leads into it."""

    out: dict[str, list[tuple[str, _Way]]]
    into: dict[str, Counter[_Way]] = field(default_factory=dict)

    def add(self, source: str, target: str, way: _Way) -> None:
        self.out[source].append((target, way))
        self.into.setdefault(target, Counter())[way] += 1


def _blocked(node: Node, total: Counter[_Way], waiting: Counter[_Way]) -> bool:
    """Whether every way to start a node waits, when so many links of each way do."""
    if total["body"]:
        # Edges only bind values into a body (A114).
        return waiting["body"] == total["body"]
    if waiting["error"] < total["error"]:
        return False
    if total["route"] and waiting["route"] == total["route"]:
        return True
    if not total["join"]:
        return not total["route"] and total["error"] > 0
    if node.join_policy == "all":
        return waiting["join"] > 0
    free = total["join"] - waiting["join"]
    return free < (node.quorum or 1) if node.join_policy == "quorum" else free == 0


class Completion:
    """Answers for one document; the answers share a bound on the work."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._left = _BUDGET

    @functools.cached_property
    def _compensating(self) -> frozenset[str]:
        edges = self._view.joined_edges
        return frozenset(edge.target for edge in edges if edge.type == "compensation")

    @functools.cached_property
    def _links(self) -> _Links:
        links = _Links(out={name: [] for name in self._view.nodes})
        for edge in self._view.joined_edges:
            if edge.type in FORWARD:
                links.add(edge.source, edge.target, "join")
            elif edge.type == "error":
                links.add(edge.source, edge.target, "error")
        for node in self._view.nodes.values():
            cases = node.decision.cases if node.decision is not None else ()
            for target in dict.fromkeys(case.to for case in cases):
                if target in self._view.nodes:
                    links.add(node.id, target, "route")
            if node.loop is not None and node.loop.body in self._view.nodes:
                links.add(node.id, node.loop.body, "body")
        return links

    @functools.cached_property
    def _rank(self) -> dict[str, int]:
        """Node id → a number that no link increases; nodes of a cycle share theirs."""
        graph = {name: [target for target, _ in out] for name, out in self._links.out.items()}
        return {name: rank for rank, knot in enumerate(components(graph)) for name in knot}

    def _after(self, reader: str, sought: str, *, bodies: bool) -> Iterator[str]:
        """Yield nodes that wait for the reader, as far as they lead to the one that is sought."""
        lowest, entry = self._rank[sought], self._view.harness.entry
        waiting: dict[str, Counter[_Way]] = {}
        found, seen = [reader], {reader}
        for source in found:
            self._left -= len(self._links.out[source]) + 1
            if self._left < 0:
                return
            for target, way in self._links.out[source]:
                if way == "body" and source == reader and not bodies:
                    continue
                count = waiting.setdefault(target, Counter())
                count[way] += 1
                if target in seen or target == entry or self._rank[target] < lowest:
                    continue
                if _blocked(self._view.nodes[target], self._links.into[target], count):
                    seen.add(target)
                    found.append(target)
                    yield target

    def cannot_have_completed(self, node: str, site: Site, *, in_body: bool) -> str:
        """Say why a node cannot have completed when a site is evaluated; empty if it may have.

        Args:
            node: what is read; a node of the document.
            site: where it is read.
            in_body: whether the reader runs in iterations.
        """
        reader = site.owner
        if site.edge is None and node == reader:
            return f"node {node!r} reads its own output before it has run."
        unwinding = site.edge is not None and site.edge.type == "compensation"
        if node == reader or in_body or unwinding or reader in self._compensating:
            return ""
        if reader not in self._view.nodes or self._rank[node] > self._rank[reader]:
            return ""
        # The condition of a loop is evaluated between iterations of its body.
        after = self._after(reader, node, bodies=site.place != "loop/@while")
        return f"node {node!r} can only run after {reader!r}." if node in after else ""
