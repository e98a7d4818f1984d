"""A plan at work: what the suite answers to what a runtime does. Pure bookkeeping."""

import math
from collections import defaultdict
from functools import lru_cache
from heapq import heappop, heappush
from itertools import chain
from typing import Final, NamedTuple

import msgspec

from comparator.address import Address, parse_address
from comparator.lifecycle import INITIAL, TERMINAL
from comparator.trace import LoopStep
from suite.corpus.durations import NEVER
from suite.corpus.plan import Answer, IdlePoint, Plan, Point
from suite.protocol.messages import Invoke, TransitionMessage

__all__ = [
    "Action",
    "Cancelling",
    "Clock",
    "Delivery",
    "Interpreter",
    "Reply",
    "UntoldError",
]

#: Times are sums of floats: that close is the same moment.
_TOLERANCE: Final = 1e-9
_DIGITS: Final = 9

_RETRYING: Final = "RETRYING"
_OK: Final = Answer(node="*", result="ok")

_address: Final = lru_cache(1024)(parse_address)


class UntoldError(Exception):
    """A call does not tell its iteration, by which the plan answers it; the text says so."""


class Reply(NamedTuple):
    """The call is answered."""

    call: int
    answer: Answer


class Delivery(NamedTuple):
    """The external event is delivered."""

    name: str


class Cancelling(NamedTuple):
    """The instance is cancelled from outside."""


class Clock(NamedTuple):
    """The clock moves on by that many seconds, or is waited for."""

    seconds: float


Action = Reply | Delivery | Cancelling | Clock


class _Open(msgspec.Struct):
    """A call without answer; ``place`` is the answer's place in the plan, -1 if unplanned."""

    call: int
    node: str
    answer: Answer
    place: int
    due: float | None
    hold: Point | IdlePoint | None


#: Sorts open calls: place in the plan, then number.
_Order = tuple[int, int]


class _Outside(msgspec.Struct):
    """An event or the cancellation that has not happened yet."""

    action: Delivery | Cancelling
    at: Point | IdlePoint


_Key = tuple[str, tuple[LoopStep, ...]]


class _Place(NamedTuple):
    """Where something happened; ``round`` counts how often the node left its initial state."""

    node: str
    iteration: tuple[LoopStep, ...]
    round: int


