"""The node lifecycle of §6.1 and §6.2 as tables, transcribed for the judge."""

from typing import Final

__all__ = [
    "IDEMPOTENT_ONLY",
    "INITIAL",
    "LEGAL",
    "STATES",
    "SUCCESSES",
    "TERMINAL",
    "UNDER_TIMEOUT_SKIP",
]

#: §6.1: state → what it means.
STATES: Final[dict[str, str]] = {
    "PENDING": "created; join condition not yet satisfied",
    "READY": "join condition satisfied; may be scheduled",
    "RUNNING": "executing",
    "RETRYING": "an attempt failed, retries remain, the backoff is being waited out",
    "SUCCEEDED": "completed successfully",
    "SKIPPED": "reached, and its guard was false",
    "FAILED": "failed with retries exhausted",
    "CANCELLED": "terminated before completion",
    "COMPENSATED": "had succeeded, then was rolled back",
}

#: §6.1: the state of every node before its first transition.
INITIAL: Final = "PENDING"

#: §6.1, column "terminal".
TERMINAL: Final = frozenset({"SUCCEEDED", "SKIPPED", "FAILED", "CANCELLED", "COMPENSATED"})

#: §6.1, §6.3: terminal and successful.
SUCCESSES: Final = frozenset({"SUCCEEDED", "SKIPPED"})

#: §6.2: from → to. A terminal state keeps its empty row, so that a missing row is a slip.
LEGAL: Final[dict[str, frozenset[str]]] = {
    "PENDING": frozenset({"READY", "CANCELLED"}),
    "READY": frozenset({"RUNNING", "SKIPPED", "CANCELLED"}),
    "RUNNING": frozenset({"SUCCEEDED", "FAILED", "RETRYING", "CANCELLED"}),
    "RETRYING": frozenset({"READY", "FAILED", "CANCELLED"}),
    "SUCCEEDED": frozenset({"COMPENSATED"}),
    "SKIPPED": frozenset(),
    "FAILED": frozenset(),
    "CANCELLED": frozenset(),
    "COMPENSATED": frozenset(),
}

#: §6.2, §6.2.1: pairs that the table grants to nodes declared idempotent="true" only.
IDEMPOTENT_ONLY: Final = frozenset({("RUNNING", "CANCELLED")})

#: §8.2 against §6.2 (A17): the one pair tolerated on a node with onTimeout="skip".
UNDER_TIMEOUT_SKIP: Final = frozenset({("RUNNING", "SKIPPED")})
