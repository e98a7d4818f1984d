"""Which of the possible moves comes next: the freedom that §5.4 leaves, in one place.

A move is a READY node to be started or, in scripted runs, an answer to be handled. All
schedulers work over the same semantics; they differ in the order only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Sequence
from heapq import heappop, heappush
from random import Random
from typing import Any, NamedTuple, Protocol

__all__ = ["DocumentOrder", "Move", "Replay", "Scheduler", "SeededRandom"]


class Move(NamedTuple):
    """One possible move.

    Attributes:
        order: sorts the moves in document order; unique.
        subject: what is to be moved; never compared, as ``order`` is unique.
        calls: whether the move opens a step call.
    """

    order: tuple[int, ...]
    subject: Any
    calls: bool = False


class Scheduler(Protocol):
    """Holds possible moves and chooses among them."""

    def push(self, move: Move) -> None:
        """Take in a move that has become possible."""
        ...

    def pop(self, *, calls: bool) -> Move | None:
        """Choose the next move, only among those that open no step call unless ``calls``."""
        ...


class DocumentOrder:
    """The first in document order, outer iterations before inner ones; reproducible.

    Moves that come in order, as most do, stand in a row; only others need a heap.
    """

    def __init__(self) -> None:
        self._rows: tuple[deque[Move], deque[Move]] = (deque(), deque())
        self._heaps: tuple[list[Move], list[Move]] = ([], [])
        self._in_heaps = 0

    def push(self, move: Move) -> None:
        """Take in a move that has become possible."""
        row = self._rows[move.calls]
        if not row or row[-1] < move:
            row.append(move)
        else:
            heappush(self._heaps[move.calls], move)
            self._in_heaps += 1

    def pop(self, *, calls: bool) -> Move | None:
        """Choose the smallest."""
        if self._in_heaps:
            return self._pop_of_all(calls=calls)
        quiet, calling = self._rows
        row = calling if calls and calling and not (quiet and quiet[0] < calling[0]) else quiet
        return row.popleft() if row else None

    def _pop_of_all(self, *, calls: bool) -> Move | None:
        """Choose the smallest while some are in the heaps."""
        best = self._smallest(0)
        if calls:
            calling = self._smallest(1)
            if calling and (not best or calling[0] < best[0]):
                best = calling
        if isinstance(best, deque):
            return best.popleft() if best else None
        self._in_heaps -= 1
        return heappop(best)

    def _smallest(self, kind: int) -> deque[Move] | list[Move]:
        """The row or the heap that begins with the smallest; the row if both are empty."""
        row, heap = self._rows[kind], self._heaps[kind]
        return heap if heap and (not row or heap[0] < row[0]) else row


class _Bags(ABC):
    """Base of schedulers that choose by index among the moves as they came."""

    def __init__(self) -> None:
        self._bags: tuple[list[Move], list[Move]] = ([], [])

    def push(self, move: Move) -> None:
        """Take in a move that has become possible."""
        self._bags[move.calls].append(move)

    def pop(self, *, calls: bool) -> Move | None:
        """Choose one and fill its place with the last, which costs the same at any size."""
        quiet, calling = self._bags
        choices = len(quiet) + (len(calling) if calls else 0)
        if not choices:
            return None
        index = self._choose(choices)
        bag = quiet
        if index >= len(quiet):
            bag, index = calling, index - len(quiet)
        bag[index], bag[-1] = bag[-1], bag[index]
        return bag.pop()

    @abstractmethod
    def _choose(self, choices: int) -> int:
        """Index of the move to make among that many."""


class SeededRandom(_Bags):
    """Any of them with equal chance; the seed fixes the whole run."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._random = Random(seed)  # noqa: S311 - a reproducible order, no secret

    def _choose(self, choices: int) -> int:
        return self._random.randrange(choices)


class Replay(_Bags):
    """Follows a prefix of choices, then always the first; records how many there were.

    Exhaustive exploration replays prefixes: a run leaves ``widths``, and each place where
    another index was possible gives a new prefix.
    """

    def __init__(self, prefix: Sequence[int] = ()) -> None:
        super().__init__()
        self._prefix = prefix
        self.widths: list[int] = []

    def _choose(self, choices: int) -> int:
        place = len(self.widths)
        self.widths.append(choices)
        return self._prefix[place] if place < len(self._prefix) else 0
