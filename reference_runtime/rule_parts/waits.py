"""Rules of wait nodes: how long, until what is true, and which events (§3.2.9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["WAITS", "WaitRules"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitRules:
    """The part of the rules about wait nodes.

    Attributes:
        lasts: seconds that a wait lasts, by @duration and the seconds since the run began; None
            for ever.
        looks_at_once: whether @until is evaluated when the wait begins.
        looks_again: of the places of the nodes whose outputs it reads, those after whose news it
            is evaluated again: all.
        unmet: state of a wait whose @until is false at first: it waits.
        name: under which name an event is sent and awaited: its own.
    """

    lasts: Callable[[float, float], float | None]
    looks_at_once: bool
    looks_again: Callable[[Sequence[int]], Sequence[int]]
    unmet: str
    name: Callable[[str], str]


WAITS: Final = WaitRules(
    lasts=lambda duration, _now: duration,
    looks_at_once=True,
    looks_again=lambda places: places,
    unmet="RUNNING",
    name=lambda event: event,
)
