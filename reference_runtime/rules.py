"""The semantics as one frozen value: tables and small functions that the engine reads.

Everything the engine decides, it looks up here, so that a runtime which is wrong in exactly
one way is ``dataclasses.replace(RULES, ...)`` and nothing else. Seven themes have modules of
their own in ``reference_runtime.rule_parts``, expressions one in ``reference_runtime.expressions``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final, Literal, NamedTuple

from reference_runtime.clock import Clock
from reference_runtime.document.model import Harness, Node, Retry
from reference_runtime.engine.effects import Transition
from reference_runtime.expressions.language import LANGUAGE, LanguageRules
from reference_runtime.rule_parts.children import CHILDREN, ChildRules
from reference_runtime.rule_parts.data import DATA, DataRules
from reference_runtime.rule_parts.ending import ENDING, EndingRules
from reference_runtime.rule_parts.flow import FLOW, Count, FlowRules, Tally
from reference_runtime.rule_parts.loops import LOOPS, LoopRules
from reference_runtime.rule_parts.surroundings import SURROUNDINGS, SurroundingsRules
from reference_runtime.rule_parts.waits import WAITS, WaitRules
from reference_runtime.validation import GATE, Gate

__all__ = [
    "CODES",
    "INITIAL",
    "INTERNAL",
    "RULES",
    "STEP_TYPES",
    "Count",
    "Expiry",
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
    "subworkflow": "HX-4109",
    "compensation": "HX-4110",
}

#: Why a node will not be reached (§5.3.3): an unchosen case target, a join that cannot be met
#: any more, a required value that nobody will produce, or no way in at all (a stray root, an
#: idle handler, a compensating node).
Reason = Literal["unchosen", "lost", "starved", "unlinked"]


class Expiry(NamedTuple):
    """What a timeout does to the attempt (§8.2): skip the node, or fail it.

    A failed attempt is retried as the retry policy says, by force, or never.
    """

    skips: bool
    forces_retry: bool
    bars_retry: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The tables.

    Attributes:
        flow: §5.2, §5.3, §7.1, entry set, edges, joins, handlers and decisions.
        data: §5.5, §5.6, inputs and outputs.
        loops: §6.5, §7.2.
        ending: §5.7, §5.8, §8.4, completion, outcome and unwinding.
        waits: §3.2.9, wait nodes.
        children: §3.2.7, subworkflows.
        language: §10, expressions.
        surroundings: §9, §11, security and artifacts.
        gate: §5.1, §13, which documents are executed, and what is said about the others.
        reading: chapters 1 to 4, how the document is understood.
        codes: §14.2, run-time codes by the fault that they name.
        written: §6.6, entries in the trace for a transition of a node, None for itself.
        legal: §6.2, state → states that may follow; terminal states have an empty row.
        exceptions: pairs outside §6.2 that another sentence demands (§8.2, A17).
        terminal: §6.1.
        succeeded: §6.1, terminal and successful.
        satisfying: §5.3, edge type → states of the source that satisfy it.
        met: §5.3.1, join policy → whether the node becomes READY.
        lost: §5.3.3, join policy → whether it never will.
        gated: §5.3.3, whether a case target waits until a decision has chosen it.
        negates: §5.3.3, whether the edges of an unreachable node are negative, by the reason
            and by the length of the chain of unreachable nodes up to it.
        unreached: §6.4, states that an unreachable node passes through, by reason: none.
        skipped_outputs: §6.3, outputs of a SKIPPED node: none are available.
        configures: §1.3.2, whether outputs replace config properties of the same name.
        losing: §5.3.2, states of siblings that are cancelled when another one has won.
        cancelling: §5.3.2, join policies that cancel siblings when their node becomes READY.
        spares_shared: §5.3.2, whether branches that can reach another node go on.
        cancellable: §6.2, state → values of @idempotent for which it may be CANCELLED.
        late_answers: §6.2, states in which an answer to a call that was given up still counts.
        waking: §6.2, states in which a backoff that elapses still makes a node READY.
        unprepared: §5.5, §6.2, states that follow READY when the preparation fails.
        exhausted: §6.2, states that follow RUNNING when the last attempt has failed, by node
            and number of its error edges.
        spared: §6.2.1, states that follow RUNNING at once where a node may not be cancelled:
            none, it finishes.
        repeats: §8.1, whether a node has another attempt after one that succeeded.
        attempts: §8.1, number of attempts that a node may have.
        retryable: §8.1.2, whether a failure of that class is retried.
        backoff: §8.1.1, strategy → seconds before attempt n (2-based), not yet limited.
        limit: §8.1.1, limits a delay to @maxDelay.
        jitter: §8.1.1, randomises a delay.
        after_backoff: §6.2, state that follows RETRYING.
        restartable: §5.8, states in which a node can be started by an error edge.
        on_handled: §5.8, §6.2, state → state that active nodes change to when the failure of
            another one is handled.
        at_end: §6.4, states that nodes which are still PENDING pass through at the end, by
            outcome.
        error_edges_on: §4.4, states of the source that traverse its error edges.
        handled: §5.8, whether that many error edges handle a failure.
        on_timeout: §8.2.
        time_limit: §8.2, seconds left to an attempt, by @duration and the seconds since the node
            was RUNNING for the first time.
        undoes_handled: §8.4.1, whether handled failures are compensated, too.
        clock: makes the clock by which limits, delays and waits of a run end.
    """

    flow: FlowRules
    data: DataRules
    loops: LoopRules
    ending: EndingRules
    waits: WaitRules
    children: ChildRules
    language: LanguageRules
    surroundings: SurroundingsRules
    gate: Gate
    reading: Callable[[Harness], Harness]
    codes: Mapping[str, str]
    written: Callable[[Node, Transition], tuple[Transition, ...]] | None
    legal: Mapping[str, frozenset[str]]
    exceptions: frozenset[tuple[str, str]]
    terminal: frozenset[str]
    succeeded: frozenset[str]
    satisfying: Mapping[str, frozenset[str]]
    met: Mapping[str, Callable[[Tally], bool]]
    lost: Mapping[str, Callable[[Tally], bool]]
    gated: bool
    negates: Callable[[Reason, int], bool]
    unreached: Mapping[Reason, tuple[str, ...]]
    skipped_outputs: Callable[[Node], dict[str, Any] | None]
    configures: bool
    losing: frozenset[str]
    cancelling: frozenset[str]
    spares_shared: bool
    cancellable: Mapping[str, frozenset[bool]]
    late_answers: frozenset[str]
    waking: frozenset[str]
    unprepared: tuple[str, ...]
    exhausted: Callable[[Node, int], tuple[str, ...]]
    spared: tuple[str, ...]
    repeats: Callable[[Node, int], bool]
    attempts: Callable[[Node], int]
    retryable: Callable[[Retry, str | None], bool]
    backoff: Mapping[str, Callable[[Retry, int], float]]
    limit: Callable[[Retry, float], float]
    jitter: Callable[[Random, float], float]
    after_backoff: str
    restartable: frozenset[str]
    on_handled: Mapping[str, str]
    at_end: Callable[[str], tuple[str, ...]]
    error_edges_on: frozenset[str]
    handled: Callable[[int], bool]
    on_timeout: Mapping[str, Expiry]
    time_limit: Callable[[float, float], float]
    undoes_handled: bool
    clock: Callable[[], Clock]


