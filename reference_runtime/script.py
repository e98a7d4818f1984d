"""Scripted runs: the plan stands in for the outside world, time jumps to the next timer."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any, Final

from reference_runtime.acts import Act, Answers, Moments
from reference_runtime.document.model import Harness, Node
from reference_runtime.engine.effects import Abort, Effect, Inner, Invoke, Report, Transition
from reference_runtime.engine.environment import Environment
from reference_runtime.engine.graph import Graph
from reference_runtime.engine.run import Run
from reference_runtime.plans import Plan
from reference_runtime.rules import RULES, Rules
from reference_runtime.scheduler import Scheduler

__all__ = ["Act", "Played", "Script", "StuckError", "World", "play"]


#: Objects made before garbage is looked for among them.
_KEPT: Final = 200_000


class StuckError(Exception):
    """Nothing can move any more, but the run is not over: the plan leaves steps unanswered."""


@dataclass(slots=True)
class Played:
    """What a scripted run has shown.

    Attributes:
        effects: in order.
        outcome: §5.7, empty if the document was refused.
        refusal: why it was refused, empty if it was not.
        states: final state by node.
    """

    effects: list[Effect] = field(default_factory=list)
    outcome: str = ""
    refusal: str = ""
    states: dict[str, str] = field(default_factory=dict)

    def transitions(self) -> list[Transition]:
        """The trace."""
        return [effect for effect in self.effects if isinstance(effect, Transition)]

    def reports(self) -> list[Report]:
        """Codes that belong to no transition."""
        return [effect for effect in self.effects if isinstance(effect, Report)]


class World:
    """The outside world of one run, as the plan has it.

    Attributes:
        watches: whether something waits for a node to enter a state.
    """

    def __init__(self, run: Run, harness: Harness, plan: Plan, played: Played) -> None:
        self._run = run
        self._plan = plan
        self._played = played
        self._moments = Moments(plan)
        self._answers = Answers(plan, harness)
        self._calls: dict[int, Act] = {}
        self._timed: list[tuple[float, int, Act]] = []
        self._idle: list[tuple[tuple[int, int], int, Act]] = []
        self._added = 0
        self.watches = bool(self._moments.states)
        self._heeded: dict[type[Any], Callable[[Any], None]] = {
            Invoke: self._answer,
            Abort: lambda abort: self._forget(abort.number),
            Inner: self._observe_inner,
            **({Transition: self._release} if self.watches else {}),
        }
        for place, (name, moment) in enumerate(plan.events):
            self._add(Act((1, place), 0.0, moment, name, run.event, (name,)))
        if plan.cancel is not None:
            self._add(Act((2, 0), 0.0, plan.cancel, None, run.cancel))

    def _add(self, act: Act) -> None:
        if act.hold is None:
            self._perform(act)
        elif not self._moments.hold(act.hold, act):
            self._added += 1
            heappush(self._idle, (act.order, self._added, act))

    def _perform(self, act: Act) -> None:
        """Hand an act to the scheduler, which decides when it is handled, once it is due."""
        if act.due > self._run.now:
            self._added += 1
            heappush(self._timed, (act.due, self._added, act))
            return
        act.waits = False
        if isinstance(act.about, Invoke):
            self._calls.pop(act.about.number, None)
        self._run.later(act)

    def waiting(self) -> Iterator[Act]:
        """Yield what is still to be handed over: held for states, for a time, until idle."""
        for acts in (self._moments.held(), *([e[-1] for e in sorted(h)] for h in self._heaps())):
            yield from (act for act in acts if act.waits)

    def _heaps(self) -> tuple[list[Any], list[Any]]:
        return self._timed, self._idle

    def observe(self) -> None:
        """Take note of what the run has done, and let held acts happen whose moment it is."""
        asked = self._run.state.asked
        effects = self._run.take_effects()
        self._played.effects += effects
        for effect in effects if self.watches else asked:
            kind = type(effect)
            if kind in self._heeded:
                self._heeded[kind](effect)

    def _observe_inner(self, inner: Inner) -> None:
        """Take note of something in a subworkflow; its nodes are addressed as ``sub/node``."""
        effect = inner.effect
        if isinstance(effect, Abort):
            self._forget(effect.number)
            return
        name = "/".join((*inner.within, effect.node))
        if isinstance(effect, Invoke):
            self._answer(effect._replace(node=name), inner.node)
        elif isinstance(effect, Transition) and self._moments.states:
            self._release(effect._replace(node=name))

    def _release(self, seen: Transition) -> None:
        for act in self._moments.release(seen):
            act.hold = None
            self._perform(act)

    def _forget(self, call: int) -> None:
        """Drop the answer to a call that was given up, unless it waits for a state: it is late."""
        act = self._calls.pop(call, None)
        if act is not None and (act.hold is None or act.hold.address is None):
            act.waits = False

    def _answer(self, invoke: Invoke, inner: Node | None = None) -> None:
        answer, place = self._answers.find(invoke, inner)
        if answer.result == "hang":
            return
        run, call = self._run, invoke.number
        action: Callable[..., None] = run.succeed
        given: tuple[Any, ...] = (call, answer.outputs)
        if answer.result != "ok":
            action, given = run.fail, (call, answer.error_class, answer.message)
        hold = answer.hold
        if hold is not None and self._moments.passed(hold):
            hold = None
        if hold is None and not answer.after:
            run.later(Act((0, place), 0.0, None, invoke, action, given, waits=False))
            return
        due = run.now + answer.after
        act = self._calls[call] = Act((0, place), due, hold, invoke, action, given)
        self._add(act)

    def act_when_idle(self) -> bool:
        """Do the next thing now that nothing moves by itself; tell whether there was one."""
        timed, now = self._timed, self._run.now
        acted = False
        while timed and (timed[0][0] <= now or not timed[0][-1].waits):
            act = heappop(timed)[-1]
            acted |= act.waits
            if act.waits:
                self._perform(act)
        if acted:
            return True
        timer = self._run.next_timer()
        waits = [] if timer is None else [timer]
        if timed:
            waits.append(timed[0][0] - now)
        if waits and min(waits) < self._plan.horizon:
            self._run.advance(min(waits))
            return True
        while self._idle:
            act = heappop(self._idle)[-1]
            if act.waits:
                act.hold = None
                self._perform(act)
                return True
        if waits and self._plan.at_last:
            self._run.advance(min(waits))
            return True
        return False


class Script:
    """A scripted run that is driven move by move.

    Attributes:
        run: the run itself.
        world: what is outside of it.
        played: what it has shown so far.
    """

    def __init__(  # noqa: PLR0913 - what a run depends on
        self,
        harness: Harness,
        plan: Plan,
        *,
        rules: Rules = RULES,
        scheduler: Scheduler | None = None,
        open_steps: int = 0,
        seed: int = 0,
        companions: Mapping[str, bytes] | None = None,
        graph: Graph | None = None,
    ) -> None:
        self.run = Run(
            harness,
            rules=rules,
            scheduler=scheduler,
            open_steps=open_steps,
            seed=seed,
            environment=Environment(
                plan.unresolvable,
                plan.bad_digests,
                plan.refused,
                companions or {},
                plan.secrets,
            ),
            graph=graph,
        )
        self.played = Played()
        self.world = World(self.run, harness, plan, self.played)
        # A scheduler of the caller's own may look at what has been played before each choice.
        self._step = self.run.step if scheduler or self.world.watches else self.run.step_on

    def to_end(self) -> Played:
        """Run to the end.

        Raises:
            StuckError: nothing can move, but the run is not over.
        """
        run, world, played = self.run, self.world, self.played
        run.start()
        while True:
            world.observe()
            if self._step():
                continue
            world.observe()
            if run.done:
                break
            if not world.act_when_idle():
                raise StuckError(
                    "nothing can move, but these nodes are not finished: "
                    + ", ".join(f"{node} {state}" for node, state in run.unfinished())
                )
        played.outcome, played.refusal = run.outcome, run.refusal
        played.states = run.states()
        return played


@contextmanager
def _garbage_let_lie() -> Iterator[None]:
    """Look for garbage seldom: a run makes much to keep, and little that needs to be found."""
    before = gc.get_threshold()
    if before[0]:
        gc.set_threshold(max(_KEPT, before[0]), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def play(  # noqa: PLR0913 - what a run depends on
    harness: Harness,
    plan: Plan,
    *,
    rules: Rules = RULES,
    scheduler: Scheduler | None = None,
    open_steps: int = 0,
    seed: int = 0,
    companions: Mapping[str, bytes] | None = None,
) -> Played:
    """Run a valid document to its end, the outside world following a plan.

    Raises:
        StuckError: nothing can move, but the run is not over.
        UnsupportedError: the document needs something that this runtime does not execute.
    """
    with _garbage_let_lie():
        script = Script(
            harness,
            plan,
            rules=rules,
            scheduler=scheduler,
            open_steps=open_steps,
            seed=seed,
            companions=companions,
        )
        return script.to_end()
