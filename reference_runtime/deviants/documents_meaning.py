"""Deviants: wrong rules about nodes, edges and expressions of documents (chapters 3, 4, 10, 13)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from reference_runtime.deviants.deviant import Row
from reference_runtime.deviants.doubted import (
    body_data_edges,
    compensates_missing,
    conditions_of_other_edges,
    control_edges_to_compensation,
    escaped_expressions,
    humans_without_timeout,
    inference_without_resource,
    loops_without_attribute_but_until,
    missing_element,
    mixed_texts,
    own_outputs,
    relative_references,
    types_of_ones_own,
    wait_for_nothing,
)
from reference_runtime.deviants.gates import also, instead, rules, told
from reference_runtime.document.finding import Finding
from reference_runtime.document.model import Harness
from reference_runtime.validation import GATE
from reference_runtime.validation.doubts import ids_alike, redundant_control_edges

__all__ = ["MEANING"]


def _off(code: str) -> dict[str, Any]:
    """Leave out the rules of a code."""
    return rules(off=(code,))


def _all_errors(_harness: Harness, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Tell warnings as errors."""
    return tuple(replace(one, severity="error") for one in findings)


_NODES: Final[tuple[Row, ...]] = (
    *(
        (
            f"{name}_on_any_type",
            f"13.2-{code.lower()}-{name}",
            f"the element {name} may stand on a node of any type",
            instead(code, missing_element(code)),
        )
        for code, name in (
            ("HX-2201", "cases"),
            ("HX-2202", "loop"),
            ("HX-2203", "subworkflow"),
            ("HX-2204", "wait"),
        )
    ),
    (
        "wait_takes_what_it_finds",
        "13.2-hx-2205-wait-one-attribute",
        "a wait may name several things",
        instead("HX-2205", wait_for_nothing),
    ),
    (
        "until_without_condition",
        "13.2-hx-2207-loop-kind-attribute",
        "a loop of kind until needs no condition",
        instead("HX-2207", loops_without_attribute_but_until),
    ),
    (
        "count_clamped",
        "13.2-hx-2208-count-above-bound",
        "a count above maxIterations is accepted",
        _off("HX-2208"),
    ),
    (
        "any_resource_is_a_model",
        "13.2-hx-2501-inference-model",
        "an inference node may refer to any resource",
        instead("HX-2501", inference_without_resource),
    ),
    (
        "human_timeout_demanded",
        "3.2.10-human-timeout-recommended",
        "a human node without timeout is refused",
        also("HX-1001", humans_without_timeout),
    ),
    (
        "port_types_closed",
        "3.3-port-types-open-ended",
        "a port may have only a type that the format names",
        also("HX-3201", types_of_ones_own),
    ),
    (
        "resources_ignore_case",
        "2.3-case-only-difference-warned",
        "ids that differ only in case make a document invalid",
        also("HX-1101", ids_alike),
    ),
)

_EDGES: Final[tuple[Row, ...]] = (
    (
        "redundant_control_refused",
        "4.2-redundant-control-warned",
        "a control edge beside a data edge makes a document invalid",
        also("HX-2304", redundant_control_edges),
    ),
    (
        "compensates_demanded",
        "4.5-target-should-declare-compensates",
        "the target of a compensation edge has to say what it undoes",
        also("HX-2004", compensates_missing),
    ),
    (
        "conditions_on_control_edges_only",
        "4.6-condition-allowed-on-every-edge-type",
        "only control edges may have a condition",
        also("HX-1003", conditions_of_other_edges),
    ),
    (
        "compensates_unchecked",
        "13.2-hx-2004-compensates-disagrees",
        "the attribute compensates is not compared with the edge",
        _off("HX-2004"),
    ),
    (
        "data_edge_to_compensation",
        "13.2-hx-2005-compensation-target-forward",
        "a data edge may lead to a node that undoes another",
        instead("HX-2005", control_edges_to_compensation),
    ),
    (
        "port_types_unchecked",
        "13.2-hx-3201-types",
        "types of ports are not compared",
        _off("HX-3201"),
    ),
    (
        "relative_references_taken_for_own",
        "13.2-hx-3002-recursion",
        "a relative reference to a subworkflow is one to the document itself",
        also("HX-3002", relative_references),
    ),
    (
        "body_data_edges_refused",
        "13.2-hx-3004-loop-body-edges",
        "a data edge may not lead into a body",
        instead("HX-3004", body_data_edges),
    ),
    (
        "schema_layer_only",
        "13.1-both-layers-apply",
        "a document that fulfils the schema is valid",
        {"gate": replace(GATE, rules=())},
    ),
    (
        "warnings_reject",
        "13.3-warnings-not-fatal",
        "a warning makes a document invalid",
        {"gate": replace(GATE, told=_all_errors)},
    ),
)

_EXPRESSIONS: Final[tuple[Row, ...]] = (
    (
        "expressions_parsed_when_evaluated",
        "10.2-malformed-found-at-validation",
        "a malformed expression is found when it is evaluated",
        _off("HX-3101"),
    ),
    (
        "mixed_texts_refused",
        "10.2-dollar-brace-delimits",
        "no text may stand before an expression",
        also("HX-3101", mixed_texts),
    ),
    (
        "escapes_evaluated",
        "10.2-escape",
        "an escaped expression is an expression",
        also("HX-3103", escaped_expressions),
    ),
    (
        "functions_open",
        "10.6-closed-function-set",
        "functions that nobody knows are left to the run",
        _off("HX-3105"),
    ),
    (
        "one_code_for_expressions",
        "13.2-hx-3101-3105-expressions",
        "all faults of expressions are told as malformed",
        told({f"HX-310{digit}": "HX-3101" for digit in (2, 3, 4, 5)}),
    ),
    (
        "later_nodes_read",
        "13.2-hx-3104-self-and-later",
        "an expression may read a node that runs later",
        instead("HX-3104", own_outputs),
    ),
)

MEANING: Final[tuple[Row, ...]] = (*_NODES, *_EDGES, *_EXPRESSIONS)
