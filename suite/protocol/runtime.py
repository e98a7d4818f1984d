"""A runtime under test as the rest of the suite sees it: open, ask, close."""

import re
import time
from base64 import b64encode
from collections.abc import Callable, Collection, Mapping
from types import TracebackType
from typing import Final, Self

import msgspec

from suite.corpus.plan import Plan
from suite.protocol.breach import Breach, Gone, quote
from suite.protocol.connect import Connector, connector_for, only_python
from suite.protocol.conversation import Conversation, Manner
from suite.protocol.dialogue import AFTERWARDS, Dialogue, ask, validate
from suite.protocol.exchange import AdapterDidNotStart, Exchange, Late, TargetError, printable
from suite.protocol.lines import Flood
from suite.protocol.messages import PROTOCOL, Describe, Description, Run, Stop, Validate
from suite.protocol.published.runtime import PublishedRuntime
from suite.protocol.targets import PublishedTarget, parse_target
from suite.protocol.transcript import Transcript
from suite.protocol.wire import Bounds, Wire

__all__ = [
    "AdapterDidNotStart",
    "AnyRuntime",
    "Runtime",
    "TargetError",
    "open_runtime",
    "same_description",
]

#: Characters of a reason that are shown in one line.
_SHOWN: Final = 500

#: Seconds after the last answer in which a message too many or a crash is waited for.
_LINGER: Final = 0.05

#: Number of the request that asks for the description; the cases come after it.
_FIRST: Final = 1

#: A virtual clock that nobody could move: the suite would not know by how much.
_UNMOVED: Final = ("interactive", "virtual", "settle")

#: How the telling line of an error output looks, whatever the language.
_ERROR: Final = re.compile(r"([Ee]rror|Exception|fatal|panic)\b")


class Runtime:
    """A described runtime behind an adapter; restarts it on the next request after it died.

    Use as a context manager, or call ``close``.

    Attributes:
        description: what the adapter said of itself when it was first started.
    """

    def __init__(
        self, name: str, connector: Connector, *, settle: float, start_limit: float
    ) -> None:
        self._name = name
        self._connector = connector
        self._settle = settle
        self._start_limit = start_limit
        self._number = 0
        self._wire: Wire | None = None
        self._late: Late | None = None
        try:
            self.description: Description = self._start()
        except BaseException:
            connector.release()
            raise

    def validate(self, document: bytes, companions: Mapping[str, bytes], limit: float) -> Exchange:
        """Ask for the verdict on a document; ``limit`` in real seconds."""

        def request(wire: Wire, number: int) -> tuple[Dialogue, Exchange]:
            message = Validate(number, _base64(document), _all_base64(companions))
            dialogue = Dialogue(wire, message, limit)
            return dialogue, validate(dialogue)

        return self._request(request)

    def run(  # noqa: PLR0913 -- what a run is given, and two options that most callers leave out
        self,
        document: bytes,
        companions: Mapping[str, bytes],
        plan: Plan,
        limit: float,
        *,
        known_nodes: Collection[str] | None = None,
        undoing: Collection[str] = frozenset(),
        settle_factor: float = 1.0,
    ) -> Exchange:
        """Execute a document under a plan.

        Args:
            document: bytes of the document.
            companions: URI → bytes of documents that it refers to.
            plan: what the attempts answer and what happens from outside.
            limit: real seconds for the whole run.
            known_nodes: ids of the document's nodes; another one in a message is a
                protocol-error. None accepts any.
            undoing: nodes that undo others, which may be called without states of their own.
            settle_factor: multiplies the silence that counts as idle.
        """
        manner = Manner.of(self.description, self._settle * settle_factor)

        def request(wire: Wire, number: int) -> tuple[Dialogue, Exchange]:
            message = Run(
                number,
                _base64(document),
                _all_base64(companions),
                plan if manner.scripted else None,
                plan.unresolvable,
                plan.bad_digests,
                plan.refused,
            )
            dialogue = Dialogue(wire, message, limit)
            return dialogue, Conversation(dialogue, plan, manner, known_nodes, undoing).hold()

        return self._request(request)

    def take_late(self) -> Late | None:
        """Return, once, what the adapter did after an answer was complete; None for nothing.

        It is noticed at the next request or in ``close``, and belongs to the request before.
        """
        late, self._late = self._late, None
        return late

    def close(self, *, politely: bool = True) -> None:
        """Stop the adapter; whatever is left of its process group is killed.

        Args:
            politely: give it the time to say what it still has to say, and to end by itself.
        """
        if politely:
            self._look_back(_LINGER)
        wire = self._wire
        if wire is not None and politely:
            wire.send(msgspec.json.encode(Stop()))
        self._drop(politely=politely)
        if wire is not None and politely:
            self._note(wire, wire.surplus(), wire.mishap())
        self._connector.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.close()

    def _request(self, request: Callable[[Wire, int], tuple[Dialogue, Exchange]]) -> Exchange:
        self._look_back(0.0)
        dialogue, exchange = self._attempt(request)
        late = None
        if dialogue is not None and self._number > _FIRST + 1:
            late = _of_the_one_before(dialogue, exchange)
        if late is None:
            return exchange
        _, again = self._attempt(request)
        if late.kind == "crash" == again.kind:
            return again
        self._late = late
        return again

    def _attempt(
        self, request: Callable[[Wire, int], tuple[Dialogue, Exchange]]
    ) -> tuple[Dialogue | None, Exchange]:
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
        usable = False
        try:
            dialogue, exchange = request(self._wire, self._number)
            usable = dialogue.usable
        finally:
            if not usable:
                self._drop(politely=False)
        return dialogue, exchange

    def _look_back(self, seconds: float) -> None:
        """See what the adapter did since its last answer; if anything, it is started anew."""
        wire = self._wire
        if wire is None:
            return
        if self._number <= _FIRST:  # what follows the description shows in the first case
            if not wire.alive():
                self._drop(politely=False)
            return
        end = None
        try:
            surplus = wire.receive(time.monotonic() + seconds) or wire.surplus()
            end = None if wire.alive() else wire.farewell()
        except Gone as error:
            surplus, end = wire.surplus(), str(error)
        except (Breach, Flood) as error:
            surplus, end = str(error).encode(), None
        if surplus or end is not None:
            self._drop(politely=False)
            self._note(wire, surplus, end)

    def _note(self, wire: Wire, surplus: bytes, end: str | None) -> None:
        """Keep what came too late, unless no case was asked before."""
        if self._number <= _FIRST or not (surplus or end):
            return
        stderr = printable(wire.stderr_tail)
        if surplus:
            detail = f"a message after the answer was complete: {quote(surplus)}"
            self._late = Late("protocol-error", printable(detail), stderr)
        else:
            self._late = Late("crash", printable(f"the program {end} {AFTERWARDS}"), stderr)

    def _drop(self, *, politely: bool) -> None:
        wire, self._wire = self._wire, None
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
            reason = _unfit(exchange, answer)
        except BaseException:
            self._drop(politely=False)
            raise
        if isinstance(answer, Description) and reason is None:
            return answer
        self._drop(politely=False)
        raise AdapterDidNotStart(f"{self._name}: adapter did not start: {reason}")


