"""Evaluation of expression trees (§10.4 to §10.7): pure, without any coercion.

Readings where the text is silent: numbers are doubles, whole results stay whole; ``/`` is real
division; the sign of ``%`` follows the dividend; division by zero is HX-4106 (A164). ``and``,
``or`` and ``??`` stop when the value is known (A162) and take booleans only, null is none of
them (A163). ``+`` adds numbers only; texts are joined by templates. A member of null is null,
since the reference stays unresolved; a missing member of a map is null (A169).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reference_runtime.expressions.functions import call
from reference_runtime.expressions.syntax import (
    Arithmetic,
    Array,
    Call,
    Chain,
    Comparison,
    Constant,
    Declaration,
    Expression,
    Reference,
    Unary,
)
from reference_runtime.expressions.values import (
    ExpressionError,
    Scope,
    Value,
    equal,
    is_array,
    is_number,
    normal,
    type_name,
)

__all__ = ["evaluate_expression"]

_ARITHMETIC: dict[str, Callable[[Any, Any], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "%": math.fmod,
}
_ORDERING: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
#: Operator → the operand that settles it.
_SETTLED_BY = {"or": True, "and": False}


def _invalid(message: str) -> ExpressionError:
    return ExpressionError("HX-4106", message)


def _members(value: Value, names: Sequence[str]) -> Value:
    for name in names:
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise _invalid(f".{name}: only maps have members, this is {type_name(value)}.")
        value = value.get(name)
    return value


def _reference(expression: Reference, scope: Scope) -> Value:
    first, *rest = expression.path
    if first == "config" and rest:
        return _members(scope.config(rest[0]), rest[1:])
    try:
        # An iteration variable hides a node of its name inside the body.
        variable = scope.variable(first)
    except KeyError:
        variable = None
    if variable is not None or not rest:
        return _members(variable, rest)
    try:
        return _members(scope.output(first, rest[0]), rest[1:])
    except KeyError:
        return None


def _declaration(expression: Declaration, scope: Scope) -> Value:
    read = scope.artifact if expression.kind == "artifact" else scope.resource
    return _members(read(expression.id), expression.members)


def _call(expression: Call, scope: Scope) -> Value:
    arguments = [evaluate_expression(part, scope) for part in expression.arguments]
    return _members(call(expression.function, arguments), expression.members)


def _array(expression: Array, scope: Scope) -> Value:
    return [evaluate_expression(item, scope) for item in expression.items]


def _unary(expression: Unary, scope: Scope) -> Value:
    value = evaluate_expression(expression.operand, scope)
    if expression.operator == "not":
        if not isinstance(value, bool):
            raise _invalid(f"not: expected a boolean, this is {type_name(value)}.")
        return not value
    return normal(-_number("-", value))


def _chain(expression: Chain, scope: Scope) -> Value:
    if expression.operator == "??":
        value = None
        for part in expression.operands:
            value = evaluate_expression(part, scope)
            if value is not None:
                break
        return value
    settled = _SETTLED_BY[expression.operator]
    for part in expression.operands:
        value = evaluate_expression(part, scope)
        if not isinstance(value, bool):
            raise _invalid(f"{expression.operator}: expected booleans, this is {type_name(value)}.")
        if value is settled:
            return settled
    return not settled


def _number(sign: str, value: Value) -> float:
    if isinstance(value, int | float) and is_number(value):
        return value
    raise _invalid(f"{sign}: expected numbers, this is {type_name(value)}.")


def _arithmetic(expression: Arithmetic, scope: Scope) -> Value:
    value = evaluate_expression(expression.first, scope)
    for sign, part in expression.rest:
        left, right = _number(sign, value), _number(sign, evaluate_expression(part, scope))
        try:
            value = normal(_ARITHMETIC[sign](left, right))
        except (ZeroDivisionError, ValueError):
            raise _invalid(f"{sign}: division by zero.") from None
        except OverflowError:
            raise _invalid(f"{sign}: the result is too large for a number.") from None
    return value


def _comparison(expression: Comparison, scope: Scope) -> Value:
    sign = expression.operator
    left = evaluate_expression(expression.left, scope)
    right = evaluate_expression(expression.right, scope)
    if sign in {"==", "!="}:
        return equal(left, right) == (sign == "==")
    if sign == "in":
        if not is_array(right) or not isinstance(right, Sequence):
            raise _invalid(f"in: expected an array on the right, this is {type_name(right)}.")
        return any(equal(left, item) for item in right)
    comparable = (is_number(left) and is_number(right)) or (
        isinstance(left, str) and isinstance(right, str)
    )
    if not comparable:
        raise _invalid(
            f"{sign}: expected two numbers or two strings, "
            f"these are {type_name(left)} and {type_name(right)}."
        )
    return _ORDERING[sign](left, right)


_EVALUATE: dict[type, Callable[[Any, Scope], Value]] = {
    Constant: lambda expression, _scope: expression.value,
    Reference: _reference,
    Declaration: _declaration,
    Call: _call,
    Array: _array,
    Unary: _unary,
    Chain: _chain,
    Arithmetic: _arithmetic,
    Comparison: _comparison,
}


def evaluate_expression(expression: Expression, scope: Scope) -> Value:
    """Value of an expression.

    Raises:
        ExpressionError: HX-4106, an operation on values it is not made for.
    """
    return _EVALUATE[type(expression)](expression, scope)
