"""The object model of chapter 1 as immutable values, as the runtime reads it from a document.

Expressions are kept as text here; ``reference_runtime.expressions`` compiles them. Lines are
1-based. Attributes follow §2 and §3 of the format; defaults are those of the schema.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

__all__ = [
    "Artifact",
    "ArtifactRef",
    "Case",
    "Credential",
    "Decision",
    "Edge",
    "Extension",
    "Harness",
    "Loop",
    "Node",
    "Permission",
    "Port",
    "Property",
    "Resource",
    "ResourceRef",
    "Retry",
    "Security",
    "Subworkflow",
    "Timeout",
    "Wait",
]


@dataclass(frozen=True, slots=True)
class Property:
    """A named constant of a node's config, a resource or an artifact (§1.3.2)."""

    name: str
    value: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Extension:
    """Content of another vocabulary; ``required`` refuses runtimes that do not know it."""

    namespace: str
    required: bool = False
    line: int = 0


@dataclass(frozen=True, slots=True)
class Permission:
    """A permission that a node or document asks for (opaque strings)."""

    action: str
    resource: str


@dataclass(frozen=True, slots=True)
class Security:
    """Principal, classification and isolation of a document or node (§1.1)."""

    principal: str | None = None
    classification: str | None = None
    isolation: str | None = None
    permissions: tuple[Permission, ...] = ()


@dataclass(frozen=True, slots=True)
class Credential:
    """A reference to a secret in a store, never the secret (§1.5)."""

    ref: str
    store: str | None = None


@dataclass(frozen=True, slots=True)
class Resource:
    """An external capability (§1.5)."""

    id: str
    type: str
    name: str | None = None
    provider: str | None = None
    uri: str | None = None
    properties: tuple[Property, ...] = ()
    credential: Credential | None = None
    extensions: tuple[Extension, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class Artifact:
    """Identified data that exists apart from any run (§1.6)."""

    id: str
    type: str
    name: str | None = None
    uri: str | None = None
    media_type: str | None = None
    digest: str | None = None
    classification: str | None = None
    properties: tuple[Property, ...] = ()
    extensions: tuple[Extension, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class Port:
    """A named input or output (§1.3.1); ``value`` is literal text with ``${}`` parts."""

    name: str
    type: str | None = None
    required: bool = True
    default: str | None = None
    value: str | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class ResourceRef:
    """A node's need of a declared resource."""

    ref: str
    role: str | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class ArtifactRef:
    """A node's use of a declared artifact."""

    ref: str
    direction: str = "in"
    line: int = 0


@dataclass(frozen=True, slots=True)
class Retry:
    """Retry policy (§8.1); delays in seconds, ``retry_on`` None when absent."""

    max_attempts: int
    backoff: Literal["none", "fixed", "linear", "exponential"] = "exponential"
    initial_delay: float = 1.0
    max_delay: float | None = None
    multiplier: float = 2.0
    jitter: bool = True
    retry_on: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Timeout:
    """Bound on one attempt in seconds (§8.2)."""

    duration: float
    on_timeout: Literal["fail", "skip", "retry"] = "fail"


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a decision; ``when`` is None for otherwise."""

    to: str
    when: str | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Decision:
    """The cases of a decision in document order, otherwise last (§7.1.3)."""

    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """The loop element (§7.2)."""

    kind: Literal["forEach", "while", "until", "times"]
    body: str
    max_iterations: int
    over: str | None = None
    var: str = "item"
    index_var: str = "index"
    condition: str | None = None
    count: int | None = None
    max_concurrency: int = 1
    on_item_failure: Literal["fail", "continue", "break"] = "fail"
    line: int = 0


@dataclass(frozen=True, slots=True)
class Subworkflow:
    """A reference to another harness by URI (§1.2)."""

    href: str
    digest: str | None = None
    spec_version: str | None = None


@dataclass(frozen=True, slots=True)
class Wait:
    """What a wait node waits for; exactly one is given. Duration in seconds."""

    duration: float | None = None
    until: str | None = None
    event: str | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """A unit of work (§1.3)."""

    id: str
    type: str
    name: str | None = None
    impl: str | None = None
    idempotent: bool = True
    join_policy: Literal["all", "any", "quorum"] = "all"
    quorum: int | None = None
    compensates: str | None = None
    inputs: tuple[Port, ...] = ()
    outputs: tuple[Port, ...] = ()
    config: tuple[Property, ...] = ()
    resource_refs: tuple[ResourceRef, ...] = ()
    artifact_refs: tuple[ArtifactRef, ...] = ()
    guard: str | None = None
    retry: Retry | None = None
    timeout: Timeout | None = None
    decision: Decision | None = None
    loop: Loop | None = None
    subworkflow: Subworkflow | None = None
    wait: Wait | None = None
    security: Security | None = None
    extensions: tuple[Extension, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed, typed relationship (§1.4); ``source`` is @from and ``target`` is @to."""

    source: str
    target: str
    type: Literal["control", "data", "dependency", "error", "compensation"] = "control"
    id: str | None = None
    from_port: str | None = None
    to_port: str | None = None
    condition: str | None = None
    extensions: tuple[Extension, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class Harness:
    """A whole workflow (§1.2); nodes and edges in document order."""

    id: str
    spec_version: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = ()
    name: str | None = None
    entry: str | None = None
    resources: tuple[Resource, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    security: Security | None = None
    extensions: tuple[Extension, ...] = ()
    node_by_id: dict[str, Node] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Index the nodes; of duplicates the first counts (the document is invalid then)."""
        for node in self.nodes:
            self.node_by_id.setdefault(node.id, node)
