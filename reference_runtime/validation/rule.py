"""What a rule of chapter 13 is: a row with code, section, severity and a small function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from reference_runtime.document.finding import Severity
from reference_runtime.validation.view import View

__all__ = ["Check", "Fault", "Rule"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One violation as a rule sees it.

    Attributes:
        where: the model value (or element) that stands at the place to report.
        value: the offending value; empty where something is missing.
        message: place, expectation, observation, and at the end what to do.
    """

    where: object
    value: str
    message: str


#: Finds every violation of one rule in one pass over the document.
Check = Callable[[View], Iterator[Fault]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: what is reported under ``code`` when ``check`` finds something."""

    code: str
    section: str
    severity: Severity
    check: Check
