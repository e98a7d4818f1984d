"""Outputs of a step that nobody has planned: one value for each declared output, by its type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from reference_runtime.document.model import Node

__all__ = ["default_outputs"]

#: Default output by the first letters of the port's type; any other type gives a text.
_DEFAULTS: Final[Mapping[str, Any]] = {
    "array": [1, 2],
    "number": 1,
    "integer": 1,
    "boolean": True,
    "json": {},
    "map": {},
}


def default_outputs(node: Node) -> dict[str, Any]:
    """Outputs of a node by the types of its ports."""
    return {
        port.name: _DEFAULTS.get((port.type or "").split("<")[0], f"{node.id}.{port.name}")
        for port in node.outputs
    }
