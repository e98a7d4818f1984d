"""From the parser's reductions to expression trees; bounds depth, checks calls (§10.6)."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from typing import Any, Literal, cast

from reference_runtime.expressions.functions import FUNCTIONS, LOOKUPS
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
from reference_runtime.expressions.values import ExpressionSyntaxError, normal

__all__ = ["MAX_DEPTH", "Builder", "read_number", "read_path", "read_string"]

#: Deepest tree that is built: evaluation follows it by calls.
MAX_DEPTH = 100

#: Digits of a number that a message shows.
_SHOWN = 20
_ESCAPE = re.compile(r"\\(['\"\\])")

#: A tree and its depth.
Built = tuple[Expression, int]


def read_number(text: str, position: int = 0) -> Constant:
    """Read a number literal as a double; whole ones stay whole.

    Raises:
        ExpressionSyntaxError: no double is so large; at the ``position`` of the number.
    """
    double = float(text)
    if not math.isfinite(double):
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
        raise ExpressionSyntaxError(f"The number {shown!r} is too large.", position=position)
    return Constant(normal(double))


def read_string(text: str) -> Constant:
    r"""Read a string literal; ``\'``, ``\"`` and ``\\`` are the only escapes."""
    return Constant(_ESCAPE.sub(r"\1", text[1:-1]))


def read_path(text: str, dotted: Collection[str] = ()) -> Reference:
    """Read a dotted name; the longest of the given ids that the path begins with is its node."""
    nodes = [node for node in dotted if text.startswith(f"{node}.")]
    if nodes:
        node = max(nodes, key=len)
        return Reference((node, *text[len(node) + 1 :].split(".")))
    return Reference(tuple(text.split(".")))


class Builder:
    """Callbacks of the parser, one for each rule or alias of ``grammar.lark``."""

    def __init__(self) -> None:
        #: Ids that contain dots, set for each text.
        self.dotted: Collection[str] = ()
        #: Faults of the text that do not keep the rest of it from being read.
        self.faults: list[ExpressionSyntaxError] = []

    @staticmethod
    def _built(tree: Expression, parts: Sequence[Built]) -> Built:
        depth = 1 + max((part[1] for part in parts), default=0)
        if depth > MAX_DEPTH:
            raise ExpressionSyntaxError(f"The expression is nested more than {MAX_DEPTH} deep.")
        return tree, depth

    def start(self, children: list[Built]) -> Expression:
        """Return the tree alone."""
        return children[0][0]

    def _chain(self, operator: Literal["or", "and", "??"], parts: list[Built]) -> Built:
        return self._built(Chain(operator, tuple(tree for tree, _ in parts)), parts)

    def disjunction(self, children: list[Built]) -> Built:
        """Join by or."""
        return self._chain("or", children)

    def conjunction(self, children: list[Built]) -> Built:
        """Join by and."""
        return self._chain("and", children)

    def coalescence(self, children: list[Built]) -> Built:
        """Join by ``??``."""
        return self._chain("??", children)

    def comparison(self, children: list[Any]) -> Built:
        """Compare two operands."""
        left, operator, right = children
        return self._built(Comparison(str(operator), left[0], right[0]), (left, right))

    def arithmetic(self, children: list[Any]) -> Built:
        """Compute one level of arithmetic."""
        operands, operators = children[::2], children[1::2]
        rest = tuple(
            (str(operator), operand[0])
            for operator, operand in zip(operators, operands[1:], strict=True)
        )
        return self._built(Arithmetic(operands[0][0], rest), operands)

    sum = product = arithmetic

    def negative(self, children: list[Any]) -> Built:
        """Minus; the operator token may stand before the operand."""
        return self._built(Unary("-", children[-1][0]), children[-1:])

    def complement(self, children: list[Built]) -> Built:
        """Not."""
        return self._built(Unary("not", children[0][0]), children)

    def number(self, children: list[Any]) -> Built:
        """Build a number literal; one that is too large keeps nothing else from being read."""
        try:
            return read_number(str(children[0]), children[0].start_pos), 1
        except ExpressionSyntaxError as fault:
            self.faults.append(fault)
            return Constant(0), 1

    def string(self, children: list[Any]) -> Built:
        """Build a string literal."""
        return read_string(str(children[0])), 1

    def true(self, _children: list[Any]) -> Built:
        """Build true."""
        return Constant(value=True), 1

    def false(self, _children: list[Any]) -> Built:
        """Build false."""
        return Constant(value=False), 1

    def null(self, _children: list[Any]) -> Built:
        """Build null."""
        return Constant(None), 1

    def array(self, children: list[Built]) -> Built:
        """Build an array."""
        return self._built(Array(tuple(tree for tree, _ in children)), children)

    def reference(self, children: list[Any]) -> Built:
        """Build a dotted name."""
        return read_path(str(children[0]), self.dotted), 1

    def _check_call(self, name: str, given: int, position: int) -> None:
        """Note what is wrong with a call, which is read on."""
        if name in LOOKUPS:
            message = f"{name}() takes one id as a literal string."
            self.faults.append(ExpressionSyntaxError(message, position=position))
        elif name not in FUNCTIONS:
            known = ", ".join((*FUNCTIONS, *LOOKUPS))
            message = f"There is no function {name[:40]!r}; there are {known}."
            fault = ExpressionSyntaxError(message, position=position, code="HX-3105")
            self.faults.append(fault)
        elif given != (wanted := len(FUNCTIONS[name][0])):
            message = f"{name}() takes {wanted} argument(s), not {given}."
            self.faults.append(ExpressionSyntaxError(message, position=position))

    def call(self, children: list[Any]) -> Built:
        """Check a call against the closed list and build it."""
        name, parts = str(children[0]), [part for part in children[1:] if isinstance(part, tuple)]
        members = tuple(str(member)[1:] for member in children[1 + len(parts) :])
        arguments = tuple(tree for tree, _ in parts)
        position = cast("int", children[0].start_pos)
        if name in LOOKUPS:
            kind = cast('Literal["artifact", "resource"]', name)
            match arguments:
                case (Constant(value=str(identity)),):
                    return Declaration(kind, identity, members), 1
        self._check_call(name, len(arguments), position)
        return self._built(Call(name, arguments, members), parts)
