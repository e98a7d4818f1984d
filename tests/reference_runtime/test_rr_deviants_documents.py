"""Each deviant about documents judges one document of the corpus otherwise than the gate does."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from reference_runtime.deviants import DEVIANTS
from reference_runtime.deviants.documents import DOCUMENTS, UNBREAKABLE_DOCUMENTS
from reference_runtime.deviants.spelling import SPELLING
from reference_runtime.document.grammar import ELEMENTS
from reference_runtime.validation import GATE, validate
from tests.strategies_runtime import document

CASES = Path(__file__).parents[2] / "cases"

#: deviant → case, and the codes of errors that the deviant finds.
SHOWS = {
    "ids_ignore_case": ("valid/identifiers/ids-differing-in-case", ["HX-1101"]),
    "ids_share_one_table": ("valid/identifiers/same-word-for-node-and-edge", ["HX-1101"]),
    "ports_share_one_table": ("valid/identifiers/port-name-in-both-directions", ["HX-1101"]),
    "duplicate_ports_accepted": ("invalid/identifiers/two-inputs", []),
    "document_checked_node_by_node": ("invalid/harness/fault-in-unreached-node", []),
    "spec_version_defaulted": ("invalid/version/missing", []),
    "entry_demanded": ("valid/harness/without-entry", ["HX-3001"]),
    "nested_harness_accepted": ("invalid/nesting/harness-among-nodes", []),
    "companion_demanded": ("valid/nesting/subworkflow-by-relative-uri", ["HX-1001"]),
    "remote_companion_fetched": ("valid/nesting/subworkflow-by-uri", ["HX-1001"]),
    "stray_node_refused": ("valid/harness/unreached-node", ["HX-3005"]),
    "impl_demanded": ("valid/structure/single-node", ["HX-1001"]),
    "digest_demanded": ("valid/artifacts/without-digest", ["HX-1001"]),
    "layout_extension_refused": ("valid/extensions/layout-by-default", ["HX-1004"]),
    "edges_demanded": ("valid/structure/single-node", ["HX-1001"]),
    "children_in_any_order": ("invalid/structure/children-out-of-order", []),
    "max_attempts_unbounded": ("invalid/retry/max-attempts-1001", []),
    "newer_minor_refused": ("valid/version/newer-minor", ["HX-1002"]),
    "schema_faults_accepted": ("invalid/structure/node-without-id", []),
    "wrong_version_as_schema_fault": ("invalid/version/missing", ["HX-1001"]),
    "unknown_names_as_schema_fault": ("invalid/vocabulary/unknown-attribute", ["HX-1001"]),
    "no_node_as_schema_fault": ("invalid/structure/no-node", ["HX-1001"]),
    "dangling_edge_as_schema_fault": ("invalid/references/edge-to-no-node", ["HX-1001"]),
    "last_source_of_input_wins": ("invalid/ports/two-edges-into-one-input", []),
    "inputs_optional_by_default": ("invalid/ports/required-input-unfed", []),
    "unfed_input_left_to_the_run": ("invalid/ports/required-input-beside-control-edge", []),
    "config_feeds_input": ("invalid/ports/required-input-beside-config", []),
    "artifact_feeds_input": ("invalid/artifacts/input-named-like-artifact", []),
    "port_types_demanded": ("valid/ports/untyped-ports", ["HX-3201"]),
    "untyped_port_is_string": ("valid/ports/untyped-ports", ["HX-3201"]),
    "missing_ports_guessed": ("invalid/ports/data-edge-without-from-port", []),
    "ports_of_both_directions": ("invalid/ports/from-port-is-an-input", []),
    "exclusive_edges_into_one_input": ("invalid/ports/two-conditional-edges-into-one-input", []),
    "guarded_producer_refused": ("valid/ports/guarded-producer-of-required-input", ["HX-2101"]),
    "references_of_nodes_unchecked": ("invalid/references/resource-ref-to-no-resource", []),
    "secrets_accepted": ("invalid/credentials/private-key-in-a-port", []),
    "routes_unchecked": ("invalid/references/case-to-no-node", []),
    "cycle_of_error_edges_refused": ("valid/cycles/error-edge-back-with-entry", ["HX-3003"]),
    "cycles_of_one_type_only": ("invalid/cycles/mixed-types", []),
    "error_edges_leave_entry_set": ("invalid/cycles/error-edge-back-without-entry", []),
    "quorum_number_defaulted": ("invalid/joins/quorum-missing", []),
    "quorum_below_edge_count": ("valid/joins/quorum-equal-to-edges", ["HX-2402"]),
    "single_attempt_retry_accepted": ("invalid/retry/non-idempotent-with-single-attempt", []),
    "root_of_any_namespace": ("invalid/structure/root-of-another-namespace", []),
    "prefixes_refused": ("valid/vocabulary/prefixed-elements", ["HX-1001"]),
    "namespace_follows_version": ("invalid/version/namespace-of-minor", []),
    "sections_in_any_order": ("invalid/structure/artifacts-before-resources", []),
    "ids_of_any_text": ("invalid/identifiers/leading-digit", []),
    "schema_location_refused": ("valid/structure/schema-location-elsewhere", ["HX-1001"]),
    "declarations_of_a_host_refused": ("valid/structure/lifted-from-a-host", ["HX-1001"]),
    "required_extensions_of_nodes_only": ("invalid/extensions/required-on-edge", []),
    "encodings_transcoded": ("invalid/encoding/latin-1", []),
    "foreign_elements_ignored": ("invalid/extensions/foreign-element-in-node", []),
    "unclosed_elements_closed": ("invalid/structure/unclosed-element", []),
    "subworkflow_digest_demanded": ("valid/nesting/subworkflow-without-digest", ["HX-1001"]),
    "durations_as_schema_faults": ("invalid/durations/month", ["HX-1001"]),
    "cases_may_be_empty": ("invalid/nodes/cases-with-otherwise-only", []),
    "cases_on_any_type": ("invalid/nodes/cases-on-task", []),
    "loop_on_any_type": ("invalid/nodes/loop-on-task", []),
    "subworkflow_on_any_type": ("invalid/nodes/subworkflow-on-task", []),
    "wait_on_any_type": ("invalid/nodes/wait-on-human", []),
    "wait_takes_what_it_finds": ("invalid/nodes/wait-for-duration-and-event", []),
    "until_without_condition": ("invalid/loops/until-without-while", []),
    "count_clamped": ("invalid/loops/count-above-bound", []),
    "any_resource_is_a_model": ("invalid/nodes/inference-with-datastore", []),
    "human_timeout_demanded": ("valid/nodes/human-without-timeout", ["HX-1001"]),
    "port_types_closed": ("valid/ports/type-of-ones-own", ["HX-3201"]),
    "resources_ignore_case": ("valid/identifiers/resources-differing-in-case", ["HX-1101"]),
    "redundant_control_refused": ("valid/ports/control-edge-beside-data-edge", ["HX-2304"]),
    "compensates_demanded": ("valid/compensation/target-without-compensates", ["HX-2004"]),
    "conditions_on_control_edges_only": (
        "valid/vocabulary/condition-on-every-edge-type",
        ["HX-1003"],
    ),
    "compensates_unchecked": ("invalid/compensation/target-of-another-node", []),
    "data_edge_to_compensation": ("invalid/compensation/target-behind-a-data-edge", []),
    "port_types_unchecked": ("invalid/ports/string-into-boolean", []),
    "relative_references_taken_for_own": ("valid/nesting/chain-of-subworkflows", ["HX-3002"]),
    "body_data_edges_refused": ("valid/loops/data-edge-into-the-body", ["HX-3004"]),
    "schema_layer_only": ("invalid/loops/control-edge-into-the-body", []),
    "warnings_reject": ("valid/harness/two-unreached-nodes", ["HX-3005"]),
    "expressions_parsed_when_evaluated": ("invalid/expressions/malformed-over", []),
    "mixed_texts_refused": ("valid/expressions/text-and-expressions", ["HX-3101"]),
    "escapes_evaluated": ("valid/expressions/escaped-dollar-brace", ["HX-3103"]),
    "functions_open": ("invalid/expressions/function-now", []),
    "one_code_for_expressions": ("invalid/expressions/reads-no-node", ["HX-3101"]),
    "later_nodes_read": ("invalid/expressions/guard-reads-a-later-node", []),
    "identifier_ends_before_line_feed": ("invalid/identifiers/line-feed-at-the-end", []),
    "identifier_digits_of_any_script": ("invalid/identifiers/digit-beyond-ascii", []),
    "durations_with_weeks": ("invalid/durations/weeks", []),
    "fractions_of_every_unit": ("invalid/durations/fraction-of-a-minute", []),
    "negative_durations": ("invalid/durations/negative", []),
    "m_is_minutes_everywhere": ("invalid/durations/month-and-minute", []),
    "decimals_as_floats": ("invalid/retry/multiplier-with-exponent", []),
    "integers_of_the_host_language": ("invalid/retry/max-attempts-with-underscore", []),
    "major_compared_by_first_digit": ("invalid/version/major-that-begins-with-one", []),
    "loops_without_bound": ("invalid/loops/max-iterations-missing", []),
    "entry_unchecked": ("invalid/references/entry-to-no-node", []),
    "newer_minor_skips_unknown": ("invalid/version/newer-minor-with-unknown-attribute", []),
    "functions_ignore_case": ("invalid/expressions/function-in-upper-case", []),
    "required_extension_by_the_word_true": ("invalid/extensions/required-as-digit", []),
    "required_extension_by_any_other_word": ("valid/extensions/optional-as-digit", ["HX-1004"]),
    "first_extension_decides": ("invalid/extensions/second-one-required", []),
    "optional_input_by_the_word_false": ("valid/ports/optional-as-digit", ["HX-2101"]),
    "required_input_by_the_word_true": ("invalid/ports/required-as-digit", []),
    "model_artifact_serves_inference": ("invalid/nodes/inference-with-artifact-of-type-model", []),
    "forward_edge_from_the_undone_only": ("invalid/compensation/target-behind-two-edges", []),
    "conditional_edges_outside_the_cycle_check": ("invalid/cycles/conditions-that-never-hold", []),
    "dependency_edges_outside_the_cycle_check": ("invalid/cycles/dependency-edges-alone", []),
    "quorum_bounded_by_sources": ("valid/joins/quorum-equal-to-parallel-edges", ["HX-2402"]),
    "recursion_is_any_second_use": ("valid/nesting/two-nodes-use-one-document", ["HX-3002"]),
    "otherwise_demanded": ("valid/nodes/several-cases-without-otherwise", ["HX-2206"]),
    "compensation_has_to_be_idempotent": ("valid/compensation/target-not-idempotent", ["HX-3301"]),
    "compensation_chains_refused": (
        "valid/compensation/target-with-an-edge-of-its-own", ["HX-2005"]
    ),
    "one_role_per_node": ("valid/resources/two-models-in-two-roles", ["HX-2002"]),
    "host_operators": ("invalid/expressions/three-equals-signs", []),
    "one_table_of_declarations": ("invalid/expressions/reads-a-resource-as-artifact", []),
    "text_between_elements_dropped": ("invalid/structure/text-in-a-node", []),
    "secrets_in_resources_only": ("invalid/credentials/private-key-at-an-artifact", []),
    "artifacts_fetched": ("valid/artifacts/uri-that-leads-nowhere", ["HX-2003"]),
}  # fmt: skip

#: Their verdicts are right, what they do with them is not.
OTHERS = {"findings_without_place", "invalid_document_executed"}


def errors(findings):
    return sorted({finding.code for finding in findings if finding.severity == "error"})


@pytest.mark.parametrize("name", SHOWS)
def test_deviant_judges_a_document_otherwise(name):
    case, wrong = SHOWS[name]
    source = (CASES / f"{case}.hxml").read_bytes()
    text = tomllib.loads((CASES / f"{case}.toml").read_text(encoding="utf-8"))
    folder = (CASES / case).parent
    companions = {
        uri: (folder / name).read_bytes() for uri, name in text.get("companions", {}).items()
    }
    right = errors(validate(source, companions=companions).findings)
    gate = DEVIANTS[name].rules.gate

    assert (wrong, True) == (
        errors(validate(source, gate, companions=companions).findings),
        wrong != right,
    )


def test_every_deviant_is_shown():
    assert {*SHOWS, *OTHERS} == {row[0] for row in (*DOCUMENTS, *SPELLING)}


def test_bare_findings_keep_only_their_code():
    source = (CASES / "invalid/diagnostics/dangling-edge-is-located.hxml").read_bytes()
    bare = validate(source, DEVIANTS["findings_without_place"].rules.gate).findings

    assert [("HX-2001", 1, None, "", "")] == [
        (one.code, one.line, one.column, one.near, one.value) for one in bare
    ]


def test_invalid_document_is_handed_to_the_engine():
    source = document("a", "a->b")
    gate = DEVIANTS["invalid_document_executed"].rules.gate

    assert (None, "a") == (validate(source).harness, validate(source, gate).harness.nodes[0].id)


def test_other_tables_than_those_of_the_schema_give_the_verdict():
    lax = replace(GATE, elements={**ELEMENTS, "node": replace(ELEMENTS["node"], ordered=False)})
    source = document("a <guard when='${true}'/><inputs><input name='x' value='1'/></inputs>")

    assert (["HX-1001"], []) == (
        errors(validate(source).findings),
        errors(validate(source, lax).findings),
    )


def test_what_cannot_be_broken_has_no_deviant():
    assert not {*UNBREAKABLE_DOCUMENTS} & {deviant.requirement for deviant in DEVIANTS.values()}
