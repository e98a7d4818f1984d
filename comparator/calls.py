"""Step calls: how often, with which inputs, aborted or not, and never outside an attempt."""

from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from comparator.address import parse_address
from comparator.difference import Difference
from comparator.evidence import Evidence, unobservable
from comparator.form import Where, as_key
from comparator.golden import CallEntry, Section
from comparator.lifecycle import INITIAL
from comparator.observation import Call
from comparator.trace import Key
from comparator.values import describe_difference, same

__all__ = ["call_causality", "call_differences"]

#: State that a called attempt ends in → requirement broken when the answer was not there yet.
_BEFORE_ANSWER: Final = {
    "SUCCEEDED": "6.2-no-succeeded-without-completion",
    "FAILED": "6.2-running-failed",
    "RETRYING": "6.2-running-retrying",
}


def call_differences(evidence: Evidence, section: Section) -> Iterator[Difference]:
    """Hold the calls against the section's entries."""
    calls = evidence.observation.calls
    for entry in section.calls:
        key = evidence.key(entry.node.partition("@")[0])
        if calls is None:
            yield unobservable(entry.cites, key, "step calls")
            continue
        yield from _entry(entry, key, _matching(evidence, entry, key))


def _matching(evidence: Evidence, entry: CallEntry, key: Key) -> list[Call]:
    attempt = parse_address(entry.node).attempt
    found: list[Call] = []
    counts: dict[Key, int] = {}
    for number, call in evidence.calls.get(key.node, ()):
        own = as_key(evidence.where_called(number))
        counts[own] = counts.get(own, 0) + 1
        # An address without iteration stands for all iterations of a body.
        if key.steps and own.steps != key.steps:
            continue
        if attempt is None or attempt == (call.attempt or counts[own]):
            found.append(call)
    return found


def _entry(entry: CallEntry, key: Key, calls: list[Call]) -> Iterator[Difference]:
    def difference(
        kind: str, expected: object, observed: object, place: int | None = None, **detail: object
    ) -> Difference:
        return Difference(
            kind=kind,
            cites=entry.cites,
            key=key,
            place=place,
            expected=expected,
            observed=observed,
            detail={"entry": entry.node, **detail},
        )

    if entry.count is not None and len(calls) != entry.count:
        beyond = calls[entry.count].place if len(calls) > entry.count else None
        yield difference("call-count", entry.count, len(calls), beyond)
    aborts = sum(call.aborts for call in calls)
    if entry.aborts is not None and aborts != entry.aborts:
        yield difference("call-aborts", entry.aborts, aborts)
    if entry.inputs is None:
        return
    if not calls and entry.count is None:
        yield difference("call-inputs", entry.inputs, None)
    for call in calls:
        if not same(entry.inputs, call.inputs):
            lines = describe_difference(entry.inputs, call.inputs)
            yield difference("call-inputs", entry.inputs, call.inputs, call.place, lines=lines)


def call_causality(evidence: Evidence) -> Iterator[Difference]:
    """Check that each call lies inside an attempt and is answered before the attempt ends.

    A node with a timeout may end unanswered; a cancelled attempt may too.
    """
    calls = evidence.observation.calls or ()
    # Nobody answers a scripted runtime, which may show its calls all the same.
    answering = any(call.answered is not None for call in calls)
    for number, call in enumerate(calls):
        where = evidence.where_called(number)
        node = evidence.run.graph.facts.nodes.get(call.node)
        if node is None or as_key(where).node in evidence.run.keys.unclear:
            continue
        if call.node in evidence.run.graph.extent and not call.iteration:
            continue  # the call does not tell its iteration (A117)
        state, end = _around(evidence, where, call)
        if state != "RUNNING":
            yield _causality(
                "call-outside-running", ("6.1-running-meaning",), where, call.place, state
            )
            continue
        if end is None or not answering:
            continue
        to = evidence.run.transitions[end].to
        if to not in _BEFORE_ANSWER or (to != "SUCCEEDED" and node.on_timeout is not None):
            continue
        if call.answered is None or call.answered > end:
            yield _causality("before-answer", (_BEFORE_ANSWER[to],), where, end, to)
        elif to == "SUCCEEDED" and call.ok is False:
            yield _causality("against-answer", (_BEFORE_ANSWER[to],), where, end, to)


def _around(evidence: Evidence, where: Where, call: Call) -> tuple[str, int | None]:
    """Return the state of the node at the call and the place of its next transition."""
    places = evidence.places(where)
    index = bisect_left(places, call.place)
    transitions = evidence.run.transitions
    state = transitions[places[index - 1]].to if index else INITIAL
    return state, places[index] if index < len(places) else None


def _causality(
    kind: str, cites: tuple[str, ...], where: Where, place: int, observed: str
) -> Difference:
    return Difference(kind=kind, cites=cites, key=as_key(where), place=place, observed=observed)
