"""Warnings that the text advises and that have no code of their own: legal, and worth a look.

Such a warning is told under the code of its group, which ends in two zeros (A193).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reference_runtime.validation.rule import Fault, Rule
from reference_runtime.validation.view import View

__all__ = ["RULES"]


def redundant_control_edges(view: View) -> Iterator[Fault]:
    """A data edge orders as a control edge does, so one beside it says nothing (§4.2)."""
    data = {(edge.source, edge.target) for edge in view.joined_edges if edge.type == "data"}
    for edge in view.joined_edges if data else ():
        if edge.type == "control" and (edge.source, edge.target) in data:
            yield Fault(
                edge,
                "",
                f"A data edge already leads from {edge.source!r} to {edge.target!r} and orders "
                "them. Remove the control edge unless it says more, such as a condition.",
            )


def guarded_producers(view: View) -> Iterator[Fault]:
    """When the guard is false, a required input without default has no value (§5.6)."""
    for edge in view.joined_edges:
        if edge.type != "data" or view.nodes[edge.source].guard is None:
            continue
        if view.nodes[edge.target].guard == view.nodes[edge.source].guard:
            continue
        port = view.inputs.get(edge.target, {}).get(edge.to_port or "")
        if port is not None and port.required and port.default is None:
            yield Fault(
                edge,
                port.name,
                f"Node {edge.source!r} has a guard. When it is skipped, the required input "
                f"{port.name!r} of {edge.target!r} has no value (HX-4101). Give the input a "
                "default, or the target a guard.",
            )


def _alike(kind: str, named: Iterable[tuple[str | None, object]]) -> Iterator[Fault]:
    """Yield carriers of a name that differs only in case from an earlier one."""
    first: dict[str, str] = {}
    for name, carrier in named:
        earlier = first.setdefault(name.lower(), name) if name else name
        if name and earlier and earlier != name:
            yield Fault(
                carrier,
                name,
                f"{kind} {name!r} and {earlier!r} are two different ids and easily taken for one. "
                "Rename one of the two.",
            )


def ids_alike(view: View) -> Iterator[Fault]:
    """Ids of one kind differ in more than case (§2.3)."""
    harness = view.harness
    yield from _alike("Resource", ((one.id, one) for one in harness.resources))
    yield from _alike("Artifact", ((one.id, one) for one in harness.artifacts))
    yield from _alike("Node", ((one.id, one) for one in harness.nodes))
    yield from _alike("Edge", ((one.id, one) for one in harness.edges))
    for node in harness.nodes:
        if len(node.inputs) > 1:
            yield from _alike("Input", ((port.name, port) for port in node.inputs))
        if len(node.outputs) > 1:
            yield from _alike("Output", ((port.name, port) for port in node.outputs))


RULES = (
    Rule("HX-1100", "2.3", "warning", ids_alike),
    Rule("HX-2300", "4.2", "warning", redundant_control_edges),
    Rule("HX-2100", "5.6", "warning", guarded_producers),
)
