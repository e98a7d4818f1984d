"""Which requirements a scenario asserts: the cites of its case and of every golden entry."""

from collections.abc import Iterator

from comparator.golden import Golden, Section
from suite.corpus.case import Scenario
from suite.corpus.golden_file import sections_of

__all__ = ["cites_of", "entries_of"]


def cites_of(scenario: Scenario) -> tuple[str, ...]:
    """Return the requirements that the scenario asserts, each once, in order of appearance.

    Options of choices count too: whoever keeps to one of the readings keeps to the sentence.
    """
    cites = list(scenario.case.text.cites or ())
    if scenario.golden is not None:
        for _, entry in entries_of(scenario.golden):
            cites += entry
    return tuple(dict.fromkeys(cites))


def entries_of(golden: Golden) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield (key, cites) of every entry of the fixed part and of the options."""
    for where, section in sections_of(golden):
        for key, cites in _entries(section):
            yield f"{where}{key}", cites


def _entries(section: Section) -> Iterator[tuple[str, tuple[str, ...]]]:
    for address, path in section.paths.items():
        yield f"paths.{address}", path.cites
    for name, entries in (
        ("order", section.order),
        ("calls", section.calls),
        ("timers", section.timers),
        ("at-idle", section.at_idle),
        ("codes", section.codes),
        ("absent-text", section.absent_text),
    ):
        for index, entry in enumerate(entries):
            yield f"{name}.{index}", entry.cites
    if section.outcome is not None:
        yield "outcome", section.outcome.cites
