"""All findings about a document in one pass, and the harness if it may be executed."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from reference_runtime.document.finding import MAX_FINDINGS, Finding
from reference_runtime.document.model import Harness
from reference_runtime.document.parser import parse
from reference_runtime.document.source import Source
from reference_runtime.validation.catalogue import CATALOGUE
from reference_runtime.validation.view import View

__all__ = ["Validated", "validate"]


@dataclass(frozen=True, slots=True)
class Validated:
    """Verdict on a document; ``harness`` is None exactly if a finding is an error."""

    harness: Harness | None
    findings: tuple[Finding, ...]


def _second_layer(harness: Harness, source: Source) -> Iterator[Finding]:
    view = View(harness, source)
    for rule in CATALOGUE:
        for fault in rule.check(view):
            yield source.finding(rule.code, rule.severity, fault.where, fault.value, fault.message)


def _place(finding: Finding) -> tuple[int, int, str]:
    return finding.line, finding.column or 0, finding.code


def _say_that_there_are_more(findings: list[Finding]) -> list[Finding]:
    """Cut a list that is too long, and say so in its last finding (§14.6)."""
    if len(findings) < MAX_FINDINGS:
        return findings
    last = findings[MAX_FINDINGS - 1]
    message = f"{last.message} There may be more findings than these {MAX_FINDINGS}."
    return [*findings[: MAX_FINDINGS - 1], dataclasses.replace(last, message=message)]


def validate(document: bytes) -> Validated:
    """Check a document against schema and text (§13.1); never raises for a bad document."""
    parsed = parse(document)
    if parsed.harness is None or parsed.source is None:
        return Validated(harness=None, findings=parsed.findings)
    second = itertools.islice(_second_layer(parsed.harness, parsed.source), MAX_FINDINGS)
    found = dict.fromkeys((*parsed.findings, *second))
    findings = _say_that_there_are_more(sorted(found, key=_place))
    executable = not any(finding.severity == "error" for finding in found)
    return Validated(harness=parsed.harness if executable else None, findings=tuple(findings))
