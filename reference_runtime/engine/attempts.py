"""Attempts: from READY over preparation (§5.5) and the step to an end or a retry (§8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from reference_runtime.engine.effects import Invoke
from reference_runtime.engine.lives import Life
from reference_runtime.engine.loops import start_loop
from reference_runtime.engine.siblings import abort_call
from reference_runtime.engine.state import State
from reference_runtime.engine.values import LifeScope, MissingInputError, resolve_inputs
from reference_runtime.engine.waits import start_wait
from reference_runtime.expressions import ExpressionError, evaluate_boolean
from reference_runtime.rules import CODES, INTERNAL

__all__ = ["begin", "step_failed", "step_succeeded"]


class _SkippedError(Exception):
    """The guard is false."""


class _UnpreparedError(Exception):
    """A step of the preparation found a fault; the node fails without being executed."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def _guard(state: State, life: Life, _inputs: dict[str, Any]) -> None:
    guard = life.vertex.node.guard
    if guard is not None and not evaluate_boolean(
        state.graph.template(guard), LifeScope(state, life)
    ):
        raise _SkippedError


def _inputs(state: State, life: Life, inputs: dict[str, Any]) -> None:
    try:
        inputs.update(resolve_inputs(state, life))
    except MissingInputError as error:
        raise _UnpreparedError(CODES["missing-input"], str(error)) from error


def _resources(state: State, life: Life, _inputs: dict[str, Any]) -> None:
    for reference in life.vertex.node.resource_refs:
        if reference.ref in state.unresolvable:
            raise _UnpreparedError(
                CODES["resource"], f"resource {reference.ref!r} cannot be resolved"
            )


def _artifacts(state: State, life: Life, _inputs: dict[str, Any]) -> None:
    for reference in life.vertex.node.artifact_refs:
        if reference.ref in state.bad_digests:
            raise _UnpreparedError(
                CODES["digest"], f"artifact {reference.ref!r} does not have its digest"
            )


#: §5.5 steps 1 to 3 by name; ``Rules.preparation`` gives the order.
_PREPARATION: Final[Mapping[str, Callable[[State, Life, dict[str, Any]], None]]] = {
    "guard": _guard,
    "inputs": _inputs,
    "resources": _resources,
    "artifacts": _artifacts,
}


def begin(state: State, life: Life) -> None:
    """Start an attempt of a READY node, or skip it."""
    inputs: dict[str, Any] = {}
    fault: _UnpreparedError | ExpressionError | None = None
    try:
        for name in state.rules.preparation:
            _PREPARATION[name](state, life, inputs)
    except _SkippedError:
        state.move(life, "SKIPPED")
        return
    except (_UnpreparedError, ExpressionError) as error:
        fault = error
    life.attempt += 1
    state.move(life, "RUNNING")
    if fault is not None:
        state.fail(life, fault.code, fault.message)
        return
    _EXECUTION.get(life.vertex.node.type, _call_step)(state, life, inputs)
    if life in state.active:
        _limit_time(state, life)


def _limit_time(state: State, life: Life) -> None:
    timeout = life.vertex.node.timeout
    if timeout is not None:
        life.timers.append(state.clock.after(timeout.duration, lambda: _expired(state, life)))


def _call_step(state: State, life: Life, inputs: dict[str, Any]) -> None:
    state.called += 1
    life.call = state.called
    state.calls[life.call] = life
    state.effects.append(
        Invoke(life.call, life.vertex.node.id, life.flow.path, life.attempt, inputs)
    )


def _decide(state: State, life: Life, _inputs: dict[str, Any]) -> None:
    """§7.1.3: the first true case wins; later cases are not evaluated (A75)."""
    cases = life.vertex.node.decision.cases if life.vertex.node.decision else ()
    scope = LifeScope(state, life)
    try:
        for case in cases:
            if case.when is None or evaluate_boolean(state.graph.template(case.when), scope):
                life.chosen = case.to
                break
    except ExpressionError as error:
        state.fail(life, error.code, error.message)
        return
    if life.chosen is None:
        state.fail(life, CODES["no-case"], "no case is true, and no otherwise")
    else:
        state.move(life, "SUCCEEDED")


def _pass(state: State, life: Life, _inputs: dict[str, Any]) -> None:
    """A parallel or a barrier has nothing to execute (§3.2.6)."""
    state.move(life, "SUCCEEDED")


def _wait(state: State, life: Life, _inputs: dict[str, Any]) -> None:
    start_wait(state, life)


def _loop(state: State, life: Life, _inputs: dict[str, Any]) -> None:
    start_loop(state, life)


#: §3.2: node types that call no step; every other type calls one.
_EXECUTION: Final[Mapping[str, Callable[[State, Life, dict[str, Any]], None]]] = {
    "decision": _decide,
    "parallel": _pass,
    "barrier": _pass,
    "wait": _wait,
    "loop": _loop,
}


def step_succeeded(state: State, number: int, outputs: Mapping[str, Any]) -> None:
    """Bind the declared outputs that the step delivered, then succeed (§5.5, A18)."""
    life = state.calls.pop(number, None)
    if life is None:
        return
    life.call = None
    state.stop_timers(life)
    if not life.discarded:
        declared = (port.name for port in life.vertex.node.outputs)
        life.outputs = {name: outputs[name] for name in declared if name in outputs}
    state.move(life, "SUCCEEDED")


def step_failed(state: State, number: int, error_class: str | None, message: str | None) -> None:
    """The step answered that the attempt failed; without evidence it is internal (§14.3)."""
    life = state.calls.pop(number, None)
    if life is None:
        return
    life.call = None
    state.stop_timers(life)
    _attempt_failed(
        state,
        life,
        error_class or INTERNAL,
        message or "the step reported a failure",
        None,
        forced=False,
    )


def _expired(state: State, life: Life) -> None:
    """The time limit of an attempt is over (§8.2)."""
    timeout = life.vertex.node.timeout
    if timeout is None:
        return
    expiry = state.rules.on_timeout[timeout.on_timeout]
    abort_call(state, life)
    state.stop_timers(life)
    state.waiting.pop(life, None)
    if life.loop is not None:
        life.loop.abandon()
    message = f"no end within {timeout.duration:g} s"
    if expiry.skips:
        state.move(life, "SKIPPED", message=message)
        return
    _attempt_failed(state, life, "timeout", message, CODES["timeout"], forced=expiry.forces_retry)


def _attempt_failed(  # noqa: PLR0913 - the parts of a failure (§14.4)
    state: State,
    life: Life,
    error_class: str,
    message: str,
    code: str | None,
    *,
    forced: bool,
) -> None:
    """Retry or fail; a loop is never repeated, as its iterations would be (A128)."""
    node, rules = life.vertex.node, state.rules
    retry = node.retry
    again = (
        retry is not None
        and life.loop is None
        and life.attempt < rules.attempts(node)
        and not life.discarded
        and (forced or rules.retryable(retry, error_class))
    )
    to = "RETRYING" if again else "FAILED"
    state.move(life, to, error_class=error_class, code=code, message=message)
    if not again or retry is None:
        return
    attempt = life.attempt + 1
    delay = rules.limit(retry, rules.backoff[retry.backoff](retry, attempt))
    if retry.jitter:
        delay = rules.jitter(state.random, delay)
    if delay > 0:
        life.timers.append(state.clock.after(delay, lambda: _backoff_over(state, life)))
    else:
        _backoff_over(state, life)


def _backoff_over(state: State, life: Life) -> None:
    life.timers.clear()
    if state.rules.after_backoff == "READY":
        state.move(life, "READY")
    else:
        begin(state, life)
