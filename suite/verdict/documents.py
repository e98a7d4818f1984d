"""Judge the findings about a document: accept what is valid, reject with the exact code."""

from collections.abc import Iterable, Sequence

from suite.corpus.case import Case, WhereText
from suite.protocol.messages import Finding

__all__ = ["errors_of", "judge_findings", "missing_advice"]


def errors_of(findings: Iterable[Finding]) -> tuple[str, ...]:
    """Return the codes of the errors, each once, in order; warnings never reject (§13.5)."""
    return tuple(dict.fromkeys(f.code for f in findings if f.severity == "error"))


def judge_findings(case: Case, findings: Sequence[Finding]) -> str | None:
    """Return what is wrong with the verdict on the document, None when nothing is."""
    errors = errors_of(findings)
    observed = ", ".join(errors)
    if case.group != "invalid":
        if errors:
            return f"expected the document accepted, observed it rejected with {observed}"
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
        return f"expected {wish} and no other error, observed also {', '.join(other)}"
    required = [f for f in findings if f.code in {*text.codes, *text.any_of}]
    return None if text.where is None else _misplaced(text.where, required)


def missing_advice(case: Case, findings: Iterable[Finding]) -> dict[str, int]:
    """Return the advised findings that were not given, as notes (a SHOULD is never red)."""
    given = {finding.code for finding in findings}
    warnings = {f"warning-missing {code}": 1 for code in case.text.warnings if code not in given}
    errors = {f"finding-missing {code}": 1 for code in case.text.advised if code not in given}
    return warnings | errors


def _misplaced(where: WhereText, findings: list[Finding]) -> str | None:
    """Return how every finding of a required code misses the place (§13.5)."""
    wish = {
        name: value
        for name in ("line", "near", "value")
        if (value := getattr(where, name)) is not None
    }
    seen = [{name: getattr(finding, name) for name in wish} for finding in findings]
    if any(all(_meets(place[name], wish[name]) for name in wish) for place in seen):
        return None
    return f"expected a finding at {_words(wish)}, observed {'; '.join(map(_words, seen))}"


def _meets(observed: object, wish: object) -> bool:
    """Compare a line by number; a text says an id or a value in words of the runtime's own."""
    if isinstance(wish, str) and isinstance(observed, str):
        return wish in observed
    return observed == wish


def _words(place: dict[str, object]) -> str:
    return ", ".join(f"{name} {value!r}" for name, value in place.items())
