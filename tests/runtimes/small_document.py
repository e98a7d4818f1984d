"""What a document declares, read with the standard library alone.

Part of the two small runtimes of this folder; see ``small_flow``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from xml.etree import ElementTree

NS = "{https://harnessxml.com/spec/1.0}"
DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?")


def seconds(text):
    """§2.1 durations."""
    days, hours, minutes, rest = (
        float(part or 0) for part in DURATION.fullmatch(text.strip()).groups()
    )
    return days * 86400 + hours * 3600 + minutes * 60 + rest


@dataclass(eq=False)
class Node:
    """A node in one scope: the main flow or one iteration of a loop."""

    id: str
    type: str
    idempotent: bool
    join: str
    quorum: int
    guard: str | None
    inputs: list
    config: dict
    resources: list
    artifacts: list
    demands: list
    retry: dict | None
    timeout: dict | None
    cases: list
    loop: dict | None
    wait: dict | None
    subworkflow: dict | None
    state: str = "PENDING"
    attempt: int = 0
    outputs: dict = field(default_factory=dict)
    chosen: str | None = None
    #: The code of an incoming edge's faulty condition, when the target fails for it (A39).
    blamed: str | None = None
    #: Could only have reached an ``any`` join that became READY without it.
    lost: bool = False
    #: Not idempotent and spared: it ended, and its result is discarded.
    discarded: bool = False
    #: Runs as a compensating node.
    undoing: bool = False
    #: A loop that is to end: it starts no more iterations.
    stopped: bool = False
    #: A loop's latest finished iteration.
    latest: object = None
    flow: object = None
    #: The main flow of a subworkflow's document.
    nested: object = None
    children: list = field(default_factory=list)


@dataclass(eq=False)
class Edge:
    source: str
    target: str
    type: str
    condition: str | None
    from_port: str | None
    to_port: str | None
    implied: bool = False
    verdict: bool | None = None


def truthy(text):
    return text.strip() in ("true", "1")


def fields(element):
    """What an expression reads of an artifact or a resource: never a credential (§11.7)."""
    properties = {p.get("name"): p.get("value") for p in element.iterfind(f"{NS}property")}
    return {**properties, **element.attrib}


def redacted(text, secrets):
    """A text without the values of credentials, each replaced by where it is kept (§14.5)."""
    for place, value in sorted(secrets.items(), key=lambda item: -len(item[1])):
        if text and value:
            text = text.replace(value, f"[{place}]")
    return text


def demands(element):
    """What security elements ask of the environment, in the words of the protocol."""
    return [
        *(f"{k}:{element.get(k)}" for k in ("principal", "isolation") if element.get(k)),
        *(f"permission:{p.get('action')}" for p in element.iter(f"{NS}permission")),
    ]


def read_node(element, general):
    """A fresh node; ``general`` are the demands of the document's own security element."""

    def child(name):
        found = element.find(f"{NS}{name}")
        return None if found is None else dict(found.attrib)

    guard, loop = child("guard"), child("loop")
    own = element.find(f"{NS}security")
    cases = element.find(f"{NS}cases")
    if loop is not None:
        loop["body"] = element.find(f"{NS}loop/{NS}body").get("ref")
    return Node(
        id=element.get("id"),
        type=element.get("type"),
        idempotent=truthy(element.get("idempotent", "true")),
        join=element.get("joinPolicy", "all"),
        quorum=int(element.get("quorum", "0")),
        guard=guard and guard["when"],
        inputs=[dict(i.attrib) for i in element.iterfind(f"{NS}inputs/{NS}input")],
        config={
            p.get("name"): p.get("value") for p in element.iterfind(f"{NS}config/{NS}property")
        },
        resources=[r.get("ref") for r in element.iterfind(f"{NS}resourceRef")],
        artifacts=[r.get("ref") for r in element.iterfind(f"{NS}artifactRef")],
        demands=general if own is None else demands(own),
        retry=child("retry"),
        timeout=child("timeout"),
        cases=[(c.get("when"), c.get("to")) for c in cases] if cases is not None else [],
        loop=loop,
        wait=child("wait"),
        subworkflow=child("subworkflow"),
    )


class Document:
    """Makes the nodes and edges of a scope, as often as it is asked."""

    def __init__(self, document):
        self.root = ElementTree.fromstring(document)
        self.entry = self.root.get("entry")
        security = self.root.find(f"{NS}security")
        self.general = [] if security is None else demands(security)
        self.declared = {
            kind: {e.get("id"): fields(e) for e in self.root.iter(f"{NS}{kind}")}
            for kind in ("artifact", "resource")
        }
        self.elements = {n.get("id"): n for n in self.root.iter(f"{NS}node")}
        self.links = [(e.get("from"), e.get("to"), e) for e in self.root.iter(f"{NS}edge")]
        inside = set()
        for body in self.root.iter(f"{NS}body"):
            inside |= self.extent(body.get("ref"))
        self.main = set(self.elements) - inside

    def extent(self, body):
        """A loop's body and, per iteration, its error handlers."""
        members = {body}
        while more := {
            to
            for source, to, e in self.links
            if source in members and to not in members and e.get("type") == "error"
        }:
            members |= more
        return members

    def nodes(self, members):
        """Fresh nodes, in document order."""
        return {
            name: read_node(element, self.general)
            for name, element in self.elements.items()
            if name in members
        }

    def edges(self, members):
        """Fresh edges that end in a scope, those from outside included."""
        return [
            Edge(
                source,
                target,
                e.get("type", "control"),
                e.get("condition"),
                e.get("fromPort"),
                e.get("toPort"),
            )
            for source, target, e in self.links
            if target in members
        ]


def literal(text, kind):
    """A default or a value without an expression, converted to the type of its port."""
    convert = {"number": float, "integer": int, "boolean": truthy, "json": json.loads}
    return convert[kind](text) if kind in convert else text
