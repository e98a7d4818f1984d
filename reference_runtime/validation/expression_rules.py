"""Rules about expressions, found before anything runs (§10.2, §10.3, §10.6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference_runtime.document.model import Node
from reference_runtime.expressions.syntax import Declaration, Reference
from reference_runtime.expressions.template import Template, compile_template, names_in
from reference_runtime.expressions.values import ExpressionSyntaxError
from reference_runtime.validation.rule import Fault, Rule
from reference_runtime.validation.view import View

__all__ = ["RULES", "Site", "sites"]


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the document where an expression may stand."""

    where: object
    place: str
    text: str


def _node_sites(view: View, node: Node) -> Iterator[tuple[object, str, str | None]]:
    """Yield place and text of a node's expressions, None where there is none."""
    for port in node.inputs:
        yield port, "input/@value", port.value
    if node.guard is not None:
        yield view.source.part_of(node, "guard"), "guard/@when", node.guard
    for case in node.decision.cases if node.decision is not None else ():
        yield case, "case/@when", case.when
    if node.loop is not None:
        yield node.loop, "loop/@over", node.loop.over
        yield node.loop, "loop/@while", node.loop.condition
    if node.wait is not None:
        yield node.wait, "wait/@until", node.wait.until


def sites(view: View) -> Iterator[Site]:
    """Yield every place of §10.1; defaults, config and values of outputs are plain strings."""
    for node in view.harness.nodes:
        for where, place, text in _node_sites(view, node):
            if text is not None:
                yield Site(where, place, text)
    for edge in view.harness.edges:
        if edge.condition is not None:
            yield Site(edge, "edge/@condition", edge.condition)


def _compiled(view: View) -> Iterator[tuple[Site, Template | ExpressionSyntaxError]]:
    """Compile every text that holds an expression."""
    for site in sites(view):
        if "${" in site.text:
            try:
                yield site, compile_template(site.text, view.nodes)
            except ExpressionSyntaxError as error:
                yield site, error


def _syntax_faults(view: View, code: str) -> Iterator[Fault]:
    for site, result in _compiled(view):
        if isinstance(result, ExpressionSyntaxError) and result.code == code:
            yield Fault(
                site.where,
                site.text,
                f"{site.place}, character {result.position + 1}: {result.message} "
                "Correct the expression.",
            )


def malformed(view: View) -> Iterator[Fault]:
    """Every expression follows the grammar, also in branches that never run (§10.2)."""
    return _syntax_faults(view, "HX-3101")


def unknown_functions(view: View) -> Iterator[Fault]:
    """The list of functions is closed (§10.6)."""
    return _syntax_faults(view, "HX-3105")


def _undeclared_output(view: View, node: str, output: str) -> str:
    """Say why ``node.output`` is not declared; empty if it is."""
    if node not in view.nodes:
        close = view.advice.close_to(node, view.nodes)
        return f"there is no node {node!r}.{close} Correct or declare it."
    outputs = view.outputs.get(node, {})
    if output in outputs:
        return ""
    close = view.advice.close_to(output, outputs)
    minus = " A minus between names needs blanks around it." if "-" in output else ""
    return f"node {node!r} has no output {output!r}.{close}{minus} Correct or declare it."


def _undeclared(view: View, name: Reference | Declaration) -> tuple[str, str]:
    """Return a name as text and why nothing declares it; the reason is empty if all is well.

    Config properties need no declaration (A171). A bare name is an iteration variable.
    """
    if isinstance(name, Declaration):
        declared = view.artifacts if name.kind == "artifact" else view.resources
        close = "" if name.id in declared else view.advice.close_to(name.id, declared)
        reason = f"there is no {name.kind} {name.id!r}.{close} Correct or declare it."
        return name.id, "" if name.id in declared else reason
    first, *rest = name.path
    whole = ".".join(name.path)
    if first in view.iteration_variables or (first == "config" and rest):
        return whole, ""
    if rest:
        return whole, _undeclared_output(view, first, rest[0])
    close = view.advice.close_to(first, view.iteration_variables)
    return whole, (
        f"{first!r} is no iteration variable of any loop.{close} Correct it, or write "
        "node.output; strings stand in quotes."
    )


def undeclared_names(view: View) -> Iterator[Fault]:
    """Expressions read declared outputs, artifacts and resources only (§10.3)."""
    for site, result in _compiled(view):
        if isinstance(result, Template):
            for name in dict.fromkeys(names_in(result)):
                value, reason = _undeclared(view, name)
                if reason:
                    yield Fault(site.where, value, f"{site.place}: {reason}")


RULES = (
    Rule("HX-3101", "10.2", "error", malformed),
    Rule("HX-3103", "10.3", "error", undeclared_names),
    Rule("HX-3105", "10.6", "error", unknown_functions),
)
