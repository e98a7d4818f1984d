"""Cost of a scripted run of the reference runtime, for shapes that are costly if done wrong.

Run it as ``python benchmarks/bench_runtime.py [nodes…]``; the default is 500, 1,000, 10,000 and
100,000 nodes. For each shape it prints transitions a second at each size, how much more one
costs at the last size than at the first, and how much faster a bare loop over the same number of
nodes is, which only counts edges, and asyncio with a task for each node. Preparing the document
is part of the run, reading it is not. A node that never moves counts as one transition; it costs
as much as three, as it is prepared, given up, and told to those behind it.

Other work on the machine slows down a run by half and more, so the best of several runs counts,
and the bare loop runs again before each shape. Goals: 200,000 transitions a second, and growth of
at most 1.3.
"""

import argparse
import asyncio
import gc
import random
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from reference_runtime.document.model import (
    Case,
    Decision,
    Edge,
    Harness,
    Loop,
    Node,
    Port,
)
from reference_runtime.plans import Plan, read_plan
from reference_runtime.script import play

__all__ = ["SHAPES", "Shape", "run"]

#: A document and a plan, by number of nodes.
Shape = Callable[[int], tuple[Harness, Plan]]

#: Runs of one shape at one size: at least, at most, and the nodes that they have together.
_RUNS, _MOST_RUNS, _NODES = 2, 10, 20_000

_Pairs = list[tuple[int, int]]


def _tasks(size: int, **fields: Any) -> list[Node]:
    return [Node(f"n{number}", "task", **fields) for number in range(size)]


def _flow(size: int, pairs: _Pairs, **fields: Any) -> tuple[Harness, Plan]:
    edges = [Edge(f"n{source}", f"n{target}") for source, target in pairs]
    return Harness("t", "1.0", tuple(_tasks(size, **fields)), tuple(edges)), Plan()


def _star(size: int) -> _Pairs:
    middle = range(1, size - 1)
    return [(0, leaf) for leaf in middle] + [(leaf, size - 1) for leaf in middle]


def chain(size: int) -> tuple[Harness, Plan]:
    """Each node after the one before it in the document."""
    return _flow(size, [(i, i + 1) for i in range(size - 1)])


def chain_backwards(size: int) -> tuple[Harness, Plan]:
    """Each node after the one behind it in the document."""
    return _flow(size, [(i + 1, i) for i in reversed(range(size - 1))])


def chain_of_any(size: int) -> tuple[Harness, Plan]:
    """A chain in which each node looks for siblings to cancel."""
    return _flow(size, [(i, i + 1) for i in range(size - 1)], join_policy="any")


def star(size: int) -> tuple[Harness, Plan]:
    """One node, many branches, one join."""
    return _flow(size, _star(size))


def star_of_any(size: int) -> tuple[Harness, Plan]:
    """One node, many branches, the first of which wins."""
    return _flow(size, _star(size), join_policy="any")


def decision(size: int) -> tuple[Harness, Plan]:
    """A decision with many cases, the last of which is true, and a join behind its targets."""
    targets = [f"n{number}" for number in range(size - 2)]
    cases = [Case(name, "${false}") for name in targets[:-1]] + [Case(targets[-1])]
    nodes = [Node("d", "decision", decision=Decision(tuple(cases))), *_tasks(size - 2)]
    edges = [*(Edge("d", name) for name in targets), *(Edge(name, "end") for name in targets)]
    return Harness("t", "1.0", (*nodes, Node("end", "task")), tuple(edges), entry="d"), Plan()


def random_joins(size: int, seed: int = 7) -> tuple[Harness, Plan]:
    """Each node after up to three earlier ones, with every join policy."""
    chance = random.Random(seed)  # noqa: S311 - reproducible, no secret
    nodes = [Node("n0", "task")]
    edges: list[Edge] = []
    for number in range(1, size):
        sources = {chance.randrange(max(0, number - 50), number) for _ in range(3)}
        edges += [Edge(f"n{source}", f"n{number}") for source in sorted(sources)]
        policy = chance.choice(("all", "all", "any", "quorum"))
        quorum = chance.randint(1, len(sources)) if policy == "quorum" else None
        nodes.append(Node(f"n{number}", "task", join_policy=policy, quorum=quorum))
    return Harness("t", "1.0", tuple(nodes), tuple(edges)), Plan()


def loop(size: int) -> tuple[Harness, Plan]:
    """A forEach over many items, four at a time."""
    source = Node("s", "task", outputs=(Port("items", "array"),))
    each = Loop("forEach", "b", size, over="${s.items}", max_concurrency=4)
    nodes = (source, Node("l", "loop", loop=each), Node("b", "task"))
    answer = {"node": "s", "result": "ok", "outputs": {"items": list(range(size))}}
    doc = Harness("t", "1.0", nodes, (Edge("s", "l"),), entry="s")
    return doc, read_plan({"answers": [answer]})


def unwinding(size: int) -> tuple[Harness, Plan]:
    """A chain whose last node fails, so that all others are compensated one by one."""
    half = size // 2
    nodes = _tasks(half) + [Node(f"u{number}", "task") for number in range(half - 1)]
    edges = [Edge(f"n{i}", f"n{i + 1}") for i in range(half - 1)]
    edges += [Edge(f"n{i}", f"u{i}", "compensation") for i in range(half - 1)]
    answer = {"node": f"n{half - 1}", "result": "fail"}
    return Harness("t", "1.0", tuple(nodes), tuple(edges)), read_plan({"answers": [answer]})


