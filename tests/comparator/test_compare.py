import pytest

from comparator.compare import impossible_steps
from comparator.trace import Transition
from tests.comparator_builder import differences, facts, kinds, observed, trace

LOOP = facts(loops={"l": {"body": "w", "max_concurrency": 2}}, entry="l", w={"idempotent": True})
OVERLAPPING = "l:READY l:RUNNING w:PENDING>READY w:PENDING>READY"


@pytest.mark.parametrize(
    "step", ["w:SUCCEEDED>PENDING", "w:FAILED>COMPENSATED", "w:READY>SUCCEEDED"]
)
def test_a_step_that_no_lifecycle_has_is_noticed_whatever_the_iteration_is(step):
    found = differences(LOOP, observed(f"{OVERLAPPING} {step} l:SUCCEEDED"))

    assert ("illegal-pair", "w") in kinds(found)


def test_iterations_that_nobody_can_tell_apart_have_no_impossible_step():
    text = f"{OVERLAPPING} w:READY>RUNNING w:READY>RUNNING w:RUNNING>SUCCEEDED w:RUNNING>SUCCEEDED"

    assert [] == list(impossible_steps(LOOP, trace(text).transitions))


def test_an_entry_that_creates_a_node_is_no_step():
    created = (Transition("w", "PENDING", "PENDING"),)

    assert [] == list(impossible_steps(LOOP, created))


def test_each_node_has_one_impossible_step():
    steps = trace("w:SUCCEEDED>PENDING w:FAILED>PENDING zelkova:SUCCEEDED>PENDING").transitions

    assert [("illegal-pair", "w")] == kinds(impossible_steps(LOOP, steps))