#: What the rest of the suite asks; the published command-line runtime has no protocol.
AnyRuntime = Runtime | PublishedRuntime


def same_description(known: Description, described: Description) -> None:
    """Make sure that an adapter says the same of itself at every start.

    Raises:
        AdapterDidNotStart: it does not; scenarios were chosen by what it said first.
    """
    fields = [f for f in known.__struct_fields__ if getattr(known, f) != getattr(described, f)]
    if fields:
        raise AdapterDidNotStart(
            f"expected the description of the first start, observed other {', '.join(fields)}"
        )


def _of_the_one_before(dialogue: Dialogue, exchange: Exchange) -> Late | None:
    """Return what spoiled a request and belongs to the one that the same process answered before.

    A program that ends without a word to the request had met its end before, unless a new one
    ends as well.
    """
    if dialogue.stale:
        return Late("protocol-error", printable(dialogue.stale), exchange.stderr_tail)
    if dialogue.ending and not any(e.source == "runtime" for e in exchange.transcript.entries):
        detail = f"the program {dialogue.ending} {AFTERWARDS}"
        return Late("crash", printable(detail), exchange.stderr_tail)
    return None


def _unfit(exchange: Exchange, answer: object) -> str | None:
    """Say in one line why an answer to describe is none, None when it is fine."""
    if isinstance(answer, Description) and exchange.kind == "ended":
        lowest, highest = PROTOCOL
        if (answer.control, answer.clock, answer.quiescence) == _UNMOVED:
            return (
                "quiescence settle goes with clock wall: a virtual clock is moved by the timer "
                "that idle tells"
            )
        if lowest <= answer.protocol <= highest:
            return None
        return (
            f"expected protocol version {lowest} to {highest}, observed {answer.protocol}; "
            "another version of the suite may speak it"
        )
    if exchange.kind == "ended":
        return "expected a description as the first message, observed another one"
    said = "" if exchange.kind == "protocol-error" else _telling(exchange.stderr_tail)
    detail = exchange.detail.splitlines() or [""]
    # Of a crash the first line names the error; the frames below it would drown it.
    told = detail[:1] if exchange.kind == "crash" else detail
    reason = " ".join(f"{exchange.kind}: {' '.join(told)}".split())
    return f"{reason[:_SHOWN]}{said[:_SHOWN]}"


def _telling(stderr: str) -> str:
    """Return the line of an error output that says most, in brackets; empty without one."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if _ERROR.search(line)]
    return f" (stderr: {(errors or lines)[-1]})" if lines else ""


def _base64(data: bytes) -> str:
    return b64encode(data).decode("ascii")


def _all_base64(files: Mapping[str, bytes]) -> dict[str, str]:
    return {uri: _base64(data) for uri, data in files.items()}


def open_runtime(  # noqa: PLR0913 -- one option of the command line each
    target: str,
    *,
    python: str | None = None,
    in_process: bool = False,
    settle: float = 0.25,
    start_limit: float = 20.0,
    bounds: Bounds | None = None,
) -> AnyRuntime:
    """Start the adapter that ``target`` names and ask it to describe itself.

    Args:
        target: value of ``--runtime``, see ``suite.protocol.targets``.
        python: interpreter for a Python object, ours when None.
        in_process: run a Python object in a thread of this process.
        settle: seconds of silence that count as idle for a runtime that cannot say so.
        start_limit: seconds within which the adapter must describe itself.
        bounds: how much of an adapter is put up with.

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
    return Runtime(target, connector, settle=settle, start_limit=start_limit)
