import msgspec
import pytest

from comparator.trace import Trace
from tests.comparator_builder import differences, facts, kinds, observed

PAIR = facts(nodes="a b")
TEXT = "a:READY a:RUNNING b:READY b:RUNNING b:SUCCEEDED a:SUCCEEDED"


def at(*times):
    seen = observed(TEXT)
    stamped = [
        msgspec.structs.replace(transition, at=time)
        for transition, time in zip(seen.trace.transitions, times, strict=True)
    ]
    return differences(
        PAIR, msgspec.structs.replace(seen, trace=Trace(tuple(stamped), "succeeded"))
    )


@pytest.mark.parametrize(
    "times",
    [(0, 0, 1, 1, 2, 2), (5, 6, 1, 2, 3, 7), (1, None, None, 0, None, 1), (None,) * 6],
    ids=["forward", "nodes-apart", "seldom", "never"],
)
def test_times_that_run_forward_pass(times):
    assert () == at(*times)


@pytest.mark.parametrize("times", [(2, 1, 0, 0, 0, 1), (2, None, 0, 0, 0, 1)])
def test_time_that_runs_backwards_is_noticed_once(times):
    found = at(*times)

    assert [("clock", "a")] == kinds(found)
    assert (2, 1) == (found[0].expected, found[0].observed)
    assert ("6.6-entry-timestamp",) == found[0].cites
