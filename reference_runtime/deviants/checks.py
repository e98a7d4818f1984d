"""Wrong rules of validation, for the deviants of ``documents``: too lax, too strict, too early."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from reference_runtime.document.model import Edge, Node, Port
from reference_runtime.validation.cycles import find_cycles
from reference_runtime.validation.identity import duplicates
from reference_runtime.validation.policies import retry_of_non_idempotent
from reference_runtime.validation.ports import competing_data_edges, unfed_inputs
from reference_runtime.validation.rule import Check, Fault
from reference_runtime.validation.view import FORWARD, View

__all__ = [
    "any_extension",
    "conditions_look_exclusive",
    "cycle_of",
    "cycle_of_one_type",
    "empty_without_error_edges",
    "entry_demanded",
    "guarded_producers",
    "half_typed_edges",
    "ids_ignoring_case",
    "missing_companions",
    "node_ids_only",
    "nothing_to_do",
    "one_name_space",
    "one_port_table",
    "ports_of_both_directions",
    "quorum_equal_to_edges",
    "remote_companions",
    "retry_without_effect",
    "stray_nodes",
    "unfed_but",
    "untyped_ends",
]


def _fault(where: object, message: str) -> Fault:
    return Fault(where, "", f"{message} Correct it.")


def unfed_but(satisfied: Callable[[View, Node, Port], bool]) -> Check:
    """Make the rule about unfed inputs that lets something else feed them."""

    def check(view: View) -> Iterator[Fault]:
        owner = {id(port): node for node in view.harness.nodes for port in node.inputs}
        for fault in unfed_inputs(view):
            port = fault.where
            if isinstance(port, Port) and not satisfied(view, owner[id(port)], port):
                yield fault

    return check


def ids_ignoring_case(view: View) -> Iterator[Fault]:
    """Node ids that differ only in case are the same."""
    first: dict[str, Node] = {}
    for node in view.harness.nodes:
        if first.setdefault(node.id.lower(), node) is not node:
            yield _fault(node, f"Node {node.id!r} exists already.")


def one_name_space(view: View) -> Iterator[Fault]:
    """Nodes, edges, resources and artifacts share one table of ids."""
    seen: set[str] = set()
    harness = view.harness
    for kind in (harness.resources, harness.artifacts, harness.nodes, harness.edges):
        ids = {one.id for one in kind if one.id}
        for one in kind:
            if one.id in seen:
                yield _fault(one, f"{one.id!r} exists already.")
        seen |= ids


def one_port_table(view: View) -> Iterator[Fault]:
    """An input and an output of one node may not share a name."""
    for node in view.harness.nodes:
        names = {port.name for port in node.inputs}
        for port in node.outputs:
            if port.name in names:
                yield _fault(port, f"Port {port.name!r} exists already.")


def node_ids_only(view: View) -> Iterator[Fault]:
    """Only ids of nodes are compared, as the keys of the schema do."""
    return (fault for fault in duplicates(view) if isinstance(fault.where, Node))


def conditions_look_exclusive(view: View) -> Iterator[Fault]:
    """Edges with conditions may feed one input together."""
    conditional = {id(edge) for edge in view.harness.edges if edge.condition is not None}
    return (fault for fault in competing_data_edges(view) if id(fault.where) not in conditional)


def ports_of_both_directions(view: View) -> Iterator[Fault]:
    """Both ends of a data edge may be inputs or outputs."""
    for edge in view.harness.edges:
        for name, port in ((edge.source, edge.from_port), (edge.target, edge.to_port)):
            node = view.nodes.get(name)
            ports = () if node is None else (*node.inputs, *node.outputs)
            if edge.type == "data" and port and node and port not in {one.name for one in ports}:
                yield _fault(edge, f"Node {name!r} has no port {port!r}.")


def quorum_equal_to_edges(view: View) -> Iterator[Fault]:
    """A quorum is refused when it is as large as the number of edges."""
    incoming = Counter(edge.target for edge in view.harness.edges)
    for node in view.harness.nodes:
        if node.join_policy == "quorum" and (node.quorum or 0) >= incoming[node.id]:
            yield _fault(node, f"Node {node.id!r} wants too many edges.")


def retry_without_effect(view: View) -> Iterator[Fault]:
    """A retry policy of one attempt is harmless on a node that is not idempotent."""
    return (fault for fault in retry_of_non_idempotent(view) if fault.value != "1")


def empty_without_error_edges(view: View) -> Iterator[Fault]:
    """Error and compensation edges do not keep a node out of the entry set."""
    targets = {edge.target for edge in view.joined_edges if edge.type in FORWARD}
    if view.harness.entry is None and not set(view.nodes) - targets:
        yield _fault(view.harness, "Nothing can start.")


def cycle_of(types: frozenset[str]) -> Check:
    """Make the rule that edges of these types together have no cycle."""

    def check(view: View) -> Iterator[Fault]:
        edges = [edge for edge in view.joined_edges if edge.type in types]
        graph: dict[str, list[str]] = {name: [] for name in view.nodes}
        for edge in edges:
            graph[edge.source].append(edge.target)
        for cycle in find_cycles(graph):
            yield _fault(view.nodes[cycle[0]], f"Node {cycle[0]!r} is on a cycle.")

    return check


def cycle_of_one_type(view: View) -> Iterator[Fault]:
    """Only cycles of edges of the same type are found."""
    for type_ in sorted(FORWARD):
        yield from cycle_of(frozenset({type_}))(view)


def entry_demanded(view: View) -> Iterator[Fault]:
    """A document with several roots has to say where it starts."""
    targets = {edge.target for edge in view.joined_edges}
    if view.harness.entry is None and len(set(view.nodes) - targets) > 1:
        yield _fault(view.harness, "The document has several roots and no entry.")


def nothing_to_do(view: View) -> Iterator[Fault]:
    """A document has to have work, and the only node has no impl."""
    nodes = view.harness.nodes
    if len(nodes) == 1 and nodes[0].impl is None:
        yield _fault(nodes[0], "The only node has no impl.")


def missing_companions(view: View) -> Iterator[Fault]:
    """A subworkflow is loaded with the document, and it is not there."""
    for node in view.harness.nodes:
        if node.subworkflow is not None:
            yield _fault(node, f"{node.subworkflow.href!r} cannot be loaded.")


def remote_companions(view: View) -> Iterator[Fault]:
    """A subworkflow with an absolute address is fetched, and the network does not answer."""
    for node in view.harness.nodes:
        if node.subworkflow is not None and "://" in node.subworkflow.href:
            yield _fault(node, f"{node.subworkflow.href!r} does not answer.")


def stray_nodes(view: View) -> Iterator[Fault]:
    """Beside the entry, something leads to every node."""
    linked = {view.harness.entry, *(edge.target for edge in view.joined_edges)}
    for node in view.harness.nodes:
        if view.harness.entry is not None and node.id not in linked:
            yield _fault(node, f"Nothing leads to node {node.id!r}.")


def any_extension(view: View) -> Iterator[Fault]:
    """No extension is accepted, required or not."""
    for carrier, extensions in view.carriers():
        for extension in extensions:
            yield _fault(extension, f"The extension of {carrier} is unknown.")


def _joined_types(view: View) -> Iterator[tuple[Edge, str | None, str | None]]:
    """Yield data edges with the types of their two ports."""
    for edge in view.joined_edges:
        source = view.outputs.get(edge.source, {}).get(edge.from_port or "")
        target = view.inputs.get(edge.target, {}).get(edge.to_port or "")
        if edge.type == "data" and source is not None and target is not None:
            yield edge, source.type, target.type


def untyped_ends(view: View) -> Iterator[Fault]:
    """Both ports of a data edge have a type."""
    for edge, source, target in _joined_types(view):
        if source is None and target is None:
            yield _fault(edge, "The edge joins ports without type.")


def half_typed_edges(view: View) -> Iterator[Fault]:
    """A port without type is one of strings, and does not go with another type."""
    for edge, source, target in _joined_types(view):
        if (source or "string") != (target or "string"):
            yield _fault(edge, "The edge joins ports of two types.")


def guarded_producers(view: View) -> Iterator[Fault]:
    """A guarded node feeds no required input of another."""
    for edge in view.joined_edges:
        port = view.inputs.get(edge.target, {}).get(edge.to_port or "")
        guarded = view.nodes[edge.source].guard is not None
        if edge.type == "data" and guarded and port is not None and port.required:
            yield _fault(edge, f"Node {edge.source!r} may be skipped.")
