"""Differences between an expected and an observed run, as values without sentences.

``comparator.explain`` is the only place that turns them into sentences.
"""

from typing import Any

import msgspec

from comparator.trace import Key

__all__ = ["Comparison", "Difference", "Reading"]


class Difference(msgspec.Struct, frozen=True):
    """One deviation.

    Attributes:
        kind: row of the explanation table, e.g. ``illegal-pair``, ``path``, ``order``.
        cites: requirement ids that the deviation breaks; the section is their first part.
        key: whose lifecycle it concerns, None for the whole instance.
        place: 0-based index into the trace at which it shows, None when something is absent.
        expected: what the text demands, in the kind's own shape.
        observed: what the runtime did instead, in the same shape.
        causes: indexes (into the list of differences) of earlier deviations it follows from.
        detail: further values for the explanation, by name.
    """

    kind: str
    cites: tuple[str, ...]
    key: Key | None = None
    place: int | None = None
    expected: Any = None
    observed: Any = None
    causes: tuple[int, ...] = ()
    detail: dict[str, Any] = {}


class Reading(msgspec.Struct, frozen=True):
    """The reading of an open point that a run was seen to follow."""

    interpretation: str
    reading: str
    preferred: bool


class Comparison(msgspec.Struct, frozen=True):
    """Result of comparing one run: no difference means that it conforms.

    Attributes:
        differences: in causal order, the first divergence first.
        readings: one per choice of the golden, whether or not there are differences.
        notes: recommendations (SHOULD) that were not followed, as kind → count.
        unjudged: addresses whose path is ``"*"``, judged for legality only.
    """

    differences: tuple[Difference, ...] = ()
    readings: tuple[Reading, ...] = ()
    notes: dict[str, int] = {}
    unjudged: tuple[str, ...] = ()
