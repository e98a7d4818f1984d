"""What the messages of one run must look like one after the other, whatever they mean."""

from collections import defaultdict
from collections.abc import Collection
from typing import Final

from comparator.lifecycle import STATES
from comparator.trace import LoopStep
from suite.protocol.breach import Breach, quoted
from suite.protocol.decode import tag_of
from suite.protocol.messages import (
    Abort,
    Description,
    End,
    Fault,
    Findings,
    FromRuntime,
    Idle,
    Invoke,
    TransitionMessage,
)

__all__ = ["Grammar", "RunMessage"]

RunMessage = TransitionMessage | Invoke | Abort | Idle | End

_HELD_STATE: Final = "RUNNING"


class Grammar:
    """Checks the messages of one run as they arrive; one object per run.

    Args:
        nodes: ids of the document's nodes, None where they are not known.
        scripted: whether the runtime was given the plan.
        undoing: nodes that undo others: a runtime may call their steps without showing their
            states (A96).
    """

    def __init__(
        self,
        nodes: Collection[str] | None,
        *,
        scripted: bool,
        undoing: Collection[str] = frozenset(),
    ) -> None:
        self._nodes = nodes
        self._undoing = undoing
        self._scripted = scripted
        self._running: defaultdict[str, int] = defaultdict(int)
        self.messages = 0
        self.calls = 0

    def check(self, message: FromRuntime, sent: int) -> None:
        """Accept the next message, given that the suite has sent ``sent`` messages so far.

        Raises:
            Breach: it cannot follow what came before.
        """
        match message:
            case TransitionMessage():
                self._check_number(message)
                self._check_transition(message)
            case Invoke():
                self._check_number(message)
                self._check_invoke(message)
            case Abort():
                self._check_number(message)
                self._check_abort(message)
            case Idle():
                self._check_number(message)
                self._check_idle(message, sent)
            case End():
                self._check_number(message)
                self._check_end(message)
            case _:
                self._check_answer(message)

    def _check_answer(self, message: Findings | Fault | Description) -> None:
        """Check an answer that is no message of the run; a fault may come at any moment."""
        if isinstance(message, Description):
            raise Breach("a description was sent during a run; expected messages of the run")
        if isinstance(message, Findings) and self.messages:
            raise Breach(
                f"findings after {self.messages} messages of the run; an invalid document is "
                "refused before anything moves"
            )

    def _check_end(self, message: End) -> None:
        if message.messages != message.n:
            raise Breach(
                f"end: expected messages equal to its n ({message.n}), observed {message.messages}"
            )
        for reported in message.codes:
            if reported.node is not None:
                self._check_place("end", reported.node, ())

    def _check_number(self, message: RunMessage) -> None:
        expected = self.messages + 1
        if message.n != expected:
            tag = tag_of(message)
            what = "a gap" if message.n > expected else "a number used before"
            raise Breach(f"{tag}: expected n {expected}, observed {message.n} ({what})")
        self.messages = expected

    def _check_place(self, tag: str, node: str, iteration: tuple[LoopStep, ...]) -> None:
        nodes = self._nodes
        if nodes is None or (node in nodes and not iteration):
            return
        for name in (node, *(step.loop for step in iteration)):
            if name not in nodes:
                raise Breach(f"{tag}: the document has no node {quoted(name)}")

    def _check_transition(self, message: TransitionMessage) -> None:
        before, after = message.from_, message.to
        if before not in STATES or after not in STATES:
            state = after if before in STATES else before
            raise Breach(
                f"transition of {quoted(message.node)}: expected a state of §6.1 "
                f"({', '.join(STATES)}), observed {quoted(state)}"
            )
        self._check_place("transition", message.node, message.iteration)
        if after == _HELD_STATE:
            self._running[message.node] += 1
        if before == _HELD_STATE:
            self._running[message.node] -= 1

    def _check_invoke(self, message: Invoke) -> None:
        self._check_place("invoke", message.node, message.iteration)
        self.calls += 1
        if message.call != self.calls:
            raise Breach(
                f"invoke of {quoted(message.node)}: expected call {self.calls}, "
                f"observed {message.call}"
            )
        if self._running[message.node] < 1 and message.node not in self._undoing:
            raise Breach(
                f"invoke of {quoted(message.node)}, which is not {_HELD_STATE}: the transition to "
                f"{_HELD_STATE} comes first"
            )

    def _check_abort(self, message: Abort) -> None:
        if message.call > self.calls:
            raise Breach(
                f"abort of call {message.call}, which was never made; calls so far: {self.calls}"
            )

    def _check_idle(self, message: Idle, sent: int) -> None:
        if self._scripted:
            raise Breach("idle was sent, but a scripted run has its plan and nothing to wait for")
        if message.seen > sent:
            raise Breach(
                f"idle: seen {message.seen} messages, but the suite sent {sent} after the run"
            )
