"""The state of one run: a single mutable object, owned by the run and changed in one place.

``State.move`` is the only way to change a lifecycle. It writes the trace and leaves a piece of
news, which ``reference_runtime.engine.propagation`` works off in order; nothing recurses.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal, Protocol

from reference_runtime.clock import Clock
from reference_runtime.engine.effects import Effect, Report, Transition
from reference_runtime.engine.environment import Environment
from reference_runtime.engine.graph import Graph
from reference_runtime.engine.lives import Flow, Life
from reference_runtime.rules import INITIAL, INTERNAL, Reason, Rules
from reference_runtime.scheduler import Move, Scheduler

__all__ = ["Around", "IllegalTransitionError", "Nesting", "News", "State", "Undo"]

#: §6.1: states in which a node keeps the instance open (§5.7).
_ACTIVE = frozenset({"READY", "RUNNING", "RETRYING"})


class IllegalTransitionError(AssertionError):
    """The engine tried a transition that its own rules do not list: a defect of the engine."""


#: A lifecycle has entered a state, or (None) has become unreachable.
News = tuple[Life, str | None]


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


@dataclass(slots=True, eq=False)
class Around:
    """What an instance and those of the subworkflows in it have in common.

    Attributes:
        events: names of external events that have arrived (A147).
        iterations: number of iterations started in all of them.
    """

    environment: Environment
    clock: Clock = field(default_factory=Clock)
    events: set[str] = field(default_factory=set)
    iterations: int = 0


class Nesting(Protocol):
    """All instances of subworkflows in a run (``reference_runtime.engine.children``)."""

    def start(self, state: State, life: Life, inputs: dict[str, Any]) -> None:
        """Let an instance begin for a subworkflow node that is RUNNING."""
        ...

    def succeed(self, call: int, outputs: Mapping[str, Any]) -> None:
        """Answer a step call in one of them."""
        ...

    def fail(self, call: int, error_class: str | None, message: str | None) -> None:
        """Answer a step call in one of them."""
        ...

    def event(self, name: str) -> None:
        """Deliver an external event to all of them."""
        ...


class State:
    """Everything that changes during a run.

    Attributes:
        around: what it shares with the instances inside of it.
        given: inputs of the subworkflow node around, empty for the outermost instance.
        children: all instances of subworkflows in the run.
        after_timer: what is done after a timer of this instance has fired.
        effects: what has been done since the driver last took it.
        news: state changes whose consequences are still to be drawn.
        quiet: flows in which nothing is active any more, possibly finished iterations.
        active: READY, RUNNING and RETRYING lifecycles, in the order in which they became so.
        calls: open step calls by number.
        completed: main-flow lifecycles that unwinding would compensate, in the order in which
            they SUCCEEDED (§8.4.1).
        waiting: wait nodes that are RUNNING.
        awaited: wait nodes by what may end their waiting, which is the name of an event or the
            place of a node whose outputs they read; those among them that are over do not count.
        iterations: number of iterations started, by loop vertex.
        bodies: vertex of the loop that ran a body first, by body vertex.
        configured: config properties that the rules have let nodes replace, by place of the node.
        phase: ``forward``; after an unhandled failure ``unwinding``; after an external
            cancellation ``cancelled``. Nothing new starts in the latter two (§8.4.1).
        forward: whether something new can start.
    """

    def __init__(
        self,
        graph: Graph,
        rules: Rules,
        scheduler: Scheduler,
        random: Random,
        *,
        around: Around | None = None,
    ) -> None:
        self.graph = graph
        self.rules = rules
        self.scheduler = scheduler
        self.random = random
        self.around = around or Around(Environment())
        self.given: Mapping[str, Any] = {}
        self.children: Nesting | None = None
        self.clock = self.around.clock
        self.after_timer: Callable[[], None] | None = None
        self.effects: list[Effect] = []
        self.news: deque[News] = deque()
        self.quiet: dict[Flow, None] = {}
        self.active: dict[Life, None] = {}
        self.calls: dict[int, Life] = {}
        self.called = 0
        self.events = self.around.events
        self.waiting: dict[Life, None] = {}
        self.awaited: dict[int | str, list[Life]] = {}
        self.completed: list[Life] = []
        self.configured: dict[int, dict[str, Any]] = {}
        self.undo: Undo | None = None
        self.iterations: dict[int, int] = {}
        self.bodies: dict[int, int] = {}
        self.phase: Literal["forward", "unwinding", "cancelled"] = "forward"
        self.forward = True
        followed = (rules.terminal, rules.error_edges_on, rules.flow.early)
        self._telling = frozenset(
            state
            for state in rules.legal
            if state == "READY" or any(state in states for states in followed)
        )
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
        main = life.flow.owner is None
        if main and to in self.rules.ending.compensable:
            self.completed.append(life)
        active = self.active
        if to in _ACTIVE:
            if life not in active:
                active[life] = None
                life.flow.active += 1
        elif life in active:
            del active[life]
            life.flow.active -= 1
            if not main and not life.flow.active:
                self.quiet[life.flow] = None
        # A134: while READY, the attempt is the coming one.
        coming = to == "READY" or (from_ == "READY" and to != "RUNNING")
        fields = (
            life.vertex.node.id,
            from_,
            to,
            life.flow.path,
            life.attempt + coming or None,
            error_class,
            code,
            message,
            self.clock.now,
        )
        # A named tuple made in one step: nothing else is made so often.
        self.effects.append(tuple.__new__(Transition, fields))
        if to in self._telling:
            self.news.append((life, to))

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
            self.news.append((life, None))

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

    def set_timer(self, life: Life, delay: float, action: Callable[[], None]) -> None:
        """Let something happen to a lifecycle after a delay in virtual seconds."""
        then = self.after_timer

        def fire() -> None:
            action()
            if then is not None:
                then()

        life.timers.append(self.clock.after(delay, fire if then else action))

    def stop_timers(self, life: Life) -> None:
        """Forget every timer of a lifecycle."""
        if not life.timers:
            return
        for timer in life.timers:
            timer.cancel()
        life.timers.clear()
