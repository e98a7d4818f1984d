"""A runtime under test as the rest of the suite sees it: open, ask, close."""

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final, NamedTuple

import msgspec

from suite.protocol.breach import Breach, Gone, quote
from suite.protocol.connect import Connector, connector_for, only_python
from suite.protocol.conversation import Conversation, Manner
from suite.protocol.describing import same_description, unfit
from suite.protocol.dialogue import (
    AFTERWARDS,
    FIRST,
    UNTIL_STOP,
    Dialogue,
    afterword,
    ask,
    earlier,
    validate,
)
from suite.protocol.exchange import (
    AdapterDidNotStart,
    Exchange,
    Late,
    SuiteFault,
    TargetError,
    printable,
)
from suite.protocol.lines import Flood
from suite.protocol.messages import Describe, Description, Stop
from suite.protocol.published.runtime import PublishedRuntime
from suite.protocol.request import Askable, Request
from suite.protocol.targets import PublishedTarget, parse_target
from suite.protocol.transcript import Transcript
from suite.protocol.wire import Bounds, Wire

__all__ = [
    "AdapterDidNotStart",
    "AnyRuntime",
    "Runtime",
    "TargetError",
    "open_runtime",
]

#: Seconds after the last answer in which a message too many or a crash is waited for.
_LINGER: Final = 0.05


class _Held(NamedTuple):
    """A request, its dialogue, and what holds it to its end."""

    request: Request
    dialogue: Dialogue
    hold: Callable[[], Exchange]
    go_on: Callable[[], None]


