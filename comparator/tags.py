"""Error classes and codes on transitions at which nothing has failed (§6.6, §14.4)."""

from collections.abc import Iterator
from typing import Final

from comparator.difference import Difference
from comparator.form import as_key
from comparator.trace import Transition
from comparator.walk import Run

__all__ = ["misplaced_tags"]

#: States that are not entered because something failed.
_FINE: Final = frozenset({"PENDING", "READY", "RUNNING", "SKIPPED", "SUCCEEDED", "COMPENSATED"})


def misplaced_tags(run: Run) -> Iterator[Difference]:
    """Yield each transition that reports a failure where there is none.

    A step from RETRYING to READY may repeat the failure that it follows, and a step to SKIPPED
    the timeout that led to it (§8.2).
    """
    for place, transition in enumerate(run.transitions):
        tag = transition.code or transition.error_class
        if tag is not None and transition.to in _FINE and not _follows_failure(run, transition):
            where = run.keys_at.get(place, transition.node)
            if where is not None:
                yield Difference(
                    kind="tag",
                    cites=("6.6-failed-entry-class-and-message",),
                    key=as_key(where),
                    place=place,
                    expected=None,
                    observed=tag,
                )


def _follows_failure(run: Run, transition: Transition) -> bool:
    if transition.to == "SKIPPED":
        node = run.graph.facts.nodes.get(transition.node)
        return node is not None and node.on_timeout == "skip"
    return (transition.from_, transition.to) == ("RETRYING", "READY")
