"""Final states of a run as people read them."""

import pytest

from reference_runtime.explaining import final_states
from reference_runtime.plans import read_plan
from reference_runtime.script import Played, Script, play
from tests.strategies_runtime import fail, harness, plan

LOOP = "l:loop <loop kind='times' count='{n}' maxIterations='{n}' {more}><body ref='b'/></loop>\nb"


def shown(doc, the_plan=None):
    """Lines about a run under a plan."""
    return list(final_states(doc, play(doc, read_plan(the_plan or plan()))))


def test_states_stand_in_one_column_in_document_order():
    doc = harness("long\nb\nc", "b->c[${false}]")

    assert ["long  SUCCEEDED", "b     SUCCEEDED", "c     PENDING", "outcome: succeeded"] == (
        shown(doc)
    )


def test_name_of_more_than_forty_characters_does_not_widen_the_column():
    first = f"{'a' * 41}  SUCCEEDED"

    assert [first, f"{'b' * 40}  SUCCEEDED"] == shown(harness(f"{'a' * 41}\n{'b' * 40}"))[:2]


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (2, ["l     SUCCEEDED", "b[0]  SUCCEEDED", "b[1]  SUCCEEDED"]),
        (10, ["l     SUCCEEDED", *(f"b[{n}]  SUCCEEDED" for n in range(10))]),
        (11, ["l     SUCCEEDED", "b[…]  11 SUCCEEDED in 11 iterations"]),
    ],
)
def test_iterations_are_listed_or_summed_up(number, expected):
    assert expected == shown(harness(LOOP.format(n=number, more=""), "", "l"))[:-1]


def test_of_many_failures_the_first_ten_are_told():
    doc = harness(LOOP.format(n=12, more="onItemFailure='continue'"), "", "l")
    lines = shown(doc, plan({"b": fail("x"), "b[3]": {"result": "ok"}}))
    told = [line for line in lines if line.startswith("  b")]

    assert "b[…]  11 FAILED, 1 SUCCEEDED in 12 iterations" == lines[1]
    assert (11, "  b[0]: x the step reported a failure") == (len(told), told[0])
    assert "  b[…]: 1 more like these" == told[-1]


def test_code_takes_the_place_of_the_class():
    lines = shown(harness("a <guard when='${1}'/>\nb", "a-!>b", "a"))

    assert "  a: HX-4107 guard, '${1}': expected true or false, this is a number." in lines


def test_codes_without_a_transition_are_told():
    doc = harness("a\nb\nu", "a->b a-~>u", "a")
    lines = shown(doc, plan({"b": fail("x"), "u": fail("y")}))

    assert ["  a: HX-4110 its compensating node failed", "outcome: failed"] == lines[-2:]


def test_run_that_is_not_over_has_no_outcome():
    doc = harness("a b", "a->b")
    script = Script(doc, read_plan(plan()))
    script.run.start()
    script.world.observe()

    assert ["a  READY", "b  PENDING", "outcome: none"] == list(final_states(doc, script.played))


def test_refused_document_is_told_as_such():
    assert ["refused: why"] == list(final_states(harness("a"), Played(refusal="why")))
