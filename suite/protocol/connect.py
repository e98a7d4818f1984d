"""How an adapter is started, and started again: as a program or in this process."""

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Final, Protocol

from suite.protocol.exchange import TargetError
from suite.protocol.process import Child, Watch
from suite.protocol.targets import CommandTarget, PythonTarget
from suite.protocol.wire import Bounds, Wire

__all__ = ["Connector", "connector_for", "only_python"]

_HOST: Final = str(Path(__file__).with_name("host.py"))


class Connector(Protocol):
    """Starts an adapter as often as needed.

    Attributes:
        apart: whether it works while this process does.
    """

    @property
    def apart(self) -> bool:
        """See above."""

    def connect(self) -> Wire:
        """Start it anew."""

    def release(self) -> None:
        """Let go of what all starts share."""


class _Programs:
    """Starts a program; one watcher for all starts."""

    apart: Final = True

    def __init__(self, command: Sequence[str], bounds: Bounds) -> None:
        self._command = command
        self._bounds = bounds
        self._watch = Watch()

    def connect(self) -> Wire:
        return Child(self._command, self._watch, self._bounds)

    def release(self) -> None:
        self._watch.close()


class _Threads:
    """Starts a Python adapter in this process."""

    apart: Final = False

    def __init__(self, target: PythonTarget, bounds: Bounds) -> None:
        self._target = target
        self._bounds = bounds

    def connect(self) -> Wire:
        # Loaded here: it brings asyncio along, which only a debugging session needs.
        local: Wire = import_module("suite.protocol.local").Local(self._target, self._bounds)
        return local

    def release(self) -> None:
        pass


def connector_for(
    target: PythonTarget | CommandTarget,
    name: str,
    python: str | None,
    bounds: Bounds,
    *,
    in_process: bool,
) -> Connector:
    """Choose how a target is started.

    Args:
        target: what is started.
        name: the target as the user wrote it.
        python: interpreter for a Python object, ours when None.
        bounds: how much of an adapter is put up with.
        in_process: run a Python object in a thread of this process.

    Raises:
        TargetError: an option does not go with the target.
    """
    if isinstance(target, PythonTarget):
        if in_process and python is not None:
            raise TargetError("--hx-in-process and --hx-python exclude each other")
        if in_process:
            return _Threads(target, bounds)
        return _Programs([python or sys.executable, _HOST, str(target)], bounds)
    only_python(name, python, in_process=in_process)
    return _Programs(target.words, bounds)


def only_python(name: str, python: str | None, *, in_process: bool) -> None:
    """Refuse, for a target that is no Python object, the options that go with those.

    Raises:
        TargetError: one of them is given.
    """
    if in_process or python is not None:
        option = "--hx-in-process" if in_process else "--hx-python"
        raise TargetError(f"--runtime={name}: {option} goes with Python objects (adapter:) only")
