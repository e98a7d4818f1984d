"""Explanations for people: what each node waits for, and why it ended as it did."""

from reference_runtime.explaining.report import explain

__all__ = ["explain"]
