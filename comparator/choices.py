"""Choices: open points, for each of which the run may follow any one reading as a whole."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from comparator.difference import Difference, Reading
from comparator.evidence import Evidence
from comparator.form import Where
from comparator.golden import Choice, Option, PathEntry
from comparator.paths import expected_paths, path_differences
from comparator.sections import section_differences

__all__ = ["Chosen", "choose", "domain"]

#: Levels, each including the ones before it.
_RANKS: Final = {"core": 0, "executing": 1, "full": 2}


class Chosen(msgspec.Struct, frozen=True):
    """The option that a run came nearest to, and what still differs from it."""

    option: Option
    reading: Reading
    differences: tuple[Difference, ...]


def domain(evidence: Evidence, choice: Choice) -> dict[Where, PathEntry]:
    """Return each lifecycle that any option of the choice lists, with one entry about it."""
    found: dict[Where, PathEntry] = {}
    for option in choice.options:
        for where, entry in expected_paths(evidence, option.paths).items():
            found.setdefault(where, entry)
    return found


def choose(
    evidence: Evidence, choice: Choice, about: Mapping[Where, PathEntry], level: str | None
) -> Chosen:
    """Return the accepted option that the run comes nearest to.

    That is the one with the fewest differences; among equals the one that the run followed
    longest, then the preferred one.

    Args:
        evidence: the run.
        choice: the open point.
        about: its ``domain``; an option that does not list one of these lets it stay PENDING.
        level: level that is judged, None where none is.
    """
    accepted = [(n, option) for n, option in enumerate(choice.options) if _accepted(option, level)]
    candidates = [
        (len(found), -_first(found), not option.preferred, number, option, found)
        for number, option in accepted
        for found in [tuple(_differences(evidence, option, about))]
    ]
    if not candidates:
        raise ValueError(
            f"choice on {choice.interpretation!r}: no option is accepted at level {level!r}; "
            "leave up-to off the preferred option"
        )
    *_, number, option, found = min(candidates, key=lambda candidate: candidate[:4])
    reading = Reading(choice.interpretation, option.reading, option.preferred, number)
    return Chosen(option, reading, found)


def _first(differences: Sequence[Difference]) -> float:
    """Place of the earliest difference; what is absent shows at the end."""
    return min((math.inf if d.place is None else d.place for d in differences), default=math.inf)


def _accepted(option: Option, level: str | None) -> bool:
    return option.up_to is None or level is None or _RANKS[level] <= _RANKS[option.up_to]


def _differences(
    evidence: Evidence, option: Option, about: Mapping[Where, PathEntry]
) -> Iterator[Difference]:
    own = expected_paths(evidence, option.paths)
    stays = {
        where: PathEntry(cites=entry.cites, is_="")
        for where, entry in about.items()
        if where not in own
    }
    yield from path_differences(evidence, {**own, **stays})
    yield from section_differences(evidence, option)
