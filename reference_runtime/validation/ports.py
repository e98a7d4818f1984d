"""Rules about ports and data edges (§1.3.1, §4.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from reference_runtime.document.model import Edge, Node, Port
from reference_runtime.validation.rule import Fault, Rule
from reference_runtime.validation.view import View

__all__ = ["RULES"]


def _unfed(view: View) -> Iterator[tuple[Node, Port]]:
    """Yield required inputs without data edge and value, but for slips in a name of the edge."""
    for node in view.harness.nodes:
        for port in node.inputs:
            fed = port.value is not None or (node.id, port.name) in view.feeds
            if port.required and port.name and not fed and not view.likely.is_fed(node, port):
                yield node, port


def unfed_inputs(view: View) -> Iterator[Fault]:
    """A required input has a data edge or a value; a default alone is neither (A22).

    Where as many data edges say no node or no input (they have findings of their own), these feed
    what else is not fed.
    """
    unfed = list(_unfed(view))
    by_name = Counter(port.name for _, port in unfed)
    by_node = Counter(node.id for node, _ in unfed)
    portless = Counter(
        edge.target
        for edge in (view.harness.edges if unfed else ())
        if edge.type == "data" and edge.to_port is None
    )
    for node, port in unfed:
        edges = view.likely.edges_without_target[port.name]
        if by_name[port.name] <= edges or by_node[node.id] <= portless[node.id]:
            continue
        only = "only a default" if port.default is not None else "neither edge nor value"
        yield Fault(
            port,
            port.name,
            f"Node {node.id!r} requires the input {port.name!r}, which has {only}. "
            'Add a data edge or a value, or say required="false".',
        )


def doubly_fed_inputs(view: View) -> Iterator[Fault]:
    """An input has a data edge or a value, never both (§1.3.1)."""
    for node in view.harness.nodes:
        for port in node.inputs:
            if port.value is not None and (node.id, port.name) in view.feeds:
                yield Fault(
                    port,
                    port.name,
                    f"The input {port.name!r} of node {node.id!r} has a value and a data edge "
                    f"from {view.feeds[node.id, port.name][0].source!r}. Remove one of them.",
                )


def _data_edges(view: View) -> Iterator[Edge]:
    return (edge for edge in view.harness.edges if edge.type == "data")


def portless_data_edges(view: View) -> Iterator[Fault]:
    """A data edge says from which output to which input (§4.2)."""
    for edge in _data_edges(view):
        missing = [
            name
            for name, port in (("fromPort", edge.from_port), ("toPort", edge.to_port))
            if port is None
        ]
        if missing:
            yield Fault(
                edge,
                "",
                f"The data edge {edge.source!r} → {edge.target!r} lacks "
                f"{' and '.join(missing)}. Add it, or make it a control edge.",
            )


def unknown_outputs(view: View) -> Iterator[Fault]:
    """The fromPort of a data edge is an output of its source; inputs do not count."""
    for edge in _data_edges(view):
        outputs = view.outputs.get(edge.source, {})
        if edge.from_port and edge.source in view.nodes and edge.from_port not in outputs:
            yield Fault(
                edge,
                edge.from_port,
                f"Node {edge.source!r} has no output {edge.from_port!r}."
                f"{view.advice.close_to(edge.from_port, outputs)} Correct fromPort, or declare "
                "the output.",
            )


def unknown_inputs(view: View) -> Iterator[Fault]:
    """The toPort of a data edge is an input of its target; config and outputs do not count."""
    for edge in _data_edges(view):
        inputs = view.inputs.get(edge.target, {})
        if edge.to_port and edge.target in view.nodes and edge.to_port not in inputs:
            yield Fault(
                edge,
                edge.to_port,
                f"Node {edge.target!r} has no input {edge.to_port!r}."
                f"{view.advice.close_to(edge.to_port, inputs)} Correct toPort, or declare "
                "the input.",
            )


def competing_data_edges(view: View) -> Iterator[Fault]:
    """One data edge at most feeds an input, also when conditions look exclusive."""
    for (target, name), edges in view.feeds.items():
        for edge in edges[1:]:
            if edge.type == "data" and name in view.inputs.get(target, {}):
                yield Fault(
                    edge,
                    name,
                    f"The input {name!r} of node {target!r} already has a data edge from "
                    f"{edges[0].source!r}. Remove one, or give the node two inputs.",
                )


RULES = (
    Rule("HX-2101", "1.3.1", "error", unfed_inputs),
    Rule("HX-2102", "1.3.1", "error", doubly_fed_inputs),
    Rule("HX-2301", "4.2", "error", portless_data_edges),
    Rule("HX-2302", "4.2", "error", unknown_outputs),
    Rule("HX-2303", "4.2", "error", unknown_inputs),
    Rule("HX-2304", "4.2", "error", competing_data_edges),
)
