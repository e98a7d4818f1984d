"""Rules about references: every name that one part gives another must be declared (§2.4)."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from reference_runtime.validation.likely import Kind
from reference_runtime.validation.rule import Fault, Rule
from reference_runtime.validation.view import View

__all__ = ["RULES"]


class _Names:
    """Names of one kind as they are looked at by one rule."""

    def __init__(self, view: View, kind: Kind, declared: Collection[str]) -> None:
        self._view, self._kind, self._declared = view, kind, declared
        self._told: set[str] = set()

    def check(self, where: object, place: str, name: str) -> Iterator[Fault]:
        """Yield what is wrong with a reference.

        A missing attribute, read as an empty text, is the schema layer's, and so is an id that
        is faulty. What may be an id that is missing is told once.
        """
        if not name or name in self._declared:
            return
        likely = self._view.likely
        if likely.is_faulty_id(self._kind, name):
            return
        missing = likely.may_be_missing_id(self._kind)
        if missing and name in self._told:
            return
        self._told.add(name)
        close = self._view.advice.close_to(name, self._declared)
        hint = f" Is it the {self._kind} that has no id?" if missing and not close else close
        yield Fault(
            where,
            name,
            f"{place} names the {self._kind} {name!r}, which is not declared.{hint} "
            "Correct the name.",
        )


def dangling_edges(view: View) -> Iterator[Fault]:
    """Both ends of an edge are nodes; so is the entry (A177)."""
    names = _Names(view, "node", view.nodes)
    yield from names.check(view.harness, "harness/@entry", view.harness.entry or "")
    for edge in view.harness.edges:
        yield from names.check(edge, "edge/@from", edge.source)
        yield from names.check(edge, "edge/@to", edge.target)


def dangling_routes(view: View) -> Iterator[Fault]:
    """Targets of decisions and bodies of loops are nodes; no code is reserved for it (A176)."""
    names = _Names(view, "node", view.nodes)
    for node in view.harness.nodes:
        for case in node.decision.cases if node.decision is not None else ():
            place = "otherwise/@to" if case.when is None else "case/@to"
            yield from names.check(case, place, case.to)
        if node.loop is not None:
            where = view.source.part_of(node.loop, "body")
            yield from names.check(where, "body/@ref", node.loop.body)


def dangling_resources(view: View) -> Iterator[Fault]:
    """A resourceRef names a resource, not a node or artifact of that name (§1.5)."""
    names = _Names(view, "resource", view.resources)
    for node in view.harness.nodes:
        for reference in node.resource_refs:
            yield from names.check(reference, "resourceRef/@ref", reference.ref)


def dangling_artifacts(view: View) -> Iterator[Fault]:
    """An artifactRef names an artifact (§1.6)."""
    names = _Names(view, "artifact", view.artifacts)
    for node in view.harness.nodes:
        for reference in node.artifact_refs:
            yield from names.check(reference, "artifactRef/@ref", reference.ref)


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
