"""Lets the workers of pytest-xdist end at once when the controller is interrupted or gone.

pytest-xdist asks its workers to stop and waits up to ten seconds, while each of them waits for
its adapter. The controller therefore leaves a file, and each worker looks for it, and for its
parent, and interrupts itself.
"""

import contextlib
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

__all__ = ["Leash", "follow"]

#: Seconds between looks.
_LOOK: Final = 0.05


class Leash:
    """The controller's end.

    Attributes:
        path: file whose existence tells the workers to end.
    """

    def __init__(self) -> None:
        self._folder = Path(mkdtemp(prefix="hxconf-"))
        self.path = self._folder / "stop"

    def pull(self) -> None:
        """Tell the workers to end."""
        self.path.touch()

    def close(self) -> None:
        """Take the file away."""
        self.path.unlink(missing_ok=True)
        if self._folder.is_dir():
            self._folder.rmdir()


def follow(path: str) -> Callable[[], None]:
    """Interrupt this process, once, when ``path`` appears or the parent process is gone.

    Returns:
        what ends that.
    """
    parent = os.getppid()
    stop = Path(path)
    over = threading.Event()

    def look() -> None:
        while not over.wait(_LOOK):
            orphaned = os.getppid() != parent
            if orphaned:
                with contextlib.suppress(OSError):  # the folder's owner is gone
                    stop.parent.rmdir()
            if orphaned or stop.exists():
                os.kill(os.getpid(), signal.SIGINT)
                return

    threading.Thread(target=look, name="hxconf-leash", daemon=True).start()
    return over.set
