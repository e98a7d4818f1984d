"""Workflows and schedules, drawn as one block of bytes.

Every block decodes to something valid, and zeros decode to the simplest thing.
"""

import random
from collections.abc import Iterator
from typing import Literal

from msgspec.structs import replace

from suite.fuzz.areas import Area, pick
from suite.fuzz.bodies import BYTES_PER_LOOP, decode_loop, decode_wait
from suite.fuzz.model import FORWARD, Case, Edge, Example, Model, Node, Schedule, Wait

__all__ = [
    "BYTES_PER_NODE",
    "decode_example",
    "decode_model",
    "decode_schedule",
    "draw_examples",
]

#: Distance to the farthest predecessor.
_REACH = 8
#: Layout of the block of one node.
_NEAR, _SPARSE, _JOIN, _KIND, _GUARD, _PLAN, _RETRY, _CASES, _WHENS, _UNDO, _DELAY = range(11)
_TYPES = 11
_CONDITIONS = _TYPES + _REACH
_LOOP = _CONDITIONS + _REACH
_BLOCK = _LOOP + BYTES_PER_LOOP
#: The block of a node, its place in the schedule, and what the node says of an external cancel.
BYTES_PER_NODE = _BLOCK + 2
_MOST_CASES = 3
#: Milliseconds: initial delays of retry policies, the longest delays, and multipliers.
_DELAYS = (20, 40, 1000, 5000)
_CAPS = (0, 0, 30, 1500)
_FACTORS = (2, 3)
#: States whose entering may be the moment of an external cancel.
_MOMENTS = ("RUNNING", "SUCCEEDED", "READY", "RETRYING", "FAILED")

_EdgeType = Literal["control", "data", "dependency", "error", "compensation"]
_Types = dict[tuple[int, int], tuple[_EdgeType, ...]]


def _is_decision(blocks: list[bytes], index: int, area: Area) -> bool:
    return index < len(blocks) - 1 and pick(blocks[index][_KIND], area.decision) == 0


def _is_loop(blocks: list[bytes], index: int, area: Area) -> bool:
    hit = pick(blocks[index][_KIND], area.decision, area.barrier, area.loop)
    return hit == 2 and index > 0  # the entry releases the others


def _cases(blocks: list[bytes], index: int, area: Area) -> tuple[Case, ...]:
    """Decode the cases of a decision; ``flag`` is settled later, by ``_settle_cases``."""
    block, last = blocks[index], len(blocks) - 1
    targets = [
        index + 1 + bit
        for bit in range(min(_REACH, last - index))
        if block[_CASES] >> bit & 1 or (bit == 0 and not block[_CASES])
    ][:_MOST_CASES] or [index + 1]
    whens = block[_WHENS]
    kinds: tuple[Literal["true", "false", "flag"], ...] = ("true", "false", "flag", "false")
    cases = [Case(target, kinds[whens >> 2 * n & 3]) for n, target in enumerate(targets)]
    unmatched = all(case.when != "true" for case in cases)
    if whens >> 6 & 1 or (unmatched and pick(255 - whens, area.no_match) != 0):
        # Otherwise alone is no decision (HX-2206).
        cases[-1] = Case(targets[-1], "otherwise" if len(cases) > 1 else "true")
    return tuple(cases)


def _raw_types(blocks: list[bytes], area: Area) -> _Types:
    """Decode which pairs are joined by edges of which types."""
    kinds: tuple[tuple[_EdgeType, ...], ...] = (
        ("data",),
        ("dependency",),
        ("data", "control"),
        ("error",),
        ("control",),
    )
    types: _Types = {}
    for target, block in enumerate(blocks):
        mask = block[_NEAR] & block[_SPARSE]
        for bit in range(min(_REACH, target)):
            if mask >> bit & 1:
                hit = pick(block[_TYPES + bit], area.data, area.dependency, area.both, area.error)
                types[target - 1 - bit, target] = kinds[hit]
    return types


def _route(
    types: _Types, decisions: dict[int, tuple[Case, ...]], tasks: set[int], loops: set[int]
) -> _Types:
    """Make the pairs fit the kinds of nodes at both ends, and give each case its route."""
    targets = {case.target for cases in decisions.values() for case in cases}
    fit: _Types = {}
    for (source, target), raw in types.items():
        pair = raw
        if "data" in pair and (source not in tasks or target in decisions or target in loops):
            pair = ("control",)
        if "control" in pair and source in decisions:
            pair = ("dependency",)
        if pair != ("error",) or target not in targets:
            fit[source, target] = pair
    for decision, cases in decisions.items():
        for case in cases:
            fit[decision, case.target] = ("control",)
    return fit


