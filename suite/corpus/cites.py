"""Which requirements a scenario asserts: the cites of its case and of every golden entry."""

from collections.abc import Iterator, Sequence

from comparator.golden import Golden, Section
from suite.corpus.case import Scenario
from suite.corpus.golden_file import sections_of

__all__ = ["certain_cites", "cites_of", "entries_of", "followed_cites"]


def cites_of(scenario: Scenario) -> tuple[str, ...]:
    """Return the requirements that the scenario is about, each once, in order of appearance.

    Those of all options count, whichever reading a run follows; see ``followed_cites``.
    """
    cites = list(scenario.case.text.cites or ())
    if scenario.golden is not None:
        for _, entry in entries_of(scenario.golden):
            cites += entry
    return tuple(dict.fromkeys(cites))


def followed_cites(
    scenario: Scenario, options: Sequence[int], *, outcome: bool = True
) -> tuple[str, ...]:
    """Return the requirements that a conforming run shows.

    Args:
        scenario: what was run.
        options: for each choice of the golden the 0-based option that the run followed. What
            only another option cites was not seen.
        outcome: whether the runtime told how the instance ended.
    """
    cites = list(scenario.case.text.cites or ())
    if scenario.golden is not None:
        chosen = zip(scenario.golden.choices, options, strict=True)
        for section in (scenario.golden, *(choice.options[n] for choice, n in chosen)):
            for key, entry in _entries(section):
                cites += entry if outcome or key != "outcome" else ()
    return tuple(dict.fromkeys(cites))


def certain_cites(scenario: Scenario) -> frozenset[str]:
    """Return the requirements that every conforming run shows, whichever options it follows."""
    cites = set(scenario.case.text.cites or ())
    if scenario.golden is not None:
        cites |= _cited(scenario.golden)
        for choice in scenario.golden.choices:
            cites |= frozenset.intersection(*map(_cited, choice.options))
    return frozenset(cites)


def _cited(section: Section) -> frozenset[str]:
    return frozenset(cite for _, cites in _entries(section) for cite in cites)


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
