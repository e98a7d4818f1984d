"""The one pass over a trace: every lifecycle step by step, with what is decided on the way.

The loop in ``walk`` is the hot path. It settles the common transition with a few dictionary
look-ups and leaves the rest to methods of ``Run``; whatever needs knowledge of the whole
trace (which nodes never moved) is noted there and judged afterwards.
"""

from collections.abc import Iterable
from functools import cached_property

import msgspec

from comparator.difference import Difference
from comparator.form import Keys, Where, as_key
from comparator.graph import Graph
from comparator.histories import ACT_READY, History
from comparator.legality import broken_by_attempts, broken_by_gap, broken_by_pair
from comparator.lifecycle import INITIAL, STATES, SUCCESSES
from comparator.loops import Breach, LoopWatch
from comparator.trace import Key, Transition

__all__ = ["Run", "walk"]

# What entries of a wrong form break.
_ENTRY = ("6.6-entry-node-and-both-states",)
_STATE = ("6.2-only-listed-transitions",)
_ITERATION = ("6.5-each-iteration-has-own-lifecycle",)
_ATTEMPT = ("6.6-entry-attempt-number",)


class Run:
    """What one pass over a trace has found out; owned by one comparison.

    Attributes:
        at: lifecycle → its history at the end.
        outside: stands for the history of nodes whose lifecycles are kept per iteration.
        bad: lifecycle → place at which it became FAILED or CANCELLED.
        first_failure: body or handler → place at which an iteration of it first FAILED.
        ready: lifecycles whose step to READY was not obviously right, with its place.
        cancelled: steps to CANCELLED with their place and the state left.
        compensated: steps to COMPENSATED with their place.
        unhandled: place of the first failure that may start unwinding (§5.8), None without.
        keys_at: place → lifecycle, where it is not simply the node; None for dropped entries.
        faults: lifecycle → its first breach of form or legality; what follows is its effect.
        more: lifecycle → number of further breaches.
        notes: recommendation not followed → how often.
    """

    def __init__(self, graph: Graph, transitions: tuple[Transition, ...]) -> None:
        """Begin with every node of the main flow PENDING."""
        self.graph = graph
        self.transitions = transitions
        self.root = History()
        self.outside = History()
        self.at: dict[Where, History] = dict.fromkeys(graph.main, self.root)
        self.at.update(dict.fromkeys(graph.extent, self.outside))
        self.bad: dict[Where, int] = {}
        self.first_failure: dict[str, int] = {}
        self.ready: list[tuple[int, Where]] = []
        self.cancelled: list[tuple[int, Where, str]] = []
        self.compensated: list[tuple[int, Where]] = []
        self.unhandled: int | None = None
        self.keys_at: dict[int, Key | None] = {}
        self.faults: dict[Where, Difference] = {}
        self.more: dict[Where, int] = {}
        self.notes: dict[str, int] = {}
        labelled = {t.node for t in transitions if t.iteration} if graph.loops else ()
        self.keys = Keys(graph, self.at, frozenset(labelled))
        self.loops = LoopWatch(graph, self.keys)
        self._bases: dict[Where, int] = {}
        self._lives: dict[str, int] = {}
        self._begun: dict[str, int] = {}

    def enter(self, place: int, transition: Transition) -> Where | None:
        """Return the lifecycle of an entry that is not simply a node of the main flow."""
        node = transition.node
        if node not in self.graph.facts.nodes:
            key: Key | None = Key(node)
            self.fault(Key(node), place, Breach("unknown-node", _ENTRY, None, node))
        elif transition.iteration:
            key, fits = self.keys.named(place, transition)
            if not fits:
                self.fault(key, place, Breach("iteration", _ITERATION, None, str(key)))
        else:
            key = self.keys.unnamed(place, transition)
        self.keys_at[place] = key
        if key is not None and key not in self.at:
            self.at[key] = self.root
            self._lives[node] = self._lives.get(node, 0) + 1
        return key

    def fault(self, where: Where, place: int, breach: Breach) -> None:
        """Note a breach, the first of each lifecycle in full."""
        if where in self.faults:
            self.more[where] = self.more.get(where, 0) + 1
            return
        self.faults[where] = Difference(
            kind=breach.kind,
            cites=breach.cites,
            key=as_key(where),
            place=place,
            expected=breach.expected,
            observed=breach.observed,
        )

    def gap(self, place: int, where: Where, transition: Transition, now: History) -> History:
        """Note a step that leaves another state than its node is in, and follow it."""
        from_, to = transition.from_, transition.to
        cites = broken_by_gap(now.state, from_, to)
        self.fault(where, place, Breach("gap", cites, now.state, f"{from_}→{to}"))
        return now.jump(from_, to)

    def attempt(self, place: int, where: Where, given: int | None, history: History) -> None:
        """Check an attempt number that is not simply the expected one."""
        if given is None:
            self.note("attempt-missing")
            return
        expected = history.attempt
        # A134: in iterations the numbers may count on from the iterations before.
        before = 0 if isinstance(where, str) else self._before(where, history)
        if not history.strict:
            # A134: any of 0, 1, the attempt that failed and the one that comes.
            if given in {0, 1, history.attempts, expected} or 0 < given <= before + expected:
                return
        elif not isinstance(where, str):
            base = self._bases.setdefault(where, given - expected)
            if 0 <= base <= before and given == base + expected:
                return
            expected += base if 0 <= base <= before else 0
        self.fault(where, place, Breach("attempt", _ATTEMPT, expected, given))

    def _before(self, key: Key, history: History) -> int:
        """Return the most attempts that may have been counted before those of an iteration."""
        own = history.attempts - (history.state == "RUNNING")
        shown = max(self._lives.get(key.node, 1) - 1, self._begun.get(key.node, 0) - own)
        return max(shown, key.steps[-1][1] if key.steps else 0)

    def note(self, kind: str) -> None:
        """Count a recommendation that was not followed."""
        self.notes[kind] = self.notes.get(kind, 0) + 1

    def special(self, place: int, where: Where, transition: Transition, history: History) -> None:
        """Judge a step that depends on more than the states of its node."""
        from_, to = transition.from_, transition.to
        key = as_key(where)
        node = self.graph.facts.nodes.get(key.node)
        if node is None:
            return
        if to not in STATES:
            self.fault(where, place, Breach("unknown-state", _STATE, None, to))
            return
        broken = broken_by_pair(node, from_, to)
        if broken:
            self.fault(where, place, Breach("illegal-pair", broken, None, f"{from_}→{to}"))
        if to == "RUNNING":
            broken = broken_by_attempts(node, history)
            if broken:
                limit = node.max_attempts if node.idempotent else 1
                self.fault(where, place, Breach("attempts", broken, limit, history.attempts))
        elif to == "COMPENSATED":
            self.compensated.append((place, where))
        elif to == "FAILED":
            self._failed(place, where, transition)
        elif to == "CANCELLED":
            self.bad.setdefault(where, place)
            if not broken:
                self.cancelled.append((place, where, from_))

    def _failed(self, place: int, where: Where, transition: Transition) -> None:
        self.bad.setdefault(where, place)
        node = transition.node
        if node in self.graph.extent:
            self.first_failure.setdefault(node, place)
        # A failed iteration acts through its loop only (§6.5).
        contained = node in self.graph.extent and as_key(where).steps
        if self.unhandled is None and not contained and not self.graph.handled.get(node, False):
            self.unhandled = place
        # A14: a failure has the class that its step gave, or the code of a rule. The text of a
        # step's failure is the step's own, so only that of a code can be missed.
        if transition.error_class is None and transition.code is None:
            self.note("error-class-missing")
        if transition.code is not None and transition.message is None:
            self.note("error-message-missing")

    def watch(self, place: int, key: Key, history: History) -> None:
        """Hold an iteration against the rules of its loop."""
        given = self.transitions[place].attempt
        if history.strict and given is not None:
            self._bases.setdefault(key, given - history.attempt)
        if history.state == "RUNNING":
            self._begun[key.node] = self._begun.get(key.node, 0) + 1
        breach = self.loops.see(place, key, history)
        if breach is not None:
            self.fault(key, place, breach)

    def places(self, wanted: Iterable[Where]) -> dict[Where, list[int]]:
        """Return the places of all entries of the wanted lifecycles, in order.

        Creation entries (A150) are left out, so that places and states of a path go together.
        """
        found: dict[Where, list[int]] = {where: [] for where in wanted}
        if found:
            where: Where
            for place, transition in enumerate(self.transitions):
                where = transition.node
                if place in self.keys_at:
                    known = self.keys_at[place]
                    if known is None:
                        continue
                    where = known
                own = found.get(where)
                if own is not None and (own or transition.to != INITIAL):
                    own.append(place)
        return found

    @cached_property
    def good(self) -> dict[Where, int]:
        """Lifecycle → place at which it SUCCEEDED or was SKIPPED; seldom asked for."""
        found: dict[Where, int] = {}
        keys_at = self.keys_at
        for place, transition in enumerate(self.transitions):
            if transition.to in SUCCESSES:
                where = keys_at.get(place, transition.node) if keys_at else transition.node
                if where is not None:
                    found.setdefault(where, place)
        return found

    def breaches(self) -> list[Difference]:
        """Return the breaches of form and legality, each with the number of further ones."""
        return [
            msgspec.structs.replace(difference, detail={"more": self.more[where]})
            if where in self.more
            else difference
            for where, difference in self.faults.items()
        ]

    def moved(self, where: Where) -> bool:
        """Tell whether the lifecycle ever left PENDING."""
        history = self.at.get(where)
        return history is not None and history.length > 0


