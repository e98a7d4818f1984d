"""Plans: what each attempt answers and when, read from the suite's JSON or the public syntax.

The JSON form has ``answers`` (node, result, outputs, errorClass, message, after, hold),
``events``, ``cancel``, ``unresolvable``, ``badDigests``, ``refused`` and ``secrets``. Addresses are
``node``, ``node[0]``, ``node[loop:0,inner:2]``, each with ``@attempt``, and ``*`` for every node of
the document. ``sub/node`` is a node in the instance of a subworkflow node, which only this runtime
knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from reference_runtime.document.model import Node
from reference_runtime.engine.effects import Path
from reference_runtime.engine.environment import UNSIGNED
from reference_runtime.plan_values import (
    PlanError,
    check_text,
    check_value,
    read_seconds,
    told,
)

__all__ = ["Address", "Answer", "Moment", "Plan", "PlanError", "Planned", "read_plan"]

_IDENTIFIER = r"[A-Za-z_][A-Za-z0-9_.\-]*"
#: No run comes to an iteration or an attempt of so many digits.
_STEP = re.compile(rf"(?:({_IDENTIFIER}):)?([0-9]{{1,18}})")
_ADDRESS = re.compile(
    rf"({_IDENTIFIER}(?:/{_IDENTIFIER})*|\*)(?:\[([^\]]+)\])?(?:@([1-9][0-9]{{0,17}}))?"
)
_DENIED: Final = ("principal", "isolation", "permission")
_KEYS: Final = (
    "answers",
    "events",
    "cancel",
    "unresolvable",
    "badDigests",
    "refused",
    "secrets",
)
_RESULTS: Final = ("ok", "fail", "hang")

#: Seconds that a plan of the suite never lets pass: longer timers are never due.
_HORIZON: Final = 3600.0


@dataclass(frozen=True, slots=True)
class Address:
    """A node (``*`` for all), its iteration (loop None where not named), and an attempt."""

    node: str
    iteration: tuple[tuple[str | None, int], ...] = ()
    attempt: int | None = None

    def covers(self, node: str, iteration: Path, attempt: int | None = None) -> bool:
        """Whether an attempt of a node, or the node, is meant."""
        if self.node not in ("*", node):
            return False
        if self.attempt is not None and self.attempt != attempt:
            return False
        return not self.iteration or (
            len(self.iteration) == len(iteration)
            and all(
                mine in (None, loop) and number == index
                for (mine, number), (loop, index) in zip(self.iteration, iteration, strict=True)
            )
        )

    @property
    def weight(self) -> tuple[bool, bool, bool]:
        """Sorts by how specific it is: attempt before iteration before node before ``*``."""
        return (self.attempt is not None, bool(self.iteration), self.node != "*")


@dataclass(frozen=True, slots=True)
class Moment:
    """The moment at which a node enters a state; without address, when nothing else moves."""

    address: Address | None = None
    state: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a step call answers: ``ok``, ``fail``, or ``hang`` for never; ``after`` in seconds."""

    result: str
    outputs: Mapping[str, Any] = field(default_factory=dict)
    error_class: str | None = None
    message: str | None = None
    after: float = 0.0
    hold: Moment | None = None


@dataclass(frozen=True, slots=True)
class Planned:
    """An answer with the attempts that it is for; ``place`` is its order in the plan."""

    address: Address
    answer: Answer
    place: int


_SUCCESS: Final = Answer("ok")


