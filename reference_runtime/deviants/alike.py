"""Deviants: what resembles something is taken for it, or for something better."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from reference_runtime.deviants.deviant import Row, data, flow, nodes, waits
from reference_runtime.document.model import Case, Harness, Node

__all__ = ["ALIKE"]

#: §14.3: classes for which another attempt usually pays off.
_USUAL: Final = frozenset({"transient", "rate_limit", "timeout", "unavailable"})


def _listed(matches: Callable[[Sequence[str], str], bool]) -> dict[str, Any]:
    """Compare the class of a failure with the list of @retryOn in another way."""
    return {
        "retryable": lambda retry, error: (
            retry.retry_on is None or matches(retry.retry_on, error or "")
        )
    }


def _hidden(harness: Harness, node: Node) -> Node:
    """Hide the variables of an inner loop where the outer one calls its own alike."""
    inner = node.loop
    if inner is None:
        return node
    outer = [one.loop for one in harness.nodes if one.loop and one.loop.body == node.id]
    if not any((one.var, one.index_var) == (inner.var, inner.index_var) for one in outer):
        return node
    return replace(node, loop=replace(inner, var="", index_var=""))


def _by_target(cases: Sequence[Case]) -> list[Case]:
    return sorted(cases, key=lambda case: (case.when is None, case.to))


def _changed(of_type: type, change: Callable[[Any], Any]) -> dict[str, Any]:
    """Change the values of a type to which references lead."""

    def named(outputs: Any, port: str) -> Any:
        value = outputs.get(port)
        return change(value) if type(value) is of_type else value

    return data(named=named)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _delivered(of_type: type, change: Callable[[Any], Any]) -> dict[str, Any]:
    """Change the values of a type that data edges deliver."""
    return data(delivered=lambda value: (change(value) if type(value) is of_type else value,))


ALIKE: Final[tuple[Row, ...]] = (
    (
        "delivered_texts_parsed",
        "5.6-values-immutable",
        "a text that looks like a number or a boolean arrives at a data edge's end as that",
        _delivered(str, _parsed),
    ),
    (
        "delivered_texts_trimmed",
        "5.6-values-immutable",
        "a text arrives at a data edge's end without the blanks around it",
        _delivered(str, str.strip),
    ),
    (
        "delivered_lists_sorted",
        "5.6-values-immutable",
        "a list arrives at a data edge's end sorted",
        _delivered(list, lambda value: sorted(value, key=repr)),
    ),
    (
        "classes_ignore_case",
        "8.1.2-retry-on-limits-classes",
        "a class is retried that differs from a listed one in case",
        _listed(lambda listed, error: error.lower() in {one.lower() for one in listed}),
    ),
    (
        "class_listed_by_its_beginning",
        "8.1.2-retry-on-limits-classes",
        "a class is retried that begins like a listed one",
        _listed(lambda listed, error: error.startswith(tuple(listed))),
    ),
    (
        "class_listed_by_its_end",
        "8.1.2-retry-on-limits-classes",
        "a class is retried that ends like a listed one",
        _listed(lambda listed, error: error.endswith(tuple(listed))),
    ),
    (
        "hyphens_in_classes_are_underscores",
        "8.1.2-retry-on-limits-classes",
        "a class is retried that is a listed one spelt with hyphens",
        _listed(lambda listed, error: error.replace("-", "_") in listed),
    ),
    (
        "usual_classes_retried_anyway",
        "8.1.2-retry-on-limits-classes",
        "a class that usually passes is retried whatever retryOn lists",
        _listed(lambda listed, error: error in _USUAL.union(listed)),
    ),
    (
        "unknown_causes_retried_anyway",
        "8.1.2-retry-on-limits-classes",
        "a failure without a class of its own is retried whatever retryOn lists",
        _listed(lambda listed, error: error in {"", "internal", *listed}),
    ),
    (
        "event_ignores_case",
        "3.2.9-wait-event-blocks",
        "an event ends a wait for a name that differs in case",
        waits(name=str.lower),
    ),
    (
        "outer_variables_win",
        "7.2.3-index-zero-based",
        "in an inner loop a variable is that of the outer loop where both have one of the name",
        nodes(_hidden),
    ),
    (
        "edges_bind_small_letters",
        "4.2-data-binds-named-ports",
        "a data edge takes the output whose name is spelt in small letters",
        data(output_of=lambda edge: (edge.from_port or "").lower()),
    ),
    (
        "cases_sorted_by_target",
        "7.1.3-first-true-case-wins",
        "the cases of a decision are looked at in the order of the names that they lead to",
        flow(cases=_by_target),
    ),
    (
        "texts_of_references_parsed",
        "10.3-node-port-reference",
        "a reference to a text that looks like a number or a boolean yields that",
        _changed(str, _parsed),
    ),
    (
        "texts_of_references_trimmed",
        "10.3-node-port-reference",
        "a reference to a text yields it without the blanks around it",
        _changed(str, str.strip),
    ),
    (
        "lists_of_references_unwrapped",
        "10.3-node-port-reference",
        "a reference to a list of one element yields the element",
        _changed(list, lambda value: value[0] if len(value) == 1 else value),
    ),
    (
        "lists_of_references_sorted",
        "10.3-node-port-reference",
        "a reference to a list yields it sorted",
        _changed(list, lambda value: sorted(value, key=repr)),
    ),
)
