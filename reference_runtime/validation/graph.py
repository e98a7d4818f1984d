"""Rules about the graph as a whole: where it starts, and that it goes forward (§5.2, §13.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reference_runtime.document.model import Edge
from reference_runtime.validation.cycles import find_cycles
from reference_runtime.validation.rule import Fault, Rule
from reference_runtime.validation.view import FORWARD, View

__all__ = ["RULES"]

#: Nodes of a cycle that a message names.
_SHOWN = 8


def _roots(view: View) -> list[str]:
    """Nodes without any incoming edge, in document order (the letter of §5.2)."""
    targets = {edge.target for edge in view.joined_edges}
    return [name for name in view.nodes if name not in targets]


def empty_entry_set(view: View) -> Iterator[Fault]:
    """Without entry some node has no incoming edge of any type.

    Case targets and loop bodies without edges count as roots here, by the letter of §5.2 (A66,
    A113): the finding is made only where every reading finds the entry set empty. Edges that
    start nowhere have a finding of their own and do not count.
    """
    if view.harness.entry is None and view.nodes and not _roots(view):
        yield Fault(
            view.harness,
            "",
            "Nothing can start: every node has an incoming edge and the document has no entry. "
            "Add the attribute entry, or remove the edges into the first node.",
        )


def _forward_edges(view: View) -> list[Edge]:
    return [edge for edge in view.joined_edges if edge.type in FORWARD]


def cycles(view: View) -> Iterator[Fault]:
    """Control, data and dependency edges together have no cycle; one node may be one."""
    forward = _forward_edges(view)
    graph: dict[str, list[str]] = {name: [] for name in view.nodes}
    for edge in forward:
        graph[edge.source].append(edge.target)
    first: dict[tuple[str, str], Edge] | None = None
    for cycle in find_cycles(graph):
        if first is None:
            first = {(edge.source, edge.target): edge for edge in reversed(forward)}
        shown = [*cycle[:_SHOWN], *(["…"] if len(cycle) > _SHOWN else []), cycle[0]]
        path = " → ".join(shown)
        yield Fault(
            first[cycle[-1], cycle[0]],
            path,
            f"The edges {path} form a cycle, so none of these {len(cycle)} node(s) can ever "
            "start. Remove an edge; repetition is what loop nodes are for.",
        )


def _reached(view: View, *, unwinding: bool = False, also: Iterable[str] = ()) -> set[str]:
    """Nodes that a run may reach: edges, routes of decisions, bodies; and undoing nodes.

    ``also`` are nodes to which something else leads.
    """
    successors: dict[str, list[str]] = {}
    for edge in view.joined_edges:
        if unwinding or edge.type != "compensation":
            successors.setdefault(edge.source, []).append(edge.target)
    for node in view.harness.nodes:
        if node.decision is not None:
            successors.setdefault(node.id, []).extend(case.to for case in node.decision.cases)
        if node.loop is not None:
            successors.setdefault(node.id, []).append(node.loop.body)
    entry = view.harness.entry
    waiting = [*(_roots(view) if entry is None else [entry]), *also]
    reached: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in reached and name in view.nodes:
            reached.add(name)
            waiting.extend(successors.get(name, ()))
    return reached


def forward_edges_to_compensation(view: View) -> Iterator[Fault]:
    """No control or data edge of forward execution leads to a compensation target (A185)."""
    targets = {edge.target for edge in view.joined_edges if edge.type == "compensation"}
    if not targets:
        return
    reached = _reached(view)
    for edge in _forward_edges(view):
        if edge.target in targets and edge.type != "dependency" and edge.source in reached:
            yield Fault(
                edge,
                edge.target,
                f"Node {edge.target!r} undoes another node, and the {edge.type} edge from "
                f"{edge.source!r} would run it going forward. Remove the edge, or use another "
                "node for the forward path.",
            )


def _inside(view: View, body: str) -> set[str]:
    """The body and what its failures start: these run per iteration, too (A115)."""
    inside = {body}
    waiting = [body]
    for name in waiting:
        for edge in view.outgoing.get(name, ()):
            started = edge.type == "error" if name == body else edge.type != "compensation"
            if started and edge.target not in inside:
                inside.add(edge.target)
                waiting.append(edge.target)
    return inside


def edges_into_bodies(view: View) -> Iterator[Fault]:
    """A loop alone starts its body; only data may come from outside (§7.2.6).

    The loop itself stands outside (A133).
    """
    bodies = {node.loop.body: node.id for node in view.harness.nodes if node.loop is not None}
    if not bodies:
        return
    inside: dict[str, set[str]] = {}
    for edge in view.joined_edges:
        if edge.target not in bodies or edge.type not in {"control", "dependency"}:
            continue
        if edge.target not in inside:
            inside[edge.target] = _inside(view, edge.target)
        if edge.source not in inside[edge.target]:
            yield Fault(
                edge,
                edge.target,
                f"The {edge.type} edge from {edge.source!r} leads into {edge.target!r}, the body "
                f"of the loop {bodies[edge.target]!r}. Lead it to the loop, or make it a data "
                "edge.",
            )


def unreachable_nodes(view: View) -> Iterator[Fault]:
    """Something leads from the entry set to every node (§13.2).

    Nodes that undo, bodies of loops and targets of cases are led to by these (A191).
    """
    entry = view.harness.entry
    if (entry is None and not _roots(view)) or (entry is not None and entry not in view.nodes):
        return
    reached = _reached(view, unwinding=True)
    unreached = [name for name in view.nodes if name not in reached]
    if unreached:
        # What a fault in a name has cut off has a finding already.
        cut = [edge.target for edge in view.harness.edges if edge.source not in view.nodes]
        meant = view.likely.names_meant(unreached)
        reached = _reached(view, unwinding=True, also=(*cut, *meant))
    for node in view.nodes.values():
        if node.id and node.id not in reached:
            yield Fault(
                node,
                node.id,
                f"Nothing leads from the start to node {node.id!r}, so it never runs. "
                "Add an edge, or remove the node.",
            )


RULES = (
    Rule("HX-2005", "4.5", "error", forward_edges_to_compensation),
    Rule("HX-3001", "5.2", "error", empty_entry_set),
    Rule("HX-3003", "13.2", "error", cycles),
    Rule("HX-3004", "7.2.6", "error", edges_into_bodies),
    Rule("HX-3005", "13.2", "warning", unreachable_nodes),
)
