"""The rules of §6.2 on single transitions: which pair breaks which requirement.

Pairs that are listed but need a cause outside the node (cancellation, compensation) are
judged in ``comparator.licences``.
"""

from typing import Final

from comparator.facts import Node
from comparator.histories import History
from comparator.lifecycle import IDEMPOTENT_ONLY, LEGAL, TERMINAL, UNDER_TIMEOUT_SKIP

__all__ = ["ILLEGAL", "LEFT_OPEN", "broken_by_attempts", "broken_by_gap", "broken_by_pair"]

_PENDING = "6.2-no-pending-retrying-or-compensated"
_RETRYING = "6.2-no-retrying-pending-or-compensated"
_SELF = "6.2-no-self-transitions"

#: §6.2: (from, to) → requirement broken, for every pair of two states that is not listed.
#: Terminal states are in ``_LEFT``.
ILLEGAL: Final[dict[tuple[str, str], str]] = {
    ("PENDING", "PENDING"): _SELF,
    ("PENDING", "RUNNING"): "6.2-no-pending-running",
    ("PENDING", "SKIPPED"): "6.2-no-pending-skipped",
    ("PENDING", "FAILED"): "6.2-no-pending-failed",
    ("PENDING", "SUCCEEDED"): "6.2-no-pending-succeeded",
    ("PENDING", "RETRYING"): _PENDING,
    ("PENDING", "COMPENSATED"): _PENDING,
    ("READY", "PENDING"): "6.2-no-ready-pending",
    ("READY", "READY"): _SELF,
    ("READY", "RETRYING"): "6.2-no-ready-retrying",
    ("READY", "SUCCEEDED"): "6.2-no-ready-succeeded",
    ("READY", "FAILED"): "6.2-no-ready-failed",
    ("READY", "COMPENSATED"): "6.2-no-ready-compensated",
    ("RUNNING", "PENDING"): "6.2-no-running-pending",
    ("RUNNING", "READY"): "6.2-no-running-ready",
    ("RUNNING", "RUNNING"): _SELF,
    ("RUNNING", "SKIPPED"): "6.2-no-running-skipped",
    ("RUNNING", "COMPENSATED"): "6.2-no-running-compensated",
    ("RETRYING", "PENDING"): _RETRYING,
    ("RETRYING", "RUNNING"): "6.2-no-retrying-running",
    ("RETRYING", "RETRYING"): _SELF,
    ("RETRYING", "SUCCEEDED"): "6.2-no-retrying-succeeded",
    ("RETRYING", "SKIPPED"): "6.2-no-retrying-skipped",
    ("RETRYING", "COMPENSATED"): _RETRYING,
}

#: §6.1: terminal state → requirement broken by leaving it.
_LEFT: Final = {
    "SUCCEEDED": "6.2-no-leaving-succeeded-except-compensated",
    "SKIPPED": "6.2-no-leaving-skipped",
    "FAILED": "6.2-no-leaving-failed",
    "CANCELLED": "6.2-no-leaving-cancelled",
    "COMPENSATED": "6.2-no-leaving-compensated",
}

#: §5.7: state in which no node is left when a run ends → requirement broken.
LEFT_OPEN: Final = {
    "READY": "5.7-complete-when-nothing-can-move",
    "RUNNING": "5.7-complete-when-nothing-can-move",
    "RETRYING": "5.7-not-complete-while-retrying",
}

_ONLY_LISTED = "6.2-only-listed-transitions"
_ONE_STATE = "6-one-state-at-a-time"
_UNPROTECTED = "6.2.1-no-cancel-of-running-non-idempotent"
#: §8.1.1 says of RETRYING→RUNNING the same as the table.
_ALSO = {("RETRYING", "RUNNING"): ("8.1.1-backoff-none-keeps-states",)}


def _cites_of_pair(from_: str, to: str) -> tuple[str, ...]:
    """Return what the unlisted pair breaks, nothing for a listed one."""
    if to in LEGAL.get(from_, ()):
        return ()
    if from_ in TERMINAL:
        own = _SELF if from_ == to else _LEFT[from_]
    else:
        own = ILLEGAL.get((from_, to), _ONLY_LISTED)
    return (own, *_ALSO.get((from_, to), ()))


def broken_by_pair(node: Node, from_: str, to: str) -> tuple[str, ...]:
    """Return the requirements that a step of this node breaks, nothing when it is legal."""
    if (from_, to) in UNDER_TIMEOUT_SKIP and node.on_timeout == "skip":
        return ()
    if (from_, to) in IDEMPOTENT_ONLY and not node.idempotent:
        return (_UNPROTECTED,)
    if (from_, to) == ("READY", "SKIPPED") and node.guard in {"absent", "true"}:
        # A17: the detour of a timed-out attempt over RETRYING and READY.
        return () if node.on_timeout == "skip" else ("6.2-no-skip-without-false-guard",)
    return _cites_of_pair(from_, to)


def broken_by_gap(state: str, from_: str, to: str) -> tuple[str, ...]:
    """Return what is broken by a step that leaves another state than the node is in."""
    first = _LEFT[state] if state in TERMINAL else _ONE_STATE
    return tuple(dict.fromkeys((first, *_cites_of_pair(from_, to))))[:3]


def broken_by_attempts(node: Node, history: History) -> tuple[str, ...]:
    """Return what is broken by the attempt that ``history`` has just begun."""
    if not node.idempotent:
        # §1.3, §8.3: whatever the retry element says.
        return ("1.3-no-automatic-retry-of-non-idempotent",) if history.attempts > 1 else ()
    if history.attempts <= node.max_attempts:
        return ()
    one = node.max_attempts == 1
    return ("8.1-absent-retry-one-attempt",) if one else ("8.1-max-attempts-counts-first",)
