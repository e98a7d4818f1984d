import pytest

from comparator.facts import Edge, Facts, Loop, Node
from comparator.trace import LoopStep, Transition
from suite.corpus.public_trace import PublicTraceError, loop_of, read_public_trace


def loop(name: str, body: str) -> Node:
    return Node(name, "loop", loop=Loop(body, "times", 3))


FACTS = Facts(
    "h",
    {
        "l": loop("l", "w"),
        "w": Node("w", "task"),
        "h": Node("h", "task"),
        "k": loop("k", "v"),
        "m": loop("m", "v"),
        "v": Node("v", "task"),
        "outer": loop("outer", "inner"),
        "inner": loop("inner", "u"),
        "u": Node("u", "task"),
    },
    (Edge(0, "w", "h", "error"),),
)


def test_an_entry_becomes_a_transition():
    items = [
        {
            "node": "w",
            "from": "RUNNING",
            "to": "FAILED",
            "attempt": 1,
            "iteration": 2,
            "errorClass": "transient",
            "detail": "no",
        }
    ]

    assert (
        Transition(
            "w",
            "RUNNING",
            "FAILED",
            (LoopStep("l", 2),),
            attempt=1,
            error_class="transient",
            message="no",
        ),
    ) == read_public_trace(items, FACTS)


@pytest.mark.parametrize(
    ("node", "owner"),
    [
        pytest.param("w", "l", id="body-of-one-loop"),
        pytest.param("h", "l", id="handler-of-a-body"),
        pytest.param("v", None, id="body-of-two-loops"),
        pytest.param("u", None, id="inside-nested-loops"),
        pytest.param("inner", "outer", id="inner-loop-of-the-outermost"),
        pytest.param("l", None, id="no-body"),
    ],
)
def test_one_integer_is_placed_where_the_document_leaves_no_choice(node, owner):
    assert owner == loop_of(node, FACTS)


@pytest.mark.parametrize(
    ("items", "sentence"),
    [
        pytest.param(["x"], "entry 0: expected an object, observed 'x'", id="no-object"),
        pytest.param([{"node": "w"}], "entry 0: .*missing required field", id="no-transition"),
        pytest.param(
            [{"node": "w", "from": "PENDING", "to": "READY", "colour": 1}],
            "entry 0: .*unknown field `colour`",
            id="unknown-field",
        ),
        pytest.param(
            [
                {"node": "w", "from": "PENDING", "to": "READY"},
                {"node": "v", "from": "PENDING", "to": "READY", "iteration": 0},
            ],
            "entry 1: iteration 0 of 'v': expected exactly one loop",
            id="iteration-of-two-loops",
        ),
    ],
)
def test_other_shapes_are_refused_with_their_place(items, sentence):
    with pytest.raises(PublicTraceError, match=sentence):
        read_public_trace(items, FACTS)
