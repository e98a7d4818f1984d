"""Evaluation of expression trees (§10.4 to §10.7): pure, without any coercion.

Readings where the text is silent: ``and``, ``or`` and ``??`` stop when the value is known (A162)
and take booleans only, null is none of them (A163). A member of null is null, since the reference
stays unresolved; a missing member of a map is null (A169). What operators do is in
``reference_runtime.expressions.language``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reference_runtime.expressions.functions import call
from reference_runtime.expressions.language import LANGUAGE, LanguageRules
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
    check_size,
    is_array,
    type_name,
)

__all__ = ["evaluate_expression"]

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


def _reference(expression: Reference, scope: Scope, language: LanguageRules) -> Value:
    if language.surroundings and ".".join(expression.path) in language.surroundings:
        return language.surroundings[".".join(expression.path)]
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
        value = _members(scope.output(first, rest[0]), rest[1:])
    except KeyError:
        value = None
    return language.unresolved if value is None else language.resolved(value)


def _declaration(expression: Declaration, scope: Scope, _language: LanguageRules) -> Value:
    read = scope.artifact if expression.kind == "artifact" else scope.resource
    return _members(read(expression.id), expression.members)


def _call(expression: Call, scope: Scope, language: LanguageRules) -> Value:
    arguments = [evaluate_expression(part, scope, language) for part in expression.arguments]
    return _members(call(expression.function, arguments), expression.members)


def _array(expression: Array, scope: Scope, language: LanguageRules) -> Value:
    array = [evaluate_expression(item, scope, language) for item in expression.items]
    check_size(array)
    return array


def _operand(sign: str, value: Value, language: LanguageRules) -> bool:
    boolean = language.operand(value)
    if boolean is None:
        raise _invalid(f"{sign}: expected a boolean, this is {type_name(value)}.")
    return boolean


def _unary(expression: Unary, scope: Scope, language: LanguageRules) -> Value:
    value = evaluate_expression(expression.operand, scope, language)
    if expression.operator == "not":
        return not _operand("not", value, language)
    return language.compute("-", 0, value)


def _coalesced(expression: Chain, scope: Scope, language: LanguageRules) -> Value:
    value = None
    for part in expression.operands:
        try:
            value = evaluate_expression(part, scope, language)
        except ExpressionError:
            if not language.rescues:
                raise
            value = None
        if not language.gives_way(value):
            break
    return value


def _chain(expression: Chain, scope: Scope, language: LanguageRules) -> Value:
    if expression.operator == "??":
        return _coalesced(expression, scope, language)
    settled = _SETTLED_BY[expression.operator]
    for part in expression.operands:
        value = evaluate_expression(part, scope, language)
        if _operand(expression.operator, value, language) is settled:
            return settled
    return not settled


def _arithmetic(expression: Arithmetic, scope: Scope, language: LanguageRules) -> Value:
    value = evaluate_expression(expression.first, scope, language)
    for sign, part in expression.rest:
        value = language.compute(sign, value, evaluate_expression(part, scope, language))
    return value


def _comparison(expression: Comparison, scope: Scope, language: LanguageRules) -> Value:
    sign = expression.operator
    left = evaluate_expression(expression.left, scope, language)
    right = evaluate_expression(expression.right, scope, language)
    if sign in {"==", "!="}:
        return language.equal(left, right) == (sign == "==")
    if sign == "in":
        if not is_array(right) or not isinstance(right, Sequence):
            raise _invalid(f"in: expected an array on the right, this is {type_name(right)}.")
        return language.member(left, right)
    return language.order(sign, left, right)


_EVALUATE: dict[type, Callable[[Any, Scope, LanguageRules], Value]] = {
    Constant: lambda expression, _scope, _language: expression.value,
    Reference: _reference,
    Declaration: _declaration,
    Call: _call,
    Array: _array,
    Unary: _unary,
    Chain: _chain,
    Arithmetic: _arithmetic,
    Comparison: _comparison,
}


def evaluate_expression(
    expression: Expression, scope: Scope, language: LanguageRules = LANGUAGE
) -> Value:
    """Value of an expression.

    Raises:
        ExpressionError: HX-4106, an operation on values it is not made for.
    """
    return _EVALUATE[type(expression)](expression, scope, language)
