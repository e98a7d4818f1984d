"""Cost is linear: shapes that would be quadratic or recursive otherwise end in seconds."""

import pytest

from benchmarks.bench_runtime import SHAPES, run
from reference_runtime.document.model import Edge, Harness, Node
from reference_runtime.plans import Plan
from reference_runtime.script import play

SIZE = 20_000
LIMIT = 10.0

#: Share of the time that a tenth of the size takes at least; 0.1 would be exactly linear.
SHARE = 0.1 / 3


def dead_chain(size, *, backwards):
    nodes = tuple(Node(f"n{i}", "task") for i in range(size))
    steps = (
        [(i + 1, i) for i in reversed(range(size - 1))]
        if backwards
        else [(i, i + 1) for i in range(size - 1)]
    )
    first, *rest = (Edge(f"n{a}", f"n{b}") for a, b in steps)
    return Harness(
        "t", "1.0", nodes, (Edge(first.source, first.target, condition="${false}"), *rest)
    )


def dead_shape(*, backwards):
    return lambda size: (dead_chain(size, backwards=backwards), Plan())


def ring_shape(length):
    """Handlers that only wait for each other, in rings; each could start after a failure."""

    def shape(size):
        half = size // 2
        nodes = [Node(f"n{i}", "task") for i in range(half)]
        nodes += [Node(f"h{i}", "task") for i in range(half)]
        many = length or half
        edges = [Edge(f"n{i}", f"h{i}", "error") for i in range(half)]
        for i in range(half):
            first = i // many * many
            following = first + (i - first + 1) % min(many, half - first)
            edges += [Edge(f"h{i}", f"h{following}", "error"), Edge(f"h{i}", "end")]
        edges.append(Edge("n0", "end"))
        return Harness("t", "1.0", (*nodes, Node("end", "task")), tuple(edges)), Plan()

    return shape


DEAD = {
    "dead chain": dead_shape(backwards=False),
    "dead chain backwards": dead_shape(backwards=True),
    "rings of handlers": ring_shape(2),
    "one ring of handlers": ring_shape(0),
}

#: Outcome, and in how many final states lifecycles end, at 50 nodes.
EXPECTED = {
    **dict.fromkeys(
        ("chain", "chain backwards", "chain of any", "star", "random joins", "held answers"),
        ("succeeded", {"SUCCEEDED": 50}),
    ),
    "star of any": ("succeeded", {"SUCCEEDED": 3, "CANCELLED": 47}),
    "decision": ("succeeded", {"SUCCEEDED": 3}),
    "loop": ("succeeded", {"SUCCEEDED": 52}),
    "unwinding": ("compensated", {"COMPENSATED": 24, "SUCCEEDED": 24, "FAILED": 1}),
    "handlers": ("succeeded", {"SUCCEEDED": 25, "FAILED": 24}),
}


@pytest.mark.parametrize("name", [*SHAPES, *DEAD])
def test_cost_grows_with_the_size_only(name):
    shape = (SHAPES | DEAD)[name]
    small = min(run(shape, SIZE // 10)[1] for _ in range(2))
    _, large = run(shape, SIZE)

    assert large < LIMIT
    assert small > large * SHARE


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_do_what_they_are_named_for(name):
    doc, plan = SHAPES[name](50)
    played = play(doc, plan)
    ends = {(t.node, t.iteration): t.to for t in played.transitions()}
    counted = {state: list(ends.values()).count(state) for state in set(ends.values())}

    assert EXPECTED[name] == (played.outcome, counted)
