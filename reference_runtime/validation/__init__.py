"""The gate of chapter 13: what a document must fulfil before anything of it runs."""

from reference_runtime.document.finding import Finding
from reference_runtime.validation.gate import GATE, Gate, Validated, validate

__all__ = ["GATE", "Finding", "Gate", "Validated", "validate"]
