"""The closed list of functions (§10.6): no clock, no randomness, no environment.

``contains`` looks for a text in a text, or for an element in an array, which may be any value
and is compared as ``in`` and ``==`` do. Readings where the text is silent (A163, A164): null is no
other argument of any function, ``round`` goes to the nearest whole number and halves away from
zero, ``has`` asks a map for a key or an array for a position.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reference_runtime.expressions.values import (
    ExpressionError,
    Value,
    equal,
    is_array,
    is_number,
    normal,
    type_name,
)

__all__ = ["FUNCTIONS", "LOOKUPS", "call"]

#: Functions that read a declaration; their argument is a literal text (A172).
LOOKUPS = ("artifact", "resource")


def _is_text(value: Value) -> bool:
    return isinstance(value, str)


def _is_sized(value: Value) -> bool:
    return isinstance(value, str | Mapping) or is_array(value)


def _is_container(value: Value) -> bool:
    return isinstance(value, Mapping) or is_array(value)


def _is_searched(value: Value) -> bool:
    return isinstance(value, str) or is_array(value)


def _is_key(value: Value) -> bool:
    return isinstance(value, str) or is_number(value)


def _has(container: Any, key: Any) -> bool:
    if isinstance(container, Mapping):
        return isinstance(key, str) and key in container
    # A whole number may be larger than any double.
    return is_number(key) and 0 <= key < len(container) and key == int(key)


def _contains(container: Any, part: Value) -> bool:
    if not isinstance(container, str):
        return any(equal(part, item) for item in container)
    if not isinstance(part, str):
        raise _unfit("contains", 2, _TEXT[1], part)
    return part in container


def _round(number: Any) -> Value:
    if isinstance(number, int) or not math.isfinite(number):
        return number if isinstance(number, int) else normal(number)
    size = abs(number)
    whole = math.floor(size)
    # Adding a half would itself be rounded.
    return normal(math.copysign(whole + (size - whole >= 0.5), number))


def _unfit(name: str, position: int, wish: str, argument: Value) -> ExpressionError:
    return ExpressionError(
        "HX-4106",
        f"{name}(): argument {position} is expected to be {wish}, it is {type_name(argument)}.",
    )


#: A test of an argument and the words for what passes it.
_Wish = tuple[Callable[[Value], bool], str]
_NUMBER: _Wish = (is_number, "a number")
_TEXT: _Wish = (_is_text, "a string")
_SIZED: _Wish = (_is_sized, "a string, an array or a map")
_CONTAINER: _Wish = (_is_container, "a map or an array")
_KEY: _Wish = (_is_key, "a key or a position")
_SEARCHED: _Wish = (_is_searched, "a string or an array")
_ANYTHING: _Wish = (lambda _value: True, "anything")

#: name → (what each argument must be, what it computes)
FUNCTIONS: dict[str, tuple[tuple[_Wish, ...], Callable[..., Value]]] = {
    "len": ((_SIZED,), len),
    "has": ((_CONTAINER, _KEY), _has),
    "empty": ((_SIZED,), lambda value: len(value) == 0),
    "lower": ((_TEXT,), str.lower),
    "upper": ((_TEXT,), str.upper),
    "contains": ((_SEARCHED, _ANYTHING), _contains),
    "abs": ((_NUMBER,), abs),
    "min": ((_NUMBER, _NUMBER), min),
    "max": ((_NUMBER, _NUMBER), max),
    "round": ((_NUMBER,), _round),
}


def call(name: str, arguments: Sequence[Value]) -> Value:
    """Apply a function; the number of arguments was checked when the text was compiled.

    Raises:
        ExpressionError: HX-4106, an argument of another type, null included.
    """
    wishes, function = FUNCTIONS[name]
    for position, (argument, (fits, wish)) in enumerate(
        zip(arguments, wishes, strict=True), start=1
    ):
        if not fits(argument):
            raise _unfit(name, position, wish, argument)
    return function(*arguments)