def _compensate(
    blocks: list[bytes], area: Area, types: _Types, plain: set[int], undoable: set[int]
) -> _Types:
    """Make some plain tasks compensating nodes, which nothing else leads to or from (§8.4.2)."""
    undos: dict[int, int] = {}
    for index in sorted(plain) if area.undo else ():
        sources = sorted(
            i for i in undoable if i < index and i not in undos and i not in undos.values()
        )
        if sources and pick(blocks[index][_UNDO], area.undo) == 0:
            undos[index] = sources[blocks[index][_UNDO] % len(sources)]
    fit = {pair: kind for pair, kind in types.items() if undos.keys().isdisjoint(pair)}
    for target, source in undos.items():
        fit[source, target] = ("compensation",)
    return fit


def _adopt(types: _Types, count: int, decisions: dict[int, tuple[Case, ...]]) -> None:
    """Hang nodes without incoming edges under the declared entry."""
    adopted = {target for _, target in types}
    kind: _EdgeType = "dependency" if 0 in decisions else "control"
    for index in range(1, count):
        if index not in adopted:
            types[0, index] = (kind,)


def _node(  # noqa: PLR0913 -- the last two say what the workflow leaves no choice about
    block: bytes,
    area: Area,
    cases: tuple[Case, ...],
    into: list[_EdgeType],
    *,
    only_all: bool,
    first: bool,
) -> Node:
    """Decode the rest of a node, given the types of the edges into it."""
    forward = sum(kind in FORWARD for kind in into)
    undo = "compensation" in into
    hit = pick(block[_JOIN], area.any_join, area.quorum_join)
    join: Literal["all", "any", "quorum"] = "all"
    if hit >= 0 and forward and not only_all:
        join = "any" if hit == 0 else "quorum"
    kinds: tuple[Literal["task", "barrier", "loop"], ...] = ("task", "barrier", "loop", "task")
    kind: Literal["task", "barrier", "decision", "loop"] = (
        "decision" if cases else kinds[pick(block[_KIND], area.decision, area.barrier, area.loop)]
    )
    if kind == "loop" and first:
        kind = "task"
    guard = pick(block[_GUARD], 0 if cases else area.guard_false, area.guard_true)
    if undo:
        guard = -1
    idempotent = kind == "loop" or pick(block[_RETRY], area.retrying, area.non_idempotent) != 1
    attempts = 1
    if kind == "task" and idempotent and pick(block[_RETRY], area.retrying) == 0:
        attempts = 2 + block[_RETRY] % 2
    failures = 0
    if kind == "task" and pick(block[_PLAN], area.failing) == 0:
        failures = 1 + block[_PLAN] % attempts
    node = Node(
        kind=kind,
        join=join,
        quorum=1 + block[_JOIN] % forward if join == "quorum" else 0,
        guard="none" if guard < 0 else "false" if guard == 0 else "true",
        idempotent=idempotent,
        attempts=attempts,
        failures=failures,
        excluded=attempts > 1 and block[_RETRY] % 8 < 2,
        flag=not block[_PLAN] & 1,
        cases=cases,
        loop=decode_loop(block[_LOOP:_BLOCK], area) if kind == "loop" else None,
    )
    delayed = attempts > 1 and pick(block[_DELAY], area.backoffs) == 0
    return _delayed(node, block[_DELAY]) if delayed else node


def _delayed(node: Node, byte: int) -> Node:
    """Decode the delays of a retry policy (§8.1.1)."""
    return replace(
        node,
        backoff=("none", "fixed", "linear", "exponential")[byte & 3],
        delay=_DELAYS[byte >> 2 & 3],
        cap=_CAPS[byte >> 4 & 3],
        factor=_FACTORS[byte >> 6 & 1],
    )


def _edges(
    blocks: list[bytes], area: Area, types: _Types, nodes: list[Node]
) -> tuple[list[Edge], set[int]]:
    """Decode conditions and inputs; also return the nodes that surely have outputs at their end."""
    edges: list[Edge] = []
    sure: set[int] = set()
    for target, node in enumerate(nodes):
        starved = False
        for source in range(target):
            for kind in types.get((source, target), ()):
                bit = min(target - 1 - source, _REACH - 1)
                byte = blocks[target][_CONDITIONS + bit]
                hit = pick(byte, area.literal_true, area.literal_false, area.flag)
                routed = any(case.target == target for case in nodes[source].cases)
                if routed or kind == "error" or (hit == 2 and source not in sure):
                    hit = -1
                if kind == "compensation":
                    hit = 1 if hit == 1 and byte & 1 else -1
                feeds: Literal["starving", "default", "optional"] = "optional"
                if kind == "data":
                    feeds = "default" if byte & 1 else "optional"
                    low = blocks[target][_TYPES + bit]
                    if node.join == "all" and node.attempts == 1:
                        # The byte fell into the share of data edges; its place there is uniform.
                        feeds = "starving" if (low * 37 & 255) < area.starving else feeds
                    starved = starved or feeds == "starving"
                condition = ("true", "false", "flag", "none")[hit]
                edges.append(Edge(source, target, kind, condition, feeds))  # type: ignore[arg-type]
        ends_well = node.failures < node.attempts_due and not starved
        if node.kind == "task" and node.guard != "false" and ends_well:
            sure.add(target)
    return edges, sure


