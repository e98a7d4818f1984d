"""Open points of the specification: their readings, read from interpretations.toml.

Which scenarios meet an open point follows from the choices of the goldens.
"""

from collections.abc import Mapping
from typing import Annotated

import msgspec

from suite.corpus.case import Scenario
from suite.corpus.toml_file import CorpusError, read_toml

__all__ = [
    "Interpretation",
    "InterpretationText",
    "InterpretationsFile",
    "meeting",
    "read_interpretations",
]


class InterpretationText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One open point as the file writes it, under its id (``[A91]``).

    Attributes:
        section: section whose text is open.
        question: what the text leaves open.
        readings: letter → what the reading demands.
        preferred: letter of the reading that the suite prefers.
    """

    section: Annotated[str, msgspec.Meta(pattern=r"^\d+(\.\d+)*$")]
    question: Annotated[str, msgspec.Meta(min_length=1)]
    readings: Annotated[dict[str, str], msgspec.Meta(min_length=2)]
    preferred: str


class Interpretation(InterpretationText, frozen=True, kw_only=True):
    """An open point with its id."""

    id: str


#: The whole of ``cases/interpretations.toml``.
InterpretationsFile = dict[str, InterpretationText]


def read_interpretations(
    data: bytes, name: str = "cases/interpretations.toml"
) -> dict[str, Interpretation]:
    """Read the open points in the order of the file.

    Raises:
        CorpusError: the file is malformed, or ``preferred`` is none of the readings.
    """
    texts = read_toml(data, InterpretationsFile, name)
    for key, text in texts.items():
        if text.preferred not in text.readings:
            raise CorpusError(
                f"{name}: {key}.preferred: expected one of {', '.join(text.readings)}, "
                f"observed {text.preferred!r}"
            )
    return {
        key: Interpretation(
            id=key,
            section=text.section,
            question=text.question,
            readings=text.readings,
            preferred=text.preferred,
        )
        for key, text in texts.items()
    }


def meeting(interpretation: str, scenarios: Mapping[str, Scenario]) -> tuple[str, ...]:
    """Return the ids of the scenarios whose golden has a choice about the open point."""
    return tuple(
        key
        for key, scenario in scenarios.items()
        if scenario.golden is not None
        and any(c.interpretation == interpretation for c in scenario.golden.choices)
    )
