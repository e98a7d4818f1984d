"""Preparation of an attempt: guard, inputs, and what the node needs from outside (§5.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from reference_runtime.engine.lives import Life
from reference_runtime.engine.state import State
from reference_runtime.engine.values import LifeScope, MissingInputError, resolve_inputs
from reference_runtime.expressions import evaluate_boolean

__all__ = ["SkippedError", "UnpreparedError", "prepare"]


class SkippedError(Exception):
    """The guard is false."""


class UnpreparedError(Exception):
    """A step of the preparation found a fault; the node fails without being executed."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def _guard(state: State, life: Life, _inputs: dict[str, Any]) -> None:
    guard = life.vertex.node.guard
    if guard is not None and not evaluate_boolean(
        state.graph.template(guard),
        LifeScope(state, life, blind=state.rules.data.blind_guards),
        state.rules.language,
        "guard",
    ):
        raise SkippedError


def _inputs(state: State, life: Life, inputs: dict[str, Any]) -> None:
    try:
        inputs.update(resolve_inputs(state, life))
    except MissingInputError as error:
        raise UnpreparedError(state.rules.codes["missing-input"], str(error)) from error


def _denied(state: State, life: Life) -> Iterator[tuple[str, str]]:
    """Yield code and message of what the environment denies to a node (§11)."""
    rules = state.rules.surroundings
    security = rules.in_force(state.graph.harness.security, life.vertex.node.security)
    if security is None:
        return
    for kind, name in rules.denials(security):
        if f"{kind}:{name}" in state.around.environment.refused and kind in rules.codes:
            yield rules.codes[kind], f"{kind} {name!r} is refused by the environment"


def _resources(state: State, life: Life, _inputs: dict[str, Any]) -> None:
    """§5.5 step 3: who the node acts as and may do (A26), then its resources."""
    if state.around.environment.refused:
        for code, message in _denied(state, life):
            raise UnpreparedError(code, message)
    for reference in life.vertex.node.resource_refs:
        declared = state.graph.harness.resources
        missing = state.around.environment.unresolvable
        if not state.rules.data.resolves(reference.ref, missing, declared):
            raise UnpreparedError(
                state.rules.codes["resource"], f"resource {reference.ref!r} cannot be resolved"
            )


def _artifacts(state: State, life: Life, _inputs: dict[str, Any]) -> None:
    bad = state.around.environment.bad_digests
    for reference in life.vertex.node.artifact_refs if bad else ():
        artifact = state.graph.artifacts.get(reference.ref)
        compared = artifact is not None and state.rules.surroundings.verifies(artifact)
        if reference.ref in bad and compared:
            raise UnpreparedError(
                state.rules.codes["digest"], f"artifact {reference.ref!r} does not have its digest"
            )


#: §5.5 steps 1 to 3 by name; ``DataRules.preparation`` gives the order.
_STEPS: Final[Mapping[str, Callable[[State, Life, dict[str, Any]], None]]] = {
    "guard": _guard,
    "inputs": _inputs,
    "resources": _resources,
    "artifacts": _artifacts,
}


def prepare(state: State, life: Life, inputs: dict[str, Any]) -> None:
    """Do steps 1 to 3 for a READY node; values of inputs are put into ``inputs``.

    Raises:
        SkippedError: the guard is false.
        UnpreparedError: something that the node needs is missing or denied.
        ExpressionError: the guard or the value of an input cannot be evaluated.
    """
    for name in state.rules.data.preparation:
        _STEPS[name](state, life, inputs)
