"""The search: replays prefixes of choices, and stops where a run comes to a known state.

At each choice only a persistent set of the possible moves is tried
(``reference_runtime.exploration.persistence``), and a run that comes to a choice with a known
fingerprint ends there, since all that can follow has been or will be tried from the first run
that came to it. The fingerprint contains the history, so that every history is found. Both
prunings are argued for the semantics of ``RULES``; under other rules, and for documents with
subworkflows, every interleaving is made.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from reference_runtime.document.model import Harness
from reference_runtime.engine.effects import Invoke
from reference_runtime.engine.graph import build_graph
from reference_runtime.engine.lives import Life
from reference_runtime.exploration.fingerprint import act_name, fingerprint, life_name
from reference_runtime.exploration.history import Chains, History
from reference_runtime.exploration.interference import Interference
from reference_runtime.exploration.persistence import persistent_set
from reference_runtime.plans import Plan
from reference_runtime.rules import RULES, Rules
from reference_runtime.scheduler import Move
from reference_runtime.script import Played, Script, StuckError

__all__ = ["BOUND", "Behaviour", "Explored", "explore"]

#: Runs that are made if nothing else is said.
BOUND = 10_000


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One distinct behaviour.

    Attributes:
        played: a run that shows it, the first one found.
        stuck: why the run could not end, empty if it did.
    """

    played: Played
    stuck: str = ""


@dataclass(frozen=True, slots=True)
class Explored:
    """What an exploration has found.

    Attributes:
        harness: the document.
        behaviours: the distinct ones; the first is that of document order.
        runs: number of runs made, those that ended early included.
        complete: whether these are all; if not, the bound on runs was hit.
    """

    harness: Harness
    behaviours: tuple[Behaviour, ...]
    runs: int
    complete: bool


class _KnownError(Exception):
    """The run has come to a state from which everything is being tried already."""


class _Guided:
    """A scheduler that follows a prefix of choices, then takes the first of what is to be tried.

    Attributes:
        prefixes: what is to be tried besides.
    """

    def __init__(self, search: _Search, prefix: tuple[Hashable, ...]) -> None:
        self._search = search
        self._prefix = prefix
        self._trail: list[Hashable] = []
        self._bag: list[Move] = []
        self._history = History(search.graph, search.chains)
        self.script: Script

    def push(self, move: Move) -> None:
        """Take in a move that has become possible."""
        self._bag.append(move)

    def pop(self, *, calls: bool) -> Move | None:  # noqa: ARG002 - calls are never limited here
        """Choose the next move."""
        self._bag = [move for move in self._bag if self._counts(move)]
        if len(self._bag) < 2:
            return self._bag.pop() if self._bag else None
        moves = {_name(move): move for move in sorted(self._bag)}
        place = len(self._trail)
        name = self._prefix[place] if place < len(self._prefix) else self._choose(moves)
        self._trail.append(name)
        self._bag.remove(moves[name])
        return moves[name]

    def _counts(self, move: Move) -> bool:
        """Whether a move still does anything."""
        state = self.script.run.state
        if isinstance(move.subject, Life):
            return move.subject.state == "READY"
        about = move.subject.about
        if isinstance(about, Invoke):
            return about.number < 0 or about.number in state.calls
        return about is not None or state.phase == "forward"

    def _choose(self, moves: dict[Hashable, Move]) -> Hashable:
        search, script = self._search, self.script
        names = list(moves)
        if search.interference is not None:
            names = persistent_set(script.run.state, script.world, search.interference, moves)
            if len(names) > 1:
                self._history.read(script.played.effects)
                search.meet(fingerprint(script, self._history, moves))
        if len(names) > 1:
            search.prefixes += [(*self._trail, name) for name in reversed(names[1:])]
        return names[0]

    def behaviour(self) -> Hashable:
        """Give what tells the behaviour of the finished run from others."""
        self._history.read(self.script.played.effects)
        return self._history.frozen(), self.script.played.outcome


def _name(move: Move) -> Hashable:
    subject = move.subject
    return life_name(subject) if isinstance(subject, Life) else act_name(subject)


class _Search:
    """What the runs of one exploration share."""

    def __init__(
        self, harness: Harness, plan: Plan, rules: Rules, companions: Mapping[str, bytes]
    ) -> None:
        self._companions = companions
        self._harness = harness
        self._plan = plan
        self._rules = rules
        self.graph = build_graph(rules.reading(harness), rules)
        self.chains = Chains()
        nested = any(node.type == "subworkflow" for node in harness.nodes)
        pruned = rules is RULES and not nested
        self.interference = Interference(self.graph, plan) if pruned else None
        self.prefixes: list[tuple[Hashable, ...]] = [()]
        self.behaviours: dict[Hashable, Behaviour] = {}
        self._met: set[Hashable] = set()

    def meet(self, state: Hashable) -> None:
        """Note a state.

        Raises:
            _KnownError: it was met before.
        """
        if state in self._met:
            raise _KnownError
        self._met.add(state)

    def run(self) -> None:
        """Make one run along the prefix that was put down last."""
        guided = _Guided(self, self.prefixes.pop())
        script = guided.script = Script(
            self._harness,
            self._plan,
            rules=self._rules,
            scheduler=guided,
            companions=self._companions,
            graph=self.graph,
        )
        stuck = ""
        try:
            script.to_end()
        except _KnownError:
            return
        except StuckError as error:
            stuck = str(error)
            script.played.states = script.run.states()
        self.behaviours.setdefault(guided.behaviour(), Behaviour(script.played, stuck))


def explore(
    harness: Harness,
    plan: Plan,
    *,
    rules: Rules = RULES,
    bound: int = BOUND,
    companions: Mapping[str, bytes] | None = None,
) -> Explored:
    """Find every distinct behaviour of a valid document under a plan.

    Distinct are runs with different histories (``reference_runtime.exploration.history``) or
    outcomes.

    Args:
        harness: a valid document.
        plan: what happens outside; when an answer that is at hand is handled is a choice.
        rules: the semantics.
        bound: most runs to make.
        companions: URI → bytes of documents that it may refer to.

    Raises:
        UnsupportedError: the document needs something that this runtime does not execute.
    """
    search = _Search(harness, plan, rules, companions or {})
    runs = 0
    while search.prefixes and runs < bound:
        search.run()
        runs += 1
    return Explored(harness, tuple(search.behaviours.values()), runs, not search.prefixes)
