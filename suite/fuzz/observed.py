"""What was seen of one run: the transcript as the short list of events that the oracle reads."""

from typing import Any, Literal

import msgspec

from suite.protocol.messages import COUNTED
from suite.protocol.transcript import Transcript

__all__ = ["Event", "Observed", "Path", "observe"]

#: The iteration of a body node: (id of the loop, 0-based index), outermost loop first.
Path = tuple[tuple[str, int], ...]


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that happened.

    Attributes:
        kind: a transition, a step call, its answer, a call given up, the external cancel, or a
            point at which nothing moves before the suite acts.
        node: id of the node; empty for idle and cancel.
        left, entered: the states of a transition.
        inputs: values delivered with a call.
        result: ``ok`` or ``fail`` of an answer.
        iteration: where a body node was; empty in the main flow, or where nothing was said.
        at: seconds since the run began.
    """

    kind: Literal["transition", "call", "answer", "abort", "cancel", "idle"]
    node: str = ""
    left: str = ""
    entered: str = ""
    inputs: dict[str, Any] = {}
    result: str = ""
    iteration: Path = ()
    at: float = 0.0


class Observed(msgspec.Struct, frozen=True, omit_defaults=True):
    """A whole run.

    Attributes:
        outcome: as reported at the end, None when the runtime reports none.
        calls: whether step calls and their answers are among the events.
        timed: whether the times are those of a clock that only the suite moves.
    """

    events: tuple[Event, ...]
    outcome: str | None = None
    calls: bool = False
    timed: bool = False


def _path(message: dict[str, Any]) -> Path:
    levels = message.get("iteration")
    return tuple((level["loop"], level["index"]) for level in levels) if levels else ()


def observe(transcript: Transcript, *, calls: bool, timed: bool = False) -> Observed:
    """Read the events of a run that ended; stale ``idle`` messages are left out.

    Args:
        transcript: messages in the order in which the suite saw them.
        calls: whether the runtime is interactive, so that every call was answered by the suite.
        timed: whether its clock is virtual.
    """
    events: list[Event] = []
    outcome = None
    sent = 0
    callers: dict[int, tuple[str, Path]] = {}
    nobody: tuple[str, Path] = ("", ())
    for entry in transcript.entries:
        message = entry.message
        kind = message["type"]
        if kind == "transition":
            left, entered = message["from"], message["to"]
            path = _path(message)
            events.append(
                Event("transition", message["node"], left, entered, {}, "", path, entry.at)
            )
        elif kind == "invoke":
            caller = callers[message["call"]] = (message["node"], _path(message))
            given = message.get("inputs", {})
            events.append(Event("call", caller[0], inputs=given, iteration=caller[1]))
        elif kind == "abort":
            node, path = callers.get(message["call"], nobody)
            events.append(Event("abort", node, iteration=path))
        elif kind == "idle" and message["seen"] == sent:
            events.append(Event("idle", at=entry.at))
        elif kind == "end":
            outcome = message.get("outcome")
        elif entry.source == "suite" and kind in COUNTED:
            sent += 1
            if kind == "outcome":
                node, path = callers.get(message["call"], nobody)
                events.append(Event("answer", node, result=message["result"], iteration=path))
            elif kind == "cancel":
                events.append(Event("cancel"))
    return Observed(tuple(events), outcome, calls, timed)
