"""Run-time codes that nothing in the run stands for (§14.2, §14.4).

Looked at only where a golden is about codes. A report is about something that failed, so each
needs a failure that it can be about:

* an entry of the golden;
* a failed attempt of the node that no entry speaks of, or an iteration that failed inside a loop;
* what an entry entails: an operand without value is a missing input or no boolean as well, and
  whatever failed in an undo stands beside the code of the undo.

Where nodes are not told, reports are counted: there may be as many as there are failures.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from comparator.difference import Difference
from comparator.evidence import Evidence
from comparator.golden import CodeEntry, Golden, Section
from comparator.graph import Graph
from comparator.trace import Key

__all__ = ["RUN_TIME", "unfounded_codes"]

#: §14.2: the codes of a run.
RUN_TIME: Final = frozenset(
    {*(f"HX-{number}" for number in range(4101, 4111)), "HX-4201", "HX-4202"}
)

#: An expression that cannot be evaluated gives no value (HX-4101) and no boolean (HX-4107).
_ENTAILED: Final[dict[str, frozenset[str]]] = {"HX-4106": frozenset({"HX-4101", "HX-4107"})}

_UNDO: Final = "HX-4110"
_TIMEOUT: Final = "HX-4108"
_CITES: Final = ("14.4-runtime-report-content",)


def unfounded_codes(
    evidence: Evidence, golden: Golden, followed: Iterable[Section]
) -> Iterator[Difference]:
    """Yield what the run reports without anything that it could be about.

    Args:
        evidence: the run.
        golden: decides by its entries, those of all options, whether codes are looked at.
        followed: its fixed part and the options that the run followed.
    """
    options = (option for choice in golden.choices for option in choice.options)
    if not any(section.codes for section in (golden, *options)):
        return
    named, anonymous = _told(evidence)
    grounds = _Grounds(evidence, [entry for section in followed for entry in section.codes])
    for node, codes in named.items():
        wrong = sorted(codes - RUN_TIME) or grounds.beyond(node, codes)
        if wrong:
            yield _difference(Key(node), wrong)
    wrong = sorted(anonymous.keys() - RUN_TIME) or grounds.beyond_all(anonymous)
    if wrong:
        yield _difference(None, wrong)


def _told(evidence: Evidence) -> tuple[dict[str, set[str]], Counter[str]]:
    """Return the codes told by node, and how often each is told without one."""
    reports = evidence.observation.reports or ()
    return evidence.codes[0], Counter(r.code for r in reports if r.node is None)


def _difference(key: Key | None, codes: list[str]) -> Difference:
    return Difference(kind="unfounded-code", cites=_CITES, key=key, observed=codes)


class _Grounds:
    """What reports can be about, by node."""

    def __init__(self, evidence: Evidence, entries: list[CodeEntry]) -> None:
        graph = evidence.run.graph
        self._nodes = graph.facts.nodes
        self._failures = _failures(evidence)
        self._entries: dict[str, list[frozenset[str]]] = {}
        self._loose: list[frozenset[str]] = []
        for entry in entries:
            own = self._loose
            if entry.node is not None:
                own = self._entries.setdefault(evidence.key(entry.node).node, [])
            own.append(frozenset(entry.any_of))
        self._ends = _ends(graph)
        undone = any(_UNDO in codes for codes in self._loose)
        self._undos = {*graph.undos, *graph.undone} if undone else set()
        self._inner = {loop: _inside(graph, loop) for loop in graph.loops}

    def beyond(self, node: str, codes: set[str]) -> list[str]:
        """Return the codes of a node that are more than its failures can account for."""
        about = [*self._entries.get(node, ())]
        if node in self._ends:
            about += self._loose
        left = {code for code in codes if not self._expected(node, about, code)}
        return sorted(left) if len(left) > self._others(node) else []

    def beyond_all(self, told: Mapping[str, int]) -> list[str]:
        """Return the codes told without a node that are more than there are failures."""
        over: list[str] = []
        for code, count in told.items():
            room = sum(_covers(codes, code) for codes in self._loose)
            for node, about in self._entries.items():
                room += any(_covers(codes, code) for codes in about) * max(
                    len(about), self._failures[node]
                )
            room += sum(self._waited(node, code) for node in self._nodes)
            over += [code] * max(0, count - room)
        others = sum(self._others(node) for node in self._nodes)
        return sorted(set(over)) if len(over) > others else []

    def _expected(self, node: str, about: list[frozenset[str]], code: str) -> bool:
        return any(_covers(codes, code) for codes in about) or self._waited(node, code)

    def _waited(self, node: str, code: str) -> bool:
        """Tell whether a wait may say that its time is over without having failed (A143)."""
        found = self._nodes.get(node)
        return (
            code == _TIMEOUT
            and found is not None
            and found.type == "wait"
            and found.on_timeout is not None
        )

    def _others(self, node: str) -> int:
        """Return how many failures a node can report that no entry speaks of."""
        own = max(0, self._failures[node] - len(self._entries.get(node, ())))
        inner = sum(self._failures[name] for name in self._inner.get(node, ()))
        return own + inner + (node in self._undos)


def _covers(codes: frozenset[str], code: str) -> bool:
    return code in codes or any(code in _ENTAILED.get(c, ()) for c in codes)


def _failures(evidence: Evidence) -> Counter[str]:
    """Count the attempts of each node that failed; a timed-out one may skip its node (§8.2)."""
    nodes = evidence.run.graph.facts.nodes
    found: Counter[str] = Counter()
    for transition in evidence.run.transitions:
        node = nodes.get(transition.node)
        skips = node is not None and node.on_timeout == "skip"
        if transition.to in {"FAILED", "RETRYING"} or (transition.to == "SKIPPED" and skips):
            found[transition.node] += 1
    return found


def _ends(graph: Graph) -> set[str]:
    """Return the nodes at both ends of edges whose own evaluation or undo can fail."""
    return {
        name
        for edge in graph.facts.edges
        if edge.condition == "dynamic" or edge.type == "compensation"
        for name in (edge.source, edge.target)
    }


def _inside(graph: Graph, loop: str) -> set[str]:
    """Return the bodies and their error handlers that run in the iterations of a loop."""
    found: set[str] = set()
    left = [graph.loops[loop].body]
    while left:
        node = left.pop()
        if node not in found and node != loop:
            found.add(node)
            left += [
                edge.target
                for edge in graph.facts.edges
                if edge.type == "error" and edge.source == node
            ]
            if node in graph.loops:
                left.append(graph.loops[node].body)
    return found
