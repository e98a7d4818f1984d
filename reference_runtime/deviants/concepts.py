"""Deviants: wrong ideas of what a document is (chapter 1), as other readings of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from reference_runtime.deviants.deviant import Row
from reference_runtime.document.model import Edge, Harness, Node, Port

__all__ = ["CONCEPTS"]

_Reading = Callable[[Harness], Harness]


def _nodes(change: Callable[[Harness, Node], Node]) -> _Reading:
    """Read nodes otherwise."""
    return lambda harness: replace(
        harness, nodes=tuple(change(harness, node) for node in harness.nodes), node_by_id={}
    )


def _careful(_harness: Harness, node: Node) -> Node:
    """Take people and sinks for nodes that must not be repeated."""
    return replace(node, idempotent=node.idempotent and node.type not in {"human", "sink"})


def _mocked(harness: Harness, node: Node) -> Node:
    """Give a node an input that nobody feeds when it uses a resource without a real provider."""
    mocks = {resource.id for resource in harness.resources if resource.provider == "mock"}
    used = {reference.ref for reference in node.resource_refs}
    return replace(node, inputs=(*node.inputs, Port("provider"))) if used & mocks else node


def _shared(harness: Harness, node: Node) -> Node:
    """Give inputs without edge the value of any output of that name."""
    fed = {edge.to_port for edge in harness.edges if edge.target == node.id}
    producers = {port.name: one.id for one in reversed(harness.nodes) for port in one.outputs}
    inputs = (
        replace(port, value=f"${{{producers[port.name]}.{port.name}}}")
        if port.value is None and port.name in producers and port.name not in fed
        else port
        for port in node.inputs
    )
    return replace(node, inputs=tuple(inputs))


def _edges(change: Callable[[Edge], Edge]) -> _Reading:
    """Read edges otherwise."""
    return lambda harness: replace(
        harness, edges=tuple(change(edge) for edge in harness.edges), node_by_id={}
    )


def _forward(edge: Edge) -> Edge:
    return replace(edge, type="control") if edge.type == "compensation" else edge


def _hidden(edge: Edge) -> Edge:
    return replace(edge, condition="${false}") if edge.extensions else edge


def _by_position(harness: Harness) -> Harness:
    """Let a data edge lead from the output that stands where its input stands."""

    def other(edge: Edge) -> Edge:
        if edge.type != "data":
            return edge
        outputs = [port.name for port in harness.node_by_id[edge.source].outputs]
        inputs = [port.name for port in harness.node_by_id[edge.target].inputs]
        place = inputs.index(edge.to_port or "")
        return replace(edge, from_port=outputs[place] if place < len(outputs) else edge.from_port)

    return _edges(other)(harness)


def _distinct_cases(_harness: Harness, node: Node) -> Node:
    """Look at the first case only that names a target."""
    if node.decision is None:
        return node
    cases = {case.to: case for case in reversed(node.decision.cases)}
    kept = tuple(case for case in node.decision.cases if cases[case.to] is case)
    return replace(node, decision=replace(node.decision, cases=kept))


def _remembering() -> _Reading:
    """Skip guarded nodes in a second run of a document, as in the first one."""
    seen: set[Harness] = set()

    def reading(harness: Harness) -> Harness:
        if harness not in seen:
            seen.add(harness)
            return harness
        return _nodes(
            lambda _harness, node: replace(node, guard="${false}") if node.guard else node
        )(harness)

    return reading


CONCEPTS: Final[tuple[Row, ...]] = (
    (
        "idempotence_by_type",
        "1.3-idempotence-is-declared-not-inferred",
        "nodes of type human and sink are never idempotent",
        {"reading": _nodes(_careful)},
    ),
    (
        "success_by_name_of_impl",
        "1.3-impl-opaque",
        "a node whose impl is always-succeed is SUCCEEDED when its step has failed",
        {
            "exhausted": lambda node, _error_edges: (
                ("SUCCEEDED",) if node.impl == "always-succeed" else ("FAILED",)
            )
        },
    ),
    (
        "ports_bound_by_position",
        "1.3.1-ports-matched-by-name",
        "the first input takes the first output of its source, and so on",
        {"reading": _by_position},
    ),
    (
        "config_overwritten",
        "1.3.2-config-fixed-at-authoring",
        "outputs replace config properties of the same name for later iterations",
        {"configures": True},
    ),
    (
        "compensation_edge_is_control",
        "1.4-edge-directed-and-typed",
        "a compensation edge orders its nodes like a control edge",
        {"reading": _edges(_forward)},
    ),
    (
        "mock_resource_refused",
        "1.5-environment-change-stays-in-resource-block",
        "a node fails when the provider of its resource is a mock",
        {"reading": _nodes(_mocked)},
    ),
    (
        "skip_remembered_in_next_run",
        "1.7-instance-has-own-identity-states-values",
        "a second run of a document skips the guarded nodes without looking at their guards",
        {"reading": _remembering()},
    ),
    (
        "drawn_edges_hidden",
        "1.8-presentation-has-no-effect",
        "an edge with an extension is taken for hidden and not followed",
        {"reading": _edges(_hidden)},
    ),
    (
        "later_case_of_target_dropped",
        "7.1.3-case-targets-should-be-distinct",
        "of several cases that name one target only the first counts",
        {"reading": _nodes(_distinct_cases)},
    ),
    (
        "outputs_shared_by_name",
        "1.8-no-global-mutable-state",
        "an input without data edge takes the value of any output of its name",
        {"reading": _nodes(_shared)},
    ),
)
