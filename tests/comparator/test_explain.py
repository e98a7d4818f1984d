import msgspec
import pytest

from comparator.compare import compare
from comparator.difference import KINDS
from comparator.explain import BAR, explain
from comparator.golden import CallEntry, OutcomeEntry, PathEntry
from comparator.observation import Call
from comparator.templates import TEMPLATES
from comparator.trace import Trace
from tests.comparator.test_order import FORBIDDEN
from tests.comparator_builder import facts, golden, observed

STATEMENTS = {"6.2-no-pending-running": "Never PENDING->RUNNING."}
CHAIN = facts("a->b b->c", entry="a")
OK = "READY RUNNING SUCCEEDED"


def lines(document, expected, observation):
    comparison = compare(document, expected, observation)
    return explain(document, comparison, STATEMENTS, observation)


def test_every_kind_has_words():
    assert set(KINDS) == TEMPLATES.keys()


def test_run_without_differences_needs_no_words():
    assert [] == lines(CHAIN, golden({}), observed(""))


def test_explanation_has_place_expected_observed_sentence_and_advice():
    text = "a:READY a:RUNNING a:SUCCEEDED b:RUNNING b:SUCCEEDED c:READY c:RUNNING c:SUCCEEDED"
    explained = lines(CHAIN, golden({"a": OK, "b": OK, "c": OK}), observed(text))

    expected = [
        "1. b (line 11): a transition that §6.2 forbids to this node",
        f"{BAR}at transition 4 of 8",
        f"{BAR}  2 a READY→RUNNING",
        f"{BAR}  3 a RUNNING→SUCCEEDED",
        f"{BAR}> 4 b PENDING→RUNNING",
        f"{BAR}  5 b RUNNING→SUCCEEDED",
        "   expected: a transition listed in §6.2 whose conditions hold",
        "   observed: PENDING→RUNNING",
        "   §6.2: Never PENDING->RUNNING. [6.2-no-pending-running]",
        "   from this follow 1 difference: b",
        "   do: Move nodes only along the rows of §6.2.",
    ]
    assert expected == explained


def test_missing_transition_is_placed_after_the_last_one():
    explained = lines(CHAIN, golden({"a": OK}), observed("a:READY a:READY>CANCELLED"))

    assert f"{BAR}at transition 2 of 2" in explained
    explained = lines(CHAIN, golden({"a": OK, "b": OK}), observed("a:READY a:RUNNING a:SUCCEEDED"))
    assert f"{BAR}no transition of b among 3" in explained


def test_consequences_are_folded():
    paths = dict.fromkeys("abc", OK)
    explained = lines(CHAIN, golden(paths), observed("a:READY a:RUNNING a:FAILED"))

    assert 1 == sum(line[0].isdigit() for line in explained)
    assert "   from this follow 2 differences: b, c" in explained


def test_many_divergences_are_cut_off():
    names = [f"n{number}" for number in range(8)]
    document = facts(nodes=" ".join(names))
    explained = lines(document, golden(dict.fromkeys(names, OK)), observed(""))

    assert "and 3 more differences that do not follow from these" == explained[-1]


def test_instance_is_named():
    expected = golden({"a": ""}, outcome=OutcomeEntry(cites=("o",), is_="failed"))

    assert "1. the instance: another outcome" == lines(CHAIN, expected, observed(""))[0]


@pytest.mark.parametrize("name", FORBIDDEN)
def test_unsatisfied_edges_are_told(name):
    document, text, node, _ = FORBIDDEN[name]
    observation = observed(text)
    expected = golden(dict.fromkeys(document.nodes, "*"))
    explained = lines(document, expected, observation)

    assert explained[0].startswith(f"1. {node} (line ")
    assert any(line.startswith("   expected: PENDING") for line in explained)


def test_unequal_inputs_are_told():
    entry = CallEntry(cites=("c",), node="a", inputs={"x": 1})
    seen = observed(
        "a:READY a:RUNNING a:SUCCEEDED", calls=(Call("a", 2, inputs={"x": 2}, answered=2, ok=True),)
    )
    explained = lines(CHAIN, golden({"a": OK}, calls=(entry,)), seen)

    assert any("observed: {'x': 2}; " in line for line in explained)


def test_statement_that_is_not_known_leaves_the_id():
    expected = golden({})
    expected = type(expected)(paths={"a": PathEntry(cites=("9.9-x",), is_=OK)})

    assert "   §9.9: [9.9-x]" in lines(CHAIN, expected, observed(""))


def test_an_excerpt_shows_code_and_the_beginning_of_the_message():
    seen = observed("a:READY a:RUNNING a:FAILED")
    told = {"error_class": "timeout", "code": "HX-4108", "message": "no\n" + "x" * 99}
    *before, last = seen.trace.transitions
    transitions = (*before, msgspec.structs.replace(last, **told))
    seen = msgspec.structs.replace(seen, trace=Trace(transitions, "failed"))
    document = facts(nodes="a")
    comparison = compare(document, golden({"a": "READY RUNNING SUCCEEDED"}), seen)
    text = "\n".join(explain(document, comparison, {}, seen))

    assert f"RUNNING→FAILED (timeout, HX-4108, 'no\\n{'x' * 57}'…)" in text
