"""The report of a run as lines of text, for the terminal and for report.txt."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from suite.corpus.catalogue import Corpus
from suite.protocol.messages import Description
from suite.report.results import Record
from suite.runner.settings import Settings
from suite.runner.tally import Tally
from suite.verdict.gate import mode_of
from suite.verdict.levels import NAMES, Assessment, LevelResult
from suite.verdict.status import STATUSES

__all__ = ["heading", "level_line", "section_of", "summary"]

_SHOWN: Final = 5
_DIGEST: Final = 19

#: Field of a level's result → how a gap is called.
_GAPS: Final = {
    "failed": "failed",
    "unsupported": "unsupported",
    "not_shown": "not shown",
    "without_scenario": "without a scenario in this corpus",
}


def heading(corpus: Corpus, settings: Settings, description: Description | None) -> list[str]:
    """Return the lines that say what runs what."""
    ids = f", with other ids (--hx-rename={settings.rename})" if settings.rename else ""
    lines = [f"corpus: {len(corpus.scenarios)} scenarios, {corpus.digest[:_DIGEST]}{ids}"]
    if description is None:
        return [f"runtime: {settings.target}", *lines]
    name = f"{description.name} {description.version} ({settings.target})"
    mode = f"protocol {description.protocol}, {mode_of(description)}"
    return [f"runtime: {name}, {mode}", *lines]


def summary(tally: Tally, description: Description, *, verbose: bool) -> list[str]:
    """Return the lines that say what came of it; all gaps are listed when ``verbose``."""
    assessment = tally.assessment(description)
    return [
        *heading(tally.corpus, tally.settings, description),
        _counts(tally),
        *_unexecuted(tally),
        *(f"{r.id}: {r.status}, {r.reason}" for r in tally.fuzz.values()),
        *_readings(tally),
        *_notes(tally),
        *_divergences(tally),
        *(f"expected failure that did not come: {line}; remove it" for line in tally.stale),
        *_gaps(assessment, verbose=verbose),
        level_line(tally, assessment),
    ]


def section_of(requirement: str) -> str:
    """Return the section that a requirement id begins with, as it is cited."""
    return f"§{requirement.partition('-')[0]}"


def level_line(tally: Tally, assessment: Assessment) -> str:
    """Return level and mode, or why no level was assessed."""
    if assessment.complete:
        words = [_result(result) for result in assessment.levels if result.result != "not assessed"]
        if words:
            return f"level: {'; '.join(words)} ({assessment.mode})"
        return f"level not assessed: the runtime declares no level ({assessment.mode})"
    if not tally.frozen and tally.complete:
        why = "the corpus is not the one that its manifest freezes"
    elif tally.unreached:
        why = f"the run stopped before {len(tally.unreached)} scenarios"
    else:
        what = "recorded, of a run that was not whole" if tally.cut else "selected"
        why = f"{len(tally.selected)} of {len(tally.corpus.scenarios)} scenarios {what}"
    return f"level not assessed: {why} ({assessment.mode})"


def _result(result: LevelResult) -> str:
    name = NAMES[result.level]
    if result.result == "reached":
        return f"{name} reached"
    return f"{name} {result.result}, {result.shown} of {result.required} requirements shown"


def _counts(tally: Tally) -> str:
    counts = ", ".join(f"{number} {status}" for status, number in tally.counts.items())
    return (
        f"result: {len(tally.selected)} selected + {tally.deselected} deselected = "
        f"{len(tally.corpus.scenarios)} scenarios; selected: {counts or 'none'}"
    )


def _unexecuted(tally: Tally) -> Iterator[str]:
    """Yield why scenarios were not executed, the most frequent reasons first."""
    reasons = Counter(
        f"{record.status}: {record.reason}"
        for record in tally.records.values()
        if STATUSES[record.status].pytest == "skipped" and not STATUSES[record.status].judged
    )
    for reason, number in reasons.most_common(_SHOWN):
        yield f"  {number} {reason}"
    rest = sum(reasons.values()) - sum(number for _, number in reasons.most_common(_SHOWN))
    if rest:
        yield f"  {rest} for other reasons (-rs lists them)"


def _readings(tally: Tally) -> Iterator[str]:
    """Yield which readings of open points the passing runs followed."""
    seen = Counter(
        follows
        for record in tally.records.values()
        if record.status == "pass"
        for follows in {(r.interpretation, r.reading) for r in record.readings}
    )
    for (name, reading), number in sorted(seen.items()):
        point = tally.corpus.interpretations.get(name)
        says = "" if point is None else f": {point.readings.get(reading, '?')}"
        preferred = "preferred" if point and point.preferred == reading else "accepted"
        yield (
            f"open point {name}, reading {reading} ({preferred}) "
            f"in {number} scenario{'s' * (number != 1)}{says}"
        )


def _notes(tally: Tally) -> Iterator[str]:
    notes: Counter[str] = Counter()
    for record in tally.records.values():
        notes.update(record.notes)
    unjudged = sum(len(record.unjudged) for record in tally.records.values())
    if notes:
        told = ", ".join(f"{number} {kind}" for kind, number in sorted(notes.items()))
        yield f"notes (recommendations not followed): {told}"
    if unjudged:
        yield f"notes: {unjudged} paths judged for legality only"


def _divergences(tally: Tally) -> Iterator[str]:
    red = [r for r in tally.records.values() if STATUSES[r.status].red]
    for record in red[:_SHOWN]:
        yield f"{record.status}: {record.id}: {record.reason}{_cited(record)}"
    if len(red) > _SHOWN:
        yield f"and {len(red) - _SHOWN} more that fail"


def _cited(record: Record) -> str:
    sections = dict.fromkeys(section_of(requirement) for requirement in record.blamed)
    return f" [{', '.join(sections)}]" if sections else ""


def _gaps(assessment: Assessment, *, verbose: bool) -> Iterator[str]:
    """Yield the requirements that the lowest level not reached still lacks."""
    result = next((r for r in assessment.levels if r.result in ("incomplete", "failed")), None)
    if result is None:
        return
    parts = {word: getattr(result, field) for field, word in _GAPS.items()}
    told = ", ".join(f"{len(ids)} {word}" for word, ids in parts.items() if ids)
    hint = "" if verbose or not told else " (-v lists them)"
    if told:
        yield f"gaps to {NAMES[result.level]}: {told}{hint}"
    if verbose:
        for word, ids in parts.items():
            yield from (f"  {word}: {requirement}" for requirement in ids)
