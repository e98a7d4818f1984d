"""One run: the suite plays the world around the runtime, as the plan says."""

import math
import time
from collections.abc import Collection
from functools import partial

import msgspec

from suite.corpus.plan import Plan
from suite.protocol.decode import tag_of
from suite.protocol.dialogue import Dialogue, Result, TimeUp, fault_text
from suite.protocol.exchange import Exchange
from suite.protocol.grammar import Grammar
from suite.protocol.interpreter import (
    Action,
    Cancelling,
    Clock,
    Delivery,
    Interpreter,
    Reply,
    UntoldError,
)
from suite.protocol.messages import (
    Abort,
    Advance,
    Cancel,
    Description,
    End,
    Event,
    Fault,
    Findings,
    FromRuntime,
    Idle,
    Invoke,
    Outcome,
    ToRuntime,
    TransitionMessage,
)

__all__ = ["Conversation", "Manner"]


class Manner(msgspec.Struct, frozen=True, kw_only=True):
    """How a runtime is talked to, as far as it is the same in all of its runs.

    Attributes:
        scripted: it was given the plan; nothing is answered.
        wall: its clock is the real one, so that time is waited for instead of moved.
        settle: seconds of silence that count as idle, None where it says idle itself.
        at_last: see ``Interpreter``.
    """

    scripted: bool = False
    wall: bool = False
    settle: float | None = None
    at_last: bool = False

    @property
    def timed(self) -> bool:
        """Whether a run depends on when the suite acts, by the real clock."""
        return not self.scripted and (self.wall or self.settle is not None)

    @classmethod
    def of(cls, description: Description, settle: float, *, at_last: bool = False) -> "Manner":
        """Read the manner from a description."""
        return cls(
            scripted=description.control == "scripted",
            wall=description.clock == "wall",
            settle=settle if description.quiescence == "settle" else None,
            at_last=at_last,
        )


class Conversation:
    """A run under way; ``hold`` drives it to its end.

    Args:
        dialogue: begun with the run message.
        plan: what is answered.
        manner: how the runtime is talked to.
        nodes: ids of the document's nodes, None to accept any.
        undoing: those of them that undo others.
    """

    def __init__(
        self,
        dialogue: Dialogue,
        plan: Plan,
        manner: Manner,
        nodes: Collection[str] | None,
        undoing: Collection[str] = frozenset(),
    ) -> None:
        self._dialogue = dialogue
        self._manner = manner
        self._world = Interpreter(plan, at_last=manner.at_last)
        self._grammar = Grammar(nodes, scripted=manner.scripted, undoing=undoing)
        self._sent = 0
        self._last: FromRuntime | None = None
        #: Whether a silence can be the moment to act.
        self._wakes = manner.timed
        self._active = 0.0
        self._stuck = False
        dialogue.wall = manner.wall

    def hold(self) -> Exchange:
        """Drive the run to its end."""
        self._active = time.monotonic()
        return self._dialogue.hold(self._drive)

    def go_on(self) -> None:
        """Answer what was sent meanwhile, of a run that was begun ahead."""
        self._dialogue.go_on(partial(self._drive, patient=False))

    def _drive(self, *, patient: bool = True) -> Result | None:
        """Answer until the end; ``patient`` or not, until nothing is there to be answered."""
        receive = self._dialogue.receive
        try:
            while True:
                until = math.inf if patient else 0.0
                message = receive(self._wake() if self._wakes else until)
                if message is not None:
                    result = self._take(message)
                    if result is not None:
                        return result
                elif patient:
                    self._silence()
                else:
                    return None
        except UntoldError as error:
            return Result("unable", str(error))
        except TimeUp:
            return self._time_up()

    def _wake(self) -> float:
        """Moment at which the suite acts if the runtime stays silent."""
        wakes = math.inf
        if self._manner.wall:
            due = self._world.next_due(self._dialogue.now)
            wakes = wakes if due is None else time.monotonic() + due
        if self._manner.settle is not None and not self._stuck:
            wakes = min(wakes, self._active + self._manner.settle)
        return wakes

    def _silence(self) -> None:
        """Act after a silence: what is due on the wall clock, or what comes at idle."""
        now = self._dialogue.now
        actions = self._world.due(now) if self._manner.wall else []
        settle = self._manner.settle
        if not actions and settle is not None and time.monotonic() >= self._active + settle:
            actions = self._world.idle(None, now)
            # Nothing to do, or only to wait: either way no silence brings anything new.
            self._stuck = not actions or (self._manner.wall and isinstance(actions[0], Clock))
        self._perform(actions)

    def _take(self, message: FromRuntime) -> Result | None:
        """Handle one message; a result ends the run."""
        self._note_activity()
        self._grammar.check(message, self._sent)
        self._last = message
        match message:
            case End():
                return self._dialogue.finish(Result("ended"))
            case Findings():
                return self._dialogue.finish(Result("findings", findings=message.findings))
            case Fault():
                return self._dialogue.finish(Result("crash", fault_text(message)))
        return None if self._manner.scripted else self._respond(message)

    def _respond(self, message: FromRuntime) -> Result | None:
        """Do what the plan says at this message."""
        match message:
            case TransitionMessage():
                if actions := self._world.transition(message, self._dialogue.now):
                    self._perform(actions)
            case Invoke():
                if actions := self._world.invoke(message, self._dialogue.now):
                    self._perform(actions)
            case Abort():
                self._world.abort(message.call)
            case Idle() if self._manner.settle is None and message.seen == self._sent:
                return self._idle(message)
        return None

    def _idle(self, message: Idle) -> Result | None:
        actions = self._world.idle(message.timer, self._dialogue.now)
        if not actions:
            return Result(
                "deadlock",
                f"the runtime is idle and nothing can happen any more: {self._world.waiting()}",
            )
        self._perform(actions)
        return None

    def _note_activity(self) -> None:
        """Begin to count the silence anew, where it counts."""
        if self._wakes:
            self._active = time.monotonic()
            self._stuck = False

    def _perform(self, actions: list[Action]) -> None:
        number = self._dialogue.request.id
        for action in actions:
            message: ToRuntime
            match action:
                case Reply(call, answer):
                    message = Outcome(
                        id=number,
                        call=call,
                        result="fail" if answer.result == "fail" else "ok",
                        outputs=answer.outputs,
                        error_class=answer.error_class,
                        message=answer.message,
                    )
                case Delivery(name):
                    message = Event(id=number, name=name)
                case Cancelling():
                    message = Cancel(id=number)
                case Clock(seconds):
                    if self._manner.wall:
                        continue
                    message = Advance(id=number, seconds=seconds)
                    self._dialogue.virtual += seconds
            self._sent += 1
            self._dialogue.send(message)
            self._note_activity()

    def _time_up(self) -> Result:
        seen = f"{self._grammar.messages} messages of the run, the last: {self._told()}"
        if self._manner.scripted:
            raise TimeUp(seen)
        stuck = self._stuck and self._world.next_due(self._dialogue.now) is None
        if stuck and self._grammar.messages:
            quiet = time.monotonic() - self._active
            return Result(
                "deadlock",
                f"nothing moved in the last {quiet:.1f} s of the time limit ({seen}): "
                f"{self._world.waiting()}",
            )
        raise TimeUp(f"{seen}; {self._world.waiting()}")

    def _told(self) -> str:
        """Name the last message."""
        last = self._last
        if isinstance(last, TransitionMessage) and not self._manner.scripted:
            return f"{last.node} {last.from_}→{last.to}"
        return "none" if last is None else tag_of(last)
