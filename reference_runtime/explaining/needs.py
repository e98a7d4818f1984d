"""What a node waits for, told from the document alone (§5.2, §5.3, §7.1, §7.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reference_runtime.document.model import Loop, Node, Wait
from reference_runtime.engine.graph import Graph, Vertex
from reference_runtime.explaining.edges import asked, short

__all__ = ["Needs", "waited_for"]


class Needs:
    """What every node of a document waits for."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._loops: dict[int, list[Vertex]] = {}
        self._undone: dict[int, list[str]] = {}
        for vertex in graph.vertices:
            for link in vertex.compensations:
                self._undone.setdefault(link.target, []).append(vertex.node.id)
            if vertex.node.loop is not None:
                for member in graph.vertices[graph.index[vertex.node.loop.body]].region:
                    self._loops.setdefault(member, []).append(vertex)

    def undoes(self, vertex: Vertex) -> list[str]:
        """Nodes that a node undoes."""
        return self._undone.get(vertex.index, [])

    def of(self, vertex: Vertex) -> Iterator[str]:
        """Yield lines: ways in, what is looked at when it is READY, and how long it is RUNNING."""
        node = vertex.node
        ways = list(self._ways(vertex))
        if not ways:
            yield "waits for nothing that can happen: no way leads to it"
        yield from ways
        if node.guard is not None:
            yield f"then its guard {short(node.guard)} decides whether it runs or is SKIPPED"
        needed = [f"resource {reference.ref}" for reference in node.resource_refs]
        needed += [f"artifact {reference.ref}" for reference in node.artifact_refs]
        needed += [f"input {p.name}" for p in node.inputs if p.required and p.default is None]
        if needed:
            yield f"then it needs {', '.join(needed)}"
        yield from _running(node)

    def _ways(self, vertex: Vertex) -> Iterator[str]:
        graph = self._graph
        if vertex.index in graph.entry:
            named = graph.harness.entry is not None
            yield "starts the instance" + (" (entry)" if named else " (no edge leads to it)")
        for loop in self._loops.get(vertex.index, ()):
            body = loop.node.loop.body if loop.node.loop else ""
            handler = body != vertex.node.id
            own = f"as a handler of its body {body}" if handler else "as its body"
            yield f"waits for each iteration of loop {loop.node.id}, {own}"
        joined = [asked(graph, link) for link in vertex.incoming]
        if joined and not vertex.inner:
            yield _joined(vertex, joined)
        failures = [asked(graph, link) for link in vertex.errors_in]
        if failures:
            started = vertex.index in graph.entry or (joined and not vertex.inner)
            yield ("or for " if started else "waits for ") + " or ".join(failures)
        if self.undoes(vertex):
            yield f"undoes {', '.join(self.undoes(vertex))} when the instance unwinds"


def _joined(vertex: Vertex, joined: list[str]) -> str:
    listed = "; ".join(joined)
    if len(joined) == 1:
        return f"waits for {listed}"
    if vertex.join_policy == "any":
        return f"waits for the first of: {listed}"
    if vertex.join_policy == "quorum":
        return f"waits for {vertex.node.quorum} of: {listed}"
    return f"waits for all of: {listed}"


def _running(node: Node) -> Iterator[str]:
    """Say what ends the RUNNING of a node other than the answer of its step, and its bounds."""
    until = None
    if node.wait is not None:
        until = waited_for(node.wait)
    elif node.loop is not None:
        until = f"its iterations of {node.loop.body} are over, {_iterations(node.loop)}"
    elif node.subworkflow is not None:
        until = f"the instance of {node.subworkflow.href} is over"
    elif node.type == "human":
        until = "somebody decides"
    if until is not None:
        yield f"then it is RUNNING until {until}"
    if node.timeout is not None:
        what = node.timeout.on_timeout
        yield f"for {node.timeout.duration:g} s an attempt at most (onTimeout={what})"
    if node.retry is not None and node.retry.max_attempts > 1:
        classes = node.retry.retry_on
        which = "" if classes is None else _again(node, classes)
        yield f"in {node.retry.max_attempts} attempts at most{which}"


def _again(node: Node, classes: Sequence[str]) -> str:
    """Say which failures are followed by another attempt; a timeout may force one (§8.2)."""
    forced = node.timeout is not None and node.timeout.on_timeout == "retry"
    more = [*classes, *(["timeout"] if forced and "timeout" not in classes else [])]
    return f", again only after {', '.join(more)}" if more else ", but no failure allows another"


def waited_for(wait: Wait) -> str:
    """Say what a wait node waits for while it is RUNNING."""
    if wait.event is not None:
        return f"the event {wait.event!r} arrives"
    if wait.until is not None:
        return f"{short(wait.until)} is true"
    return f"{wait.duration or 0:g} s have passed"


def _iterations(loop: Loop) -> str:
    if loop.kind == "forEach":
        return f"one for each element of {short(loop.over or '')}"
    if loop.kind == "times":
        return f"{loop.count} of them"
    return f"{loop.kind} {short(loop.condition or '')}"
