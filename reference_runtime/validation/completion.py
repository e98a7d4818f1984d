"""Which nodes can have completed when an expression is evaluated (§10.3, HX-3104, A170).

A node cannot have completed when it is the reader itself or when each of its ways to start waits
for the reader. A node beside the reader can have. What runs in the iterations of a loop, and
nowhere else, runs before that loop has completed, and before all that waits for the loop. What is
not certain is no finding: nodes that run in iterations may have run before, and everything may
have when a run unwinds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reference_runtime.validation.scopes import Scopes
from reference_runtime.validation.sites import Site
from reference_runtime.validation.view import View
from reference_runtime.validation.waiting import Wait, Waiting

__all__ = ["Completion"]

#: A read name: where it is read, and the node; the node is one of the document.
Read = tuple[Site, str]


class Completion:
    """Answers for one document."""

    def __init__(self, view: View, scopes: Scopes) -> None:
        self._view = view
        self._scopes = scopes
        self._waiting = Waiting(view, scopes)

    def unfinished(self, reads: Sequence[Read]) -> Iterator[tuple[int, str]]:
        """Yield the places of those reads whose nodes cannot have completed, and why."""
        waits = [self._wait(site, node) for site, node in reads]
        certain = self._waiting.certain(dict.fromkeys(wait for wait in waits if wait))
        for place, ((site, node), wait) in enumerate(zip(reads, waits, strict=True)):
            if site.edge is None and node == site.owner:
                yield place, f"node {node!r} reads its own output before it has run."
            elif wait is not None and (wait in certain or wait.first == node):
                yield place, self._reason(site, node)

    def _reason(self, site: Site, node: str) -> str:
        loop = self._scopes.enclosing(site.owner)
        if loop is None:
            return f"node {node!r} can only run after {site.owner!r}."
        inside = f"{site.owner!r} runs in the iterations of {loop!r}"
        if node == loop:
            return f"{inside}, which has not completed by then."
        return f"{inside}, and node {node!r} can only run after that."

    def _wait(self, site: Site, node: str) -> Wait | None:
        """Say what keeps a node from having completed, if that is so; None if it may have."""
        reader = site.owner
        unwinding = site.edge is not None and site.edge.type == "compensation"
        if node == reader or unwinding or reader in self._scopes.compensating:
            return None
        if not self._scopes.iterates(reader):
            # The condition of a loop is evaluated between iterations of its body.
            bodies = site.place != "loop/@while"
            return Wait(reader, node, bodies) if reader in self._view.nodes else None
        loop = self._scopes.enclosing(reader)
        return None if loop is None else Wait(loop, node, bodies=False)
