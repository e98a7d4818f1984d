"""When a node may and must become READY (§5.2, §5.3), with the sentence that says so."""

from collections.abc import Collection, Iterator, Sequence

from suite.fuzz.model import Edge, node_id
from suite.fuzz.reach import TERMINAL, Graph

__all__ = ["JoinJudge"]

_Cites = tuple[str, ...]


class JoinJudge:
    """Readiness over one workflow; states are given as a list by node number."""

    def __init__(self, graph: Graph) -> None:
        """Take the indexed workflow."""
        self.graph = graph

    def unjustified(
        self, index: int, states: Sequence[str], suppressed: Collection[int]
    ) -> tuple[_Cites, str] | None:
        """Say why a PENDING node may not become READY now, or None when some reading lets it."""
        graph = self.graph
        if index in graph.starts:
            return None
        into, errors = graph.into[index], graph.errors_into[index]
        if any(states[e.source] == "FAILED" for e in errors):
            return None
        if not into:
            if any(states[e.source] == "RETRYING" for e in errors):
                return (
                    ("5.8-only-after-retries-exhausted", "4.4-error-edge-not-while-retries-remain"),
                    "PENDING, as the source of its error edge has attempts left",
                )
            if errors:
                return (
                    ("4.4-error-edge-only-on-failed", "4.4-handler-not-an-entry"),
                    "PENDING, as no source of its error edges is FAILED",
                )
            return ("5.2-other-roots-not-started-with-entry",), "PENDING, as it is not the entry"
        dead = graph.unreachable(states, suppressed, lenient=True)
        good = [e for e in into if graph.satisfied(e, states, lenient=True)]
        open_ = [
            e for e in into if e not in good and not graph.negative(e, states, dead, lenient=True)
        ]
        return (
            self._not_routed(index, states, dead)
            or self._join_unmet(index, states, good, open_)
            or self._unobtainable(index, states)
        )

    def _join_unmet(
        self, index: int, states: Sequence[str], good: list[Edge], open_: list[Edge]
    ) -> tuple[_Cites, str] | None:
        node = self.graph.model.nodes[index]
        if node.join == "all" and open_:
            waits = ", ".join(node_id(e.source) for e in open_)
            return (
                ("5.3.1-all-waits-for-every-edge", "5.3-not-ready-before-join"),
                f"PENDING until the edges from {waits} resolve",
            )
        needed = node.quorum if node.join == "quorum" else 1
        if len(good) >= needed:
            return None
        expected = f"PENDING, as {len(good)} edges are satisfied and {needed} needed"
        special = self._miscounted(index, states)
        if node.join == "quorum":
            return (("5.3.1-quorum-not-below-count", *special), expected)
        if open_:
            return (("5.3-not-ready-before-join", *special), expected)
        if node.join == "any":
            return ((*special, "5.3-negative-does-not-count"), expected)
        return (("5.3.1-all-needs-one-satisfied", *special), expected)

    def _miscounted(self, index: int, states: Sequence[str]) -> _Cites:
        """The sentence about an edge that somebody may have counted by mistake."""
        for edge in self.graph.into[index]:
            state = states[edge.source]
            if state in TERMINAL and not self.graph.holds(edge):
                return ("5.3-false-condition-is-resolved-negative",)
            if state == "FAILED" and edge.type != "dependency":
                return ("5.8-failed-node-does-not-release-control",)
            if state == "CANCELLED" and edge.type != "dependency":
                return ("6.4-cancelled-successors-not-reached",)
            if state == "PENDING":
                return ("6.4-pending-successors-not-reached",)
        return ()

    def _not_routed(
        self, index: int, states: Sequence[str], dead: Collection[int]
    ) -> tuple[_Cites, str] | None:
        """§5.3.3, first bullet; §7.1.3."""
        graph = self.graph
        if not graph.deciders[index] or graph.chosen(index, states):
            return None
        if graph.open_shape(index, states, dead):
            return None
        if any(states[d] not in TERMINAL and d not in dead for d in graph.deciders[index]):
            return (
                ("7.1.3-exactly-one-successor", "5.3-not-ready-before-join"),
                "PENDING until a decision routes to it",
            )
        further = any(e.source not in graph.deciders[index] for e in graph.into[index])
        return (
            (
                "7.1.3-exactly-one-successor",
                "5.3.3-case-target-unreachable-despite-other-edges"
                if further
                else "5.3.3-case-target-unchosen-by-all",
                "5.3.3-untaken-branch-nodes-never-enter-ready",
            ),
            "PENDING, as every decision has routed elsewhere",
        )

    def _unobtainable(self, index: int, states: Sequence[str]) -> tuple[_Cites, str] | None:
        """§5.3.3, third bullet."""
        starving = [e for e in self.graph.into[index] if e.type == "data" and e.feeds == "starving"]
        if not starving:
            return None
        dead = self.graph.unreachable(states, lenient=False)
        for edge in starving:
            if edge.source in dead:
                return (
                    ("5.3.3-required-data-from-unreachable-source",),
                    f"PENDING, as {node_id(edge.source)} will never deliver a required value",
                )
        return None

    def due(self, states: Sequence[str], *, at_end: bool) -> Iterator[tuple[int, _Cites]]:
        """Yield the PENDING nodes that every reading wants READY, with the sentences.

        At the end unreachable nodes count as such; before it runtimes may find out later.
        """
        graph = self.graph
        dead = graph.unreachable(states, lenient=False) if at_end else set[int]()
        for index, state in enumerate(states):
            if state != "PENDING":
                continue
            if index in graph.starts:
                entry = graph.model.entry
                yield (
                    index,
                    (
                        "5.2-entry-attribute-is-sole-start"
                        if entry
                        else "5.2-default-entry-set-all-roots",
                    ),
                )
            elif graph.into[index]:
                cites = self._join_met(index, states, dead)
                if cites:
                    yield index, cites
            elif any(states[e.source] == "FAILED" for e in graph.errors_into[index]):
                yield index, ("5.8-all-error-edges-traversed", "5.8-handled-failure-continues")

    def _join_met(self, index: int, states: Sequence[str], dead: Collection[int]) -> _Cites:
        graph = self.graph
        node = graph.model.nodes[index]
        into = graph.into[index]
        if graph.deciders[index] and not graph.chosen(index, states):
            return ()
        good = [e for e in into if graph.satisfied(e, states, lenient=False)]
        bad = [e for e in into if graph.negative(e, states, dead, lenient=False)]
        needed = node.quorum if node.join == "quorum" else 1
        if len(good) < needed or (node.join == "all" and len(good) + len(bad) < len(into)):
            return ()
        for edge in into:  # A30, A31 and the third bullet: it may stay PENDING
            value = states[edge.source] in ("SUCCEEDED", "SKIPPED") and graph.holds(edge)
            if edge.type == "data" and edge.feeds == "starving" and not value:
                return ()
        if node.join == "any":
            return ("5.3.1-any-fires-on-first", *self._why(index, states, good, bad))
        if node.join == "quorum":
            return ("5.3.1-quorum-fires-at-count", *self._why(index, states, good, bad))
        return (*self._why(index, states, good, bad), "5.3-pending-to-ready-on-join")

    def _why(self, index: int, states: Sequence[str], good: list[Edge], bad: list[Edge]) -> _Cites:
        """The sentences on the edges that make a met join less than obvious."""
        cites: list[str] = []
        gone = [e.source for e in bad if states[e.source] == "PENDING"]
        if gone:
            behind = [e.source for i in gone for e in self.graph.into[i]]
            deep = any(states[i] == "PENDING" for i in behind)
            cites.append(
                "5.3.3-propagates-recursively"
                if deep
                else "5.3.3-unreachable-node-negates-outgoing"
            )
            cites.append("5.3.3-join-resolves-on-taken-branch")
        if bad:
            cites.append("5.3-negative-does-not-block")
        skipped = {e.type for e in good if states[e.source] == "SKIPPED"}
        if "control" in skipped:
            cites.append("6.3-skip-satisfies-control")
        if "data" in skipped:
            cites.append("6.3-skip-satisfies-data-for-scheduling")
        if any(e.type == "dependency" and states[e.source] == "FAILED" for e in good):
            cites.append("4.3-dependency-on-failed")
        elif any(e.type == "dependency" for e in good):
            cites.append("5.3-dependency-satisfied-by-any-terminal")
        if self.graph.errors_into[index]:
            cites.append("5.3-untaken-error-edge-does-not-block-join")
        return tuple(cites[:3])
