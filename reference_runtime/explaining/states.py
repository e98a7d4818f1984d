"""Final states of a run for people, what failed in it, and its outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from reference_runtime.document.model import Harness
from reference_runtime.engine.effects import Path, Report, Transition
from reference_runtime.explaining.addresses import Addresses
from reference_runtime.rules import INITIAL
from reference_runtime.script import Played

__all__ = ["final_states"]

#: Iterations of one node that are listed, and failures in them; of more only numbers are.
_LISTED: Final = 10

#: Characters of a name up to which the states stand in one column.
_WIDE: Final = 40


def final_states(harness: Harness, played: Played) -> Iterator[str]:
    """Yield a line for each node and iteration in document order, then codes and the outcome.

    Args:
        harness: the document.
        played: what has been shown of a run, which need not be over.
    """
    if played.refusal:
        yield f"refused: {played.refusal}"
        return
    ends: dict[str, dict[Path, str]] = {node.id: {} for node in harness.nodes}
    transitions = played.transitions()
    for seen in transitions:
        ends[seen.node][seen.iteration] = seen.to
    named = Addresses(harness)
    rows = [row for node, states in ends.items() for row in _rows(named, node, states)]
    width = max((len(name) for name, _ in rows if len(name) <= _WIDE), default=0)
    for name, state in rows:
        yield f"{name:<{width}}  {state}"
    yield from _failures(named, transitions)
    yield from _reports(played.reports())
    yield f"outcome: {played.outcome or 'none'}"


def _rows(named: Addresses, node: str, states: dict[Path, str]) -> Iterator[tuple[str, str]]:
    if not states:
        yield node, INITIAL
    elif len(states) <= _LISTED:
        for iteration, state in states.items():
            yield named.of(node, iteration), state
    else:
        counts: dict[str, int] = {}
        for state in states.values():
            counts[state] = counts.get(state, 0) + 1
        told = ", ".join(f"{number} {state}" for state, number in counts.items())
        yield f"{node}[…]", f"{told} in {len(states)} iterations"


def _failures(named: Addresses, transitions: Sequence[Transition]) -> Iterator[str]:
    """Yield what failed, of each node the first times, with code or else class and message.

    Where a node was tried more than once, each line has the attempt (§14.4).
    """
    told: dict[str, int] = {}
    again = {(seen.node, seen.iteration) for seen in transitions if (seen.attempt or 0) > 1}
    for seen in transitions:
        if seen.to != "FAILED" and seen.code is None:
            continue
        told[seen.node] = told.get(seen.node, 0) + 1
        if told[seen.node] <= _LISTED:
            why = (seen.code or seen.error_class, seen.message)
            words = " ".join(part for part in why if part)
            repeated = seen.attempt and (seen.node, seen.iteration) in again
            attempt = f"@{seen.attempt}" if repeated else ""
            yield f"  {named.of(seen.node, seen.iteration)}{attempt}: {words}"
    yield from _unlisted(told)


def _reports(reports: Sequence[Report]) -> Iterator[str]:
    """Yield the codes that belong to no transition, of each node the first different ones.

    Attempts and iterations repeat them.
    """
    told: dict[str, int] = {}
    counted = Counter((report.node, report.code, report.message) for report in reports)
    for (node, code, message), number in counted.items():
        told[node] = told.get(node, 0) + 1
        if told[node] <= _LISTED:
            times = f" ({number} times)" if number > 1 else ""
            yield f"  {node}: {code} {message}{times}"
    yield from _unlisted(told)


def _unlisted(told: Mapping[str, int]) -> Iterator[str]:
    """Yield how many lines were left out of those about each node."""
    for node, number in told.items():
        if number > _LISTED:
            yield f"  {node}[…]: {number - _LISTED} more like these"
