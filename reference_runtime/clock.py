"""The virtual clock: time stands still until somebody advances it; timers wait in a heap."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush

__all__ = ["Clock", "Timer"]


@dataclass(order=True, slots=True)
class Timer:
    """Something due at a moment (virtual seconds); equal moments keep the order of setting."""

    due: float
    number: int
    action: Callable[[], None] = field(compare=False)
    live: bool = field(default=True, compare=False)

    def cancel(self) -> None:
        """Make the timer never fire."""
        self.live = False


class Clock:
    """Virtual seconds since the run began, and what is still to come."""

    def __init__(self) -> None:
        self.now = 0.0
        self._heap: list[Timer] = []
        self._set = 0

    def after(self, delay: float, action: Callable[[], None]) -> Timer:
        """Set a timer that is due ``delay`` seconds from now."""
        self._set += 1
        timer = Timer(self.now + delay, self._set, action)
        heappush(self._heap, timer)
        return timer

    def next_in(self) -> float | None:
        """Seconds until the next live timer, None without one."""
        while self._heap and not self._heap[0].live:
            heappop(self._heap)
        return max(0.0, self._heap[0].due - self.now) if self._heap else None

    def advance(self, seconds: float) -> Iterator[Timer]:
        """Move on, yielding each timer when it is due; new ones set meanwhile are included."""
        end = self.now + seconds
        while (delay := self.next_in()) is not None and self.now + delay <= end:
            timer = heappop(self._heap)
            self.now = max(self.now, timer.due)
            timer.live = False
            yield timer
        self.now = max(self.now, end)
