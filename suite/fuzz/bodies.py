"""Draws what a loop repeats: its body, its policy and what becomes of each iteration."""

from typing import Final, Literal

from suite.fuzz.areas import Area, pick
from suite.fuzz.model import Edge, Fate, Loop, Model, Node, Wait

__all__ = ["BYTES_PER_LOOP", "decode_loop", "decode_wait"]

#: Layout of the bytes of one loop; those of a loop in its body follow.
_SHAPE, _POLICY, _FATES, _PLAN, _RETRY, _HANDLER, _WAITS, _LIMIT = range(8)
_LEVEL: Final = 8
#: Two levels of loops.
BYTES_PER_LOOP: Final = 2 * _LEVEL
_MOST: Final = 4

_POLICIES: Final[tuple[Literal["fail", "continue", "break"], ...]] = ("fail", "continue", "break")


def decode_wait(byte: int) -> Wait:
    """Turn the low bits of a byte into the time of an answer; zero answers at once."""
    when = byte & 3
    return "now" if when == 0 else 1 + (byte >> 2) % 50 if when == 3 else "idle"


def _step(plan: int, retry: int, area: Area, *, fails: bool) -> Node:
    """The body: one step, with failures if an iteration is to have some."""
    hit = pick(retry, area.retrying, area.non_idempotent)
    attempts = 2 + retry % 2 if hit == 0 else 1
    return Node(
        idempotent=hit != 1,
        attempts=attempts,
        failures=1 + plan % attempts if fails else 0,
    )


def _fates(byte: int, count: int, *, guarded: bool) -> tuple[Fate, ...]:
    """Two bits for each iteration."""
    kinds: tuple[Fate, ...] = ("ok", "fail", "skip" if guarded else "fail", "ok")
    return tuple(kinds[byte >> 2 * n & 3] for n in range(count))


def decode_loop(block: bytes, area: Area, *, depth: int = 0) -> Loop:
    """Turn ``BYTES_PER_LOOP`` bytes into a loop; zeros give a forEach over one item."""
    level = block[depth * _LEVEL : (depth + 1) * _LEVEL]
    shape = level[_SHAPE]
    nested = depth == 0 and pick(level[_HANDLER], area.nested) == 0
    counted = bool(shape & 1)
    count = 1 + (shape >> 1) % _MOST
    if not counted and shape >> 5 == 7:
        count = 0
    fates = _fates(level[_FATES], count, guarded=not nested)
    if nested:
        first = Node(kind="loop", loop=decode_loop(block, area, depth=1))
    else:
        first = _step(level[_PLAN], level[_RETRY], area, fails="fail" in fates)
    nodes, edges = [first], []
    if pick(level[_HANDLER], area.nested if depth == 0 else 0, area.handled) == 1:
        nodes.append(Node(idempotent=level[_HANDLER] & 1 == 0))
        edges.append(Edge(0, 1, "error"))
    limit = count if level[_LIMIT] & 1 and count else 1000
    if not counted and count > 1 and pick(level[_LIMIT], area.excess) == 0:
        limit = count - 1
    waits = level[_WAITS]
    return Loop(
        body=Model(tuple(nodes), tuple(edges)),
        kind="times" if counted else "forEach",
        fates=fates,
        limit=limit,
        policy=_POLICIES[level[_POLICY] % 3],
        concurrency=1 + (level[_POLICY] >> 2) % 3,
        waits=(decode_wait(waits), decode_wait(waits >> 3)),
        backwards=bool(level[_POLICY] & 64),
        named=bool(level[_POLICY] & 128),
    )
