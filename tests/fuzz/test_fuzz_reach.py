import pytest

from suite.fuzz.exclusive import maybe_exclusive, surely_exclusive
from suite.fuzz.model import Edge, Model, Node
from suite.fuzz.reach import Graph

TASK = Node()
P, R, S, F, X, K = "PENDING", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED", "SKIPPED"


def graph(count, *edges, **joins):
    nodes = [Node(join=joins.get(f"n{i}", "all"), quorum=2) for i in range(count)]
    return Graph(Model(tuple(nodes), tuple(Edge(*edge) for edge in edges)))


# Between strict and lenient lies what the text leaves open.
REACH = {
    "all-negative": (graph(3, (0, 1, "control", "false"), (1, 2)), [S, P, P], {1, 2}, {1, 2}),
    "still-running": (graph(3, (0, 1), (1, 2)), ["RUNNING", P, P], set(), set()),
    "handled-failure-A28": (graph(3, (0, 1), (0, 2, "error")), [F, P, S], set(), {1}),
    "spent-handler-A32": (graph(3, (0, 1, "error"), (1, 2)), [S, P, P], set(), {1, 2}),
    "live-handler": (graph(2, (0, 1, "error")), ["RUNNING", P], set(), set()),
    "mixed-A33": (
        graph(3, (0, 2, "control", "false"), (1, 2, "error")),
        [S, "RUNNING", P],
        set(),
        {2},
    ),
    "hopeless-quorum-A61": (
        graph(3, (0, 2, "control", "false"), (1, 2), n2="quorum"),
        [S, S, P],
        set(),
        {2},
    ),
    "dependency-on-unreached": (
        graph(3, (0, 1, "control", "false"), (1, 2, "dependency")),
        [S, P, P],
        {1, 2},
        {1, 2},
    ),
    "cancelled-source-A29": (graph(2, (0, 1, "dependency")), [X, P], set(), {1}),
}


@pytest.mark.parametrize(("g", "states", "strict", "lenient"), REACH.values(), ids=REACH)
def test_unreachable_nodes_under_every_and_under_some_reading(g, states, strict, lenient):
    assert strict == g.unreachable(states, lenient=False)
    assert lenient == g.unreachable(states, lenient=True)


SATISFIED = {
    "control-success": ("control", S, True, True),
    "control-skip": ("control", K, True, True),
    "control-failed": ("control", F, False, False),
    "data-skip": ("data", K, True, True),
    "dependency-failed": ("dependency", F, True, True),
    "dependency-cancelled": ("dependency", X, False, True),
    "dependency-running": ("dependency", "RUNNING", False, False),
}


@pytest.mark.parametrize(("kind", "state", "strict", "lenient"), SATISFIED.values(), ids=SATISFIED)
def test_satisfied_edges_follow_the_table(kind, state, strict, lenient):
    g = graph(2, (0, 1, kind))
    edge = g.into[1][0]

    assert (strict, lenient) == (
        g.satisfied(edge, [state, P], lenient=False),
        g.satisfied(edge, [state, P], lenient=True),
    )


EXCLUSIVE = {
    "direct": (graph(3, (0, 2), (1, 2)), {0, 1}, {0, 1}),
    "chain": (graph(4, (0, 3), (1, 2), (2, 3)), {0, 1, 2}, {0, 1, 2}),
    "shared": (graph(4, (0, 2), (1, 2), (1, 3)), {0}, {0}),
    "conditional-elsewhere": (
        graph(4, (0, 2), (1, 2), (1, 3, "control", "true")),
        {0},
        {0, 1},
    ),
    "dependency-elsewhere": (graph(4, (0, 2), (1, 2), (1, 3, "dependency")), {0}, {0, 1}),
    "error-elsewhere": (graph(4, (0, 2), (1, 2), (1, 3, "error")), {0}, {0, 1}),
}


@pytest.mark.parametrize(("g", "sure", "maybe"), EXCLUSIVE.values(), ids=EXCLUSIVE)
def test_exclusive_branches_for_certain_and_perhaps(g, sure, maybe):
    states = [P] * len(g.into)

    assert sure == surely_exclusive(g, joined(g), states)
    assert maybe == maybe_exclusive(g, joined(g), states, set())


def test_branch_over_a_node_that_ran_already_is_not_surely_exclusive():
    g = graph(4, (0, 2), (1, 2), (1, 3), (2, 3))

    assert {1, 2} == surely_exclusive(g, 3, [S, R, P, P]) - {0}
    assert {2} == surely_exclusive(g, 3, [S, R, S, P])


def test_branch_over_a_node_that_nothing_reaches_is_not_surely_exclusive():
    g = graph(4, (0, 2, "control", "false"), (1, 2), (1, 3, "control"), (2, 3))
    h = graph(4, (0, 2, "data", "false", "starving"), (1, 2), (2, 3))

    assert 1 in surely_exclusive(g, 3, [S, R, P, P])
    assert 1 not in surely_exclusive(h, 3, [S, R, P, P])


def joined(g):
    """The node with two edges into it."""
    return next(i for i, into in enumerate(g.into) if len(into) == 2)
