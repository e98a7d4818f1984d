"""A run as drivers see it: told what happens outside, asked for what it does about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from reference_runtime.document.model import Harness
from reference_runtime.engine import attempts, joins, unwinding, waits
from reference_runtime.engine.effects import Effect
from reference_runtime.engine.graph import build_graph
from reference_runtime.engine.lives import Life
from reference_runtime.engine.propagation import propagate, settle
from reference_runtime.engine.state import State
from reference_runtime.rules import RULES, Rules
from reference_runtime.scheduler import DocumentOrder, Move, Scheduler

__all__ = ["Run"]


class Run:
    """One execution instance (§1.7).

    A driver starts it, calls ``step`` while that does something, carries out the effects, and
    passes on what happens outside; it is over when ``done``.

    Args:
        harness: a valid document.
        open_steps: most step calls that may be open together, 0 for no limit.
        seed: of the jitter of retries.
        unresolvable: ids of resources that cannot be resolved (HX-4102).
        bad_digests: ids of artifacts whose bytes do not have their digest (HX-4105).

    Raises:
        UnsupportedError: the document needs something that this runtime does not execute.
    """

    def __init__(  # noqa: PLR0913 - everything that a run is given from outside
        self,
        harness: Harness,
        *,
        rules: Rules = RULES,
        scheduler: Scheduler | None = None,
        open_steps: int = 0,
        seed: int = 0,
        unresolvable: frozenset[str] = frozenset(),
        bad_digests: frozenset[str] = frozenset(),
    ) -> None:
        self._state = State(
            build_graph(harness),
            rules,
            scheduler or DocumentOrder(),
            Random(seed),  # noqa: S311 - jitter, no secret
            unresolvable=unresolvable,
            bad_digests=bad_digests,
        )
        self._open_steps = open_steps
        self._later = 0
        self.done = False

    @property
    def now(self) -> float:
        """Virtual seconds since the run began."""
        return self._state.clock.now

    @property
    def outcome(self) -> str:
        """How the instance ended (§5.7); meaningful when it is done."""
        if self._state.phase == "cancelled":
            return "cancelled"
        if self._state.phase == "forward":
            return "succeeded"
        undo = self._state.undo
        return "compensated" if undo and undo.done and not undo.failed else "failed"

    def states(self) -> dict[str, str]:
        """State of every node of the main flow, in document order; others stay PENDING (A118)."""
        lives = self._state.main.lives
        return {
            vertex.node.id: lives[vertex.index].state if vertex.index in lives else "PENDING"
            for vertex in self._state.graph.vertices
        }

    def start(self) -> None:
        """Move the entry set to READY; settle what can never be reached (§5.2, §5.3.3)."""
        state = self._state
        lives = state.main.lives
        for index in state.graph.entry:
            if index in lives:
                state.move(lives[index], "READY")
        for vertex in state.graph.vertices:
            if vertex.inner:
                for link in vertex.errors:
                    joins.close_error_link(state, state.main, link)
                for link in vertex.forward:
                    joins.resolve(state, state.main, link, satisfied=False, length=1)
        for life in lives.values():
            joins.consider(state, life)
        propagate(state)

    def step(self) -> bool:
        """Start one READY node, or draw the last consequences; tell whether something moved."""
        if self.done:
            return False
        while (move := self._next_move()) is not None:
            if not isinstance(move.subject, Life):
                move.subject()
                return True
            if move.subject.state == "READY":
                attempts.begin(self._state, move.subject)
                propagate(self._state)
                return True
        if self._state.active:
            return False
        if settle(self._state):
            return True
        self.done = True
        return False

    def later(self, action: Callable[[], None]) -> None:
        """Let the scheduler decide when something from outside that is at hand is handled."""
        self._later += 1
        self._state.scheduler.push(Move((1, self._later), action))

    def unfinished(self) -> list[tuple[str, str]]:
        """Nodes that keep the instance open, and their states."""
        return [(life.vertex.node.id, life.state) for life in self._state.active]

    def _next_move(self) -> Move | None:
        free = not self._open_steps or len(self._state.calls) < self._open_steps
        return self._state.scheduler.pop(calls=free)

    def take_effects(self) -> list[Effect]:
        """What was done since the last time, in order."""
        effects, self._state.effects = self._state.effects, []
        return effects

    def next_timer(self) -> float | None:
        """Seconds until the next timer is due, None without one."""
        return self._state.clock.next_in()

    def succeed(self, call: int, outputs: Mapping[str, Any]) -> None:
        """A step call succeeded; unknown and given-up calls are ignored."""
        attempts.step_succeeded(self._state, call, outputs)
        propagate(self._state)

    def fail(self, call: int, error_class: str | None, message: str | None = None) -> None:
        """A step call failed; unknown and given-up calls are ignored."""
        attempts.step_failed(self._state, call, error_class, message)
        propagate(self._state)

    def advance(self, seconds: float) -> None:
        """Time goes on; due timers fire in order."""
        for timer in self._state.clock.advance(seconds):
            timer.action()
            propagate(self._state)

    def cancel(self) -> None:
        """The instance is cancelled from outside."""
        unwinding.cancel_instance(self._state)
        propagate(self._state)

    def event(self, name: str) -> None:
        """An external event arrives."""
        waits.event_arrived(self._state, name)
        propagate(self._state)
