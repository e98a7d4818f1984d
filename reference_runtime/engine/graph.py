"""The document as the engine walks it: vertices and links with compiled expressions.

Built once per run from a valid document. Case routes (§7.1.3) become links of their own where
the document has no control edge from the decision to the target, so that everything that can
make a node READY is a link.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Final

from reference_runtime.document.model import Artifact, Decision, Edge, Harness, Node, Resource
from reference_runtime.engine.dominance import WaysOut
from reference_runtime.expressions import Template, compile_template
from reference_runtime.expressions.parsing import parse_expression
from reference_runtime.expressions.template import Parse
from reference_runtime.rule_parts.flow import Entry
from reference_runtime.rules import STEP_TYPES, Rules, Tally
from reference_runtime.validation.cycles import components

__all__ = ["Graph", "Join", "Link", "Ring", "UnsupportedError", "Vertex", "build_graph"]


class UnsupportedError(Exception):
    """A valid document needs something that this runtime does not execute; it is refused."""


@dataclass(slots=True, eq=False)
class Link:
    """One edge, or one implied case route.

    Attributes:
        number: unique in the graph, in document order.
        type: edge type as which it is walked; ``control`` for an implied route.
        routed: whether the source is a decision that names the target in a case.
        condition: compiled @condition, None when absent.
        edge: the declaration, None for an implied route.
        starves: whether the target cannot do without the value that the link carries.
    """

    number: int
    type: str
    source: int
    target: int
    routed: bool
    condition: Template | None
    edge: Edge | None
    starves: bool


def _named(decision: Decision) -> dict[str, None]:
    """Targets of a decision in document order, each once."""
    return dict.fromkeys(case.to for case in decision.cases)


@dataclass(frozen=True, slots=True, eq=False)
class Join:
    """How the incoming links of nodes with one join policy are combined (§5.3.1).

    Attributes:
        policy: its name.
        met, lost: whether a node becomes READY, or never will.
        cancels: whether that cancels siblings (§5.3.2).
    """

    policy: str
    met: Callable[[Tally], bool]
    lost: Callable[[Tally], bool]
    cancels: bool


#: What a vertex has before it is linked; shared, so none of them may change.
_NO_LINKS: Final[list[Link]] = []
_NO_FEEDS: Final[dict[str, Link]] = {}

#: The ways in of most nodes: one link of a type.
_WAYS: Final = {type_: frozenset({type_}) for type_ in ("control", "data", "dependency")}

_TYPE: Final = attrgetter("type")


class Vertex:
    """A node with its links, those of one kind in document order.

    Attributes:
        index: 0-based place of the node in the document.
        calls: whether its work is a step call.
        bare: whether it has no guard, no inputs, and refers to no resource or artifact, so that
            only what the environment denies can stand against its start.
        routes: number of incoming links that are case routes.
        feeds: the incoming data links by port.
        region: for a loop body, the nodes that run in each iteration (§7.2.6), else empty.
        inner: whether the node runs in iterations only, never in the main flow.
    """

    __slots__ = (
        "bare", "calls", "compensations", "errors", "errors_in", "feeds", "forward",
        "incoming", "index", "inner", "join", "node", "region", "routes",
    )  # fmt: skip

    def __init__(self, index: int, node: Node, join: Join) -> None:
        self.index = index
        self.node = node
        self.join = join
        self.calls = node.type in STEP_TYPES
        self.bare = node.guard is None and not (
            node.inputs or node.resource_refs or node.artifact_refs
        )
        self.incoming = self.forward = self.errors_in = self.errors = _NO_LINKS
        self.compensations = _NO_LINKS
        self.feeds = _NO_FEEDS
        self.routes = 0
        self.region: tuple[int, ...] = ()
        self.inner = False

    @property
    def join_policy(self) -> str:
        """The join policy that it follows (§5.3.1)."""
        return self.join.policy


@dataclass(frozen=True, slots=True, eq=False)
class Ring:
    """Nodes that lead to each other; one of the links between them is an error link.

    Attributes:
        members: their vertices.
        sources: vertices outside with links into it, each once.
    """

    members: frozenset[int]
    sources: tuple[int, ...]


@dataclass(eq=False)
class Graph:
    """Vertices by index, and the ids of nodes; ``entry`` holds the entry set (§5.2).

    ``parse`` reads the text of an expression.
    """

    harness: Harness
    vertices: list[Vertex]
    index: dict[str, int]
    entry: tuple[int, ...] = ()
    parse: Parse = parse_expression
    _templates: dict[str, Template] = field(default_factory=dict)

    @cached_property
    def artifacts(self) -> dict[str, Artifact]:
        """Artifact id → declaration; of duplicates the first counts."""
        return {item.id: item for item in reversed(self.harness.artifacts)}

    @cached_property
    def resources(self) -> dict[str, Resource]:
        """Resource id → declaration; of duplicates the first counts."""
        return {item.id: item for item in reversed(self.harness.resources)}

    @cached_property
    def ways_out(self) -> WaysOut:
        """Which nodes all ways out of a node lead to."""
        return WaysOut([[link.target for link in v.forward] for v in self.vertices])

    @cached_property
    def rings(self) -> dict[int, Ring]:
        """Vertex in a ring → the ring."""
        if not any(vertex.errors for vertex in self.vertices):
            return {}
        onward = {
            vertex.index: [link.target for link in (*vertex.forward, *vertex.errors)]
            for vertex in self.vertices
        }
        rings = (self._ring(ring) for ring in components(onward) if len(ring) > 1)
        return {member: ring for ring in rings for member in ring.members}

    def _ring(self, indices: Sequence[int]) -> Ring:
        members = frozenset(indices)
        links = (
            link
            for vertex in (self.vertices[index] for index in indices)
            for link in (*vertex.incoming, *vertex.errors_in)
        )
        outside = (link.source for link in links if link.source not in members)
        return Ring(members, tuple(dict.fromkeys(outside)))

    def template(self, text: str) -> Template:
        """Compiled form of an expression site, compiled once."""
        template = self._templates.get(text)
        if template is None:
            template = self._templates[text] = compile_template(text, self.index, self.parse)
        return template


def _with(links: list[Link], link: Link) -> list[Link]:
    """Put a link behind others; most vertices have none of a kind, and share one empty list."""
    if not links:
        return [link]
    links.append(link)
    return links


def _join(graph: Graph, link: Link) -> None:
    """Let a link take part in the join of its target."""
    tail, head = graph.vertices[link.source], graph.vertices[link.target]
    if tail.forward:
        tail.forward.append(link)
    else:
        tail.forward = [link]
    if head.incoming:
        head.incoming.append(link)
    else:
        head.incoming = [link]
    if link.routed:
        head.routes += 1


def _link_edges(graph: Graph, rules: Rules) -> None:
    """Turn every declared edge into a link at both of its ends."""
    vertices, index, joining = graph.vertices, graph.index, rules.flow.joining
    named = {node.id: _named(node.decision) for node in graph.harness.nodes if node.decision}
    ports = {v.index: {p.name: p for p in v.node.inputs} for v in vertices if v.node.inputs}
    for number, edge in enumerate(graph.harness.edges):
        kind = edge.type
        source, target = index[edge.source], index[edge.target]
        joined = joining.get(kind)
        port = ports[target].get(edge.to_port or "") if target in ports else None
        link = Link(
            number,
            joined or kind,
            source,
            target,
            kind == "control" and edge.source in named and edge.target in named[edge.source],
            None if edge.condition is None else graph.template(edge.condition),
            edge,
            kind == "data" and port is not None and rules.flow.starves(port),
        )
        if joined:
            _join(graph, link)
            if kind == "data" and edge.to_port is not None:
                head = vertices[target]
                head.feeds = head.feeds or {}
                head.feeds[edge.to_port] = link
        elif kind == "error":
            tail, head = vertices[source], vertices[target]
            tail.errors = _with(tail.errors, link)
            head.errors_in = _with(head.errors_in, link)
        else:
            tail = vertices[source]
            tail.compensations = _with(tail.compensations, link)


def _link_routes(graph: Graph) -> None:
    """Add the routes that no control edge declares (A66)."""
    number = len(graph.harness.edges)
    for vertex in graph.vertices:
        if vertex.node.decision is None:
            continue
        declared = {link.target for link in vertex.forward if link.routed}
        for name in _named(vertex.node.decision):
            target = graph.index[name]
            if target not in declared:
                _join(graph, Link(number, "control", vertex.index, target, True, None, None, False))  # noqa: FBT003 - a row of values
                number += 1


def _mark_regions(graph: Graph, rules: Rules) -> None:
    """Find what runs per iteration: the body and, transitively, its handlers (A115).

    A handler that failures of the main flow can start as well runs there too.
    """
    bodies = [graph.index[vertex.node.loop.body] for vertex in graph.vertices if vertex.node.loop]
    for body in bodies:
        region = [body]
        for member in region:
            for link in graph.vertices[member].errors:
                handler = graph.vertices[link.target]
                if handler.index not in region and not handler.incoming:
                    region.append(handler.index)
        graph.vertices[body].region = tuple(region)
        graph.vertices[body].inner = rules.loops.bodies_apart
        for member in region[1:]:
            entries = graph.vertices[member].errors_in
            graph.vertices[member].inner |= all(link.source in region for link in entries)


def _entry_set(graph: Graph, rules: Rules) -> tuple[int, ...]:
    """§5.2; bodies (§7.2.6) and case targets (§7.1.3) are started by their owners only."""
    named = graph.harness.entry
    compensators = {link.target for vertex in graph.vertices for link in vertex.compensations}
    found: list[int] = []
    roots, enters = 0, False
    last: tuple[bool | None, frozenset[str], int] | None = None
    for vertex in graph.vertices:
        if vertex.inner:
            continue
        links = vertex.incoming
        ways = _WAYS[links[0].type] if len(links) == 1 else frozenset(map(_TYPE, links))
        if vertex.errors_in:
            ways |= {"error"}
        if vertex.index in compensators:
            ways |= {"compensation"}
        candidate = (None if named is None else vertex.node.id == named, ways, roots)
        if candidate != last:
            # Most nodes are candidates like the one before.
            enters, last = rules.flow.entry(Entry(*candidate)), candidate
        if enters:
            found.append(vertex.index)
        roots += not ways
    return tuple(found)


def build_graph(harness: Harness, rules: Rules) -> Graph:
    """Prepare a valid document for execution."""
    policies = [rules.flow.join_policy(node) for node in harness.nodes]
    joins = {
        policy: Join(policy, rules.met[policy], rules.lost[policy], policy in rules.cancelling)
        for policy in dict.fromkeys(policies)
    }
    nodes = zip(harness.nodes, policies, strict=True)
    graph = Graph(
        harness=harness,
        vertices=[Vertex(index, node, joins[policy]) for index, (node, policy) in enumerate(nodes)],
        index={node.id: index for index, node in enumerate(harness.nodes)},
        parse=rules.language.parse,
    )
    _link_edges(graph, rules)
    _link_routes(graph)
    _mark_regions(graph, rules)
    graph.entry = _entry_set(graph, rules)
    return graph
