import pytest

from suite.fuzz.areas import AREAS
from suite.fuzz.bodies import BYTES_PER_LOOP, decode_loop, decode_wait
from suite.fuzz.model import Loop, Model, Node
from tests.fuzz_simulator import seeded

LOOPS = AREAS["loops"]


def test_zeros_decode_to_one_plain_iteration():
    assert Loop(Model((Node(),)), waits=("now", "now")) == decode_loop(bytes(BYTES_PER_LOOP), LOOPS)


@pytest.mark.parametrize(
    ("byte", "expected"), [(0, "now"), (1, "idle"), (2, "idle"), (3, 1), (0b1011, 3)]
)
def test_low_bits_say_when_a_step_is_answered(byte, expected):
    assert expected == decode_wait(byte)


def test_loops_nest_at_most_once():
    rng = seeded(3)
    loops = [decode_loop(rng.randbytes(BYTES_PER_LOOP), LOOPS) for _ in range(300)]
    inner = [loop.body.nodes[0].loop for loop in loops if loop.body.nodes[0].loop]

    assert len(inner) > 20
    assert not any(loop.body.nodes[0].loop for loop in inner)


def test_failures_are_planned_only_where_an_iteration_has_them():
    rng = seeded(5)
    loops = [decode_loop(rng.randbytes(BYTES_PER_LOOP), LOOPS) for _ in range(300)]
    plain = [loop for loop in loops if loop.body.nodes[0].kind == "task"]

    assert all(("fail" in loop.fates) == bool(loop.body.nodes[0].failures) for loop in plain)
