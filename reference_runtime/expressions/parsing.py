"""From the text of one expression to its tree.

The shortest forms (a literal, a plain name, a name compared with a literal, a declaration) are
read by regular expressions; they are most of what documents hold, and loading the parser
generator costs more than a whole small run. Everything else goes through ``grammar.lark``; a test
holds the two equal.
"""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from reference_runtime.expressions.build import (
    MAX_DEPTH,
    Builder,
    read_number,
    read_path,
    read_string,
)
from reference_runtime.expressions.syntax import Comparison, Constant, Declaration, Expression
from reference_runtime.expressions.values import ExpressionSyntaxError

if TYPE_CHECKING:
    from lark import Lark

__all__ = ["GRAMMAR_FILE", "MAX_LENGTH", "parse_expression", "parse_with_grammar"]

GRAMMAR_FILE = Path(__file__).with_name("grammar.lark")

#: More digits before a point may be too large a number: the grammar finds the place.
_LITERAL = (
    r"(?P<word>(?:true|false|null)(?![A-Za-z0-9_.-]))|(?P<number>[0-9]{1,300}(?:\.[0-9]+)?)"
    r"|(?P<string>'[^'\\]*'|\"[^\"\\]*\")"
)
_PLAIN = (
    r"(?P<path>(?!(?:true|false|null|or|and|not|in)(?![A-Za-z0-9_.-]))"
    r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)"
)
_SHORT = re.compile(rf"\s*(?:{_LITERAL}|{_PLAIN})\s*", re.ASCII)
_SHORT_COMPARISON = re.compile(
    rf"\s*{_PLAIN}\s*(?P<operator>==|!=|<=|>=|<|>)\s*(?:{_LITERAL})\s*", re.ASCII
)
_SHORT_LOOKUP = re.compile(
    r"\s*(?P<kind>artifact|resource)\('(?P<id>[^'\\]*)'\)"
    r"(?P<members>(?:\.[A-Za-z_][A-Za-z0-9_]*)*)\s*",
    re.ASCII,
)
_WORDS = {"true": Constant(value=True), "false": Constant(value=False), "null": Constant(None)}
#: One parser serves all; its builder is told the ids of one text at a time.
_PARSING = threading.Lock()
#: Strings, which may hold anything, and brackets.
_BRACKETS = re.compile(r"'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\"|[()\[\]]", re.DOTALL)
#: Most characters of an expression outside of its strings; the parser does 30,000 a second.
MAX_LENGTH = 100_000


def _short_literal(match: re.Match[str]) -> Constant:
    if match["word"]:
        return _WORDS[match["word"]]
    return read_number(match["number"]) if match["number"] else read_string(match["string"])


def _read_short(text: str, dotted: Collection[str]) -> Expression | None:
    """Read one of the short forms, None for any other."""
    match = _SHORT.fullmatch(text)
    if match is not None:
        return read_path(match["path"], dotted) if match["path"] else _short_literal(match)
    match = _SHORT_COMPARISON.fullmatch(text)
    if match is not None:
        path = read_path(match["path"], dotted)
        return Comparison(match["operator"], path, _short_literal(match))
    match = _SHORT_LOOKUP.fullmatch(text)
    if match is not None:
        kind = cast('Literal["artifact", "resource"]', match["kind"])
        return Declaration(kind, match["id"], tuple(match["members"].split(".")[1:]))
    return None


@functools.cache
def _load_parser(grammar: str | None) -> tuple[Lark, Builder]:
    from lark import Lark  # noqa: PLC0415 - start-up time: most documents need no grammar

    builder = Builder()
    parser = Lark(
        grammar or GRAMMAR_FILE.read_text(encoding="utf-8"),
        parser="lalr",
        lexer="basic",
        transformer=builder,
        maybe_placeholders=False,
    )
    return parser, builder


def _check_size(text: str) -> None:
    """Refuse deep brackets and endless expressions before the parser sees them."""
    depth, quoted = 0, 0
    for match in _BRACKETS.finditer(text):
        if match[0] in "([":
            depth += 1
        elif match[0] in ")]":
            depth -= 1
        else:
            quoted += len(match[0])
        if depth > MAX_DEPTH:
            raise ExpressionSyntaxError(
                f"The expression is nested more than {MAX_DEPTH} deep.", position=match.start()
            )
    if len(text) - quoted > MAX_LENGTH:
        raise ExpressionSyntaxError(
            f"The expression has more than {MAX_LENGTH} characters outside of strings."
        )


def parse_with_grammar(
    text: str, dotted: Collection[str] = (), grammar: str | None = None
) -> Expression:
    """Read any expression through the grammar, or another one with the same names of rules.

    Raises:
        ExpressionSyntaxError: no expression (HX-3101), or an unknown function (HX-3105).
    """
    from lark.exceptions import (  # noqa: PLC0415 - start-up time, as above
        UnexpectedCharacters,
        UnexpectedToken,
        VisitError,
    )

    _check_size(text)
    parser, builder = _load_parser(grammar)
    try:
        with _PARSING:
            builder.dotted, builder.faults = dotted, []
            tree, faults = cast("Expression", parser.parse(text)), builder.faults
    except UnexpectedCharacters as error:
        at = error.pos_in_stream or 0
        message = f"{text[at : at + 10]!r} is no part of an expression."
        raise ExpressionSyntaxError(message, position=at) from None
    except UnexpectedToken as error:
        if error.token.type == "$END":
            raise ExpressionSyntaxError("It ends too early.", position=len(text)) from None
        at = error.token.start_pos or 0
        message = f"{str(error.token)[:40]!r} does not fit here."
        raise ExpressionSyntaxError(message, position=at) from None
    except VisitError as error:
        if isinstance(error.orig_exc, ExpressionSyntaxError):
            raise error.orig_exc from None
        raise
    if faults:
        first, *others = sorted(faults, key=lambda fault: fault.position)
        first.others, first.readable = tuple(others), tree
        raise first
    return tree


def parse_expression(text: str, dotted: Collection[str] = ()) -> Expression:
    """Read the text of one expression; ``dotted`` are ids of nodes that contain a dot.

    Raises:
        ExpressionSyntaxError: no expression (HX-3101), or an unknown function (HX-3105).
    """
    if not text.strip():
        raise ExpressionSyntaxError("There is no expression between ${ and }.")
    short = _read_short(text, dotted)
    return short if short is not None else parse_with_grammar(text, dotted)
