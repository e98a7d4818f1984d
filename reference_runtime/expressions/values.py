"""Values of the expression language (§10.5), where they come from, and what can go wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, cast

__all__ = [
    "MAX_NESTING",
    "ExpressionError",
    "ExpressionSyntaxError",
    "Scope",
    "Value",
    "check_size",
    "equal",
    "is_array",
    "is_number",
    "normal",
    "shortened",
    "type_name",
]

#: Deepest nesting of a value that a text spells out or an expression makes. What a step answers
#: may be deeper; but nobody who is handed the value should find it too deep to read.
MAX_NESTING = 60
#: Most elements, counted at every level, of an array that an expression makes.
_MOST_ELEMENTS = 1_000_000
#: Most characters of an expression that a message shows.
_SHOWN = 80

#: null, boolean, number, string, array, or map (maps come from steps and declarations).
Value = None | bool | int | float | str | Sequence[Any] | Mapping[str, Any]


class Scope(Protocol):
    """What the names in an expression stand for, at one moment, for one node (§10.3)."""

    def output(self, node: str, port: str) -> Value:
        """Value of an output; None while or if it is unresolved (§10.7)."""
        ...

    def config(self, name: str) -> Value:
        """Config property of the node that owns the expression; None without such a property."""
        ...

    def artifact(self, artifact_id: str) -> Value:
        """Declaration of an artifact as a map of its fields; None if undeclared."""
        ...

    def resource(self, resource_id: str) -> Value:
        """Declaration of a resource as a map of its fields, without credential."""
        ...

    def variable(self, name: str) -> Value:
        """Value of an iteration variable.

        Raises:
            KeyError: there is no variable of that name here.
        """
        ...


class ExpressionError(Exception):
    """An expression that cannot be evaluated; ``code`` is HX-4106 or HX-4107 (§14.2)."""

    def __init__(self, code: Literal["HX-4106", "HX-4107"], message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class ExpressionSyntaxError(ValueError):
    """A text that is no expression; ``code`` is HX-3101, for an unknown function HX-3105.

    Attributes:
        position: character of the text at which the fault is, from 0.
        others: further faults of the same text.
        readable: what could be read all the same, a tree or a template; None for nothing.
    """

    def __init__(
        self,
        message: str,
        *,
        position: int = 0,
        code: Literal["HX-3101", "HX-3105"] = "HX-3101",
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.position = position
        self.others: tuple[ExpressionSyntaxError, ...] = ()
        self.readable: Any = None

    def shifted(self, start: int) -> ExpressionSyntaxError:
        """Return the same fault in a text that has the expression at ``start``."""
        return ExpressionSyntaxError(self.message, position=start + self.position, code=self.code)


#: Up to here a double holds every whole number.
_EXACT = 2**53


def is_number(value: Value) -> bool:
    """Tell numbers from booleans, which Python does not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_array(value: Value) -> bool:
    """Tell arrays from strings, which Python does not."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def type_name(value: Value) -> str:
    """Name of a value's type in the language."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if is_number(value):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "an array" if is_array(value) else "a map"


def normal(number: float) -> Value:
    """Return whole numbers as such where a double is exact, so that 6 / 2 reads 3.

    Raises:
        ExpressionError: HX-4106, the result is no finite number.
    """
    try:
        double = float(number)
    except OverflowError:
        double = math.inf
    if not math.isfinite(double):
        raise ExpressionError("HX-4106", "The result is too large for a number.")
    return int(double) if double.is_integer() and abs(double) <= _EXACT else double


def check_size(value: Value) -> None:
    """Refuse an array that grew beyond what anybody can be handed.

    Raises:
        ExpressionError: HX-4106, it is too deep or has too many elements.
    """
    level, count = [value], 0
    for _ in range(MAX_NESTING + 1):
        inner: list[Any] = []
        for part in level:
            if isinstance(part, Mapping):
                inner.extend(part.values())
            elif is_array(part):
                inner.extend(cast("Sequence[Any]", part))
            if count + len(inner) > _MOST_ELEMENTS:
                raise ExpressionError(
                    "HX-4106", f"An array has more than {_MOST_ELEMENTS:,} elements."
                )
        if not inner:
            return
        level, count = inner, count + len(inner)
    raise ExpressionError("HX-4106", f"An array is nested more than {MAX_NESTING} deep.")


def shortened(text: str) -> str:
    """Return a text in one line and of a length that fits into a message."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def equal(left: Value, right: Value) -> bool:
    """Compare without any conversion; values of different types are unequal (§10.5, A160)."""
    waiting = [(left, right)]
    while waiting:
        one, other = waiting.pop()
        if type_name(one) != type_name(other):
            return False
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            if one.keys() != other.keys():
                return False
            waiting.extend((one[key], other[key]) for key in one)
        elif is_array(one):
            first, second = cast("Sequence[Any]", one), cast("Sequence[Any]", other)
            if len(first) != len(second):
                return False
            waiting.extend(zip(first, second, strict=True))
        elif one != other:
            return False
    return True
