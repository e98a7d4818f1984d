"""Iterations against their loop: when one may start, how many at a time, in which order."""

from typing import Any, Final, NamedTuple

from comparator.form import Keys, Where, where_of
from comparator.graph import Graph
from comparator.histories import History
from comparator.lifecycle import TERMINAL
from comparator.trace import Key

__all__ = ["Breach", "LoopWatch"]

#: §6.5, §7.2.5: policy → requirement broken by an iteration that starts after the loop ended.
_ENDED: Final = {
    "fail": "6.5-fail-policy",
    "break": "6.5-break-policy",
    "continue": "6.5-continue-some-succeed",
}


class Breach(NamedTuple):
    """A rule of a loop that a step of an iteration breaks."""

    kind: str
    cites: tuple[str, ...]
    expected: Any
    observed: Any


class LoopWatch:
    """Follows the iterations of all loops of one run.

    Attributes:
        begun: iteration → place of its first step.
    """

    def __init__(self, graph: Graph, keys: Keys) -> None:
        """Begin with no iteration under way."""
        self._graph = graph
        self._keys = keys
        self.begun: dict[Key, int] = {}
        self._open: dict[Where, set[Key]] = {}
        self._latest: dict[Where, int] = {}

    def see(self, place: int, key: Key, history: History) -> Breach | None:
        """Take in the last step of ``history`` and return the rule it breaks."""
        if history.length == 1:
            self.begun[key] = place
        if key.node not in self._graph.bodies:
            return None
        if not key.steps:
            return self._outside(key, history)
        name, index = key.steps[-1]
        loop = self._graph.loops.get(name)
        if loop is None:
            return None
        owner = where_of(self._graph, Key(name, key.steps[:-1]))
        if history.state == "READY" and history.length == 1:
            return self._starts(owner, loop.on_item_failure)
        under_way = self._open.setdefault(owner, set())
        if history.state in TERMINAL:
            under_way.discard(key)
        elif history.state == "RUNNING" and history.attempts == 1:
            under_way.add(key)
            return self._runs(owner, index, len(under_way), loop.max_concurrency)
        return None

    def _runs(self, owner: Where, index: int, under_way: int, bound: int) -> Breach | None:
        if bound > 1:
            broken = "5.4-loop-concurrency-bound"
            return Breach("concurrency", (broken,), bound, under_way) if under_way > bound else None
        latest = self._latest.get(owner, -1)
        self._latest[owner] = max(index, latest)
        if under_way == 1 and index > latest:
            return None
        cites = ("5.4-sequential-iterations-in-order", "5.4-loop-concurrency-bound")
        return Breach("sequence", cites, latest + 1, index)

    def _outside(self, key: Key, history: History) -> Breach | None:
        if history.state != "READY" or history.length != 1 or self._graph.starts(key.node):
            # Without entry the letter of §5.2 starts a body that has no incoming edge (A113).
            return None
        return Breach("iteration-start", ("7.2.6-body-runs-only-as-iteration",), "RUNNING", None)

    def _starts(self, owner: Where, policy: str) -> Breach | None:
        state = self._keys.state(owner)
        if state == "RUNNING":
            return None
        cites: tuple[str, ...] = ("7.2.6-body-runs-only-as-iteration",)
        if state in TERMINAL:
            cites = (_ENDED[policy], *cites)
        return Breach("iteration-start", cites, "RUNNING", state)
