"""Rules about expressions, found before anything runs (§10.2, §10.3, §10.6)."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator

from reference_runtime.expressions.functions import FUNCTIONS, LOOKUPS
from reference_runtime.expressions.syntax import Declaration, Reference
from reference_runtime.expressions.values import ExpressionSyntaxError
from reference_runtime.validation.completion import Completion
from reference_runtime.validation.rule import Fault, Rule
from reference_runtime.validation.scopes import DEFAULT_NAMES, Scopes
from reference_runtime.validation.sites import Site, names_read
from reference_runtime.validation.view import View

__all__ = ["RULES"]

#: A name, where a fault about one points.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
#: Words of the language that stand for values, and those that join them (§10.4).
_VALUES = ("true", "false", "null")
_WORDS = (*_VALUES, "and", "or", "not", "in")


def _syntax_faults(view: View, code: str) -> Iterator[Fault]:
    functions = (*FUNCTIONS, *LOOKUPS)
    meant = functions if code == "HX-3105" else _WORDS
    for site, result in view.compiled:
        if not isinstance(result, ExpressionSyntaxError):
            continue
        for fault in (result, *result.others):
            if fault.code != code:
                continue
            name = _NAME.match(site.text, fault.position)
            known = name is None or name[0] in functions or name[0] in _WORDS
            close = "" if name is None or known else view.advice.close_to(name[0], meant)
            yield Fault(
                site.where,
                site.text,
                f"{site.place}, character {fault.position + 1}: {fault.message}{close} "
                "Correct the expression.",
            )


def malformed(view: View) -> Iterator[Fault]:
    """Every expression follows the grammar, also in branches that never run (§10.2)."""
    return _syntax_faults(view, "HX-3101")


def unknown_functions(view: View) -> Iterator[Fault]:
    """The list of functions is closed (§10.6)."""
    return _syntax_faults(view, "HX-3105")


def _names(view: View) -> Iterator[tuple[Site, Reference | Declaration]]:
    """Yield every name of an expression, also of one that is faulty for another reason (§13.5)."""
    yield from view.names
    faulty = ((site, one) for site, one in view.compiled if isinstance(one, ExpressionSyntaxError))
    yield from names_read((site, one.readable) for site, one in faulty if one.readable)


def _references(view: View, scopes: Scopes) -> Iterator[tuple[Site, tuple[str, ...]]]:
    """Yield dotted names that are neither config properties nor variables at hand."""
    for site, name in _names(view):
        if isinstance(name, Reference):
            first, *rest = name.path
            if not (first == "config" and rest) and not scopes.sees(site.owner, first):
                yield site, name.path


def _is_variable_elsewhere(view: View, scopes: Scopes, owner: str, first: str) -> bool:
    """Tell a variable outside its body from a name that nothing declares."""
    if first in view.nodes:
        return False
    return first in scopes.names or (first in DEFAULT_NAMES and not scopes.iterates(owner))


def variables_outside(view: View) -> Iterator[Fault]:
    """Iteration variables exist in the body of their loop only (§7.2.3).

    A body or the source of an edge that is no node has a finding of its own.
    """
    scopes = Scopes(view)
    for site, path in _references(view, scopes):
        lost = site.owner not in view.nodes and path[0] in scopes.names
        if lost or path[0] in scopes.homeless:
            continue
        if _is_variable_elsewhere(view, scopes, site.owner, path[0]):
            yield Fault(
                site.where,
                ".".join(path),
                f"{site.place}: {path[0]!r} is an iteration variable, and "
                f"{site.owner!r} is not in the body of a loop that has it. Read it in the body, "
                "or write node.output.",
            )


def _undeclared_output(
    view: View, node: str, output: str, variables: Callable[[], Iterable[str]]
) -> str:
    """Say why ``node.output`` is not declared; empty if it is."""
    if node not in view.nodes and view.likely.is_faulty_id("node", node):
        return ""
    if node not in view.nodes:
        close_to = view.advice.close_to
        close = close_to(node, view.nodes) or close_to(node, {*variables(), "config"})
        return f"there is no node {node!r}.{close} Correct or declare it."
    outputs = view.outputs.get(node, {})
    if output in outputs:
        return ""
    close = view.advice.close_to(output, outputs)
    minus = " A minus between names needs blanks around it." if "-" in output else ""
    return f"node {node!r} has no output {output!r}.{close}{minus} Correct or declare it."


def _undeclared_lookup(view: View, name: Declaration) -> str:
    declared = view.artifacts if name.kind == "artifact" else view.resources
    if name.id in declared or view.likely.is_faulty_id(name.kind, name.id):
        return ""
    close = view.advice.close_to(name.id, declared)
    return f"there is no {name.kind} {name.id!r}.{close} Correct or declare it."


def undeclared_names(view: View) -> Iterator[Fault]:
    """Expressions read declared outputs, artifacts and resources only (§10.3).

    Config properties need no declaration (A171).
    """
    scopes = Scopes(view)
    for site, name in _names(view):
        if isinstance(name, Declaration) and (reason := _undeclared_lookup(view, name)):
            yield Fault(site.where, name.id, f"{site.place}: {reason}")
    for site, path in _references(view, scopes):
        first, *rest = path
        if _is_variable_elsewhere(view, scopes, site.owner, first):
            continue
        if rest:
            variables = functools.partial(scopes.visible, site.owner)
            reason = _undeclared_output(view, first, rest[0], variables)
        else:
            close = view.advice.close_to(first, {*scopes.names, *_VALUES})
            reason = (
                f"{first!r} is no iteration variable of any loop.{close} Correct it, or write "
                "node.output; strings stand in quotes."
            )
        if reason:
            yield Fault(site.where, ".".join(path), f"{site.place}: {reason}")


def unfinished_nodes(view: View) -> Iterator[Fault]:
    """No expression reads the node that it belongs to, nor one that can only run later (§10.3)."""
    scopes = Scopes(view)
    reads = [
        (site, path)
        for site, path in _references(view, scopes)
        if len(path) > 1 and path[1] in view.outputs.get(path[0], {})
    ]
    completion = Completion(view, scopes)
    for place, reason in completion.unfinished([(site, path[0]) for site, path in reads]):
        site, path = reads[place]
        yield Fault(
            site.where,
            ".".join(path),
            f"{site.place}: {reason} Read a node that completes before.",
        )


RULES = (
    Rule("HX-3101", "10.2", "error", malformed),
    Rule("HX-3102", "10.3", "error", variables_outside),
    Rule("HX-3103", "10.3", "error", undeclared_names),
    Rule("HX-3104", "10.3", "error", unfinished_nodes),
    Rule("HX-3105", "10.6", "error", unknown_functions),
)
