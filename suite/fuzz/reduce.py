"""Makes a failing run smaller along the lines of the workflow: fewer nodes, edges and settings.

Hypothesis only draws. Its shrinker works on bytes and cannot take a node out of the middle or
bridge the gap; this pass reaches the same size with a tenth of the runs.
"""

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

from msgspec.structs import replace

from suite.fuzz.model import FORWARD, Case, Edge, Example, Loop, Model, Node, Schedule, Wait
from suite.fuzz.validity import problems

__all__ = ["reduce_example", "smaller"]


def _repair(model: Model) -> Model:
    """Make joins fit the edges that are left."""
    forward = [0 for _ in model.nodes]
    for edge in model.edges:
        forward[edge.target] += edge.type in FORWARD
    nodes = []
    for count, old in zip(forward, model.nodes, strict=True):
        node = old
        if node.kind == "decision" and not node.cases:
            node = replace(node, kind="task")
        if node.join != "all" and not count:
            node = replace(node, join="all", quorum=0)
        if node.join == "quorum" and node.quorum > count:
            node = replace(node, quorum=count)
        nodes.append(node)
    return replace(model, nodes=tuple(nodes))


def _without_node(example: Example, gone: int, *, bridge: bool) -> Example:
    """Take a node out; with ``bridge`` its predecessors lead to its successors."""

    def move(index: int) -> int:
        return index - (index > gone)

    model, schedule = example.model, example.schedule
    edges = [e for e in model.edges if gone not in (e.source, e.target)]
    if bridge:
        into = [e for e in model.edges if e.target == gone and e.type in FORWARD]
        out = [e for e in model.edges if e.source == gone and e.type in FORWARD]
        for first in into:
            for second in out:
                if all((e.source, e.target) != (first.source, second.target) for e in edges):
                    edges.append(Edge(first.source, second.target))
    nodes = [
        replace(
            node,
            cases=tuple(
                Case(move(c.target), c.when, move(c.reads)) for c in node.cases if c.target != gone
            ),
        )
        for index, node in enumerate(model.nodes)
        if index != gone
    ]
    moved = tuple(replace(e, source=move(e.source), target=move(e.target)) for e in edges)
    cancel = schedule.cancel
    if cancel is not None:
        cancel = (move(cancel[0]), cancel[1]) if cancel[0] != gone else None
    return Example(
        _repair(Model(tuple(nodes), moved, entry=model.entry)),
        Schedule(
            tuple(move(i) for i in schedule.order if i != gone),
            tuple(wait for i, wait in enumerate(schedule.waits) if i != gone),
            cancel,
        ),
    )


def _simpler_nodes(node: Node) -> Iterator[Node]:
    simple = Node(kind=node.kind, cases=node.cases, loop=node.loop)
    if node.join == "quorum":
        yield replace(node, quorum=node.quorum - 1)
    for name, value in (
        ("kind", "task"),
        ("cases", ()),
        ("join", "all"),
        ("guard", "none"),
        ("idempotent", True),
        ("attempts", 1),
        ("failures", 0),
        ("excluded", False),
        ("backoff", "fixed"),
        ("delay", 10),
        ("factor", 2),
        ("cap", 0),
        ("flag", True),
    ):
        if getattr(node, name) != value and (name != "kind" or not node.cases):
            changed: dict[str, Any] = {name: value}
            if name == "join":
                changed["quorum"] = 0
            elif name == "kind":
                changed["loop"] = None
            yield replace(node, **changed)
    if node != simple and not node.cases:
        yield simple
    for loop in _simpler_loops(node.loop) if node.loop is not None else ():
        yield replace(node, loop=loop)
    for n, case in enumerate(node.cases):
        rest = node.cases[:n], node.cases[n + 1 :]
        yield replace(node, cases=(*rest[0], *rest[1]))
        if case.when != "true":
            yield replace(node, cases=(*rest[0], Case(case.target), *rest[1]))


