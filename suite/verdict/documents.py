"""Judge the findings about a document: accept what is valid, reject with the exact code."""

from collections.abc import Iterable, Sequence

from suite.corpus.case import Case
from suite.corpus.facts_reader import enclosing_lines
from suite.protocol.breach import listed, quoted
from suite.protocol.messages import Finding

__all__ = ["errors_of", "judge_findings", "misplaced", "missing_advice"]


def errors_of(findings: Iterable[Finding]) -> tuple[str, ...]:
    """Return the codes of the errors, each once, in order; warnings never reject (§13.5)."""
    return tuple(dict.fromkeys(f.code for f in findings if f.severity == "error"))


def judge_findings(case: Case, findings: Sequence[Finding]) -> str | None:
    """Return what is wrong with the verdict on the document, None when nothing is."""
    errors = errors_of(findings)
    observed = listed(errors)
    if case.group != "invalid":
        if errors:
            told = listed([_finding(f) for f in findings if f.severity == "error"])
            return f"expected the document accepted, observed it rejected with {told}"
        return None
    text = case.text
    wish = " and ".join(text.codes)
    if text.any_of:
        one = "one of " + ", ".join(text.any_of)
        wish = f"{wish} and {one}" if wish else one
    if not errors:
        return f"expected the document rejected with {wish}, observed it accepted"
    missing = [code for code in text.codes if code not in errors]
    if missing or (text.any_of and not set(text.any_of) & set(errors)):
        return f"expected {wish}, observed {observed}"
    other = [c for c in errors if c not in {*text.codes, *text.any_of, *text.also}]
    if other:
        return f"expected {wish} and no other error, observed also {listed(other)}"
    return None


def _finding(finding: Finding) -> str:
    """Return a code with the place that came with it."""
    names = ("line", "near", "value")
    place = {n: v for n in names if (v := getattr(finding, n)) is not None}
    return f"{finding.code} ({_words(place)})" if place else finding.code


def missing_advice(case: Case, findings: Iterable[Finding]) -> dict[str, int]:
    """Return the advised findings that were not given, as notes (a SHOULD is never red)."""
    given = {finding.code for finding in findings}
    warnings = {f"warning-missing {code}": 1 for code in case.text.warnings if code not in given}
    errors = {f"finding-missing {code}": 1 for code in case.text.advised if code not in given}
    return warnings | errors


def misplaced(case: Case, findings: Iterable[Finding]) -> str | None:
    """Return how every finding of a required code misses the place (§13.5).

    The line is that of the element at fault, or of the element with an id around it.
    """
    text = case.text
    if text.where is None:
        return None
    wish = {
        name: value
        for name in ("line", "near", "value")
        if (value := getattr(text.where, name)) is not None
    }
    required = [f for f in findings if f.code in {*text.codes, *text.any_of}]
    seen = [{name: getattr(finding, name) for name in wish} for finding in required]
    lines = frozenset[int]()
    if text.where.line is not None:
        lines = enclosing_lines(case.document, text.where.line)
    if any(all(_meets(place[name], wish[name], lines) for name in wish) for place in seen):
        return None
    places = [_words(place) for place in seen]
    return f"expected a finding at {_words(wish)}, observed {listed(places)}"


def _meets(observed: object, wish: object, lines: frozenset[int]) -> bool:
    """Compare a line by number; a text says an id or a value in words of the runtime's own."""
    if isinstance(wish, str) and isinstance(observed, str):
        return wish in observed
    return observed in lines if isinstance(wish, int) else observed == wish


def _words(place: dict[str, object]) -> str:
    return ", ".join(f"{name} {quoted(value)}" for name, value in place.items())
