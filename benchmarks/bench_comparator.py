"""Cost of a verdict on traces, as ratios to ``json.loads`` of the same bytes in the same run.

Run it as ``python benchmarks/bench_comparator.py [nodes…]``; the default is 1,000, 10,000
and 100,000 nodes. Goals: at 300,000 transitions at most twice ``json.loads``, peak memory at
most 0.8 of its, growth at most 1.5 times its, and a failing pair with its explanation at most
seven times at 30,000 transitions.
"""

import argparse
import gc
import json
import random
import time
import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from comparator.compare import compare
from comparator.explain import explain
from comparator.facts import Edge, Facts, Node
from comparator.golden import Golden, OutcomeEntry, PathEntry
from comparator.observation import Observation
from comparator.trace import Trace

_DECODER = msgspec.json.Decoder(Trace)
_WORDS = {
    "plain": ("READY", "RUNNING", "SUCCEEDED"),
    "retried": ("READY", "RUNNING", "RETRYING", "READY", "RUNNING", "SUCCEEDED"),
    "skipped": ("READY", "SKIPPED"),
}


def document(size: int, seed: int = 7) -> tuple[Facts, Golden, list[dict[str, Any]]]:
    """Return facts, golden and one legal trace of a layered random graph.

    Each node waits for one to three earlier ones; one in twenty retries, one in twenty is
    skipped: 3.1 transitions a node.
    """
    chance = random.Random(seed)  # noqa: S311  # reproducible, no secret
    names = [f"n{number}" for number in range(size)]
    nodes: dict[str, Node] = {}
    edges: list[Edge] = []
    kinds: dict[str, str] = {}
    for number, name in enumerate(names):
        kind = chance.choices(("plain", "retried", "skipped"), (18, 1, 1))[0]
        kinds[name] = kind
        nodes[name] = Node(
            name,
            "task",
            max_attempts=2 if kind == "retried" else 1,
            guard="false" if kind == "skipped" else "absent",
            line=number + 10,
        )
        if number:
            sources = {chance.randrange(max(0, number - 50), number) for _ in range(2)}
            edges += [Edge(len(edges) + i, names[s], name) for i, s in enumerate(sorted(sources))]
    facts = Facts("bench", nodes, tuple(edges), entry=names[0])
    golden = Golden(
        paths={
            name: PathEntry(cites=("5.3-pending-to-ready-on-join",), is_=" ".join(_WORDS[kind]))
            for name, kind in kinds.items()
        },
        outcome=OutcomeEntry(cites=("5.7-outcome-succeeded",), is_="succeeded"),
    )
    return facts, golden, interleave(facts, kinds, chance)


def interleave(facts: Facts, kinds: dict[str, str], chance: random.Random) -> list[dict[str, Any]]:
    """Return one legal interleaving: any node whose sources have ended may take a step."""
    waiting = dict.fromkeys(facts.nodes, 0)
    onward: dict[str, list[str]] = {}
    for edge in facts.edges:
        waiting[edge.target] += 1
        onward.setdefault(edge.source, []).append(edge.target)
    active = [(name, "PENDING", 0, 1) for name, count in waiting.items() if count == 0]
    trace: list[dict[str, Any]] = []
    while active:
        at = chance.randrange(len(active))
        name, state, step, attempt = active[at]
        word = _WORDS[kinds[name]]
        trace.append({"node": name, "from": state, "to": word[step], "attempt": attempt})
        if step + 1 < len(word):
            active[at] = (name, word[step], step + 1, attempt + (state == "RETRYING"))
            continue
        active[at] = active[-1]
        active.pop()
        for target in onward.get(name, ()):
            waiting[target] -= 1
            if waiting[target] == 0:
                active.append((target, "PENDING", 0, 1))
    return trace


def together(functions: Sequence[Callable[[], Any]], rounds: int) -> list[float]:
    """Return the best processor time of each function in seconds, rounds interleaved."""
    best = [float("inf")] * len(functions)
    for _ in range(rounds):
        for number, function in enumerate(functions):
            gc.collect()
            begin = time.process_time()
            result = function()
            best[number] = min(best[number], time.process_time() - begin)
            del result
    return best


def peak(function: Callable[[], Any]) -> int:
    """Return the most bytes that were allocated at one time during the call."""
    gc.collect()
    tracemalloc.start()
    result = function()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del result
    return most


def measure(size: int) -> tuple[float, float]:
    """Print one row and return the seconds of ``json.loads`` and of the verdict."""
    facts, golden, entries = document(size)
    data = json.dumps({"transitions": entries, "outcome": "succeeded"}).encode()
    entries[len(entries) // 2]["to"] = "FAILED"
    wrong = json.dumps({"transitions": entries, "outcome": "succeeded"}).encode()
    count = len(entries)
    del entries

    def verdict() -> Any:
        observation = Observation(_DECODER.decode(data))
        comparison = compare(facts, golden, observation)
        assert not comparison.differences, comparison.differences[:3]
        return comparison, observation

    def failing() -> Any:
        observation = Observation(_DECODER.decode(wrong))
        comparison = compare(facts, golden, observation)
        assert comparison.differences
        return explain(facts, comparison, {}, observation)

    rounds = 9 if size <= 10_000 else 5
    base, whole, decode = together(
        (lambda: json.loads(data), verdict, lambda: _DECODER.decode(data)), rounds
    )
    (failed,) = together((failing,), 3)
    memory = peak(verdict) / peak(lambda: json.loads(data))
    print(
        f"{size:>8} {count:>9} {base * 1e3:>9.1f} {decode / base:>7.2f} {whole / base:>8.2f} "
        f"{memory:>7.2f} {failed / base:>8.2f}"
    )
    return base, whole


def main() -> None:
    """Print the table for the sizes given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", metavar="NODES", type=int, nargs="*", help="1000 10000 100000")
    sizes = parser.parse_args().sizes or [1_000, 10_000, 100_000]
    print("   nodes   entries      F/ms  decode/F verdict/F mem/F fail/F")
    rows = [measure(size) for size in sizes]
    growth = (rows[-1][1] / rows[0][1]) / (rows[-1][0] / rows[0][0])
    print(f"growth of the verdict against that of F from {sizes[0]} to {sizes[-1]}: {growth:.2f}")


if __name__ == "__main__":
    main()
