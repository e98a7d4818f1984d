"""Templates: literal text with ``${ expression }`` parts; ``$${`` is a literal ``${`` (§10.2)."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Collection, Container, Iterator
from dataclasses import dataclass

from reference_runtime.expressions.evaluation import evaluate_expression
from reference_runtime.expressions.language import LANGUAGE, LanguageRules
from reference_runtime.expressions.parsing import parse_expression
from reference_runtime.expressions.syntax import Declaration, Expression, Reference, names_of
from reference_runtime.expressions.values import (
    ExpressionError,
    ExpressionSyntaxError,
    Scope,
    Value,
    shortened,
    type_name,
)

__all__ = ["Parse", "Template", "compile_template", "evaluate", "evaluate_boolean", "names_in"]

_OPENING = re.compile(r"\$\$\{|\$\{")
#: What may stand between ``${`` and ``}``: strings, which may hold braces, and the rest.
_INSIDE = re.compile(r"(?:[^'\"}]+|'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\")*", re.DOTALL)
#: Paths; those of three names or more can begin with an id that has a dot.
_PATH = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z_][A-Za-z0-9_-]*)*")
#: Longest identifier of the format (§2.3).
_LONGEST_ID = 255
#: Templates kept; documents repeat a few short ones, generated documents have many.
_KEPT = 1024

#: Text of one expression and ids with a dot → its tree.
Parse = Callable[[str, Collection[str]], Expression]


@dataclass(frozen=True, slots=True)
class Template:
    """A compiled text; ``parts`` are literal strings and expressions in order."""

    text: str
    parts: tuple[str | Expression, ...]


def _end_of(text: str, start: int) -> int:
    """Return the place of the ``}`` for the ``${`` that ends at ``start``."""
    inside = _INSIDE.match(text, start)
    end = inside.end() if inside is not None else start
    if end == len(text):
        raise ExpressionSyntaxError("There is no } for this ${.", position=start - 2)
    if text[end] != "}":
        raise ExpressionSyntaxError("This string is never closed.", position=end)
    return end


def _read_parts(
    text: str, dotted: frozenset[str], parse: Parse, faults: list[ExpressionSyntaxError]
) -> Iterator[str | Expression]:
    """Yield what can be read of a text, and note what cannot."""
    literal: list[str] = []
    at = 0
    while (opening := _OPENING.search(text, at)) is not None:
        literal.append(text[at : opening.start()])
        at = opening.end()
        if opening[0] == "$${":
            literal.append("${")
            continue
        if before := "".join(literal):
            yield before
        literal.clear()
        start = at
        try:
            at = _end_of(text, start) + 1
        except ExpressionSyntaxError as error:
            faults.append(error)
            return
        try:
            yield parse(text[start : at - 1], dotted)
        except ExpressionSyntaxError as error:
            faults.extend(fault.shifted(start) for fault in (error, *error.others))
            if error.readable is not None:
                yield error.readable
    literal.append(text[at:])
    if after := "".join(literal):
        yield after


@functools.lru_cache(maxsize=_KEPT)
def _compile(text: str, dotted: frozenset[str], parse: Parse) -> Template:
    faults: list[ExpressionSyntaxError] = []
    template = Template(text, tuple(_read_parts(text, dotted, parse, faults)))
    if faults:
        first, *others = faults
        first.others, first.readable = tuple(others), template
        raise first
    return template


def _dotted_ids(text: str, nodes: Container[str]) -> frozenset[str]:
    """Node ids with a dot that the text can mean: prefixes of its longer paths."""
    found: set[str] = set()
    for path in _PATH.findall(text):
        start = path[: _LONGEST_ID + 1]
        dots = [at for at, char in enumerate(start) if char == "."]
        found.update(start[:at] for at in dots[1:] if start[:at] in nodes)
    return frozenset(found)


def compile_template(
    text: str, nodes: Container[str] = (), parse: Parse = parse_expression
) -> Template:
    """Compile a text.

    Args:
        text: the text of a value, guard, case, condition, over, while or until.
        nodes: ids of the document's nodes, quick to look up; they matter only where an id
            contains a dot, since otherwise the first name of a path is the node (A168).
        parse: reads one expression.

    Raises:
        ExpressionSyntaxError: a part is no expression (HX-3101) or calls an unknown function
            (HX-3105); ``position`` counts characters of the text from 0.
    """
    return _compile(text, _dotted_ids(text, nodes), parse)


def names_in(template: Template) -> Iterator[Reference | Declaration]:
    """Yield every name that a template can read."""
    for part in template.parts:
        if not isinstance(part, str):
            yield from names_of(part)


def _as_text(value: Value) -> str:
    """Text form inside a mixed template; numbers, booleans and structures as in JSON (A167)."""
    if value is None:
        raise ExpressionError("HX-4106", "null has no text; use ?? to give another value.")
    try:
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except RecursionError:
        raise ExpressionError("HX-4106", "A value nested so deep has no text.") from None
    except ValueError:
        # Python writes no whole number of more than some thousand digits.
        raise ExpressionError("HX-4106", "A number so large has no text.") from None


def _at(place: str, template: Template, error: ExpressionError) -> ExpressionError:
    """Return the same fault with the place and the expression that has it."""
    where = f"{place}, {shortened(template.text)!r}" if place else repr(shortened(template.text))
    return ExpressionError(error.code, f"{where}: {error.message}")


def _evaluate(template: Template, scope: Scope, language: LanguageRules) -> Value:
    if len(template.parts) == 1 and not isinstance(template.parts[0], str):
        return evaluate_expression(template.parts[0], scope, language)
    return "".join(
        part if isinstance(part, str) else _as_text(evaluate_expression(part, scope, language))
        for part in template.parts
    )


def evaluate(
    template: Template, scope: Scope, language: LanguageRules = LANGUAGE, place: str = ""
) -> Value:
    """Value of a template: one expression alone keeps its type, anything else is text (§10.2).

    Args:
        template: what is evaluated.
        scope: what its names stand for.
        language: what its operators do.
        place: attribute or part of the document that has it, for messages.

    Raises:
        ExpressionError: HX-4106; the message begins with the place and the expression.
    """
    try:
        return _evaluate(template, scope, language)
    except ExpressionError as error:
        raise _at(place, template, error) from error


def evaluate_boolean(
    template: Template, scope: Scope, language: LanguageRules = LANGUAGE, place: str = ""
) -> bool:
    """Value of a guard, case or condition; null and all other non-booleans are HX-4107 (§10.7).

    Raises:
        ExpressionError: HX-4107, or HX-4106 if it cannot be evaluated at all.
    """
    value = evaluate(template, scope, language, place)
    boolean = language.truth(value)
    if boolean is None:
        message = f"expected true or false, this is {type_name(value)}."
        raise _at(place, template, ExpressionError(language.not_boolean, message))
    return boolean
