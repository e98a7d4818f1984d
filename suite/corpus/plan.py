"""Plans: what each attempt answers and when, and what happens to the run from outside.

A plan is written in a case file under ``[plans.<scenario>]`` in the short form of
``PlanText`` and travels to scripted runtimes as the JSON form ``Plan``.
"""

import math
import re
from typing import Annotated, Any, Literal

import msgspec

from comparator.address import Address, AddressError, parse_address
from comparator.lifecycle import STATES
from suite.corpus.durations import DurationError, parse_duration

__all__ = [
    "Answer",
    "EventAt",
    "IdlePoint",
    "Plan",
    "PlanError",
    "PlanText",
    "Point",
    "Refusal",
    "StepText",
    "check_outputs",
    "read_plan",
]


#: What the environment of a run denies.
Refusal = Annotated[str, msgspec.Meta(pattern=r"^((principal|isolation|permission):.+|unsigned)$")]


class PlanError(ValueError):
    """A plan is not written as docs/formats.md says."""


class Point(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="when", tag="state"):
    """The moment at which ``node`` (an address without attempt) has entered ``state``."""

    node: str
    state: str


class IdlePoint(msgspec.Struct, frozen=True, tag_field="when", tag="idle"):
    """A moment at which nothing moves without the suite; one such action per idle point."""


class Answer(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel", kw_only=True):
    """What the attempts matched by ``node`` answer.

    Attributes:
        node: address, ``*`` for every node. The most specific match wins: attempt before
            iteration before node before ``*``.
        result: ``ok``, ``fail``, or ``hang`` (never answers).
        outputs: output values by port name, for ``ok``.
        error_class: class of the failure (§14.3), for ``fail``; None where nothing is said.
        message: text of the failure.
        after: seconds between the call and the answer.
        hold: moment before which the answer is held back.
    """

    node: str
    result: Literal["ok", "fail", "hang"]
    outputs: dict[str, Any] = {}
    error_class: str | None = None
    message: str | None = None
    after: float | None = None
    hold: Point | IdlePoint | None = None


class EventAt(msgspec.Struct, frozen=True):
    """An external event of that name, delivered at a moment."""

    name: str
    at: Point | IdlePoint


class Plan(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What happens in one run; an attempt that no answer matches succeeds without outputs.

    Attributes:
        answers: in the order of the case file, which is the order of releases at idle points.
        events: external events.
        cancel: moment at which the instance is cancelled from outside.
        unresolvable: resource ids that cannot be resolved (HX-4102).
        bad_digests: artifact ids whose bytes do not have the declared digest (HX-4105).
        refused: what the environment denies (§11), each ``principal:NAME``,
            ``isolation:NAME``, ``permission:ACTION`` or ``unsigned`` (a document without a
            good signature).
        secrets: ``store/ref`` of a credential → what it resolves to (§11.7).
    """

    answers: tuple[Answer, ...] = ()
    events: tuple[EventAt, ...] = ()
    cancel: Point | IdlePoint | None = None
    unresolvable: tuple[str, ...] = ()
    bad_digests: tuple[str, ...] = msgspec.field(default=(), name="badDigests")
    refused: tuple[Refusal, ...] = ()
    secrets: dict[str, str] = {}


class StepText(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename="kebab",
    omit_defaults=True,
    kw_only=True,
):
    """One step as a case file writes it: ``{ ok = { x = 1 }, after = "PT1H" }``."""

    ok: dict[str, Any] | None = None
    fail: str | None = None
    hang: bool = False
    message: str | None = None
    after: str | None = None
    hold_until: str | None = None


class EventText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An event as a case file writes it: ``{ name = "go", at = "w RUNNING" }``."""

    name: str
    at: str


class PlanText(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename="kebab",
    omit_defaults=True,
    kw_only=True,
):
    """A plan as a case file writes it; a step is ``"ok"``, ``"hang"`` or a ``StepText``."""

    steps: dict[str, Annotated[str, msgspec.Meta(pattern="^(ok|hang)$")] | StepText] = {}
    events: tuple[EventText, ...] = ()
    cancel: str | None = None
    unresolvable: tuple[str, ...] = ()
    bad_digests: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()
    secrets: dict[str, str] = {}


_POINT = re.compile(r"(?P<node>\S+) (?P<state>[A-Z]+)")


def _point(text: str, where: str) -> Point | IdlePoint:
    """Read ``idle`` or ``node STATE``."""
    if text == "idle":
        return IdlePoint()
    match = _POINT.fullmatch(text)
    if match is None or match["state"] not in STATES:
        raise PlanError(f"{where}: expected 'idle' or 'node STATE', observed {text!r}")
    return Point(str(_address(match["node"], where)), match["state"])


def _address(text: str, where: str) -> Address:
    try:
        return parse_address(text)
    except AddressError as error:
        raise PlanError(f"{where}: {error}") from error


def _no_json(value: Any) -> object:
    """Return what of a value travels as something else: numbers that are none, dates."""
    match value:
        case dict():
            return next((f for v in value.values() if (f := _no_json(v)) is not None), None)
        case list():
            return next((f for v in value if (f := _no_json(v)) is not None), None)
        case float():
            return None if math.isfinite(value) else value
        case None | str() | int():
            return None
        case _:
            return value


def _answer(node: str, text: str | StepText) -> Answer:
    where = f"step {node!r}"
    address = str(_address(node, where))
    if isinstance(text, str):
        return Answer(node=address, result="hang" if text == "hang" else "ok")
    results = [text.ok is not None, text.fail is not None, text.hang]
    if sum(results) != 1:
        raise PlanError(f"{where}: expected exactly one of ok, fail, hang; observed {sum(results)}")
    if text.message is not None and text.fail is None:
        raise PlanError(f"{where}: message goes with fail")
    if text.hang and (text.after or text.hold_until):
        raise PlanError(f"{where}: hang is never answered, so after and hold-until do not apply")
    try:
        after = None if text.after is None else parse_duration(text.after)
    except DurationError as error:
        raise PlanError(f"{where}: {error}") from error
    return Answer(
        node=address,
        result="hang" if text.hang else "ok" if text.ok is not None else "fail",
        outputs=text.ok or {},
        error_class=text.fail or None,
        message=text.message,
        after=after,
        hold=None if text.hold_until is None else _point(text.hold_until, where),
    )


def check_outputs(plan: Plan) -> None:
    """Refuse outputs that would travel as something else than they are.

    Raises:
        PlanError: there are such, which TOML and Python's reader of JSON let through.
    """
    for answer in plan.answers:
        fault = _no_json(answer.outputs)
        if fault is not None:
            raise PlanError(
                f"step {answer.node!r}: ok: expected values that JSON can say, observed {fault!r}"
            )


def read_plan(text: PlanText) -> Plan:
    """Turn a plan as written into the form that is judged and sent.

    Raises:
        PlanError: an address, a point or a duration is malformed, a step contradicts itself, or
            an output is no JSON.
    """
    plan = Plan(
        answers=tuple(_answer(node, step) for node, step in text.steps.items()),
        events=tuple(EventAt(e.name, _point(e.at, f"event {e.name!r}")) for e in text.events),
        cancel=None if text.cancel is None else _point(text.cancel, "cancel"),
        unresolvable=text.unresolvable,
        bad_digests=text.bad_digests,
        refused=text.refused,
        secrets=text.secrets,
    )
    check_outputs(plan)
    return plan
