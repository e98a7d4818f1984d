"""A plan at work: what the suite answers to what a runtime does. Pure bookkeeping."""

import math
from collections import defaultdict
from functools import lru_cache
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
        self._answers = [
            (_address(answer.node), place, answer) for place, answer in enumerate(plan.answers)
        ]
        self._outside = [_Outside(Delivery(event.name), event.at) for event in plan.events]
        if plan.cancel is not None:
            self._outside.append(_Outside(Cancelling(), plan.cancel))
        self._depths: dict[str, int] = {}
        for address, _, _ in self._answers:
            depth = max(self._depths.get(address.node, 0), len(address.iteration))
            self._depths[address.node] = depth
        self._alive: defaultdict[str, int] = defaultdict(int)
        self._open: dict[int, _Open] = {}
        self._awaiting = 0  # open calls held until a state, so that most runs look at none
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
        entered = self._entered.get(node)
        if entered is None and not self._awaiting and not self._outside:
            return []
        place = self._place(*key)
        if entered is not None:
            entered.add((place, state))
        actions: list[Action] = []
        for waiting in self._in_plan_order() if self._awaiting else ():
            if _is_at(waiting.hold, place, state):
                waiting.hold = None
                self._awaiting -= 1
                actions += self._reply_when_due(waiting, now)
        return actions + self._happen([o for o in self._outside if _is_at(o.at, place, state)])

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
        self._awaiting += isinstance(waiting.hold, Point)
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
        timed = [waiting for waiting in self._in_plan_order() if waiting.due is not None]
        return [action for waiting in timed for action in self._reply_when_due(waiting, now)]

    def next_due(self, now: float) -> float | None:
        """Seconds until the next answer that only waits for its time, None if none will come."""
        nearest = self._next_due(now)
        return nearest if nearest < (math.inf if self._at_last else NEVER) else None

    def idle(self, timer: float | None, now: float) -> list[Action]:
        """Act at a point where nothing else moves; no action means that nothing ever will.

        ``timer`` is the seconds until the runtime's next timer.
        """
        if actions := self.due(now):
            return actions
        nearest = min(math.inf if timer is None else timer, self._next_due(now))
        if nearest < NEVER:
            return [Clock(nearest)]
        for waiting in self._in_plan_order():
            if isinstance(waiting.hold, IdlePoint):
                waiting.hold = None
                return self._reply_when_due(waiting, now) or self.idle(timer, now)
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

    def _in_plan_order(self) -> list[_Open]:
        return sorted(self._open.values(), key=lambda waiting: (waiting.place, waiting.call))

    def _next_due(self, now: float) -> float:
        """Seconds until the next answer that only waits for its time, however many."""
        nearest = min(
            (w.due - now for w in self._open.values() if w.due is not None and w.hold is None),
            default=math.inf,
        )
        return max(0.0, round(nearest, _DIGITS)) if nearest < math.inf else nearest

    def _reply_when_due(self, waiting: _Open, now: float) -> list[Action]:
        early = waiting.due is not None and waiting.due > now + _TOLERANCE
        if waiting.answer.result == "hang" or waiting.hold is not None or early:
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
        for address, number, answer in self._answers:
            if _covers(address, place) and address.attempt in (None, attempt):
                rank = (address.attempt is not None, bool(address.iteration), address.node != "*")
                if best is None or rank > best[0]:
                    best = (rank, number, answer)
        return (-1, _OK) if best is None else best[1:]


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
