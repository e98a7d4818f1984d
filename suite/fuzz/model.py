"""The generator's own picture of a workflow and of the schedule under which it runs.

Nodes are numbers in topological order: every edge goes from a lower to a higher number. The
values say more than a document does (what each step will answer), so that the oracle can tell
from them alone what has to happen. ``suite.fuzz.validity`` states what "valid by construction"
means.
"""

from collections.abc import Iterator
from typing import Literal

import msgspec
from msgspec.structs import replace

__all__ = [
    "FORWARD",
    "Case",
    "Edge",
    "Example",
    "Fate",
    "Loop",
    "Model",
    "Node",
    "Schedule",
    "Wait",
    "all_ids",
    "healed",
    "node_id",
    "outputs_read",
    "value_of",
]

#: §5.3: the edge types that take part in joins.
FORWARD = frozenset({"control", "data", "dependency"})

#: When an answer comes: ``now``, ``idle`` (held until nothing else moves), or milliseconds.
Wait = Literal["now", "idle"] | int
#: What becomes of an iteration: the planned failures of its nodes happen, or they do not, or the
#: guard of the body is false.
Fate = Literal["ok", "fail", "skip"]


class Edge(msgspec.Struct, frozen=True, omit_defaults=True):
    """One edge between two nodes (§4).

    Attributes:
        condition: absent, a literal, or the source's planned boolean output ``flag``.
        feeds: for data edges, the kind of input that the edge feeds: ``starving`` (required,
            without default), ``default`` (required, with default) or ``optional``.
    """

    source: int
    target: int
    type: Literal["control", "data", "dependency", "error", "compensation"] = "control"
    condition: Literal["none", "true", "false", "flag"] = "none"
    feeds: Literal["starving", "default", "optional"] = "optional"


class Case(msgspec.Struct, frozen=True, omit_defaults=True):
    """One case of a decision (§7.1.3); ``when`` otherwise only on the last one.

    ``flag`` reads the output ``flag`` of the node that ``reads`` numbers.
    """

    target: int
    when: Literal["true", "false", "flag", "otherwise"] = "true"
    reads: int = 0


class Loop(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a loop node repeats (§7.2), and what its iterations answer.

    Attributes:
        body: the body (node 0) with its error handlers, as a workflow of its own (§7.2.6).
        fates: what becomes of each iteration, in the order of the sequence.
        limit: @maxIterations; below the number of iterations due the loop fails (§7.2.1).
        waits: when the steps of each iteration are answered.
        backwards: whether held answers of later iterations are released first.
        named: whether item and index have other names than the default ones (§7.2.3).
    """

    body: "Model"
    kind: Literal["forEach", "times"] = "forEach"
    fates: tuple[Fate, ...] = ("ok",)
    limit: int = 1000
    policy: Literal["fail", "continue", "break"] = "fail"
    concurrency: int = 1
    waits: tuple[Wait, ...] = ("now",)
    backwards: bool = False
    named: bool = False

    @property
    def exceeds(self) -> bool:
        """Whether more iterations are due than @maxIterations allows."""
        return len(self.fates) > self.limit

    def iteration(self, index: int) -> "Model":
        """Return what one iteration of the body does."""
        fate = self.fates[index] if index < len(self.fates) else "ok"
        if fate == "fail":
            return self.body
        plain = healed(self.body)
        if fate == "ok":
            return plain
        skipped = replace(plain.nodes[0], guard="false")
        return replace(plain, nodes=(skipped, *plain.nodes[1:]))


class Node(msgspec.Struct, frozen=True, omit_defaults=True):
    """One node (§3) with what its step answers.

    Attributes:
        attempts: attempts allowed in all (§8.1).
        failures: attempts that fail before the first that succeeds.
        excluded: whether the retry policy lists only classes other than that of the failures.
        backoff, delay, factor, cap: the strategy of the retry policy, its initial delay and
            its longest one (0: none) in milliseconds, and its multiplier (§8.1.1).
        flag: the planned boolean output.
        loop: what a loop node repeats.
    """

    kind: Literal["task", "barrier", "decision", "loop"] = "task"
    join: Literal["all", "any", "quorum"] = "all"
    quorum: int = 0
    guard: Literal["none", "true", "false"] = "none"
    idempotent: bool = True
    attempts: int = 1
    failures: int = 0
    excluded: bool = False
    backoff: Literal["none", "fixed", "linear", "exponential"] = "fixed"
    delay: int = 10
    factor: int = 2
    cap: int = 0
    flag: bool = True
    cases: tuple[Case, ...] = ()
    loop: Loop | None = None

    @property
    def attempts_due(self) -> int:
        """Attempts that are made while all of them fail (§8.1, §8.1.2)."""
        return 1 if self.excluded else self.attempts

    def delay_before(self, attempt: int) -> int:
        """Milliseconds between a failure and the attempt of that number (§8.1.1)."""
        raw: int = {
            "none": 0,
            "fixed": self.delay,
            "linear": self.delay * self.factor * (attempt - 1),
            "exponential": self.delay * self.factor ** max(0, attempt - 2),
        }[self.backoff]
        return min(raw, self.cap) if self.cap else raw


class Model(msgspec.Struct, frozen=True, omit_defaults=True):
    """A workflow; with ``entry`` node 0 is the declared entry (§5.2)."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = ()
    entry: bool = False


class Schedule(msgspec.Struct, frozen=True, omit_defaults=True):
    """When the step calls are answered, and whether the instance is cancelled from outside.

    Attributes:
        order: all nodes; the order in which held answers are released.
        waits: per node.
        cancel: the moment of an external cancel: a node has entered a state.
    """

    order: tuple[int, ...]
    waits: tuple[Wait, ...]
    cancel: tuple[int, str] | None = None


class Example(msgspec.Struct, frozen=True):
    """One run to be judged."""

    model: Model
    schedule: Schedule


def node_id(index: int, scope: str = "") -> str:
    """Return the id of a node in the document; ``scope`` is the id of the loop around it."""
    return f"{scope}n{index}"


def all_ids(model: "Model", scope: str = "") -> Iterator[str]:
    """Yield the ids of all nodes, those of loop bodies included."""
    for index, node in enumerate(model.nodes):
        name = node_id(index, scope)
        yield name
        if node.loop is not None:
            yield from all_ids(node.loop.body, name)


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


def healed(model: Model) -> Model:
    """Return the workflow without planned failures."""

    def heal(node: Node) -> Node:
        if node.loop is not None:
            fates: tuple[Fate, ...] = tuple("ok" if f == "fail" else f for f in node.loop.fates)
            return replace(node, loop=replace(node.loop, fates=fates))
        return replace(node, failures=0) if node.failures else node

    return replace(model, nodes=tuple(map(heal, model.nodes)))
