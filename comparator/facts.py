"""What the judge knows of a document: its graph and the declarations that bear on a verdict.

Values only. ``suite.corpus.facts_reader`` fills them from a document, independently of the
reference runtime's parser.
"""

from typing import Final, Literal

import msgspec

__all__ = ["STEP_TYPES", "Constant", "Decision", "Edge", "Facts", "Loop", "Node"]

#: §3.2: types of node that have a step to call; the others do what their type says (§3.1.1).
STEP_TYPES: Final = frozenset({"task", "inference", "transform", "source", "sink", "human"})

#: What a constant expression says without evaluating anything: absent, literally true or
#: false, or dependent on values of the run.
Constant = Literal["absent", "true", "false", "dynamic"]


class Edge(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """One edge (§4); ``index`` is its 0-based place in the document."""

    index: int
    source: str
    target: str
    type: Literal["control", "data", "dependency", "error", "compensation"] = "control"
    condition: Constant = "absent"
    from_port: str | None = None
    to_port: str | None = None


class Loop(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """The loop element of a loop node (§7.2)."""

    body: str
    kind: str
    max_iterations: int
    max_concurrency: int = 1
    on_item_failure: Literal["fail", "continue", "break"] = "fail"


class Decision(msgspec.Struct, frozen=True, omit_defaults=True):
    """Targets that a decision can route to, in document order, otherwise last (§7.1)."""

    targets: tuple[str, ...]


class Node(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """One node with its declarations; defaults as in §3.1.

    Attributes:
        starving: names of required inputs without default that only a data edge feeds.
        max_attempts: 1 without a retry element (§8.1).
        retry_on: listed classes, None when the attribute is absent.
        line: 1-based line of the element in the document.
    """

    id: str
    type: str
    idempotent: bool = True
    join: Literal["all", "any", "quorum"] = "all"
    quorum: int | None = None
    guard: Constant = "absent"
    starving: tuple[str, ...] = ()
    max_attempts: int = 1
    retry_on: tuple[str, ...] | None = None
    on_timeout: Literal["fail", "skip", "retry"] | None = None
    loop: Loop | None = None
    decision: Decision | None = None
    line: int = 0


class Facts(msgspec.Struct, frozen=True, omit_defaults=True):
    """A document as the judge reads it; nodes by id in document order."""

    id: str
    nodes: dict[str, Node]
    edges: tuple[Edge, ...] = ()
    entry: str | None = None
