"""What of a run counts: its effects with the order of unrelated ones forgotten."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from reference_runtime.engine.effects import Abort, Effect, Invoke, Path, Report, Transition
from reference_runtime.engine.graph import Graph
from reference_runtime.rules import CODES, INITIAL, RULES

__all__ = ["Chains", "History"]


class Chains:
    """Numbers for sequences, the same for equal ones, shared by all runs of an exploration."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, Hashable], int] = {}

    def longer(self, chain: int, entry: Hashable) -> int:
        """Give the number of a sequence with one more entry; 0 is the empty one."""
        return self._numbers.setdefault((chain, entry), len(self._numbers) + 1)


class History:
    """The behaviour of a run so far.

    Kept are: for each lifecycle the sequence of its transitions, calls and aborts, complete
    with attempts, classes, codes and times; for a node that becomes READY, which of its sources
    had ended by then; the order of compensations (§8.4.1), failed ones included; and how often
    each code was reported apart from transitions. Two runs with the same history differ only in
    the order of things in different lifecycles that do not follow from each other.
    """

    def __init__(self, graph: Graph, chains: Chains) -> None:
        self._graph = graph
        self._chains = chains
        self._read = 0
        self._kept: dict[Hashable, int] = {}
        self._calls: dict[int, tuple[str, Path]] = {}
        self._ended: set[tuple[str, Path]] = set()

    def read(self, effects: Sequence[Effect]) -> None:
        """Take in what is new in a list that only grows."""
        for effect in effects[self._read :]:
            if isinstance(effect, Transition):
                self._transition(effect)
            elif isinstance(effect, Invoke):
                key = self._calls[effect.number] = (effect.node, effect.iteration)
                self._keep(key, (effect.attempt, repr(effect.inputs)))
            elif isinstance(effect, Abort):
                self._keep(self._calls[effect.number], "abort")
            elif isinstance(effect, Report):
                self._report(effect)
        self._read = len(effects)

    def frozen(self) -> frozenset[tuple[Hashable, int]]:
        """Give a value that is equal for equal histories."""
        return frozenset(self._kept.items())

    def _keep(self, key: Hashable, entry: Hashable) -> None:
        self._kept[key] = self._chains.longer(self._kept.get(key, 0), entry)

    def _transition(self, effect: Transition) -> None:
        key = (effect.node, effect.iteration)
        self._keep(key, effect)
        if effect.from_ == INITIAL and effect.to == "READY":
            self._keep(key, self._sources(effect))
        if effect.to in RULES.terminal:
            self._ended.add(key)
        if effect.to == "COMPENSATED":
            self._keep("compensations", effect.node)

    def _sources(self, effect: Transition) -> tuple[int, ...]:
        """Numbers of the links into a node whose source has ended."""
        vertex = self._graph.vertices[self._graph.index[effect.node]]
        return tuple(
            link.number
            for link in (*vertex.incoming, *vertex.errors_in)
            if (self._graph.vertices[link.source].node.id, effect.iteration) in self._ended
        )

    def _report(self, effect: Report) -> None:
        if effect.code == CODES["compensation"]:
            self._keep("compensations", effect)
        self._kept[effect] = self._kept.get(effect, 0) + 1