def walk(run: Run) -> None:  # noqa: C901, PLR0912  # the hot path: calls would double its cost
    """Pass over the trace once."""
    at, plain = run.at, run.graph.plain
    ready, outside, watched = run.ready, run.outside, bool(run.graph.loops)
    where: Where | None
    for place, transition in enumerate(run.transitions):
        where = transition.node
        try:
            now = at[where]
        except KeyError:
            now = outside
        if now is outside or transition.iteration:
            where = run.enter(place, transition)
            if where is None:
                continue
            now = at[where]
        to = transition.to
        if transition.from_ == now.state:
            try:
                history = now.moves[to]
            except KeyError:
                history = now.grow(to)
        else:
            history = run.gap(place, where, transition, now)
        at[where] = history
        act = history.act
        if act == ACT_READY:
            try:
                edges = plain[where]
            except KeyError:
                ready.append((place, where))
            else:
                for edge in edges:
                    if not at[edge.source].released:
                        ready.append((place, where))
                        break
        elif act:
            run.special(place, where, transition, history)
        # After the pair, which speaks first where both are wrong.
        given = transition.attempt
        if given != history.attempt and (history.strict or given is not None):
            run.attempt(place, where, given, history)
        if watched and not isinstance(where, str):
            run.watch(place, where, history)
