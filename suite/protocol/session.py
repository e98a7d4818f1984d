"""The session of an interactive Python adapter: how it reports to the suite and hears from it.

Loaded by ``host.py`` in the adapter's interpreter, hence standard library only and nothing of
the suite's.
"""

from __future__ import annotations

import asyncio
import base64
import math
import selectors
import threading
from collections import deque
from collections.abc import Callable, Generator
from typing import Any, NamedTuple

__all__ = ["Answer", "Call", "InvalidDocument", "RestingSelector", "Session", "read_companions"]


class InvalidDocument(Exception):  # noqa: N818 -- the document is at fault, nothing failed
    """Raised or returned by ``run`` for a document that must not be executed."""

    def __init__(self, findings: Any) -> None:
        super().__init__("invalid document")
        self.findings = findings


class Answer(NamedTuple):
    """What a step call came to: result ``ok`` or ``fail``, with what goes with it."""

    result: str
    outputs: dict[str, Any]
    error_class: str | None
    message: str | None


class Call:
    """A step call; ``await`` it for its ``Answer``, or take the answer from ``receive``."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.answer: Answer | None = None
        self._waiters: list[asyncio.Future[None]] = []

    def __await__(self) -> Generator[Any, None, Answer]:
        """Wait for the answer; cancelling the waiting task gives up nothing but the wait."""
        while self.answer is None:
            waiter = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            try:
                yield from waiter.__await__()
            finally:
                self._waiters.remove(waiter)
        return self.answer

    def settle(self, answer: Answer) -> bool:
        """Set the answer; whether somebody waited for it."""
        self.answer = answer
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        return bool(self._waiters)


class Session:
    """One run of an interactive adapter, which reports to and asks the suite through it.

    Attributes:
        companions: URI → bytes of documents that the document refers to.
        unresolvable: ids of resources that cannot be resolved in this run.
        bad_digests: ids of artifacts whose bytes do not have the declared digest.
        refused: principals, isolations, permissions and signatures that are denied.
        secrets: ``store/ref`` of a credential → what it resolves to.
        now: virtual seconds since the run began.
    """

    def __init__(self, request: dict[str, Any], send: Callable[[dict[str, Any]], None]) -> None:
        self.companions = read_companions(request)
        self.unresolvable = tuple(request.get("unresolvable", ()))
        self.bad_digests = tuple(request.get("badDigests", ()))
        self.refused = tuple(request.get("refused", ()))
        self.secrets = dict(request.get("secrets", {}))
        self.now = 0.0
        self._id = request["id"]
        self._write = send
        self._lock = threading.Lock()
        self._sent = 0
        self._calls: list[Call] = []
        self._inbox: deque[dict[str, Any]] = deque()
        self._receiver: asyncio.Future[None] | None = None
        self._listens = False
        self._timer: float | None = None
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []
        self._arrived = 0
        self._idle_at: tuple[int, int] | None = None
        self._over = False

    def transition(  # noqa: PLR0913 -- one parameter for each field of §6.6
        self,
        node: str,
        from_: str,
        to: str,
        *,
        iteration: Any = (),
        attempt: int | None = None,
        error_class: str | None = None,
        code: str | None = None,
        message: str | None = None,
        at: float | None = None,
    ) -> None:
        """Report a state change; ``iteration`` holds (loop, 0-based index), outermost first."""
        self.send(
            "transition",
            {"node": node, "from": from_, "to": to, "iteration": _steps(iteration)},
            attempt=attempt,
            errorClass=error_class,
            code=code,
            message=message,
            at=at,
        )

    def invoke(
        self,
        node: str,
        inputs: dict[str, Any] | None = None,
        *,
        iteration: Any = (),
        attempt: int | None = None,
    ) -> Call:
        """Call the step of a node that was reported RUNNING; once for each attempt."""
        call = Call(len(self._calls) + 1)
        self._calls.append(call)
        fields = {"call": call.number, "node": node, "iteration": _steps(iteration)}
        self.send("invoke", {**fields, "inputs": inputs or {}}, attempt=attempt)
        return call

    def abort(self, call: Call) -> None:
        """Give up a call; an answer that is under way has no effect any more."""
        self.send("abort", {"call": call.number})

    async def receive(self, timer: float | None = None) -> dict[str, Any]:
        """Return the suite's next message: type outcome, advance, cancel or event.

        ``timer`` is the seconds until the runtime's next timer, for the idle message that is
        sent when there is nothing to return and nothing else moves.
        """
        if timer is not None:
            _check_seconds("receive", timer)
        self._listens = True
        while not self._inbox:
            self._timer = timer
            self._receiver = asyncio.get_running_loop().create_future()
            try:
                await self._receiver
            finally:
                self._receiver = self._timer = None
        return self._inbox.popleft()

    async def sleep(self, seconds: float) -> None:
        """Wait on the virtual clock."""
        _check_seconds("sleep", seconds)
        waiter = asyncio.get_running_loop().create_future()
        entry = (self.now + seconds, waiter)
        self._sleepers.append(entry)
        try:
            await waiter
        finally:
            self._sleepers.remove(entry)

    def invalid(self, findings: Any) -> InvalidDocument:
        """Return what ``run`` raises or returns for an invalid document."""
        return InvalidDocument(findings)

    def deliver(self, message: dict[str, Any]) -> None:
        """Take in a message of the suite."""
        self._arrived += 1
        kind = message.get("type")
        waited = False
        if kind == "advance":
            self._advance(message["seconds"])
        elif kind == "outcome" and message["call"] <= len(self._calls):
            answer = Answer(
                message["result"],
                message.get("outputs", {}),
                message.get("errorClass"),
                message.get("message"),
            )
            waited = self._calls[message["call"] - 1].settle(answer)
        # An adapter that only awaits its calls has nothing else to look at.
        if self._listens and not waited:
            self._inbox.append(message)
            if self._receiver is not None and not self._receiver.done():
                self._receiver.set_result(None)

    def rest(self, timeout: float | None, *, wall: bool) -> None:
        """Say idle if nothing moves; called when the event loop is about to wait."""
        seen = self._arrived - len(self._inbox)
        # On a virtual clock a timer of the event loop is work under way.
        busy = self._over or self._inbox or (timeout is not None and not wall)
        if busy or self._idle_at == (self._sent, seen):
            return
        timers = [due - self.now for due, waiter in self._sleepers if not waiter.done()]
        timers += [seconds for seconds in (self._timer, timeout) if seconds is not None]
        self.send("idle", {"seen": seen}, timer=max(0.0, min(timers)) if timers else None)
        self._idle_at = (self._sent, seen)

    def end(self, outcome: str | None, codes: Any) -> None:
        """Say that the run is over; nothing can be reported after it."""
        fields = {"messages": self._sent + 1, "codes": codes}
        self.send("end", fields, outcome=outcome)
        self._over = True

    def close(self) -> None:
        """Refuse further reports without an end."""
        self._over = True

    def _advance(self, seconds: float) -> None:
        self.now += seconds
        for due, waiter in self._sleepers:
            if due <= self.now + 1e-9 and not waiter.done():
                waiter.set_result(None)

    def send(self, kind: str, fields: dict[str, Any], **others: Any) -> None:
        """Write one message of the run with its number."""
        with self._lock:
            if self._over:
                raise RuntimeError(f"{kind}: the run is over, nothing can be reported any more")
            present = {name: value for name, value in others.items() if value is not None}
            number = self._sent + 1
            self._write({**fields, **present, "type": kind, "id": self._id, "n": number})
            self._sent = number


class RestingSelector(selectors.DefaultSelector):
    """Tells when the event loop is about to wait because nothing is ready."""

    def __init__(self, before_wait: Callable[[float | None], None]) -> None:
        super().__init__()
        self._before_wait = before_wait

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait for descriptors; a timeout of zero means that callbacks are ready to run."""
        if timeout is None or timeout > 0:
            self._before_wait(timeout)
        return super().select(timeout)


def read_companions(request: dict[str, Any]) -> dict[str, bytes]:
    """Return URI → bytes of the documents that travel with a request."""
    return {uri: base64.b64decode(data) for uri, data in request.get("companions", {}).items()}


def _check_seconds(where: str, seconds: float) -> None:
    if not math.isfinite(seconds):
        raise ValueError(f"{where}: expected a finite number of seconds, observed {seconds!r}")


def _steps(iteration: Any) -> list[dict[str, Any]]:
    try:
        return [s if isinstance(s, dict) else {"loop": s[0], "index": s[1]} for s in iteration]
    except (TypeError, IndexError):
        raise TypeError(
            f"iteration: expected a list of (loop, index), outermost first, observed {iteration!r}"
        ) from None
