"""Rules about references: every name that one part gives another must be declared (§2.4)."""

from __future__ import annotations

from collections.abc import Iterator

from reference_runtime.validation.rule import Fault, Rule
from reference_runtime.validation.view import View

__all__ = ["RULES"]


def _dangling(where: object, place: str, kind: str, name: str, close: str) -> Fault:
    message = f"{place} names the {kind} {name!r}, which is not declared.{close} Correct the name."
    return Fault(where, name, message)


def dangling_edges(view: View) -> Iterator[Fault]:
    """Both ends of an edge are nodes; so is the entry (A177)."""
    nodes, close_to = view.nodes, view.advice.close_to
    entry = view.harness.entry
    if entry is not None and entry not in nodes:
        yield _dangling(view.harness, "harness/@entry", "node", entry, close_to(entry, nodes))
    for edge in view.harness.edges:
        for place, name in (("edge/@from", edge.source), ("edge/@to", edge.target)):
            # A missing attribute, read as an empty text, is the schema layer's.
            if name and name not in nodes:
                yield _dangling(edge, place, "node", name, close_to(name, nodes))


def dangling_routes(view: View) -> Iterator[Fault]:
    """Targets of decisions and bodies of loops are nodes; no code is reserved for it (A176)."""
    nodes, close_to = view.nodes, view.advice.close_to
    for node in view.harness.nodes:
        for case in node.decision.cases if node.decision is not None else ():
            if case.to and case.to not in nodes:
                place = "otherwise/@to" if case.when is None else "case/@to"
                yield _dangling(case, place, "node", case.to, close_to(case.to, nodes))
        body = node.loop.body if node.loop is not None else ""
        if body and body not in nodes:
            where = view.source.part_of(node.loop, "body")
            yield _dangling(where, "body/@ref", "node", body, close_to(body, nodes))


def dangling_resources(view: View) -> Iterator[Fault]:
    """A resourceRef names a resource, not a node or artifact of that name (§1.5)."""
    for node in view.harness.nodes:
        for reference in node.resource_refs:
            name = reference.ref
            if name and name not in view.resources:
                close = view.advice.close_to(name, view.resources)
                yield _dangling(reference, "resourceRef/@ref", "resource", name, close)


def dangling_artifacts(view: View) -> Iterator[Fault]:
    """An artifactRef names an artifact (§1.6)."""
    for node in view.harness.nodes:
        for reference in node.artifact_refs:
            name = reference.ref
            if name and name not in view.artifacts:
                close = view.advice.close_to(name, view.artifacts)
                yield _dangling(reference, "artifactRef/@ref", "artifact", name, close)


def disagreeing_compensations(view: View) -> Iterator[Fault]:
    """A compensation target that says what it undoes says the same as the edge (§4.5)."""
    for edge in view.joined_edges:
        undone = view.nodes[edge.target].compensates
        if edge.type == "compensation" and undone is not None and undone != edge.source:
            yield Fault(
                edge,
                undone,
                f"The edge says that {edge.target!r} undoes {edge.source!r}, its compensates "
                f"says {undone!r}. Make them agree, or leave compensates out.",
            )


RULES = (
    Rule("HX-2001", "2.4", "error", dangling_edges),
    Rule("HX-1001", "2.4", "error", dangling_routes),
    Rule("HX-2002", "1.5", "error", dangling_resources),
    Rule("HX-2003", "1.6", "error", dangling_artifacts),
    Rule("HX-2004", "4.5", "error", disagreeing_compensations),
)
