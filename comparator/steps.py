"""Step calls laid into the attempts of the trace: whose call it is, and in which attempt.

A call of an iteration may leave out its iteration, or the outer levels of it (A117): it then
belongs to the one iteration of its node that is RUNNING when it is made. Where several are,
nobody can tell, and nothing is said about single iterations of that node. A call may also name an
iteration that the trace of a handler does not name.
"""

from collections.abc import Iterator, Sequence

from comparator.form import Where, as_key, where_of
from comparator.lifecycle import INITIAL
from comparator.observation import Call
from comparator.trace import Key
from comparator.walk import Run

__all__ = ["Attempt", "Laid", "Steps"]


class Attempt:
    """One stay of a lifecycle in RUNNING.

    Attributes:
        where: the lifecycle.
        number: 1, 2, 3… within the lifecycle.
        begin: place of the transition to RUNNING.
        end: place of the next transition, None without.
        calls: the calls made in between.
    """

    __slots__ = ("begin", "calls", "end", "number", "where")

    def __init__(self, where: Where, number: int, begin: int) -> None:
        """Begin without a call and without an end."""
        self.where = where
        self.number = number
        self.begin = begin
        self.end: int | None = None
        self.calls: list[Laid] = []


class Laid:
    """A call with its place in the trace.

    Attributes:
        call: as observed.
        where: the lifecycle, None when several iterations may have made it.
        attempt: the attempt that it lies in, None outside of RUNNING.
        state: state of the lifecycle when it was made.
    """

    __slots__ = ("attempt", "call", "state", "where")

    def __init__(self, call: Call, where: Where | None, state: str) -> None:
        """Begin outside of every attempt."""
        self.call = call
        self.where = where
        self.state = state
        self.attempt: Attempt | None = None


class Steps:
    """All attempts and calls of one run, found in one pass over both.

    Attributes:
        calls: in order of their places.
        attempts: in order of their beginnings.
        ambiguous: nodes with a call that nobody can tell the iteration of.
    """

    def __init__(self, run: Run, calls: Sequence[Call]) -> None:
        """Lay ``calls`` into the attempts of ``run``."""
        self.calls: list[Laid] = []
        self.attempts: list[Attempt] = []
        self.ambiguous: set[str] = set()
        self._run = run
        self._counts: dict[Where, int] = {}
        self._states: dict[Where, str] = {}
        self._running: dict[Where, Attempt] = {}
        # (node, inner levels) → attempts under way that these levels may stand for.
        self._candidates: dict[Key, dict[Where, Attempt]] = {}
        self._found: dict[tuple[Where, int | None], list[Call]] = {}
        self._lay(sorted(calls, key=lambda call: call.place))

    def of(self, where: Where, attempt: int | None = None) -> Sequence[Call]:
        """Return the calls of a node (as text), of one lifecycle of it, or of an attempt."""
        return self._found.get((where, attempt), ())

    def _lay(self, calls: Sequence[Call]) -> None:
        keys_at = self._run.keys_at
        following = 0
        for place, transition in enumerate(self._run.transitions):
            while following < len(calls) and calls[following].place <= place:
                self._take(calls[following])
                following += 1
            where = keys_at.get(place, transition.node)
            if where is not None:
                self._step(place, where, transition.to)
        for call in calls[following:]:
            self._take(call)

    def _step(self, place: int, where: Where, to: str) -> None:
        self._states[where] = to
        ended = self._running.pop(where, None)
        if ended is not None:
            ended.end = place
            for key in self._suffixes(where):
                self._candidates[key].pop(where)
        if to == "RUNNING":
            number = self._counts[where] = self._counts.get(where, 0) + 1
            attempt = self._running[where] = Attempt(where, number, place)
            self.attempts.append(attempt)
            for key in self._suffixes(where):
                self._candidates.setdefault(key, {})[where] = attempt

    def _suffixes(self, where: Where) -> Iterator[Key]:
        """Yield what a call of the lifecycle may be named by, for nodes that iterate."""
        node, steps = as_key(where)
        if node in self._run.graph.behind:
            for depth in range(len(steps) + 1):
                yield Key(node, steps[depth:])

    def _take(self, call: Call) -> None:
        named = Key(call.node, tuple((step.loop, step.index) for step in call.iteration))
        where: Where | None = where_of(self._run.graph, named)
        if where not in self._running:
            candidates = self._candidates.get(named, {})
            if len(candidates) == 1:
                (where,) = candidates
            elif candidates:
                where = None
                self.ambiguous.add(call.node)
            elif call.node not in self._run.graph.bodies and Key(call.node) in self._running:
                # The trace does not name iterations of this handler.
                where = Key(call.node)
        laid = Laid(call, where, INITIAL if where is None else self._states.get(where, INITIAL))
        self.calls.append(laid)
        self._index((call.node, None), call)
        if where is None:
            return
        laid.attempt = self._running.get(where)
        number = call.attempt
        if laid.attempt is not None:
            laid.attempt.calls.append(laid)
            number = laid.attempt.number
        if number is not None:
            self._index((call.node, number), call)
        if where != call.node:
            self._index((where, None), call)
            if number is not None:
                self._index((where, number), call)

    def _index(self, key: tuple[Where, int | None], call: Call) -> None:
        self._found.setdefault(key, []).append(call)
