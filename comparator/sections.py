"""The sections of a golden other than paths: one function each, from entries to differences."""

from collections.abc import Iterator
from typing import Final

from comparator.address import parse_event
from comparator.calls import call_differences
from comparator.difference import Difference
from comparator.evidence import Evidence, unobservable
from comparator.golden import Section
from comparator.idle import idle_differences
from comparator.instance import code_differences, outcome_differences, text_differences
from comparator.timers import timer_differences

__all__ = ["order_differences", "section_differences"]


def order_differences(evidence: Evidence, section: Section) -> Iterator[Difference]:
    """Hold the order that a rule adds against the trace; an event that never comes is a path's."""
    unclear = evidence.run.keys.unclear
    for entry in section.order:
        key, place = evidence.place_of(entry.event)
        about = {parse_event(text).node for text in (entry.event, *entry.after)}
        if unclear and not about.isdisjoint(unclear):
            yield unobservable(entry.cites, key, "iterations told apart")
            continue
        if place is None:
            continue
        found = [(text, evidence.place_of(text)[1]) for text in entry.after]
        late = [text for text, at in found if at is None or at >= place]
        needed = len(entry.after) if entry.at_least is None else entry.at_least
        if len(found) - len(late) < needed:
            yield Difference(
                kind="order",
                cites=entry.cites,
                key=key,
                place=place,
                expected=needed,
                observed=len(found) - len(late),
                detail={"event": entry.event, "after": list(entry.after), "late": late},
            )


_SECTIONS: Final = (
    order_differences,
    call_differences,
    timer_differences,
    idle_differences,
    code_differences,
    outcome_differences,
    text_differences,
)


def section_differences(evidence: Evidence, section: Section) -> list[Difference]:
    """Return the differences from all sections but the paths."""
    return [difference for judge in _SECTIONS for difference in judge(evidence, section)]
