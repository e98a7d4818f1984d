"""Order that the document forces: each step to READY has to be justified by what came before.

A step is justified by any one of: the entry set (§5.2), the join over the forward edges and
the route of a decision (§5.3, §7.1.3), a traversed error edge (§5.8), compensation (§8.4).
What must happen the other way round, that a justified node does become READY, is left to the
paths of the golden.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from comparator.difference import Difference
from comparator.facts import Edge
from comparator.form import as_key
from comparator.graph import SURE
from comparator.lifecycle import INITIAL
from comparator.trace import Key
from comparator.unreachable import NEVER, Deaths
from comparator.walk import Run

__all__ = ["unjustified"]

_JOIN: Final = "5.3-not-ready-before-join"

#: §5.3.1: policy → requirement broken by READY while the join is still open.
_TOO_EARLY: Final = {
    "all": "5.3.1-all-waits-for-every-edge",
    "any": "5.3.1-any-fires-on-first",
    "quorum": "5.3.1-quorum-not-below-count",
}

#: Status of an unsatisfied edge → requirement broken by not minding it.
_NOT_SATISFIED: Final = {
    "condition": "5.3-false-condition-is-resolved-negative",
    "unreached": "6.4-pending-successors-not-reached",
    "FAILED": "5.8-failed-node-does-not-release-control",
    "CANCELLED": "6.4-cancelled-successors-not-reached",
}

#: Type of an edge that is still open → requirement broken by not waiting for its source.
_STILL_OPEN: Final = {
    "control": _JOIN,
    "data": "4.2-data-implies-control",
    "dependency": "4.3-dependency-not-before-terminal",
}

#: State of the source of an error edge → requirement broken by taking the edge.
_ERROR_EDGE: Final = {
    "SUCCEEDED": "4.4-error-edge-not-on-succeeded",
    "COMPENSATED": "4.4-error-edge-not-on-succeeded",
    "SKIPPED": "6.3-skip-takes-no-error-edge",
    "CANCELLED": "4.4-error-edge-not-on-cancelled",
    "RETRYING": "5.8-only-after-retries-exhausted",
}


def unjustified(run: Run) -> Iterator[Difference]:
    """Yield every step to READY that nothing before it justifies."""
    judge = _Judge(run)
    for place, where in run.ready:
        if isinstance(where, str):
            found = judge.main(place, where)
        else:
            found = judge.iteration(place, where)
        if found is not None:
            cites, statuses = found
            yield Difference(
                kind="too-early",
                cites=tuple(dict.fromkeys(cites))[:3],
                key=as_key(where),
                place=place,
                expected=statuses,
                observed="READY",
            )


#: Requirements broken, and (source, type, status) of what was waited for; None is justified.
_Found = tuple[tuple[str, ...], list[tuple[str, str, str]]] | None


class _Judge:
    """Looks at single steps to READY with the whole trace at hand."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._graph = run.graph
        self._deaths = Deaths(run)

    def main(self, place: int, node: str) -> _Found:
        """Judge a node of the main flow; return cites and edges when nothing justifies it."""
        graph = self._graph
        if graph.starts(node) or self._error_taken(place, graph.errors.get(node, ())):
            return None
        if self._compensates(place, node):
            return None
        edges = graph.incoming(node)
        routes = graph.routes.get(node)
        if routes:
            return self._routed(place, node, routes)
        if edges:
            return self._join(place, node, edges, route=False)
        return self._no_way_in(place, node)

    def iteration(self, place: int, key: Key) -> _Found:
        """Judge a body's handler, per iteration or in the main flow, or a node behind a body."""
        errors = self._graph.errors.get(key.node, ())
        if key.node in self._graph.bodies or not errors or self._compensates(place, key.node):
            return None  # bodies start with their loop: comparator.loops
        if self._graph.incoming(key.node):
            return None  # A115: a node behind a body, or one with further edges, is not judged
        taken = any(
            edge.condition != "false" and self._iteration_failed(place, edge.source, key)
            for edge in errors
        )
        return None if taken else self._no_way_in(place, key.node)

    def _iteration_failed(self, place: int, node: str, key: Key) -> bool:
        same = Key(node, key.steps)
        if key.steps and same in self._run.bad:
            return self._run.bad[same] < place and self._run.at[same].state == "FAILED"
        return self._failed_before(place, node)

    def _error_taken(self, place: int, edges: Sequence[Edge]) -> bool:
        return any(
            edge.condition != "false" and self._failed_before(place, edge.source) for edge in edges
        )

    def _failed_before(self, place: int, node: str) -> bool:
        run = self._run
        if node in self._graph.extent:
            return run.first_failure.get(node, NEVER) < place
        return run.bad.get(node, NEVER) < place and run.at[node].state == "FAILED"

    def _compensates(self, place: int, node: str) -> bool:
        run = self._run
        if run.unhandled is None or run.unhandled > place:
            return False
        return any(
            edge.condition != "false"
            and (edge.source in self._graph.extent or run.good.get(edge.source, NEVER) < place)
            for edge in self._graph.undos.get(node, ())
        )

    def status(self, place: int, edge: Edge) -> str:
        """Return how the edge stands at ``place``.

        One of ``satisfied`` (certainly or possibly), ``open``, and why it is negative:
        ``condition``, ``unreached``, ``FAILED``, ``CANCELLED``.
        """
        run = self._run
        source = edge.source
        if source in self._graph.extent:
            return "satisfied"
        if not run.moved(source):
            return "unreached" if self._deaths.of(source) < place else "open"
        if run.good.get(source, NEVER) < place:
            return "condition" if edge.condition == "false" else "satisfied"
        if run.bad.get(source, NEVER) < place:
            if edge.type == "dependency":
                return "condition" if edge.condition == "false" else "satisfied"
            return "FAILED" if run.at[source].state == "FAILED" else "CANCELLED"
        return "open"

    def _join(self, place: int, node: str, edges: Sequence[Edge], *, route: bool) -> _Found:
        declared = self._graph.facts.nodes[node]
        standing = [self.status(place, edge) for edge in edges]
        statuses = [
            (edge.source, str(edge.type), status)
            for edge, status in zip(edges, standing, strict=True)
        ]
        satisfied = standing.count("satisfied") + route
        still_open = [type_ for _, type_, status in statuses if status == "open"]
        if declared.join == "all":
            met = not still_open and satisfied > 0
        else:
            met = satisfied >= (declared.quorum or 1 if declared.join == "quorum" else 1)
        if met:
            return None
        cites: list[str] = []
        if still_open:
            cites.append(_TOO_EARLY[declared.join])
            cites += [_STILL_OPEN[type_] for type_ in still_open]
            cites.append(_JOIN)
        elif declared.join == "quorum":
            cites.append(_TOO_EARLY["quorum"])
        elif declared.join == "all":
            cites.append("5.3.1-all-needs-one-satisfied")
        cites += [_NOT_SATISFIED[status] for status in standing if status in _NOT_SATISFIED]
        return tuple(cites), statuses

    def _routed(self, place: int, node: str, decisions: list[str]) -> _Found:
        run = self._run
        declared = self._graph.facts.nodes[node]
        if not any(
            decision in self._graph.extent or run.good.get(decision, NEVER) < place
            for decision in decisions
        ):
            # However its other edges stand: the decision has not chosen it yet.
            cites = ("7.1.3-exactly-one-successor", _JOIN, "5.3.3-case-target-unchosen-by-all")
            return cites, [(decision, "route", "open") for decision in decisions]
        edges = self._graph.incoming(node)
        if declared.join != "all" or not edges:
            return None  # A69: how a route counts towards any and quorum is not judged
        # A71: that includes the edges of all decisions, one of which has ended and may have
        # chosen the node.
        return self._join(place, node, edges, route=True)

    def _no_way_in(self, place: int, node: str) -> _Found:
        graph = self._graph
        errors = graph.errors.get(node, ())
        if errors:
            states = {edge.source: self._state_at(place, edge.source) for edge in errors}
            cites = [_ERROR_EDGE[state] for state in states.values() if state in _ERROR_EDGE]
            if any(e.condition not in SURE and states[e.source] == "FAILED" for e in errors):
                cites.append("5.3-false-condition-is-resolved-negative")
            cites += ["4.4-error-edge-only-on-failed", "5.2-error-handler-waits-for-failure"]
            return tuple(cites), [(e.source, "error", "open") for e in errors]
        undos = graph.undos.get(node)
        if undos:
            cites = ["4.5-compensation-edge-never-forward"]
            return tuple(cites), [(edge.source, "compensation", "open") for edge in undos]
        return ("5.2-other-roots-not-started-with-entry", "5.2-entry-attribute-is-sole-start"), []

    def _state_at(self, place: int, node: str) -> str:
        """Return the state of an error edge's source, as far as it matters for the cites."""
        run = self._run
        if node in self._graph.extent:
            return INITIAL
        state = run.at[node].state
        if min(run.good.get(node, NEVER), run.bad.get(node, NEVER)) < place:
            return state
        return "RETRYING" if run.at[node].attempts > 1 else INITIAL
