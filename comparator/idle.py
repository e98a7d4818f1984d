"""Idle points: the states of nodes and the next timer when nothing moves without the suite."""

from collections.abc import Iterator

from comparator.difference import Difference
from comparator.evidence import Evidence, unobservable
from comparator.golden import IdleEntry, Section
from comparator.observation import Idle
from comparator.timers import SLACK

__all__ = ["idle_differences"]


def idle_differences(evidence: Evidence, section: Section) -> Iterator[Difference]:
    """Hold the idle points against the section's entries."""
    idles = evidence.observation.idles
    for entry in section.at_idle:
        if idles is None:
            yield unobservable(entry.cites, None, "idle points")
        elif entry.idle > len(idles):
            yield Difference(
                kind="idle-missing", cites=entry.cites, expected=entry.idle, observed=len(idles)
            )
        else:
            yield from _at(evidence, entry, idles[entry.idle - 1])


def _at(evidence: Evidence, entry: IdleEntry, idle: Idle) -> Iterator[Difference]:
    for address, expected in entry.states.items():
        observed = evidence.state_at(evidence.where(address), idle.place)
        if observed != expected:
            yield Difference(
                kind="idle-state",
                cites=entry.cites,
                key=evidence.key(address),
                place=idle.place,
                expected=expected,
                observed=observed,
                detail={"idle": entry.idle},
            )
    if entry.timer is not None and (idle.timer is None or abs(idle.timer - entry.timer) > SLACK):
        yield Difference(
            kind="idle-timer",
            cites=entry.cites,
            place=idle.place,
            expected=entry.timer,
            observed=idle.timer,
            detail={"idle": entry.idle},
        )
