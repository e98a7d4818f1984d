"""Addresses of iterations for people, which name the loop where several share a body."""

from __future__ import annotations

from collections.abc import Mapping

from reference_runtime.document.model import Harness
from reference_runtime.engine.effects import Path

__all__ = ["Addresses"]


class Addresses:
    """Addresses of the nodes of a document and of their iterations."""

    def __init__(self, harness: Harness) -> None:
        loops: dict[str, list[str]] = {}
        for node in harness.nodes:
            if node.loop is not None:
                loops.setdefault(node.loop.body, []).append(node.id)
        self._loops: Mapping[str, list[str]] = loops
        self._bodies = {node.id: node.loop.body for node in harness.nodes if node.loop}

    def of(self, node: str, iteration: Path) -> str:
        """Write an address: ``b``, ``b[0,2]``, or ``b[outer:0,inner:2]`` where that is needed."""
        if not iteration:
            return node
        named = any(len(self._loops[self._bodies[loop]]) > 1 for loop, _ in iteration)
        levels = (f"{loop}:{index}" if named else f"{index}" for loop, index in iteration)
        return f"{node}[{','.join(levels)}]"
