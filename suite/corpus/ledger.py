"""The ledger: every testable requirement of the specification, read from requirements.toml."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import msgspec

from suite.corpus.case import Level
from suite.corpus.toml_file import CorpusError, read_toml

__all__ = ["LedgerFile", "Requirement", "RequirementText", "is_gap", "read_ledger", "statements"]

_Text = Annotated[str, msgspec.Meta(min_length=1)]


class RequirementText(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", kw_only=True
):
    """One requirement as the file writes it.

    Attributes:
        section: section of the specification, e.g. ``5.3.1``.
        level: lowest level at which it counts.
        strength: the keyword of the sentence; ``should`` gives notes, never a level.
        statement: the sentence in own words.
        unobservable: why no run can show it; None when a run can.
        restates: requirement of the same content; what shows the one shows the other.
        noted: kinds of notes by which every run shows whether the advice was followed.
        reading: open point of which the requirement is one reading only; no level needs it.
        open_points: entries of interpretations.toml or of the catalogue of open points.
    """

    section: Annotated[str, msgspec.Meta(pattern=r"^\d+(\.\d+)*$")]
    level: Level
    strength: Literal["must", "must-not", "should", "may"]
    statement: _Text
    unobservable: _Text | None = None
    restates: str | None = None
    noted: tuple[str, ...] = ()
    reading: str | None = None
    open_points: tuple[str, ...] = ()


class Requirement(RequirementText, frozen=True, kw_only=True):
    """A requirement with its id, e.g. ``5.3.1-any-fires-on-first``."""

    id: str

    @property
    def required(self) -> bool:
        """Whether a level needs it.

        A run can show it, it is more than a recommendation, and the text leaves no other
        reading.
        """
        return self.unobservable is None and self.strength != "should" and self.reading is None


class LedgerFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole of ``cases/requirements.toml``."""

    format: Literal[1]
    requirements: dict[str, RequirementText]


def read_ledger(data: bytes, name: str = "cases/requirements.toml") -> dict[str, Requirement]:
    """Read the ledger; the order is that of the file.

    Raises:
        CorpusError: the file is malformed, or ``restates`` names no requirement.
    """
    file = read_toml(data, LedgerFile, name)
    for key, text in file.requirements.items():
        if text.restates is not None and text.restates not in file.requirements:
            raise CorpusError(
                f"{name}: requirements.{key}.restates: expected the id of a requirement, "
                f"observed {text.restates!r}"
            )
    return {
        key: Requirement(id=key, **{f: getattr(text, f) for f in text.__struct_fields__})
        for key, text in file.requirements.items()
    }


def is_gap(requirement: Requirement, scenarios: Sequence[str]) -> bool:
    """Say whether neither a scenario, nor a note, nor a reason accounts for a requirement."""
    accounted = requirement.unobservable or requirement.noted or requirement.reading
    return not scenarios and not accounted


def statements(ledger: Mapping[str, Requirement]) -> dict[str, str]:
    """Return requirement id → statement, for explanations."""
    return {key: requirement.statement for key, requirement in ledger.items()}
