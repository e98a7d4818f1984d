"""An adapter's program, and the suite's end of the watcher that starts and outlives it."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from suite.protocol import watcher
from suite.protocol.breach import Breach
from suite.protocol.lines import Flood
from suite.protocol.watcher import TOLD, Family, ask, kill_family, since
from suite.protocol.wire import Bounds, Wire

__all__ = ["Child", "Watch", "describe_exit"]

#: Seconds between the end of a program's output and its exit, after which they are unrelated.
_EXIT_AFTER_OUTPUT: Final = 0.5

#: Seconds between looks at the output of a program that is about to end.
_POLL: Final = 0.005

#: Seconds in which a watcher does what it is asked, unless somebody stopped or killed it.
_PATIENCE: Final = 5.0

_UNWATCHED: Final = "lost the suite's process that watches it, which was killed or stopped,"


def describe_exit(code: int) -> str:
    """Say how a program ended, from its return code as ``subprocess`` gives it."""
    if code >= 0:
        return f"exited with code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"


class Watch:
    """The suite's end of ``watcher.py``, which starts all programs of one runtime in turn.

    Attributes:
        code: how the program ended, as ``subprocess`` gives it; None while it runs.
        lost: whether the watcher itself is gone, and nothing more is known of the program.
    """

    def __init__(self) -> None:
        self._mark = f"{os.getpid()}-{os.urandom(8).hex()}"
        self._group = 0
        self._told = b""
        self._open()

    def _open(self) -> None:
        self.code: int | None = None
        self.lost = False
        self._told = b""
        self._link, theirs = socket.socketpair()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(Path(watcher.__file__)), self._mark],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env=_environment(),
            )
        except BaseException:
            self._link.close()
            raise
        finally:
            theirs.close()
        self._began = since(self._process.pid)

    def start(self, command: Sequence[str], fds: Sequence[int]) -> int:
        """Start a program on three descriptors and return the number of its process.

        Raises:
            OSError: it cannot be started.
        """
        for _ in range(2):
            if self.lost:
                self._shut()
                self._open()
            self.code = None
            self._ask(b"s", command, fds)
            letter, value = self._hear(time.monotonic() + _PATIENCE, b"px")
            if letter == b"p":
                self._group = value
                return value
            if letter == b"x":
                raise OSError(value, os.strerror(value), command[0])
            self._lose()
        raise OSError(f"{command[0]}: the process that starts it is killed each time")

    def poll(self, seconds: float = 0.0) -> int | None:
        """Return how the program ended, None if it does not within that time."""
        if self.code is None and not self.lost:
            self._hear(time.monotonic() + seconds, b"z")
        return self.code

    def ask_to_end(self) -> None:
        """Send SIGTERM to the program's group."""
        self._ask(b"t")

    def clear(self) -> None:
        """Kill the program, if it runs, and all that descends from it."""
        self._ask(b"k")
        if not self.lost and self._hear(time.monotonic() + _PATIENCE, b"c")[0] != b"c":
            self._lose()
        if self.lost:
            kill_family(Family(self._group, self._mark, self._began))
        self._group = 0

    def close(self) -> None:
        """End the watcher, and with it whatever its programs left behind."""
        if self._link.fileno() >= 0:
            self.clear()
            self._shut()

    def _shut(self) -> None:
        self._link.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _lose(self) -> None:
        """Give up a watcher that does not answer: somebody killed or stopped it."""
        self.lost = True
        self._process.kill()

    def _ask(self, letter: bytes, words: Sequence[str] = (), fds: Sequence[int] = ()) -> None:
        if not self.lost:
            try:
                ask(self._link, letter, words, fds)
            except ConnectionError:
                self._lose()

    def _hear(self, deadline: float, letters: bytes) -> tuple[bytes, int]:
        """Return the next of some answers, and take note of every other; empty if none comes."""
        while not self.lost:
            self._link.settimeout(max(0.0, deadline - time.monotonic()))
            try:
                chunk = self._link.recv(TOLD.size - len(self._told))
            except (BlockingIOError, TimeoutError):
                break
            except ConnectionError:
                chunk = b""
            finally:
                self._link.settimeout(None)
            if not chunk:
                self._lose()
                break
            self._told += chunk
            if len(self._told) == TOLD.size:
                letter, value = TOLD.unpack(self._told)
                self._told = b""
                if letter == b"z":
                    self.code = value
                if letter in letters:
                    return letter, value
        return b"", 0


def _environment() -> dict[str, str]:
    """Environment of a runtime: pytest writes the id of the test that runs into its own."""
    return {name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")}


class Child(Wire):
    """A running program; its messages are lines on its standard input and output.

    Attributes:
        group: number of its process and of its process group.

    Raises:
        OSError: the program cannot be started.
    """

    def __init__(self, command: Sequence[str], watch: Watch, bounds: Bounds) -> None:
        self._watch = watch
        self._bounds = bounds
        self._ended = False
        input_, output, errors = os.pipe(), os.pipe(), os.pipe()
        theirs = (input_[0], output[1], errors[1])
        try:
            self.group = watch.start(command, theirs)
        except BaseException:
            for fd in (input_[1], output[0], errors[0]):
                os.close(fd)
            raise
        finally:
            for fd in theirs:
                os.close(fd)
        super().__init__(input_[1], output[0], errors[0], bounds)

    @property
    def returncode(self) -> int | None:
        """How the program ended, as ``subprocess`` gives it; None where that is not known."""
        return self._watch.code

    def alive(self) -> bool:
        """Whether the program itself still runs, whatever became of processes it started."""
        return self._watch.poll() is None and not self._watch.lost

    def farewell(self) -> str:
        """Say how the program ended, or that it only closed its output."""
        code = self._wait(_EXIT_AFTER_OUTPUT)
        if code is not None:
            return describe_exit(code)
        return _UNWATCHED if self._watch.lost else "closed its standard output and runs on"

    def end(self, *, politely: bool) -> None:
        """End all of its processes: wait if it was told to stop, then SIGTERM, then SIGKILL."""
        if not self._fds:
            return
        if politely:
            self._wait(self._bounds.stop)
            self._ended = not self.alive()
            self._drain()
        if self.alive():
            self._watch.ask_to_end()
            self._wait(self._bounds.grace)
        self._watch.clear()
        self._let_go()

    def mishap(self) -> str | None:
        """Say how the program ended after it was told to stop, if by itself and not well."""
        code = self._watch.code
        return describe_exit(code) if self._ended and code else None

    def _wait(self, seconds: float) -> int | None:
        """Wait for the program's end; its output is taken in meanwhile, so that it can end."""
        deadline = time.monotonic() + seconds
        while self.alive() and time.monotonic() < deadline:
            with contextlib.suppress(Breach, Flood):
                self._turn(0)
            self._watch.poll(_POLL)
        return self._watch.code
