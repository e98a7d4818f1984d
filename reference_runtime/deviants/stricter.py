"""Wrong rules of validation for deviants: demands of their own, and words compared as texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from reference_runtime.deviants.checks import cycle_of
from reference_runtime.document.model import Extension, Port
from reference_runtime.validation.cycles import find_cycles
from reference_runtime.validation.rule import Check, Fault
from reference_runtime.validation.view import FORWARD, View

__all__ = [
    "compensation_chains",
    "compensation_not_idempotent",
    "cycles_without_conditions",
    "cycles_without_dependencies",
    "documents_used_twice",
    "first_extensions",
    "forward_edges_from_the_undone",
    "model_artifacts_serve",
    "otherwise_missing",
    "quorum_above_sources",
    "remote_artifacts",
    "required_by",
    "roles_but_the_first",
    "unfed_unless",
]


def _fault(where: object, message: str) -> Fault:
    return Fault(where, "", f"{message} Correct it.")


def otherwise_missing(view: View) -> Iterator[Fault]:
    """A decision says what happens otherwise."""
    for node in view.harness.nodes:
        if node.decision is not None and all(case.when for case in node.decision.cases):
            yield _fault(node, f"Node {node.id!r} has no otherwise.")


def compensation_not_idempotent(view: View) -> Iterator[Fault]:
    """The target of a compensation edge is idempotent."""
    for edge in view.joined_edges:
        if edge.type == "compensation" and not view.nodes[edge.target].idempotent:
            yield _fault(edge, f"Node {edge.target!r} undoes, and must not be repeated.")


def compensation_chains(view: View) -> Iterator[Fault]:
    """Nothing undoes what undoes."""
    undone = {edge.source for edge in view.joined_edges if edge.type == "compensation"}
    for edge in view.joined_edges:
        if edge.type == "compensation" and edge.target in undone:
            yield _fault(edge, f"Node {edge.target!r} undoes, and is undone.")


def roles_but_the_first(view: View) -> Iterator[Fault]:
    """All resources of a node have one role."""
    for node in view.harness.nodes:
        if len({reference.role for reference in node.resource_refs}) > 1:
            yield _fault(node, f"Node {node.id!r} has resources in several roles.")


def required_by(word: str, *, unless: bool = False) -> Check:
    """Make the rule that an extension is required by a word, or by any word but that one."""

    def check(view: View) -> Iterator[Fault]:
        for _, extensions in view.carriers():
            for extension in extensions:
                text = view.source.element_of(extension).get("required")
                if text is not None and (text == word) != unless:
                    yield _fault(extension, f"The extension {extension.namespace!r} is required.")

    return check


def first_extensions(view: View) -> Iterator[Fault]:
    """Of several extensions only the first one is looked at."""
    for _, extensions in view.carriers():
        for extension in extensions[:1]:
            if isinstance(extension, Extension) and extension.required:
                yield _fault(extension, f"The extension {extension.namespace!r} is required.")


def unfed_unless(word: str, *, only: bool = False) -> Check:
    """Make the rule that an input is required unless it says a word, or only if it does."""

    def check(view: View) -> Iterator[Fault]:
        for node in view.harness.nodes:
            for port in node.inputs:
                fed = port.value is not None or (node.id, port.name) in view.feeds
                if not fed and _demanded(view, port, word, only=only):
                    yield _fault(port, f"Nothing feeds the input {port.name!r}.")

    return check


def _demanded(view: View, port: Port, word: str, *, only: bool) -> bool:
    text = view.source.element_of(port).get("required")
    return text is None or (text == word) == only


def model_artifacts_serve(view: View) -> Iterator[Fault]:
    """A model may be an artifact, too."""
    for node in view.harness.nodes:
        resources = [view.resources.get(reference.ref) for reference in node.resource_refs]
        artifacts = [view.artifacts.get(reference.ref) for reference in node.artifact_refs]
        types = {one.type for one in (*resources, *artifacts) if one is not None}
        if node.type == "inference" and "model" not in types:
            yield _fault(node, f"Node {node.id!r} has no model.")


def forward_edges_from_the_undone(view: View) -> Iterator[Fault]:
    """Only edges from the node that is undone may not lead to the one that undoes."""
    pairs = {(e.source, e.target) for e in view.joined_edges if e.type == "compensation"}
    for edge in view.joined_edges:
        if edge.type in FORWARD and (edge.source, edge.target) in pairs:
            yield _fault(edge, f"The edge leads to {edge.target!r}, which undoes.")


def cycles_without_conditions(view: View) -> Iterator[Fault]:
    """An edge with a condition may be on a cycle."""
    graph: dict[str, list[str]] = {name: [] for name in view.nodes}
    for edge in view.joined_edges:
        if edge.type in FORWARD and edge.condition is None:
            graph[edge.source].append(edge.target)
    for cycle in find_cycles(graph):
        yield _fault(view.nodes[cycle[0]], f"Node {cycle[0]!r} is on a cycle.")


#: Dependency edges may be on a cycle.
cycles_without_dependencies = cycle_of(frozenset({"control", "data"}))


def quorum_above_sources(view: View) -> Iterator[Fault]:
    """A quorum counts sources, not edges."""
    pairs = {(edge.source, edge.target) for edge in view.harness.edges}
    sources = Counter(target for _, target in pairs)
    for node in view.harness.nodes:
        if node.join_policy == "quorum" and (node.quorum or 0) > sources[node.id]:
            yield _fault(node, f"Node {node.id!r} wants too many sources.")


def remote_artifacts(view: View) -> Iterator[Fault]:
    """An artifact with an absolute address is fetched, and the network does not answer."""
    for artifact in view.harness.artifacts:
        if "://" in (artifact.uri or ""):
            yield _fault(artifact, f"{artifact.uri!r} does not answer.")


def documents_used_twice(view: View) -> Iterator[Fault]:
    """No two nodes run one document."""
    seen: set[str] = set()
    for node in view.harness.nodes:
        if node.subworkflow is not None:
            if node.subworkflow.href in seen:
                yield _fault(node, f"{node.subworkflow.href!r} runs already.")
            seen.add(node.subworkflow.href)
