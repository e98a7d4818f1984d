"""Where iteration variables are visible: in the body of their loop (§7.2.3, §10.3).

A handler of the body runs per iteration, too (A115), and so does a target of a body that decides;
what runs inside a loop inside the body is inside the body. Conditions of edges count for their
source. Attributes of the loop itself stand outside its body (A130).
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Iterator

from reference_runtime.document.model import Loop
from reference_runtime.validation.view import View

__all__ = ["DEFAULT_NAMES", "Scopes"]

#: Names of element and position where a loop gives no others.
DEFAULT_NAMES = frozenset({"item", "index"})


class Scopes:
    """Answers which loops stand around a node."""

    def __init__(self, view: View) -> None:
        self._view = view

    @functools.cached_property
    def names(self) -> frozenset[str]:
        """Names that loops of the document give to element and position."""
        loops = [node.loop for node in self._view.harness.nodes if node.loop is not None]
        return frozenset(name for loop in loops for name in (loop.var, loop.index_var))

    @functools.cached_property
    def homeless(self) -> frozenset[str]:
        """Names of loops whose body is no node: nobody knows where they are visible."""
        nodes = self._view.nodes
        loops = [node.loop for node in self._view.harness.nodes if node.loop is not None]
        return frozenset(
            name for loop in loops if loop.body not in nodes for name in (loop.var, loop.index_var)
        )

    @functools.cached_property
    def _around(self) -> dict[str, list[tuple[str, Loop | None]]]:
        """Node id → what brings it into an iteration, with the loop if that is one."""
        around: dict[str, list[tuple[str, Loop | None]]] = {}
        for node in self._view.harness.nodes:
            if node.loop is not None:
                around.setdefault(node.loop.body, []).append((node.id, node.loop))
            for case in node.decision.cases if node.decision is not None else ():
                around.setdefault(case.to, []).append((node.id, None))
        if around:
            for edge in self._view.joined_edges:
                if edge.type == "error":
                    around.setdefault(edge.target, []).append((edge.source, None))
        return around

    def loops_around(self, node: str) -> Iterator[Loop]:
        """Yield the loops in whose body a node runs, inner ones first."""
        waiting, seen = [node], {node}
        for inner in waiting:
            for outer, loop in self._around.get(inner, ()):
                if loop is not None:
                    yield loop
                if outer not in seen:
                    seen.add(outer)
                    waiting.append(outer)

    def visible(self, node: str) -> frozenset[str]:
        """Return the iteration variables where a node evaluates."""
        loops = self.loops_around(node)
        return frozenset(name for loop in loops for name in (loop.var, loop.index_var))

    @functools.cached_property
    def _inside(self) -> dict[str, list[str]]:
        """Node id → what it brings into an iteration: its body, its handlers, its targets."""
        inside: dict[str, list[str]] = {}
        for node, around in self._around.items():
            for outer, _ in around:
                inside.setdefault(outer, []).append(node)
        return inside

    def _reached(self, starts: Iterable[str]) -> set[str]:
        """Return these nodes and all that they bring into an iteration."""
        waiting = list(dict.fromkeys(starts))
        reached = set(waiting)
        for node in waiting:
            for inner in self._inside.get(node, ()):
                if inner not in reached:
                    reached.add(inner)
                    waiting.append(inner)
        return reached

    @functools.cached_property
    def _iterating(self) -> set[str]:
        nodes = self._view.harness.nodes
        return self._reached(node.loop.body for node in nodes if node.loop is not None)

    def iterates(self, node: str) -> bool:
        """Tell whether a node runs in iterations, so that it may run several times."""
        return node in self._iterating

    @functools.cached_property
    def _seeing(self) -> dict[str, set[str]]:
        """Iteration variable → nodes that see it, as far as somebody asked."""
        return {}

    def sees(self, node: str, name: str) -> bool:
        """Tell whether a name is an iteration variable where a node evaluates."""
        if name not in self.names:
            return False
        if name not in self._seeing:
            loops = [one.loop for one in self._view.harness.nodes if one.loop is not None]
            self._seeing[name] = self._reached(
                loop.body for loop in loops if name in (loop.var, loop.index_var)
            )
        return node in self._seeing[name]

    @functools.cached_property
    def compensating(self) -> frozenset[str]:
        """Nodes that run when others are undone."""
        edges = self._view.joined_edges
        return frozenset(edge.target for edge in edges if edge.type == "compensation")

    def enclosing(self, node: str) -> str | None:
        """Return the loop that runs once and that a node runs in and nowhere else, if certain."""
        return self._enclosing.get(node)

    def _starts(self, node: str) -> Iterator[str]:
        """Yield what a node starts in its iteration: its body, and its handlers."""
        loop = self._view.nodes[node].loop
        if loop is not None and self._view.nodes[node].timeout is None:
            # What a loop started may go on when the time of the loop is over.
            yield loop.body
        for edge in self._view.outgoing.get(node, ()):
            if edge.type == "error":
                yield edge.target

    @functools.cached_property
    def _ways(self) -> Counter[str]:
        """Node id → ways to start it as body or handler; nothing for what starts otherwise too."""
        bodies = [node.loop.body for node in self._view.nodes.values() if node.loop is not None]
        ways, body = Counter(bodies), set(bodies)
        others = {self._view.harness.entry, *self.compensating}
        for node in self._view.nodes.values():
            others.update(case.to for case in (node.decision.cases if node.decision else ()))
        for edge in self._view.joined_edges:
            if edge.type == "error":
                ways[edge.target] += 1
            elif edge.target not in body:
                others.add(edge.target)
        return Counter({node: count for node, count in ways.items() if node not in others})

    @functools.cached_property
    def _enclosing(self) -> dict[str, str]:
        """Node id → that loop, of bodies and their handlers, all of whose ways start inside."""
        enclosing: dict[str, str] = {}
        missing, around = dict(self._ways), dict[str, str]()
        waiting = [
            (node.loop.body, node.id)
            for node in self._view.nodes.values()
            if node.loop is not None and node.timeout is None
            if not self.iterates(node.id) and node.id not in self.compensating
        ]
        for node, loop in waiting:
            if around.setdefault(node, loop) == loop and node in missing:
                missing[node] -= 1
                if not missing[node]:
                    enclosing[node] = loop
                    waiting.extend((inner, loop) for inner in self._starts(node))
        return enclosing
