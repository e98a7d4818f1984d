"""A Python adapter in a thread of this process, for debuggers: nothing can be killed."""

import os
import sys
import threading
from pathlib import Path

from suite.protocol import host
from suite.protocol.targets import PythonTarget
from suite.protocol.wire import Bounds, Wire

__all__ = ["Local"]


class Local(Wire):
    """The host of ``host.py`` at the other end of two pipes, in a thread."""

    def __init__(self, target: PythonTarget, bounds: Bounds) -> None:
        if str(Path.cwd()) not in sys.path:
            # Last, so that nothing of ours is hidden by modules of the working directory.
            sys.path.append(str(Path.cwd()))
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        self._bounds = bounds
        self._thread = threading.Thread(
            target=host.serve, args=(str(target), theirs_in, theirs_out), daemon=True
        )
        self._thread.start()
        super().__init__(ours_out, ours_in, None, bounds)

    def alive(self) -> bool:
        """Whether the thread still runs."""
        return self._thread.is_alive()

    def farewell(self) -> str:
        """Say what is known of the thread."""
        return "ended its thread"

    def end(self, *, politely: bool) -> None:
        """Close the pipes; a thread that blocks in the adapter is left to itself."""
        if not self._fds:
            return
        self._let_go()
        self._thread.join(self._bounds.stop if politely else self._bounds.grace)
