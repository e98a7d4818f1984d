"""An adapter's program in its own process group, and the watcher that outlives the suite."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from suite.protocol import watcher
from suite.protocol.breach import Breach
from suite.protocol.lines import Flood
from suite.protocol.watcher import MARK, Family, kill_family, living, since
from suite.protocol.wire import Bounds, Wire

__all__ = ["Child", "Watch", "describe_exit"]

#: Seconds between the end of a program's output and its exit, after which they are unrelated.
_EXIT_AFTER_OUTPUT = 0.5

#: Seconds between looks at a program that is about to end.
_POLL = 0.005


def describe_exit(code: int) -> str:
    """Say how a program ended, from its return code as ``subprocess`` gives it."""
    if code >= 0:
        return f"exited with code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"


class Watch:
    """The process behind ``watcher.py``, shared by all programs that one runtime starts.

    Attributes:
        mark: what all of them have in their environment.
        began: when the first could have started.
    """

    def __init__(self) -> None:
        self.mark = f"{os.getpid()}-{os.urandom(8).hex()}"
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(watcher.__file__))],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            bufsize=0,
        )
        self.began = since(self._process.pid)

    def take(self, family: Family) -> None:
        """Put the processes of an adapter under watch."""
        self._tell(f"+{family.group} {family.mark} {family.since}\n")

    def leave(self, family: Family) -> None:
        """Take them off."""
        self._tell(f"-{family.group}\n")

    def _tell(self, line: str) -> None:
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.write(line.encode())

    def close(self) -> None:
        """End the watcher, and with it whatever its programs left behind."""
        kill_family(Family(0, self.mark, self.began))
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()


def _environment(mark: str) -> dict[str, str]:
    """Environment of a runtime: pytest writes the id of the test that runs into its own."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")}
    return {**kept, MARK: mark}


class Child(Wire):
    """A running program; its messages are lines on its standard input and output.

    Attributes:
        brief: whether it only prints and ends; what it leaves behind is then looked for by
            the watch alone.

    Raises:
        OSError: the program cannot be started.
    """

    brief = False

    def __init__(self, command: Sequence[str], watch: Watch, bounds: Bounds) -> None:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            bufsize=0,
            env=_environment(watch.mark),
        )
        self._family = Family(process.pid, watch.mark, since(process.pid))
        watch.take(self._family)
        self._process = process
        self._watch = watch
        self._bounds = bounds
        self._ended = False
        pipes = (process.stdin, process.stdout, process.stderr)
        # Wire owns the descriptors; Popen's file objects would close them a second time.
        writer, reader, errors = (os.dup(pipe.fileno()) for pipe in pipes if pipe is not None)
        for pipe in pipes:
            if pipe is not None:
                pipe.close()
        super().__init__(writer, reader, errors, bounds)

    @property
    def group(self) -> int:
        """Number of the process group."""
        return self._process.pid

    @property
    def returncode(self) -> int:
        """How the program ended, as ``subprocess`` gives it; waits for its end."""
        return self._process.wait()

    def alive(self) -> bool:
        """Whether the program itself still runs, whatever became of processes it started."""
        return self._process.poll() is None

    def farewell(self) -> str:
        """Say how the program ended, or that it only closed its output."""
        code = self._wait(_EXIT_AFTER_OUTPUT)
        return "closed its standard output and runs on" if code is None else describe_exit(code)

    def end(self, *, politely: bool) -> None:
        """End all of its processes: wait if it was told to stop, then SIGTERM, then SIGKILL."""
        if not self._fds:
            return
        if politely:
            self._wait(self._bounds.stop)
            self._ended = not self.alive()
            self._drain()
        known = living(self._family) if self.alive() else ()
        if self.alive():
            self._signal(signal.SIGTERM)
            self._wait(self._bounds.grace)
        if self.brief and not known:
            self._signal(signal.SIGKILL)
        else:
            kill_family(self._family, known)
        self._process.wait()
        self._watch.leave(self._family)
        self._let_go()

    def mishap(self) -> str | None:
        """Say how the program ended after it was told to stop, if by itself and not well."""
        code = self._process.returncode
        return describe_exit(code) if self._ended and code else None

    def _signal(self, number: signal.Signals) -> None:
        # PermissionError: on some systems a group of zombies only.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.group, number)

    def _wait(self, seconds: float) -> int | None:
        """Wait for the program's end; its output is taken in meanwhile, so that it can end."""
        deadline = time.monotonic() + seconds
        while self._process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(Breach, Flood):
                self._turn(_POLL)
        return self._process.returncode
