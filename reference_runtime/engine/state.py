"""The state of one run: a single mutable object, owned by the run and changed in one place.

``State.move`` is the only way to change a lifecycle. It writes the trace and leaves a piece of
news, which ``reference_runtime.engine.propagation`` works off in order; nothing recurses.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal, NamedTuple

from reference_runtime.clock import Clock
from reference_runtime.engine.effects import Effect, Report, Transition
from reference_runtime.engine.graph import Graph
from reference_runtime.engine.lives import Flow, Life
from reference_runtime.rules import INITIAL, INTERNAL, Reason, Rules
from reference_runtime.scheduler import Move, Scheduler

__all__ = ["IllegalTransitionError", "News", "State", "Undo"]

#: §6.1: states in which a node keeps the instance open (§5.7).
_ACTIVE = frozenset({"READY", "RUNNING", "RETRYING"})


class IllegalTransitionError(AssertionError):
    """The engine tried a transition that its own rules do not list: a defect of the engine."""


class News(NamedTuple):
    """A lifecycle has entered a state, or (``state`` None) has become unreachable."""

    life: Life
    state: str | None


def _attempt(life: Life, from_: str, to: str) -> int | None:
    """Attempt that a trace entry belongs to (A134): while READY it is the coming one."""
    coming = to == "READY" or (from_ == "READY" and to != "RUNNING")
    return life.attempt + coming or None


@dataclass(slots=True, eq=False)
class Undo:
    """How far compensation has come.

    Attributes:
        sources: succeeded nodes still to be compensated, next one first.
        source: the one under way.
        targets: its compensating nodes that have not been started yet.
        running: the compensating node under way.
        last: the compensating node that ended last.
        spoiled: whether a compensating node of ``source`` has failed.
        done: number of nodes COMPENSATED.
        failed: number of nodes whose compensation failed.
    """

    sources: deque[Life] = field(default_factory=deque)
    source: Life | None = None
    targets: deque[Life] = field(default_factory=deque)
    running: Life | None = None
    last: Life | None = None
    spoiled: bool = False
    done: int = 0
    failed: int = 0


class State:
    """Everything that changes during a run.

    Attributes:
        effects: what has been done since the driver last took it.
        news: state changes whose consequences are still to be drawn.
        quiet: flows in which nothing is active any more, possibly finished iterations.
        active: READY, RUNNING and RETRYING lifecycles, in the order in which they became so.
        calls: open step calls by number.
        completed: main-flow lifecycles that unwinding would compensate, in the order in which
            they SUCCEEDED (§8.4.1).
        iterations: number of iterations started, by loop vertex.
        bodies: vertex of the loop that ran a body first, by body vertex.
        configured: config properties that the rules have let nodes replace, by place of the node.
        phase: ``forward``; after an unhandled failure ``unwinding``; after an external
            cancellation ``cancelled``. Nothing new starts in the latter two (§8.4.1).
        forward: whether something new can start.
    """

    def __init__(  # noqa: PLR0913 - everything that a run is given from outside
        self,
        graph: Graph,
        rules: Rules,
        scheduler: Scheduler,
        random: Random,
        *,
        unresolvable: frozenset[str] = frozenset(),
        bad_digests: frozenset[str] = frozenset(),
    ) -> None:
        self.graph = graph
        self.rules = rules
        self.scheduler = scheduler
        self.random = random
        self.unresolvable = unresolvable
        self.bad_digests = bad_digests
        self.clock = Clock()
        self.effects: list[Effect] = []
        self.news: deque[News] = deque()
        self.quiet: dict[Flow, None] = {}
        self.active: dict[Life, None] = {}
        self.calls: dict[int, Life] = {}
        self.called = 0
        self.events: set[str] = set()
        self.waiting: dict[Life, None] = {}
        self.completed: list[Life] = []
        self.configured: dict[int, dict[str, Any]] = {}
        self.undo: Undo | None = None
        self.iterations: dict[int, int] = {}
        self.bodies: dict[int, int] = {}
        self.phase: Literal["forward", "unwinding", "cancelled"] = "forward"
        self.forward = True
        inner = [vertex.index for vertex in graph.vertices if not vertex.inner]
        self.main = Flow(graph, inner)

    def leave_forward(self, phase: Literal["unwinding", "cancelled"]) -> None:
        """Enter a phase in which no node becomes READY other than to compensate (§8.4.1)."""
        self.phase = phase
        self.forward = phase == "unwinding" and self.rules.ending.releases

    def move(
        self,
        life: Life,
        to: str,
        *,
        error_class: str | None = None,
        code: str | None = None,
        message: str | None = None,
    ) -> None:
        """Change a lifecycle, write the trace, and leave the news.

        Raises:
            IllegalTransitionError: the rules do not list the pair.
        """
        from_ = life.state
        if to not in self.rules.legal[from_] and (from_, to) not in self.rules.exceptions:
            raise IllegalTransitionError(f"{life.vertex.node.id}: {from_} to {to}")
        life.state = to
        if to in self.rules.ending.compensable and life.flow.owner is None:
            self.completed.append(life)
        if to in _ACTIVE:
            if life not in self.active:
                self.active[life] = None
                life.flow.active += 1
        elif life in self.active:
            del self.active[life]
            life.flow.active -= 1
            if not life.flow.active:
                self.quiet[life.flow] = None
        self.effects.append(
            Transition(
                life.vertex.node.id,
                from_,
                to,
                life.flow.path,
                _attempt(life, from_, to),
                error_class,
                code,
                message,
                self.clock.now,
            )
        )
        self.news.append(News(life, to))

    def fail(self, life: Life, code: str | None, message: str) -> None:
        """Fail a lifecycle for a fault that no step reported, and that no retry would cure."""
        self.move(life, "FAILED", error_class=INTERNAL, code=code, message=message)

    def give_up(self, life: Life, reason: Reason, length: int) -> None:
        """Mark a PENDING lifecycle as one that no path will reach (§5.3.3)."""
        life.cut, life.reason = length, reason
        detour = self.rules.unreached[reason]
        for to in detour:
            self.move(life, to)
        if not detour:
            self.news.append(News(life, None))

    def end(self, outcome: str) -> bool:
        """Lead nodes that were never reached to where they stay (§6.4); tell whether they move."""
        states = self.rules.at_end(outcome)
        waiting = [life for life in self.main.lives.values() if life.state == INITIAL]
        for life in waiting if states else ():
            for to in states:
                self.move(life, to)
        self.news.clear()
        return bool(states and waiting)

    def report(self, code: str, node: str, message: str) -> None:
        """Report a code that belongs to no transition (§14.4)."""
        self.effects.append(Report(code, node, message))

    def offer(self, life: Life) -> None:
        """Let the scheduler start a READY lifecycle when it likes."""
        self.scheduler.push(Move((0, *life.place), life, life.vertex.calls))

    def stop_timers(self, life: Life) -> None:
        """Forget every timer of a lifecycle."""
        for timer in life.timers:
            timer.cancel()
        life.timers.clear()
