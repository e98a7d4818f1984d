"""One request and the messages that belong to it, on the record and within a time limit."""

import math
import time
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, Final, Literal

import msgspec

from suite.protocol.breach import Breach, Gone, cut, quote
from suite.protocol.decode import decode, tag_of
from suite.protocol.exchange import Exchange, Kind, SuiteFault, printable
from suite.protocol.lines import Flood
from suite.protocol.messages import (
    Describe,
    Fault,
    Finding,
    Findings,
    FromRuntime,
    Run,
    ToRuntime,
    Validate,
)
from suite.protocol.transcript import Entry, Transcript
from suite.protocol.wire import Wire

__all__ = [
    "AFTERWARDS",
    "FIRST",
    "UNTIL_STOP",
    "Dialogue",
    "Result",
    "TimeUp",
    "afterword",
    "ask",
    "earlier",
    "validate",
]

#: Number of the request that asks for the description; the cases come after it.
FIRST: Final = 1

_ENCODER: Final = msgspec.json.Encoder()

#: A line a second time, as it was: plain JSON values, ready to be written and read again.
_RECORD: Final = msgspec.json.Decoder(dict[str, Any])

#: What we send is read back as what we promise to send.
_SENT: Final = msgspec.json.Decoder(ToRuntime)

#: Messages that are kept at either end of an exchange that broke off.
_KEPT: Final = 500

#: Bytes of them, at either end; one message is kept whatever its size.
_KEPT_BYTES: Final = 1 << 18

_WHOLE: Final = frozenset({"ended", "findings", "deadlock"})

#: Characters of a fault's text that are shown.
_SHOWN: Final = 4000

#: Characters of what is said of a request that went wrong: it may quote names of any length.
_DETAIL: Final = 16_000

#: How long a program is there for.
UNTIL_STOP: Final = "one program serves all requests, until stop"

#: When a program ended that was to serve the next request too.
AFTERWARDS: Final = f"after its answer was complete; {UNTIL_STOP}"

#: Part of the time limit after which a line that nobody continues counts as unfinished.
_STALLED: Final = 0.5


#: A message on the record: who sent it, when, and as it was.
_Line = tuple[Literal["suite", "runtime"], float, bytes]


class TimeUp(Exception):  # noqa: N818 -- the passing of time is no error of ours
    """The time limit of the request has passed; the text says how far it came."""


class Result(msgspec.Struct, frozen=True):
    """How a request that was not cut short came out."""

    kind: Kind
    detail: str = ""
    findings: tuple[Finding, ...] = ()


