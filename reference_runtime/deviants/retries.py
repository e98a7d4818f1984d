"""Deviants: wrong retries and timeouts (§8.1, §8.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from reference_runtime.clock import Clock, Timer
from reference_runtime.deviants.deviant import Row, changed
from reference_runtime.document.model import Harness, Retry
from reference_runtime.rules import RULES, Expiry

__all__ = ["RETRIES"]

#: §14.3: classes that the text lists, and those that a runtime may think not worth another attempt.
_CLASSES: Final = frozenset(
    [
        "transient",
        "rate_limit",
        "timeout",
        "unavailable",
        "invalid_input",
        "unauthorized",
        "not_found",
        "internal",
    ]
)
_HOPELESS: Final = frozenset({"invalid_input", "unauthorized", "not_found", "internal"})

_THREE: Final = Retry(max_attempts=3, backoff="none", jitter=False)


def _retried_by_default(harness: Harness) -> Harness:
    """Give three attempts to idempotent nodes that nothing comes after but their handlers."""
    sources = {edge.source for edge in harness.edges if edge.type != "error"}
    nodes = tuple(
        replace(node, retry=_THREE)
        if node.retry is None and node.idempotent and node.id not in sources
        else node
        for node in harness.nodes
    )
    return replace(harness, nodes=nodes, node_by_id={})


class _Restarted(Clock):
    """A clock that begins anew whenever time has passed in which no timer was due."""

    def advance(self, seconds: float) -> Iterator[Timer]:
        """Move on to what is due, and back where there is nothing."""
        before, due = self.now, False
        for timer in super().advance(seconds):
            due = True
            yield timer
        if not due:
            self.now = before


_COUNTS: Final[tuple[Row, ...]] = (
    (
        "three_attempts_by_default",
        "8.1-absent-retry-one-attempt",
        "a node without retry policy and without successors has three attempts",
        {"reading": _retried_by_default},
    ),
    (
        "retry_counts_retries",
        "8.1-max-attempts-counts-first",
        "maxAttempts is taken as the number of retries after the first attempt",
        {"attempts": lambda node: RULES.attempts(node) + bool(node.retry and node.idempotent)},
    ),
    (
        "every_attempt_used_up",
        "8.1-success-stops-retrying",
        "a node goes on until its attempts are used up, also after a success",
        {"repeats": lambda node, attempt: attempt < RULES.attempts(node)},
    ),
    (
        "non_idempotent_node_retried",
        "1.3-no-automatic-retry-of-non-idempotent",
        "a node that is not idempotent has a second attempt",
        {"attempts": lambda node: RULES.attempts(node) if node.idempotent else 2},
    ),
    (
        "retry_ignores_classes",
        "8.1.2-retry-on-limits-classes",
        "every failure is retried whatever retryOn lists",
        {"retryable": lambda _retry, _error_class: True},
    ),
    (
        "further_classes_not_retried",
        "8.1.2-error-classes-open",
        "a class that the text does not list is never retried",
        {"retryable": lambda retry, error: error in _CLASSES and RULES.retryable(retry, error)},
    ),
    (
        "hopeless_classes_not_retried",
        "8.1.2-absent-retry-on-retries-all",
        "some classes are not retried where retryOn is absent",
        {
            "retryable": lambda retry, error: (
                error not in _HOPELESS if retry.retry_on is None else error in retry.retry_on
            )
        },
    ),
)

_DELAYS: Final[tuple[Row, ...]] = (
    (
        "fixed_backoff_multiplied",
        "8.1.1-delay-formulas",
        "a fixed backoff is multiplied like the others",
        {
            "backoff": changed(
                RULES.backoff, fixed=lambda retry, _attempt: retry.initial_delay * retry.multiplier
            )
        },
    ),
    (
        "delay_above_limit",
        "8.1.1-clamp-to-max-delay",
        "maxDelay does not limit the delay",
        {"limit": lambda _retry, delay: delay},
    ),
    (
        "jitter_added_on_top",
        "8.1.1-jitter-applied",
        "jitter is added to the delay instead of taken from it",
        {"jitter": lambda random, delay: delay + random.uniform(delay / 2, delay)},
    ),
    (
        "retrying_to_running",
        "8.1.1-backoff-none-keeps-states",
        "a retry goes from RETRYING to RUNNING without being READY",
        {
            "after_backoff": "RUNNING",
            "legal": changed(RULES.legal, RETRYING=RULES.legal["RETRYING"] | {"RUNNING"}),
        },
    ),
)

_TIMEOUTS: Final[tuple[Row, ...]] = (
    (
        "limits_begin_anew",
        "8.2-timeout-per-attempt",
        "time in which nothing was due is forgotten, so that limits, delays and waits last longer",
        {"clock": _Restarted},
    ),
    (
        "one_deadline_for_all_attempts",
        "8.2-timeout-per-attempt",
        "the time limit counts from the start of the first attempt",
        {"time_limit": lambda duration, since: max(0.0, duration - since)},
    ),
    (
        "timeout_never_retried",
        "8.2-on-timeout-fail",
        "onTimeout=fail ends the node whatever the retry policy says",
        {
            "on_timeout": changed(
                RULES.on_timeout, fail=Expiry(skips=False, forces_retry=False, bars_retry=True)
            )
        },
    ),
    (
        "forced_retry_needs_class",
        "8.2-on-timeout-retry-overrides-retry-on",
        "onTimeout=retry has an effect only where retryOn lists timeout",
        {"on_timeout": changed(RULES.on_timeout, retry=RULES.on_timeout["fail"])},
    ),
    (
        "skip_on_timeout_fails",
        "8.2-on-timeout-skip",
        "onTimeout=skip fails the node",
        {"on_timeout": changed(RULES.on_timeout, skip=RULES.on_timeout["fail"])},
    ),
)

RETRIES: Final[tuple[Row, ...]] = (*_COUNTS, *_DELAYS, *_TIMEOUTS)
