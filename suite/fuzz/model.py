"""The generator's own picture of a workflow and of the schedule under which it runs.

Nodes are numbers in topological order: every edge goes from a lower to a higher number. The
values say more than a document does (what each step will answer), so that the oracle can tell
from them alone what has to happen. ``problems`` states what "valid by construction" means.
"""

from typing import Literal

import msgspec

__all__ = [
    "FORWARD",
    "Case",
    "Edge",
    "Example",
    "Model",
    "Node",
    "Schedule",
    "node_id",
    "outputs_read",
    "problems",
    "value_of",
]

#: §5.3: the edge types that take part in joins.
FORWARD = frozenset({"control", "data", "dependency"})


class Edge(msgspec.Struct, frozen=True, omit_defaults=True):
    """One edge between two nodes (§4).

    Attributes:
        condition: absent, a literal, or the source's planned boolean output ``flag``.
        feeds: for data edges, the kind of input that the edge feeds: ``starving`` (required,
            without default), ``default`` (required, with default) or ``optional``.
    """

    source: int
    target: int
    type: Literal["control", "data", "dependency", "error"] = "control"
    condition: Literal["none", "true", "false", "flag"] = "none"
    feeds: Literal["starving", "default", "optional"] = "optional"


class Case(msgspec.Struct, frozen=True, omit_defaults=True):
    """One case of a decision (§7.1.3); ``when`` otherwise only on the last one.

    ``flag`` reads the output ``flag`` of the node that ``reads`` numbers.
    """

    target: int
    when: Literal["true", "false", "flag", "otherwise"] = "true"
    reads: int = 0


class Node(msgspec.Struct, frozen=True, omit_defaults=True):
    """One node (§3) with what its step answers.

    Attributes:
        attempts: attempts allowed in all (§8.1).
        failures: attempts that fail before the first that succeeds.
        excluded: whether the retry policy lists only classes other than that of the failures.
        flag: the planned boolean output.
    """

    kind: Literal["task", "barrier", "decision"] = "task"
    join: Literal["all", "any", "quorum"] = "all"
    quorum: int = 0
    guard: Literal["none", "true", "false"] = "none"
    idempotent: bool = True
    attempts: int = 1
    failures: int = 0
    excluded: bool = False
    flag: bool = True
    cases: tuple[Case, ...] = ()

    @property
    def attempts_due(self) -> int:
        """Attempts that are made while all of them fail (§8.1, §8.1.2)."""
        return 1 if self.excluded else self.attempts


