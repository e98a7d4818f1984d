"""Areas of the fuzzer: named settings of how often each construct is drawn."""

from typing import Final

import msgspec

__all__ = ["AREAS", "Area", "UnknownAreaError", "area_of"]


class Area(msgspec.Struct, frozen=True, kw_only=True):
    """What is drawn in one area; chances are in 256ths.

    Attributes:
        says: what the area is about, for the list of areas.
        max_nodes: most nodes of a document.
        data, dependency, both, error: chance of an edge of that type; ``both`` is a data and a
            control edge between one pair; the rest are control edges.
        literal_true, literal_false, flag: chance of a condition on an edge.
        starving: chance that a data edge feeds a required input without default.
        any_join, quorum_join, barrier, decision: chance per node.
        no_match: chance that a decision may end without a true case.
        guard_false, guard_true, non_idempotent: chance per node.
        failing, retrying: chance that attempts of a step fail, that it has a retry policy.
    """

    says: str
    max_nodes: int = 8
    data: int = 40
    dependency: int = 24
    both: int = 10
    error: int = 0
    literal_true: int = 10
    literal_false: int = 36
    flag: int = 36
    starving: int = 72
    any_join: int = 64
    quorum_join: int = 48
    barrier: int = 32
    decision: int = 44
    no_match: int = 0
    guard_false: int = 40
    guard_true: int = 12
    non_idempotent: int = 56
    failing: int = 0
    retrying: int = 0


#: Area → its settings, in the order in which they are listed.
AREAS: Final[dict[str, Area]] = {
    "joins": Area(
        says="control, data and dependency edges, join policies, conditions, decisions, skips"
    ),
    "failures": Area(
        says="as joins, with failing attempts, retries, error edges and unhandled failures",
        error=72,
        decision=28,
        no_match=64,
        failing=56,
        retrying=64,
    ),
}


class UnknownAreaError(ValueError):
    """No area has that name; the text lists the areas."""


def area_of(name: str) -> Area:
    """Return the settings of an area.

    Raises:
        UnknownAreaError: there is no such area.
    """
    try:
        return AREAS[name]
    except KeyError:
        listed = ", ".join(AREAS)
        raise UnknownAreaError(f"unknown fuzz area {name!r}; areas: {listed}") from None
