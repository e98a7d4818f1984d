"""The gate of §5.1, as far as the small runtimes of this folder know it.

They have no validator and do not claim level Core; but a document with one of these faults they
do not execute.
"""

from __future__ import annotations

from collections import Counter

from small_document import NS, truthy

FORWARD = ("control", "data", "dependency")


def findings(root):
    """The faults of a parsed document, as findings of the protocol."""
    checks = (_identifiers, _references, _inputs, _ports, _policies, _cycles)
    return [
        {"code": code, "severity": "error", "near": near}
        for check in checks
        for code, near in check(root)
    ]


def _nodes(root):
    return {n.get("id"): n for n in root.iter(f"{NS}node")}


def _edges(root, *types):
    return [e for e in root.iter(f"{NS}edge") if e.get("type", "control") in types]


def _identifiers(root):
    if not _nodes(root):
        yield "HX-1102", root.get("id")
    for name, count in Counter(n.get("id") for n in root.iter(f"{NS}node")).items():
        if count > 1:
            yield "HX-1101", name


def _references(root):
    nodes = _nodes(root)
    ends = [e.get(end) for e in root.iter(f"{NS}edge") for end in ("from", "to")]
    if root.get("entry"):
        ends.append(root.get("entry"))
    for end in ends:
        if end not in nodes:
            yield "HX-2001", end


def _inputs(root):
    fed = Counter((e.get("to"), e.get("toPort")) for e in _edges(root, "data"))
    for name, node in _nodes(root).items():
        for port in node.iterfind(f"{NS}inputs/{NS}input"):
            edges = fed[name, port.get("name")]
            given = port.get("value") is not None
            if edges and given:
                yield "HX-2102", name
            elif edges > 1:
                yield "HX-2304", name
            elif not (edges or given or port.get("default") is not None) and truthy(
                port.get("required", "true")
            ):
                yield "HX-2101", name


def _ports(root):
    nodes = _nodes(root)
    for edge in _edges(root, "data"):
        for end, port, group, code in (
            ("from", "fromPort", "outputs/{0}output", "HX-2302"),
            ("to", "toPort", "inputs/{0}input", "HX-2303"),
        ):
            node = nodes.get(edge.get(end))
            if edge.get(port) is None:
                yield "HX-2301", edge.get("id")
            elif node is not None:
                path = f"{{0}}{group}".format(NS)
                if edge.get(port) not in {p.get("name") for p in node.iterfind(path)}:
                    yield code, edge.get(end)


def _policies(root):
    incoming = Counter(e.get("to") for e in root.iter(f"{NS}edge"))
    for name, node in _nodes(root).items():
        if node.get("joinPolicy") == "quorum":
            if node.get("quorum") is None:
                yield "HX-2401", name
            elif int(node.get("quorum")) > incoming[name]:
                yield "HX-2402", name
        if not truthy(node.get("idempotent", "true")) and node.find(f"{NS}retry") is not None:
            yield "HX-3301", name


def _cycles(root):
    """§4.8: take away nodes that nothing left leads to; a cycle is what remains."""
    edges = [(e.get("from"), e.get("to")) for e in _edges(root, *FORWARD)]
    left = set(_nodes(root))
    while free := {n for n in left if not any(s in left and t == n for s, t in edges)}:
        left -= free
    if left:
        yield "HX-3003", min(left)
