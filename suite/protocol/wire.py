"""Lines to and from an adapter over file descriptors, never blocking beyond a deadline."""

import os
import select
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
        self._clogged = False  # the pipe takes no more; the poll says when it does
        self._deaf = False  # nothing can be sent any more
        self._open = True
        self._fed = 0.0
        for fd in self._fds:
            os.set_blocking(fd, False)
        # Used as it is: what ``selectors`` adds takes longer than a look at two pipes.
        self._poll = select.poll()
        self._watched: set[int] = set()
        for fd in self._fds[1:]:
            self._poll.register(fd, select.POLLIN)
            self._watched.add(fd)

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
        self._lines.reset()
        self._tail.reset()

    def send(self, line: bytes) -> None:
        """Send a line with the next ``receive``, before anything is waited for.

        Answers to messages that came together go out together, so that the other side is woken
        once.
        """
        self._unsent += line
        self._unsent += b"\n"

    def flush(self) -> None:
        """Send what waits, as far as it can be done at once."""
        if self._unsent and not self._clogged:
            self._flush()

    def take(self) -> bytes | None:
        """Return the next line of those that were received already, None without one."""
        return self._lines.take()

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
                elif self._deaf:
                    raise Gone("closed its standard input and runs on")

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
        self.flush()
        ready = self._poll.poll(seconds * 1000)
        for fd, _ in ready:
            if fd == self._reader:
                self._read()
            elif fd == self._writer:
                self._flush()
            else:
                self._read_errors(fd)
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
            self._unwatch(self._reader)

    def _read_errors(self, fd: int) -> None:
        chunk = os.read(fd, _CHUNK)
        if chunk:
            self._tail.feed(chunk)
        else:
            self._unwatch(fd)

    def _unwatch(self, fd: int) -> None:
        self._poll.unregister(fd)
        self._watched.discard(fd)

    def _drain(self) -> None:
        """Take in what is left in the pipes, at most as much as a pipe holds."""
        for _ in range(64):
            if not self._watched or not self._turn(0):
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
            self._deaf = True
        if self._clogged != bool(self._unsent):
            self._clogged = not self._clogged
            if self._clogged:
                self._poll.register(self._writer, select.POLLOUT)
            else:
                self._poll.unregister(self._writer)

    def _let_go(self) -> None:
        """Close the descriptors."""
        for fd in self._watched:
            self._poll.unregister(fd)
        self._watched.clear()
        for fd in self._fds:
            os.close(fd)
        self._fds = []
        self._open = False
