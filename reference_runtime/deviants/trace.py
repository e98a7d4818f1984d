"""What a deviant writes down of a transition, as functions for ``Rules.written`` (§6.6).

Each takes the node and the transition, and returns the entries of the trace for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reference_runtime.document.model import Node
from reference_runtime.engine.effects import Transition

__all__ = ["Chooser", "Pairs", "Written", "pairs", "types"]

Written = Callable[[Node, Transition], tuple[Transition, ...]]

#: Whether a transition of a node is one of those that are written otherwise.
Chooser = Callable[[Node, Transition], bool]

#: (from, to) → the pairs written instead, as ``"FROM TO"`` words; an empty tuple hides it.
Pairs = Mapping[tuple[str, str], tuple[tuple[str, str], ...]]


def _any_node(_node: Node, _transition: Transition) -> bool:
    """Choose every transition."""
    return True


def types(*names: str) -> Chooser:
    """Choose nodes by type."""
    return lambda node, _transition: node.type in names


def _attempt(transition: Transition, from_: str) -> int | None:
    """Attempt of an entry written for a transition: the one that ends, out of RUNNING."""
    attempt = transition.attempt
    late = from_ == "RUNNING" and transition.from_ == "RETRYING" and transition.to == "READY"
    return attempt - 1 if late and attempt else attempt


def pairs(table: Pairs, chooser: Chooser = _any_node) -> Written:
    """Write other pairs of states; class, code and message go with the last one."""

    def written(node: Node, transition: Transition) -> tuple[Transition, ...]:
        instead = table.get((transition.from_, transition.to))
        if instead is None or not chooser(node, transition):
            return (transition,)
        bare = transition._replace(error_class=None, code=None, message=None)
        entries = [bare] * (len(instead) - 1) + [transition] * bool(instead)
        return tuple(
            entry._replace(from_=from_, to=to, attempt=_attempt(transition, from_))
            for entry, (from_, to) in zip(entries, instead, strict=True)
        )

    return written