def _nothing(_node: Node) -> Answer:
    """An attempt that no plan mentions succeeds without outputs."""
    return _SUCCESS


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that happens to a run from outside.

    Attributes:
        answers: most specific first, in plan order among equals.
        unplanned: answer of attempts that none of them covers.
        horizon: seconds that are never waited for; timers so far away are never due.
        at_last: whether they are due all the same once nothing else is left to happen.
    """

    answers: tuple[Planned, ...] = ()
    events: tuple[tuple[str, Moment], ...] = ()
    cancel: Moment | None = None
    unresolvable: frozenset[str] = frozenset()
    bad_digests: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()
    secrets: Mapping[str, str] = field(default_factory=dict)
    unplanned: Callable[[Node], Answer] = _nothing
    horizon: float = _HORIZON
    at_last: bool = False


def _shape(value: Any, kind: type, where: str) -> Any:
    if not isinstance(value, kind):
        raise PlanError(f"{where}: expected {kind.__name__}, observed {told(value)}")
    return value


def _known(value: Mapping[str, Any], names: Sequence[str], where: str) -> None:
    for name in value:
        if name not in names:
            raise PlanError(f"{where}: unknown key {told(name)}; known are {', '.join(names)}")


def read_address(text: Any, where: str) -> Address:
    """Read an address.

    Raises:
        PlanError: it has another form.
    """
    match = _ADDRESS.fullmatch(_shape(text, str, where))
    steps: list[tuple[str | None, int]] = []
    for part in match[2].split(",") if match and match[2] else ():
        step = _STEP.fullmatch(part.strip())
        if step is None:
            match = None
            break
        steps.append((step[1], int(step[2])))
    if match is None:
        raise PlanError(f"{where}: expected node, node[0], node@1 or *, observed {told(text)}")
    return Address(match[1], tuple(steps), int(match[3]) if match[3] else None)


def _moment(value: Any, where: str) -> Moment:
    value = _shape(value, dict, where)
    if value.get("when") == "idle":
        return Moment()
    if value.get("when") != "state" or not isinstance(value.get("state"), str):
        raise PlanError(f"{where}: expected when 'idle', or 'state' with node and state")
    return Moment(read_address(value.get("node"), where), value["state"])


def _answer(value: Any, where: str) -> tuple[Address, Answer]:
    value = _shape(value, dict, where)
    names = ("node", "result", "outputs", "errorClass", "message", "after", "hold")
    _known(value, names, where)
    if value.get("result") not in _RESULTS:
        raise PlanError(
            f"{where}: result: expected one of {', '.join(_RESULTS)}, "
            f"observed {told(value.get('result'))}"
        )
    check_text(value.get("errorClass"), f"{where}: errorClass", empty=True)
    check_text(value.get("message"), f"{where}: message", empty=True)
    outputs = _shape(value.get("outputs", {}), dict, f"{where}: outputs")
    check_value(outputs, f"{where}: outputs")
    hold = value.get("hold")
    answer = Answer(
        value["result"],
        outputs,
        value.get("errorClass"),
        value.get("message"),
        read_seconds(value.get("after"), f"{where}: after"),
        None if hold is None else _moment(hold, f"{where}: hold"),
    )
    return read_address(value.get("node"), where), answer


def _event(value: Any, where: str) -> tuple[str, Moment]:
    value = _shape(value, dict, where)
    _known(value, ("name", "at"), where)
    name = _shape(value.get("name"), str, f"{where}: name")
    check_text(name, f"{where}: name")
    return name, _moment(value.get("at"), where)


def _refusal(value: Any, place: int) -> str:
    kind, colon, name = _shape(value, str, f"refused[{place}]").partition(":")
    if value != UNSIGNED and not (kind in _DENIED and colon and name):
        raise PlanError(
            f"refused[{place}]: expected principal:NAME, isolation:NAME, permission:ACTION or "
            f"{UNSIGNED}, observed {told(value)}"
        )
    check_text(value, f"refused[{place}]")
    return str(value)


def rank(answers: Sequence[tuple[Address, Answer]]) -> tuple[Planned, ...]:
    """Put the most specific answers first, so that the first match wins."""
    planned = [Planned(address, answer, place) for place, (address, answer) in enumerate(answers)]
    return tuple(sorted(planned, key=lambda item: item.address.weight, reverse=True))


def read_plan(value: Any) -> Plan:
    """Read the JSON form of a plan.

    Raises:
        PlanError: the plan has another form; the message names the place.
    """
    value = _shape(value, dict, "plan")
    _known(value, _KEYS, "plan")
    secrets = _shape(value.get("secrets", {}), dict, "secrets")
    for key, secret in secrets.items():
        _shape(secret, str, f"secrets.{key}")
        check_text(key, "secrets: name")
        check_text(secret, f"secrets.{key}")
    listed = {
        name: _shape(value.get(name, []), list, name)
        for name in ("answers", "events", "unresolvable", "badDigests", "refused")
    }
    for name in ("unresolvable", "badDigests"):
        for one in listed[name]:
            if not isinstance(one, str):
                raise PlanError(
                    f"{name}: expected the id of a resource or artifact, observed {told(one)}"
                )
    cancel = value.get("cancel")
    return Plan(
        answers=rank(
            [_answer(item, f"answers[{place}]") for place, item in enumerate(listed["answers"])]
        ),
        events=tuple(
            _event(item, f"events[{place}]") for place, item in enumerate(listed["events"])
        ),
        cancel=None if cancel is None else _moment(cancel, "cancel"),
        unresolvable=frozenset(listed["unresolvable"]),
        bad_digests=frozenset(listed["badDigests"]),
        refused=frozenset(_refusal(item, place) for place, item in enumerate(listed["refused"])),
        secrets=secrets,
    )
