"""Explanations for people: how a run ended, what each node waits for, why it ended as it did."""

from reference_runtime.explaining.report import explain
from reference_runtime.explaining.states import final_states

__all__ = ["explain", "final_states"]
