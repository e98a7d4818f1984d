"""Which nodes all ways out of a node lead to, whatever happens: post-dominators of the links.

Every way out of a node ends somewhere behind the last link. The nodes that all of these ways pass
stand one behind the other, so each node has a nearest one: its parent in a tree whose root is the
end. A node is on all ways out of another if it is one of its ancestors (Lowry and Medlock, 1969;
links do not run in circles, so that one pass from the end is enough).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reference_runtime.engine.graph import Vertex

__all__ = ["WaysOut"]


class WaysOut:
    """The tree; each entry knows its parent and one ancestor far above, so climbing is quick."""

    def __init__(self, vertices: Sequence[Vertex]) -> None:
        end = len(vertices)
        self._parent = [end] * (end + 1)
        self._far = [end] * (end + 1)
        self._depth = [0] * (end + 1)
        open_ = [len(vertex.forward) for vertex in vertices]
        done = [vertex.index for vertex in vertices if not vertex.forward]
        for index in done:
            forward = vertices[index].forward
            parent = forward[0].target if forward else end
            for link in forward[1:]:
                parent = self._common(parent, link.target)
            self._hang(index, parent)
            for link in vertices[index].incoming:
                open_[link.source] -= 1
                if not open_[link.source]:
                    done.append(link.source)

    def _hang(self, index: int, parent: int) -> None:
        far, depth = self._far, self._depth
        self._parent[index] = parent
        depth[index] = depth[parent] + 1
        # Skew binary jumps (Myers, 1983): logarithmic climbing with one more number an entry.
        level = depth[parent] - depth[far[parent]] == depth[far[parent]] - depth[far[far[parent]]]
        far[index] = far[far[parent]] if level else parent

    def _raised(self, index: int, depth: int) -> int:
        """The ancestor of an entry at a depth that is not below it."""
        while self._depth[index] > depth:
            far = self._far[index]
            index = far if self._depth[far] >= depth else self._parent[index]
        return index

    def _common(self, one: int, other: int) -> int:
        """The deepest entry that is an ancestor of two, or one of them."""
        depth = min(self._depth[one], self._depth[other])
        one, other = self._raised(one, depth), self._raised(other, depth)
        while one != other:
            if self._far[one] != self._far[other]:
                one, other = self._far[one], self._far[other]
            else:
                one, other = self._parent[one], self._parent[other]
        return one

    def all_pass(self, index: int, other: int) -> bool:
        """Whether every way out of a node passes another one."""
        return self._raised(index, self._depth[other]) == other
