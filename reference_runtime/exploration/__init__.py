"""Exhaustive exploration: every distinct behaviour that the freedom of §5.4 allows, bounded."""

from reference_runtime.exploration.search import BOUND, Behaviour, Explored, explore
from reference_runtime.exploration.summary import summary

__all__ = ["BOUND", "Behaviour", "Explored", "explore", "summary"]
