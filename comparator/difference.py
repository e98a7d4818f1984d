"""Differences between an expected and an observed run, as values without sentences.

``comparator.explain`` is the only place that turns them into sentences.
"""

from typing import Any, Final

import msgspec

from comparator.trace import Key

__all__ = ["KINDS", "NOTES", "Comparison", "Difference", "Reading"]

#: Every kind of difference, in the order of authority: where several fall on one step of one
#: lifecycle, the earlier speaks and the others follow from it.
KINDS: Final = (
    "unknown-node",
    "unknown-state",
    "iteration",
    "gap",
    "illegal-pair",
    "attempt",
    "attempts",
    "path",
    "unlisted",
    "iteration-start",
    "too-early",
    "sequence",
    "concurrency",
    "loop-end",
    "no-cause",
    "compensation",
    "order",
    "stepless-call",
    "call-outside-running",
    "abandoned",
    "before-answer",
    "against-answer",
    "no-call",
    "calls-in-attempt",
    "call-attempt",
    "error-class",
    "tag",
    "left-open",
    "clock",
    "call-count",
    "call-inputs",
    "call-aborts",
    "timer",
    "idle-state",
    "idle-missing",
    "idle-timer",
    "code",
    "unfounded-code",
    "outcome",
    "text",
    "unobservable",
)

#: §6.6: what a trace is advised to carry, as the kind of note that a run gets without it.
NOTES: Final = (
    "attempt-missing",
    "time-missing",
    "error-class-missing",
    "error-message-missing",
)


class Difference(msgspec.Struct, frozen=True):
    """One deviation.

    Attributes:
        kind: one of ``KINDS``. ``unobservable`` says that an entry of the golden could not be
            judged for want of evidence; it stands here so that nobody passes such a run.
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
    """The reading of an open point that a run was seen to follow.

    ``option`` is the 0-based place of the option in its choice.
    """

    interpretation: str
    reading: str
    preferred: bool
    option: int = 0


class Comparison(msgspec.Struct, frozen=True):
    """Result of comparing one run: no difference means that it conforms.

    Attributes:
        differences: in causal order, the first divergence first.
        readings: one per choice of the golden, whether or not there are differences.
        notes: recommendations (SHOULD) that were not followed, as kind → count.
        told: whether the runtime told how the instance ended; if not, that was not judged.
        unjudged: addresses whose path is ``"*"``, judged for legality only.
    """

    differences: tuple[Difference, ...] = ()
    readings: tuple[Reading, ...] = ()
    notes: dict[str, int] = {}
    told: bool = True
    unjudged: tuple[str, ...] = ()

    @property
    def unobservable(self) -> bool:
        """Whether all that speaks against the run is want of evidence."""
        kinds = {difference.kind for difference in self.differences}
        return kinds == {"unobservable"}

    @property
    def blamed(self) -> tuple[str, ...]:
        """The requirements that a failure counts against: those of the first divergence only."""
        return self.differences[0].cites if self.differences else ()
