"""Wrong parsers and operators for the deviants of ``language``."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from reference_runtime.expressions.evaluation import evaluate_expression
from reference_runtime.expressions.language import LANGUAGE
from reference_runtime.expressions.parsing import (
    GRAMMAR_FILE,
    parse_expression,
    parse_with_grammar,
)
from reference_runtime.expressions.syntax import Constant, Expression, names_of
from reference_runtime.expressions.values import (
    ExpressionError,
    ExpressionSyntaxError,
    Value,
    equal,
    is_array,
    is_number,
    type_name,
)

__all__ = [
    "COMPARISON_FIRST",
    "OR_FIRST",
    "SIGNS_FIRST",
    "converted",
    "empty",
    "empty_is_null",
    "evaluated_again",
    "flat",
    "grammar",
    "ignoring_case",
    "in_element",
    "in_joined_text",
    "is_position",
    "lax_order",
    "loosely_equal",
    "null_computes_as_zero",
    "null_is_false",
    "null_orders_as_zero",
    "null_orders_false",
    "null_spreads",
    "order_as_numbers",
    "order_of_digits",
    "order_or_false",
    "percentage",
    "texts_as_numbers",
    "words",
]

_LEVELS: Final = re.compile(r"\?disjunction:.*?(?=\?unary)", re.DOTALL)


def grammar(levels: str, top: str) -> Callable[[str, Collection[str]], Expression]:
    """Make a parser with other levels between ``top`` and unary operators."""
    text = _LEVELS.sub(lambda _match: levels, GRAMMAR_FILE.read_text(encoding="utf-8"))
    head, rest = text.split("start: disjunction", 1)
    rest = rest.replace(levels, "LEVELS").replace("disjunction", top).replace("LEVELS", levels)
    return partial(parse_with_grammar, grammar=f"{head}start: {top}{rest}")


_ARITHMETIC: Final = """
?coalescence: sum ("??" sum)*
?sum: product ((PLUS | MINUS) product)*
?product: unary (FACTOR unary)*

"""
_COMPARISON: Final = "?comparison: coalescence ((COMPARATOR | IN) coalescence)?"

OR_FIRST: Final = f"""
?conjunction: disjunction (_and disjunction)*
?disjunction: comparison (_or comparison)*
{_COMPARISON}
{_ARITHMETIC}"""

SIGNS_FIRST: Final = f"""
?disjunction: conjunction ("or" conjunction)*
?conjunction: _signs ("and" _signs)*
_signs: signed_or
?signed_or: signed_and | signed_and ("||" signed_and)+ -> disjunction
?signed_and: comparison | comparison ("&&" comparison)+ -> conjunction
{_COMPARISON}
{_ARITHMETIC}"""

COMPARISON_FIRST: Final = """
?disjunction: conjunction (_or conjunction)*
?conjunction: coalescence (_and coalescence)*
?coalescence: sum ("??" sum)*
?sum: product ((PLUS | MINUS) product)*
?product: comparison (FACTOR comparison)*
?comparison: unary ((COMPARATOR | IN) unary)?

