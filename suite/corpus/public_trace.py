"""Read traces in the shape of the published command-line runtime.

That shape is a bare array of ``{node, from, to, attempt, iteration?, errorClass?, detail?}``;
``iteration`` is one integer. It names a loop level only where the document leaves no choice:
the node is the body of exactly one loop (or a handler inside it that the same loop owns), and
that loop is no body itself.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from comparator.facts import Facts
from comparator.trace import LoopStep, Transition

__all__ = ["PublicTraceError", "loop_of", "read_public_trace"]

_NAMES: Final = {"detail": "message"}


class PublicTraceError(ValueError):
    """The trace has another shape; the text names the place."""


def read_public_trace(items: Sequence[Any], facts: Facts) -> tuple[Transition, ...]:
    """Turn decoded JSON into transitions.

    Raises:
        PublicTraceError: an entry is no transition, or its iteration cannot be placed.
    """
    return tuple(_transition(place, item, facts) for place, item in enumerate(items))


def loop_of(node: str, facts: Facts) -> str | None:
    """Return the only loop that can own an iteration of ``node``, None when there is a choice.

    A node that is no body belongs to the loop of the bodies that reach it by error edges.
    """
    owners = _owners(facts)
    seen = {node}
    wave = [node]
    found: set[str] = set(owners.get(node, ()))
    while wave and not found:
        wave = [
            edge.source
            for edge in facts.edges
            if edge.type == "error" and edge.target in wave and edge.source not in seen
        ]
        seen.update(wave)
        found = {loop for source in wave for loop in owners.get(source, ())}
    if len(found) != 1:
        return None
    (loop,) = found
    return None if loop in owners else loop


def _owners(facts: Facts) -> dict[str, list[str]]:
    """Return body → loops that repeat it."""
    owners: dict[str, list[str]] = {}
    for node in facts.nodes.values():
        if node.loop is not None:
            owners.setdefault(node.loop.body, []).append(node.id)
    return owners


def _transition(place: int, item: Any, facts: Facts) -> Transition:
    if not isinstance(item, Mapping):
        raise PublicTraceError(f"entry {place}: expected an object, observed {item!r}")
    fields = {_NAMES.get(str(key), str(key)): value for key, value in item.items()}
    number = fields.get("iteration")
    if isinstance(number, int) and not isinstance(number, bool):
        loop = loop_of(str(fields.get("node")), facts)
        if loop is None:
            raise PublicTraceError(
                f"entry {place}: iteration {number} of {fields.get('node')!r}: expected exactly "
                "one loop around the node, so that one integer says which iteration it is"
            )
        fields["iteration"] = [LoopStep(loop, number)]
    try:
        return msgspec.convert(fields, Transition)
    except msgspec.ValidationError as error:
        raise PublicTraceError(f"entry {place}: {error}") from error
