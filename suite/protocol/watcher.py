"""Starts an adapter's programs, adopts whatever they leave behind, and ends all of it.

Executed by path, standard library only: ``watcher.py MARK``, with one end of a socket as its
standard input. It is told (see ``ask``) to start a program on three descriptors that come along,
to ask it by SIGTERM to end, and to kill it; it tells what came of that (see ``TOLD``). When the
other end of the socket closes, the suite is gone, maybe without warning: then it ends the
program by itself.

It is the program's parent and, on Linux, the next of kin of every descendant that loses its own
(``PR_SET_CHILD_SUBREAPER``): no process gets away by leaving the group, the session or the
environment that it was started with. Elsewhere, and for a suite whose watcher was killed, what is
known is the process group and, where there is a ``/proc``, the ancestors that live and the mark
in the environment.
"""

import contextlib
import ctypes
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Iterable, Iterator
from functools import partial
from typing import NamedTuple

__all__ = ["MARK", "TOLD", "Family", "ask", "kill_family", "living", "since"]

#: Seconds between asking a program to end and killing it, once the suite is gone.
GRACE = 0.5

#: Variable in an adapter's environment; its value is the mark.
MARK = "HXCONF_ADAPTER"

#: What the watcher tells: ``p`` the number of the process that was started, ``x`` the errno of
#: one that could not be, ``z`` how it ended (as ``subprocess`` tells it), ``c`` nothing is left.
TOLD = struct.Struct("=cq")

#: What it is asked: a letter and the size of what follows: ``s`` starts the program whose words
#: follow, ``t`` sends SIGTERM to its group, ``k`` kills it and all that descends from it.
_ASKED = struct.Struct("=cI")

#: Looks for processes that were started while others were being killed.
_ROUNDS = 400

_PAUSE = 0.002

_PR_SET_CHILD_SUBREAPER = 36

#: Python ignores the first two; a program is started without that.
_PYTHONS = {signal.SIGPIPE, signal.SIGXFSZ}

#: Signals that somebody may send to all they find, and that end a process.
_SHRUGGED_OFF = {
    getattr(signal, f"SIG{name}") for name in ("INT", "TERM", "HUP", "QUIT", "USR1", "USR2", "ALRM")
}


class Family(NamedTuple):
    """The processes that one start of an adapter brought about.

    Attributes:
        group: process group, which is the number of the first process and of its session; 0
            for whatever has the mark.
        mark: value of ``MARK`` in the environment.
        since: start of the first process, in clock ticks since the system's; 0 if not known.
    """

    group: int
    mark: str
    since: int


class _Row(NamedTuple):
    parent: int
    group: int
    session: int
    started: int