class Runtime(Askable):
    """A described runtime behind an adapter; restarts it on the next request after it died.

    Attributes:
        description: what the adapter said of itself when it was first started.
    """

    def __init__(
        self,
        name: str,
        connector: Connector,
        *,
        settle: float,
        start_limit: float,
        at_last: bool = False,
    ) -> None:
        self._name = name
        self._connector = connector
        self._settle = settle
        self._at_last = at_last
        self._start_limit = start_limit
        self._number = 0
        self._wire: Wire | None = None
        self._asked = 0
        self._ahead: _Held | None = None
        #: What the first request meets: a program that ended before it.
        self._unasked: Exchange | None = None
        self._tail = ""  # of standard error, of the last request
        #: What came too late, each with the place of its request among those that were made.
        self._lates: list[tuple[int, Late]] = []
        try:
            self.description: Description = self._start()
        except BaseException:
            connector.release()
            raise

    def ask(self, request: Request) -> Exchange:
        """Make a request; an adapter that has died is started anew for it."""
        ahead, self._ahead = self._ahead, None
        if ahead is None:
            self._look_back(0.0)
        elif ahead.request != request:
            self._give_up(ahead)
            ahead = None
        self._asked += 1
        if self._unasked is not None:
            exchange, self._unasked = self._unasked, None
            return exchange
        held, exchange = self._attempt(request, ahead)
        if held is None:
            return exchange
        self._keep_stale(held.dialogue, exchange)
        doubtful = held.dialogue.ahead or not held.dialogue.foreign
        if self._number > FIRST + 1 and doubtful and _unheard(held.dialogue):
            # The fault is that of the request before, unless a program that had none makes it too.
            anew, again = self._attempt(request)
            if anew is None:
                # No program starts that could show whose fault it is: it came of this request.
                exchange = msgspec.structs.replace(
                    exchange, detail=f"{exchange.detail}\nand was not started anew: {again.detail}"
                )
            elif again.kind != exchange.kind or not _unheard(anew.dialogue):
                self._keep(self._asked - 1, self._too_late(held.dialogue, exchange))
                exchange = again
            else:
                exchange = again
        self._tail = exchange.stderr_tail
        return exchange

    def ask_ahead(self, request: Request) -> None:
        """Make the request that is asked for next, if nothing depends on when it is made.

        A runtime that goes by the real clock, or whose silence is waited for, is asked in time.
        """
        if not self._connector.apart or self._manner(request).timed or self._ahead is not None:
            return
        self._look_back(0.0)
        if self._wire is not None:
            self._ahead = self._hold(request, self._wire, self._number + 1)
            self._in_advance(self._ahead.dialogue.make_ahead)

    def go_on(self) -> None:
        """Answer what was sent of the request that was made ahead."""
        if self._ahead is not None:
            self._in_advance(self._ahead.go_on)

    def _in_advance(self, act: Callable[[], None]) -> None:
        """Do something for the request that was made ahead.

        A fault of the suite comes again, and is told, when the request is made in its turn.
        """
        try:
            act()
        except SuiteFault:
            self._drop(politely=False)

    def take_late(self) -> Late | None:
        """Return, once, what the adapter did after an answer was complete; None for no more.

        It is noticed at a later request or in ``close``. A message belongs to the request whose
        number it carries, everything else to the one before.
        """
        if not self._lates:
            return None
        place, late = self._lates.pop(0)
        return msgspec.structs.replace(late, ago=self._asked - place)

    def close(self, *, politely: bool = True) -> None:
        """Stop the adapter; whatever is left of its process group is killed."""
        if politely and self._ahead is not None:
            self._give_up(self._ahead)
        elif politely:
            self._look_back(_LINGER)
        wire = self._wire
        self._stop(politely=politely)
        if wire is not None and politely:
            self._note(wire, wire.surplus() or None, wire.mishap())
        self._connector.release()

    def _give_up(self, ahead: _Held) -> None:
        """End a program that was asked ahead for what nobody asks for any more.

        First what came instead of the answer is seen, for a moment.
        """
        ahead.dialogue.limit = _LINGER
        try:
            exchange = ahead.hold()
        except SuiteFault:
            self._drop(politely=False)
            return
        self._keep_stale(ahead.dialogue, exchange)
        if _unheard(ahead.dialogue):
            self._keep(self._asked, self._too_late(ahead.dialogue, exchange))
        self._stop(politely=ahead.dialogue.usable)

    def _keep_stale(self, dialogue: Dialogue, exchange: Exchange) -> None:
        """Keep what came of earlier requests during a dialogue."""
        for number, detail in dialogue.stale.items():
            late = Late("protocol-error", printable(detail), exchange.stderr_tail)
            self._keep(self._place(number), late)

    def _too_late(self, dialogue: Dialogue, exchange: Exchange) -> Late:
        """Return what came before a word to a request, as something of the one before."""
        stderr = self._tail + exchange.stderr_tail
        if dialogue.ending:
            return _ended_late(dialogue.ending, stderr)
        detail = f"a message after the answer was complete: {exchange.detail}"
        return Late("protocol-error", printable(detail), stderr)

    def _manner(self, request: Request) -> Manner:
        settle = self._settle * request.settle_factor
        return Manner.of(self.description, settle, at_last=self._at_last)

    def _hold(self, request: Request, wire: Wire, number: int) -> _Held:
        """Prepare the dialogue of a request."""
        manner = self._manner(request)
        message = request.message(number, scripted=manner.scripted)
        dialogue = Dialogue(wire, message, request.limit)
        if request.plan is None:
            return _Held(request, dialogue, partial(validate, dialogue), _nothing)
        conversation = Conversation(
            dialogue, request.plan, manner, request.known_nodes, request.undoing
        )
        return _Held(request, dialogue, conversation.hold, conversation.go_on)

    def _attempt(
        self, request: Request, held: _Held | None = None
    ) -> tuple[_Held | None, Exchange]:
        """Ask, in a new process where there is none; without a dialogue where that fails."""
        if self._wire is None:
            try:
                same_description(self.description, self._start())
            except AdapterDidNotStart as error:
                self._drop(politely=False)
                return None, Exchange(kind="crash", transcript=Transcript(), detail=str(error))
        if self._wire is None:
            raise AdapterDidNotStart(f"{self._name}: not connected")
        self._number += 1
        held = held or self._hold(request, self._wire, self._number)
        usable = False
        try:
            exchange = held.hold()
            usable = held.dialogue.usable
        finally:
            if not usable:
                self._drop(politely=False)
        return held, exchange

    def _look_back(self, seconds: float) -> None:
        """See what the adapter did since its last answer.

        It is started anew, unless all of it were messages that name a request that was made.
        """
        wire = self._wire
        if wire is None:
            return
        if self._number == FIRST:  # what follows the description shows in the first case
            if not wire.alive():
                self._unasked = _ended_unasked(wire)
                self._drop(politely=False)
            return
        until = time.monotonic() + seconds
        end = None
        try:
            while True:
                surplus = wire.receive(until)
                if surplus is None or earlier(surplus, self._number + 1) is None:
                    break
                self._note(wire, surplus, None)
            surplus = wire.surplus() or None if surplus is None else surplus
            end = None if wire.alive() else wire.farewell()
        except Gone as error:
            surplus, end = wire.surplus() or None, str(error)
        except (Breach, Flood) as error:
            surplus = str(error).encode()
        if surplus is not None or end is not None:
            self._drop(politely=False)
            self._note(wire, surplus, end)

    def _note(self, wire: Wire, surplus: bytes | None, end: str | None) -> None:
        """Keep what came too late, unless no case was asked before."""
        if self._number == FIRST:
            return
        stderr = printable(wire.stderr_tail)
        if surplus is not None:
            number = earlier(surplus, self._number + 1)
            detail = (
                f"a message after the answer was complete: {quote(surplus)}"
                if number is None
                else afterword(number, surplus)
            )
            late = Late("protocol-error", printable(detail), stderr)
            self._keep(self._place(number or self._number), late)
        elif end is not None:
            self._keep(self._asked, _ended_late(end, stderr))

    def _place(self, number: int) -> int:
        """Return which of all requests has a number in the process at hand."""
        return self._asked - (self._number - number)

    def _keep(self, place: int, late: Late) -> None:
        """Keep the first of what came too late of a request."""
        if all(place != kept for kept, _ in self._lates):
            self._lates.append((place, late))

    def _stop(self, *, politely: bool) -> None:
        """End the program, which is told so where there is time for it."""
        if self._wire is not None and politely:
            self._wire.send(msgspec.json.encode(Stop()))
        self._drop(politely=politely)

    def _drop(self, *, politely: bool) -> None:
        wire, self._wire = self._wire, None
        self._ahead = None
        if wire is not None:
            wire.end(politely=politely)

    def _start(self) -> Description:
        """Start the adapter and ask for its description."""
        try:
            self._wire = self._connector.connect()
        except OSError as error:
            raise AdapterDidNotStart(f"{self._name}: adapter did not start: {error}") from None
        self._number = 1
        try:
            exchange, answer = ask(Dialogue(self._wire, Describe(self._number), self._start_limit))
            reason = unfit(exchange, answer)
        except BaseException:
            self._drop(politely=False)
            raise
        if isinstance(answer, Description) and reason is None:
            return answer
        self._drop(politely=False)
        raise AdapterDidNotStart(f"{self._name}: adapter did not start: {reason}")


