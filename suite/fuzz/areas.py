"""Areas of the fuzzer: named settings of how often each construct is drawn."""

from typing import Final

import msgspec

__all__ = ["AREAS", "Area", "UnknownAreaError", "area_of", "pick"]


class Area(msgspec.Struct, frozen=True, kw_only=True):
    """What is drawn in one area; chances are in 256ths.

    Attributes:
        says: what the area is about, for the list of areas.
        max_nodes: most nodes of a document, those of loop bodies aside.
        data, dependency, both, error: chance of an edge of that type; ``both`` is a data and a
            control edge between one pair; the rest are control edges.
        literal_true, literal_false, flag: chance of a condition on an edge.
        starving: chance that a data edge feeds a required input without default.
        entry: chance that the first root is declared the entry, so that others never start.
        any_join, quorum_join, barrier, decision, loop: chance per node.
        no_match: chance that a decision may end without a true case.
        guard_false, guard_true, non_idempotent: chance per node.
        caught: whether only nodes with an error edge fail for good.
        failing, retrying: chance that attempts of a step fail, that it has a retry policy.
        backoffs: chance that a retry policy has other delays than the shortest.
        undo: chance that a node compensates an earlier one.
        nested, handled, excess: chance that the body of a loop is a loop, that it has an error
            handler, that a loop has more to do than @maxIterations.
        cancel: chance of a cancel from outside.
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
    entry: int = 16
    any_join: int = 64
    quorum_join: int = 48
    barrier: int = 32
    decision: int = 44
    loop: int = 0
    no_match: int = 0
    guard_false: int = 40
    guard_true: int = 12
    non_idempotent: int = 56
    caught: bool = False
    failing: int = 0
    retrying: int = 0
    backoffs: int = 0
    undo: int = 0
    nested: int = 0
    handled: int = 0
    excess: int = 0
    cancel: int = 0


#: Area → its settings, in the order in which they are listed.
AREAS: Final[dict[str, Area]] = {
    "joins": Area(
        says="control, data and dependency edges, join policies, conditions, decisions, skips"
    ),
    "races": Area(
        says="any joins: losing and shared branches, nodes that must finish",
        data=16,
        dependency=8,
        both=4,
        error=24,
        literal_false=10,
        flag=10,
        any_join=144,
        quorum_join=24,
        barrier=16,
        decision=8,
        guard_false=16,
        non_idempotent=96,
    ),
    "failures": Area(
        says="as joins, with failing attempts, retries, error edges and unhandled failures",
        error=72,
        decision=28,
        no_match=64,
        failing=56,
        retrying=64,
        backoffs=128,
    ),
    "handlers": Area(
        says="failures that error edges handle, before joins of all kinds",
        data=40,
        dependency=48,
        error=120,
        literal_false=20,
        starving=64,
        any_join=72,
        decision=24,
        guard_false=24,
        caught=True,
        failing=128,
        retrying=104,
        no_match=64,
        backoffs=160,
        non_idempotent=40,
    ),
    "inputs": Area(
        says="guards against missing and default values, with error edges that nothing traverses",
        data=120,
        both=24,
        error=40,
        literal_false=28,
        starving=112,
        any_join=24,
        quorum_join=24,
        decision=20,
        guard_false=80,
    ),
    "unwinding": Area(
        says="unhandled failures with compensating nodes, retries and siblings that must finish",
        data=20,
        error=16,
        literal_false=16,
        starving=24,
        any_join=20,
        quorum_join=20,
        barrier=16,
        decision=12,
        guard_false=12,
        non_idempotent=72,
        failing=64,
        retrying=64,
        undo=120,
        backoffs=160,
    ),
    "cancellation": Area(
        says="a cancel from outside at any moment, with races, retries and steps that must finish",
        error=24,
        any_join=32,
        decision=20,
        non_idempotent=64,
        failing=72,
        retrying=112,
        undo=32,
        cancel=224,
        backoffs=160,
        caught=True,
        data=20,
        starving=24,
    ),
    "loops": Area(
        says="loops over items and counts: concurrency, failing iterations, handlers, nesting",
        max_nodes=4,
        data=16,
        error=32,
        literal_false=16,
        any_join=24,
        quorum_join=16,
        barrier=16,
        decision=12,
        loop=144,
        guard_false=8,
        non_idempotent=56,
        failing=16,
        retrying=56,
        undo=8,
        nested=40,
        handled=48,
        excess=24,
        cancel=8,
    ),
    "mixed": Area(
        says="everything of the other areas at once",
        data=32,
        error=40,
        starving=40,
        any_join=40,
        quorum_join=32,
        barrier=20,
        decision=28,
        loop=32,
        no_match=32,
        guard_false=32,
        failing=40,
        retrying=56,
        backoffs=64,
        undo=40,
        nested=24,
        handled=40,
        excess=16,
        cancel=40,
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


def pick(byte: int, *chances: int) -> int:
    """Return which of the chances (in 256ths) the byte hits, -1 for none; zero hits none."""
    rest = 255 - byte
    for number, chance in enumerate(chances):
        if rest < chance:
            return number
        rest -= chance
    return -1
