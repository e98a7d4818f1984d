"""The semantics as one frozen value: tables and small functions that the engine reads.

Everything the engine decides, it looks up here, so that a runtime which is wrong in exactly
one way is ``dataclasses.replace(RULES, ...)`` and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Final, Literal, NamedTuple

from reference_runtime.document.model import Node, Retry

__all__ = [
    "CODES",
    "INITIAL",
    "INTERNAL",
    "RULES",
    "STEP_TYPES",
    "Expiry",
    "ItemFailure",
    "Reason",
    "Rules",
    "Tally",
]

#: §6.1: the state of every node before its first transition.
INITIAL: Final = "PENDING"

#: §14.3: class of failures that nothing more is known about.
INTERNAL: Final = "internal"

#: §3: types whose work is a step behind ``impl`` or a decision of people (§3.2.10).
STEP_TYPES: Final = frozenset({"task", "inference", "transform", "source", "sink", "human"})

#: §14.2: run-time codes by the fault that they name.
CODES: Final[Mapping[str, str]] = {
    "missing-input": "HX-4101",
    "resource": "HX-4102",
    "no-case": "HX-4103",
    "max-iterations": "HX-4104",
    "digest": "HX-4105",
    "operation": "HX-4106",
    "timeout": "HX-4108",
    "compensation": "HX-4110",
}

#: Why a node will not be reached (§5.3.3): an unchosen case target, a join that cannot be met
#: any more, a required value that nobody will produce, or no way in at all (a stray root, an
#: idle handler, a compensating node).
Reason = Literal["unchosen", "lost", "starved", "unlinked"]


class Tally(NamedTuple):
    """Incoming control, data and dependency edges of a node by how they are resolved (§5.3)."""

    satisfied: int
    negative: int
    open: int
    quorum: int


class Expiry(NamedTuple):
    """What a timeout does to the attempt (§8.2): skip the node, or fail it, retried by force."""

    skips: bool
    forces_retry: bool


class ItemFailure(NamedTuple):
    """What a failed iteration does to its loop (§6.5, §7.2.5).

    Attributes:
        stops: whether no further iteration starts.
        result: FAILED or SUCCEEDED, by the numbers of succeeded and failed iterations.
    """

    stops: bool
    result: Callable[[int, int], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The tables.

    Attributes:
        legal: §6.2, state → states that may follow; terminal states have an empty row.
        exceptions: pairs outside §6.2 that another sentence demands (§8.2, A17).
        terminal: §6.1.
        succeeded: §6.1, terminal and successful.
        satisfying: §5.3, edge type → states of the source that satisfy it.
        met: §5.3.1, join policy → whether the node becomes READY.
        lost: §5.3.3, join policy → whether it never will.
        routes: §7.1.3, whether a decision that chose the first node satisfies an edge to the
            second one.
        gated: §5.3.3, whether a case target waits until a decision has chosen it.
        negates: §5.3.3, whether the edges of an unreachable node are negative; the argument
            is the length of the chain of unreachable nodes up to it.
        unreached: §6.4, states that an unreachable node passes through, by reason: none.
        starving: §5.3.3, whether an unreachable source of a required value is enough.
        cancelling: §5.3.2, join policies that cancel siblings when their node becomes READY.
        spares_shared: §5.3.2, whether branches that can reach another node go on.
        cancellable: §6.2, state → values of @idempotent for which it may be CANCELLED.
        late_answers: §6.2, whether an answer to a call that was given up still counts.
        attempts: §8.1, number of attempts that a node may have.
        retryable: §8.1.2, whether a failure of that class is retried.
        backoff: §8.1.1, strategy → seconds before attempt n (2-based), not yet limited.
        limit: §8.1.1, limits a delay to @maxDelay.
        jitter: §8.1.1, randomises a delay.
        after_backoff: §6.2, state that follows RETRYING.
        error_edges_on: §4.4, states of the source that traverse its error edges.
        handled: §5.8, whether that many error edges handle a failure.
        preparation: §5.5, steps 1 to 3 in order.
        null_for_missing: §5.6, whether a missing required value becomes null.
        on_timeout: §8.2.
        item_failure: §7.2.5.
        loop_slots: §7.2.4, iterations that may be under way together.
        compensation_order: §8.4.1, order of the succeeded sources, given in completion order.
    """

    legal: Mapping[str, frozenset[str]]
    exceptions: frozenset[tuple[str, str]]
    terminal: frozenset[str]
    succeeded: frozenset[str]
    satisfying: Mapping[str, frozenset[str]]
    met: Mapping[str, Callable[[Tally], bool]]
    lost: Mapping[str, Callable[[Tally], bool]]
    routes: Callable[[str | None, str], bool]
    gated: bool
    negates: Callable[[int], bool]
    unreached: Mapping[Reason, tuple[str, ...]]
    starving: bool
    cancelling: frozenset[str]
    spares_shared: bool
    cancellable: Mapping[str, frozenset[bool]]
    late_answers: bool
    attempts: Callable[[Node], int]
    retryable: Callable[[Retry, str | None], bool]
    backoff: Mapping[str, Callable[[Retry, int], float]]
    limit: Callable[[Retry, float], float]
    jitter: Callable[[Random, float], float]
    after_backoff: str
    error_edges_on: frozenset[str]
    handled: Callable[[int], bool]
    preparation: tuple[str, ...]
    null_for_missing: bool
    on_timeout: Mapping[str, Expiry]
    item_failure: Mapping[str, ItemFailure]
    loop_slots: Callable[[int], int]
    compensation_order: Callable[[int], int]


