"""Plans in the published syntax, and what it has no words for."""

import msgspec
import pytest

from comparator.facts import Facts, Node
from suite.corpus.plan import Plan, PlanText, read_plan
from suite.protocol.published.directives import InexpressibleError, directives_of

FACTS = Facts(
    "written",
    {
        "a": Node("a", "task"),
        "b": Node("b", "task", on_timeout="fail"),
        "gate": Node("gate", "barrier"),
    },
)


def plan(steps, **more):
    return read_plan(msgspec.convert({"steps": steps, **more}, PlanText))


@pytest.mark.parametrize(
    ("steps", "lines"),
    [
        pytest.param({"a": "ok"}, ["a ok"], id="ok"),
        pytest.param(
            {"a": {"ok": {"x": 1, "y": True, "z": None, "w": 1.5, "t": "word", "l": [1, "u"]}}},
            ["a ok x=1 y=true z=null w=1.5 t=word l=[1,u]"],
            id="values",
        ),
        pytest.param({"a": {"fail": "transient"}}, ["a fail transient"], id="class"),
        pytest.param(
            {"a": {"fail": "transient", "message": "no #1  answer"}},
            ["a fail transient no 1 answer"],
            id="message",
        ),
        pytest.param({"a@2": {"fail": "x"}, "a": "ok"}, ["a@2 fail x", "a ok"], id="attempt"),
        pytest.param({"b": "hang"}, ["b timeout"], id="timeout"),
        pytest.param(
            {"*": {"fail": "x"}, "b": "ok"}, ["b ok", "a fail x"], id="every-node-with-a-step"
        ),
        pytest.param({}, [], id="nothing"),
    ],
)
def test_plan_is_a_line_for_each_answer(steps, lines):
    text = directives_of(plan(steps), FACTS, ())

    assert lines == text.splitlines()


@pytest.mark.parametrize(
    ("steps", "more", "reason"),
    [
        pytest.param({"a[1]": "ok"}, {}, "address an iteration", id="iteration"),
        pytest.param({"a": {"ok": {}, "hold-until": "idle"}}, {}, "hold an answer back", id="hold"),
        pytest.param({"a": {"ok": {}, "after": "PT0.05S"}}, {}, "hold an answer back", id="after"),
        pytest.param({"a": "hang"}, {}, "without a timeout nothing ends it", id="hang"),
        pytest.param({"a": {"ok": {"x": "two words"}}}, {}, "value 'two words'", id="blank"),
        pytest.param({"a": {"ok": {"x": "true"}}}, {}, "value 'true'", id="looks-boolean"),
        pytest.param({"a": {"ok": {"x": "12"}}}, {}, "value '12'", id="looks-numeric"),
        pytest.param({"a": {"ok": {"x": "a#b"}}}, {}, "value 'a#b'", id="comment"),
        pytest.param({"a": {"ok": {"x": ""}}}, {}, "value ''", id="empty"),
        pytest.param({"a": {"ok": {"x": "b=c"}}}, {}, "value 'b=c'", id="second-key"),
        pytest.param({"a": {"ok": {"x": "'b'"}}}, {}, "value", id="quotation"),
        pytest.param({"a": {"ok": {"x": {"y": 1}}}}, {}, "value {'y': 1}", id="object"),
        pytest.param({"a": {"ok": {"x": [[1]]}}}, {}, r"value \[1\]", id="nested"),
        pytest.param({"a": {"fail": "two words"}}, {}, "no single word", id="class"),
        pytest.param({}, {"cancel": "idle"}, "instance is cancelled", id="cancel"),
        pytest.param({}, {"unresolvable": ["r"]}, "cannot be resolved", id="faults"),
        pytest.param(
            {}, {"events": [{"name": "e", "at": "idle"}]}, "an event arrives", id="events"
        ),
    ],
)
def test_what_has_no_words_is_named(steps, more, reason):
    with pytest.raises(InexpressibleError, match=reason):
        directives_of(plan(steps, **more), FACTS, ())


def test_an_output_left_out_on_purpose_would_be_filled_in():
    with pytest.raises(InexpressibleError, match="a leaves out the output 'x'"):
        directives_of(plan({"a": "ok"}), FACTS, {("a", "x")})


def test_an_empty_plan_says_nothing():
    text = directives_of(Plan(), FACTS, {("a", "x")})

    assert "" == text
