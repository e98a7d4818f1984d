"""Which nodes all ways out of a node lead to, whatever happens: post-dominators of the links.

Every way out of a node ends somewhere behind the last link. The nodes that all of these ways pass
stand one behind the other, so each node has a nearest one: its parent in a tree whose root is the
end. A node is on all ways out of another if it is one of its ancestors (Lowry and Medlock, 1969;
links do not run in circles, so that one pass from the end is enough).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

__all__ = ["WaysOut"]


class WaysOut:
    """The tree; each entry knows its parent and one ancestor far above, so climbing is quick.

    ``onward`` lists for every node where its links lead.
    """

    def __init__(self, onward: Sequence[Sequence[int]]) -> None:
        end = len(onward)
        self._parent = [end] * (end + 1)
        self._far = [end] * (end + 1)
        self._depth = [0] * (end + 1)
        sources: list[list[int]] = [[] for _ in onward]
        for source, targets in enumerate(onward):
            for target in targets:
                sources[target].append(source)
        open_ = [len(targets) for targets in onward]
        done = [index for index, targets in enumerate(onward) if not targets]
        for index in done:
            self._hang(index, reduce(self._common, onward[index]) if onward[index] else end)
            for source in sources[index]:
                open_[source] -= 1
                if not open_[source]:
                    done.append(source)

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
