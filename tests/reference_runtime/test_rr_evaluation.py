"""Values of expressions: no coercion, null only where the text allows it."""

import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_runtime.expressions import ExpressionError, compile_template, evaluate
from reference_runtime.expressions.values import MAX_NESTING, equal

OUTPUTS = {
    ("a", "n"): 3,
    ("a", "s"): "x",
    ("a", "t"): True,
    ("a", "l"): [1, "2", None, [3]],
    ("a", "m"): {"k": {"d": 5}, "z": None},
    ("a.b", "c"): "dotted",
}


class Scope:
    """Names for the tests; everything else is unresolved."""

    def output(self, node, port):
        return OUTPUTS.get((node, port))

    def config(self, name):
        return {"limit": "7"}.get(name)

    def artifact(self, artifact_id):
        return {"f": {"digest": "sha256:1", "uri": None}}.get(artifact_id)

    def resource(self, resource_id):
        return {"m": {"type": "model"}}.get(resource_id)

    def variable(self, name):
        return {"item": {"p": 1}, "index": 0, "hidden": None}[name]


def value(text):
    """Value of one expression."""
    return evaluate(compile_template(f"${{{text}}}", {"a.b", "a"}), Scope())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.n", 3),
        ("a.b.c", "dotted"),
        ("a.m.k.d", 5),
        ("a.m.none", None),
        ("a.m.z.deeper", None),
        ("a.missing", None),
        ("a.missing.member", None),
        ("zz.x", None),
        ("item", {"p": 1}),
        ("item.p", 1),
        ("index + 1", 1),
        ("nowhere", None),
        ("config.limit", "7"),
        ("config.none", None),
        ("artifact('f').digest", "sha256:1"),
        ("artifact('f').uri", None),
        ("artifact('g')", None),
        ("resource('m').type", "model"),
        ("[a.n, [a.s]]", [3, ["x"]]),
    ],
)
def test_name(text, expected):
    assert expected == value(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 2 - 3", 5),
        ("7 / 2", 3.5),
        ("6 / 2", 3),
        ("0.1 + 0.2", 0.1 + 0.2),
        ("7 % 3", 1),
        ("-7 % 3", -1),
        ("-a.n", -3),
        ("- -1", 1),
        ("2 * 4503599627370496", 9007199254740992),
    ],
)
def test_arithmetic(text, expected):
    actual = value(text)

    assert expected == actual
    assert type(expected) is type(actual)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'1' == 1", False),
        ("'1' != 1", True),
        ("1 == 1.0", True),
        ("true == 1", False),
        ("null == null", True),
        ("null != false", True),
        ("null == 0", False),
        ("a.missing == null", True),
        ("[1, [2]] == [1, [2.0]]", True),
        ("[1] == [true]", False),
        ("[1] == [1, 1]", False),
        ("a.m == a.m", True),
        ("2 < 10", True),
        ("'2' < '10'", False),
        ("'Z' < 'a'", True),
        ("2 >= 2", True),
        ("3 <= 2", False),
        ("3 > 2.5", True),
        ("1 in [1, 2]", True),
        ("'1' in [1, 2]", False),
        ("true in [1]", False),
        ("null in a.l", True),
        ("[3] in a.l", True),
        ("3 in a.l", False),
        ("true and false", False),
        ("true or false and false", True),
        ("not false", True),
        ("!true || true", True),
        ("false and 'x' < 1", False),
        ("true or 'x' < 1", True),
        ("a.missing ?? 5", 5),
        ("a.missing ?? a.alsomissing ?? 'z'", "z"),
        ("false ?? true", False),
        ("0 ?? 1", 0),
        ("'' ?? 'x'", ""),
        ("a.n ?? 1 / 0", 3),
        ("null ?? null", None),
    ],
)
def test_operator(text, expected):
    assert expected is value(text) or expected == value(text)
    assert type(expected) is type(value(text))


