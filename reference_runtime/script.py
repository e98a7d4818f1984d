"""Scripted runs: the plan stands in for the outside world, time jumps to the next timer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from reference_runtime.document.model import Harness
from reference_runtime.engine.effects import Abort, Effect, Invoke, Report, Transition
from reference_runtime.engine.run import Run
from reference_runtime.plans import Answer, Moment, Plan
from reference_runtime.rules import RULES, Rules
from reference_runtime.scheduler import Scheduler

__all__ = ["Played", "StuckError", "play"]


class StuckError(Exception):
    """Nothing can move any more, but the run is not over: the plan leaves steps unanswered."""


@dataclass(slots=True)
class Played:
    """What a scripted run has shown: its effects in order, its outcome, and the final states."""

    effects: list[Effect] = field(default_factory=list)
    outcome: str = ""
    states: dict[str, str] = field(default_factory=dict)

    def transitions(self) -> list[Transition]:
        """The trace."""
        return [effect for effect in self.effects if isinstance(effect, Transition)]

    def reports(self) -> list[Report]:
        """Codes that belong to no transition."""
        return [effect for effect in self.effects if isinstance(effect, Report)]


@dataclass(slots=True, eq=False)
class _Act:
    """Something that the outside world is going to do.

    Attributes:
        order: kind and place in the plan, the order of releases when nothing else moves.
        due: virtual seconds before which it does not happen.
        hold: moment before which it does not happen, None when that has passed.
    """

    order: tuple[int, int]
    due: float
    hold: Moment | None
    action: Callable[[], None]


def _is_moment(hold: Moment | None, seen: Transition) -> bool:
    """Whether a transition is what an act is held back for."""
    return (
        hold is not None
        and hold.address is not None
        and hold.state == seen.to
        and hold.address.covers(seen.node, seen.iteration)
    )


class _World:
    """The outside world of one run, as the plan has it."""

    def __init__(self, run: Run, harness: Harness, plan: Plan, played: Played) -> None:
        self._run = run
        self._harness = harness
        self._plan = plan
        self._played = played
        self._acts: dict[_Act, None] = {}
        self._awaiting: dict[_Act, None] = {}
        self._answers: dict[int, _Act] = {}
        for place, (name, moment) in enumerate(plan.events):
            self._add(_Act((1, place), 0.0, moment, partial(run.event, name)))
        if plan.cancel is not None:
            self._add(_Act((2, 0), 0.0, plan.cancel, run.cancel))

    def _add(self, act: _Act) -> None:
        self._acts[act] = None
        if act.hold is not None and act.hold.address is not None:
            self._awaiting[act] = None

    def observe(self) -> None:
        """Take note of what the run has done, and let held acts happen whose moment it is."""
        for effect in self._run.take_effects():
            self._played.effects.append(effect)
            if isinstance(effect, Transition):
                self._release(effect)
            elif isinstance(effect, Invoke):
                self._answer(effect)
            elif isinstance(effect, Abort):
                self._forget(effect.number)

    def _forget(self, call: int) -> None:
        """Drop the answer to a call that was given up, unless it waits for a state: it is late."""
        act = self._answers.pop(call, None)
        if act is not None and act not in self._awaiting:
            self._acts.pop(act, None)

    def _release(self, seen: Transition) -> None:
        for act in [act for act in self._awaiting if _is_moment(act.hold, seen)]:
            del self._awaiting[act]
            act.hold = None
            self._perform_if_due(act)

    def _find(self, invoke: Invoke) -> tuple[Answer, int]:
        for planned in self._plan.answers:
            if planned.address.covers(invoke.node, invoke.iteration, invoke.attempt):
                return planned.answer, planned.place
        return self._plan.unplanned(self._harness.node_by_id[invoke.node]), len(self._plan.answers)

    def _answer(self, invoke: Invoke) -> None:
        answer, place = self._find(invoke)
        if answer.result == "hang":
            return
        run, call = self._run, invoke.number
        if answer.result == "ok":
            action = partial(run.succeed, call, answer.outputs)
        else:
            action = partial(run.fail, call, answer.error_class, answer.message)
        act = _Act((0, place), run.now + answer.after, self._still_held(answer.hold), action)
        self._answers[call] = act
        self._add(act)
        self._perform_if_due(act)

    def _still_held(self, hold: Moment | None) -> Moment | None:
        """A moment that has passed before the call holds nothing."""
        if hold is None or hold.address is None:
            return hold
        passed = any(_is_moment(hold, seen) for seen in self._played.transitions())
        return None if passed else hold

    def _perform_if_due(self, act: _Act) -> None:
        """Hand an act whose time has come to the scheduler, which decides when it is handled."""
        if act.hold is None and act.due <= self._run.now:
            del self._acts[act]
            self._run.later(act.action)

    def act_when_idle(self) -> bool:
        """Do the next thing now that nothing moves by itself; tell whether there was one."""
        free = [act for act in self._acts if act.hold is None]
        for act in free:
            self._perform_if_due(act)
        waits = [act.due - self._run.now for act in free if act in self._acts]
        if len(waits) < len(free):
            return True
        timer = self._run.next_timer()
        waits += [] if timer is None else [timer]
        if waits and min(waits) < self._plan.horizon:
            self._run.advance(min(waits))
            return True
        held = [act for act in self._acts if act.hold is not None and act.hold.address is None]
        if not held:
            return False
        act = min(held, key=lambda candidate: candidate.order)
        act.hold = None
        self._perform_if_due(act)
        return True


def play(  # noqa: PLR0913 - what a run depends on
    harness: Harness,
    plan: Plan,
    *,
    rules: Rules = RULES,
    scheduler: Scheduler | None = None,
    open_steps: int = 0,
    seed: int = 0,
) -> Played:
    """Run a valid document to its end, the outside world following a plan.

    Raises:
        StuckError: nothing can move, but the run is not over.
        UnsupportedError: the document needs something that this runtime does not execute.
    """
    run = Run(
        harness,
        rules=rules,
        scheduler=scheduler,
        open_steps=open_steps,
        seed=seed,
        unresolvable=plan.unresolvable,
        bad_digests=plan.bad_digests,
    )
    played = Played()
    world = _World(run, harness, plan, played)
    run.start()
    while True:
        world.observe()
        if run.step():
            continue
        if run.done:
            break
        if not world.act_when_idle():
            raise StuckError(
                "nothing can move, but these nodes are not finished: "
                + ", ".join(f"{node} {state}" for node, state in run.unfinished())
            )
    played.outcome = run.outcome
    played.states = run.states()
    return played
