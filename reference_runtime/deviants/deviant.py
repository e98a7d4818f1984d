"""What a deviant is: a name, the requirement that it breaks, and the rules that it replaces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import Any

from reference_runtime.document.model import Edge, Harness, Node
from reference_runtime.rules import RULES, Rules

__all__ = [
    "Deviant",
    "Row",
    "changed",
    "children",
    "data",
    "edges",
    "ending",
    "flow",
    "language",
    "loops",
    "nodes",
    "surroundings",
    "waits",
]

#: One line of a table: name, requirement, description, and the fields of ``RULES`` to replace.
Row = tuple[str, str, str, dict[str, Any]]


@dataclass(frozen=True)
class Deviant:
    """A runtime with one fault.

    Attributes:
        name: attribute of the package.
        requirement: id in the ledger of what it breaks; killed means that some scenario's
            first divergence cites it.
        description: what it does wrong.
        rules: its semantics.
        serial: whether it has one step open at a time, so that READY nodes have to wait.
    """

    name: str
    requirement: str
    description: str
    rules: Rules
    serial: bool = False

    @cached_property
    def replaced(self) -> dict[tuple[str, ...], tuple[Any, Any]]:
        """What it replaces: path to the part of the rules, which it had and which it has."""
        return dict(_differences(RULES, self.rules, ()))


def _differences(
    old: Any, new: Any, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], tuple[Any, Any]]]:
    if old is new or (not callable(old) and old == new):
        return
    if is_dataclass(old):
        for field in fields(old):
            before, after = getattr(old, field.name), getattr(new, field.name)
            yield from _differences(before, after, (*path, field.name))
    elif isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in {**old, **new}:
            yield from _differences(old.get(key), new.get(key), (*path, str(key)))
    elif isinstance(old, frozenset) and isinstance(new, frozenset):
        for member in old ^ new:
            yield (*path, str(member)), (member in old, member in new)
    else:
        yield path, (old, new)


def changed(table: Mapping[Any, Any], **rows: Any) -> dict[Any, Any]:
    """Copy a table with other rows."""
    return {**table, **rows}


def flow(**changes: Any) -> dict[str, Any]:
    """Replace fields of ``RULES.flow``."""
    return {"flow": replace(RULES.flow, **changes)}


def data(**changes: Any) -> dict[str, Any]:
    """Replace fields of ``RULES.data``."""
    return {"data": replace(RULES.data, **changes)}


def language(**changes: Any) -> dict[str, Any]:
    """Replace fields of ``RULES.language``."""
    return {"language": replace(RULES.language, **changes)}


def waits(**changes: Any) -> dict[str, Any]:
    """Replace fields of ``RULES.waits``."""
    return {"waits": replace(RULES.waits, **changes)}


def surroundings(**changes: Any) -> dict[str, Any]:
    """Replace fields of ``RULES.surroundings``."""
    return {"surroundings": replace(RULES.surroundings, **changes)}


def nodes(change: Callable[[Harness, Node], Node]) -> dict[str, Any]:
    """Read nodes otherwise."""
    return {
        "reading": lambda harness: replace(
            harness, nodes=tuple(change(harness, node) for node in harness.nodes), node_by_id={}
        )
    }


def edges(change: Callable[[Harness, Edge], Edge]) -> dict[str, Any]:
    """Read edges otherwise."""
    return {
        "reading": lambda harness: replace(
            harness, edges=tuple(change(harness, edge) for edge in harness.edges), node_by_id={}
        )
    }


def loops(**changes: Any) -> dict[str, Any]:
    """Replace fields of ``RULES.loops``."""
    return {"loops": replace(RULES.loops, **changes)}


def children(**changes: Any) -> dict[str, Any]:
    """Replace fields of ``RULES.children``."""
    return {"children": replace(RULES.children, **changes)}


def ending(**changes: Any) -> dict[str, Any]:
    """Replace fields of ``RULES.ending``."""
    return {"ending": replace(RULES.ending, **changes)}
