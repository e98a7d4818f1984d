"""Types of ports: which values an input of one type takes from an output of another (§4.2).

The list of types is open; names that nobody knows are compatible with themselves and with json.
Subtypes that this runtime documents: integer is a number, and arrays and maps of a subtype are
arrays and maps of the type. Everything that a step can answer is json.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from reference_runtime.validation.rule import Fault, Rule
from reference_runtime.validation.view import View

__all__ = ["RULES", "fits"]

_BLANKS = re.compile(r"\s+")
_NESTED = re.compile(r"(array|map)<(.*)>")
#: Angle brackets inside each other that are compared; deeper types are equal or they differ.
_DEEPEST = 32
_SUBTYPES = frozenset({("integer", "number")})


def _fits(source: str, target: str) -> bool:
    """Compare types without blanks; what stands between angle brackets is peeled off."""
    for _ in range(_DEEPEST):
        if target in {source, "json"} or (source, target) in _SUBTYPES:
            return True
        outer, inner = _NESTED.fullmatch(source), _NESTED.fullmatch(target)
        if outer is None or inner is None or outer[1] != inner[1]:
            return False
        source, target = outer[2], inner[2]
        if outer[1] == "map":
            key, _, source = source.partition(",")
            wanted, _, target = target.partition(",")
            if key != wanted:
                return False
    return source == target


def fits(source: str, target: str) -> bool:
    """Tell whether an input of type ``target`` takes every value of type ``source``."""
    return _fits(_BLANKS.sub("", source), _BLANKS.sub("", target))


def incompatible_ports(view: View) -> Iterator[Fault]:
    """The types of a data edge's ports go together; a port without type goes with all."""
    for edge in view.joined_edges:
        if edge.type != "data":
            continue
        source = view.outputs.get(edge.source, {}).get(edge.from_port or "")
        target = view.inputs.get(edge.target, {}).get(edge.to_port or "")
        if source is None or target is None or not source.type or not target.type:
            continue
        if not fits(source.type, target.type):
            yield Fault(
                edge,
                f"{source.type} → {target.type}",
                f"The output {edge.source!r}.{source.name} is {source.type}, the input "
                f"{edge.target!r}.{target.name} takes {target.type}. Give both the same type, "
                "or the input the type json.",
            )


RULES = (Rule("HX-3201", "4.2", "error", incompatible_ports),)
