"""Adapter protocol 1: every message in both directions as a type.

Messages are JSON objects, one a line, UTF-8, told apart by ``type``. ``id`` numbers the
suite's requests from 1; every answer carries the id of its request. docs/protocol.md is the
page for people; ``suite/corpus/schemas`` holds the JSON Schemas made from these types.
"""

from typing import Annotated, Any, Final, Literal

import msgspec

from comparator.trace import LoopStep
from suite.corpus.case import Level
from suite.corpus.plan import Plan, Refusal

__all__ = [
    "COUNTED",
    "PROTOCOL",
    "Abort",
    "Advance",
    "Cancel",
    "Describe",
    "Description",
    "End",
    "Event",
    "Fault",
    "Finding",
    "Findings",
    "FromRuntime",
    "Idle",
    "Invoke",
    "Outcome",
    "ReportedCode",
    "Run",
    "Stop",
    "ToRuntime",
    "TransitionMessage",
    "Validate",
]

#: Types of suite messages that the ``seen`` of an idle counts.
COUNTED: Final = frozenset({"outcome", "advance", "cancel", "event"})

#: Lowest and highest version that this suite speaks.
PROTOCOL = (1, 1)

Id = Annotated[int, msgspec.Meta(ge=1)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Seconds = Annotated[float, msgspec.Meta(ge=0)]
Base64 = str

#: Names that reports show: no control characters.
_ONE_LINE: Final = r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$"

#: What a runtime may declare that it can do beyond the bare minimum; never semantics.
Feature = Literal[
    "cancel",  # the instance can be cancelled from outside
    "events",  # external events can be delivered
    "faults",  # resources and digests can be made to fail, principals and permissions denied
    "secrets",  # credentials resolve to what the run says
    "iterations",  # scripted: the plan may address iterations
    "calls",  # scripted: step calls are shown
    "codes",  # run-time codes are shown on transitions or at the end
]


class _Suite(msgspec.Struct, frozen=True, rename="camel", tag_field="type", omit_defaults=True):
    """Base of messages from the suite."""


class _Runtime(
    msgspec.Struct,
    frozen=True,
    rename="camel",
    tag_field="type",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """Base of messages from the runtime; an unknown field is a fault, not ignored."""


# --- suite → runtime ---------------------------------------------------------------------


class Describe(_Suite, frozen=True, tag="describe", omit_defaults=False):
    """First message: which protocol versions the suite speaks (inclusive range)."""

    id: Id
    protocol: tuple[int, int] = PROTOCOL


class Validate(_Suite, frozen=True, tag="validate"):
    """Ask for the verdict on a document (base64 of its bytes); nothing is executed."""

    id: Id
    document: Base64
    companions: dict[str, Base64] = {}


class Run(_Suite, frozen=True, tag="run"):
    """Validate and execute a document; ``plan`` is present for scripted runtimes only."""

    id: Id
    document: Base64
    companions: dict[str, Base64] = {}
    plan: Plan | None = None
    unresolvable: tuple[str, ...] = ()
    bad_digests: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()
    secrets: dict[str, str] = {}


class Outcome(_Suite, frozen=True, tag="outcome"):
    """Answer to the ``call``-th invoke of the run."""

    id: Id
    call: Id
    result: Literal["ok", "fail"]
    outputs: dict[str, Any] = {}
    error_class: str | None = None
    message: str | None = None


class Advance(_Suite, frozen=True, tag="advance"):
    """The virtual clock moves on by that many seconds."""

    id: Id
    seconds: Seconds


class Cancel(_Suite, frozen=True, tag="cancel"):
    """The instance is cancelled from outside."""

    id: Id


class Event(_Suite, frozen=True, tag="event"):
    """An external event arrives."""

    id: Id
    name: str


class Stop(_Suite, frozen=True, tag="stop"):
    """No more requests: the program ends."""


ToRuntime = Describe | Validate | Run | Outcome | Advance | Cancel | Event | Stop


# --- runtime → suite ---------------------------------------------------------------------


class Description(_Runtime, frozen=True, tag="description", kw_only=True):
    """Answer to describe.

    Attributes:
        protocol: version chosen from the range.
        levels: levels that the runtime claims; scenarios of other levels are ``unsupported``,
            and a level is reached only together with the ones before it.
        control: ``interactive`` (the suite answers every step call) or ``scripted`` (the
            runtime gets the plan and reports the run as a whole).
        open_steps: most step calls that may be open together, 0 for no limit.
        clock: ``virtual`` (moved by advance) or ``wall``.
        quiescence: ``idle`` (the runtime says when nothing can move) or ``settle`` (it cannot
            know; the suite waits for silence).
        features: see ``Feature``.
    """

    id: Id
    protocol: int
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=100, pattern=_ONE_LINE)]
    version: Annotated[str, msgspec.Meta(max_length=100, pattern=_ONE_LINE)]
    levels: tuple[Level, ...]
    control: Literal["interactive", "scripted"]
    open_steps: Count = 0
    clock: Literal["virtual", "wall"] = "virtual"
    quiescence: Literal["idle", "settle"] = "idle"
    features: tuple[Feature, ...] = ()