def handlers(size: int) -> tuple[Harness, Plan]:
    """Many nodes that fail, each with a handler of its own, and a join behind the handlers."""
    half = size // 2
    nodes = _tasks(half) + [Node(f"h{number}", "task") for number in range(half - 1)]
    edges = [Edge(f"n{i}", f"h{i}", "error") for i in range(half - 1)]
    edges += [Edge(f"h{i}", f"n{half - 1}") for i in range(half - 1)]
    answers = [{"node": f"n{i}", "result": "fail"} for i in range(half - 1)]
    return Harness("t", "1.0", tuple(nodes), tuple(edges)), read_plan({"answers": answers})


def held(size: int) -> tuple[Harness, Plan]:
    """Independent nodes whose answers wait: for time, for another node, or for idleness."""
    answers: list[dict[str, Any]] = []
    for number in range(size):
        waits: tuple[dict[str, Any], ...] = (
            {"after": 1 + number % 977},
            {"hold": {"when": "idle"}},
            {"hold": {"when": "state", "node": f"n{number - 1}", "state": "SUCCEEDED"}},
        )
        answers.append({"node": f"n{number}", "result": "ok", **waits[number % 3]})
    return _flow(size, [])[0], read_plan({"answers": answers})


SHAPES: dict[str, Shape] = {
    "chain": chain,
    "chain backwards": chain_backwards,
    "chain of any": chain_of_any,
    "star": star,
    "star of any": star_of_any,
    "decision": decision,
    "random joins": random_joins,
    "loop": loop,
    "unwinding": unwinding,
    "handlers": handlers,
    "held answers": held,
}


def run(shape: Shape, size: int) -> tuple[int, float]:
    """Return how many transitions one run has, at least one a node, and its seconds."""
    doc, plan = shape(size)
    gc.collect()
    begin = time.process_time()
    played = play(doc, plan)
    seconds = time.process_time() - begin
    return max(size, len(played.transitions())), seconds


def best_rate(shape: Shape, size: int) -> float:
    """Transitions a second of the best of several runs, more of them where they are short."""
    rates = []
    for _ in range(max(_RUNS, min(_MOST_RUNS, _NODES // size))):
        count, seconds = run(shape, size)
        rates.append(count / seconds)
    return max(rates)


def _bare(size: int) -> Iterator[tuple[str, str, str]]:
    """A chain as a loop that counts open edges, and nothing else."""
    onward = {f"n{i}": (f"n{i + 1}",) for i in range(size - 1)}
    waiting = {f"n{i}": int(i > 0) for i in range(size)}
    ready = deque(["n0"])
    while ready:
        node = ready.popleft()
        yield node, "PENDING", "READY"
        yield node, "READY", "RUNNING"
        yield node, "RUNNING", "SUCCEEDED"
        for target in onward.get(node, ()):
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)


async def _with_asyncio(size: int) -> list[tuple[str, str, str]]:
    """The same chain with a task for each node that waits for the event of the one before."""
    trace: list[tuple[str, str, str]] = []
    events = [asyncio.Event() for _ in range(size + 1)]
    events[0].set()

    async def node(number: int) -> None:
        await events[number].wait()
        name = f"n{number}"
        trace.append((name, "PENDING", "READY"))
        trace.append((name, "READY", "RUNNING"))
        await asyncio.sleep(0)
        trace.append((name, "RUNNING", "SUCCEEDED"))
        events[number + 1].set()

    await asyncio.gather(*(node(number) for number in range(size)))
    return trace


def _rate(function: Callable[[], int]) -> float:
    begin = time.process_time()
    count = function()
    return count / (time.process_time() - begin)


def main() -> None:
    """Print the table for the sizes given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", metavar="NODES", type=int, nargs="*", help="500 1000 10000 100000")
    sizes = parser.parse_args().sizes or [500, 1_000, 10_000, 100_000]
    if min(sizes) < 10:
        parser.error("NODES: expected at least 10")
    largest = sizes[-1]
    tasks = _rate(lambda: len(asyncio.run(_with_asyncio(largest))))
    heads = "".join(f"{f'{size:,}':>10}" for size in sizes)
    print(f"{'transitions/s':<16}{heads} {'growth':>7} {'bare':>6} {'asyncio':>8}")
    loops = []
    for name, shape in SHAPES.items():
        loops.append(max(_rate(lambda: sum(1 for _ in _bare(largest))) for _ in range(2)))
        rates = [best_rate(shape, size) for size in sizes]
        shown = "".join(f"{f'{rate:,.0f}':>10}" for rate in rates)
        growth, bare = rates[0] / rates[-1], loops[-1] / rates[-1]
        print(
            f"{name:<16}{shown} {growth:>7.2f} {bare:>6.1f} {tasks / rates[-1]:>8.2f}", flush=True
        )
    print(f"bare loop {max(loops):,.0f}/s, asyncio {tasks:,.0f}/s at {largest:,} nodes")


if __name__ == "__main__":
    main()
