"""Deviants: wrong node types, waits, names and attribute defaults (chapters 2 and 3)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from reference_runtime.deviants.deviant import Row, edges, loops, nodes, waits
from reference_runtime.deviants.gates import defaulted, edited
from reference_runtime.document.model import Edge, Harness, Node, Port, Wait

__all__ = ["KINDS"]


def _written_idempotent_retried() -> dict[str, Any]:
    """Insert a retry policy into empty nodes that say idempotent."""
    policy = b'<retry maxAttempts="2" backoff="none"/>'
    empty = re.compile(rb'(<node\b[^>]*\bidempotent="true"[^>]*)/>')
    return edited(lambda document: empty.sub(rb"\1>" + policy + rb"</node>", document))


def _first_branch(harness: Harness, edge: Edge) -> Edge:
    """Take edges of a parallel but its first one for conditional ones that do not hold."""
    if harness.node_by_id[edge.source].type != "parallel":
        return edge
    first = next(one for one in harness.edges if one.source == edge.source)
    return edge if edge is first else replace(edge, condition="${false}")


def _every_branch(harness: Harness, edge: Edge) -> Edge:
    return (
        replace(edge, condition=None)
        if harness.node_by_id[edge.source].type == "parallel"
        else edge
    )


def _in_turn(harness: Harness) -> Harness:
    """Let each branch of a parallel depend on the first node of the one before."""
    forks = [node.id for node in harness.nodes if node.type == "parallel"]
    more: list[Edge] = []
    for fork in forks:
        branches = [edge.target for edge in harness.edges if edge.source == fork]
        more += [Edge(a, b, "dependency") for a, b in itertools.pairwise(branches)]
    return replace(harness, edges=(*harness.edges, *more), node_by_id={})


def _without_work(_harness: Harness, node: Node) -> Node:
    """Give nodes that only control an input that nobody feeds, so that they fail."""
    if node.type not in {"decision", "parallel", "barrier"} or node.impl is not None:
        return node
    return replace(node, inputs=(*node.inputs, Port("impl")))


def _approved(_harness: Harness, node: Node) -> Node:
    """Pass over people."""
    return replace(node, type="barrier") if node.type == "human" else node


def _event(change: Callable[[Wait], Wait]) -> dict[str, Any]:
    """Read waits for events otherwise."""

    def read(_harness: Harness, node: Node) -> Node:
        if node.wait is None or node.wait.event is None:
            return node
        return replace(node, wait=change(node.wait))

    return nodes(read)


def _optional_without_default(_harness: Harness, node: Node) -> Node:
    inputs = tuple(p if p.required else replace(p, default=None) for p in node.inputs)
    return replace(node, inputs=inputs)


def _literal_values(_harness: Harness, node: Node) -> Node:
    inputs = tuple(replace(p, value=p.value and p.value.replace("${", "$${")) for p in node.inputs)
    return replace(node, inputs=inputs)


def _not_released(harness: Harness, edge: Edge) -> Edge:
    """Pass over nodes with extensions."""
    extended = bool(harness.node_by_id[edge.target].extensions)
    return replace(edge, condition="${false}") if extended else edge


_WAITS: Final[tuple[Row, ...]] = (
    (
        "wait_over_at_once",
        "3.2.9-wait-duration-blocks",
        "a wait with a duration is over at once",
        waits(lasts=lambda _duration, _now: 0.0),
    ),
    (
        "wait_counts_from_the_start",
        "3.2.9-wait-duration-blocks",
        "a duration counts from the start of the instance",
        waits(lasts=lambda duration, now: max(0.0, duration - now)),
    ),
    (
        "zero_duration_waits_for_ever",
        "3.2.9-wait-duration-blocks",
        "a duration of zero seconds is taken for none",
        waits(lasts=lambda duration, _now: duration or None),
    ),
    (
        "until_asked_once",
        "3.2.9-wait-until-blocks",
        "an expression that is false at first fails the wait",
        waits(unmet="FAILED"),
    ),
    (
        "until_false_passes",
        "3.2.9-wait-until-blocks",
        "an expression is evaluated once, and the wait is over whatever it yields",
        waits(unmet="SUCCEEDED"),
    ),
    (
        "until_never_asked_again",
        "3.2.9-wait-until-blocks",
        "an expression that is false at first is not evaluated again",
        waits(looks_again=lambda _places: ()),
    ),
    (
        "until_asked_on_news_only",
        "3.2.9-wait-until-blocks",
        "an expression is evaluated only when there are new values",
        waits(looks_at_once=False),
    ),
    (
        "any_event_ends_a_wait",
        "3.2.9-wait-event-blocks",
        "every event ends every wait for an event",
        waits(name=lambda _event: ""),
    ),
    (
        "event_matched_by_beginning",
        "3.2.9-wait-event-blocks",
        "an event that begins like the awaited one ends the wait",
        waits(name=lambda event: event[:5]),
    ),
    (
        "event_is_an_expression",
        "3.2.9-wait-event-blocks",
        "a wait for an event is over when its name is the word true",
        _event(
            lambda wait: (
                replace(wait, event=None, until="${true}") if wait.event == "true" else wait
            )
        ),
    ),
    (
        "events_end_waits_at_once",
        "3.2.9-wait-event-blocks",
        "a wait for an event is over at once",
        _event(lambda wait: replace(wait, event=None, duration=0.0)),
    ),
    (
        "events_never_heard",
        "3.2.9-wait-event-blocks",
        "no event ends a wait",
        _event(lambda wait: replace(wait, event=f"{wait.event} nobody sends")),
    ),
)

_TYPES: Final[tuple[Row, ...]] = (
    (
        "human_approves_itself",
        "3.2.10-human-blocks-until-decided",
        "a human node is SUCCEEDED without being asked",
        nodes(_approved),
    ),
    (
        "parallel_in_turn",
        "3.2.6-parallel-releases-every-branch",
        "a parallel releases a branch when the one before has begun to end",
        {"reading": _in_turn},
    ),
    (
        "parallel_first_branch_only",
        "3.2.6-parallel-releases-every-branch",
        "a parallel releases its first branch only",
        edges(_first_branch),
    ),
    (
        "parallel_ignores_conditions",
        "5.3-false-condition-is-resolved-negative",
        "a parallel releases branches whose condition is false, too",
        edges(_every_branch),
    ),
    (
        "impl_demanded_of_control_types",
        "3.1.1-pure-control-types-need-no-impl",
        "a decision, barrier or parallel without impl fails",
        nodes(_without_work),
    ),
    (
        "barrier_joins_all",
        "5.3.1-policy-of-the-target",
        "a barrier joins all, whatever its policy",
        nodes(
            lambda _harness, node: (
                replace(node, join_policy="all") if node.type == "barrier" else node
            )
        ),
    ),
)

_ATTRIBUTES: Final[tuple[Row, ...]] = (
    (
        "names_obeyed",
        "2.1-name-has-no-semantics",
        "a node whose name says to ignore its result is SUCCEEDED when its step has failed",
        {
            "exhausted": lambda node, _error_edges: (
                ("SUCCEEDED",) if "ignore" in (node.name or "").lower() else ("FAILED",)
            )
        },
    ),
    (
        "extended_nodes_left_out",
        "2.8-optional-extension-ignored-node-still-runs",
        "no edge releases a node with an extension that is not known",
        edges(_not_released),
    ),
    (
        "edge_defaults_to_dependency",
        "3.1-attribute-defaults",
        "an edge without type is a dependency edge",
        defaulted("edge", "type", "dependency"),
    ),
    (
        "extension_defaults_to_required",
        "1.8-layout-travels-in-optional-extension",
        "an extension that does not say so is required",
        defaulted("extension", "required", "true"),
    ),
    (
        "idempotent_nodes_retried_anyway",
        "3.1.2-idempotent-true-permits-retry",
        "a node that says idempotent has a second attempt without a retry policy",
        _written_idempotent_retried(),
    ),
    (
        "optional_defaults_ignored",
        "3.3-default-fills-unsatisfied-optional",
        "the default of an input that is not required is not looked at",
        nodes(_optional_without_default),
    ),
    (
        "values_taken_literally",
        "3.3-value-may-be-literal-or-expression",
        "the value of an input is literal text",
        nodes(_literal_values),
    ),
)

_BOUNDS: Final[tuple[Row, ...]] = (
    (
        "bound_passed_over_where_failures_are",
        "14.2.1-never-degrade",
        "a loop that goes on after failures ends well at its bound",
        loops(over_limit=lambda loop: "FAILED" if loop.on_item_failure == "fail" else "SUCCEEDED"),
    ),
)

KINDS: Final[tuple[Row, ...]] = (*_WAITS, *_TYPES, *_ATTRIBUTES, *_BOUNDS)
