"""Rules of the expression language: what operators do, and what counts as true (§10.4 to §10.7).

Readings where the text is silent: numbers are doubles, whole results stay whole; ``/`` is real
division; the sign of ``%`` follows the dividend; division by zero is HX-4106 (A164). ``+`` adds
numbers only; texts are joined by templates.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from reference_runtime.expressions.parsing import parse_expression
from reference_runtime.expressions.syntax import Expression
from reference_runtime.expressions.values import (
    ExpressionError,
    Value,
    equal,
    is_number,
    normal,
    type_name,
)

__all__ = ["LANGUAGE", "LanguageRules", "compute", "order"]

_ARITHMETIC: Final[dict[str, Callable[[Any, Any], float]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "%": math.fmod,
}
_ORDERING: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageRules:
    """The part of the rules about expressions.

    Attributes:
        parse: §10.4, text of an expression and ids with a dot → its tree.
        surroundings: §10.1, dotted names that the host program answers: none.
        resolved: §10.1, what is made of the value that a reference has found: nothing.
        unresolved: §10.7, value of a reference to an output that is not there.
        gives_way: §10.4, whether ``??`` goes on after a value.
        rescues: whether ``??`` goes on after an operand that cannot be evaluated.
        equal: §10.5.
        member: §10.4, whether a list has a value.
        order: §10.5, sign and operands → the result of a comparison.
        compute: §10.4, sign and operands → the result of an operation; ``-`` alone takes the
            first operand 0.
        truth: §10.7, boolean that a guard, case or condition stands for, None for none.
        operand: the same for operands of ``and``, ``or`` and ``not`` (A163).
        not_boolean: §10.7, code of a guard, case or condition that stands for none.
    """

    parse: Callable[[str, Collection[str]], Expression]
    surroundings: Mapping[str, Value]
    resolved: Callable[[Value], Value]
    unresolved: Value
    gives_way: Callable[[Value], bool]
    rescues: bool
    equal: Callable[[Value, Value], bool]
    member: Callable[[Value, Sequence[Any]], bool]
    order: Callable[[str, Value, Value], bool]
    compute: Callable[[str, Value, Value], Value]
    truth: Callable[[Value], bool | None]
    operand: Callable[[Value], bool | None]
    not_boolean: Literal["HX-4106", "HX-4107"]


def order(sign: str, left: Any, right: Any) -> bool:
    """Compare two numbers or two texts.

    Raises:
        ExpressionError: HX-4106, they are something else.
    """
    comparable = (is_number(left) and is_number(right)) or (
        isinstance(left, str) and isinstance(right, str)
    )
    if not comparable:
        raise ExpressionError(
            "HX-4106",
            f"{sign}: expected two numbers or two strings, "
            f"these are {type_name(left)} and {type_name(right)}.",
        )
    return _ORDERING[sign](left, right)


def compute(sign: str, left: Value, right: Value) -> Value:
    """Compute with two numbers.

    Raises:
        ExpressionError: HX-4106, they are none, or the result is none.
    """
    for value in (left, right):
        if not is_number(value):
            raise ExpressionError(
                "HX-4106", f"{sign}: expected numbers, this is {type_name(value)}."
            )
    try:
        return normal(_ARITHMETIC[sign](left, right))
    except (ZeroDivisionError, ValueError):
        raise ExpressionError("HX-4106", f"{sign}: division by zero.") from None
    except OverflowError:
        raise ExpressionError("HX-4106", f"{sign}: the result is too large for a number.") from None


def _boolean(value: Value) -> bool | None:
    """Booleans alone are true or false."""
    return value if isinstance(value, bool) else None


LANGUAGE: Final = LanguageRules(
    parse=parse_expression,
    surroundings={},
    resolved=lambda value: value,
    unresolved=None,
    gives_way=lambda value: value is None,
    rescues=False,
    equal=equal,
    member=lambda value, items: any(equal(value, item) for item in items),
    order=order,
    compute=compute,
    truth=_boolean,
    operand=_boolean,
    not_boolean="HX-4107",
)
