"""Deviants: wrong expressions (chapter 10): coercion, truthiness, precedence, what names mean."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from reference_runtime.deviants.coercion import (
    COMPARISON_FIRST,
    OR_FIRST,
    SIGNS_FIRST,
    converted,
    empty,
    empty_is_null,
    evaluated_again,
    flat,
    grammar,
    ignoring_case,
    in_element,
    in_joined_text,
    is_position,
    lax_order,
    loosely_equal,
    null_computes_as_zero,
    null_is_false,
    null_orders_as_zero,
    null_orders_false,
    null_spreads,
    order_as_numbers,
    order_of_digits,
    order_or_false,
    percentage,
    texts_as_numbers,
    words,
)
from reference_runtime.deviants.deviant import Row, data, flow, language, loops, nodes
from reference_runtime.document.model import Harness, Node

__all__ = ["LANGUAGES"]


def _first_configuration(harness: Harness, node: Node) -> Node:
    """Give a node the values of the first node that has a property of the name."""
    first = {item.name: item for one in reversed(harness.nodes) for item in one.config}
    return replace(node, config=tuple(first[item.name] for item in node.config))


def _first_declarations(harness: Harness) -> Harness:
    return replace(
        harness,
        artifacts=tuple(replace(harness.artifacts[0], id=item.id) for item in harness.artifacts),
        resources=tuple(replace(harness.resources[0], id=item.id) for item in harness.resources),
        node_by_id={},
    )


_NAMES: Final[tuple[Row, ...]] = (
    (
        "text_evaluated_again",
        "10.1-no-side-effects-no-environment",
        "a text that a reference yields is evaluated when it is an expression",
        language(resolved=evaluated_again),
    ),
    (
        "surroundings_in_scope",
        "10.1-no-side-effects-no-environment",
        "names of the host program are found before the nodes of the document",
        language(surroundings={"os.name": "host", "math.pi": 3.14, "process.pid": 1}),
    ),
    (
        "first_declaration_found",
        "10.3-artifact-and-resource-lookup",
        "every look-up yields the first declaration",
        {"reading": _first_declarations},
    ),
    (
        "configuration_of_the_first_node",
        "10.3-config-reference",
        "a config property is taken from the first node that has one of its name",
        nodes(_first_configuration),
    ),
    (
        "reference_takes_first_output",
        "10.3-node-port-reference",
        "a reference to an output yields the first output of its node",
        data(named=lambda outputs, _port: next(iter(outputs.values()), None)),
    ),
    (
        "unresolved_is_empty_text",
        "10.7-unresolved-is-null",
        "an output that is not there yields the empty text",
        language(unresolved=""),
    ),
    (
        "unresolved_is_false",
        "10.7-unresolved-is-null",
        "an output that is not there yields false",
        language(unresolved=False),
    ),
)

_OPERATORS: Final[tuple[Row, ...]] = (
    (
        "order_of_digits",
        "10.4-operators-available",
        "numbers are ordered as texts",
        language(order=order_of_digits),
    ),
    (
        "strict_is_lax",
        "10.4-operators-available",
        "< means <=, and > means >=",
        language(order=lax_order),
    ),
    (
        "remainder_is_percent",
        "10.4-operators-available",
        "a % b means a * b / 100",
        language(compute=percentage),
    ),
    (
        "or_before_and",
        "10.4-precedence",
        "or binds tighter than and",
        language(parse=grammar(OR_FIRST, "conjunction")),
    ),
    (
        "signs_before_words",
        "10.4-precedence",
        "&& and || bind tighter than and and or",
        language(parse=grammar(SIGNS_FIRST, "disjunction")),
    ),
    (
        "comparison_before_arithmetic",
        "10.4-precedence",
        "comparison binds tighter than arithmetic",
        language(parse=grammar(COMPARISON_FIRST, "disjunction")),
    ),
    (
        "parentheses_dropped",
        "10.4-precedence",
        "parentheses do not group",
        language(parse=flat),
    ),
    (
        "coalesce_of_falsy",
        "10.4-coalesce",
        "a ?? b yields b for 0, false and what is empty",
        language(gives_way=empty),
    ),
    (
        "coalesce_keeps_null",
        "10.4-coalesce",
        "a ?? b yields a",
        language(gives_way=lambda _value: False),
    ),
    (
        "part_of_element_is_member",
        "10.4-membership",
        "a text is in a list when it is a part of an element",
        language(member=in_element),
    ),
    (
        "position_is_member",
        "10.4-membership",
        "x in list asks for a position",
        language(member=is_position),
    ),
    (
        "joined_list_searched",
        "10.4-membership",
        "x in list looks into the joined list",
        language(member=in_joined_text),
    ),
)

_TYPES: Final[tuple[Row, ...]] = (
    (
        "membership_converts",
        "10.5-no-coercion-in-equality",
        "5 is in a list that has the text 5",
        language(member=converted),
    ),
    (
        "loose_equality",
        "10.5-no-coercion-in-equality",
        "a text that looks like a number equals the number",
        language(equal=loosely_equal),
    ),
    (
        "numeric_texts_equal",
        "10.5-no-coercion-in-equality",
        "two texts that look like numbers are equal as numbers",
        language(equal=texts_as_numbers),
    ),
    (
        "empty_equals_null",
        "10.5-no-coercion-in-equality",
        "0, false and what is empty equal null",
        language(equal=empty_is_null),
    ),
    (
        "equality_ignores_case",
        "10.5-no-coercion-in-equality",
        "texts that differ in case only are equal",
        language(equal=ignoring_case),
    ),
    (
        "order_converts",
        "10.5-incompatible-ordering-fails",
        "a text that looks like a number is ordered as the number",
        language(order=order_as_numbers),
    ),
    (
        "order_error_is_false",
        "10.5-incompatible-ordering-fails",
        "an ordering of incompatible values is false",
        language(order=order_or_false),
    ),
    (
        "null_computes_as_zero",
        "10.7-null-with-other-operators-fails",
        "null counts as 0 under arithmetic",
        language(compute=null_computes_as_zero),
    ),
    (
        "null_orders_as_zero",
        "10.7-null-with-other-operators-fails",
        "null counts as 0 where values are ordered",
        language(order=null_orders_as_zero),
    ),
    (
        "null_spreads",
        "10.7-null-with-other-operators-fails",
        "arithmetic with null yields null",
        language(compute=null_spreads),
    ),
    (
        "null_orders_false",
        "10.7-null-with-other-operators-fails",
        "every ordering with null is false",
        language(order=null_orders_false),
    ),
    (
        "truthiness",
        "10.7-null-condition-fails",
        "a condition that is no boolean is true unless it is empty",
        language(truth=lambda value: not empty(value)),
    ),
    (
        "null_is_false",
        "10.7-null-condition-fails",
        "a condition that is null is false",
        language(truth=null_is_false),
    ),
    (
        "words_are_booleans",
        "10.7-null-condition-fails",
        "the texts true and false are booleans",
        language(truth=words),
    ),
    (
        "condition_reported_as_operation",
        "10.7-null-condition-fails",
        "a condition that is no boolean has the code of an invalid operation",
        language(not_boolean="HX-4106"),
    ),
)

_MOMENTS: Final[tuple[Row, ...]] = (
    (
        "cases_evaluated_at_start",
        "10.8-case-evaluated-at-decision",
        "the cases of a decision are evaluated before anything has run",
        flow(blind_cases=True),
    ),
    (
        "values_evaluated_at_start",
        "10.8-value-evaluated-at-input-resolution",
        "the values of inputs are evaluated before anything has run",
        data(blind_values=True),
    ),
    (
        "over_again_in_each_iteration",
        "10.8-over-evaluated-once",
        "the list of a loop is evaluated again before each iteration",
        loops(over="again"),
    ),
    (
        "over_once_per_instance",
        "10.8-over-evaluated-once",
        "a loop that is executed again keeps the list of the first time",
        loops(over="kept"),
    ),
)

LANGUAGES: Final[tuple[Row, ...]] = (*_NAMES, *_OPERATORS, *_TYPES, *_MOMENTS)