def _simpler_loops(loop: Loop) -> Iterator[Loop]:
    first, *handlers = loop.body.nodes
    if first.loop is not None:
        yield first.loop
    for n in reversed(range(len(loop.fates))):
        yield replace(loop, fates=(*loop.fates[:n], *loop.fates[n + 1 :]))
    if handlers:
        yield replace(loop, body=Model((first,)))
    for name, value in (
        ("kind", "forEach"),
        ("limit", 1000),
        ("policy", "fail"),
        ("concurrency", loop.concurrency - 1 or 1),
        ("waits", ("now",)),
        ("backwards", False),
        ("named", False),
    ):
        if getattr(loop, name) != value:
            yield replace(loop, **{name: value})
    for n, fate in enumerate(loop.fates):
        if fate != "ok":
            yield replace(loop, fates=(*loop.fates[:n], "ok", *loop.fates[n + 1 :]))
    for n, node in enumerate(loop.body.nodes):
        for simple in _simpler_nodes(node):
            nodes = (*loop.body.nodes[:n], simple, *loop.body.nodes[n + 1 :])
            yield replace(loop, body=replace(loop.body, nodes=nodes))


def _simpler_edges(edge: Edge) -> Iterator[Edge]:
    if edge.condition != "none":
        yield replace(edge, condition="none")
    if edge.condition == "flag":
        yield replace(edge, condition="false")
    if edge.type != "control":
        yield Edge(edge.source, edge.target, condition=edge.condition)
    if edge.feeds != "optional":
        yield replace(edge, feeds="optional")


def _simpler_schedules(schedule: Schedule) -> Iterator[Schedule]:
    plain = tuple(sorted(schedule.order))
    if schedule.cancel is not None:
        yield replace(schedule, cancel=None)
    if schedule.order != plain:
        yield replace(schedule, order=plain)
    for n, wait in enumerate(schedule.waits):
        simpler: dict[Wait, tuple[Wait, ...]] = {"now": (), "idle": ("now",)}
        for simple in simpler.get(wait, ("now", "idle")):
            waits = (*schedule.waits[:n], simple, *schedule.waits[n + 1 :])
            yield replace(schedule, waits=waits)


def _fewer_nodes(example: Example) -> Iterator[Example]:
    count = len(example.model.nodes)
    if count > 3:
        for first, second in combinations(reversed(range(count)), 2):
            fewer = _without_node(example, first, bridge=False)
            yield _without_node(fewer, second, bridge=False)
    for gone in reversed(range(count)) if count > 1 else ():
        for bridge in (False, True):
            yield _without_node(example, gone, bridge=bridge)


def _simpler_models(model: Model) -> Iterator[Model]:
    for n, node in enumerate(model.nodes):
        if node.cases:  # routes become plain edges
            nodes = (*model.nodes[:n], replace(node, cases=()), *model.nodes[n + 1 :])
            yield _repair(replace(model, nodes=nodes))
    for n in range(len(model.edges)):
        yield _repair(replace(model, edges=(*model.edges[:n], *model.edges[n + 1 :])))
    for n, node in enumerate(model.nodes):
        for simple in _simpler_nodes(node):
            nodes = (*model.nodes[:n], simple, *model.nodes[n + 1 :])
            lost = {c.target for c in node.cases} - {c.target for c in simple.cases}
            edges = tuple(e for e in model.edges if e.source != n or e.target not in lost)
            yield _repair(replace(model, nodes=nodes, edges=edges))
    for n, edge in enumerate(model.edges):
        for plain in _simpler_edges(edge):
            yield replace(model, edges=(*model.edges[:n], plain, *model.edges[n + 1 :]))


def smaller(example: Example) -> Iterator[Example]:
    """Yield runs one step simpler, the boldest steps first; some of them have ``problems``."""
    schedule = example.schedule
    at_once = replace(schedule, waits=("now",) * len(schedule.waits))
    if at_once != schedule:
        yield Example(example.model, at_once)
    yield from _fewer_nodes(example)
    if example.model.entry:
        yield Example(replace(example.model, entry=False), schedule)
    for model in _simpler_models(example.model):
        yield Example(model, schedule)
    for simple in _simpler_schedules(schedule):
        yield Example(example.model, simple)


def reduce_example(
    example: Example, still_fails: Callable[[Example], bool], *, most_runs: int = 400
) -> Example:
    """Take simpler steps as long as the run fails in the same way.

    Args:
        example: a failing run.
        still_fails: runs and judges; True when the failure is the same.
        most_runs: bound on the number of runs spent.
    """
    tried = {example}
    runs = 0
    progress = True
    while progress:
        progress = False
        for candidate in smaller(example):
            if candidate in tried or problems(candidate.model):
                continue
            if runs == most_runs:
                return example
            tried.add(candidate)
            runs += 1
            if still_fails(candidate):
                example, progress = candidate, True
                break
    return example
