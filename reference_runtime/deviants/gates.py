"""Other gates for documents: how a deviant of ``documents`` replaces a part of ``GATE``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from reference_runtime.document import lexical
from reference_runtime.document.finding import Finding
from reference_runtime.document.grammar import ELEMENTS, Element
from reference_runtime.document.model import Harness
from reference_runtime.document.parser import Parsed, parse
from reference_runtime.validation import GATE
from reference_runtime.validation.rule import Check, Rule

__all__ = [
    "also",
    "attribute",
    "bare",
    "defaulted",
    "edited",
    "element",
    "instead",
    "nested_is_fine",
    "reached_only",
    "read_any_number",
    "read_one_minor",
    "refused",
    "rules",
    "told",
    "without",
]


def rules(*others: Rule, off: tuple[str, ...] = ()) -> dict[str, Any]:
    """Add rules; ``off`` are codes whose own rules are left out."""
    kept = tuple(rule for rule in GATE.rules if rule.code not in off)
    return {"gate": replace(GATE, rules=(*kept, *others))}


def instead(code: str, check: Check) -> dict[str, Any]:
    """Check something else under a code."""
    return rules(Rule(code, "", "error", check), off=(code,))


def edited(edit: Callable[[bytes], bytes]) -> dict[str, Any]:
    """Change the bytes before they are read."""

    def read(document: bytes, elements: Mapping[str, Element]) -> Parsed:
        return parse(edit(document), elements)

    return {"gate": replace(GATE, read=read)}


def defaulted(tag: str, attribute: str, value: str) -> dict[str, Any]:
    """Give an attribute that is left out another value than its default."""
    start = re.compile(rf"<{tag}\b([^>]*>)".encode())
    given = re.compile(rf"\s{attribute}\s*=".encode())
    missing = f'<{tag} {attribute}="{value}"'.encode()

    def filled(match: re.Match[bytes]) -> bytes:
        return match[0] if given.search(match[0]) else missing + match[1]

    return edited(lambda document: start.sub(filled, document))


def refused(pattern: bytes) -> dict[str, Any]:
    """Refuse documents whose text has a pattern."""

    def read(document: bytes, elements: Mapping[str, Element]) -> Parsed:
        if re.search(pattern, document):
            fault = Finding("HX-1001", "error", 1, None, "", "", "Refused. Correct it.")
            return Parsed(harness=None, findings=(fault,))
        return parse(document, elements)

    return {"gate": replace(GATE, read=read)}


def also(code: str, check: Check) -> dict[str, Any]:
    """Refuse more under a code."""
    return rules(Rule(code, "", "error", check))


def without(check: Check) -> dict[str, Any]:
    """Leave out one rule of a code that has several."""
    kept = tuple(rule for rule in GATE.rules if rule.check is not check)
    return {"gate": replace(GATE, rules=kept)}


def told(edit: Mapping[str, str]) -> dict[str, Any]:
    """Report findings under other codes, under ``""`` not at all."""

    def edited(_harness: Harness, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        recoded = (replace(one, code=edit.get(one.code, one.code)) for one in findings)
        return tuple(one for one in recoded if one.code)

    return {"gate": replace(GATE, told=edited)}


def element(name: str, **changes: Any) -> dict[str, Any]:
    """Change an element of the grammar."""
    return {"gate": replace(GATE, elements={**ELEMENTS, name: replace(ELEMENTS[name], **changes)})}


def attribute(owner: str, name: str, **changes: Any) -> dict[str, Any]:
    """Change an attribute of an element of the grammar."""
    attributes = ELEMENTS[owner].attributes
    return element(owner, attributes={**attributes, name: replace(attributes[name], **changes)})


def read_one_minor(text: str) -> str:
    """Take version 1.0 and no other."""
    if text == "1.0":
        return text
    raise lexical.LexicalError("1.0", "HX-1002")


def read_any_number(text: str) -> int:
    """Take any whole number of at least 0."""
    return int(lexical.read_decimal(text))


def bare(_harness: Harness, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Say only that something is wrong."""
    return tuple(
        replace(one, line=1, column=None, near="", value="", message="invalid") for one in findings
    )


def nested_is_fine(_harness: Harness, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Pass over a harness inside the document."""
    return tuple(one for one in findings if one.value != "harness")


def reached_only(harness: Harness, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Look at a node when it is reached: where entry names another, it may never be."""
    linked = {harness.entry, *(edge.target for edge in harness.edges)}
    later = {f"node {node.id!r}" for node in harness.nodes if node.id not in linked}
    return tuple(one for one in findings if harness.entry is None or one.near not in later)