@pytest.mark.parametrize(
    "text",
    [
        "null + 1", "1 - null", "-null", "null < 1", "null >= null", "not null", "null and true",
        "true and null", "null or true", "1 in null", "len(null)",
        "'a' + 'b'", "'a' * 2", "true + 1", "-'1'", "'x' < 1", "1 > '0'", "true < false",
        "[1] < [2]", "not 1", "1 and true", "true and 1", "0 or true", "'a' in 'abc'",
        "'k' in a.m", "1 / 0", "1 % 0", "a.n.member", "a.l.member", "'s' == len(1)",
        "1e308 * 10", "config.limit + 1", "abs('1')",
    ],
)  # fmt: skip
def test_invalid_operation(text):
    with pytest.raises(ExpressionError, match=r"\.$") as caught:
        value(text)

    assert caught.value.code == "HX-4106"


HUGE = 10**400


class Huge(Scope):
    """A scope whose outputs are whole numbers beyond every double, or arrays of them."""

    def output(self, _node, port):
        return {"p": HUGE, "n": -HUGE, "w": 10**5000, "l": [HUGE]}[port]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.p == 0.5", False),
        ("a.p != 1", True),
        ("a.p == a.p", True),
        ("a.p > 0.5", True),
        ("0.5 <= a.n", False),
        ("0.5 in a.l", False),
        ("a.p in [0.5, a.p]", True),
        ("contains(a.l, 0.5)", False),
        ("min(a.n, 0.5) == a.n", True),
        ("max(0.5, a.p) == a.p", True),
        ("has([1], a.w)", False),
        ("round(a.p) == a.p", True),
        ("abs(a.n) == a.p", True),
        ("a.p / a.p", 1),
        ("a.p - a.p", 0),
    ],
)
def test_whole_numbers_beyond_doubles_have_their_value(text, expected):
    assert expected == evaluate(compile_template(f"${{{text}}}"), Huge())


@pytest.mark.parametrize(
    "text",
    [
        "${a.p + 0.5}", "${0.5 - a.p}", "${a.p * 1}", "${a.p / 0.5}", "${1.5 % a.p}", "${a.p % 2}",
        "${-a.p}", "${a.p + a.p}", "${a.w * a.w}", "w: ${a.w}", "w: ${[a.w]}",
    ],
)  # fmt: skip
def test_results_beyond_doubles_are_faults(text):
    with pytest.raises(ExpressionError, match=r"large|division") as caught:
        evaluate(compile_template(text), Huge())

    assert "HX-4106" == caught.value.code


def test_array_of_arrays_has_a_bound():
    deep = 1
    for _ in range(MAX_NESTING):
        deep = [deep]

    class Deep(Scope):
        def output(self, _node, _port):
            return deep

    with pytest.raises(ExpressionError, match=f"nested more than {MAX_NESTING} deep"):
        evaluate(compile_template("${[a.x]}"), Deep())

    assert [deep[0]] == evaluate(compile_template("${a.x}"), Deep())


def test_array_that_repeats_itself_has_a_bound():
    wide = [0] * 10
    for _ in range(30):
        wide = [wide, wide]

    class Wide(Scope):
        def output(self, _node, _port):
            return wide

    with pytest.raises(ExpressionError, match="more than 1,000,000 elements"):
        evaluate(compile_template("${[a.x]}"), Wide())


def test_unknown_nodes_may_raise_key_errors_in_the_scope():
    class Strict(Scope):
        def output(self, node, port):
            return OUTPUTS[node, port]

    assert evaluate(compile_template("${zz.x}"), Strict()) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-3, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=1), inner),
    max_leaves=6,
)


def typed(item):
    """The same value with its types spelt out, for an independent comparison."""
    if isinstance(item, list):
        return ("list", tuple(map(typed, item)))
    if isinstance(item, dict):
        return ("map", frozenset((key, typed(inner)) for key, inner in item.items()))
    kind = "number" if isinstance(item, float) else type(item).__name__
    return ("number" if kind == "int" else kind, item)


@given(JSON, JSON)
def test_equality_never_converts(left, right):
    assert equal(left, right) == (typed(left) == typed(right))
    assert equal(left, left)


def test_equality_of_deep_values():
    deep, other = [], []
    for _ in range(50_000):
        deep, other = [deep], [other]

    assert equal(deep, other)


@given(st.integers(-50, 50), st.integers(-50, 50), st.sampled_from("+-*"))
def test_arithmetic_of_small_integers(left, right, sign):
    expected = {"+": operator.add, "-": operator.sub, "*": operator.mul}[sign](left, right)

    assert expected == value(f"({left}) {sign} ({right})")
