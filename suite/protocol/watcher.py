"""Kills the adapters' process groups when the suite dies; executed by path, standard library only.

Standard input is the death pipe: ``+123`` puts process group 123 under watch, ``-123`` takes it
off. When the pipe closes, whatever is still under watch is ended. The suite cannot do this
itself when it is killed without warning, and a program that ignores the end of its input would
live on.
"""

import contextlib
import os
import signal
import sys
import time

__all__ = ["GRACE", "end_groups", "watch"]

#: Seconds between asking a group to end and killing it.
GRACE = 0.5


def end_groups(groups: "set[int]") -> None:
    """End process groups: ask, wait, kill."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        for group in groups:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, number)
        if groups and number == signal.SIGTERM:
            time.sleep(GRACE)


def watch() -> None:
    """Read the death pipe until it closes, then end the groups under watch."""
    groups: set[int] = set()
    for line in sys.stdin:
        sign, group = line[0], int(line[1:])
        (groups.add if sign == "+" else groups.discard)(group)
    end_groups(groups)


if __name__ == "__main__":
    watch()