def _row(process: "int | str") -> "_Row | None":
    """Read what the system says of a process; None for a zombie and for no process."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:  # noqa: PTH123 -- one of hundreds
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    if fields[0] in (b"Z", b"X"):
        return None
    return _Row(int(fields[1]), int(fields[2]), int(fields[3]), int(fields[19]))


def since(process: int) -> int:
    """Return when a process started, 0 where that is not known."""
    row = _row(process)
    return 0 if row is None else row.started


def _table() -> Iterator[tuple[int, _Row]]:
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):  # noqa: PTH208 -- numbers are wanted, no paths
            row = _row(name) if name.isdigit() else None
            if row is not None:
                yield int(name), row


def _marked(process: int, mark: bytes) -> bool:
    try:
        with open(f"/proc/{process}/environ", "rb") as file:  # noqa: PTH123 -- as above
            return mark in file.read().split(b"\0")
    except OSError:
        return False


def _descendants(roots: Iterable[int], rows: "dict[int, _Row]") -> set[int]:
    """Return the processes below some, the roots left out."""
    children: dict[int, list[int]] = {}
    for process, row in rows.items():
        children.setdefault(row.parent, []).append(process)
    found: set[int] = set()
    pending = list(roots)
    while pending:
        new = [child for child in children.get(pending.pop(), ()) if child not in found]
        found.update(new)
        pending += new
    return found


def living(family: Family) -> set[int]:
    """Return the processes of a family that live; nothing where the system does not say."""
    mark = f"{MARK}={family.mark}".encode()
    rows = {p: row for p, row in _table() if row.started >= family.since and p != os.getpid()}
    found = {
        process
        for process, row in rows.items()
        if (family.group and family.group in (row.group, row.session)) or _marked(process, mark)
    }
    return found | _descendants(found, rows)


def kill_family(family: Family) -> None:
    """Kill a process group and all that left it and can still be told to belong to it."""
    _signal_group(family.group, signal.SIGKILL)
    for _ in range(_ROUNDS):
        left = living(family)
        if not left:
            return
        _kill(left)
        time.sleep(_PAUSE)


def _kill(processes: Iterable[int]) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)


def _signal_group(group: int, number: signal.Signals) -> None:
    if group:  # a group 0 would be our own
        # PermissionError: on some systems a group of zombies only.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)


def ask(
    link: socket.socket, letter: bytes, words: Iterable[str] = (), fds: Iterable[int] = ()
) -> None:
    """Send a request to the watcher at the other end."""
    body = b"\0".join(map(os.fsencode, words))
    data = _ASKED.pack(letter, len(body)) + body
    sent = socket.send_fds(link, [data], list(fds)) if fds else 0
    link.sendall(data[sent:])


class _Watcher:
    """Serves one suite; at most one program runs at a time."""

    def __init__(self, mark: str) -> None:
        self._link = socket.socket(fileno=0)
        self._mark = mark
        self._program = 0
        self._group = 0
        self._began = since(os.getpid())
        self._known: dict[int, int] = {}  # process → start, of those that nobody will adopt
        self._adopts = _adopt()
        self._wakes, wake = os.pipe()
        os.set_blocking(wake, False)
        os.set_blocking(self._wakes, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._defaults = {*_PYTHONS, signal.SIGCHLD}
        for number in _SHRUGGED_OFF:
            if signal.signal(number, signal.SIG_IGN) != signal.SIG_IGN:
                self._defaults.add(number)

    def serve(self) -> None:
        """Do as asked until the other end closes."""
        with contextlib.suppress(ConnectionError, EOFError):
            while True:
                ready, _, _ = select.select([self._link.fileno(), self._wakes], [], [])
                if self._wakes in ready:
                    os.read(self._wakes, 4096)
                    self._reap()
                if self._link.fileno() in ready:
                    self._take()
        self._end()

    def _take(self) -> None:
        head, fds, _, _ = socket.recv_fds(self._link, _ASKED.size, 3)
        letter, size = _ASKED.unpack(head + self._receive(_ASKED.size - len(head), empty=not head))
        body = self._receive(size)
        if letter == b"s":
            self._start(body.split(b"\0"), fds)
        elif letter == b"t":
            self._note()
            _signal_group(self._program, signal.SIGTERM)
        else:
            self._clear()
            self._tell(b"c", 0)

    def _receive(self, size: int, *, empty: bool = False) -> bytes:
        if empty:
            raise EOFError
        data = b""
        while len(data) < size:
            chunk = self._link.recv(size - len(data))
            if not chunk:
                raise EOFError
            data += chunk
        return data

    def _tell(self, letter: bytes, value: int) -> None:
        with contextlib.suppress(ConnectionError):
            self._link.sendall(TOLD.pack(letter, value))

    def _start(self, words: list[bytes], fds: list[int]) -> None:
        environment = {**os.environb, os.fsencode(MARK): os.fsencode(self._mark)}
        actions = [
            *((os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate(fds)),
            *((os.POSIX_SPAWN_CLOSE, fd) for fd in fds),
        ]
        spawn = partial(
            os.posix_spawnp,
            words[0],
            words,
            environment,
            file_actions=actions,
            setsigdef=self._defaults,
        )
        try:
            try:
                self._program = spawn(setsid=True)
            except NotImplementedError:
                self._program = spawn(setpgroup=0)
        except OSError as error:
            self._tell(b"x", error.errno or 0)
        else:
            self._group = self._program
            self._tell(b"p", self._program)
        finally:
            for fd in fds:
                os.close(fd)

    def _reap(self) -> bool:
        """Take note of all that ended; whether there are children left."""
        while True:
            try:
                process, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if not process:
                return True
            if process == self._program:
                self._program = 0
                self._tell(b"z", os.waitstatus_to_exitcode(status))

    def _note(self) -> None:
        """Remember descendants while their ancestors live, where they are lost with those."""
        if not self._adopts:
            self._known.update((process, since(process)) for process in self._left())

    def _clear(self) -> None:
        """Kill all there is."""
        self._note()
        # Whoever adopts finds the rest of a group whose first process is gone, and knows no
        # group by a number that may be another's by now.
        _signal_group(self._program if self._adopts else self._group, signal.SIGKILL)
        _kill(
            process for process, start in self._known.items() if start and since(process) == start
        )
        self._known.clear()
        for _ in range(_ROUNDS):
            children = self._reap()
            if self._adopts and not children:
                return
            left = self._left()
            if not (children or left):
                return
            _kill(left)
            time.sleep(_PAUSE)

    def _left(self) -> set[int]:
        left = _descendants([os.getpid()], dict(_table()))
        if not self._adopts:
            left |= living(Family(self._group, self._mark, self._began))
        return left

    def _end(self) -> None:
        """End the program of a suite that is gone: ask, wait, kill."""
        self._note()
        _signal_group(self._program, signal.SIGTERM)
        deadline = time.monotonic() + GRACE
        while self._program and time.monotonic() < deadline:
            time.sleep(_PAUSE)
            self._reap()
        self._clear()


def _adopt() -> bool:
    """Become the parent of descendants that lose theirs; whether the system knows that."""
    if sys.platform != "linux":
        return False
    try:
        refused = ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        return False
    return not refused


if __name__ == "__main__":
    _Watcher(sys.argv[1]).serve()
