"""All findings about a document in one pass, and the harness if it may be executed."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from reference_runtime.document.finding import MAX_FINDINGS, Finding
from reference_runtime.document.grammar import ELEMENTS, Element
from reference_runtime.document.model import Harness
from reference_runtime.document.parser import Parsed, parse
from reference_runtime.document.source import Source
from reference_runtime.validation.catalogue import CATALOGUE
from reference_runtime.validation.rule import Rule
from reference_runtime.validation.view import View

__all__ = ["GATE", "Gate", "Validated", "validate"]


#: Findings in document order.
Findings = tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Validated:
    """Verdict on a document; ``harness`` is None exactly if a finding is an error."""

    harness: Harness | None
    findings: tuple[Finding, ...]


def _has_no_error(findings: Findings) -> bool:
    return not any(finding.severity == "error" for finding in findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """What a document has to pass, as tables and small functions.

    Attributes:
        read: bytes to model, by the grammar (§2).
        elements: grammar of the schema layer, element by local name.
        rules: those of layer 2 (§13.2).
        told: what is told of the findings about a document that could be read (§13.5).
        passes: whether a document with these findings is executed (§5.1, §13.3).
    """

    read: Callable[[bytes, Mapping[str, Element]], Parsed]
    elements: Mapping[str, Element]
    rules: tuple[Rule, ...]
    told: Callable[[Harness, Findings], Findings]
    passes: Callable[[Findings], bool]


GATE: Final = Gate(
    read=parse,
    elements=ELEMENTS,
    rules=CATALOGUE,
    told=lambda _harness, findings: findings,
    passes=_has_no_error,
)


def _second_layer(view: View, source: Source, rules: tuple[Rule, ...]) -> Iterator[Finding]:
    for rule in rules:
        for fault in rule.check(view):
            yield source.finding(rule.code, rule.severity, fault.where, fault.value, fault.message)


def _place(finding: Finding) -> tuple[int, int, str]:
    return finding.line, finding.column or 0, finding.code


def _say_that_there_are_more(findings: Findings) -> Findings:
    """Cut a list that is too long, warnings first, and say so in its last finding (§14.6)."""
    if len(findings) < MAX_FINDINGS:
        return findings
    first = sorted(findings, key=lambda finding: finding.severity != "error")[:MAX_FINDINGS]
    *others, last = sorted(first, key=_place)
    message = f"{last.message} There may be more findings than these {MAX_FINDINGS}."
    return (*others, dataclasses.replace(last, message=message))


def validate(
    document: bytes, gate: Gate = GATE, *, companions: Mapping[str, bytes] | None = None
) -> Validated:
    """Check a document against schema and text (§13.1); never raises for a bad document.

    Args:
        document: its bytes.
        gate: what it has to pass.
        companions: URI → bytes of documents that it uses, as far as they are at hand.
    """
    parsed = gate.read(document, gate.elements)
    if parsed.harness is None or parsed.source is None:
        return Validated(harness=None, findings=parsed.findings)
    view = View(parsed.harness, parsed.source, document, companions)
    layer = _second_layer(view, parsed.source, gate.rules)
    second = itertools.islice(layer, MAX_FINDINGS)
    found = sorted(dict.fromkeys((*parsed.findings, *second)), key=_place)
    told = gate.told(parsed.harness, tuple(found))
    return Validated(
        harness=parsed.harness if gate.passes(told) else None,
        findings=_say_that_there_are_more(told),
    )
