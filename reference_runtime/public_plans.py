"""Plans in the syntax of the published command-line runtime, with its typed default outputs.

One directive a line, ``#`` starts a comment::

    node[@attempt] ok key=value ...
    node[@attempt] fail [class] [message ...]
    node[@attempt] timeout

A bare ``node`` covers every attempt without a directive of its own. A node that no directive
covers succeeds, each declared output bound by the type of its port.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from math import inf, isfinite
from typing import Any, Final

from reference_runtime.defaults import default_outputs
from reference_runtime.document.model import Harness
from reference_runtime.expressions.values import MAX_NESTING
from reference_runtime.plan_values import TOO_LONG, PlanError, told
from reference_runtime.plans import Address, Answer, Plan, rank

__all__ = ["read_public_plan"]

_WHO = re.compile(r"([A-Za-z_][A-Za-z0-9_.\-]*)(?:@([1-9][0-9]{0,17}))?")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_WORDS: Final[dict[str, Any]] = {"true": True, "false": False, "null": None}


def _number(text: str, where: str) -> float | str:
    """Read a number; what no double can hold is no number but a text."""
    try:
        number: float = json.loads(text)
    except ValueError:
        raise PlanError(f"{where}: {TOO_LONG}") from None
    return text if isinstance(number, float) and not isfinite(number) else number


def _value(text: str, where: str, depth: int = 0) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if _NUMBER.fullmatch(text):
        return _number(text, where)
    if text.startswith("[") and text.endswith("]"):
        if depth == MAX_NESTING:
            raise PlanError(f"{where}: expected a value nested at most {MAX_NESTING} deep")
        inner = text[1:-1].strip()
        parts = inner.split(",") if inner else []
        return [_value(part.strip(), where, depth + 1) for part in parts]
    return text


def _ok(words: list[str], where: str) -> Answer:
    outputs = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise PlanError(f"{where}: expected key=value after ok, observed {told(word)}")
        outputs[name] = _value(text, where)
    return Answer("ok", outputs)


def _fail(words: list[str], _where: str) -> Answer:
    return Answer(
        "fail",
        error_class=words[0] if words else "internal",
        message=" ".join(words[1:]) or None,
    )


def _timeout(words: list[str], where: str) -> Answer:
    if words:
        raise PlanError(f"{where}: expected nothing after timeout, observed {told(words[0])}")
    return Answer("hang")


_DIRECTIVES: Final[Mapping[str, Callable[[list[str], str], Answer]]] = {
    "ok": _ok,
    "fail": _fail,
    "timeout": _timeout,
}


def read_public_plan(text: str, harness: Harness) -> Plan:
    """Read a public plan for a document; time is never slept, so every timer may become due.

    Raises:
        PlanError: a line is malformed, names no node, or repeats another line's attempt; the
            message begins with the number of the line.
    """
    answers: dict[Address, Answer] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        where = f"line {number}"
        who = _WHO.fullmatch(words[0])
        if who is None:
            raise PlanError(f"{where}: expected node or node@attempt, observed {told(words[0])}")
        if who[1] not in harness.node_by_id:
            raise PlanError(f"{where}: the document has no node {told(who[1])}")
        if len(words) == 1 or words[1] not in _DIRECTIVES:
            observed = told(words[1]) if len(words) > 1 else "nothing"
            raise PlanError(f"{where}: expected ok, fail or timeout, observed {observed}")
        address = Address(who[1], attempt=int(who[2]) if who[2] else None)
        if address in answers:
            raise PlanError(f"{where}: {words[0][:80]} has a directive already")
        answers[address] = _DIRECTIVES[words[1]](words[2:], where)
    return Plan(
        answers=rank(list(answers.items())),
        unplanned=lambda node: Answer("ok", default_outputs(node)),
        horizon=inf,
    )
