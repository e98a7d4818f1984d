"""Steps that §6.2 lists under a cause: cancellation and compensation need one.

A cause is looked for generously: any reading of the text that licenses the step is enough.
"""

from collections.abc import Iterator
from typing import Final

from comparator.difference import Difference
from comparator.form import Where, as_key, where_of
from comparator.trace import Key
from comparator.unreachable import NEVER, START
from comparator.walk import Run

__all__ = ["unlicensed"]

#: §6.2: state left for CANCELLED → requirement broken without a cause.
_WITHOUT_CAUSE: Final = {
    "PENDING": "6.2-pending-cancelled",
    "READY": "6.2-no-ready-cancelled-in-plain-run",
    "RUNNING": "6.2-no-running-cancelled-without-cause",
    "RETRYING": "6.2-no-retrying-cancelled-without-instance-cancel",
}


def unlicensed(
    run: Run, *, cancelled: int | None, outcome: str | None = None
) -> Iterator[Difference]:
    """Yield every cancellation and compensation without a cause.

    Args:
        run: the trace, passed over.
        cancelled: place from which the suite had cancelled the instance from outside, None if
            it did not.
        outcome: how the instance ended, as far as the runtime told.
    """
    if run.cancelled and not _failed_by_itself(run, outcome):
        yield from _without_cause(run, NEVER if cancelled is None else cancelled)
    starts = _starts(run)
    found = list(_compensations(run, starts)) if run.compensated else []
    # Undos that are shown to end in the wrong order need no word on how they began.
    yield from found or _undo_starts(run, starts)


def _failed_by_itself(run: Run, outcome: str | None) -> bool:
    """Tell whether the instance may have failed without a node that did (A39).

    A condition of an edge that cannot be evaluated may be a failure of the instance.
    """
    told = outcome in {"failed", "compensated"} and run.unhandled is None
    return told and any(edge.condition == "dynamic" for edge in run.graph.facts.edges)


def _without_cause(run: Run, stopped: int) -> Iterator[Difference]:
    losers: dict[str, int] | None = None
    for place, where, left in run.cancelled:
        if place >= stopped or (run.unhandled is not None and run.unhandled < place):
            continue
        if left != "PENDING":
            if losers is None:
                losers = _upstream_of_races(run)
            key = as_key(where)
            nodes = (key.node, *(loop for loop, _ in key.steps))
            if any(losers.get(node, NEVER) < place for node in nodes) or _loop_stopped(run, where):
                continue
        yield Difference(
            kind="no-cause",
            cites=(_WITHOUT_CAUSE[left],),
            key=as_key(where),
            place=place,
            expected=None,
            observed=f"{left}→CANCELLED",
        )


def _upstream_of_races(run: Run) -> dict[str, int]:
    """Return node → place from which an ``any`` join may cancel it (§5.3.2).

    That is the first moment at which an ``any`` node to which the node has a path may have
    become READY. Whether an error edge or a route counts as such a path, or as what decides
    the race, is open (A47, A69, A85): here it does.
    """
    graph = run.graph
    races = sorted(
        (_first_satisfied(run, name), name)
        for name, node in graph.facts.nodes.items()
        if node.join == "any" and run.moved(name)
    )
    reached: dict[str, int] = {}
    for place, race in races:
        left = [race]
        while left:
            node = left.pop()
            edges = (*graph.incoming(node), *graph.errors.get(node, ()))
            sources = [edge.source for edge in edges]
            for source in (*sources, *graph.routes.get(node, ())):
                if source not in reached:
                    reached[source] = place
                    left.append(source)
    return reached


def _first_satisfied(run: Run, race: str) -> int:
    places = []
    for edge in run.graph.incoming(race):
        if edge.source in run.graph.extent:
            return START
        places.append(run.good.get(edge.source, NEVER))
        if edge.type == "dependency":
            places.append(run.bad.get(edge.source, NEVER))
    for edge in run.graph.errors.get(race, ()):
        failures = run.first_failure if edge.source in run.graph.extent else run.bad
        places.append(failures.get(edge.source, NEVER))
    places += [
        START if decision in run.graph.extent else run.good.get(decision, NEVER)
        for decision in run.graph.routes.get(race, ())
    ]
    return min(places, default=START)


def _loop_stopped(run: Run, where: Where) -> bool:
    """Tell whether a loop around an iteration stopped early or was stopped itself (A123)."""
    key = as_key(where)
    for depth, (loop, _) in enumerate(key.steps):
        element = run.graph.loops.get(loop)
        history = run.at.get(where_of(run.graph, Key(loop, key.steps[:depth])))
        if element is None or history is None:
            continue
        stopped = history.state == "SUCCEEDED" and element.on_item_failure == "break"
        if stopped or history.state in {"FAILED", "CANCELLED"}:
            return True
    return False


def _compensations(run: Run, starts: dict[str, int]) -> Iterator[Difference]:
    """Check cause, compensation edge, the work of the target and reverse completion order."""
    latest: int | None = None
    before = ""
    for place, where in run.compensated:
        key = as_key(where)
        edges = run.graph.undone.get(key.node, ())
        done = run.good.get(where, -1)
        cites: tuple[str, ...] = ()
        if run.unhandled is None or run.unhandled > place:
            cites = ("6.2-no-compensated-outside-unwinding",)
        elif not edges:
            cites = ("8.4.1-without-edge-stays-succeeded",)
        elif all(run.moved(e.target) and run.good.get(e.target, place) >= place for e in edges):
            cites = ("6.2-succeeded-compensated", "8.4.1-compensate-succeeded-with-edge")
        elif latest is not None and latest < done < run.unhandled:
            # A93: a node that was spared and ended after unwinding began has no fixed rank.
            # A98: undos that overlap may end in any order; their starts are looked at.
            shown = before in starts and key.node in starts
            cites = () if shown else ("8.4.1-reverse-completion-order",)
        if cites:
            yield Difference(
                kind="compensation",
                cites=cites,
                key=key,
                place=place,
                observed="SUCCEEDED→COMPENSATED",
            )
        elif run.unhandled is not None and done < run.unhandled:
            latest, before = done, key.node


def _only_undoes(run: Run, node: str) -> bool:
    """Tell whether nothing but one compensation edge leads to ``node``."""
    graph = run.graph
    return len(graph.undos[node]) == 1 and not graph.incoming(node) and node not in graph.errors


def _starts(run: Run) -> dict[str, int]:
    """Return source → place at which its undo began to run, where only that can be meant."""
    begun = run.unhandled
    if begun is None or not run.graph.undone:
        return {}
    targets = {
        edge.target: source
        for source, edges in run.graph.undone.items()
        for edge in edges
        if run.good.get(source, NEVER) < begun and _only_undoes(run, edge.target)
    }
    starts: dict[str, int] = {}
    for target, places in run.places(targets).items():
        for place in places:
            if place > begun and run.transitions[place].to == "RUNNING":
                source = targets[as_key(target).node]
                starts[source] = min(place, starts.get(source, NEVER))
                break
    return starts


def _undo_starts(run: Run, starts: dict[str, int]) -> Iterator[Difference]:
    """Check that undos start in reverse order of completion; they may overlap (A98)."""
    latest = START
    for source in sorted(starts, key=lambda name: -run.good[name]):
        if starts[source] < latest:
            yield Difference(
                kind="compensation",
                cites=("8.4.1-reverse-completion-order",),
                key=Key(run.transitions[starts[source]].node),
                place=starts[source],
                observed="READY→RUNNING",
            )
        latest = max(latest, starts[source])