#: What the rest of the suite asks; the published command-line runtime has no protocol.
AnyRuntime = Runtime | PublishedRuntime


def _nothing() -> None:
    """Nothing is to be answered of a request that has one answer."""


def _ended_late(end: str, stderr: str) -> Late:
    """Return that a program ended after a complete answer."""
    return Late("crash", printable(f"the program {end} {AFTERWARDS}"), stderr)


def _ended_unasked(wire: Wire) -> Exchange:
    """Return that a program ended between its description and the first request."""
    with suppress(Breach, Flood, Gone):  # for its last words
        wire.receive(0.0)
    detail = f"the program {wire.farewell()} after its description, before the first request"
    return Exchange(
        kind="crash",
        transcript=Transcript(),
        detail=printable(f"{detail}; {UNTIL_STOP}"),
        stderr_tail=printable(wire.stderr_tail),
    )


def _unheard(dialogue: Dialogue) -> bool:
    """Whether a program ended, or broke the protocol, without a word to the request."""
    return bool(dialogue.ending or dialogue.broken) and not dialogue.answered


def open_runtime(  # noqa: PLR0913 -- one option of the command line each
    target: str,
    *,
    python: str | None = None,
    in_process: bool = False,
    settle: float = 0.25,
    start_limit: float = 20.0,
    bounds: Bounds | None = None,
    at_last: bool = False,
) -> AnyRuntime:
    """Start the adapter that ``target`` names and ask it to describe itself.

    Args:
        target: value of ``--runtime``, see ``suite.protocol.targets``.
        python: interpreter for a Python object, ours when None.
        in_process: run a Python object in a thread of this process.
        settle: seconds of silence that count as idle for a runtime that cannot say so.
        start_limit: seconds within which the adapter must describe itself.
        bounds: how much of an adapter is put up with.
        at_last: let an hour and more pass when nothing else is left to happen.

    Raises:
        TargetError: the target or a combination of options is wrong; one line.
        AdapterDidNotStart: it gave no usable description; one line.
    """
    parsed = parse_target(target)
    limits = bounds or Bounds()
    if isinstance(parsed, PublishedTarget):
        only_python(target, python, in_process=in_process)
        return PublishedRuntime(target, parsed.path, bounds=limits, start_limit=start_limit)
    connector = connector_for(parsed, target, python, limits, in_process=in_process)
    return Runtime(target, connector, settle=settle, start_limit=start_limit, at_last=at_last)
