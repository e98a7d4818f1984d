"""Traits of nodes under a plan: what they may do at all, found without running anything.

Every trait errs on the safe side: where it cannot be told, a node may fail and may read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Final

from reference_runtime.document.model import Loop, Port
from reference_runtime.engine.graph import Graph, Link, Vertex
from reference_runtime.expressions import ExpressionError, Value, evaluate
from reference_runtime.expressions.syntax import Reference
from reference_runtime.expressions.template import names_in
from reference_runtime.expressions.values import is_array
from reference_runtime.plans import Answer, Plan
from reference_runtime.rules import RULES

__all__ = ["Traits"]

#: Combinations of values that an expression is tried with; with more, it may fail.
_TRIED: Final = 64


class _Values:
    """A scope with one value for each name that an expression reads."""

    def __init__(self, values: Mapping[tuple[str, ...], Value]) -> None:
        self._values = values

    def output(self, node: str, port: str) -> Value:
        """Value of an output."""
        return self._values[node, port]

    def variable(self, name: str) -> Value:
        """Value of an iteration variable."""
        return self._values[(name,)]

    def config(self, name: str) -> Value:
        """Never asked for: what reads such names is not evaluated here."""
        raise KeyError(name)

    artifact = resource = config


class Traits:
    """Traits of every node, by vertex."""

    def __init__(self, graph: Graph, plan: Plan) -> None:
        self._graph = graph
        self._plan = plan
        self._certain: dict[int, bool] = {}
        self._fails: dict[int, bool] = {}
        self._loops = [(v, v.node.loop) for v in graph.vertices if v.node.loop is not None]
        joins = (v for v in graph.vertices if v.node.join_policy in RULES.cancelling)
        self._losers = {
            index for join in joins if len(join.incoming) > 1 for index in self.above(join)
        }

    def above(self, vertex: Vertex) -> frozenset[int]:
        """Nodes from which links lead to the node, at any distance."""
        found: dict[int, None] = {}
        queue = [vertex]
        for below in queue:
            for link in (*below.incoming, *below.errors_in):
                if link.source not in found:
                    found[link.source] = None
                    queue.append(self._graph.vertices[link.source])
        return frozenset(found)

    def answers(self, vertex: Vertex) -> Iterator[Answer]:
        """Yield every answer that a step call of the node may get."""
        covered = False
        for planned in self._plan.answers:
            address = planned.address
            if address.node in ("*", vertex.node.id):
                yield planned.answer
                covered = covered or not (address.iteration or address.attempt)
        if not covered:
            yield self._plan.unplanned(vertex.node)

    def reads(self, vertex: Vertex) -> frozenset[int]:
        """Nodes whose outputs it looks at: over data edges, and in any of its expressions."""
        node = vertex.node
        texts = [*(port.value for port in node.inputs), node.guard]
        texts += [case.when for case in node.decision.cases] if node.decision else []
        texts += [node.loop.over, node.loop.condition] if node.loop else []
        texts += [node.wait.until] if node.wait else []
        templates = [self._graph.template(text) for text in texts if text]
        templates += [e.condition for e in (*vertex.forward, *vertex.errors) if e.condition]
        names = (name for template in templates for name in names_in(template))
        return frozenset(
            {link.source for link in vertex.feeds.values()}
            | {
                self._graph.index[name.path[0]]
                for name in names
                if isinstance(name, Reference) and name.path[0] in self._graph.index
            }
        )

    def certain(self, vertex: Vertex) -> bool:
        """Whether it surely succeeds unless the whole instance is stopped."""
        known = self._certain.get(vertex.index)
        if known is None:
            self._certain[vertex.index] = False
            known = self._certain[vertex.index] = self._is_certain(vertex)
        return known

    def _is_certain(self, vertex: Vertex) -> bool:
        node = vertex.node
        return not (
            vertex.inner
            or vertex.index in self._losers
            or vertex.routes
            or vertex.errors_in
            or self.skips(vertex)
            or self.fails(vertex)
            or not (vertex.incoming or vertex.index in self._graph.entry)
            or not all(self._passes(link) for link in vertex.incoming)
            or node.type == "wait"
            or any(answer.result == "hang" for answer in self.answers(vertex))
        )

    def _passes(self, link: Link) -> bool:
        return link.condition is None and self.certain(self._graph.vertices[link.source])

    def skips(self, vertex: Vertex) -> bool:
        """Whether it may end SKIPPED."""
        timeout = vertex.node.timeout
        return vertex.node.guard is not None or (
            timeout is not None and RULES.on_timeout[timeout.on_timeout].skips
        )

    def done_before(self, vertex: Vertex) -> set[int]:
        """Nodes that have surely succeeded when it starts."""
        done: set[int] = set()
        while len(vertex.incoming) == 1 and not vertex.errors_in:
            link = vertex.incoming[0]
            vertex = self._graph.vertices[link.source]
            if link.type != "dependency" and not self.skips(vertex):
                done.add(link.source)
        if vertex.node.join_policy == "all" and not vertex.errors_in:
            for link in vertex.incoming:
                source = self._graph.vertices[link.source]
                if self._passes(link):
                    done |= {link.source, *self.done_before(source)}
        return done

    def _values(self, reader: Vertex, key: tuple[str, ...]) -> Sequence[Value] | None:
        """Every value that a name may have for a reader; None if that cannot be told."""
        loops = [pair for pair in self._loops if reader.index in self._body(pair[1]).region]
        variables = {name for _, loop in loops for name in (loop.var, loop.index_var)}
        source = self._graph.index.get(key[0])
        if key[0] in variables:
            return self._variable(loops, key[0]) if source is None and len(key) == 1 else None
        if source is None or len(key) == 1:
            return None
        vertex, port = self._graph.vertices[source], key[1]
        if vertex.inner or not vertex.calls:
            return None
        declared = any(output.name == port for output in vertex.node.outputs)
        values: list[Value] = [
            answer.outputs.get(port) if declared else None
            for answer in self.answers(vertex)
            if answer.result == "ok"
        ]
        return values if source in self.done_before(reader) else [*values, None]

    def _variable(self, loops: Sequence[tuple[Vertex, Loop]], name: str) -> Sequence[Value] | None:
        """Every value of an iteration variable; None where loops inside loops share the body."""
        if len(loops) != 1:
            return None
        vertex, loop = loops[0]
        if name == loop.index_var or loop.kind != "forEach":
            return range(loop.max_iterations)
        arrays = self.results(vertex, loop.over or "")
        if arrays is None:
            return None
        return [item for array in arrays if isinstance(array, Sequence) for item in array]

    def results(self, reader: Vertex, text: str) -> list[Value] | None:
        """Every value that an expression may have; None if that cannot be told, or for faults."""
        template = self._graph.template(text)
        choices: dict[tuple[str, ...], Sequence[Value]] = {}
        for name in names_in(template):
            key = name.path[:2] if isinstance(name, Reference) else ()
            values = self._values(reader, key) if key else None
            if values is None:
                return None
            choices[key] = values
        if prod(map(len, choices.values())) > _TRIED:
            return None
        try:
            return [
                evaluate(template, _Values(dict(zip(choices, chosen, strict=True))))
                for chosen in product(*choices.values())
            ]
        except ExpressionError:
            return None

    def faulty(self, reader: Vertex, text: str, *, boolean: bool) -> bool:
        """Whether an expression may be one that cannot be evaluated, or is null."""
        results = self.results(reader, text)
        return results is None or any(
            not isinstance(value, bool) if boolean else value is None for value in results
        )

    def _lacks(self, vertex: Vertex, port: Port) -> bool:
        """Whether an input may be faulty or missing."""
        link = vertex.feeds.get(port.name)
        if link is None and port.value is not None:
            return "${" in port.value and self.faulty(vertex, port.value, boolean=False)
        if not port.required or port.default is not None:
            return False
        if link is None or link.edge is None or link.condition is not None:
            return True
        key = (self._graph.vertices[link.source].node.id, link.edge.from_port or "")
        values = self._values(vertex, key)
        return values is None or None in values

    def unprepared(self, vertex: Vertex) -> bool:
        """Whether one of the steps before the execution may fail (§5.5)."""
        node = vertex.node
        return (
            (node.guard is not None and self.faulty(vertex, node.guard, boolean=True))
            or any(self._lacks(vertex, port) for port in node.inputs)
            or bool(self._plan.refused)
            or any(reference.ref in self._plan.unresolvable for reference in node.resource_refs)
            or any(reference.ref in self._plan.bad_digests for reference in node.artifact_refs)
        )

    def fails(self, vertex: Vertex) -> bool:
        """Whether it may end FAILED."""
        known = self._fails.get(vertex.index)
        if known is None:
            self._fails[vertex.index] = True
            known = self._fails[vertex.index] = self._may_fail(vertex)
        return known

    def _may_fail(self, vertex: Vertex) -> bool:
        node = vertex.node
        timeout = node.timeout
        expires = timeout is not None and not RULES.on_timeout[timeout.on_timeout].skips
        if expires or self.unprepared(vertex):
            return True
        if vertex.calls:
            return any(answer.result == "fail" for answer in self.answers(vertex))
        if node.decision is not None:
            cases = [case.when for case in node.decision.cases]
            return None not in cases or any(
                text is not None and self.faulty(vertex, text, boolean=True) for text in cases
            )
        if node.loop is not None:
            return not self._bounded(vertex, node.loop) or self.region_fails(node.loop)
        return node.wait is not None and node.wait.until is not None

    def _bounded(self, vertex: Vertex, loop: Loop) -> bool:
        """Whether a loop surely has elements, and no more of them than it may have."""
        if loop.kind == "times":
            return (loop.count or 0) <= loop.max_iterations
        arrays = self.results(vertex, loop.over or "") if loop.kind == "forEach" else None
        return arrays is not None and all(
            isinstance(array, Sequence) and is_array(array) and len(array) <= loop.max_iterations
            for array in arrays
        )

    def _body(self, loop: Loop) -> Vertex:
        return self._graph.vertices[self._graph.index[loop.body]]

    def region_fails(self, loop: Loop) -> bool:
        """Whether an iteration may fail."""
        members = (self._graph.vertices[index] for index in self._body(loop).region)
        return any(self.fails(member) and not member.errors for member in members)
