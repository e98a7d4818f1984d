"""Kills the adapters' processes when the suite dies; executed by path, standard library only.

Standard input is the death pipe: ``+123 mark since`` puts process group 123 under watch, ``-123``
takes it off. When the pipe closes, whatever is still under watch is ended. The suite cannot do
this itself when it is killed without warning, and a program that ignores the end of its input
would live on.

A process that leaves the group (``setsid``) is found by what it does not leave as easily: its
ancestors, as long as they live, and the mark in the environment that it was started with. Where
there is no ``/proc``, the group is all that is known.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

__all__ = ["GRACE", "MARK", "Family", "Member", "end_families", "kill_family", "living", "since"]

#: Seconds between asking a group to end and killing it.
GRACE = 0.5

#: Variable in an adapter's environment; its value is the mark.
MARK = "HXCONF_ADAPTER"

#: Looks for processes that were started while others were being killed.
_ROUNDS = 20

_PAUSE = 0.005


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


class Member(NamedTuple):
    """A process, told from a later one of the same number by its start."""

    process: int
    started: int


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


def living(family: Family) -> set[Member]:
    """Return the processes of a family that live; nothing where the system does not say."""
    mark = f"{MARK}={family.mark}".encode()
    rows = {p: row for p, row in _table() if row.started >= family.since and p != os.getpid()}
    found = {
        process
        for process, row in rows.items()
        if (family.group and family.group in (row.group, row.session)) or _marked(process, mark)
    }
    children: dict[int, list[int]] = {}
    for process, row in rows.items():
        children.setdefault(row.parent, []).append(process)
    pending = list(found)
    while pending:
        new = [child for child in children.get(pending.pop(), ()) if child not in found]
        found.update(new)
        pending += new
    return {Member(process, rows[process].started) for process in found}


def kill_family(family: Family, known: Iterable[Member] = ()) -> None:
    """Kill a process group and all that left it.

    Args:
        family: what is killed.
        known: members that were found before their ancestors ended.
    """
    _signal_group(family.group, signal.SIGKILL)
    left = {member for member in known if since(member.process) == member.started}
    for _ in range(_ROUNDS):
        left |= living(family)
        if not left:
            return
        for member in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(member.process, signal.SIGKILL)
        left = set()
        time.sleep(_PAUSE)


def _signal_group(group: int, number: signal.Signals) -> None:
    if group:  # a group 0 would be our own
        # PermissionError: on some systems a group of zombies only.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)


def end_families(families: Iterable[Family]) -> None:
    """End families: ask, wait, kill."""
    known = {family: living(family) for family in families}
    for family in known:
        _signal_group(family.group, signal.SIGTERM)
    if known:
        time.sleep(GRACE)
    for family, members in known.items():
        kill_family(family, members)


def _watch() -> None:
    """Read the death pipe until it closes, then end the families under watch."""
    families: dict[int, Family] = {}
    for line in sys.stdin:
        group, *more = line[1:].split()
        if line[0] == "+":
            families[int(group)] = Family(int(group), more[0], int(more[1]))
        else:
            families.pop(int(group), None)
    end_families(families.values())


if __name__ == "__main__":
    _watch()