class Model(msgspec.Struct, frozen=True, omit_defaults=True):
    """A workflow; with ``entry`` node 0 is the declared entry (§5.2)."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = ()
    entry: bool = False


class Schedule(msgspec.Struct, frozen=True):
    """When the step calls are answered.

    Attributes:
        order: all nodes; the order in which held answers are released.
        waits: per node: ``now``, ``idle`` (held until nothing else moves), or milliseconds.
    """

    order: tuple[int, ...]
    waits: tuple[Literal["now", "idle"] | int, ...]


class Example(msgspec.Struct, frozen=True):
    """One run to be judged."""

    model: Model
    schedule: Schedule


def node_id(index: int) -> str:
    """Return the id of a node in the document."""
    return f"n{index}"


def value_of(index: int) -> str:
    """Return the planned value of the output ``value`` of a node, different for each node."""
    return f"value of {index}"


def outputs_read(model: Model) -> set[tuple[int, str]]:
    """Return which outputs anything reads, as (node, ``flag`` or ``value``)."""
    found = {(e.source, "value") for e in model.edges if e.type == "data"}
    found |= {(e.source, "flag") for e in model.edges if e.condition == "flag"}
    return found | {
        (case.reads, "flag") for node in model.nodes for case in node.cases if case.when == "flag"
    }


def _edge_problems(model: Model, edge: Edge) -> list[str]:
    nodes = model.nodes
    source, target = nodes[edge.source], nodes[edge.target]
    named = any(case.target == edge.target for case in source.cases)
    anyhow_named = any(c.target == edge.target for node in nodes for c in node.cases)
    checks = (
        (edge.source >= edge.target, "goes backwards"),
        (named and edge.type != "control", "a second edge from a decision to its target"),
        (edge.type == "error" and anyhow_named, "an error edge into a case target"),
        (
            source.kind == "decision" and not named and edge.type == "control",
            "A74: a control edge from a decision to a node that no case names",
        ),
        (
            edge.condition != "none" and (named or edge.type == "error"),
            "A78, A86: a condition on a route or an error edge",
        ),
        (
            edge.condition == "flag" and not _surely_succeeds(model, edge.source),
            "A40: a condition that may read a missing output",
        ),
        (
            edge.type == "data" and (source.kind != "task" or target.kind == "decision"),
            "data from a node without outputs or into a decision",
        ),
        (
            edge.type == "data" and edge.feeds == "starving" and target.join != "all",
            "A42, A58: a required input under any or quorum",
        ),
        (
            edge.type == "data" and edge.feeds == "starving" and target.attempts > 1,
            "A13: a required input under a retry policy",
        ),
    )
    return [f"{edge}: {text}" for wrong, text in checks if wrong]


def _surely_succeeds(model: Model, index: int) -> bool:
    """Whether the node has its outputs whenever it ends by itself."""
    node = model.nodes[index]
    starving = any(
        e.target == index and e.type == "data" and e.feeds == "starving" for e in model.edges
    )
    return (
        node.kind == "task"
        and node.guard != "false"
        and node.failures < node.attempts_due
        and not starving
    )


def _decision_problems(model: Model, index: int) -> list[str]:
    node = model.nodes[index]
    targets = [case.target for case in node.cases]
    into = [e for e in model.edges if e.target == index]
    found = []
    if not targets or len(set(targets)) != len(targets) or min(targets) <= index:
        found.append("targets are missing, repeated or earlier")
    if all(case.when == "otherwise" for case in node.cases):
        found.append("HX-2206: no case")
    if any(case.when == "otherwise" for case in node.cases[:-1]):
        found.append("otherwise is not last")
    if node.guard == "false":
        found.append("A73: a skipped decision")
    for target in targets:
        routes = [e for e in model.edges if (e.source, e.target) == (index, target)]
        if len(routes) != 1:
            found.append(f"no single route to {target}")
        others = [e for e in model.edges if e.target == target and e.source != index]
        if others and model.nodes[target].join != "all":
            found.append(f"A69: further edges into {target} under any or quorum")
    for case in node.cases:
        sole = len(into) == 1 and into[0].source == case.reads and into[0].type == "control"
        if case.when == "flag" and not (
            (sole or case.reads == 0 != index) and _surely_succeeds(model, case.reads)
        ):
            found.append("a case that may read a missing output")
    return [f"decision {index}: {text}" for text in found]


def _node_problems(model: Model, index: int) -> list[str]:
    node = model.nodes[index]
    into = [e for e in model.edges if e.target == index]
    forward = sum(e.type in FORWARD for e in into)
    checks = (
        ((node.kind == "decision") != bool(node.cases), "cases on the wrong kind of node"),
        (
            model.entry and (index > 0) != bool(into),
            "a second root beside the declared entry",
        ),
        (
            node.join == "quorum" and not 1 <= node.quorum <= forward,
            f"quorum {node.quorum} of {forward} edges",
        ),
        (node.join != "all" and not forward, "A62, A82: a join over no forward edge"),
        (
            node.kind != "task" and (node.attempts > 1 or node.failures > 0),
            "a plan for a node without a step",
        ),
        (node.attempts > 1 and not node.idempotent, "HX-3301: a retry policy"),
        (node.excluded and node.attempts == 1, "classes without a retry policy"),
    )
    return [f"node {index}: {text}" for wrong, text in checks if wrong]


def problems(model: Model) -> list[str]:
    """Return what would make the document invalid or meet a point that nothing is said about."""
    found = [text for edge in model.edges for text in _edge_problems(model, edge)]
    if len(set(model.edges)) != len(model.edges):
        found.append("A41: identical edges")
    decisions = [i for i, node in enumerate(model.nodes) if node.kind == "decision"]
    if decisions and not model.entry:
        found.append("A66: decisions without a declared entry")
    for index in range(len(model.nodes)):
        found += _node_problems(model, index)
    for index in decisions:
        found += _decision_problems(model, index)
    return found
