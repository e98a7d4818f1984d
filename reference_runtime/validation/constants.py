"""Types of expressions as far as they are certain before anything runs (§10.5, §10.7).

What a step answers is not known, so names have no certain type. An operation that cannot succeed
is HX-4106 in every run that reaches it, a condition that is never boolean HX-4107: warnings, since
the document may never come so far, and both codes belong to the run (§14.2).
"""

from __future__ import annotations

from collections.abc import Iterator

from reference_runtime.expressions.evaluation import evaluate_expression
from reference_runtime.expressions.syntax import (
    Arithmetic,
    Array,
    Call,
    Chain,
    Comparison,
    Constant,
    Expression,
    Unary,
    parts_of,
)
from reference_runtime.expressions.template import Template
from reference_runtime.expressions.values import ExpressionError, Scope, Value, type_name
from reference_runtime.validation.rule import Fault, Rule
from reference_runtime.validation.sites import Site
from reference_runtime.validation.view import View

__all__ = ["RULES"]

#: Places whose value has to be boolean.
_CONDITIONS = frozenset(
    {"guard/@when", "case/@when", "edge/@condition", "loop/@while", "wait/@until"}
)


class _Nothing:
    """A scope for expressions that read no names."""

    def output(self, node: str, port: str) -> Value:
        raise KeyError(node, port)

    def config(self, name: str) -> Value:
        raise KeyError(name)

    artifact = resource = variable = config


_SCOPE: Scope = _Nothing()


def _is_constant(expression: Expression) -> bool:
    """Whether nothing in an expression has to be looked up."""
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        if not isinstance(part, Constant | Array | Call | Unary | Chain | Arithmetic | Comparison):
            return False
        waiting.extend(parts_of(part))
    return True


def _largest_constants(expression: Expression) -> Iterator[Expression]:
    """Yield the parts that are constant as a whole and are evaluated in every case."""
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        if _is_constant(part):
            yield part
        elif isinstance(part, Chain):
            # Later operands may never be evaluated (A162).
            waiting.append(part.operands[0])
        else:
            waiting.extend(reversed(parts_of(part)))


def failing_constants(view: View) -> Iterator[Fault]:
    """No operation on constants is one that always fails."""
    for site, result in view.compiled:
        for part in result.parts if isinstance(result, Template) else ():
            for constant in _largest_constants(part) if not isinstance(part, str) else ():
                try:
                    evaluate_expression(constant, _SCOPE)
                except ExpressionError as error:
                    yield Fault(
                        site.where,
                        site.text,
                        f"{site.place} can never be evaluated: {error.message} "
                        "Correct the expression.",
                    )


def _what_it_is(template: Template) -> str:
    """Name the type of a text that is certainly not boolean; empty for any other."""
    if len(template.parts) != 1 or isinstance(template.parts[0], str):
        return "a string"
    part = template.parts[0]
    if isinstance(part, Constant):
        return "" if isinstance(part.value, bool) else type_name(part.value)
    if isinstance(part, Array):
        return "an array"
    if isinstance(part, Arithmetic) or (isinstance(part, Unary) and part.operator == "-"):
        return "a number"
    return ""


def _is_missing(view: View, site: Site) -> bool:
    """Tell whether a condition has no text because its attribute is missing: a fault of its own."""
    attribute = site.place.partition("@")[2]
    return not site.text and view.source.element_of(site.where).get(attribute) is None


def conditions_of_other_types(view: View) -> Iterator[Fault]:
    """Whatever decides something is true or false, and never text, a number, or null."""
    for site, result in view.compiled:
        if isinstance(result, Template) and site.place in _CONDITIONS:
            kind = _what_it_is(result)
            if kind and not _is_missing(view, site):
                wish = "" if "${" in site.text else " An expression stands between ${ and }."
                yield Fault(
                    site.where,
                    site.text,
                    f"{site.place} is {kind} and never true or false.{wish} Write a comparison.",
                )


RULES = (
    Rule("HX-4106", "10.5", "warning", failing_constants),
    Rule("HX-4107", "10.7", "warning", conditions_of_other_types),
)
