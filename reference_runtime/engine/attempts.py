"""Attempts: from READY over preparation (§5.5) and the step to an end or a retry (§8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from reference_runtime.document.model import Retry
from reference_runtime.engine.children import Child
from reference_runtime.engine.effects import Invoke, new_tuple
from reference_runtime.engine.lives import Life
from reference_runtime.engine.loops import start_loop
from reference_runtime.engine.preparation import SkippedError, UnpreparedError, prepare
from reference_runtime.engine.propagation import propagate
from reference_runtime.engine.siblings import abandon, abort_call
from reference_runtime.engine.state import State
from reference_runtime.engine.values import LifeScope, overwrite_sources
from reference_runtime.engine.waits import start_wait
from reference_runtime.expressions import ExpressionError, evaluate_boolean
from reference_runtime.rules import INTERNAL, Expiry

__all__ = ["begin", "child_ended", "step_failed", "step_succeeded"]

#: §8.1: what holds for a node without retry policy.
_NO_RETRY: Final = Retry(max_attempts=1, backoff="none", jitter=False)

#: Outputs of every node that has none.
_NO_OUTPUTS: Final[dict[str, Any]] = {}

#: A failure that is no timeout is retried as the retry policy says.
_POLICY: Final = Expiry(skips=False, forces_retry=False)


def begin(state: State, life: Life) -> None:
    """Start an attempt of a READY node, or skip it."""
    inputs: dict[str, Any] = {}
    if life.vertex.bare and not state.around.environment.refused:
        _execute(state, life, inputs)
        return
    fault: UnpreparedError | ExpressionError | None = None
    try:
        prepare(state, life, inputs)
    except SkippedError:
        life.outputs = state.rules.skipped_outputs(life.vertex.node)
        state.move(life, "SKIPPED")
        return
    except (UnpreparedError, ExpressionError) as error:
        fault = error
    if fault is not None:
        life.attempt += "RUNNING" in state.rules.unprepared
        *before, last = state.rules.unprepared
        for to in before:
            state.move(life, to)
        if state.rules.data.calls_unprepared and life.vertex.calls:
            _call_step(state, life, inputs)
            abort_call(state, life)
        state.move(life, last, error_class=INTERNAL, code=fault.code, message=fault.message)
        return
    _execute(state, life, inputs)


def _execute(state: State, life: Life, inputs: dict[str, Any]) -> None:
    """Do what the node is there for."""
    vertex = life.vertex
    life.attempt += 1
    state.move(life, "RUNNING")
    if vertex.calls:
        _call_step(state, life, inputs)
    else:
        _EXECUTION[vertex.node.type](state, life, inputs)
    timeout = vertex.node.timeout
    if timeout is not None and life in state.active:
        _limit_time(state, life, timeout.duration)


def _limit_time(state: State, life: Life, duration: float) -> None:
    if life.attempt == 1:
        life.since = state.clock.now
    limit = state.rules.time_limit(duration, state.clock.now - life.since)
    state.set_timer(life, limit, lambda: _expired(state, life))


def _call_step(state: State, life: Life, inputs: dict[str, Any]) -> None:
    call = life.call = state.called = state.called + 1
    state.calls[call] = life
    fields = (call, life.vertex.node.id, life.flow.path, life.attempt, inputs)
    invoke = new_tuple(Invoke, fields)
    state.effects.append(invoke)
    state.asked.append(invoke)


def _decide(state: State, life: Life, _inputs: dict[str, Any]) -> None:
    """§7.1.3: the first true case wins; later cases are not evaluated (A75)."""
    cases = life.vertex.node.decision.cases if life.vertex.node.decision else ()
    scope = LifeScope(state, life, blind=state.rules.flow.blind_cases)
    try:
        for case in state.rules.flow.cases(cases):
            if case.when is None or evaluate_boolean(
                state.graph.template(case.when), scope, state.rules.language, f"case to {case.to!r}"
            ):
                life.chosen = case.to
                break
    except ExpressionError as error:
        state.fail(life, error.code, error.message)
        return
    if life.chosen is None and state.rules.flow.no_case == "FAILED":
        state.fail(life, state.rules.codes["no-case"], "no case is true, and no otherwise")
    else:
        state.move(life, "SUCCEEDED")


def _pass(state: State, life: Life, _inputs: dict[str, Any]) -> None:
    """A parallel or a barrier has nothing to execute (§3.2.6)."""
    state.move(life, "SUCCEEDED")


def _wait(state: State, life: Life, _inputs: dict[str, Any]) -> None:
    start_wait(state, life)


def _loop(state: State, life: Life, _inputs: dict[str, Any]) -> None:
    start_loop(state, life)


def _child(state: State, life: Life, inputs: dict[str, Any]) -> None:
    if state.children is not None:
        state.children.start(state, life, inputs)


#: §3.2: what happens in nodes of the types that call no step.
_EXECUTION: Final[Mapping[str, Callable[[State, Life, dict[str, Any]], None]]] = {
    "decision": _decide,
    "parallel": _pass,
    "barrier": _pass,
    "wait": _wait,
    "loop": _loop,
    "subworkflow": _child,
}


def _close_call(state: State, number: int, life: Life) -> bool:
    """Take the answer to a call; tell whether somebody still waits for it."""
    del state.calls[number]
    if life.call != number and life.state not in state.rules.late_answers:
        return False
    life.call = None
    if life.timers:
        state.stop_timers(life)
    return True


def step_succeeded(state: State, number: int, outputs: Mapping[str, Any]) -> None:
    """Bind the declared outputs that the step delivered, then succeed (§5.5, A18)."""
    life, rules = state.calls.get(number), state.rules
    if life is None:
        return
    if not _close_call(state, number, life):
        if rules.data.binds_late:
            _bind(state, life, outputs)
        return
    node = life.vertex.node
    if node.retry is not None and rules.repeats(node, life.attempt):
        state.move(life, "RETRYING")
        _back_off(state, life, node.retry)
        return
    if rules.data.bound_first:
        _bind(state, life, outputs)
        state.move(life, "SUCCEEDED")
    else:
        state.move(life, "SUCCEEDED")
        propagate(state)
        _bind(state, life, outputs)


def child_ended(state: State, life: Life, child: Child) -> None:
    """The instance of a subworkflow is over: so is the attempt of its node (A153)."""
    outcome = child.run.outcome
    if not state.rules.children.ends(outcome):
        return
    state.stop_timers(life)
    if state.rules.children.succeeded(outcome):
        _bind(state, life, child.outputs())
        state.move(life, "SUCCEEDED")
        return
    message, error_class = f"subworkflow {outcome}", INTERNAL
    if child.cause is not None:
        message = f"{message}: {child.cause.text}"
        error_class = child.cause.error_class or INTERNAL
    _attempt_failed(state, life, error_class, message, None, _POLICY)


def _bind(state: State, life: Life, outputs: Mapping[str, Any]) -> None:
    """Make the declared outputs available that the step delivered."""
    if life.discarded:
        return
    declared, rules = life.vertex.node.outputs, state.rules
    if not declared or not outputs:
        life.outputs = _NO_OUTPUTS
        return
    life.outputs = {p.name: outputs[p.name] for p in declared if p.name in outputs}
    if "producer" in rules.data.overwrites:
        overwrite_sources(state, life)
    if rules.configures:
        state.configured.setdefault(life.vertex.index, {}).update(life.outputs)


def step_failed(state: State, number: int, error_class: str | None, message: str | None) -> None:
    """The step answered that the attempt failed; without evidence it is internal (§14.3)."""
    life = state.calls.get(number)
    if life is not None and _close_call(state, number, life):
        told = message or "the step reported a failure"
        _attempt_failed(state, life, error_class or INTERNAL, told, None, _POLICY)


def _expired(state: State, life: Life) -> None:
    """The time limit of an attempt is over (§8.2)."""
    timeout = life.vertex.node.timeout
    if timeout is None:
        return
    expiry = state.rules.on_timeout[timeout.on_timeout]
    abort_call(state, life)
    state.stop_timers(life)
    state.waiting.pop(life, None)
    abandon(state, life)
    message = f"no end within {timeout.duration:g} s"
    if expiry.skips:
        state.move(life, "SKIPPED", message=message)
        return
    _attempt_failed(state, life, "timeout", message, state.rules.codes["timeout"], expiry)


def _attempt_failed(  # noqa: PLR0913, PLR0917 - the parts of a failure (§14.4)
    state: State,
    life: Life,
    error_class: str,
    message: str,
    code: str | None,
    expiry: Expiry,
) -> None:
    """Retry or fail; a loop is never repeated, as its iterations would be (A128)."""
    node, rules = life.vertex.node, state.rules
    retry = node.retry or _NO_RETRY
    again = (
        life.loop is None
        and (state.phase == "forward" or rules.ending.retries)
        and life.attempt < rules.attempts(node)
        and not life.discarded
        and not expiry.bars_retry
        and (expiry.forces_retry or rules.retryable(retry, error_class))
    )
    for to in ("RETRYING",) if again else rules.exhausted(node, len(life.vertex.errors)):
        state.move(life, to, error_class=error_class, code=code, message=message)
    if again:
        _back_off(state, life, retry)


def _back_off(state: State, life: Life, retry: Retry) -> None:
    """Wait before the next attempt (§8.1.1)."""
    rules = state.rules
    delay = rules.limit(retry, rules.backoff[retry.backoff](retry, life.attempt + 1))
    if retry.jitter:
        delay = rules.jitter(state.random, delay)
    if delay > 0:
        state.set_timer(life, delay, lambda: _backoff_over(state, life))
    else:
        _backoff_over(state, life)


def _backoff_over(state: State, life: Life) -> None:
    life.timers = ()
    if state.rules.after_backoff == "RUNNING":
        begin(state, life)
    else:
        state.move(life, state.rules.after_backoff)
