"""Timers: how long the runtime waited before an attempt, by the virtual clock."""

from collections.abc import Iterator
from typing import Final

from comparator.address import parse_address
from comparator.difference import Difference
from comparator.evidence import Evidence, unobservable
from comparator.golden import Section, TimerEntry

__all__ = ["SLACK", "timer_differences"]

#: Seconds by which sums of binary fractions may be off.
SLACK: Final = 1e-6


def timer_differences(evidence: Evidence, section: Section) -> Iterator[Difference]:
    """Hold the waits before attempts against the section's entries."""
    for entry in section.timers:
        key = evidence.key(entry.node.partition("@")[0])
        if not evidence.observation.times:
            yield unobservable(entry.cites, key, "times by a virtual clock")
            continue
        place, waited = _wait(evidence, entry)
        low, high = entry.between or (entry.delay or 0.0, entry.delay or 0.0)
        if waited is None or not low - SLACK <= waited <= high + SLACK:
            yield Difference(
                kind="timer",
                cites=entry.cites,
                key=key,
                place=place,
                expected=[low, high],
                observed=waited,
                detail={"entry": entry.node},
            )


def _wait(evidence: Evidence, entry: TimerEntry) -> tuple[int | None, float | None]:
    """Return place and length of the wait in RETRYING before the attempt of the entry."""
    attempt = parse_address(entry.node).attempt or 1
    transitions, times = evidence.run.transitions, evidence.observation.times
    begun = 1
    since: float | None = None
    for place in evidence.places(evidence.where(entry.node.partition("@")[0])):
        state = transitions[place].to
        if state == "RETRYING":
            begun += 1
            since = times[place]
        elif state == "READY" and begun == attempt and since is not None:
            return place, times[place] - since
    return None, None
