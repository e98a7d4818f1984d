"""Rules of the end: what keeps an instance open, its outcome, and unwinding (§5.7, §5.8, §8.4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

__all__ = ["ENDING", "End", "EndingRules"]


class End(NamedTuple):
    """An instance that is complete (§5.7).

    Attributes:
        phase: ``forward``, ``unwinding`` after an unhandled failure, ``cancelled`` from outside.
        undone: number of nodes COMPENSATED.
        spoiled: number of nodes whose compensation failed.
        states: states of the nodes of the main flow.
    """

    phase: str
    undone: int
    spoiled: int
    states: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class EndingRules:
    """The part of the rules about the end of an instance.

    Attributes:
        keeps_open: §5.7, whether a node keeps the instance open, by its state and by whether
            its result is to be discarded.
        first_end_completes: §5.7, whether the instance is over with the first node that has
            SUCCEEDED and leads nowhere.
        outcome: §5.7.
        unwinding_cancels: §8.4.1, states out of which unwinding cancels.
        releases: §8.4.1, whether nodes still become READY after unwinding has begun.
        compensable: §8.4.1, states of nodes that unwinding compensates.
        order: §8.4.1, sorts nodes to be compensated by their place in completion order.
        compensated: §8.4.1, whether a node is compensated after so many others.
        needs_edge: §8.4.1, whether only nodes with a compensation edge are.
        marks_source: §4.5, whether it is the source of the edge that becomes COMPENSATED, and
            not its compensating node.
        retries: §8.4.3, whether compensating nodes are retried.
        goes_on: §8.4.3, whether the others are compensated after a compensation has failed.
        records: §8.4.3, whether a failed compensation is reported and its node not COMPENSATED.
    """

    keeps_open: Callable[[str, bool], bool]
    first_end_completes: bool
    outcome: Callable[[End], str]
    unwinding_cancels: frozenset[str]
    releases: bool
    compensable: frozenset[str]
    order: Callable[[int], int]
    compensated: Callable[[int], bool]
    needs_edge: bool
    marks_source: bool
    retries: bool
    goes_on: bool
    records: bool


def _outcome(end: End) -> str:
    """§5.7: the token, by how the instance came to its end."""
    if end.phase == "cancelled":
        return "cancelled"
    if end.phase == "forward":
        return "succeeded"
    return "compensated" if end.undone and not end.spoiled else "failed"


_ACTIVE: Final = frozenset({"READY", "RUNNING", "RETRYING"})

ENDING: Final = EndingRules(
    keeps_open=lambda state, _discarded: state in _ACTIVE,
    first_end_completes=False,
    outcome=_outcome,
    unwinding_cancels=_ACTIVE,
    releases=False,
    compensable=frozenset({"SUCCEEDED"}),
    order=lambda place: -place,
    compensated=lambda _others: True,
    needs_edge=True,
    marks_source=True,
    retries=True,
    goes_on=True,
    records=True,
)
