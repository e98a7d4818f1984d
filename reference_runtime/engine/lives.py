"""Lifecycles, and the flows that they belong to: the main flow and the iterations of loops."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, Protocol

from reference_runtime.clock import Timer
from reference_runtime.engine.effects import Path
from reference_runtime.engine.graph import Graph, Vertex
from reference_runtime.rules import INITIAL, Count, Reason

__all__ = ["Flow", "Iterating", "Life", "Nested", "with_number"]


class Iterating(Protocol):
    """The loop that a lifecycle is executing (``reference_runtime.engine.loops``)."""

    def iteration_ended(self, flow: Flow) -> None:
        """Take note that nothing moves in an iteration any more."""
        ...

    def stop(self) -> list[Life]:
        """Start no more iterations; give what is active in those under way."""
        ...


class Nested(Protocol):
    """The instance of a subworkflow that a lifecycle is executing (``engine.children``)."""

    def abandon(self) -> None:
        """Cancel it from outside; nobody waits for it any more."""
        ...


class Life:
    """The lifecycle of one node in one flow (§6.5).

    Attributes:
        satisfied, negative, open: incoming forward links of this flow by resolution (§5.3).
        errors_open: incoming error links that may still be traversed.
        routes_open, routed: case routes that are undecided, and whether one chose the node.
        cut, reason: 0, or for an unreachable node the length of the chain of unreachable nodes
            to it, and why it is unreachable.
        attempt: number of attempts started.
        since: virtual seconds at which the first one started, kept under a timeout only.
        outputs: bound values, None while or if unavailable (§5.6).
        deliveries: number of times that data links have delivered from ``outputs``.
        chosen: id of the case target that a decision chose.
        doomed: cancelled by an ``any`` join while RETRYING (A50), takes effect when it is READY.
        discarded: spared by an ``any`` join (§5.3.2), its result counts for nothing.
        loop, child: the loop or the instance of a subworkflow that the lifecycle is executing.
    """

    __slots__ = (
        "attempt", "call", "child", "chosen", "cut", "deliveries", "discarded", "doomed",
        "errors_open", "flow", "loop", "negative", "open", "outputs", "reason", "routed",
        "routes_open", "satisfied", "since", "state", "timers", "vertex",
    )  # fmt: skip

    def __init__(self, vertex: Vertex, flow: Flow, open_: int, errors: int, routes: int) -> None:
        self.vertex = vertex
        self.flow = flow
        self.state = INITIAL
        self.satisfied = self.negative = self.cut = self.deliveries = self.attempt = 0
        self.open = open_
        self.errors_open = errors
        self.routes_open = routes
        self.routed = self.doomed = self.discarded = False
        self.reason: Reason = "unlinked"
        self.since = 0.0
        self.outputs: dict[str, Any] | None = None
        self.chosen: str | None = None
        self.call: int | None = None
        self.timers: tuple[Timer, ...] = ()
        self.loop: Iterating | None = None
        self.child: Nested | None = None

    @property
    def place(self) -> tuple[int, ...]:
        """Sorts lifecycles in document order, iterations of a loop at the place of the loop."""
        return (*self.flow.place, self.vertex.index)

    @property
    def quorum(self) -> int:
        """@quorum, 0 without one."""
        return self.vertex.node.quorum or 0

    @property
    def error_edges(self) -> int:
        """Number of incoming error edges."""
        return len(self.vertex.errors_in)

    @property
    def errors(self) -> int:
        """Number of those that may still be traversed."""
        return self.errors_open

    @property
    def count(self) -> Count:
        """The tally as it is now."""
        return Count(
            self.satisfied, self.negative, self.open, self.quorum, self.error_edges, self.errors
        )

    @property
    def undecided(self) -> bool:
        """Whether the node is PENDING and may still be reached."""
        return self.state == INITIAL and not self.cut


#: Numbers of no links.
_NONE: Final[AbstractSet[int]] = frozenset()


def with_number(numbers: AbstractSet[int], number: int) -> AbstractSet[int]:
    """Add to a set of numbers; most flows have none, and share one empty set."""
    if not isinstance(numbers, set):
        return {number}
    numbers.add(number)
    return numbers


class Flow:
    """The main flow, or one iteration of a loop: a set of lifecycles.

    Attributes:
        owner: lifecycle of the loop node, None for the main flow.
        path: loop levels around it, outermost first.
        place: the same as document places and iteration numbers, to sort by.
        order: what the order of every move in it begins with.
        variables: iteration variables (§7.2.3).
        active: number of lifecycles that are READY, RUNNING or RETRYING.
        failed: whether a failure in it was not handled.
        blocked: numbers of links whose condition was false, so that they deliver nothing.
        early: numbers of links that were satisfied before their source ended.
    """

    __slots__ = (
        "active", "blocked", "early", "ended", "failed", "lives", "order", "owner", "path",
        "place", "variables",
    )  # fmt: skip

    def __init__(
        self,
        graph: Graph,
        members: Sequence[int],
        owner: Life | None = None,
        index: int = 0,
    ) -> None:
        self.owner = owner
        self.path: Path = ()
        self.place: tuple[int, ...] = ()
        if owner is not None:
            self.path = (*owner.flow.path, (owner.vertex.node.id, index))
            self.place = (*owner.flow.place, owner.vertex.index, index)
        self.order = (0, *self.place)
        self.variables: dict[str, Any] = {}
        self.active = 0
        self.failed = False
        self.ended = False
        self.blocked = self.early = _NONE
        self.lives: dict[int, Life] = {}
        for member in members:
            vertex = graph.vertices[member]
            errors = vertex.errors_in
            if owner is None:
                life = Life(vertex, self, len(vertex.incoming), len(errors), vertex.routes)
            else:
                inside = [link for link in errors if link.source in members] if errors else ()
                life = Life(vertex, self, 0, len(inside), 0)
            self.lives[member] = life
