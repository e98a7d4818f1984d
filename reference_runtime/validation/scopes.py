"""Where iteration variables are visible: in the body of their loop (§7.2.3, §10.3).

A handler of the body runs per iteration, too (A115), and so does a target of a body that decides;
what runs inside a loop inside the body is inside the body. Conditions of edges count for their
source. Attributes of the loop itself stand outside its body (A130).
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

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

    def iterates(self, node: str) -> bool:
        """Tell whether a node runs in iterations, so that it may run several times."""
        return next(self.loops_around(node), None) is not None

    def sees(self, node: str, name: str) -> bool:
        """Tell whether a name is an iteration variable where a node evaluates."""
        return name in self.names and any(
            name in (loop.var, loop.index_var) for loop in self.loops_around(node)
        )
