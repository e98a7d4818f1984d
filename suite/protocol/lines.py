"""Splitting a byte stream into lines within bounds, without input or output."""

from collections import deque

from suite.protocol.breach import Breach, quote

__all__ = ["Flood", "Lines", "Tail"]


class Flood(Exception):  # noqa: N818 -- a flood is no error of ours
    """More was received in one request than a run can mean to say."""


class Lines:
    """Collects chunks and hands out whole lines (without their end).

    Args:
        longest: bytes of the longest line accepted.
        most: bytes accepted between two calls of ``reset``.
    """

    def __init__(self, longest: int, most: int) -> None:
        self._longest = longest
        self._most = most
        self._total = 0
        self._lines: deque[bytes] = deque()
        self._rest = bytearray()

    def reset(self) -> None:
        """Start counting anew; what was received and not handed out is kept."""
        self._total = 0

    def feed(self, chunk: bytes) -> None:
        """Take in what was received.

        Raises:
            Breach: a line is longer than allowed.
            Flood: the sum is larger than allowed.
        """
        self._total += len(chunk)
        if self._total > self._most:
            raise Flood(f"more than {self._most} bytes were sent without an end")
        *whole, last = chunk.split(b"\n")
        if whole:
            if self._rest:
                whole[0] = bytes(self._rest + whole[0])
                self._rest.clear()
            for line in whole if max(map(len, whole)) > self._longest else ():
                self._check(line)
                self._lines.append(line)
            self._lines.extend(whole)
        self._rest += last
        self._check(self._rest)

    def _check(self, line: bytes | bytearray) -> None:
        if len(line) > self._longest:
            raise Breach(
                f"a line longer than {self._longest} bytes was sent; it begins with "
                f"{quote(bytes(line[:200]), 60)}"
            )

    def take(self) -> bytes | None:
        """Return the next whole line, None when there is none."""
        return self._lines.popleft() if self._lines else None

    @property
    def rest(self) -> bytes:
        """What was received of a line that has not ended yet."""
        return bytes(self._rest)


class Tail:
    """Keeps the last ``size`` bytes of a stream."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept = bytearray()
        self._cut = False

    def reset(self) -> None:
        """Forget everything."""
        self._kept.clear()
        self._cut = False

    def feed(self, chunk: bytes) -> None:
        """Take in what was received."""
        self._kept += chunk
        if len(self._kept) > 2 * self._size:
            del self._kept[: -self._size]
            self._cut = True

    def text(self) -> str:
        """Return what is kept, decoded, from the beginning of a line where something was cut."""
        kept = bytes(self._kept)
        if len(kept) > self._size or self._cut:
            kept = kept[-self._size :]
            kept = kept[kept.find(b"\n") + 1 :]
        return kept.decode("utf-8", "replace")
