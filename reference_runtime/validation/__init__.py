"""The gate of chapter 13: what a document must fulfil before anything of it runs."""

from reference_runtime.document.finding import Finding
from reference_runtime.validation.gate import Validated, validate

__all__ = ["Finding", "Validated", "validate"]