class Interpreter:
    """Follows one run; every method returns what the suite does now.

    ``now`` is in seconds since the run began, by the clock that the runtime declares.

    Args:
        plan: what is answered, and what happens from outside.
        at_last: let an hour and more pass when there is nothing else that can happen. In plans
            of the corpus such times are there never to elapse.
    """

    def __init__(self, plan: Plan, *, at_last: bool = False) -> None:
        self._at_last = at_last
        #: Node or ``*`` → what is planned for it: address, place in the plan, answer.
        self._answers: defaultdict[str, list[tuple[Address, int, Answer]]] = defaultdict(list)
        self._depths: dict[str, int] = {}
        for number, answer in enumerate(plan.answers):
            address = _address(answer.node)
            self._answers[address.node].append((address, number, answer))
            depth = max(self._depths.get(address.node, 0), len(address.iteration))
            self._depths[address.node] = depth
        self._outside = [_Outside(Delivery(event.name), event.at) for event in plan.events]
        if plan.cancel is not None:
            self._outside.append(_Outside(Cancelling(), plan.cancel))
        self._alive: defaultdict[str, int] = defaultdict(int)
        self._open: dict[int, _Open] = {}
        #: Node or ``*`` → open calls that are held until it enters a state, by number.
        self._at_states: defaultdict[str, dict[int, _Open]] = defaultdict(dict)
        #: Calls held until idle, in plan order, and those that wait for their time, in that of
        #: time; some of them may have been given up.
        self._at_idle: list[tuple[_Order, _Open]] = []
        self._timed: list[tuple[float, _Order, _Open]] = []
        #: Node that an answer is held for → what it entered.
        self._entered: dict[str, set[tuple[_Place, str]]] = {
            _address(answer.hold.node).node: set()
            for answer in plan.answers
            if isinstance(answer.hold, Point)
        }
        self._rounds: defaultdict[_Key, int] = defaultdict(int)
        self._retries: defaultdict[_Key, int] = defaultdict(int)

    def transition(self, message: TransitionMessage, now: float) -> list[Action]:
        """Note a state change; it may be the moment that something waits for."""
        node, state = message.node, message.to
        key = (node, message.iteration)
        if message.from_ == INITIAL:
            self._rounds[key] += 1
            self._retries[key] = 0
            self._alive[node] += 1
        if state == _RETRYING:
            self._retries[key] += 1
        if state in TERMINAL:
            self._alive[node] -= 1
        awaited = node in self._entered or "*" in self._entered
        if not (awaited or self._outside):
            return []
        place = self._place(*key)
        if node in self._entered:
            self._entered[node].add((place, state))
        actions: list[Action] = []
        for waiting in self._held_until(place, state):
            waiting.hold = None
            actions += self._reply_when_due(waiting, now)
        return actions + self._happen([o for o in self._outside if _is_at(o.at, place, state)])

    def _held_until(self, place: _Place, state: str) -> list[_Open]:
        """Take out, in plan order, the calls that are held until a place enters a state."""
        found: list[_Open] = []
        for name in (place.node, "*"):
            held = self._at_states.get(name, {})
            released = [w for w in held.values() if _is_at(w.hold, place, state)]
            for waiting in released:
                del held[waiting.call]
            found += released
        return sorted(found, key=_order)

    def invoke(self, message: Invoke, now: float) -> list[Action]:
        """Note a call and answer it, unless the plan holds the answer back.

        Raises:
            UntoldError: the plan cannot be followed.
        """
        place, answer = self._match(message)
        hold = answer.hold
        waiting = _Open(
            call=message.call,
            node=message.node,
            answer=answer,
            place=place,
            due=None if answer.after is None else now + answer.after,
            hold=None if isinstance(hold, Point) and self._reached(hold) else hold,
        )
        self._open[message.call] = waiting
        if isinstance(waiting.hold, Point):
            self._at_states[_address(waiting.hold.node).node][message.call] = waiting
        elif waiting.hold is not None:
            heappush(self._at_idle, (_order(waiting), waiting))
        return self._reply_when_due(waiting, now)

    def abort(self, call: int) -> None:
        """Note that the runtime gave up a call.

        Its answer is not sent any more, unless it is held until a state: then it is sent late,
        to see that it has no effect.
        """
        given_up = self._open.get(call)
        if given_up is not None and not isinstance(given_up.hold, Point):
            del self._open[call]

    def due(self, now: float) -> list[Action]:
        """Answer the calls whose time has come, in plan order."""
        come: list[_Open] = []
        while self._timed and self._timed[0][0] <= now + _TOLERANCE:
            waiting = heappop(self._timed)[-1]
            come += [waiting] * self._is_open(waiting)
        come.sort(key=_order)
        return [action for waiting in come for action in self._reply_when_due(waiting, now)]

    def next_due(self, now: float) -> float | None:
        """Seconds until the next answer that only waits for its time, None if none will come."""
        nearest = self._next_due(now)
        return nearest if nearest < (math.inf if self._at_last else NEVER) else None

    def idle(self, timer: float | None, now: float) -> list[Action]:
        """Act at a point where nothing else moves; no action means that nothing ever will.

        ``timer`` is the seconds until the runtime's next timer.
        """
        while True:
            if actions := self.due(now):
                return actions
            nearest = min(math.inf if timer is None else timer, self._next_due(now))
            if nearest < NEVER:
                return [Clock(nearest)]
            if not self._at_idle:
                break
            waiting = heappop(self._at_idle)[-1]
            waiting.hold = None
            if self._is_open(waiting) and (actions := self._reply_when_due(waiting, now)):
                return actions
        held = [o for o in self._outside if isinstance(o.at, IdlePoint)][:1]
        if not held and self._at_last and nearest < math.inf:
            return [Clock(nearest)]
        return self._happen(held)

    def waiting(self) -> str:
        """Describe, for people, what has not happened yet."""
        parts = [f"call {w.call} of {w.node!r} {_reason(w)}" for w in self._open.values()]
        parts += [
            f"{'cancel' if isinstance(o.action, Cancelling) else f'event {o.action.name!r}'} "
            f"is planned for {_moment(o.at)}"
            for o in self._outside
        ]
        return "; ".join(parts) or "no call is open and nothing more is planned"

    def _is_open(self, waiting: _Open) -> bool:
        """Whether a call was neither answered nor given up."""
        return self._open.get(waiting.call) is waiting

    def _next_due(self, now: float) -> float:
        """Seconds until the next answer that only waits for its time, however many."""
        while self._timed and not self._is_open(self._timed[0][-1]):
            heappop(self._timed)
        if not self._timed:
            return math.inf
        return max(0.0, round(self._timed[0][0] - now, _DIGITS))

    def _reply_when_due(self, waiting: _Open, now: float) -> list[Action]:
        if waiting.answer.result == "hang" or waiting.hold is not None:
            return []
        if waiting.due is not None and waiting.due > now + _TOLERANCE:
            heappush(self._timed, (waiting.due, _order(waiting), waiting))
            return []
        del self._open[waiting.call]
        return [Reply(waiting.call, waiting.answer)]

    def _happen(self, happening: list[_Outside]) -> list[Action]:
        if happening:
            self._outside = [o for o in self._outside if o not in happening]
        return [o.action for o in happening]

    def _be_told(self, message: Invoke) -> None:
        """Make sure that a call tells which iteration it is of, if the plan depends on it.

        A runtime need not tell iterations (§6.6): where they come one after the other they are
        counted, but nested and concurrent ones cannot be told apart.
        """
        depth = self._depths.get(message.node, 0)
        told = len(message.iteration)
        if told < depth and (depth > 1 or told or self._alive[message.node] > 1):
            raise UntoldError(
                f"needs the iteration of every call of {message.node!r}, {depth} "
                f"level{'s' * (depth > 1)}; the call tells {told}"
            )

    def _place(self, node: str, iteration: tuple[LoopStep, ...]) -> _Place:
        return _Place(node, iteration, self._rounds[node, iteration])

    def _reached(self, point: Point) -> bool:
        entered = self._entered.get(_address(point.node).node, ())
        return any(_is_at(point, place, state) for place, state in entered)

    def _match(self, message: Invoke) -> tuple[int, Answer]:
        """Find the answer planned for an attempt: attempt > iteration > node > ``*``."""
        self._be_told(message)
        place = self._place(message.node, message.iteration)
        # A runtime need not number its attempts (§6.6): then they are counted here.
        attempt = message.attempt or self._retries[message.node, message.iteration] + 1
        best: tuple[tuple[bool, bool, bool], int, Answer] | None = None
        planned = chain(self._answers.get(place.node, ()), self._answers.get("*", ()))
        for address, number, answer in planned:
            if _covers(address, place) and address.attempt in (None, attempt):
                rank = (address.attempt is not None, bool(address.iteration), address.node != "*")
                if best is None or rank > best[0]:
                    best = (rank, number, answer)
        return (-1, _OK) if best is None else best[1:]


