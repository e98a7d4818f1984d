"""Facts of the whole instance: its outcome, the codes it reported, text that must not occur."""

from collections.abc import Iterator

from comparator.difference import Difference
from comparator.evidence import Evidence, unobservable
from comparator.golden import CodeEntry, Section

__all__ = ["code_differences", "outcome_differences", "text_differences"]


def outcome_differences(evidence: Evidence, section: Section) -> Iterator[Difference]:
    """Hold the outcome (§5.7) against the section's entry; one that is not told is not judged."""
    entry = section.outcome
    observed = evidence.observation.trace.outcome
    if entry is not None and observed is not None and entry.is_ != observed:
        yield Difference(kind="outcome", cites=entry.cites, expected=entry.is_, observed=observed)


def code_differences(evidence: Evidence, section: Section) -> Iterator[Difference]:
    """Hold reported codes (§14.2) against the section's entries; not what is further told."""
    if not section.codes:
        return
    reported, anonymous = evidence.codes
    hidden = evidence.observation.reports is None and not reported
    for entry in section.codes:
        key = None if entry.node is None else evidence.key(entry.node)
        if hidden:
            yield unobservable(entry.cites, key, "run-time codes")
            continue
        found = _found(entry, None if key is None else key.node, reported, anonymous)
        if found.isdisjoint(entry.any_of):
            yield Difference(
                kind="code",
                cites=entry.cites,
                key=key,
                expected=list(entry.any_of),
                observed=sorted(found),
            )


def _found(
    entry: CodeEntry, node: str | None, reported: dict[str, set[str]], anonymous: set[str]
) -> set[str]:
    """Return the codes that may stand for the entry: of its node, or without a node."""
    if entry.node is None or node is None:
        return anonymous.union(*reported.values())
    return anonymous | reported.get(node, set())


def text_differences(evidence: Evidence, section: Section) -> Iterator[Difference]:
    """Look for text that occurs nowhere in what the runtime sends (§11.7)."""
    text = evidence.observation.text
    for entry in section.absent_text:
        if not text:
            # Nothing can be absent from nothing.
            yield unobservable(entry.cites, None, "the text that the runtime sent")
        elif entry.text in text:
            yield Difference(
                kind="text",
                cites=entry.cites,
                expected=len(entry.text),
                observed=text.count(entry.text),
            )
