"""Plans as files: JSON of the suite, TOML as case files have it, or the public line syntax.

The suffix decides (``.json``, ``.toml``); of other files the content: a brace at the beginning
is JSON, a line like ``[steps]`` or ``key = …`` at the beginning is TOML, anything else is the
line syntax.

Where people run a document of their own, time that is longer than a case ever waits passes once
nothing else is left to happen.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from reference_runtime.document.lexical import LexicalError, read_duration
from reference_runtime.document.model import Harness
from reference_runtime.plan_values import (
    PlanError,
    check_text,
    check_value,
    find_huge_number,
    read_seconds,
    told,
)
from reference_runtime.plans import Plan, read_plan
from reference_runtime.public_plans import read_public_plan
from reference_runtime.rules import RULES

__all__ = ["plan_from_text"]

_TOML: Final = re.compile(r"\s*(?:#[^\n]*\n\s*)*(?:\[|[\w\"'-]+(?:\.[\w\"'-]+)*\s*=)")
_STEP_KEYS: Final = ("ok", "fail", "hang", "message", "after", "hold-until")
#: Key → field of the JSON form, and what it is for people.
_TEXTS: Final = {"fail": ("errorClass", "class"), "message": ("message", "message")}
_PLAN_KEYS: Final = (
    "steps",
    "events",
    "cancel",
    "unresolvable",
    "bad-digests",
    "refused",
    "secrets",
)


def _moment(text: Any, where: str) -> dict[str, Any]:
    words = text.split() if isinstance(text, str) else []
    if words == ["idle"]:
        return {"when": "idle"}
    if len(words) != 2:
        raise PlanError(f"{where}: expected 'idle' or 'node STATE', observed {told(text)}")
    return {"when": "state", "node": words[0], "state": words[1]}


def _seconds(text: Any, where: str) -> float:
    try:
        return read_seconds(read_duration(text if isinstance(text, str) else ""), where)
    except LexicalError as error:
        raise PlanError(
            f"{where}: expected a duration like PT10S, observed {told(text)}"
        ) from error


def _what_it_says(node: str, step: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield outputs, class and message of a step as fields of the JSON form."""
    for key, value in step.items():
        if key == "ok":
            for name in value if isinstance(value, dict) else ():
                check_value(value[name], f"{node}: output {told(name)}")
            yield "outputs", value
        elif key in _TEXTS:
            field, what = _TEXTS[key]
            check_text(value, f"{node}: {what}")
            yield field, value


def _step(node: str, step: Any) -> dict[str, Any]:
    where = f"steps.{node}"
    if step in ("ok", "hang"):
        return {"node": node, "result": step}
    if not isinstance(step, dict):
        raise PlanError(f'{where}: expected "ok", "hang" or a table, observed {told(step)}')
    for key in step:
        if key not in _STEP_KEYS:
            raise PlanError(f"{where}: unknown key {told(key)}; known are {', '.join(_STEP_KEYS)}")
    results = [key for key in ("ok", "fail", "hang") if step.get(key, False) is not False]
    if len(results) != 1:
        raise PlanError(f"{where}: expected exactly one of ok, fail and hang")
    answer: dict[str, Any] = {"node": node, "result": results[0]}
    answer.update(_what_it_says(node, step))
    if "after" in step:
        answer["after"] = _seconds(step["after"], f"{where}.after")
    if "hold-until" in step:
        answer["hold"] = _moment(step["hold-until"], f"{where}.hold-until")
    return answer


def _event(event: Any, place: int) -> dict[str, Any]:
    if not isinstance(event, dict) or set(event) != {"name", "at"}:
        raise PlanError(f"events[{place}]: expected name and at, observed {told(event)}")
    return {"name": event["name"], "at": _moment(event["at"], f"events[{place}].at")}


def _from_toml(text: str) -> Plan:
    fields = tomllib.loads(text)
    for key in fields:
        if key not in _PLAN_KEYS:
            raise PlanError(f"unknown key {told(key)}; known are {', '.join(_PLAN_KEYS)}")
    steps, events = fields.get("steps", {}), fields.get("events", [])
    if not isinstance(steps, dict) or not isinstance(events, list):
        raise PlanError("expected a table of steps and a list of events")
    value = {
        "answers": [_step(node, step) for node, step in steps.items()],
        "events": [_event(event, place) for place, event in enumerate(events)],
        "unresolvable": fields.get("unresolvable", []),
        "badDigests": fields.get("bad-digests", []),
        "refused": fields.get("refused", []),
    }
    if "cancel" in fields:
        value["cancel"] = _moment(fields["cancel"], "cancel")
    if "secrets" in fields:
        value["secrets"] = fields["secrets"]
    return read_plan(value)


def _from_json(text: str) -> Plan:
    return read_plan(json.loads(text))


def plan_from_text(text: str, suffix: str, harness: Harness) -> Plan:
    """Read a plan for a document in the form that suffix and content tell.

    Raises:
        PlanError: it is malformed, or names nodes that the document does not have; one line.
    """
    readers: Mapping[str, Callable[[str], Plan]] = {".json": _from_json, ".toml": _from_toml}
    reader = readers.get(suffix.lower())
    if reader is None and text.lstrip().startswith("{"):
        reader = _from_json
    elif reader is None and _TOML.match(text):
        reader = _from_toml
    try:
        plan = reader(text) if reader else read_public_plan(text, harness)
    except RecursionError:
        raise PlanError("its values are nested too deep") from None
    except json.JSONDecodeError as error:
        raise PlanError(f"line {error.lineno}: {error.msg}") from error
    except (PlanError, tomllib.TOMLDecodeError) as error:
        raise PlanError(f"{error}") from error
    except ValueError:
        # All that is left of what the readers of JSON and TOML refuse.
        raise PlanError(find_huge_number(text)) from None
    _check_nodes(plan, harness)
    return replace(plan, at_last=True)


def _check_nodes(plan: Plan, harness: Harness) -> None:
    """Refuse names of nodes that are not there; what is inside subworkflows is not known yet."""
    moments = [moment for _, moment in plan.events]
    moments += [m for m in (plan.cancel, *(p.answer.hold for p in plan.answers)) if m]
    addresses = [planned.address for planned in plan.answers]
    for address in (*addresses, *(m.address for m in moments if m.address)):
        first = address.node.partition("/")[0]
        if first != "*" and first not in harness.node_by_id:
            raise PlanError(f"the document has no node {told(first)}")
    for state in (moment.state for moment in moments if moment.address):
        if state not in RULES.legal:
            known = ", ".join(RULES.legal)
            raise PlanError(f"there is no state {told(state)}; known are {known}")