def _never_met(tally: Tally) -> bool:
    """All edges are negative: no path reached the node (§5.3.1)."""
    return not tally.open and not tally.satisfied


def _attempts(node: Node) -> int:
    """§8.1, §8.3: all attempts count; no policy or no idempotence leaves one."""
    return node.retry.max_attempts if node.retry and node.idempotent else 1


_BOTH: Final = frozenset({True, False})

RULES: Final = Rules(
    legal={
        "PENDING": frozenset({"READY", "CANCELLED"}),
        "READY": frozenset({"RUNNING", "SKIPPED", "CANCELLED"}),
        "RUNNING": frozenset({"SUCCEEDED", "FAILED", "RETRYING", "CANCELLED"}),
        "RETRYING": frozenset({"READY", "FAILED", "CANCELLED"}),
        "SUCCEEDED": frozenset({"COMPENSATED"}),
        "SKIPPED": frozenset(),
        "FAILED": frozenset(),
        "CANCELLED": frozenset(),
        "COMPENSATED": frozenset(),
    },
    exceptions=frozenset({("RUNNING", "SKIPPED")}),
    terminal=frozenset({"SUCCEEDED", "SKIPPED", "FAILED", "CANCELLED", "COMPENSATED"}),
    succeeded=frozenset({"SUCCEEDED", "SKIPPED"}),
    satisfying={
        "control": frozenset({"SUCCEEDED", "SKIPPED"}),
        "data": frozenset({"SUCCEEDED", "SKIPPED"}),
        "dependency": frozenset({"SUCCEEDED", "SKIPPED", "FAILED", "CANCELLED", "COMPENSATED"}),
    },
    met={
        "all": lambda tally: not tally.open and tally.satisfied > 0,
        "any": lambda tally: tally.satisfied > 0,
        "quorum": lambda tally: tally.satisfied >= tally.quorum,
    },
    lost={
        "all": _never_met,
        "any": _never_met,
        "quorum": lambda tally: tally.satisfied + tally.open < tally.quorum,
    },
    routes=lambda chosen, target: chosen == target,
    gated=True,
    negates=lambda _length: True,
    unreached={"unchosen": (), "lost": (), "starved": (), "unlinked": ()},
    starving=True,
    cancelling=frozenset({"any"}),
    spares_shared=True,
    cancellable={
        "PENDING": _BOTH,
        "READY": _BOTH,
        "RUNNING": frozenset({True}),
        "RETRYING": _BOTH,
    },
    late_answers=False,
    attempts=_attempts,
    retryable=lambda retry, error: retry.retry_on is None or error in retry.retry_on,
    backoff={
        "none": lambda _retry, _attempt: 0.0,
        "fixed": lambda retry, _attempt: retry.initial_delay,
        "linear": lambda retry, n: retry.initial_delay * retry.multiplier * (n - 1),
        "exponential": lambda retry, n: retry.initial_delay * retry.multiplier ** (n - 2),
    },
    limit=lambda retry, delay: delay if retry.max_delay is None else min(delay, retry.max_delay),
    jitter=lambda random, delay: random.uniform(0, delay),
    after_backoff="READY",
    error_edges_on=frozenset({"FAILED"}),
    handled=lambda error_edges: error_edges > 0,
    preparation=("guard", "inputs", "resources", "artifacts"),
    null_for_missing=False,
    on_timeout={
        "fail": Expiry(skips=False, forces_retry=False),
        "retry": Expiry(skips=False, forces_retry=True),
        "skip": Expiry(skips=True, forces_retry=False),
    },
    item_failure={
        "fail": ItemFailure(stops=True, result=lambda _good, bad: "FAILED" if bad else "SUCCEEDED"),
        "continue": ItemFailure(
            stops=False, result=lambda good, bad: "FAILED" if bad and not good else "SUCCEEDED"
        ),
        "break": ItemFailure(stops=True, result=lambda _good, _bad: "SUCCEEDED"),
    },
    loop_slots=lambda max_concurrency: max_concurrency,
    compensation_order=lambda position: -position,
)
