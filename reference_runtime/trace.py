"""Effects as the JSON-like values that adapters and the command line hand out."""

from __future__ import annotations

from typing import Any

from reference_runtime.engine.effects import Abort, Effect, Invoke, Path, Report, Transition

__all__ = [
    "effect_fields",
    "iteration_steps",
    "report_fields",
    "told_report",
    "transition_fields",
]


def iteration_steps(path: Path) -> list[dict[str, Any]]:
    """Loop levels, outermost first, with 0-based indexes (§7.2.3)."""
    return [{"loop": loop, "index": index} for loop, index in path]


def _present(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in (None, [])}


def transition_fields(transition: Transition) -> dict[str, Any]:
    """A trace entry (§6.6) with the fields that it has."""
    return _present(
        {
            "node": transition.node,
            "iteration": iteration_steps(transition.iteration),
            "attempt": transition.attempt,
            "from": transition.from_,
            "to": transition.to,
            "errorClass": transition.error_class,
            "code": transition.code,
            "message": transition.message,
            "at": transition.at,
        }
    )


def report_fields(report: Report) -> dict[str, Any]:
    """A run-time code that belongs to no transition (§14.4), as the protocol has it."""
    return {"code": report.code, "node": report.node}


def told_report(report: Report) -> dict[str, Any]:
    """The same for people, with iteration and attempt, and the message with the offending value."""
    about = {"iteration": iteration_steps(report.iteration), "attempt": report.attempt}
    return {**report_fields(report), **_present(about), "message": report.message}


def effect_fields(effect: Effect) -> dict[str, Any] | None:
    """Transition, step call or abort for a scripted answer; None for what is told at the end."""
    if isinstance(effect, Transition):
        return transition_fields(effect)
    if isinstance(effect, Invoke):
        fields = {
            "type": "invoke",
            "call": effect.number,
            "node": effect.node,
            "iteration": iteration_steps(effect.iteration),
            "attempt": effect.attempt,
        }
        return {**_present(fields), "inputs": effect.inputs}
    if isinstance(effect, Abort):
        return {"type": "abort", "call": effect.number}
    return None
