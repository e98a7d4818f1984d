"""Rules of control flow: the entry set, edges, joins, handlers and decisions (§5.2, §5.3, §7.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from reference_runtime.document.model import Case, Node, Port

__all__ = ["FLOW", "Count", "Entry", "FlowRules", "Route", "Tally"]


class Tally(Protocol):
    """Incoming edges of a node by how they are resolved (§5.3), as its lifecycle counts them."""

    @property
    def satisfied(self) -> int:
        """Number of control, data and dependency edges that are satisfied."""
        ...

    @property
    def negative(self) -> int:
        """Number of them that never will be."""
        ...

    @property
    def open(self) -> int:
        """Number of them that are not resolved yet."""
        ...

    @property
    def quorum(self) -> int:
        """@quorum, 0 without one."""
        ...

    @property
    def error_edges(self) -> int:
        """Number of incoming error edges."""
        ...

    @property
    def errors(self) -> int:
        """Number of those that may still be traversed."""
        ...


class Count(NamedTuple):
    """A tally that does not change any more, or was never real."""

    satisfied: int
    negative: int
    open: int
    quorum: int
    error_edges: int = 0
    errors: int = 0


class Entry(NamedTuple):
    """A node as a candidate of the entry set (§5.2).

    Attributes:
        named: whether @entry names it, None for a document without @entry.
        ways: types of its incoming edges.
        earlier: number of nodes without incoming edges before it.
    """

    named: bool | None
    ways: frozenset[str]
    earlier: int


class Route(NamedTuple):
    """An edge from a decision to a node that one of its cases names (§7.1.3).

    Attributes:
        chosen: node that the decision has chosen, None if no case was true.
        target: node that the edge leads to.
        declared: whether the document has a control edge there.
        fallback: whether otherwise names the target.
    """

    chosen: str | None
    target: str
    declared: bool
    fallback: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowRules:
    """The part of the rules about control flow.

    Attributes:
        entry: §5.2, whether a node is in the entry set.
        joining: §5.3, type of an edge → type as which it takes part in the join of its target.
        join_policy: §5.3.1, the join policy that a node follows.
        early: §5.3, state of the source → types of edges that are satisfied already then: none.
        blind_conditions: §7.1.2, whether the values of the run are out of reach of conditions,
            as they are when a condition is evaluated before its source has ended.
        false_satisfies: §5.3, whether an edge with a false condition is satisfied all the same.
        reconsiders: §5.3, whether false conditions are evaluated again after new values.
        satisfies: §5.3, whether an edge of that type is satisfied by a source that has ended well
            after that many attempts.
        vacuous: §5.3.3, types of edges that an unreachable source satisfies: none.
        starves: §5.3.3, whether a node cannot do without the value of that input.
        unchosen: §5.3.3, whether a case target has been passed over, by the numbers of
            decisions that can still choose it and of all that could.
        handler_starts: §5.8, whether a traversed error edge starts its target.
        error_edges: §5.8, whether an error edge is traversed after that many of the same source,
            and that many attempts of it.
        cases: §7.1.3, order in which the cases of a decision are looked at.
        blind_cases: §10.8, whether the values of the run are out of reach of cases.
        no_case: §7.1.3, state of a decision of which no case is true.
        routes: §7.1.3, whether a decision that has chosen satisfies a route.
    """

    entry: Callable[[Entry], bool]
    joining: Mapping[str, str]
    join_policy: Callable[[Node], str]
    early: Mapping[str, frozenset[str]]
    blind_conditions: bool
    false_satisfies: bool
    reconsiders: bool
    satisfies: Callable[[str, int], bool]
    vacuous: frozenset[str]
    starves: Callable[[Port], bool]
    unchosen: Callable[[int, int], bool]
    handler_starts: Callable[[Tally], bool]
    error_edges: Callable[[int, int], bool]
    cases: Callable[[Sequence[Case]], Sequence[Case]]
    blind_cases: bool
    no_case: str
    routes: Callable[[Route], bool]


FLOW: Final = FlowRules(
    entry=lambda entry: not entry.ways if entry.named is None else entry.named,
    joining={"control": "control", "data": "data", "dependency": "dependency"},
    join_policy=lambda node: node.join_policy,
    early={},
    blind_conditions=False,
    false_satisfies=False,
    reconsiders=False,
    satisfies=lambda _type, _attempts: True,
    vacuous=frozenset(),
    starves=lambda port: port.required and port.default is None and port.value is None,
    unchosen=lambda open_, _all: not open_,
    handler_starts=lambda _tally: True,
    error_edges=lambda _traversed, _attempts: True,
    cases=lambda cases: cases,
    blind_cases=False,
    no_case="FAILED",
    routes=lambda route: route.chosen == route.target,
)
