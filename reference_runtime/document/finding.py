"""What a validator reports about a document (§13.5): code, place, value and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["MAX_FINDINGS", "Finding", "Severity"]

#: Findings that are made for one document; whoever gets so many corrects the first ones first.
MAX_FINDINGS = 1000

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One fault or doubt.

    Attributes:
        code: ``HX-nnnn`` of chapter 13.
        severity: warnings alone never make a document invalid (§13.3).
        line: 1-based line of the start of the element (or of the fault in malformed XML).
        column: 1-based column of the same place; None if unknown.
        near: nearest id, as ``node 'a'``; empty if the document has none to offer.
        value: the offending value as it stands in the document; empty where something is missing.
        message: whole sentences; the last one says what to do.
    """

    code: str
    severity: Severity
    line: int
    column: int | None
    near: str
    value: str
    message: str