def _settle_cases(index: int, node: Node, edges: list[Edge], sure: set[int]) -> Node:
    """Let flag cases read a node that has surely succeeded by then, else make them false."""
    into = [edge for edge in edges if edge.target == index]
    reads = -1
    if len(into) == 1 and into[0].type == "control" and into[0].source in sure:
        reads = into[0].source
    elif index and 0 in sure:
        reads = 0
    return replace(
        node,
        flag=True,
        cases=tuple(
            case
            if case.when != "flag"
            else Case(case.target, "flag", reads)
            if reads >= 0
            else Case(case.target, "false")
            for case in node.cases
        ),
    )


def decode_model(blocks: list[bytes], area: Area) -> Model:
    """Turn one block a node into a workflow without ``problems``."""
    count = len(blocks)
    decisions = {i: _cases(blocks, i, area) for i in range(count) if _is_decision(blocks, i, area)}
    loops = {i for i in range(count) if i not in decisions and _is_loop(blocks, i, area)}
    steps = set(range(count)) - set(decisions) - loops
    tasks = {i for i in steps if pick(blocks[i][_KIND], area.decision, area.barrier) != 1}
    targets = {case.target for cases in decisions.values() for case in cases}
    types = _route(_raw_types(blocks, area), decisions, tasks, loops)
    types = _compensate(blocks, area, types, tasks - targets, steps)
    entry = bool(decisions or loops)
    if entry:
        _adopt(types, count, decisions)
    else:  # other roots beside the declared entry never start
        entry = pick(blocks[0][_UNDO], area.entry) == 0
    into: list[list[_EdgeType]] = [[] for _ in range(count)]
    for (_, target), kinds in types.items():
        into[target] += kinds
    nodes = [
        _node(
            block,
            area,
            decisions.get(i, ()),
            into[i],
            only_all=i in targets and len(into[i]) > 1,
            first=i == 0,
        )
        for i, block in enumerate(blocks)
    ]
    if area.caught:
        caught = {source for (source, _), kinds in types.items() if "error" in kinds}
        nodes = [
            node if i in caught or node.failures < node.attempts_due else replace(node, failures=0)
            for i, node in enumerate(nodes)
        ]
    edges, sure = _edges(blocks, area, types, nodes)
    for index in decisions:
        nodes[index] = _settle_cases(index, nodes[index], edges, sure)
    return Model(tuple(nodes), tuple(edges), entry=entry)


def decode_schedule(block: bytes, cancels: bytes, area: Area) -> Schedule:
    """Turn two bytes a node into an order of answers and perhaps an external cancel.

    Zeros answer at once in document order.
    """
    waits: list[Wait] = [decode_wait(byte) for byte in block]
    order = tuple(sorted(range(len(block)), key=lambda i: (block[i] >> 2, i)))
    if pick(cancels[0], area.cancel) != 0:
        return Schedule(order, tuple(waits))
    state = _MOMENTS[cancels[-1] % len(_MOMENTS)]
    return Schedule(order, tuple(waits), (sum(cancels) % len(block), state))


def decode_example(drawn: bytes, area: Area) -> Example:
    """Turn ``BYTES_PER_NODE`` bytes a node into a run: the nodes' blocks, then the schedule."""
    count = len(drawn) // BYTES_PER_NODE
    blocks = [drawn[i * _BLOCK : (i + 1) * _BLOCK] for i in range(count)]
    rest = drawn[count * _BLOCK :]
    schedule = decode_schedule(rest[:count], rest[count:], area)
    return Example(decode_model(blocks, area), schedule)


def draw_examples(area: Area, seed: int) -> Iterator[Example]:
    """Yield the runs of an area that a seed stands for, without end; the simplest comes first."""
    yield decode_example(bytes(BYTES_PER_NODE), area)
    rng = random.Random(seed)  # noqa: S311  a reproducible order, no secret
    while True:
        count = rng.randint(1, area.max_nodes)
        yield decode_example(rng.randbytes(count * BYTES_PER_NODE), area)
