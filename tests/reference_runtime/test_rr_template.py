"""Templates: literal text, expressions, escapes, booleans."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_runtime.expressions import (
    ExpressionError,
    ExpressionSyntaxError,
    compile_template,
    evaluate,
    evaluate_boolean,
)
from reference_runtime.expressions.syntax import Declaration, Reference
from reference_runtime.expressions.template import names_in
from tests.strategies_documents import drawn_texts


class Scope:
    """One node with outputs of every type."""

    def output(self, _node, port):
        return {"n": 3, "f": 2.5, "t": True, "s": "x", "l": [1, "ü"], "m": {"k": None}}.get(port)

    def config(self, _name):
        return None

    artifact = resource = config

    def variable(self, name):
        raise KeyError(name)


def value(text, scope=None):
    """Value of a text."""
    return evaluate(compile_template(text), scope or Scope())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("plain", "plain"),
        ("$ {a.n} } {", "$ {a.n} } {"),
        ("${a.n}", 3),
        ("${ a.n }", 3),
        ("${a.z}", None),
        ("${a.l}", [1, "ü"]),
        (" ${a.n}", " 3"),
        ("${a.n}${a.n}", "33"),
        ("n=${a.n} f=${a.f} t=${a.t} s=${a.s}", "n=3 f=2.5 t=true s=x"),
        ("l=${a.l} m=${a.m}", 'l=[1, "ü"] m={"k": null}'),
        ("$${a.n}", "${a.n}"),
        ("$$${a.n}", "$${a.n}"),
        ("$${${a.n}", "${3"),
        ("$${", "${"),
        ("$", "$"),
        ("${'}'}", "}"),
        ('${"\'}"}', "'}"),
        ("${'\\'}'}", "'}"),
        ("${'${'}", "${"),
        ("${\n1\t+\r1}", 2),
    ],
)
def test_value(text, expected):
    assert expected == value(text)
    assert type(expected) is type(value(text))


def test_null_has_no_text():
    with pytest.raises(ExpressionError, match="null has no text") as caught:
        value("x${a.z}")

    assert caught.value.code == "HX-4106"


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("abc ${", 4, "no } for this"),
        ("${a.n", 0, "no } for this"),
        ("${'abc}", 2, "never closed"),
        ("${}", 2, "no expression"),
        ("x ${a.n} ${a b}", 13, "'b' does not fit here"),
        ("x ${1 +}", 7, "ends too early"),
    ],
)
def test_position_counts_in_the_whole_text(text, position, words):
    with pytest.raises(ExpressionSyntaxError, match=words) as caught:
        compile_template(text)

    assert position == caught.value.position


@pytest.mark.parametrize(
    ("text", "expected"), [("${true}", True), ("${a.n > 5}", False), ("${a.t}", True)]
)
def test_boolean(text, expected):
    assert expected is evaluate_boolean(compile_template(text), Scope())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("${a.z}", "this is null"),
        ("${null}", "this is null"),
        ("${0}", "this is a number"),
        ("${''}", "this is a string"),
        ("${[]}", "this is an array"),
        ("${a.m}", "this is a map"),
        ("true", "this is a string"),
        ("${true} ", "this is a string"),
        ("", "this is a string"),
    ],
)
def test_other_conditions_are_not_boolean(text, words):
    with pytest.raises(ExpressionError, match=words) as caught:
        evaluate_boolean(compile_template(text), Scope())

    assert caught.value.code == "HX-4107"


def test_condition_that_cannot_be_evaluated_keeps_its_code():
    with pytest.raises(ExpressionError, match="two numbers or two strings") as caught:
        evaluate_boolean(compile_template("${'x' < 1}"), Scope())

    assert caught.value.code == "HX-4106"


def test_names_of_all_parts():
    template = compile_template("${a.b} $${c.d} ${len(e.f)} ${artifact('g')}")

    assert [Reference(("a", "b")), Reference(("e", "f")), Declaration("artifact", "g")] == list(
        names_in(template)
    )


def test_ids_with_dots_are_nodes_only_where_declared():
    text = "${x.y.out}"

    assert [Reference(("x", "y", "out"))] == list(names_in(compile_template(text)))
    assert [Reference(("x.y", "out"))] == list(names_in(compile_template(text, {"x.y": None})))
    assert [Reference(("x", "y", "out"))] == list(names_in(compile_template(text, ["x.y.out"])))


def test_longest_declared_id_is_the_node():
    template = compile_template("${x.y.z.out}", {"x.y", "x.y.z"})

    assert [Reference(("x.y.z", "out"))] == list(names_in(template))


@pytest.mark.parametrize("text", ["a-" * 200_000, "a-1-" * 20_000, "'" * 200_001, "a b" * 9999])
def test_endless_nonsense_is_refused_in_linear_time(text):
    with pytest.raises(ExpressionSyntaxError, match=r"\.$"):
        compile_template(f"${{{text}}}")


def test_endless_paths_cost_no_endless_time():
    path = "a" + ".b" * 200_000

    assert value(f"${{{path}}}") is None
    assert len(next(names_in(compile_template(f"${{{path}}}", {"a.b"}))).path) == 200_000


@given(st.text(st.sampled_from("${}a' ")) | drawn_texts)
def test_escaped_text_is_itself(text):
    assert text == value(text.replace("${", "$${"))


@given(st.lists(st.sampled_from(["${", "$${", "}", "'", '"', "\\", "a.n", "$", "{", " "])))
def test_any_text_compiles_or_is_refused(parts):
    text = "".join(parts)
    try:
        seen = compile_template(text).text
    except ExpressionSyntaxError as error:
        seen = text if 0 <= error.position <= len(text) else None

    assert text == seen


def test_value_nested_deeper_than_its_text_can_be_is_an_error():
    deep = []
    for _ in range(100_000):
        deep = [deep]

    class Deep(Scope):
        def output(self, _node, _port):
            return deep

    with pytest.raises(ExpressionError, match="nested so deep") as caught:
        value("deep: ${a.deep}", Deep())

    assert "HX-4106" == caught.value.code


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("${a.z + 1}", "", "'${a.z + 1}': +: expected numbers, this is null."),
        ("${a.z}", "guard", "guard, '${a.z}': expected true or false, this is null."),
        ("${not\n  a.n}", "case", "case, '${not a.n}': not: expected a boolean, this is a number."),
        (
            "${a.n == 1 or a.z" + " or a.z" * 99 + "}",
            "guard",
            "guard, '${a.n == 1 or a.z" + " or a.z" * 8 + " or a.…': or: expected a boolean, "
            "this is null.",
        ),
        (
            "x" * 99,
            "guard",
            f"guard, '{'x' * 79}…': expected true or false, this is a string.",
        ),
    ],
    ids=["no place", "not boolean", "one line", "long expression", "long text"],
)
def test_fault_says_where_it_is(text, place, message):
    with pytest.raises(ExpressionError, match="expected") as caught:
        evaluate_boolean(compile_template(text), Scope(), place=place)

    assert message == caught.value.message


def test_all_faults_of_a_text_are_found_and_the_rest_is_read():
    with pytest.raises(ExpressionSyntaxError, match="no function 'f'") as caught:
        compile_template("${f(a.x)} ${len()} ${g(b.y) == } ${c.z} ${'")
    first = caught.value

    assert [
        (4 - 2, "HX-3105"), (12, "HX-3101"), (31, "HX-3101"), (42, "HX-3101"),
    ] == [(one.position, one.code) for one in (first, *first.others)]  # fmt: skip
    assert [("a", "x"), ("c", "z")] == [name.path for name in names_in(first.readable)]
