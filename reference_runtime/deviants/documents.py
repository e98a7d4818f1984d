"""Deviants: wrong validation of documents (chapters 1 to 4 and 13).

A rule is switched off, too lax, too strict, or reported otherwise than the text says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from reference_runtime.deviants.checks import (
    any_extension,
    conditions_look_exclusive,
    cycle_of,
    cycle_of_one_type,
    empty_without_error_edges,
    entry_demanded,
    guarded_producers,
    half_typed_edges,
    ids_ignoring_case,
    missing_companions,
    node_ids_only,
    nothing_to_do,
    one_name_space,
    one_port_table,
    ports_of_both_directions,
    quorum_equal_to_edges,
    remote_companions,
    retry_without_effect,
    stray_nodes,
    unfed_but,
    untyped_ends,
)
from reference_runtime.deviants.deviant import Row
from reference_runtime.deviants.documents_meaning import MEANING
from reference_runtime.deviants.documents_reading import READING
from reference_runtime.deviants.gates import (
    also,
    attribute,
    bare,
    element,
    instead,
    nested_is_fine,
    reached_only,
    read_any_number,
    read_one_minor,
    rules,
    told,
    without,
)
from reference_runtime.document.grammar import ELEMENTS
from reference_runtime.validation import GATE
from reference_runtime.validation.references import dangling_edges, dangling_routes
from reference_runtime.validation.rule import Rule

__all__ = ["DOCUMENTS", "UNBREAKABLE_DOCUMENTS"]


_IDENTITY: Final[tuple[Row, ...]] = (
    (
        "ids_ignore_case",
        "2.3-identifiers-case-sensitive",
        "node ids that differ only in case are duplicates",
        also("HX-1101", ids_ignoring_case),
    ),
    (
        "ids_share_one_table",
        "2.3-id-spaces-are-separate",
        "a node may not have the id of an edge, a resource or an artifact",
        also("HX-1101", one_name_space),
    ),
    (
        "ports_share_one_table",
        "2.3-port-scope-is-node-and-direction",
        "an input and an output of a node may not share a name",
        also("HX-1101", one_port_table),
    ),
    (
        "duplicate_ports_accepted",
        "13.2-hx-1101-duplicates",
        "only node ids are compared, not those of edges nor the names of ports",
        instead("HX-1101", node_ids_only),
    ),
)

_STRUCTURE: Final[tuple[Row, ...]] = (
    (
        "document_checked_node_by_node",
        "1.2-harness-is-the-unit",
        "faults of nodes that nothing leads to are not found",
        {"gate": replace(GATE, told=reached_only)},
    ),
    (
        "spec_version_defaulted",
        "1.2-harness-id-and-version-present",
        "a document without specVersion is taken for one of version 1.0",
        attribute("harness", "specVersion", required=False),
    ),
    (
        "entry_demanded",
        "1.2-entry-attribute-optional",
        "a document with several roots and without entry is refused",
        also("HX-3001", entry_demanded),
    ),
    (
        "nested_harness_accepted",
        "1.2-composition-by-uri-only",
        "a harness inside a harness is accepted",
        {"gate": replace(GATE, told=nested_is_fine)},
    ),
    (
        "companion_demanded",
        "1.2-harness-independently-validatable",
        "a document is refused when its subworkflow cannot be loaded",
        also("HX-1001", missing_companions),
    ),
    (
        "remote_companion_fetched",
        "13.4-offline",
        "a document is refused when the address of its subworkflow does not answer",
        also("HX-1001", remote_companions),
    ),
    (
        "stray_node_refused",
        "13.2-hx-3005-unreachable-warning",
        "a node that nothing leads to makes a document with entry invalid",
        also("HX-3005", stray_nodes),
    ),
    (
        "impl_demanded",
        "1.3-impl-optional",
        "a document whose only node has no impl is refused",
        also("HX-1001", nothing_to_do),
    ),
    (
        "digest_demanded",
        "1.6-artifact-digest-optional",
        "an artifact without digest is refused",
        attribute("artifact", "digest", required=True),
    ),
    (
        "layout_extension_refused",
        "1.8-layout-travels-in-optional-extension",
        "an extension is refused although it is not required",
        also("HX-1004", any_extension),
    ),
    (
        "edges_demanded",
        "2.2-only-nodes-is-required",
        "a document without edges section is refused",
        element(
            "harness",
            children=tuple(
                replace(child, required=child.required or child.name == "edges")
                for child in ELEMENTS["harness"].children
            ),
        ),
    ),
    (
        "children_in_any_order",
        "3.1-child-order-fixed",
        "the children of a node may come in any order",
        element("node", ordered=False),
    ),
    (
        "max_attempts_unbounded",
        "8.1-max-attempts-range",
        "any number is accepted as maxAttempts",
        attribute("retry", "maxAttempts", read=read_any_number),
    ),
    (
        "invalid_document_executed",
        "5.1-invalid-document-not-executed",
        "a document runs although it has faults",
        {"gate": replace(GATE, passes=lambda _findings: True)},
    ),
    (
        "newer_minor_refused",
        "15.5-newer-minor-attempted",
        "a document of a later minor version is refused",
        attribute("harness", "specVersion", read=read_one_minor),
    ),
)

_CODES: Final[tuple[Row, ...]] = (
    (
        "schema_faults_accepted",
        "13.2-hx-1001-schema",
        "schema faults without a code of their own are not reported",
        told({"HX-1001": ""}),
    ),
    (
        "wrong_version_as_schema_fault",
        "13.2-hx-1002-spec-version",
        "a wrong specVersion is reported as any schema fault",
        told({"HX-1002": "HX-1001"}),
    ),
    (
        "unknown_names_as_schema_fault",
        "13.2-hx-1003-unknown",
        "unknown names are reported as any schema fault",
        told({"HX-1003": "HX-1001"}),
    ),
    (
        "no_node_as_schema_fault",
        "13.2-hx-1102-no-node",
        "a document without nodes is reported as any schema fault",
        told({"HX-1102": "HX-1001"}),
    ),
    (
        "dangling_edge_as_schema_fault",
        "13.2-hx-2001-dangling-edge",
        "an edge that names no node is reported as any schema fault",
        rules(Rule("HX-1001", "", "error", dangling_edges), off=("HX-2001",)),
    ),
    (
        "findings_without_place",
        "13.5-diagnostic-content",
        "a finding has a code and neither place, id nor value",
        {"gate": replace(GATE, told=bare)},
    ),
)

_PORTS: Final[tuple[Row, ...]] = (
    (
        "last_source_of_input_wins",
        "1.3.1-input-has-exactly-one-source",
        "an input may have several data edges, and a value beside them",
        rules(off=("HX-2102", "HX-2304")),
    ),
    (
        "inputs_optional_by_default",
        "1.3.1-input-required-by-default",
        "an input is required only where it says so",
        instead(
            "HX-2101",
            unfed_but(
                lambda view, _node, port: view.source.element_of(port).get("required") is None
            ),
        ),
    ),
    (
        "unfed_input_left_to_the_run",
        "1.3.1-unsatisfied-required-input-invalid",
        "a required input that nothing feeds is accepted where a control edge leads to its node",
        instead(
            "HX-2101",
            unfed_but(
                lambda view, node, _port: any(
                    edge.target == node.id and edge.type == "control" for edge in view.harness.edges
                )
            ),
        ),
    ),
    (
        "config_feeds_input",
        "1.3.2-config-is-not-a-port",
        "a config property of the same name feeds a required input",
        instead(
            "HX-2101",
            unfed_but(lambda _view, node, port: port.name in {item.name for item in node.config}),
        ),
    ),
    (
        "artifact_feeds_input",
        "1.6-artifact-is-not-a-port",
        "an artifact of the same name feeds a required input",
        instead(
            "HX-2101",
            unfed_but(
                lambda _view, node, port: port.name in {item.ref for item in node.artifact_refs}
            ),
        ),
    ),
    (
        "port_types_demanded",
        "1.3.1-port-type-optional",
        "a data edge between two ports without type is refused",
        also("HX-3201", untyped_ends),
    ),
    (
        "untyped_port_is_string",
        "4.2-untyped-port-unchecked",
        "a port without type does not go with one of another type than string",
        also("HX-3201", half_typed_edges),
    ),
    (
        "missing_ports_guessed",
        "13.2-hx-2301-data-ports-required",
        "a data edge without ports joins what there is",
        rules(off=("HX-2301",)),
    ),
    (
        "ports_of_both_directions",
        "13.2-hx-2302-2303-port-names",
        "a data edge may start at an input and lead to an output",
        rules(
            Rule("HX-2302", "", "error", ports_of_both_directions),
            off=("HX-2302", "HX-2303"),
        ),
    ),
    (
        "exclusive_edges_into_one_input",
        "13.2-hx-2304-two-edges-one-input",
        "two data edges with conditions may lead to one input",
        instead("HX-2304", conditions_look_exclusive),
    ),
    (
        "guarded_producer_refused",
        "5.6-guarded-producer-is-valid",
        "a guarded node may not feed a required input",
        also("HX-2101", guarded_producers),
    ),
)

_GRAPH: Final[tuple[Row, ...]] = (
    (
        "references_of_nodes_unchecked",
        "13.2-hx-2002-2003-dangling-refs",
        "references to resources and artifacts are not looked up",
        rules(off=("HX-2002", "HX-2003")),
    ),
    (
        "secrets_accepted",
        "13.2-hx-3501-credential",
        "a document may hold secrets",
        rules(off=("HX-3501",)),
    ),
    (
        "routes_unchecked",
        "2.4-reference-sites-name-one-kind",
        "targets of decisions and bodies of loops that name no node are accepted",
        without(dangling_routes),
    ),
    (
        "cycle_of_error_edges_refused",
        "4.7-error-and-compensation-outside-cycle-check",
        "edges of all types together may have no cycle",
        instead(
            "HX-3003",
            cycle_of(frozenset({"control", "data", "dependency", "error", "compensation"})),
        ),
    ),
    (
        "cycles_of_one_type_only",
        "13.2-hx-3003-cycle",
        "a cycle of edges of several types is not found",
        instead("HX-3003", cycle_of_one_type),
    ),
    (
        "error_edges_leave_entry_set",
        "13.2-hx-3001-empty-entry-set",
        "a node with an incoming error edge counts as one that can start",
        instead("HX-3001", empty_without_error_edges),
    ),
    (
        "quorum_number_defaulted",
        "5.3.1-quorum-attribute-required",
        "a quorum join without number is accepted",
        rules(off=("HX-2401",)),
    ),
    (
        "quorum_below_edge_count",
        "5.3.1-quorum-not-above-edge-count",
        "a quorum as large as the number of edges is refused",
        instead("HX-2402", quorum_equal_to_edges),
    ),
    (
        "single_attempt_retry_accepted",
        "1.3-retry-with-non-idempotent-invalid",
        "a retry policy of one attempt is accepted on a node that is not idempotent",
        instead("HX-3301", retry_without_effect),
    ),
)

DOCUMENTS: Final[tuple[Row, ...]] = (
    *_IDENTITY,
    *_STRUCTURE,
    *_CODES,
    *_PORTS,
    *_GRAPH,
    *READING,
    *MEANING,
)

#: Requirement → why no runtime can break it so that a scenario fails.
UNBREAKABLE_DOCUMENTS: Final[Mapping[str, str]] = {
    "5.6-guarded-producer-warning": "the sentence is advice: a missing warning gives a note, and "
    "one too many is allowed",
}
