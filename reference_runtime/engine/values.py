"""Values: what expressions see, and how the inputs of a node are resolved (§5.5, §5.6)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from reference_runtime.document.model import Artifact, Port, Property, Resource
from reference_runtime.engine.lives import Flow, Life
from reference_runtime.engine.state import State
from reference_runtime.expressions import ExpressionError, Value, evaluate
from reference_runtime.expressions.values import check_size

__all__ = [
    "LifeScope",
    "MissingInputError",
    "overwrite_namesakes",
    "overwrite_sources",
    "resolve_inputs",
]


#: A value in a tuple of its own, None where there is none.
_Found = tuple[Any] | None


class MissingInputError(Exception):
    """A required input has no value (HX-4101); ``port`` is its name."""

    def __init__(self, port: str) -> None:
        super().__init__(f"required input {port!r} has no value")
        self.port = port


class LifeScope:
    """The names in an expression, seen from one lifecycle (§10.3).

    ``latest`` is the iteration that a loop's own condition may look into (A129). A blind scope
    knows no values of the run.
    """

    def __init__(
        self, state: State, life: Life, latest: Flow | None = None, *, blind: bool = False
    ) -> None:
        self._state = state
        self._blind = blind
        self._life = life
        self._latest = latest

    def _find(self, index: int) -> Life | None:
        """Lifecycle of a node in the nearest flow around, the main flow being outermost."""
        if self._latest is not None and index in self._latest.lives:
            return self._latest.lives[index]
        flow: Flow | None = self._life.flow
        while flow is not None:
            if index in flow.lives:
                return flow.lives[index]
            flow = flow.owner.flow if flow.owner else None
        return None

    def source(self, index: int) -> Life | None:
        """Lifecycle of the source of a data link."""
        return self._find(index)

    def output(self, node: str, port: str) -> Value:
        """Value of an output; None while or if it is unresolved (§10.7)."""
        life = None if self._blind else self._find(self._state.graph.index[node])
        if life is None or life.outputs is None:
            return None
        value: Value = self._state.rules.data.named(life.outputs, port)
        return value

    def config(self, name: str) -> Value:
        """Config property of the node that owns the expression; always a string."""
        written = self._state.configured.get(self._life.vertex.index)
        if written and name in written:
            value: Value = written[name]
            return value
        for item in self._life.vertex.node.config:
            if item.name == name:
                return item.value
        return None

    def artifact(self, artifact_id: str) -> Value:
        """Declaration of an artifact as a map of its fields; None if undeclared."""
        artifact = self._state.graph.artifacts.get(artifact_id)
        return None if artifact is None else _artifact(artifact, self._label(artifact))

    def _label(self, artifact: Artifact) -> str | None:
        """Classification of an artifact, as this reader sees it (§9.3)."""
        rules, harness = self._state.rules.surroundings, self._state.graph.harness
        own = rules.in_force(harness.security, self._life.vertex.node.security)
        return rules.label(artifact.classification, own.classification if own else None)

    def resource(self, resource_id: str) -> Value:
        """Declaration of a resource as a map of its fields, without credential."""
        resource = self._state.graph.resources.get(resource_id)
        return None if resource is None else _resource(resource)

    def variable(self, name: str) -> Value:
        """Value of an iteration variable of the loops around.

        Raises:
            KeyError: there is no variable of that name here.
        """
        flow: Flow | None = self._life.flow
        while flow is not None:
            if name in flow.variables:
                value: Value = flow.variables[name]
                return value
            flow = flow.owner.flow if flow.owner else None
        raise KeyError(name)


def _artifact(artifact: Artifact, label: str | None) -> dict[str, Any]:
    fields = {
        "id": artifact.id,
        "type": artifact.type,
        "name": artifact.name,
        "uri": artifact.uri,
        "mediaType": artifact.media_type,
        "digest": artifact.digest,
        "classification": label,
    }
    return _declared(fields, artifact.properties)


def _declared(fields: dict[str, Any], properties: Iterable[Property]) -> dict[str, Any]:
    """Attributes that are given, and properties; of the same name the attribute counts."""
    given = {name: value for name, value in fields.items() if value is not None}
    return {**{item.name: item.value for item in properties}, **given}


def _resource(resource: Resource) -> dict[str, Any]:
    fields = {
        "id": resource.id,
        "type": resource.type,
        "name": resource.name,
        "provider": resource.provider,
        "uri": resource.uri,
    }
    return _declared(fields, resource.properties)


_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def _finite(text: str) -> float:
    """Read a number that a double can hold, as every reader of JSON wants it."""
    if not math.isfinite(float(text)):
        raise ValueError(text)
    return float(text)


def _integer(text: str) -> float:
    if not _INTEGER.fullmatch(text):
        raise ValueError(text)
    _finite(text)
    return int(text)


def _number(text: str) -> float:
    if _INTEGER.fullmatch(text):
        return _integer(text)
    if not _NUMBER.fullmatch(text):
        raise ValueError(text)
    return _finite(text)


def _structure(*types: type) -> Callable[[str], Any]:
    """Make the reader of a JSON text that is a value of one of these types, of any without."""

    def read(text: str) -> Any:
        value = json.loads(text, parse_int=_integer, parse_float=_finite, parse_constant=_integer)
        if types and not isinstance(value, types):
            raise ValueError(text)
        check_size(value)
        if "\\u" in text:
            # Half of a surrogate pair is no text that can be told to anybody.
            json.dumps(value, ensure_ascii=False).encode()
        return value

    return read


#: Literal text of a port with a declared type becomes a value of that type (A165). Values are
#: those that a JSON text can hand on: numbers in the range of doubles, whole characters, and not
#: nested deeper than ``MAX_NESTING``.
_LITERALS: Final[dict[str, Callable[[str], Any]]] = {
    "integer": _integer,
    "number": _number,
    "boolean": {"true": True, "false": False, "1": True, "0": False}.__getitem__,
    "json": _structure(),
    "array": _structure(list),
    "map": _structure(dict),
}


def _literal(port: Port, text: str) -> Any:
    """Value of literal text; text that is none of the declared type stays text."""
    convert = _LITERALS.get((port.type or "").partition("<")[0])
    if convert is None:
        return text
    try:
        return convert(text)
    except (ValueError, KeyError, RecursionError, ExpressionError):
        return text


def _linked(state: State, life: Life, port: Port, scope: LifeScope) -> _Found:
    """Value that the data link of an input delivers."""
    link = life.vertex.feeds.get(port.name)
    source = scope.source(link.source) if link else None
    if link is None or link.edge is None or source is None or source.outputs is None:
        return None
    rules = state.rules.data
    name = rules.output_of(link.edge) or ""
    there = rules.lasting(source.deliveries, life.flow.owner is not None)
    if link.number in source.flow.blocked or name not in source.outputs or not there:
        return None
    source.deliveries += 1
    return rules.delivered(source.outputs[name])


def _value(state: State, life: Life, port: Port, scope: LifeScope) -> _Found:
    if port.value is None:
        return None
    if "${" not in port.value:
        return (_literal(port, port.value),)
    if state.rules.data.blind_values:
        scope = LifeScope(state, life, blind=True)
    template, place = state.graph.template(port.value), f"input {port.name!r}"
    value = evaluate(template, scope, state.rules.language, place)
    return None if value is None else (value,)


def _default(_state: State, _life: Life, port: Port, _scope: LifeScope) -> _Found:
    return None if port.default is None else (_literal(port, port.default),)


def _given(state: State, _life: Life, port: Port, _scope: LifeScope) -> _Found:
    """Value that the subworkflow node around was given under the same name (A153)."""
    return (state.given[port.name],) if port.name in state.given else None


def _credential(state: State, _life: Life, port: Port, _scope: LifeScope) -> _Found:
    """What the credential of the resource of the same name resolves to."""
    resource = state.graph.resources.get(port.name)
    if resource is None or resource.credential is None:
        return None
    store, ref = resource.credential.store, resource.credential.ref
    value = state.around.environment.secrets.get(ref if store is None else f"{store}/{ref}")
    return None if value is None else (value,)


def _namesake(type_: str) -> Callable[[State, Life, Port, LifeScope], _Found]:
    """Make the source that takes outputs of the same name along edges of a type."""

    def find(_state: State, life: Life, port: Port, scope: LifeScope) -> _Found:
        for link in life.vertex.incoming:
            source = scope.source(link.source)
            if link.type == type_ and source is not None and port.name in (source.outputs or {}):
                return ((source.outputs or {})[port.name],)
        return None

    return find


#: Where the value of an input may come from; ``DataRules.input_sources`` chooses and orders.
_SOURCES: Final[dict[str, Callable[[State, Life, Port, LifeScope], _Found]]] = {
    "data": _linked,
    "value": _value,
    "given": _given,
    "default": _default,
    "credential": _credential,
    "control": _namesake("control"),
    "dependency": _namesake("dependency"),
}


def resolve_inputs(state: State, life: Life) -> dict[str, Any]:
    """Give each input the value of its data link, of @value, or of @default (§5.5).

    Raises:
        MissingInputError: a required input is left without a value.
        ExpressionError: a value cannot be evaluated.
    """
    scope = LifeScope(state, life)
    inputs: dict[str, Any] = {}
    rules = state.rules.data
    for port in life.vertex.node.inputs:
        for name in rules.input_sources(port.name in life.vertex.feeds):
            found = _SOURCES[name](state, life, port, scope)
            if found is not None:
                inputs[port.name] = found[0]
                break
        else:
            if port.required and not rules.null_for_missing:
                raise MissingInputError(port.name)
            if port.required:
                inputs[port.name] = None
    return inputs


def overwrite_sources(state: State, life: Life) -> None:
    """Give producers of inputs the value of the equally named outputs of their consumer."""
    new, scope = life.outputs or {}, LifeScope(state, life)
    for name, link in life.vertex.feeds.items():
        source = scope.source(link.source)
        port = link.edge.from_port if link.edge else None
        if source is not None and source.outputs and port and name in new:
            source.outputs[port] = new[name]


def overwrite_namesakes(life: Life) -> None:
    """Give equally named outputs of other nodes the same value."""
    new = life.outputs or {}
    for other in life.flow.lives.values():
        for name in (other.outputs or {}).keys() & new.keys():
            other.outputs = {**(other.outputs or {}), name: new[name]}
