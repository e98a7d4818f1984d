"""Close names for slips of the pen, with a bound on the work (difflib is quadratic in names)."""

from __future__ import annotations

import difflib
from collections.abc import Collection

__all__ = ["Advice"]

#: Comparisons that one validation may spend on suggestions.
_BUDGET = 20_000
#: Names longer than this are no slips worth comparing.
_LONGEST = 64


class Advice:
    """Suggests names until its budget is used up; documents with many faults get fewer."""

    def __init__(self) -> None:
        self._left = _BUDGET

    def close_to(self, name: str, names: Collection[str]) -> str:
        """Return `` Did you mean 'x'?``, or nothing when no name is close."""
        if not name or len(name) > _LONGEST or len(names) > self._left:
            return ""
        self._left -= len(names)
        candidates = sorted(other for other in names if other and len(other) <= _LONGEST)
        alike = [other for other in candidates if other.casefold() == name.casefold()]
        close = alike or difflib.get_close_matches(name, candidates, n=1)
        return f" Did you mean {close[0]!r}?" if close else ""
