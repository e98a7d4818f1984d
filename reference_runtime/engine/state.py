"""The state of one run: a single mutable object, owned by the run and changed in one place.

``State.move`` is the only way to change a lifecycle. It writes the trace and leaves a piece of
news, which ``reference_runtime.engine.propagation`` works off in order; nothing recurses.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal, Protocol

from reference_runtime.clock import Clock
from reference_runtime.engine.effects import Effect, Report, Transition, new_tuple
from reference_runtime.engine.environment import Environment
from reference_runtime.engine.graph import Graph, Ring
from reference_runtime.engine.lives import Flow, Life
from reference_runtime.rules import INITIAL, INTERNAL, Reason, Rules
from reference_runtime.scheduler import Scheduler

__all__ = ["Around", "IllegalTransitionError", "Nesting", "News", "Reaction", "State", "Undo"]

#: §6.1: states in which a node keeps the instance open (§5.7).
_ACTIVE = frozenset({"READY", "RUNNING", "RETRYING"})


class IllegalTransitionError(AssertionError):
    """The engine tried a transition that its own rules do not list: a defect of the engine."""


#: What follows from the state of a lifecycle.
Reaction = Callable[["State", Life], None]

#: A lifecycle has changed, and what follows from that.
News = tuple[Life, tuple[Reaction, ...]]


@dataclass(slots=True, eq=False)
class _Step:
    """What one pair of §6.2 means for everything else, worked out once.

    Attributes:
        begins, ends: whether the node keeps the instance open from now on, or no longer.
        coming: 1 if the entry belongs to the attempt that is coming (A134), else 0.
        completes: whether unwinding would compensate the node (§8.4.1).
        reactions: what follows.
    """

    begins: bool
    ends: bool
    coming: int
    completes: bool
    reactions: tuple[Reaction, ...]


def _step(from_: str, to: str, rules: Rules, reactions: tuple[Reaction, ...]) -> _Step:
    return _Step(
        begins=to in _ACTIVE and from_ not in _ACTIVE,
        ends=from_ in _ACTIVE and to not in _ACTIVE,
        coming=int(to == "READY" or (from_ == "READY" and to != "RUNNING")),
        completes=to in rules.ending.compensable,
        reactions=reactions,
    )


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
    clock: Clock
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

    def given_up(self, state: State) -> list[tuple[str, str]]:
        """What must finish although nobody waits for it: nodes and their states."""
        ...


class State:
    """Everything that changes during a run.

    Attributes:
        around: what it shares with the instances inside of it.
        given: inputs of the subworkflow node around, empty for the outermost instance.
        children: all instances of subworkflows in the run.
        after_timer: what is done after a timer of this instance has fired.
        effects: what has been done since the driver last took it.
        asked: step calls that were made or given up among that.
        news: state changes whose consequences are still to be drawn.
        rings: rings (``Graph.rings``) that perhaps nothing leads to any more.
        rings_ended: how many of their sources are known to have ended.
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
        lists: what a loop iterated over when it was executed last, by loop vertex.
        configured: config properties that the rules have let nodes replace, by place of the node.
        phase: ``forward``; after an unhandled failure ``unwinding``; after an external
            cancellation ``cancelled``. Nothing new starts in the latter two (§8.4.1).
        forward: whether something new can start.
    """

    def __init__(  # noqa: PLR0913 - what a run consists of
        self,
        graph: Graph,
        rules: Rules,
        scheduler: Scheduler,
        random: Random,
        *,
        reactions: Mapping[str | None, tuple[Reaction, ...]],
        around: Around,
    ) -> None:
        self.graph = graph
        self.rules = rules
        self.scheduler = scheduler
        self.random = random
        self.around = around
        self.given: Mapping[str, Any] = {}
        self.children: Nesting | None = None
        self.clock = self.around.clock
        self.after_timer: Callable[[], None] | None = None
        self.effects: list[Effect] = []
        self.asked: list[Effect] = []
        self.news: deque[News] = deque()
        # Ordered by a list of links: a plain dict that has lost its first members is slow to begin.
        self.quiet: OrderedDict[Flow, None] = OrderedDict()
        self.rings: dict[Ring, None] = {}
        self.rings_ended: dict[Ring, int] = {}
        self.active: OrderedDict[Life, None] = OrderedDict()
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
        self.lists: dict[int, Sequence[Any]] = {}
        self.phase: Literal["forward", "unwinding", "cancelled"] = "forward"
        self.forward = True
        self._reactions = reactions
        self._steps: dict[str, dict[str, _Step]] = {state: {} for state in rules.legal}
        inner = [vertex.index for vertex in graph.vertices if not vertex.inner]
        self.main = Flow(graph, inner)

    def leave_forward(self, phase: Literal["unwinding", "cancelled"]) -> None:
        """Enter a phase in which no node becomes READY other than to compensate (§8.4.1)."""
        self.phase = phase
        self.forward = phase == "unwinding" and self.rules.ending.releases

    def goes_on(self, flow: Flow) -> bool:
        """Whether what happens in a flow has consequences in it although nothing new starts.

        That is so in the iterations of a loop that is still RUNNING: it compensates (§8.4.1), or
        it has to finish (§6.2.1).
        """
        return flow.owner is not None and flow.owner.state == "RUNNING"

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
        from_, flow = life.state, life.flow
        try:
            step = self._steps[from_][to]
        except KeyError:
            step = self._legal_step(life, to)
        if message is not None:
            message = self._told(message)
        if error_class is not None:
            error_class = self._told(error_class)
        life.state = to
        if step.begins:
            self.active[life] = None
            flow.active += 1
        elif step.ends:
            del self.active[life]
            flow.active -= 1
            if not flow.active and flow.owner is not None:
                self.quiet[flow] = None
        if step.completes and flow.owner is None:
            self.completed.append(life)
        fields = (
            life.vertex.node.id,
            from_,
            to,
            flow.path,
            life.attempt + step.coming or None,
            error_class,
            code,
            message,
            self.clock.now,
        )
        self.effects.append(new_tuple(Transition, fields))
        if step.reactions:
            self.news.append((life, step.reactions))

    def _legal_step(self, life: Life, to: str) -> _Step:
        """Meet a pair for the first time in this run."""
        from_, rules = life.state, self.rules
        if to not in rules.legal[from_] and (from_, to) not in rules.exceptions:
            raise IllegalTransitionError(f"{life.vertex.node.id}: {from_} to {to}")
        step = self._steps[from_][to] = _step(from_, to, rules, self._reactions[to])
        return step

    def _told(self, text: str) -> str:
        secrets = self.around.environment.secrets
        return self.rules.surroundings.told(text, secrets.values()) if secrets else text

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
            self.news.append((life, self._reactions[None]))

    def end(self, outcome: str) -> bool:
        """Lead nodes that were never reached to where they stay (§6.4); tell whether they move."""
        states = self.rules.at_end(outcome)
        waiting = [life for life in self.main.lives.values() if life.state == INITIAL]
        for life in waiting if states else ():
            for to in states:
                self.move(life, to)
        self.news.clear()
        return bool(states and waiting)

    def ask(self, effect: Effect) -> None:
        """Have somebody outside do something."""
        self.effects.append(effect)
        self.asked.append(effect)

    def report(self, code: str, life: Life, message: str) -> None:
        """Report a code that belongs to no transition, about the last attempt of a node (§14.4)."""
        told, node = self._told(message), life.vertex.node.id
        self.effects.append(Report(code, node, told, life.flow.path, life.attempt or None))

    def set_timer(self, life: Life, delay: float, action: Callable[[], None]) -> None:
        """Let something happen to a lifecycle after a delay in virtual seconds."""
        then = self.after_timer

        def fire() -> None:
            action()
            if then is not None:
                then()

        life.timers = (*life.timers, self.clock.after(delay, fire if then else action))

    def stop_timers(self, life: Life) -> None:
        """Forget every timer of a lifecycle."""
        for timer in life.timers:
            timer.cancel()
        life.timers = ()
