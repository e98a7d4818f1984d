"""A run as drivers see it: told what happens outside, asked for what it does about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from operator import attrgetter
from random import Random
from typing import Any, Final

from reference_runtime.document.model import Harness, Node
from reference_runtime.engine import attempts, joins, unwinding, waits
from reference_runtime.engine.children import Children
from reference_runtime.engine.effects import Effect, Transition, new_tuple
from reference_runtime.engine.environment import UNSIGNED, Environment
from reference_runtime.engine.graph import Graph, build_graph
from reference_runtime.engine.lives import Life
from reference_runtime.engine.propagation import propagate, reactions, settle
from reference_runtime.engine.state import Around, State, Undo
from reference_runtime.rule_parts.ending import End
from reference_runtime.rules import INITIAL, RULES, Rules
from reference_runtime.scheduler import DocumentOrder, Move, Scheduler

__all__ = ["Run"]

#: Of a lifecycle: its state; all that decides whether it keeps the instance open.
_STATE: Final = attrgetter("state")
_OPENNESS: Final = attrgetter("state", "discarded")

#: ``Rules.written``.
Written = Callable[[Node, Transition], tuple[Transition, ...]]


class Run:
    """One execution instance (§1.7).

    A driver starts it, calls ``step`` while that does something, carries out the effects, and
    passes on what happens outside; it is over when ``done``.

    Args:
        harness: a valid document.
        open_steps: most step calls that may be open together, 0 for no limit.
        seed: of the jitter of retries.
        environment: what it finds around itself.
        graph: the document as ``build_graph`` has prepared it, for who runs it many times.
        outermost: state of the run whose subworkflow this one is, with whom it shares much.

    Attributes:
        state: everything that changes, for who compares runs; drivers have no use for it.
        done: whether it is over.

    """

    def __init__(  # noqa: PLR0913 - everything that a run is given from outside
        self,
        harness: Harness,
        *,
        rules: Rules = RULES,
        scheduler: Scheduler | None = None,
        open_steps: int = 0,
        seed: int = 0,
        environment: Environment | None = None,
        graph: Graph | None = None,
        outermost: State | None = None,
    ) -> None:
        self.state = State(
            graph or build_graph(rules.reading(harness), rules),
            rules,
            scheduler or DocumentOrder(),
            Random(seed),  # noqa: S311 - jitter, no secret
            reactions=reactions(rules),
            around=outermost.around
            if outermost
            else Around(environment or Environment(), rules.clock()),
        )
        if outermost is None:
            make = partial(_inner, rules)
            self.state.children = Children(self.state, make, attempts.child_ended)
        else:
            self.state.children, self.state.random = outermost.children, outermost.random
        self._open_steps = open_steps
        self._later = 0
        self.done = False

    @property
    def now(self) -> float:
        """Virtual seconds since the run began."""
        return self.state.clock.now

    @property
    def outcome(self) -> str:
        """How the instance ended (§5.7); meaningful when it is done, empty if it was refused."""
        if self.refusal:
            return ""
        state, undo = self.state, self.state.undo or Undo()
        states = frozenset(map(_STATE, state.main.lives.values()))
        return state.rules.ending.outcome(End(state.phase, undo.done, undo.failed, states))

    @property
    def refusal(self) -> str:
        """Why the environment does not let a valid document run at all (§11.8), or empty."""
        state = self.state
        unsigned = UNSIGNED in state.around.environment.refused
        if not unsigned or not state.rules.surroundings.unsigned_refused:
            return ""
        return "the document has no good signature, and the environment requires one"

    def states(self) -> dict[str, str]:
        """State of every node of the main flow, in document order; others stay PENDING (A118)."""
        states = dict.fromkeys(self.state.graph.index, INITIAL)
        for life in self.state.main.lives.values():
            states[life.vertex.node.id] = life.state
        return states

    def start(self) -> None:
        """Move the entry set to READY; settle what can never be reached (§5.2, §5.3.3)."""
        if self.refusal:
            self.done = True
            return
        state = self.state
        lives = state.main.lives
        for index in state.graph.entry:
            if index in lives:
                state.move(lives[index], "READY")
        for vertex in state.graph.vertices:
            if vertex.inner:
                for link in vertex.errors:
                    joins.close_error_link(state, state.main, link)
                for link in vertex.forward:
                    joins.negate(state, state.main, link, length=1)
        for life in lives.values():
            joins.consider(state, life)
        propagate(state)

    def step(self) -> bool:
        """Start one READY node, or draw the last consequences; tell whether something moved."""
        if self.done:
            return False
        state = self.state
        while True:
            free = not self._open_steps or len(state.calls) < self._open_steps
            move = state.scheduler.pop(calls=free)
            if move is None:
                break
            subject = move.subject
            if not isinstance(subject, Life):
                subject()
                return True
            if subject.state == "READY":
                attempts.begin(state, subject)
                propagate(state)
                return True
        if self._open(map(_OPENNESS, state.active)) or self._given_up():
            return False
        return self._last_moves()

    def step_on(self) -> bool:
        """Step until somebody outside is asked for something; tell whether that came first."""
        state = self.state
        while self.step():
            if state.asked:
                return True
        return False

    def _last_moves(self) -> bool:
        """Draw the consequences of nothing being active; the run is done when there are none."""
        if not self.state.active and settle(self.state):
            return True
        if self._open(set(map(_OPENNESS, self.state.main.lives.values()))):
            return False
        if self.state.end(self.outcome):
            return True
        self.done = True
        return False

    def _open(self, lives: Iterable[tuple[str, bool]]) -> bool:
        """Whether a lifecycle, of which this is ``_OPENNESS``, keeps the instance open (§5.7)."""
        keeps_open = self.state.rules.ending.keeps_open
        if self.state.rules.ending.first_end_completes and any(
            life.state == "SUCCEEDED" and not life.vertex.forward
            for life in self.state.main.lives.values()
        ):
            return False
        return any(keeps_open(now, discarded) for now, discarded in lives)

    def later(self, action: Callable[[], None]) -> None:
        """Let the scheduler decide when something from outside that is at hand is handled."""
        self._later += 1
        self.state.scheduler.push(new_tuple(Move, ((1, self._later), action, False)))

    def unfinished(self) -> list[tuple[str, str]]:
        """Nodes that keep the instance open, and their states."""
        active = [(life.vertex.node.id, life.state) for life in self.state.active]
        return active + self._given_up()

    def _given_up(self) -> list[tuple[str, str]]:
        children = self.state.children
        return children.given_up(self.state) if children is not None else []

    def take_effects(self) -> list[Effect]:
        """What was done since the last time, in order."""
        state = self.state
        effects, state.effects, state.asked = state.effects, [], []
        written = state.rules.written
        return effects if written is None else list(self._written(effects, written))

    def _written(self, effects: list[Effect], written: Written) -> Iterator[Effect]:
        nodes = self.state.graph.harness.node_by_id
        for effect in effects:
            if isinstance(effect, Transition):
                yield from written(nodes[effect.node], effect)
            else:
                yield effect

    def next_timer(self) -> float | None:
        """Seconds until the next timer is due, None without one."""
        return self.state.clock.next_in()

    def succeed(self, call: int, outputs: Mapping[str, Any]) -> None:
        """A step call succeeded; unknown and given-up calls are ignored."""
        if call < 0 and self.state.children is not None:
            self.state.children.succeed(call, outputs)
            return
        attempts.step_succeeded(self.state, call, outputs)
        propagate(self.state)

    def fail(self, call: int, error_class: str | None, message: str | None = None) -> None:
        """A step call failed; unknown and given-up calls are ignored."""
        if call < 0 and self.state.children is not None:
            self.state.children.fail(call, error_class, message)
            return
        attempts.step_failed(self.state, call, error_class, message)
        propagate(self.state)

    def advance(self, seconds: float) -> None:
        """Time goes on; due timers fire in order."""
        for timer in self.state.clock.advance(seconds):
            timer.action()
            propagate(self.state)

    def cancel(self) -> None:
        """The instance is cancelled from outside."""
        unwinding.cancel_instance(self.state)
        propagate(self.state)

    def event(self, name: str) -> None:
        """An external event arrives."""
        waits.event_arrived(self.state, name)
        propagate(self.state)
        if self.state.children is not None:
            self.state.children.event(name)


def _inner(rules: Rules, graph: Graph, relay: Scheduler, root: State) -> Run:
    """Make the run of a subworkflow."""
    return Run(graph.harness, rules=rules, scheduler=relay, graph=graph, outermost=root)
