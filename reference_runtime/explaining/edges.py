"""Edges in words: what one asks of its source, and how it was resolved in a run (§5.3)."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from reference_runtime.engine.graph import Graph, Link
from reference_runtime.engine.lives import Life
from reference_runtime.engine.state import State
from reference_runtime.engine.values import LifeScope
from reference_runtime.expressions import ExpressionError, evaluate_boolean
from reference_runtime.rules import INITIAL

__all__ = [
    "Resolved",
    "applies",
    "asked",
    "branch_of",
    "resolution",
    "short",
    "undoing",
    "undone_by",
]

#: Characters of an expression that are shown.
_SHOWN: Final = 60


class Resolved(NamedTuple):
    """How an edge stands at the end of a run, and why in a few words.

    ``cause`` is the source if the reason lies further back: it was never reached.
    ``elsewhere`` is whether the source runs in iterations of a loop only.
    """

    status: Literal["satisfied", "negative", "open"]
    why: str
    cause: Life | None = None
    elsewhere: bool = False


def short(text: str) -> str:
    """Shorten an expression, keeping its beginning."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"


def asked(graph: Graph, link: Link) -> str:
    """What an edge asks for."""
    source, edge = graph.vertices[link.source].node.id, link.edge
    if edge is None:
        return f"decision {source} to choose it"
    condition = f" if {short(edge.condition)}" if edge.condition is not None else ""
    if edge.type == "data":
        return f"data {source}.{edge.from_port} into {edge.to_port}{condition}"
    if edge.type == "dependency":
        return f"the end of {source}, however it ends (dependency){condition}"
    if edge.type == "error":
        return f"the failure of {source} (error){condition}"
    if link.routed:
        return f"decision {source} to choose it (control){condition}"
    return f"{source} (control){condition}"


def branch_of(life: Life) -> str:
    """What a decision has chosen, and by which case; several that lead there are all named."""
    cases = life.vertex.node.decision.cases if life.vertex.node.decision else ()
    found = [(number, case) for number, case in enumerate(cases, 1) if case.to == life.chosen]
    if not found:
        return "chose nothing"
    names = [f"case {number}" if case.when is not None else "otherwise" for number, case in found]
    when = found[0][1].when
    only = f", {short(when)}" if len(found) == 1 and when is not None else ""
    return f"chose {life.chosen} ({' or '.join(names)}{only})"


def resolution(state: State, link: Link) -> Resolved:
    """Say how a forward or error edge of the main flow was resolved."""
    source = state.main.lives.get(link.source)
    if source is None:
        name = state.graph.vertices[link.source].node.id
        return Resolved("negative", f"{name} runs in iterations of a loop only", elsewhere=True)
    name, now = source.vertex.node.id, source.state
    if source.cut and now == INITIAL:
        return Resolved("negative", f"{name} was never reached", source)
    if source.cut:
        return Resolved("negative", f"{name} ran only to undo {undone_by(state, source)}")
    if now not in state.rules.terminal:
        return Resolved("open", f"{name} is {now}", source if now == "PENDING" else None)
    if source.discarded:
        return Resolved("negative", f"the result of {name} was discarded (any)")
    return _ended(state, source, link)


def undoing(graph: Graph, life: Life) -> list[Link]:
    """The compensation edges that lead to a node."""
    links = (link for vertex in graph.vertices for link in vertex.compensations)
    return [link for link in links if link.target == life.vertex.index]


def undone_by(state: State, life: Life) -> str:
    """Ids of the nodes that a compensating node had to undo, as a list in words."""
    lives = state.main.lives
    due = [
        source.vertex.node.id
        for link in undoing(state.graph, life)
        if (source := lives.get(link.source)) in state.completed
        and source is not None
        and applies(state, source, link)
    ]
    return ", ".join(dict.fromkeys(due))


def _ended(state: State, source: Life, link: Link) -> Resolved:
    """How a source that has ended resolved an edge."""
    rules, name, end = state.rules, source.vertex.node.id, source.state
    if link.type == "error":
        fits = end in rules.error_edges_on
    else:
        fits = end in rules.satisfying[link.type] or end == "COMPENSATED"
    if not fits:
        return Resolved("negative", f"{name} ended {end}")
    if link.routed and end != "SKIPPED":
        chosen = source.chosen == flow_target(source, link)
        return Resolved("satisfied" if chosen else "negative", f"{name} {branch_of(source)}")
    if link.edge is not None and _blocked(state, source, link):
        condition = short(link.edge.condition or "")
        return Resolved("negative", f"{name} ended {end}, and {condition} was not true")
    later = "SUCCEEDED (and was undone later)" if end == "COMPENSATED" else end
    return Resolved("satisfied", f"{name} ended {later}")


def _blocked(state: State, source: Life, link: Link) -> bool:
    """Whether the condition of an edge was not true; a run notes that for forward edges only."""
    if link.type == "error":
        return not applies(state, source, link)
    return link.number in source.flow.blocked


def applies(state: State, source: Life, link: Link) -> bool:
    """Whether the condition of an error or compensation edge is true, or there is none."""
    if link.condition is None:
        return True
    try:
        return evaluate_boolean(link.condition, LifeScope(state, source), state.rules.language)
    except ExpressionError:
        return False


def flow_target(source: Life, link: Link) -> str:
    """Id of the node that a link leads to."""
    lives = source.flow.lives
    return lives[link.target].vertex.node.id if link.target in lives else ""
