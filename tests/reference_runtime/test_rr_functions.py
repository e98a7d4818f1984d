"""The closed list of functions."""

import pytest

from reference_runtime.expressions import ExpressionError
from reference_runtime.expressions.functions import FUNCTIONS, call


@pytest.mark.parametrize(
    ("name", "arguments", "value"),
    [
        ("len", ["häß"], 3),
        ("len", [[1, 2]], 2),
        ("len", [{"a": 1}], 1),
        ("has", [{"a": None}, "a"], True),
        ("has", [{"a": 1}, "b"], False),
        ("has", [{"1": 1}, 1], False),
        ("has", [[7, 8], 1], True),
        ("has", [[7, 8], 2], False),
        ("has", [[7, 8], -1], False),
        ("has", [[7, 8], 0.5], False),
        ("has", [[7], float("inf")], False),
        ("has", [[7, 8], 1.0], True),
        ("has", [[7], 10**400], False),
        ("has", [[7], -(10**400)], False),
        ("has", [{}, 10**400], False),
        ("empty", [""], True),
        ("empty", [[0]], False),
        ("empty", [{}], True),
        ("lower", ["ÄB"], "äb"),
        ("upper", ["äb"], "ÄB"),
        ("contains", ["abc", "bc"], True),
        ("contains", ["abc", "C"], False),
        ("contains", ["abc", ""], True),
        ("contains", [["a", 1], "a"], True),
        ("contains", [["a", 1], 1.0], True),
        ("contains", [["abc"], "b"], False),
        ("contains", [["1", True], 1], False),
        ("contains", [[[1, 2], {"k": 1}], [1, 2]], True),
        ("contains", [[[1, 2], {"k": 1}], {"k": 1}], True),
        ("contains", [[None], None], True),
        ("contains", [[0, "", False], None], False),
        ("contains", [[], "a"], False),
        ("contains", [[10**400], 0.5], False),
        ("abs", [-2], 2),
        ("abs", [-(10**400)], 10**400),
        ("min", [2, 1.5], 1.5),
        ("min", [10**400, 1.5], 1.5),
        ("max", [10**400, 1.5], 10**400),
        ("max", [2, 1.5], 2),
        ("round", [2.4], 2),
        ("round", [2.5], 3),
        ("round", [-2.5], -3),
        ("round", [7], 7),
        ("round", [-2.4], -2),
        ("round", [-0.5], -1),
        ("round", [-0.25], 0),
        ("round", [0.49999999999999994], 0),
        ("round", [4503599627370497], 4503599627370497),
        ("round", [4503599627370497.0], 4503599627370497),
        ("round", [2**53 + 1], 2**53 + 1),
        ("round", [1e300], 1e300),
        ("round", [10**400], 10**400),
    ],
)
def test_value(name, arguments, value):
    actual = call(name, arguments)

    assert value == actual
    assert type(value) is type(actual)


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("len", [None], "argument 1 is expected to be a string, an array or a map, it is null"),
        ("len", [7], "it is a number"),
        ("has", ["abc", "a"], "argument 1 is expected to be a map or an array, it is a string"),
        ("has", [{}, None], "argument 2 is expected to be a key or a position, it is null"),
        ("empty", [None], "it is null"),
        ("lower", [True], "it is a boolean"),
        ("contains", [{"a": 1}, "a"], "argument 1 is expected to be a string or an array, it is a"),
        ("contains", [None, None], "argument 1 is expected to be a string or an array, it is null"),
        ("contains", ["a", None], "argument 2 is expected to be a string, it is null"),
        ("contains", ["a", ["a"]], "argument 2 is expected to be a string, it is an array"),
        ("contains", ["a", 1], "argument 2 is expected to be a string, it is a number"),
        ("abs", ["1"], "it is a string"),
        ("abs", [True], "it is a boolean"),
        ("min", [1, None], "argument 2 is expected to be a number, it is null"),
        ("round", [float("inf")], "too large"),
        ("round", [float("nan")], "too large"),
    ],
)
def test_other_types_are_invalid_operations(name, arguments, words):
    with pytest.raises(ExpressionError, match=words) as caught:
        call(name, arguments)

    assert caught.value.code == "HX-4106"


def test_list_is_closed():
    assert set(FUNCTIONS) == {
        "len", "has", "empty", "lower", "upper", "contains", "abs", "min", "max", "round",
    }  # fmt: skip
