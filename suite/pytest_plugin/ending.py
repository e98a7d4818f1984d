"""How a run ends: the folder that pytest goes back to, and the exit code."""

import os
from pathlib import Path

from suite.runner.tally import Tally
from suite.verdict.status import EXIT, STATUSES

__all__ = ["broken_off", "exit_code", "way_back"]


def way_back(folder: Path) -> str:
    """Make sure that pytest can go back to the folder where it began; it breaks off otherwise.

    Returns:
        What became of the folder, in one line; empty where nobody touched it.
    """
    try:
        os.chdir(folder)
    except OSError as error:
        told = f"{folder}: the run cannot go back there ({error.strerror})"
    else:
        return ""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.chdir(folder)
    except OSError:
        return told
    return f"{told}; it was made anew, empty"


def broken_off(tally: Tally, status: int, most: int) -> int | None:
    """Return the exit code of a run that did not come to its end, None of one that did.

    Args:
        tally: what is known of the run.
        status: exit code that pytest means to give.
        most: failures after which the run was to stop, 0 for never. Under pytest-xdist such a stop
            is a failure and no interruption.
    """
    red = sum(STATUSES[record.status].red for record in tally.records.values())
    if status == EXIT["interrupted"] and 0 < most <= red:
        return None
    return status if status in (EXIT["interrupted"], EXIT["suite-fault"], EXIT["usage"]) else None


def exit_code(tally: Tally, status: int, most: int, *, damaged: bool) -> int:
    """Return the exit code of the run.

    Args:
        tally: what is known of the run.
        status: exit code that pytest means to give.
        most: see ``broken_off``.
        damaged: whether others did something to the run itself.
    """
    stopped = broken_off(tally, status, most)
    if stopped is not None:
        return stopped
    if damaged:
        return EXIT["suite-fault"]
    code = tally.exit_code()
    if code in (EXIT["ok"], EXIT["nothing"]) and status == EXIT["failed"]:
        return status
    return code
