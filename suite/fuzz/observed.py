"""What was seen of one run: the transcript as the short list of events that the oracle reads."""

from typing import Any, Literal

import msgspec

from suite.protocol.messages import COUNTED
from suite.protocol.transcript import Transcript

__all__ = ["Event", "Observed", "observe"]


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that happened.

    Attributes:
        kind: a transition, a step call, its answer, or a point at which nothing moves before
            the suite acts.
        node: id of the node; empty for idle.
        left, entered: the states of a transition.
        inputs: values delivered with a call.
        result: ``ok`` or ``fail`` of an answer.
    """

    kind: Literal["transition", "call", "answer", "idle"]
    node: str = ""
    left: str = ""
    entered: str = ""
    inputs: dict[str, Any] = {}
    result: str = ""


class Observed(msgspec.Struct, frozen=True, omit_defaults=True):
    """A whole run.

    Attributes:
        outcome: as reported at the end, None when the runtime reports none.
        calls: whether step calls and their answers are among the events.
    """

    events: tuple[Event, ...]
    outcome: str | None = None
    calls: bool = False


def observe(transcript: Transcript, *, calls: bool) -> Observed:
    """Read the events of a run that ended; stale ``idle`` messages are left out.

    Args:
        transcript: messages in the order in which the suite saw them.
        calls: whether the runtime is interactive, so that every call was answered by the suite.
    """
    events: list[Event] = []
    outcome = None
    sent = 0
    callers: dict[int, str] = {}
    for entry in transcript.entries:
        message = entry.message
        kind = message["type"]
        if kind == "transition":
            events.append(
                Event("transition", message["node"], message["from"], message["to"]),
            )
        elif kind == "invoke":
            callers[message["call"]] = message["node"]
            events.append(Event("call", message["node"], inputs=message.get("inputs", {})))
        elif kind == "idle" and message["seen"] == sent:
            events.append(Event("idle"))
        elif kind == "end":
            outcome = message.get("outcome")
        elif entry.source == "suite" and kind in COUNTED:
            sent += 1
            if kind == "outcome":
                node = callers.get(message["call"], "")
                events.append(Event("answer", node, result=message["result"]))
    return Observed(tuple(events), outcome, calls)
