"""Which scenarios run, in which order."""

import difflib
import random
from collections.abc import Collection, Iterable, Mapping
from fnmatch import fnmatchcase

from suite.corpus.case import Scenario
from suite.runner.settings import Order, SettingError

__all__ = ["in_order", "matches", "nearest", "select", "unmatched"]

_PATTERN = frozenset("*?[")


def matches(identifier: str, pattern: str) -> bool:
    """Say whether an id is, lies under, or fits a pattern.

    ``execution/joins`` selects a folder, ``execution/joins/any-race`` all scenarios of a case.
    """
    return (
        identifier == pattern
        or identifier.startswith((f"{pattern.rstrip('/')}/", f"{pattern}."))
        or fnmatchcase(identifier, pattern)
    )


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the end of a sentence that names the id most like a wrong one, empty without any."""
    near = difflib.get_close_matches(word, list(known), 1, 0.4)
    return f"; the nearest is {near[0]}" if near else ""


def unmatched(identifiers: Iterable[str], patterns: Iterable[str]) -> list[str]:
    """Return the patterns that select nothing.

    Raises:
        SettingError: one of them is written like an id, so that it can only be a slip.
    """
    known = list(identifiers)
    empty = [p for p in patterns if not any(matches(i, p) for i in known)]
    for pattern in empty:
        if not _PATTERN & set(pattern):
            hint = nearest(pattern, known)
            raise SettingError(f"--hx-select: no scenario or case {pattern!r}{hint}")
    return empty


def select(identifiers: Iterable[str], patterns: Collection[str]) -> set[str]:
    """Return the ids that some pattern selects, all of them when there is no pattern."""
    return {i for i in identifiers if not patterns or any(matches(i, p) for p in patterns)}


def in_order(scenarios: Mapping[str, Scenario], order: Order) -> list[Scenario]:
    """Return the scenarios by id, backwards, or shuffled alike on every machine."""
    found = [scenarios[identifier] for identifier in sorted(scenarios)]
    if order.kind == "reverse":
        found.reverse()
    elif order.kind == "shuffle":
        # Random for reproducible orders, not for secrets.
        random.Random(order.seed).shuffle(found)  # noqa: S311  no secret depends on it
    return found
