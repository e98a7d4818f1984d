"""Which difference comes first and which follow from it, whatever the interleaving.

Places in a trace depend on how independent branches were interleaved, so the order of
differences does not go by them: it goes by the document, sources before targets, a loop's
start before its body and its body before the loop's end. What the expected run does only
because something else happened first (being cancelled, being compensated) comes last.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from typing import Final

import msgspec

from comparator.difference import KINDS, Difference
from comparator.form import Where, where_of
from comparator.graph import Graph
from comparator.trace import Key
from comparator.walk import Run

__all__ = ["in_causal_order"]

_KIND_RANK: Final = {kind: rank for rank, kind in enumerate(KINDS)}

#: States entered on account of another node (§5.3.2, §8.4.1).
_LATE: Final = frozenset({"CANCELLED", "COMPENSATED"})

#: Kinds that concern the end of a loop, not its start.
_ENDS: Final = frozenset({"left-open", "loop-end"})

#: Kinds that tell how a node ended. Where another end on account of another node is expected,
#: both are consequences, and what is expected says more than that the node was left open.
_SETTLED: Final = frozenset({"path", "unlisted", "left-open"})

#: Nothing follows from these, and they follow from nothing.
_APART: Final = frozenset({"text", "unobservable"})


def in_causal_order(
    run: Run, differences: Iterable[Difference], withheld: Collection[Key] = ()
) -> tuple[Difference, ...]:
    """Sort differences, the first divergence first, and link each to the one it follows from.

    ``withheld`` are nodes whose step the suite itself has left without an answer.
    """
    found = list(differences)
    if len(found) > 1:
        ranks = _ranks(run.graph)
        wheres = {where_of(run.graph, d.key) for d in found if d.key is not None}
        places = run.places(wheres)
        late: set[Key | None] = {d.key for d in found if _next_states(d)[0] in _LATE}
        late |= {d.key for d in found if d.key in withheld and _next_states(d)[1] is None}
        late |= _stopped(run, found)
        found.sort(key=lambda d: _position(run, ranks, places, d, late=d.key in late))
        return _linked(run, ranks, found)
    return tuple(found)


def _next_states(difference: Difference) -> tuple[str | None, str | None]:
    """Return the expected and the observed state at the point where a path diverges."""
    if difference.kind not in {"path", "unlisted"}:
        return None, None
    index = difference.detail["index"]
    wanted, had = difference.expected.split(), difference.observed.split()
    return (
        wanted[index] if index < len(wanted) else None,
        had[index] if index < len(had) else None,
    )


def _stopped(run: Run, found: Iterable[Difference]) -> set[Key]:
    """Return what a failure that nobody expected has stopped, or kept from starting (§5.8).

    That is what was cancelled or compensated after it, and what never came although it does not
    come before the node that failed.
    """
    failed = next((d.key for d in found if d.place is not None and d.place == run.unhandled), None)
    if failed is None:
        return set()
    before = _predecessors(run.graph, failed.node)
    return {
        d.key
        for d in found
        if d.key is not None
        and d.kind in _SETTLED
        and (
            d.key.node not in before
            if d.place is None
            else _next_states(d)[1] in _LATE and d.place > (run.unhandled or 0)
        )
    }


def _predecessors(graph: Graph, node: str) -> set[str]:
    """Return the vertices that come before a node, and itself."""
    before: dict[str, list[str]] = {}
    for source, targets in _successors(graph).items():
        for target in targets:
            before.setdefault(target, []).append(source)
    found = {node}
    waiting = [node]
    while waiting:
        new = [v for v in before.get(waiting.pop(), ()) if v not in found]
        found.update(new)
        waiting += new
    return found


def _position(
    run: Run,
    ranks: dict[str, int],
    places: dict[Where, list[int]],
    difference: Difference,
    *,
    late: bool,
) -> tuple[object, ...]:
    kind = _KIND_RANK[difference.kind]
    key = difference.key
    if difference.kind in _APART:
        return (3, kind, (), 0, 0, str(key))
    if key is None:
        return (2, kind, (), 0, 0, "")
    own = places.get(where_of(run.graph, key), [])
    index = len(own) if difference.place is None else bisect_left(own, difference.place)
    vertex = _end(key.node) if index > 1 and key.node in run.graph.loops else key.node
    # Iterations of a loop come one after the other, each with all that is in it.
    levels = [(ranks.get(loop, -1), number) for loop, number in key.steps]
    settled = late and difference.kind in _SETTLED
    return (settled, 0, (*levels, (ranks.get(vertex, -1), -1)), index, kind, key.node)


def _end(loop: str) -> str:
    """Return the vertex that stands for the end of a loop; no identifier has a blank."""
    return f"{loop} end"


def _successors(graph: Graph) -> dict[str, list[str]]:
    """Return which vertices each vertex comes before."""
    after: dict[str, list[str]] = {}
    for source, targets in graph.onward().items():
        out = _end(source) if source in graph.loops else source
        after.setdefault(out, []).extend(targets)
    for loop, element in graph.loops.items():
        after.setdefault(loop, []).extend((element.body, _end(loop)))
        body = _end(element.body) if element.body in graph.loops else element.body
        after.setdefault(body, []).append(_end(loop))
    return after


def _ranks(graph: Graph) -> dict[str, int]:
    """Number the vertices, sources first; equals and rings in document order."""
    after = _successors(graph)
    waiting = dict.fromkeys(graph.facts.nodes, 0)
    waiting.update((_end(loop), 0) for loop in graph.loops)
    for targets in after.values():
        for target in targets:
            waiting[target] = waiting.get(target, 0) + 1
    ranks: dict[str, int] = {}
    queue = [vertex for vertex, count in waiting.items() if count == 0]
    for vertex in queue:
        ranks[vertex] = len(ranks)
        for target in after.get(vertex, ()):
            waiting[target] -= 1
            if waiting[target] == 0:
                queue.append(target)
    for vertex in waiting:
        ranks.setdefault(vertex, len(ranks))
    return ranks


def _linked(run: Run, ranks: dict[str, int], found: Sequence[Difference]) -> tuple[Difference, ...]:
    own: dict[str, list[int]] = {}
    for number, difference in enumerate(found):
        if difference.key is not None and difference.kind not in _APART:
            own.setdefault(_vertex(run, difference.key, difference), []).append(number)
    causes: dict[int, int] = {}
    blame: dict[str, int] = {}
    after = _successors(run.graph)
    for vertex in sorted({*ranks, *own}, key=lambda v: (ranks.get(v, -1), v)):
        root = blame.get(vertex)
        for number in own.get(vertex, ()):
            if root is None or number < root:
                root = number
            elif number != root and _may_follow(found[root], found[number]):
                causes[number] = root
        if root is not None:
            for target in after.get(vertex, ()):
                if target not in blame or root < blame[target]:
                    blame[target] = root
    _link_unwinding(run, found, causes)
    return tuple(
        msgspec.structs.replace(difference, causes=(causes[number],))
        if number in causes
        else difference
        for number, difference in enumerate(found)
    )


def _vertex(run: Run, key: Key, difference: Difference) -> str:
    ended = difference.detail.get("index", 0) > 1 or difference.kind in _ENDS
    return _end(key.node) if ended and key.node in run.graph.loops else key.node


def _may_follow(cause: Difference, effect: Difference) -> bool:
    """Tell whether ``effect`` is not earlier in the trace than ``cause``."""
    return cause.place is None or effect.place is None or cause.place <= effect.place


def _link_unwinding(run: Run, found: Sequence[Difference], causes: dict[int, int]) -> None:
    """Link what an unexpected unhandled failure brings about all over the instance (§5.8)."""
    failure = next(
        (
            number
            for number, difference in enumerate(found)
            if difference.place is not None
            and difference.place == run.unhandled
            and _next_states(difference)[1] == "FAILED"
        ),
        None,
    )
    first = next((n for n, d in enumerate(found) if d.kind not in _APART and n not in causes), None)
    for number, difference in enumerate(found):
        if number in causes or difference.kind in _APART:
            continue
        _, observed = _next_states(difference)
        stopped = difference.place is None or observed in _LATE
        if failure is not None and number > failure and difference.key is not None and stopped:
            causes[number] = failure
        elif difference.key is None and first is not None and number > first:
            causes[number] = first