def _order(waiting: _Open) -> _Order:
    return waiting.place, waiting.call


def _covers(address: Address, place: _Place) -> bool:
    """Whether an address, its attempt apart, means that place."""
    if address.node not in ("*", place.node):
        return False
    if not address.iteration:
        return True
    if not place.iteration:
        # A runtime need not tell iterations (§6.6): sequential ones are counted.
        return [step.number for step in address.iteration] == [place.round - 1]
    return len(address.iteration) == len(place.iteration) and all(
        step.number == seen.index and step.loop in (None, seen.loop)
        for step, seen in zip(address.iteration, place.iteration, strict=True)
    )


def _is_at(point: Point | IdlePoint | None, place: _Place, state: str) -> bool:
    """Whether the place entering the state is the moment meant."""
    if not isinstance(point, Point) or point.state != state:
        return False
    return _covers(_address(point.node), place)


def _reason(waiting: _Open) -> str:
    if waiting.answer.result == "hang":
        return "is planned never to be answered"
    if waiting.hold is not None:
        return f"is held until {_moment(waiting.hold)}"
    return f"is answered after {waiting.answer.after:g} s"


def _moment(point: Point | IdlePoint) -> str:
    return "idle" if isinstance(point, IdlePoint) else f"{point.node} {point.state}"
