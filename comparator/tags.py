"""Error classes and codes on transitions at which nothing has failed (§6.6, §14.4)."""

from collections.abc import Iterator
from typing import Final

from comparator.difference import Difference
from comparator.form import as_key
from comparator.walk import Run

__all__ = ["misplaced_tags"]

#: States that are not entered because something failed.
_FINE: Final = frozenset({"RUNNING", "SUCCEEDED", "COMPENSATED"})


def misplaced_tags(run: Run) -> Iterator[Difference]:
    """Yield each transition that reports a failure where there is none.

    A step to READY may repeat the failure that it follows.
    """
    for place, transition in enumerate(run.transitions):
        tag = transition.code or transition.error_class
        if tag is not None and transition.to in _FINE:
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