def _never_met(tally: Tally) -> bool:
    """All edges are negative: no path reached the node (§5.3.1)."""
    return not tally.open and not tally.satisfied


def _attempts(node: Node) -> int:
    """§8.1, §8.3: all attempts count; no policy or no idempotence leaves one."""
    return node.retry.max_attempts if node.retry and node.idempotent else 1


_BOTH: Final = frozenset({True, False})

#: Seconds that no delay exceeds, so that times stay numbers; more than 30,000 years.
_LONGEST_DELAY: Final = 1e12


def _power(base: float, exponent: int) -> float:
    """A power that is a number however large it should be."""
    try:
        return float(base**exponent)
    except OverflowError:
        return sys.float_info.max


RULES: Final = Rules(
    flow=FLOW,
    data=DATA,
    loops=LOOPS,
    ending=ENDING,
    waits=WAITS,
    children=CHILDREN,
    language=LANGUAGE,
    surroundings=SURROUNDINGS,
    gate=GATE,
    reading=lambda harness: harness,
    codes=CODES,
    written=None,
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
    gated=True,
    negates=lambda _reason, _length: True,
    unreached={"unchosen": (), "lost": (), "starved": (), "unlinked": ()},
    skipped_outputs=lambda _node: None,
    configures=False,
    losing=frozenset({"READY", "RUNNING", "RETRYING"}),
    cancelling=frozenset({"any"}),
    spares_shared=True,
    cancellable={
        "PENDING": _BOTH,
        "READY": _BOTH,
        "RUNNING": frozenset({True}),
        "RETRYING": _BOTH,
    },
    late_answers=frozenset(),
    waking=frozenset({"RETRYING"}),
    unprepared=("RUNNING", "FAILED"),
    exhausted=lambda _node, _error_edges: ("FAILED",),
    spared=(),
    repeats=lambda _node, _attempt: False,
    attempts=_attempts,
    retryable=lambda retry, error: retry.retry_on is None or error in retry.retry_on,
    backoff={
        "none": lambda _retry, _attempt: 0.0,
        "fixed": lambda retry, _attempt: retry.initial_delay,
        "linear": lambda retry, n: retry.initial_delay * retry.multiplier * (n - 1),
        "exponential": lambda retry, n: retry.initial_delay * _power(retry.multiplier, n - 2),
    },
    limit=lambda retry, delay: min(
        delay, _LONGEST_DELAY if retry.max_delay is None else retry.max_delay
    ),
    jitter=lambda random, delay: random.uniform(0, delay),
    after_backoff="READY",
    restartable=frozenset({INITIAL}),
    on_handled={},
    at_end=lambda _outcome: (),
    error_edges_on=frozenset({"FAILED"}),
    handled=lambda error_edges: error_edges > 0,
    on_timeout={
        "fail": Expiry(skips=False, forces_retry=False),
        "retry": Expiry(skips=False, forces_retry=True),
        "skip": Expiry(skips=True, forces_retry=False),
    },
    time_limit=lambda duration, _since: duration,
    undoes_handled=False,
    clock=Clock,
)
