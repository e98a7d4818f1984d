"""Deviants: what holds for every node is done for tasks, and left out for other types (§3.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from reference_runtime.deviants.deviant import Row, edges, nodes
from reference_runtime.document.model import Edge, Harness, Node, Security

__all__ = ["NODE_TYPES"]


def _others(change: Callable[[Node], Node]) -> dict[str, Any]:
    """Change every node that is no task."""
    return nodes(lambda _harness, node: node if node.type == "task" else change(node))


def _unhandled(end: Callable[[Edge], str]) -> dict[str, Any]:
    """Leave out error edges that have something else than a task at one of their ends."""

    def reading(harness: Harness) -> Harness:
        kept = (
            edge
            for edge in harness.edges
            if edge.type != "error" or harness.node_by_id[end(edge)].type == "task"
        )
        return replace(harness, edges=tuple(kept), node_by_id={})

    return {"reading": reading}


def _not_undone(end: Callable[[Edge], str]) -> dict[str, Any]:
    """Never follow compensation edges that have something else than a task at one of their ends."""

    def change(harness: Harness, edge: Edge) -> Edge:
        if edge.type != "compensation" or harness.node_by_id[end(edge)].type == "task":
            return edge
        return replace(edge, condition="${false}")

    return edges(change)


def _unconditional(harness: Harness, edge: Edge) -> Edge:
    return edge if harness.node_by_id[edge.source].type == "task" else replace(edge, condition=None)


def _source(edge: Edge) -> str:
    return edge.source


def _target(edge: Edge) -> str:
    return edge.target


NODE_TYPES: Final[tuple[Row, ...]] = (
    (
        "guards_of_tasks_only",
        "6.2-ready-skipped",
        "the guard of a node that is no task is not looked at",
        _others(lambda node: replace(node, guard=None)),
    ),
    (
        "retries_of_tasks_only",
        "6.2-running-retrying",
        "a node that is no task has one attempt",
        _others(lambda node: replace(node, retry=None)),
    ),
    (
        "limits_of_tasks_only",
        "5.5-step-runs-under-timeout",
        "the step of a node that is no task has no time limit",
        _others(lambda node: replace(node, timeout=None)),
    ),
    (
        "failures_of_tasks_handled_only",
        "5.8-handled-failure-continues",
        "the error edges of a node that is no task are left out",
        _unhandled(_source),
    ),
    (
        "handlers_are_tasks",
        "5.8-all-error-edges-traversed",
        "an error edge to a node that is no task is left out",
        _unhandled(_target),
    ),
    (
        "join_policies_of_tasks_only",
        "5.3.1-policy-of-the-target",
        "a node that is no task joins all, whatever its policy",
        _others(lambda node: replace(node, join_policy="all", quorum=None)),
    ),
    (
        "conditions_behind_tasks_only",
        "5.3-false-condition-is-resolved-negative",
        "the condition of an edge is not looked at where it leaves a node that is no task",
        edges(_unconditional),
    ),
    (
        "tasks_undone_only",
        "8.4.1-compensate-succeeded-with-edge",
        "a node that is no task is not compensated",
        _not_undone(_source),
    ),
    (
        "undone_by_tasks_only",
        "8.4.1-compensate-succeeded-with-edge",
        "a node that is no task does not compensate",
        _not_undone(_target),
    ),
    (
        "tasks_spared_only",
        "6.2.1-no-cancel-of-running-non-idempotent",
        "a RUNNING node that is no task is cancelled although it is not idempotent",
        _others(lambda node: replace(node, idempotent=True)),
    ),
    (
        "resources_of_tasks_only",
        "9.1.3-resolution-before-execution",
        "the resources of a node that is no task are not resolved",
        _others(lambda node: replace(node, resource_refs=())),
    ),
    (
        "principals_of_tasks_only",
        "11.3-unresolvable-principal-fails",
        "a node that is no task acts as the runtime, whatever principal it names",
        _others(lambda node: replace(node, security=Security())),
    ),
)
