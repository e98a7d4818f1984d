"""Deviants: the reference runtime wrong in exactly one way each, to measure the corpus.

A deviant is one replacement in ``RULES`` and breaks one requirement. Every name is an attribute
of this package, so that ``adapter:reference_runtime.deviants:quorum_off_by_one`` runs. Each
module holds the table of one theme.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from reference_runtime.adapter import Interactive
from reference_runtime.deviants.alike import ALIKE
from reference_runtime.deviants.cancellation import CANCELLATION
from reference_runtime.deviants.completion import COMPLETION
from reference_runtime.deviants.concepts import CONCEPTS
from reference_runtime.deviants.corners import CORNERS
from reference_runtime.deviants.data import DATA
from reference_runtime.deviants.decisions import DECISIONS
from reference_runtime.deviants.deviant import Deviant
from reference_runtime.deviants.documents import DOCUMENTS
from reference_runtime.deviants.entries import ENTRIES
from reference_runtime.deviants.failure import FAILURE
from reference_runtime.deviants.further import FURTHER
from reference_runtime.deviants.joins import JOINS
from reference_runtime.deviants.kinds import KINDS
from reference_runtime.deviants.language import LANGUAGES
from reference_runtime.deviants.lifecycle import LIFECYCLE, SERIAL
from reference_runtime.deviants.loops import LOOPS
from reference_runtime.deviants.node_types import NODE_TYPES
from reference_runtime.deviants.nothing import NOTHING
from reference_runtime.deviants.retries import RETRIES
from reference_runtime.deviants.spelling import SPELLING
from reference_runtime.deviants.surroundings import AROUND
from reference_runtime.deviants.unreachability import UNREACHABILITY
from reference_runtime.deviants.unwinding import UNWINDING
from reference_runtime.rules import RULES

__all__ = ["DEVIANTS", "Deviant"]

_TABLE: Final = (
    *ENTRIES,
    *JOINS,
    *CANCELLATION,
    *UNREACHABILITY,
    *DECISIONS,
    *FAILURE,
    *LOOPS,
    *UNWINDING,
    *DATA,
    *COMPLETION,
    *CONCEPTS,
    *LIFECYCLE,
    *RETRIES,
    *DOCUMENTS,
    *KINDS,
    *LANGUAGES,
    *AROUND,
    *SPELLING,
    *FURTHER,
    *NODE_TYPES,
    *NOTHING,
    *ALIKE,
    *CORNERS,
)

DEVIANTS: Final[dict[str, Deviant]] = {
    name: Deviant(name, requirement, description, replace(RULES, **changes), name in SERIAL)
    for name, requirement, description, changes in _TABLE
}


def __getattr__(name: str) -> Interactive:
    """Adapter of a deviant."""
    if name not in DEVIANTS:
        raise AttributeError(
            f"module {__name__!r} has no deviant {name!r}; there are {', '.join(DEVIANTS)}"
        )
    return Interactive(rules=DEVIANTS[name].rules, open_steps=int(DEVIANTS[name].serial))
