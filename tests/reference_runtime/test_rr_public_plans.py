import pytest

from reference_runtime.plans import PlanError
from reference_runtime.public_plans import default_outputs, read_public_plan
from reference_runtime.script import play
from tests.strategies_runtime import harness

TYPES = {
    "l": "array&lt;string&gt;",
    "n": "number",
    "i": "integer",
    "b": "boolean",
    "j": "json",
    "m": "map&lt;string,json&gt;",
    "s": "string",
}


def answers(text):
    doc = harness("a\nb")
    return {
        str(p.address.node) + (f"@{p.address.attempt}" if p.address.attempt else ""): p.answer
        for p in read_public_plan(text, doc).answers
    }


def test_default_outputs_follow_the_port_type():
    expected = {
        "l": [1, 2], "n": 1, "i": 1, "b": True, "j": {}, "m": {}, "s": "a.s", "u": "a.u",
    }  # fmt: skip

    ports = "".join(f"<output name='{name}' type='{kind}'/>" for name, kind in TYPES.items())
    node = harness(f"a <outputs>{ports}<output name='u'/></outputs>").nodes[0]

    assert expected == default_outputs(node)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True), ("false", False), ("null", None), ("3", 3), ("-0.5", -0.5), ("1e3", 1000),
        ("[1,b,true]", [1, "b", True]), ("[]", []), ("x-1", "x-1"), ("007", "007"), ("", ""),
        ("1e999", "1e999"), ("1" + "0" * 400, 10**400), ("[[1,2]]", ["[1", "2]"]), ("1٣", "1٣"),
    ],
)  # fmt: skip
def test_values_are_typed(text, value):
    assert {"k": value} == answers(f"a ok k={text}")["a"].outputs


def test_directives_are_read():
    read = answers("# note\n\na@2 fail rate_limit too many # why\na ok\nb timeout\nb@1 fail")

    assert ["fail", "fail", "ok", "hang"] == [answer.result for answer in read.values()]
    assert ("rate_limit", "too many") == (read["a@2"].error_class, read["a@2"].message)
    assert ("internal", None) == (read["b@1"].error_class, read["b@1"].message)


def test_uncovered_nodes_get_default_outputs_and_covered_ones_their_own():
    doc = harness(
        "a <outputs><output name='x' type='integer'/></outputs>\n"
        "b <inputs><input name='x'/></inputs><outputs><output name='y'/></outputs>\n"
        "c <inputs><input name='y'/></inputs>",
        "a=x:x=>b b=y:y=>c",
    )
    played = play(doc, read_public_plan("b ok y=7", doc))

    assert [{}, {"x": 1}, {"y": 7}] == [e.inputs for e in played.effects if hasattr(e, "inputs")]


def test_timeout_may_be_days_away():
    doc = harness("a <timeout duration='P2D'/>")
    played = play(doc, read_public_plan("a timeout", doc))

    assert "HX-4108" == played.transitions()[-1].code


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\nz ok", "line 2: the document has no node 'z'"),
        ("a", "line 1: expected ok, fail or timeout, observed nothing"),
        ("a okay", "line 1: expected ok, fail or timeout, observed 'okay'"),
        ("a ok x", "line 1: expected key=value after ok, observed 'x'"),
        ("a ok\nb timeout now", "line 2: expected nothing after timeout"),
        ("a@0 ok", "line 1: expected node or node@attempt, observed 'a@0'"),
        ("a ok\na ok", "line 2: a has a directive already"),
        (f"a ok k={'9' * 5000}", "line 1: a number has more than 4,300 digits"),
        (f"a@{'9' * 5000} ok", "line 1: expected node or node@attempt, observed 'a@999"),
        (f"a ok k={'[' * 2000}{']' * 2000}", "line 1: expected a value nested at most 60 deep"),
    ],
)
def test_wrong_line_is_named(text, message):
    with pytest.raises(PlanError, match=message) as caught:
        answers(text)

    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300
