"""From text to tree: binding, names, bounds, and two readers that agree."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reference_runtime.expressions import ExpressionSyntaxError
from reference_runtime.expressions.parsing import MAX_LENGTH, parse_expression, parse_with_grammar
from reference_runtime.expressions.syntax import (
    Arithmetic,
    Array,
    Call,
    Chain,
    Comparison,
    Constant,
    Declaration,
    Reference,
    Unary,
    names_of,
)

ONE, TWO, THREE = Constant(1), Constant(2), Constant(3)
A, B, C = Reference(("a",)), Reference(("b",)), Reference(("c",))


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a or b and c", Chain("or", (A, Chain("and", (B, C))))),
        ("a && b || c", Chain("or", (Chain("and", (A, B)), C))),
        ("(a or b) and c", Chain("and", (Chain("or", (A, B)), C))),
        ("a or b or c", Chain("or", (A, B, C))),
        ("not a and b", Chain("and", (Unary("not", A), B))),
        ("not(a)", Unary("not", A)),
        ("!!a", Unary("not", Unary("not", A))),
        ("1 + 2 == 3", Comparison("==", Arithmetic(ONE, (("+", TWO),)), THREE)),
        ("1 + 2 * 3", Arithmetic(ONE, (("+", Arithmetic(TWO, (("*", THREE),))),))),
        ("1 - 2 - 3", Arithmetic(ONE, (("-", TWO), ("-", THREE)))),
        ("1 - -2", Arithmetic(ONE, (("-", Unary("-", TWO)),))),
        ("a ?? 1 == 2", Comparison("==", Chain("??", (A, ONE)), TWO)),
        ("a ?? 1 + 2", Chain("??", (A, Arithmetic(ONE, (("+", TWO),))))),
        ("a in [1, 2]", Comparison("in", A, Array((ONE, TWO)))),
        ("[]", Array(())),
        ("[[1], a]", Array((Array((ONE,)), A))),
        ("len(a)", Call("len", (A,))),
        ("min(1, 2)", Call("min", (ONE, TWO))),
        ("max(1, 2).b.c", Call("max", (ONE, TWO), ("b", "c"))),
        ("artifact('x')", Declaration("artifact", "x")),
        ('resource( "x" ).a.b', Declaration("resource", "x", ("a", "b"))),
        ("'it\\'s'", Constant("it's")),
        ('"\\\\n"', Constant("\\n")),
        ("'\\n'", Constant("\\n")),
        ("1.50", Constant(1.5)),
        ("2.0", TWO),
        ("1e2", Constant(100)),
        ("9007199254740993", Constant(9007199254740992.0)),
    ],
)
def test_tree(text, tree):
    assert tree == parse_expression(text)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a.b", ("a", "b")),
        ("a.b.c", ("a", "b", "c")),
        ("a-b.c", ("a-b", "c")),
        ("a-1.c", ("a-1", "c")),
        ("a.b-c", ("a", "b-c")),
        ("not.x", ("not", "x")),
        ("in.or", ("in", "or")),
        ("true.x", ("true", "x")),
        ("notx", ("notx",)),
        ("android", ("android",)),
        ("config.x", ("config", "x")),
        ("artifact.x", ("artifact", "x")),
        ("x.y.out", ("x.y", "out")),
        ("x.y.out.member", ("x.y", "out", "member")),
        ("x.y-z.out", ("x.y-z", "out")),
    ],
)
def test_name(text, path):
    assert Reference(path) == parse_expression(text, {"x.y", "x.y-z"})


@pytest.mark.parametrize("text", ["a.b-1", "a.b - 1", "a.b -1", "a.b- 1"])
def test_minus_before_a_number_subtracts(text):
    assert Arithmetic(Reference(("a", "b")), (("-", ONE),)) == parse_expression(text)


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("", 0, "no expression"),
        ("  ", 0, "no expression"),
        ("a b", 2, "'b' does not fit here"),
        ("1 +", 3, "ends too early"),
        ("(1", 2, "ends too early"),
        ("1)", 1, "does not fit here"),
        ("or", 0, "does not fit here"),
        ("a == b == c", 7, "does not fit here"),
        ("a = 1", 2, "is no part of an expression"),
        ("a & b", 2, "is no part of an expression"),
        ("1..2", 0, "is no part of an expression"),
        ("1a", 0, "is no part of an expression"),
        ("a.", 1, "is no part of an expression"),
        ("a[0]", 1, "does not fit here"),
        ("[1,]", 3, "does not fit here"),
        ("(a).b", 3, "does not fit here"),
        ("len()", 0, "takes 1 argument"),
        ("min(1)", 0, "takes 2 argument"),
        ("artifact(a)", 0, "one id as a literal string"),
        ("1 + artifact('a', 'b')", 4, "one id as a literal string"),
        ("1e999", 0, "too large"),
        (" 1e999", 1, "too large"),
        ("a.b == 1e999", 7, "'1e999' is too large"),
        ("a.b < " + "9" * 400, 6, "'99999999999999999999…' is too large"),
        ("min(1, [2, 1e400])", 11, "too large"),
        ("é", 0, "is no part of an expression"),
        ("a := 1", 2, "is no part of an expression"),
        ("{'a': 1}", 0, "is no part of an expression"),
    ],
)
def test_no_expression(text, position, words):
    with pytest.raises(ExpressionSyntaxError, match=words) as caught:
        parse_expression(text)

    assert ("HX-3101", position) == (caught.value.code, caught.value.position)


def test_number_that_is_too_large_is_one_fault_of_several():
    with pytest.raises(ExpressionSyntaxError) as caught:
        parse_expression("1e999 + len() + a.b + 2e999")
    first, *others = [caught.value, *caught.value.others]

    assert (0, [8, 22]) == (first.position, [fault.position for fault in others])
    assert [Reference(("a", "b"))] == list(names_of(first.readable))


@pytest.mark.parametrize("text", ["now()", "1 + random(2)", "len2('a')", "a.b(1)", "env('HOME')"])
def test_unknown_function_has_its_own_code(text):
    with pytest.raises(ExpressionSyntaxError, match="There is no function") as caught:
        parse_expression(text)

    assert caught.value.code == "HX-3105"


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "1" + ")" * 5000,
        "[" * 5000 + "]" * 5000,
        "!" * 5000 + "true",
        "-" * 5000 + "1",
        "len(" * 200 + "a" + ")" * 200,
        "(" * 101 + "1" + ")" * 101,
        "(" * 5000,
    ],
    ids=["parentheses", "arrays", "nots", "minuses", "calls", "just too deep", "never closed"],
)
def test_depth_is_bounded_by_a_syntax_error(text):
    with pytest.raises(ExpressionSyntaxError, match="nested more than 100 deep"):
        parse_expression(text)


def test_deepest_expressions_are_read():
    assert ONE == parse_expression("(" * 100 + "1" + ")" * 100)
    assert isinstance(parse_expression("-" * 99 + "1"), Unary)


def test_brackets_in_strings_are_no_depth():
    assert Constant("(" * 500) == parse_expression(f"'{'(' * 500}'")


@pytest.mark.parametrize("sign", ["+", "*", " or ", " and ", " ?? "])
def test_length_is_no_depth(sign):
    tree = parse_expression(sign.join(["a"] * 3000))

    assert sum(1 for _ in names_of(tree)) == 3000


def test_names_in_the_order_of_the_text():
    tree = parse_expression("a.x + len([b.y, -c.z]) > min(artifact('f').n, d.w) ?? 1")

    assert [
        Reference(("a", "x")),
        Reference(("b", "y")),
        Reference(("c", "z")),
        Declaration("artifact", "f", ("n",)),
        Reference(("d", "w")),
    ] == list(names_of(tree))


WORDS = st.sampled_from(
    ["a", "a.b", "a.b.c", "config.x", "true", "false", "null", "or", "not", "in", "1", "2.50",
     "'s'", '"t"', "'it\\'s'", "==", "!=", "<", ">=", "-", "(", ")", "artifact('f')",
     "resource('m').x", "artifact", "truex", "not.x", "1e400", "00", " ", "\t"]
)  # fmt: skip


@given(st.lists(WORDS, min_size=1, max_size=4).map("".join) | st.lists(WORDS).map(" ".join))
@example("true==true")
@example("or == 1")
@example(" a.b<1 ")
@example("artifact('f').x.y")
@example("999999999999999999999.5")
def test_short_forms_read_as_the_grammar_reads_them(text):
    def outcome(read):
        try:
            return read(text)
        except ExpressionSyntaxError as error:
            return error.code

    assert outcome(parse_with_grammar) == outcome(parse_expression)


@given(st.text(st.sampled_from("ab.1'\"()[],-+*/%<>=!&|? \\x"), max_size=25))
def test_any_text_is_read_or_refused(text):
    try:
        tree = parse_expression(text)
    except ExpressionSyntaxError as error:
        tree = None
        position = error.position
    else:
        position = 0

    assert 0 <= position <= len(text)
    assert tree is None or tree == parse_expression(f" {text}\n")


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "1" + ")" * 5000,
        "[" * 5000 + "]" * 5000,
        "-" * 5000 + "1",
        "not " * 5000 + "true",
        "len(" * 5000,
    ],
    ids=["parentheses", "arrays", "minus", "not", "calls"],
)
def test_depth_is_bounded_by_a_clear_error(text):
    with pytest.raises(ExpressionSyntaxError, match="nested more than 100 deep") as caught:
        parse_expression(text)

    assert "HX-3101" == caught.value.code


def test_length_is_bounded_outside_of_strings():
    long_string = "'" + "x" * 10 * MAX_LENGTH + "'"
    with pytest.raises(ExpressionSyntaxError, match="more than 100000 characters outside"):
        parse_expression("1" + "+1" * (MAX_LENGTH // 2))

    assert "==" == parse_expression(f"({long_string} == {long_string})").operator


def test_brackets_in_strings_are_not_counted():
    assert "==" == parse_expression(f"('{'(' * 500}' == '')").operator
