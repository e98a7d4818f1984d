"""Wrong rules of validation for deviants: what they overlook, demand, or refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from reference_runtime.document.model import Edge, Extension, Node
from reference_runtime.validation.expression_rules import unfinished_nodes
from reference_runtime.validation.graph import edges_into_bodies, forward_edges_to_compensation
from reference_runtime.validation.identity import required_extensions
from reference_runtime.validation.node_types import loop_kind_attribute, own_element
from reference_runtime.validation.rule import Check, Fault
from reference_runtime.validation.view import View

__all__ = [
    "body_data_edges",
    "compensates_missing",
    "conditions_of_other_edges",
    "control_edges_to_compensation",
    "escaped_expressions",
    "humans_without_timeout",
    "inference_without_resource",
    "loops_without_attribute_but_until",
    "misplaced_only_on_nodes",
    "missing_element",
    "mixed_texts",
    "own_outputs",
    "relative_references",
    "types_of_ones_own",
    "wait_for_nothing",
]

#: Port types that the format names (§3.3).
_TYPES = frozenset({"string", "number", "integer", "boolean", "json", "binary", "date", "dateTime"})


def _fault(where: object, message: str) -> Fault:
    return Fault(where, "", f"{message} Correct it.")


def _kept(check: Check, keep: Callable[[View, Fault], bool]) -> Check:
    """Make the rule that overlooks some of its faults."""

    def kept(view: View) -> Iterator[Fault]:
        return (fault for fault in check(view) if keep(view, fault))

    return kept


def _is_of_a_node(view: View, fault: Fault) -> bool:
    own = {id(extension) for node in view.harness.nodes for extension in node.extensions}
    return isinstance(fault.where, Extension) and id(fault.where) in own


def _is_control(_view: View, fault: Fault) -> bool:
    return isinstance(fault.where, Edge) and fault.where.type == "control"


def _reads_itself(_view: View, fault: Fault) -> bool:
    return "its own output" in fault.message


#: Extensions of other carriers than nodes are overlooked.
misplaced_only_on_nodes = _kept(required_extensions, _is_of_a_node)
#: A data edge may lead to a node that undoes.
control_edges_to_compensation = _kept(forward_edges_to_compensation, _is_control)
#: Nodes that run later may be read.
own_outputs = _kept(unfinished_nodes, _reads_itself)
#: Kind until is left alone, since it has no attribute of its name.
loops_without_attribute_but_until = _kept(
    loop_kind_attribute, lambda _view, fault: "kind until" not in fault.message
)


def missing_element(code: str) -> Check:
    """Make the rule that a type has its element, and that others may have it, too."""

    def check(view: View) -> Iterator[Fault]:
        return (fault for fault in own_element(code, view) if isinstance(fault.where, Node))

    return check


def body_data_edges(view: View) -> Iterator[Fault]:
    """No edge of any type leads into a body."""
    yield from edges_into_bodies(view)
    bodies = {node.loop.body for node in view.harness.nodes if node.loop is not None}
    for edge in view.joined_edges:
        if edge.type == "data" and edge.target in bodies:
            yield _fault(edge, f"The edge leads into the body {edge.target!r}.")


def humans_without_timeout(view: View) -> Iterator[Fault]:
    """A human node has a timeout."""
    for node in view.harness.nodes:
        if node.type == "human" and node.timeout is None:
            yield _fault(node, f"Node {node.id!r} waits for ever.")


def types_of_ones_own(view: View) -> Iterator[Fault]:
    """Types of ports are those that the format names."""
    for node in view.harness.nodes:
        for port in (*node.inputs, *node.outputs):
            if port.type and "<" not in port.type and port.type not in _TYPES:
                yield _fault(port, f"There is no type {port.type!r}.")


def compensates_missing(view: View) -> Iterator[Fault]:
    """The target of a compensation edge says what it undoes."""
    for edge in view.joined_edges:
        if edge.type == "compensation" and view.nodes[edge.target].compensates is None:
            yield _fault(edge, f"Node {edge.target!r} does not say what it undoes.")


def conditions_of_other_edges(view: View) -> Iterator[Fault]:
    """Only control edges have conditions."""
    for edge in view.harness.edges:
        if edge.condition is not None and edge.type != "control":
            yield _fault(edge, f"An edge of type {edge.type} has a condition.")


def wait_for_nothing(view: View) -> Iterator[Fault]:
    """Of several things that a wait names the first one counts."""
    for node in view.harness.nodes:
        wait = node.wait
        if wait is not None and (wait.duration, wait.until, wait.event) == (None, None, None):
            yield _fault(wait, f"Node {node.id!r} waits for nothing.")


def inference_without_resource(view: View) -> Iterator[Fault]:
    """Any resource is a model."""
    for node in view.harness.nodes:
        if node.type == "inference" and not node.resource_refs:
            yield _fault(node, f"Node {node.id!r} has no resource.")


def relative_references(view: View) -> Iterator[Fault]:
    """A reference without a scheme leads back to the document itself."""
    for node in view.harness.nodes:
        if node.subworkflow is not None and ":" not in node.subworkflow.href:
            yield _fault(node, f"Node {node.id!r} runs its own document.")


def escaped_expressions(view: View) -> Iterator[Fault]:
    """Names behind two dollar signs are looked up."""
    for site, _ in view.compiled:
        if "$${" in site.text:
            yield _fault(site.where, f"{site.place}: there is no such node.")


def mixed_texts(view: View) -> Iterator[Fault]:
    """A text is one expression or none."""
    for site, _ in view.compiled:
        if "${" in site.text and not site.text.startswith(("${", "$$")):
            yield _fault(site.where, f"{site.place}: text stands before an expression.")
