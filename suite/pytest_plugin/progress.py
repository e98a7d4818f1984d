"""How far the run has come: one line that is kept up to date, or plain lines without a terminal.

pytest prints a dot for each item. A whole corpus is better followed by numbers, and when it
stands still, by the name of the case that it waits for. That is said while pytest captures what
is written to standard output, hence over a descriptor of its own.
"""

import os
import shutil
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Container, Generator
from typing import Any, Final

import pytest

from suite.report.results import Record
from suite.verdict.status import STATUSES, Status

__all__ = ["Progress"]

#: Seconds between updates in a terminal, and between plain lines.
_LIVE: Final = 0.2
_PLAIN: Final = 10.0

#: Seconds after which a case is named.
_SLOW: Final = 2.0

_ERASE: Final = "\r\x1b[K"

_TestStatus = tuple[str, Any, Any]


class Progress:
    """Counts records and says so while the run goes on; a plugin of pytest.

    Args:
        terminal: pytest's terminal reporter.
        ours: node ids that are counted here and get no dot.
        total: returns how many of them are to run.
    """

    def __init__(self, terminal: Any, ours: Container[str], total: Callable[[], int]) -> None:
        self._terminal = terminal
        self._ours = ours
        self._total = total
        self._live = bool(terminal.isatty and terminal.hasmarkup)
        self._encoding = sys.stdout.encoding or "utf-8"
        self._out: int | None = None
        self._begun = False
        self._counts: Counter[Status] = Counter()
        self._running: dict[str, float] = {}
        self._named: set[str] = set()
        self._said = time.monotonic()
        self._shown = False
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._tick, name="hxconf-progress", daemon=True)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self) -> None:
        """Start to speak up."""
        self._said = time.monotonic()
        self._begun = True
        try:
            self._out = os.dup(sys.stdout.fileno())
        except (OSError, ValueError):
            return  # no descriptor: nothing is said while a case runs
        self._thread.start()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note that an item runs; make room for pytest's own line of one that is not ours."""
        with self._lock:
            if nodeid in self._ours:
                self._running[nodeid] = time.monotonic()
            else:
                self._clear()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_report_teststatus(
        self, report: pytest.TestReport
    ) -> Generator[None, _TestStatus, _TestStatus]:
        """Keep pytest from writing a dot or a letter; its summary needs the words."""
        status = yield
        counted = report.nodeid in self._ours and not self._over.is_set()
        return (status[0], "", "") if counted else status

    def done(self, record: Record) -> None:
        """Note what came of an item; a red one is told at once."""
        self._terminal.flush()
        with self._lock:
            self._running.pop(record.id, None)
            self._counts[record.status] += 1
            if STATUSES[record.status].red:
                self._clear()
                reason = f": {record.reason}" if record.reason else ""
                self._write(f"{record.status}: {record.id}{reason}\n")
            self._speak()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Say where it ended, and be silent from then on."""
        if self._over.is_set() or not self._begun:
            return
        self._over.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._terminal.flush()
        self._clear()
        self._write(f"{self._line()}\n")
        if self._out is not None:
            os.close(self._out)
            self._out = None

    def _tick(self) -> None:
        while not self._over.wait(_LIVE):
            with self._lock:
                self._speak()

    def _speak(self) -> None:
        """Say how far it is, if that is due; without a terminal, name a slow case once."""
        now = time.monotonic()
        slow = self._slow(now)
        news = bool(slow) and slow[0] not in self._named and not self._live
        if not news and now - self._said < (_LIVE if self._live else _PLAIN):
            return
        self._said = now
        self._named.update(slow[:1])
        line = self._line() + (f", {now - self._running[slow[0]]:.0f} s: {slow[0]}" if slow else "")
        if self._live:
            width = shutil.get_terminal_size().columns
            self._write(f"{_ERASE}{line[: width - 1]}")
            self._shown = True
        else:
            self._write(f"{line}\n")

    def _slow(self, now: float) -> list[str]:
        """Return the case that has been running longest, if for long."""
        return [
            name
            for name, since in sorted(self._running.items(), key=lambda item: item[1])[:1]
            if now - since >= _SLOW
        ]

    def _line(self) -> str:
        counts = ", ".join(f"{self._counts[s]} {s}" for s in STATUSES if self._counts[s])
        return f"[{sum(self._counts.values())}/{self._total()}] {counts}".rstrip()

    def _clear(self) -> None:
        if self._shown:
            self._write(_ERASE)
            self._shown = False

    def _write(self, text: str) -> None:
        if self._out is None:
            self._terminal.write(text, flush=True)
            return
        data = text.encode(self._encoding, "replace")
        while data:
            data = data[os.write(self._out, data) :]
