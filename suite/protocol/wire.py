"""Lines to and from an adapter over file descriptors, never blocking beyond a deadline."""

import os
import selectors
import time
from abc import ABC, abstractmethod
from typing import Final

import msgspec

from suite.protocol.breach import Breach, Gone, quote
from suite.protocol.lines import Lines, Tail

__all__ = ["Bounds", "Wire"]

_CHUNK: Final = 1 << 16

#: Seconds between looks at whether the program still lives; its output may be kept open by a
#: process that it left behind.
_SLICE: Final = 0.05


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """How much of an adapter is put up with.

    Attributes:
        line: bytes of one message.
        request: bytes sent in answer to one request.
        stderr: bytes of standard error that are kept.
        stop: seconds from ``stop`` to the end of the program before it is asked by SIGTERM.
        grace: seconds from SIGTERM to SIGKILL.
    """

    line: int = 1 << 20
    request: int = 8 << 20
    stderr: int = 64 << 10
    stop: float = 1.0
    grace: float = 0.3


class Wire(ABC):
    """One end of a conversation in lines; subclasses own what is at the other end.

    Attributes:
        strict: whether the output has to end with a whole line.
    """

    strict = True

    def __init__(self, writer: int, reader: int, errors: int | None, bounds: Bounds) -> None:
        self._writer = writer
        self._reader = reader
        self._fds = [fd for fd in (writer, reader, errors) if fd is not None]
        self._lines = Lines(bounds.line, bounds.request)
        self._tail = Tail(bounds.stderr)
        self._unsent = bytearray()
        self._open = True
        self._fed = 0.0
        for fd in self._fds:
            os.set_blocking(fd, False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(reader, selectors.EVENT_READ)
        if errors is not None:
            self._selector.register(errors, selectors.EVENT_READ)

    @abstractmethod
    def farewell(self) -> str:
        """Say how the other end ended, after it closed its output."""

    @abstractmethod
    def alive(self) -> bool:
        """Whether the other end still runs."""

    @abstractmethod
    def end(self, *, politely: bool) -> None:
        """End the other side within a bound and let go of everything; may be called twice."""

    def begin(self) -> None:
        """Start the count of bytes and the tail of standard error anew."""
        self._turn(0)
        self._lines.reset()
        self._tail.reset()

    def send(self, line: bytes) -> None:
        """Send a line as far as the other side takes it; the rest follows in ``receive``."""
        self._unsent += line
        self._unsent += b"\n"
        self._flush()

    def receive(self, deadline: float) -> bytes | None:
        """Return the next line, None once ``deadline`` (``time.monotonic``) has passed.

        Raises:
            Breach: an endless or unfinished line.
            Flood: too much was sent since ``begin``.
            Gone: the other end ended.
        """
        while True:
            line = self._lines.take()
            if line is not None:
                return line
            if not self._open:
                raise self._goodbye()
            left = deadline - time.monotonic()
            if not self._turn(max(0.0, min(left, _SLICE))):
                if left <= 0:
                    return None
                if not self.alive():
                    self._drain()
                    self._open = False

    def stalled_line(self, seconds: float) -> bytes:
        """Return the unfinished line if nothing was added to it for that long, else nothing."""
        quiet = time.monotonic() - self._fed >= seconds
        return self._lines.rest if quiet else b""

    def surplus(self) -> bytes:
        """Return what came and was not received: a line, or the beginning of one."""
        return self._lines.take() or self._lines.rest

    def mishap(self) -> str | None:
        """Say, after ``end``, how the other side ended by itself if not well; None otherwise."""
        return None

    @property
    def rest(self) -> bytes:
        """What was received of a line that has not ended."""
        return self._lines.rest

    @property
    def stderr_tail(self) -> str:
        """What the other side wrote to standard error last."""
        return self._tail.text()

    def _goodbye(self) -> Exception:
        end = self.farewell()
        self._drain()
        if self.strict and self._lines.rest and end.endswith("code 0"):
            return Breach(
                f"half a line was sent: {quote(self._lines.rest)}, then the program {end}"
            )
        return Gone(end)

    def _turn(self, seconds: float) -> bool:
        """Wait for at most that long and move what can be moved; whether anything moved."""
        ready = self._selector.select(seconds)
        for key, mask in ready:
            if mask & selectors.EVENT_WRITE:
                self._flush()
            elif key.fd == self._reader:
                self._read()
            else:
                self._read_errors(key.fd)
        return bool(ready)

    def _read(self) -> None:
        try:
            chunk = os.read(self._reader, _CHUNK)
        except BlockingIOError:
            return
        if chunk:
            self._fed = time.monotonic()
            self._lines.feed(chunk)
        else:
            self._open = False
            self._selector.unregister(self._reader)

    def _read_errors(self, fd: int) -> None:
        chunk = os.read(fd, _CHUNK)
        if chunk:
            self._tail.feed(chunk)
        else:
            self._selector.unregister(fd)

    def _drain(self) -> None:
        """Take in what is left in the pipes, at most as much as a pipe holds."""
        for _ in range(64):
            if not self._selector.get_map() or not self._turn(0):
                break

    def _flush(self) -> None:
        """Write what the pipe takes now; a closed pipe shows itself by the end of the output."""
        try:
            while self._unsent:
                del self._unsent[: os.write(self._writer, self._unsent[:_CHUNK])]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._unsent.clear()
        self._watch_writer(wanted=bool(self._unsent))

    def _watch_writer(self, *, wanted: bool) -> None:
        watched = self._writer in self._selector.get_map()
        if wanted and not watched:
            self._selector.register(self._writer, selectors.EVENT_WRITE)
        elif watched and not wanted:
            self._selector.unregister(self._writer)

    def _let_go(self) -> None:
        """Close the descriptors."""
        self._selector.close()
        for fd in self._fds:
            os.close(fd)
        self._fds = []
        self._open = False
