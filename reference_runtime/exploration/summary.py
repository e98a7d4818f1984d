"""What an exploration has found, as lines for people: by outcome, with what differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reference_runtime.explaining.addresses import Addresses
from reference_runtime.exploration.search import Behaviour, Explored

__all__ = ["summary"]


def _outcome(behaviour: Behaviour) -> str:
    return "none, nothing can move any more" if behaviour.stuck else behaviour.played.outcome


def _many(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def _states(behaviours: Sequence[Behaviour], nodes: Sequence[str]) -> Iterator[str]:
    """Yield the final states of nodes, all that each of them may have."""
    width = max(map(len, nodes), default=0)
    for node in nodes:
        states = dict.fromkeys(behaviour.played.states[node] for behaviour in behaviours)
        yield f"  {node:<{width}}  {' or '.join(states)}"


def _steps(behaviour: Behaviour, addresses: Addresses) -> str:
    """The trace in one line."""
    return ", ".join(
        f"{addresses.of(step.node, step.iteration)} {step.to}"
        for step in behaviour.played.transitions()
    )


def summary(explored: Explored, bound: int) -> Iterator[str]:
    """Yield the lines: each outcome with its final states and the trace of one run, then a count.

    Final states that are the same in every behaviour come first, once.
    """
    everything, addresses = explored.behaviours, Addresses(explored.harness)
    groups: dict[str, list[Behaviour]] = {}
    for behaviour in everything:
        groups.setdefault(_outcome(behaviour), []).append(behaviour)
    nodes = list(everything[0].played.states)
    differing = [node for node in nodes if len({b.played.states[node] for b in everything}) > 1]
    yield from _states(everything[:1], [node for node in nodes if node not in differing])
    for outcome, behaviours in groups.items():
        yield f"outcome: {outcome} ({_many(len(behaviours), 'behaviour')})"
        yield from _states(behaviours, differing)
        yield f"  for example: {_steps(behaviours[0], addresses)}"
    found = f"{_many(len(everything), 'behaviour')} in {_many(explored.runs, 'run')}"
    yield found if explored.complete else f"not all: {found}, and the bound is {bound}"
