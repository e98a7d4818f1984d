"""Ends of loops against their iterations: a loop is not over while an iteration goes on (§6.5)."""

from collections.abc import Iterator, Sequence

from comparator.difference import Difference
from comparator.evidence import Evidence
from comparator.facts import Loop
from comparator.form import Where, as_key, where_of
from comparator.trace import Key
from comparator.unreachable import NEVER
from comparator.walk import Run

__all__ = ["loop_end_differences"]


def loop_end_differences(evidence: Evidence) -> Iterator[Difference]:
    """Yield each loop that ended before the iterations that its end stands on."""
    run = evidence.run
    if not run.graph.loops:
        return
    for owner, (loop, iterations) in _iterations(run).items():
        ended = run.good.get(owner)
        if ended is not None and run.transitions[ended].to == "SUCCEEDED":
            open_ = _under_way(run, iterations, ended)
            stopped = loop.on_item_failure == "break" and _failed_before(run, iterations, ended)
            if open_ and not stopped:
                cites = ("6.2-no-succeeded-without-completion", "6.5-loop-node-has-own-lifecycle")
                yield _difference(owner, cites, ended, str(open_[0]), "SUCCEEDED")
        failed = run.bad.get(owner)
        if (
            failed is not None
            and run.transitions[failed].to == "FAILED"
            and loop.on_item_failure == "fail"
            and not _failed_before(run, iterations, failed)
            and not _failed_by_itself(evidence, owner, loop, _under_way(run, iterations, failed))
        ):
            yield _difference(owner, ("6.5-fail-policy",), failed, None, "FAILED")


def _iterations(run: Run) -> dict[Where, tuple[Loop, list[Key]]]:
    """Return the iterations that ever moved, by the lifecycle of their loop."""
    found: dict[Where, tuple[Loop, list[Key]]] = {
        name: (loop, []) for name, loop in run.graph.loops.items() if name not in run.graph.extent
    }
    graph, unclear = run.graph, run.keys.unclear
    for where in run.at:
        if isinstance(where, str) or where.node not in graph.bodies:
            continue
        loop = graph.loops.get(where.node)
        if loop is not None and where.steps:
            found.setdefault(where, (loop, []))
        if where.steps and where.steps[-1][0] in graph.loops:
            name = where.steps[-1][0]
            owner = where_of(graph, Key(name, where.steps[:-1]))
            found.setdefault(owner, (graph.loops[name], []))[1].append(where)
    return {
        owner: (loop, keys)
        for owner, (loop, keys) in found.items()
        if unclear.keys().isdisjoint({as_key(owner).node, loop.body})
    }


def _under_way(run: Run, iterations: Sequence[Key], place: int) -> list[Key]:
    return [
        key
        for key in iterations
        if run.loops.begun.get(key, NEVER) < place
        and min(run.good.get(key, NEVER), run.bad.get(key, NEVER)) > place
    ]


def _failed_before(run: Run, iterations: Sequence[Key], place: int) -> bool:
    return any(
        run.bad.get(key, NEVER) < place and run.at[key].state == "FAILED" for key in iterations
    )


def _failed_by_itself(evidence: Evidence, owner: Where, loop: Loop, open_: Sequence[Key]) -> bool:
    """Tell whether the loop may have failed for a reason of its own.

    It may exceed maxIterations, be unable to begin, or time out. Where codes are not shown, a
    loop in sequence that fails in the middle of an iteration, which fails afterwards, is still
    none of these.
    """
    name = as_key(owner).node
    reported, anonymous = evidence.codes
    if evidence.run.graph.facts.nodes[name].on_timeout is not None:
        return True
    if name in reported or anonymous:
        return True
    hasty = any(evidence.run.at[key].state == "FAILED" for key in open_)
    return evidence.observation.reports is None and not (hasty and loop.max_concurrency == 1)


def _difference(
    owner: Where, cites: tuple[str, ...], place: int, expected: str | None, observed: str
) -> Difference:
    return Difference(
        kind="loop-end",
        cites=cites,
        key=as_key(owner),
        place=place,
        expected=expected,
        observed=observed,
    )