"""

#: Parentheses that are no call.
_GROUP: Final = re.compile(r"(?<![A-Za-z0-9_])\(([^()]*)\)")


def flat(text: str, dotted: Collection[str]) -> Expression:
    """Read an expression without its parentheses."""
    while (flat := _GROUP.sub(r"\1", text)) != text:
        text = flat
    return parse_expression(text, dotted)


class _Nowhere:
    """A scope without any names."""

    def output(self, _node: str, _port: str) -> Value:
        """Know no node."""
        return None

    def variable(self, name: str) -> Value:
        """Know no variable."""
        raise KeyError(name)

    config = artifact = resource = variable


def evaluated_again(value: Value) -> Value:
    """Evaluate a text that is an expression without names, and more than a literal."""
    if not isinstance(value, str) or not value.strip():
        return value
    with suppress(ExpressionSyntaxError, ExpressionError):
        tree = parse_expression(value)
        if not isinstance(tree, Constant) and not any(names_of(tree)):
            return evaluate_expression(tree, _Nowhere())
    return value


def _script_number(value: Value) -> Any:
    """What a scripting language makes of a value where it wants a number; None for none."""
    if value is None or value == "":
        return 0
    if isinstance(value, bool):
        return int(value)
    with suppress(ValueError):
        return float(value) if isinstance(value, str) else value
    return None


def loosely_equal(left: Value, right: Value) -> bool:
    """Compare numbers where one side is a number."""
    if type_name(left) == type_name(right):
        return equal(left, right)
    if left is None or right is None or is_array(left) or is_array(right):
        return equal(left, right)
    one, other = _script_number(left), _script_number(right)
    return one is not None and other is not None and bool(one == other)


def texts_as_numbers(left: Value, right: Value) -> bool:
    """Two texts that look like numbers are equal as numbers."""
    if isinstance(left, str) and isinstance(right, str):
        with suppress(ValueError):
            return float(left) == float(right)
    return equal(left, right)


def empty(value: Value) -> bool:
    """Whether a value is null, false, zero or without content."""
    return value is None or (not isinstance(value, bool) and not value) or value is False


def empty_is_null(left: Value, right: Value) -> bool:
    """Null equals what is empty."""
    if left is None or right is None:
        return empty(left) and empty(right)
    return equal(left, right)


def ignoring_case(left: Value, right: Value) -> bool:
    """Texts are compared without regard to case."""
    if isinstance(left, str) and isinstance(right, str):
        return left.lower() == right.lower()
    return equal(left, right)


def converted(value: Value, items: Sequence[Any]) -> bool:
    """A list has what loosely equals an element."""
    return any(loosely_equal(value, item) for item in items)


def in_joined_text(value: Value, items: Sequence[Any]) -> bool:
    """A list is searched as one text."""
    return str(value) in ",".join(str(item) for item in items)


def in_element(value: Value, items: Sequence[Any]) -> bool:
    """A list has what is part of an element."""
    if isinstance(value, str):
        return any(isinstance(item, str) and value in item for item in items)
    return LANGUAGE.member(value, items)


def is_position(value: Value, items: Sequence[Any]) -> bool:
    """A list has the numbers of its positions."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(items)


def order_as_numbers(sign: str, left: Value, right: Value) -> bool:
    """Different types are ordered as numbers."""
    if type_name(left) != type_name(right) and left is not None and right is not None:
        one, other = _script_number(left), _script_number(right)
        if one is not None and other is not None and not is_array(left) and not is_array(right):
            return LANGUAGE.order(sign, one, other)
    return LANGUAGE.order(sign, left, right)


def order_or_false(sign: str, left: Value, right: Value) -> bool:
    """What has no order is not ordered so."""
    try:
        return LANGUAGE.order(sign, left, right)
    except ExpressionError:
        return False


def null_orders_false(sign: str, left: Value, right: Value) -> bool:
    """Null is ordered before and behind nothing."""
    return left is not None and right is not None and LANGUAGE.order(sign, left, right)


def order_of_digits(sign: str, left: Value, right: Value) -> bool:
    """Numbers are ordered as texts."""
    if is_number(left) and is_number(right):
        return LANGUAGE.order(sign, str(left), str(right))
    return LANGUAGE.order(sign, left, right)


def lax_order(sign: str, left: Value, right: Value) -> bool:
    """What is equal is less and greater, too."""
    return LANGUAGE.order({"<": "<=", ">": ">="}.get(sign, sign), left, right)


def _zero(value: Value) -> Value:
    return 0 if value is None else value


def null_computes_as_zero(sign: str, left: Value, right: Value) -> Value:
    """Null is zero to arithmetic."""
    return LANGUAGE.compute(sign, _zero(left), _zero(right))


def null_orders_as_zero(sign: str, left: Value, right: Value) -> bool:
    """Null is zero to ordering."""
    return LANGUAGE.order(sign, _zero(left), _zero(right))


def null_spreads(sign: str, left: Value, right: Value) -> Value:
    """Arithmetic with null is null."""
    return None if left is None or right is None else LANGUAGE.compute(sign, left, right)


def percentage(sign: str, left: Value, right: Value) -> Value:
    """The sign % stands for percent."""
    if sign == "%":
        return LANGUAGE.compute("/", LANGUAGE.compute("*", left, right), 100)
    return LANGUAGE.compute(sign, left, right)


def words(value: Value) -> bool | None:
    """Texts can be booleans."""
    if isinstance(value, str) and value in {"true", "false"}:
        return value == "true"
    return LANGUAGE.truth(value)


def null_is_false(value: Value) -> bool | None:
    """Null is false."""
    return False if value is None else LANGUAGE.truth(value)
