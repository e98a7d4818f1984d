"""Facts compiled for judging: who waits for whom, in tables that one pass over the edges fills."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from comparator.facts import Edge, Facts, Loop
from comparator.trace import Key

__all__ = ["FORWARD", "SURE", "Graph"]

#: §5.3: the types of edges that take part in a join.
FORWARD: Final = frozenset({"control", "data", "dependency"})
#: Conditions that hold whatever happens.
SURE: Final = frozenset({"absent", "true"})


class Graph:
    """The edges of a document by target, its routes and its loops.

    Attributes:
        plain: node → incoming forward edges, for nodes that may become READY once the sources
            of all of them have succeeded, whatever else happens: the common case, decided on
            the spot. Nodes of the entry set (§5.2) have no edges here.
        errors: node → incoming error edges.
        undos: node → incoming compensation edges.
        undone: node → outgoing compensation edges.
        handled: node → whether an error edge of it is traversed for certain.
        routes: node → decisions that name it.
        bodies: node → loops whose body it is.
        loops: loop node → its loop element.
        extent: bodies and their error handlers: they run once per iteration (A115 a).
        behind: what is reachable from bodies, and so may be shown per iteration (A115 b).
        main: all nodes outside ``extent``, which run once in the main flow.
    """

    def __init__(self, facts: Facts) -> None:
        """Compile ``facts``."""
        self.facts: Final = facts
        self.errors: Final[dict[str, list[Edge]]] = {}
        self.undos: Final[dict[str, list[Edge]]] = {}
        self.undone: Final[dict[str, list[Edge]]] = {}
        self.handled: Final[dict[str, bool]] = {}
        self.routes: Final[dict[str, list[str]]] = {}
        self.bodies: Final[dict[str, list[str]]] = {}
        self.loops: Final[dict[str, Loop]] = {}
        self.extent: frozenset[str] = frozenset()
        self.behind: frozenset[str] = frozenset()
        self.plain: dict[str | Key, list[Edge]] = {}
        self._odd: Final[dict[str, list[Edge]]] = {}
        self._read_edges()
        self._read_nodes()
        if self.loops:
            self._read_loops()
        self.main: Final[Iterable[str]] = (
            [n for n in facts.nodes if n not in self.extent] if self.loops else facts.nodes
        )

    def _read_edges(self) -> None:
        joins: defaultdict[str | Key, list[Edge]] = defaultdict(list)
        unsure: set[str] = set()
        for edge in self.facts.edges:
            kind = edge.type
            if kind in FORWARD:
                joins[edge.target].append(edge)
                if edge.condition not in SURE:
                    unsure.add(edge.target)
            elif kind == "error":
                self.errors.setdefault(edge.target, []).append(edge)
                sure = edge.condition in SURE
                self.handled[edge.source] = sure or self.handled.get(edge.source, False)
            else:
                self.undos.setdefault(edge.target, []).append(edge)
                self.undone.setdefault(edge.source, []).append(edge)
        joins.default_factory = None
        self.plain = joins
        for target in unsure:
            self._set_apart(target)

    def _set_apart(self, node: str) -> None:
        """Take ``node`` out of the common case."""
        edges = self.plain.pop(node, None)
        if edges is not None:
            self._odd[node] = edges

    def incoming(self, node: str) -> Sequence[Edge]:
        """Return the incoming forward edges of ``node``, in document order."""
        return self._odd.get(node) or self.plain.get(node) or ()

    def _read_nodes(self) -> None:
        facts, plain = self.facts, self.plain
        for name, node in facts.nodes.items():
            if node.loop is not None:
                self.loops[name] = node.loop
                self.bodies.setdefault(node.loop.body, []).append(name)
            if node.decision is not None:
                for target in dict.fromkeys(node.decision.targets):
                    self.routes.setdefault(target, []).append(name)
        for target in self.routes:
            self._set_apart(target)
        if facts.entry is not None:
            self._set_apart(facts.entry)
            plain[facts.entry] = []
        else:
            # The letter of §5.2; whether targets and bodies start too is open (A66, A113).
            for name in facts.nodes:
                if not self.has_incoming(name):
                    plain[name] = []

    def has_incoming(self, node: str) -> bool:
        """Tell whether an edge of any type leads to ``node`` (§5.2)."""
        return bool(self.incoming(node)) or node in self.errors or node in self.undos

    def starts(self, node: str) -> bool:
        """Tell whether the letter of §5.2 puts ``node`` into the entry set."""
        entry = self.facts.entry
        return not self.has_incoming(node) if entry is None else node == entry

    def onward(self) -> dict[str, list[str]]:
        """Return node → nodes that it leads to, compensation left out."""
        table: dict[str, list[str]] = {}
        for edge in self.facts.edges:
            if edge.type != "compensation":
                table.setdefault(edge.source, []).append(edge.target)
        for target, decisions in self.routes.items():
            for decision in decisions:
                table.setdefault(decision, []).append(target)
        return table

    def _read_loops(self) -> None:
        handlers: dict[str, list[str]] = {}
        for target, edges in self.errors.items():
            for edge in edges:
                handlers.setdefault(edge.source, []).append(target)
        onward = self.onward()
        self.extent = frozenset(_closure(self.bodies, handlers))
        self.behind = frozenset(_closure(self.bodies, onward))
        for node in self.extent:
            self._set_apart(node)
            for target in onward.get(node, ()):
                self._set_apart(target)


def _closure(seeds: Iterable[str], onward: dict[str, list[str]]) -> set[str]:
    """Return what is reachable from ``seeds``, these included."""
    reached = set(seeds)
    left = list(reached)
    while left:
        for node in onward.get(left.pop(), ()):
            if node not in reached:
                reached.add(node)
                left.append(node)
    return reached
