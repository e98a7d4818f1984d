"""A document prepared for the rules: indexes that several of them need, made once."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping

from reference_runtime.document.advice import Advice
from reference_runtime.document.grammar import EDGE_TYPE
from reference_runtime.document.model import (
    Artifact,
    Edge,
    Extension,
    Harness,
    Node,
    Port,
    Resource,
)
from reference_runtime.document.source import Source
from reference_runtime.expressions.syntax import Declaration, Reference
from reference_runtime.validation.likely import Likely
from reference_runtime.validation.sites import Compiled, Site, compile_sites, names_read

__all__ = ["FORWARD", "View"]

#: Edge types that take part in joins and in the check for cycles (§5.3, §13.2).
FORWARD = frozenset({"control", "data", "dependency"})


def _ports_by_node(nodes: Iterable[tuple[str, tuple[Port, ...]]]) -> dict[str, dict[str, Port]]:
    """Sort ports by node and name; nodes of one id have theirs together, the first counts."""
    ports: dict[str, dict[str, Port]] = {}
    for node, declared in nodes:
        for port in declared:
            ports.setdefault(node, {}).setdefault(port.name, port)
    return ports


class View:
    """The harness, the places of its parts, and what rules look up.

    ``companions`` are the documents that were given with it: URI → bytes.
    """

    def __init__(
        self,
        harness: Harness,
        source: Source,
        document: bytes = b"",
        companions: Mapping[str, bytes] | None = None,
    ) -> None:
        self.harness = harness
        self.source = source
        self.document = document
        self.companions = dict(companions or {})
        self.advice = Advice()
        self.likely = Likely(self)
        #: Node id → node; of duplicates the first counts.
        self.nodes: dict[str, Node] = harness.node_by_id

    @functools.cached_property
    def resources(self) -> dict[str, Resource]:
        """Resource id → resource; of duplicates the first counts."""
        return {resource.id: resource for resource in reversed(self.harness.resources)}

    @functools.cached_property
    def artifacts(self) -> dict[str, Artifact]:
        """Artifact id → artifact; of duplicates the first counts."""
        return {artifact.id: artifact for artifact in reversed(self.harness.artifacts)}

    @functools.cached_property
    def inputs(self) -> dict[str, dict[str, Port]]:
        """Node id → input name → port; nodes without inputs are left out."""
        return _ports_by_node((node.id, node.inputs) for node in self.harness.nodes)

    @functools.cached_property
    def outputs(self) -> dict[str, dict[str, Port]]:
        """Node id → output name → port; nodes without outputs are left out."""
        return _ports_by_node((node.id, node.outputs) for node in self.harness.nodes)

    @functools.cached_property
    def joined_edges(self) -> tuple[Edge, ...]:
        """Edges whose two ends exist, in document order."""
        nodes = self.nodes
        return tuple(
            edge for edge in self.harness.edges if edge.source in nodes and edge.target in nodes
        )

    @functools.cached_property
    def names(self) -> tuple[tuple[Site, Reference | Declaration], ...]:
        """Every name that an expression can read, with its site."""
        return tuple(names_read(self.compiled))

    @functools.cached_property
    def outgoing(self) -> dict[str, list[Edge]]:
        """Node id → edges out of it whose two ends exist."""
        outgoing: dict[str, list[Edge]] = {}
        for edge in self.joined_edges:
            outgoing.setdefault(edge.source, []).append(edge)
        return outgoing

    @functools.cached_property
    def feeds(self) -> dict[tuple[str, str], list[Edge]]:
        """(Node id, input name) → data edges into it.

        An edge of an unknown type may be a misspelt data edge; it counts, so that one slip is
        reported once.
        """
        feeds: dict[tuple[str, str], list[Edge]] = {}
        for edge in self.harness.edges:
            if edge.to_port and (edge.type == "data" or edge.type not in EDGE_TYPE.values):
                feeds.setdefault((edge.target, edge.to_port), []).append(edge)
        return feeds

    @functools.cached_property
    def ports_fed(self) -> dict[str, list[str]]:
        """Node id → names of the inputs, declared or not, that data edges lead to."""
        fed: dict[str, list[str]] = {}
        for node, port in self.feeds:
            fed.setdefault(node, []).append(port)
        return fed

    @functools.cached_property
    def compiled(self) -> tuple[Compiled, ...]:
        """Every expression site with its compiled text."""
        return tuple(compile_sites(self.harness, self.source))

    def carriers(self) -> Iterator[tuple[str, tuple[Extension, ...]]]:
        """Everything that may carry extensions (§2.8), with its name for people."""
        yield "the document", self.harness.extensions
        for resource in self.harness.resources:
            yield f"resource {resource.id!r}", resource.extensions
        for artifact in self.harness.artifacts:
            yield f"artifact {artifact.id!r}", artifact.extensions
        for node in self.harness.nodes:
            yield f"node {node.id!r}", node.extensions
        for edge in self.harness.edges:
            yield f"edge {edge.source!r} → {edge.target!r}", edge.extensions
