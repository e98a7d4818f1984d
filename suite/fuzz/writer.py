"""A failure of the fuzzer as text to read and as an ordinary case to review."""

import hashlib
import json
from pathlib import Path
from typing import Any

from suite.corpus.plan import Answer, Plan, Point
from suite.fuzz.campaign import CampaignResult, Failure

__all__ = ["case_text", "failure_text", "write_case"]

#: Most lines of a run that are shown; a runtime may have sent transitions for ever.
_MOST_LINES = 60


def _value(value: Any) -> str:
    """Write a JSON scalar as TOML; both write strings, numbers and booleans alike."""
    return json.dumps(value, ensure_ascii=False)


def _step(answer: Answer) -> str:
    parts: list[str] = []
    if answer.result == "ok":
        outputs = ", ".join(f"{key} = {_value(value)}" for key, value in answer.outputs.items())
        parts.append(f"ok = {{ {outputs} }}" if outputs else "ok = {}")
    elif answer.result == "fail":
        parts.append(f"fail = {_value(answer.error_class)}")
    else:
        parts.append("hang = true")
    if answer.after is not None:
        parts.append(f'after = "PT{answer.after:.3f}S"')
    if answer.hold is not None:
        hold = answer.hold
        until = f"{hold.node} {hold.state}" if isinstance(hold, Point) else "idle"
        parts.append(f"hold-until = {_value(until)}")
    return f"{_value(answer.node)} = {{ {', '.join(parts)} }}"


def _plan_text(plan: Plan) -> str:
    return "".join(f"{_step(answer)}\n" for answer in plan.answers)


def _cancel_text(plan: Plan) -> str:
    """The moment of an external cancel, if there is one."""
    if plan.cancel is None:
        return ""
    at = plan.cancel
    moment = f"{at.node} {at.state}" if isinstance(at, Point) else "idle"
    return f"cancel = {_value(moment)}\n"


def _level(failure: Failure) -> str:
    """Compensation belongs to level Full (§8.4)."""
    undos = any(edge.type == "compensation" for edge in failure.example.model.edges)
    return "full" if undos else "executing"


def case_text(result: CampaignResult, failure: Failure) -> str:
    """Write the metadata file of the case; the findings are comments for the reviewer."""
    lines = [
        f"# Found by fuzzing area {result.area} with seed {result.seed}.",
        "# Give the case the name of its behaviour, derive its golden from the text, then",
        "# delete these comments. What the oracle found:",
        *(f"#   {line}" for finding in failure.findings for line in str(finding).splitlines()),
        'description = "A run on which the fuzzer and a runtime disagree."',
        f'level = "{_level(failure)}"',
        "",
    ]
    cancel = _cancel_text(failure.plan)
    head = "\n".join(lines) + "\n" + (f"[plans.found]\n{cancel}\n" if cancel else "")
    return f"{head}[plans.found.steps]\n{_plan_text(failure.plan)}"


def _trace_text(failure: Failure) -> str:
    words: list[str] = []
    for entry in failure.exchange.transcript.entries:
        message = entry.message
        kind = message["type"]
        if kind == "transition":
            where = [str(level["index"]) for level in message.get("iteration") or ()]
            name = message["node"] + (f"[{','.join(where)}]" if where else "")
            words.append(f"  {name} {message['from']} to {message['to']}")
        elif kind == "outcome":
            words.append(f"  (call {message['call']} is answered {message['result']})")
        elif kind == "idle":
            if words[-1:] != ["  (idle)"]:
                words.append("  (idle)")
        elif kind in ("cancel", "abort"):
            call = f" of call {message['call']}" if kind == "abort" else ""
            words.append(f"  ({kind}{call})")
        elif kind == "end":
            words.append(f"  (end: {message.get('outcome')})")
    if len(words) > _MOST_LINES:
        left = len(words) - _MOST_LINES
        words = [
            *words[: _MOST_LINES // 2],
            f"  ({left} lines left out)",
            *words[-_MOST_LINES // 2 :],
        ]
    return "\n".join(words)


def failure_text(result: CampaignResult, failure: Failure) -> str:
    """Write findings, smallest document, plan and what was seen, for a terminal."""
    repeat = "" if failure.reproducible else " (not reproducible: a second run passed)"
    return "\n".join(
        [
            f"fuzz {result.area}: example {result.examples} of seed {result.seed} failed{repeat}",
            *(f"  {finding}" for finding in failure.findings),
            "document:",
            failure.document.decode().rstrip(),
            "plan:",
            (_cancel_text(failure.plan) + _plan_text(failure.plan)).rstrip()
            or "  (every call is answered ok at once)",
            "observed:",
            _trace_text(failure),
        ]
    )


def write_case(result: CampaignResult, directory: Path) -> list[Path]:
    """Write the failure as ``.hxml`` and ``.toml`` into a directory; return both paths.

    Raises:
        ValueError: the campaign was clean.
    """
    failure = result.failure
    if failure is None:
        raise ValueError("a clean campaign has no case to write")
    text = case_text(result, failure)
    digest = hashlib.sha256(failure.document + _plan_text(failure.plan).encode()).hexdigest()
    directory.mkdir(parents=True, exist_ok=True)
    document = directory / f"{result.area}-{digest[:8]}.hxml"
    document.write_bytes(failure.document)
    case = document.with_suffix(".toml")
    case.write_text(text, encoding="utf-8")
    return [document, case]
