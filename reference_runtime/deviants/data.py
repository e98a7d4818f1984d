"""Deviants: wrong preparation and data (§4.1 to §4.3, §5.5, §5.6)."""

from __future__ import annotations

from typing import Final

from reference_runtime.deviants.deviant import Row, changed, data
from reference_runtime.deviants.trace import pairs
from reference_runtime.document.model import Node, Resource
from reference_runtime.engine.effects import Transition
from reference_runtime.rules import RULES

__all__ = ["DATA"]


def _by_secret(ref: str, missing: frozenset[str], declared: tuple[Resource, ...]) -> bool:
    """Resolve a resource where one with a secret of the same name is resolved, in any store."""
    secrets = {r.id: r.credential.ref for r in declared if r.credential is not None}
    alike = {id_ for id_, secret in secrets.items() if secret == secrets.get(ref)}
    return bool(({ref} | alike) - missing)


def _is_sink(node: Node, _entry: Transition) -> bool:
    return node.type == "sink"


DATA: Final[tuple[Row, ...]] = (
    (
        "control_carries_data",
        "4.1-control-carries-no-data",
        "an input takes an equally named output along a control edge",
        data(
            input_sources=lambda linked: (
                ("data", "default") if linked else ("control", "value", "default")
            )
        ),
    ),
    (
        "dependency_carries_data",
        "4.3-dependency-no-data",
        "an input takes an equally named output along a dependency edge",
        data(
            input_sources=lambda linked: (
                ("data", "default") if linked else ("dependency", "value", "default")
            )
        ),
    ),
    (
        "ports_bound_by_target_name",
        "4.2-data-binds-named-ports",
        "a data edge takes the output that is called like the input",
        data(output_of=lambda edge: edge.to_port),
    ),
    (
        "guard_after_inputs",
        "5.5-guard-evaluated-first",
        "inputs are resolved before the guard is evaluated",
        data(preparation=("inputs", "guard", "resources", "artifacts")),
    ),
    (
        "resources_before_guard",
        "5.5-guard-false-resolves-nothing",
        "resources are resolved before the guard is evaluated",
        data(preparation=("resources", "guard", "inputs", "artifacts")),
    ),
    (
        "resources_before_inputs",
        "5.5-inputs-before-resources",
        "resources are resolved before inputs",
        data(preparation=("guard", "resources", "inputs", "artifacts")),
    ),
    (
        "secret_of_any_store",
        "5.5-credential-from-declared-store",
        "a credential is taken from whatever store has a secret of that name",
        data(resolves=_by_secret),
    ),
    (
        "default_before_edge",
        "5.5-input-from-data-edge",
        "a default wins over the value of a data edge",
        data(input_sources=lambda linked: ("default", "data") if linked else ("value", "default")),
    ),
    (
        "sink_never_ends",
        "5.5-ends-in-succeeded-or-failed",
        "a sink, which gives nothing back, is not shown to end",
        {
            "written": pairs(
                {("RUNNING", "SUCCEEDED"): ()}, lambda node, _entry: node.type == "sink"
            )
        },
    ),
    (
        "value_ignored",
        "5.5-input-from-value",
        "the value of an input is not looked at",
        data(input_sources=lambda linked: ("data", "default") if linked else ("default",)),
    ),
    (
        "default_ignored",
        "5.5-input-from-default",
        "the default of an input without a data edge is not looked at",
        data(input_sources=lambda linked: ("data", "default") if linked else ("value",)),
    ),
    (
        "null_for_missing_input",
        "5.5-required-input-without-value-fails",
        "a required input without a value is null instead of a failure",
        data(null_for_missing=True),
    ),
    (
        "time_limit_in_minutes",
        "5.5-step-runs-under-timeout",
        "the limit of a timeout is sixty times as long",
        {"time_limit": lambda duration, _since: 60 * duration},
    ),
    (
        "success_before_outputs",
        "5.5-outputs-bound-before-success",
        "a node is SUCCEEDED before its outputs are bound",
        data(bound_first=False),
    ),
    (
        "step_called_unprepared",
        "5.5-no-side-effect-when-preparation-fails",
        "a step is called and given up when its preparation fails",
        data(calls_unprepared=True),
    ),
    (
        "value_delivered_once",
        "5.6-value-available-on-success",
        "only the first consumer of a producer gets its value",
        data(lasting=lambda deliveries, inner: inner or not deliveries),
    ),
    (
        "loop_consumes_value",
        "7.2.6-loop-invariant-data",
        "only the first iteration gets a value from outside of the loop",
        data(lasting=lambda deliveries, inner: not (inner and deliveries)),
    ),
    (
        "consumer_of_skipped_waits",
        "5.6-required-consumer-of-skipped-fails",
        "a data edge is not satisfied by a SKIPPED producer",
        {"satisfying": changed(RULES.satisfying, data=frozenset({"SUCCEEDED"}))},
    ),
    (
        "default_only_without_edge",
        "5.6-default-rescues-consumer-of-skipped",
        "the default of an input with a data edge is not looked at",
        data(input_sources=lambda linked: ("data",) if linked else ("value", "default")),
    ),
    (
        "consumer_changes_value",
        "5.6-no-in-place-change-by-consumer",
        "an output replaces the value of the equally named input at its producer",
        data(overwrites=frozenset({"producer"})),
    ),
    (
        "outputs_share_one_table",
        "5.6-values-immutable",
        "an output replaces the equally named outputs of other nodes",
        data(overwrites=frozenset({"namesake"})),
    ),
    (
        "late_outputs_bound",
        "5.6-value-not-available-earlier",
        "outputs are bound that come after their attempt was given up",
        data(binds_late=True),
    ),
)