class Finding(
    msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True
):
    """One fault of a document (§13.5)."""

    code: str
    severity: Literal["error", "warning"] = "error"
    line: int | None = None
    column: int | None = None
    near: str | None = None
    value: str | None = None
    message: str | None = None


class Findings(_Runtime, frozen=True, tag="findings"):
    """Answer to validate; also the answer to run when the document is invalid."""

    id: Id
    findings: tuple[Finding, ...] = ()


class TransitionMessage(_Runtime, frozen=True, tag="transition", kw_only=True):
    """One state change. ``n`` numbers the messages of this run from 1 without a gap."""

    id: Id
    n: Id
    node: str
    from_: str = msgspec.field(name="from")
    to: str
    iteration: tuple[LoopStep, ...] = ()
    attempt: Id | None = None
    error_class: str | None = None
    code: str | None = None
    message: str | None = None
    at: float | None = None


class Invoke(_Runtime, frozen=True, tag="invoke", kw_only=True):
    """The step of ``node`` is called; follows the transition to RUNNING.

    ``call`` numbers the calls of this run from 1. Only nodes that have a step are called:
    never decision, loop, parallel, barrier, subworkflow or wait nodes.
    """

    id: Id
    n: Id
    call: Id
    node: str
    iteration: tuple[LoopStep, ...] = ()
    attempt: Id | None = None
    inputs: dict[str, Any] = {}


class Abort(_Runtime, frozen=True, tag="abort"):
    """The call is given up (cancellation, timeout); a later outcome for it has no effect."""

    id: Id
    n: Id
    call: Id


class Idle(_Runtime, frozen=True, tag="idle"):
    """Nothing moves before the suite acts.

    ``seen`` is the number of suite messages handled for this run after ``run`` itself; an
    older number is ignored. ``timer`` is the seconds until the next timer is due.
    """

    id: Id
    n: Id
    seen: Count
    timer: Seconds | None = None


class ReportedCode(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A run-time code that belongs to no transition (§14.4)."""

    code: str
    node: str | None = None


class End(_Runtime, frozen=True, tag="end", kw_only=True):
    """The run is over; ``messages`` equals ``n``, the number of messages of this run."""

    id: Id
    n: Id
    messages: Id
    outcome: Literal["succeeded", "failed", "compensated", "cancelled"] | None = None
    codes: tuple[ReportedCode, ...] = ()


class Fault(_Runtime, frozen=True, tag="fault"):
    """The adapter itself broke while it handled the request: an uncaught error, its text."""

    id: Id
    message: str


FromRuntime = Description | Findings | TransitionMessage | Invoke | Abort | Idle | End | Fault
