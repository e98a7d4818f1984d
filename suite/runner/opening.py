"""The start of an adapter, under way while something else is done."""

import threading

from suite.protocol.runtime import AnyRuntime, open_runtime
from suite.runner.settings import Settings

__all__ = ["Opening"]


class Opening:
    """Opens a runtime in a thread: most of the time is spent in the adapter's own process."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._runtime: AnyRuntime | None = None
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._open, name="hxconf-opening", daemon=True)
        self._thread.start()

    def _open(self) -> None:
        settings = self._settings
        try:
            self._runtime = open_runtime(
                settings.target,
                python=settings.python,
                in_process=settings.in_process,
                settle=settings.settle,
            )
        except Exception as error:  # noqa: BLE001 -- it belongs to whoever asks for the runtime
            self._error = error

    def runtime(self) -> AnyRuntime:
        """Return the runtime once it is open; raises what ``open_runtime`` raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        runtime, self._runtime = self._runtime, None
        if runtime is None:
            raise RuntimeError("a runtime that was opened can be had once")
        return runtime

    def close(self) -> None:
        """End the runtime if nobody has asked for it."""
        self._thread.join()
        if self._runtime is not None:
            self._runtime.close(politely=False)
            self._runtime = None
