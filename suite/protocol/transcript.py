"""What passed between suite and runtime during one request, in the order of the suite's clock."""

from typing import Any, Literal

import msgspec

__all__ = ["Entry", "Transcript"]


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One message.

    Attributes:
        source: who sent it.
        at: seconds since the run began: virtual ones (the sum of all advances) for a runtime
            with a virtual clock, real ones for a runtime on the wall clock.
        message: the message as on the wire, ``type`` included.
    """

    source: Literal["suite", "runtime"]
    at: float
    message: dict[str, Any]


class Transcript(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All messages of one request; the document's bytes in it are left out (``document: ""``)."""

    entries: tuple[Entry, ...] = ()
