"""Cost is linear: shapes that would be quadratic or recursive otherwise end in seconds."""

import time

import pytest

from reference_runtime.document.model import Edge, Harness, Node
from reference_runtime.plans import Plan
from reference_runtime.script import play

SIZE = 20_000
LIMIT = 30.0


def flow(pairs, size=SIZE, policy="all", condition=None):
    nodes = tuple(Node(f"n{i}", "task", join_policy=policy) for i in range(size))
    first, *rest = (Edge(f"n{a}", f"n{b}") for a, b in pairs)
    first = Edge(first.source, first.target, condition=condition)
    return Harness("t", "1.0", nodes, (first, *rest))


FORTH = [(i, i + 1) for i in range(SIZE - 1)]
BACK = [(i + 1, i) for i in reversed(range(SIZE - 1))]
STAR = [(0, i) for i in range(1, SIZE - 1)] + [(i, SIZE - 1) for i in range(1, SIZE - 1)]


@pytest.mark.parametrize(
    ("doc", "count"),
    [
        pytest.param(flow(FORTH), 3 * SIZE, id="chain"),
        pytest.param(flow(BACK), 3 * SIZE, id="chain-backwards"),
        pytest.param(flow(FORTH, policy="any"), 3 * SIZE, id="chain-of-any"),
        pytest.param(flow(FORTH, condition="${false}"), 3, id="dead-chain"),
        pytest.param(flow(BACK, condition="${false}"), 3, id="dead-chain-backwards"),
        pytest.param(flow(STAR), 3 * SIZE, id="star"),
        pytest.param(flow(STAR, policy="any"), 3 * SIZE, id="star-of-any"),
    ],
)
def test_large_documents_run_in_seconds(doc, count):
    start = time.perf_counter()
    played = play(doc, Plan())

    assert count == len(played.transitions())
    assert time.perf_counter() - start < LIMIT