class Dialogue:
    """A request under way.

    Args:
        wire: where the adapter is.
        request: the first message.
        limit: real seconds for all of it.

    Attributes:
        usable: afterwards, whether the adapter waits for the next request.
        stale: number of an earlier request → what still came of it, which is no part of this one.
        ending: afterwards, how the program ended before its answer was complete.
        broken: afterwards, whether it sent what is no part of the protocol.
        foreign: whether that was a message of a request that was never made.
        answered: whether any message of the request came.
        ahead: whether the request was made before it was held.
        virtual: seconds by which the virtual clock was moved.
        wall: whether the runtime's clock is the real one.
        limit: real seconds for all of it, from ``hold`` on.
    """

    def __init__(self, wire: Wire, request: Describe | Validate | Run, limit: float) -> None:
        self._wire = wire
        self.limit = limit
        self._record: list[_Line] = []
        self.request = request
        self.usable = False
        self.stale: dict[int, str] = {}
        self.ending = ""
        self.broken = False
        self._gone = False
        self.virtual = 0.0
        self.wall = False
        self.ahead = self.answered = self.foreign = False
        self._result: Result | None = None
        self.started = self._ended = time.monotonic()
        self.deadline = math.inf

    @property
    def now(self) -> float:
        """Seconds since the request began, by the clock that the runtime declares."""
        return time.monotonic() - self.started if self.wall else self.virtual

    def make_ahead(self) -> None:
        """Send the request, of which ``hold`` does the rest later."""
        self.ahead = True
        self._make()

    def _make(self) -> None:
        self._wire.begin()
        self.started = time.monotonic()
        self.send(self.request)
        self._wire.flush()

    def go_on(self, drive: Callable[[], Result | None]) -> None:
        """Do, of a request that was made ahead, what can be done without waiting.

        Args:
            drive: returns None when nothing is left to do now.
        """
        if self._result is None:
            self._result = self._guarded(drive)

    def hold(self, drive: Callable[[], Result | None]) -> Exchange:
        """Let ``drive`` do all after the request and turn every way out into a result."""
        if not self.ahead:
            self._make()
        self.deadline = time.monotonic() + self.limit
        result = self._result or self._guarded(drive)
        if result is None:
            raise SuiteFault("a request was given up before its end")
        return Exchange(
            kind=result.kind,
            transcript=Transcript(self._kept(whole=result.kind in _WHOLE)),
            findings=result.findings,
            detail=cut(printable(result.detail), _DETAIL),
            stderr_tail=printable(self._wire.stderr_tail),
            seconds=self._ended - self.started,
        )

    def _guarded(self, drive: Callable[[], Result | None]) -> Result | None:
        try:
            result = drive()
            if result is not None:
                self.usable = result.kind not in ("deadlock", "unable") and not self._gone
        except Breach as error:
            self.broken = True
            return Result("protocol-error", str(error))
        except Gone as error:
            self.ending = str(error)
            return Result("crash", f"the program {error} before its answer was complete")
        except Flood as error:
            self.broken = bool(self.stale)
            return Result("timeout", str(error))
        except TimeUp as error:
            return self._time_up(str(error))
        finally:
            self._ended = time.monotonic()
        return result

    def _kept(self, *, whole: bool) -> tuple[Entry, ...]:
        """Return the record; only what is judged is kept whole, so that a flood is forgotten."""
        kept = self._record
        if not whole:
            first = _few(kept)
            last = _few(reversed(kept[len(first) :]))
            kept = [*first, *reversed(last)]
        messages = _RECORD.decode_lines(b"\n".join([line for _, _, line in kept]))
        return tuple(
            [
                Entry(source, at, message)
                for (source, at, _), message in zip(kept, messages, strict=True)
            ]
        )

    def send(self, message: ToRuntime) -> None:
        """Send a message and put it on the record, documents left out.

        Raises:
            SuiteFault: the message is none of the protocol.
        """
        line = _ENCODER.encode(message)
        try:
            _SENT.decode(line)
        except msgspec.DecodeError as error:
            raise SuiteFault(f"the suite made a message of its own wrong: {error}") from error
        self._wire.send(line)
        if isinstance(message, Validate | Run):
            line = _ENCODER.encode(msgspec.structs.replace(message, document="", companions={}))
        self._record.append(("suite", self.now, line))

    def receive(self, until: float) -> FromRuntime | None:
        """Return the next message of this request, None once ``until`` has passed.

        Raises:
            Breach, Flood, Gone: see ``Wire.receive``.
            TimeUp: the time limit has passed.
        """
        number = self.request.id
        while True:
            line = self._wire.take()
            if line is None:
                if time.monotonic() >= self.deadline:
                    raise TimeUp
                line = self._wire.receive(min(until, self.deadline))
            if line is None:
                if time.monotonic() >= self.deadline:
                    raise TimeUp
                return None
            message = decode(line)
            if not FIRST < message.id < number:
                break
            self._put_aside(message.id, line)
        self._record.append(("runtime", self.now, line))
        if message.id != number:
            self.foreign = True
            raise Breach(
                f"expected id {number}, the number of the request, "
                f"observed {message.id}: {quote(line)}"
            )
        self.answered = True
        return message

    def finish(self, result: Result) -> Result:
        """Make sure that nothing follows the last message and that the program lives on.

        Raises:
            Breach: something follows.
        """
        while True:
            try:
                line = self._wire.receive(0.0)
            except Gone as error:
                self._gone = True
                return Result("crash", f"the program {error} {AFTERWARDS}")
            if line is None:
                return result
            number = earlier(line, self.request.id)
            if number is None:
                raise Breach(f"a message after the answer was complete: {quote(line)}")
            self._put_aside(number, line)

    def _put_aside(self, number: int, line: bytes) -> None:
        """Keep the first message of each earlier request; none of them is matched to this one."""
        self.stale.setdefault(number, afterword(number, line))

    def _time_up(self, text: str) -> Result:
        unfinished = self._wire.stalled_line(self.limit * _STALLED)
        if unfinished:
            return Result(
                "protocol-error", f"half a line was sent and never ended: {quote(unfinished)}"
            )
        return Result("timeout", "; ".join(filter(None, (f"no end within {self.limit:g} s", text))))


def _few(lines: Iterable[_Line]) -> list[_Line]:
    """Return the first of some lines, as many as are kept of an exchange that broke off."""
    few: list[_Line] = []
    size = 0
    for line in islice(lines, _KEPT):
        size += len(line[2])
        if few and size > _KEPT_BYTES:
            break
        few.append(line)
    return few


def earlier(line: bytes, number: int) -> int | None:
    """Return the number of the case that a line belongs to, if it was asked before ``number``."""
    try:
        found = decode(line).id
    except Breach:
        return None
    return found if FIRST < found < number else None


def afterword(number: int, line: bytes) -> str:
    """Describe a message of a request whose answer was complete."""
    return f"request {number} had ended, nothing more of it is expected; observed {quote(line)}"


def fault_text(fault: Fault) -> str:
    """Return what is shown of a fault."""
    text = fault.message.strip() or "a fault without a message"
    return cut(text, _SHOWN)


def ask(dialogue: Dialogue) -> tuple[Exchange, FromRuntime | None]:
    """Hold a dialogue of one question and one answer; the answer is None when none came."""
    answer: FromRuntime | None = None

    def drive() -> Result:
        nonlocal answer
        message = dialogue.receive(dialogue.deadline)
        if isinstance(message, Fault):
            return dialogue.finish(Result("crash", fault_text(message)))
        answer = message
        return dialogue.finish(Result("ended"))

    return dialogue.hold(drive), answer


def validate(dialogue: Dialogue) -> Exchange:
    """Hold a dialogue in which a document is validated."""

    def drive() -> Result:
        message = dialogue.receive(dialogue.deadline)
        if isinstance(message, Fault):
            return dialogue.finish(Result("crash", fault_text(message)))
        if not isinstance(message, Findings):
            raise Breach(
                "expected findings as the answer to validate, observed "
                f"{tag_of(message) if message else None}"
            )
        return dialogue.finish(Result("findings", findings=message.findings))

    return dialogue.hold(drive)
