"""Times that a runtime gives: never compared, but no lifecycle runs backwards (§6.6)."""

from collections.abc import Iterator

from comparator.difference import Difference
from comparator.form import Where, as_key
from comparator.walk import Run

__all__ = ["backwards"]


def backwards(run: Run) -> Iterator[Difference]:
    """Yield the first step of each lifecycle that is earlier than the one before it."""
    times = [transition.at for transition in run.transitions]
    if times.count(None) == len(times):
        return
    latest: dict[Where, float] = {}
    noted: set[Where] = set()
    for place, at in enumerate(times):
        where = run.keys_at.get(place, run.transitions[place].node)
        if at is None or where is None or where in noted:
            continue
        before = latest.get(where, at)
        latest[where] = max(at, before)
        if at < before:
            noted.add(where)
            yield Difference(
                kind="clock",
                cites=("6.6-entry-timestamp",),
                key=as_key(where),
                place=place,
                expected=before,
                observed=at,
            )
