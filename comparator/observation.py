"""What was seen of one run beyond its trace: calls, idle points, reported codes."""

from typing import Any

import msgspec

from comparator.trace import LoopStep, Trace

__all__ = ["Call", "Idle", "Observation", "Report"]


class Call(msgspec.Struct, frozen=True):
    """One step call.

    Attributes:
        place: number of transitions observed before the call.
        answered: number of transitions observed when the suite answered it, None if never.
        ok: whether that answer was a success; None when there was no answer.
        aborts: how often the runtime aborted it before it was answered.
        error_class: class of the failure (§14.3) that the suite answered, None without.
    """

    node: str
    place: int
    iteration: tuple[LoopStep, ...] = ()
    attempt: int | None = None
    inputs: dict[str, Any] = {}
    answered: int | None = None
    ok: bool | None = None
    aborts: int = 0
    error_class: str | None = None


class Idle(msgspec.Struct, frozen=True):
    """One quiescent point: ``place`` transitions seen, next timer in ``timer`` seconds."""

    place: int
    timer: float | None = None


class Report(msgspec.Struct, frozen=True):
    """A run-time code that the runtime reported outside of a transition (§14.4)."""

    code: str
    node: str | None = None


class Observation(msgspec.Struct, frozen=True):
    """One observed run.

    Attributes:
        trace: transitions as received, in order.
        times: virtual seconds at which each transition was received, or empty for a runtime
            on the wall clock.
        calls: step calls in order, None when the runtime does not show them.
        idles: quiescent points in order, None when the runtime does not report them.
        reports: codes beside the trace, None when the runtime does not show codes.
        text: everything the runtime sent, for the search of secrets.
        cancelled: number of transitions observed when the suite cancelled the instance, 0 where
            that is not known, None if it did not.
        answering: whether the suite answers step calls; None where only the answers tell.
    """

    trace: Trace
    times: tuple[float, ...] = ()
    calls: tuple[Call, ...] | None = None
    idles: tuple[Idle, ...] | None = None
    reports: tuple[Report, ...] | None = None
    text: str = ""
    cancelled: int | None = None
    answering: bool | None = None
