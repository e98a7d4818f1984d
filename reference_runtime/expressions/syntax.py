"""Expressions as immutable trees, and the names that they read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from reference_runtime.expressions.values import Value

__all__ = [
    "Arithmetic",
    "Array",
    "Call",
    "Chain",
    "Comparison",
    "Constant",
    "Declaration",
    "Expression",
    "Reference",
    "Unary",
    "names_of",
    "parts_of",
]


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal of the text (§10.4)."""

    value: Value


@dataclass(frozen=True, slots=True)
class Reference:
    """A dotted name: ``config.name``, ``node.port`` or an iteration variable (§10.3).

    What follows node and port, or a variable, reads members of a map (A169).
    """

    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Declaration:
    """``artifact('id')`` or ``resource('id')`` and members of it."""

    kind: Literal["artifact", "resource"]
    id: str
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """A call of one of the closed list of functions (§10.6)."""

    function: str
    arguments: tuple[Expression, ...]
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Array:
    """An array literal."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Unary:
    """Minus or not."""

    operator: Literal["-", "not"]
    operand: Expression


@dataclass(frozen=True, slots=True)
class Chain:
    """Operands joined by one operator that stops as soon as the value is known (A162)."""

    operator: Literal["or", "and", "??"]
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Operands of one level from left to right."""

    first: Expression
    rest: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two operands; comparisons do not chain (A161)."""

    operator: str
    left: Expression
    right: Expression


Expression = (
    Constant | Reference | Declaration | Call | Array | Unary | Chain | Arithmetic | Comparison
)


def parts_of(expression: Expression) -> tuple[Expression, ...]:
    """Return the direct parts of an expression in the order of the text."""
    match expression:
        case Call(arguments=parts) | Array(items=parts) | Chain(operands=parts):
            return parts
        case Unary(operand=part):
            return (part,)
        case Arithmetic(first=first, rest=rest):
            return (first, *(part for _, part in rest))
        case Comparison(left=left, right=right):
            return (left, right)
        case _:
            return ()


def names_of(expression: Expression) -> Iterator[Reference | Declaration]:
    """Yield every name that an expression can read, in the order of the text."""
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Reference | Declaration):
            yield part
        waiting.extend(reversed(parts_of(part)))
