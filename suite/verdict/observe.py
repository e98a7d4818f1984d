"""From the messages of a run to what was observed of it."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from comparator.observation import Call, Idle, Observation, Report
from comparator.trace import LoopStep, Trace, Transition
from suite.protocol.messages import COUNTED, Description
from suite.protocol.transcript import Transcript

__all__ = ["observe", "open_together"]


class _Seen(msgspec.Struct):
    """What has been read so far; owned by one call of ``observe``."""

    transitions: list[Transition] = []
    times: list[float] = []
    calls: dict[int, Call] = {}
    idles: list[Idle] = []
    reports: list[Report] = []
    text: list[str] = []
    outcome: str | None = None
    sent: int = 0
    cancelled: int | None = None
    secrets: tuple[str, ...] = ()


def observe(transcript: Transcript, description: Description, *, text: bool = True) -> Observation:
    """Read a transcript; messages that the protocol does not know have been refused before.

    ``text`` says whether all that the runtime sent is collected, which only the search for
    secrets needs.
    """
    seen = _Seen()
    for entry in transcript.entries:
        message = entry.message
        kind = message.get("type")
        if entry.source == "suite":
            _from_suite(seen, kind, message)
            continue
        if text:
            seen.text.extend(_strings(message))
        if kind == "transition":
            seen.transitions.append(_transition(message))
            seen.times.append(entry.at)
        else:
            _from_runtime(seen, kind, message)
    interactive = description.control == "interactive"
    shows_calls = interactive or "calls" in description.features
    return Observation(
        trace=Trace(tuple(seen.transitions), seen.outcome),
        times=tuple(seen.times) if interactive and description.clock == "virtual" else (),
        calls=tuple(seen.calls.values()) if shows_calls else None,
        idles=tuple(seen.idles) if interactive and description.quiescence == "idle" else None,
        reports=tuple(seen.reports) if "codes" in description.features else None,
        text="\n".join(seen.text),
        cancelled=seen.cancelled,
        answering=interactive,
    )


def open_together(transcript: Transcript) -> int:
    """Return the greatest number of step calls that were open at once.

    A call is closed by the suite's answer, by its abort, or, where nobody answers (scripted),
    by the node's next transition.
    """
    opened: dict[int, tuple[Any, ...]] = {}
    calls_of: dict[tuple[Any, ...], list[int]] = {}
    most = 0
    for entry in transcript.entries:
        message = entry.message
        kind = message.get("type")
        if kind == "invoke":
            opened[message["call"]] = owner = _owner(message)
            calls_of.setdefault(owner, []).append(message["call"])
            most = max(most, len(opened))
        elif kind in {"outcome", "abort"}:
            opened.pop(message["call"], None)
        elif kind == "transition":
            for call in calls_of.pop(_owner(message), ()):
                opened.pop(call, None)
    return most


def _from_suite(seen: _Seen, kind: Any, message: Mapping[str, Any]) -> None:
    if kind in COUNTED:
        seen.sent += 1
    if kind == "cancel":
        seen.cancelled = len(seen.transitions)
    elif kind == "run":
        # When a scripted runtime cancels is its own affair.
        seen.cancelled = None if (message.get("plan") or {}).get("cancel") is None else 0
        seen.secrets = tuple(filter(None, (message.get("secrets") or {}).values()))
    elif kind == "outcome":
        call = seen.calls.get(message["call"])
        if call is not None:
            seen.calls[message["call"]] = msgspec.structs.replace(
                call,
                answered=len(seen.transitions),
                ok=message["result"] == "ok",
                error_class=_repeatable(seen, message.get("errorClass")),
            )


def _repeatable(seen: _Seen, error_class: str | None) -> str | None:
    """Return a class as the runtime is to tell it; None where it holds a secret (§11.7)."""
    if error_class is None or any(secret in error_class for secret in seen.secrets):
        return None
    return error_class


def _from_runtime(seen: _Seen, kind: Any, message: Mapping[str, Any]) -> None:
    if kind == "invoke":
        seen.calls[message["call"]] = Call(
            node=message["node"],
            place=len(seen.transitions),
            iteration=_steps(message),
            attempt=message.get("attempt"),
            inputs=message.get("inputs", {}),
        )
    elif kind == "abort":
        call = seen.calls.get(message["call"])
        # An abort that crosses the answer reaches nothing any more.
        if call is not None and call.answered is None:
            seen.calls[message["call"]] = msgspec.structs.replace(call, aborts=call.aborts + 1)
    elif kind == "idle":
        # An idle point that has not seen all that the suite sent is out of date.
        if message["seen"] == seen.sent:
            seen.idles.append(Idle(len(seen.transitions), message.get("timer")))
    elif kind == "end":
        seen.outcome = message.get("outcome")
        seen.reports.extend(
            Report(code=code["code"], node=code.get("node")) for code in message.get("codes", ())
        )


def _transition(message: Mapping[str, Any]) -> Transition:
    value = message.get
    return Transition(
        node=message["node"],
        from_=message["from"],
        to=message["to"],
        iteration=_steps(message),
        attempt=value("attempt"),
        error_class=value("errorClass"),
        code=value("code"),
        message=value("message"),
        at=value("at"),
    )


def _steps(message: Mapping[str, Any]) -> tuple[LoopStep, ...]:
    steps = message.get("iteration")
    return tuple(LoopStep(step["loop"], step["index"]) for step in steps) if steps else ()


def _owner(message: Mapping[str, Any]) -> tuple[Any, ...]:
    steps = message.get("iteration")
    outer = ((step["loop"], step["index"]) for step in steps) if steps else ()
    return (message["node"], *outer)


def _strings(value: Any) -> Iterator[str]:
    """Yield every text and number inside a JSON value, names included."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from _strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)
    elif isinstance(value, str):
        yield value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
