"""The gate of §5.1: a validator of its own, for the small runtimes of this folder.

Chapter 2 is in ``small_grammar``, expressions are in ``small_sites``; here is the rest of the
second layer. The first group of checks that finds something has the last word, so that nothing is
reported that only follows from another fault.
"""

from __future__ import annotations

from collections import Counter

from small_document import NS, truthy
from small_grammar import schema_faults
from small_sites import FORWARD, site_faults
from small_tree import Fault, Unreadable, read

#: Node type → its own element, and the code for one without the other.
OWN = {
    "decision": ("cases", "HX-2201"),
    "loop": ("loop", "HX-2202"),
    "subworkflow": ("subworkflow", "HX-2203"),
    "wait": ("wait", "HX-2204"),
}
LOOPS = {"forEach": "over", "while": "while", "until": "while", "times": "count"}
#: Elements of a node that name another one.
ROUTES = (("case", "to"), ("otherwise", "to"), ("body", "ref"))
NEVER_BEHIND = ("control", "data")


def findings(content, companions=None):
    """The faults of a document, as findings of the protocol."""
    try:
        root = read(content)
    except Unreadable as error:
        return [Fault(error.code).finding()]
    groups = (
        (schema_faults,),
        (_identifiers, _references),
        (_own_elements, _inputs, _ports, _types, _policies, _models, _secrets, _undoing),
        (_starts, _cycles, _bodies_apart),
        (_expressions,),
    )
    for group in groups:
        if faults := [fault for check in group for fault in check(root)]:
            return [fault.finding() for fault in faults]
    faults = [*_recursion(root, companions or {}), *_unreached(root)]
    return [fault.finding() for fault in faults]


def errors(found):
    """Whether findings are about an invalid document."""
    return any(finding["severity"] == "error" for finding in found)


def _nodes(root):
    return {n.get("id"): n for n in root.iter(f"{NS}node")}


def _edges(root, *types):
    return [e for e in root.iter(f"{NS}edge") if e.get("type", "control") in types]


def _all(root, path):
    return root.iterfind("/".join(f"{NS}{tag}" for tag in path.split("/")))


def _repeated(elements, key):
    seen = set()
    for element in elements:
        if element.get(key) in seen:
            yield Fault("HX-1101", element, element.get(key))
        seen.add(element.get(key))


def _identifiers(root):
    for path in ("nodes/node", "resources/resource", "artifacts/artifact"):
        yield from _repeated(_all(root, path), "id")
    yield from _repeated([e for e in _all(root, "edges/edge") if e.get("id")], "id")
    for node in _nodes(root).values():
        for path in ("inputs/input", "outputs/output"):
            yield from _repeated(_all(node, path), "name")


def _references(root):
    nodes = _nodes(root)
    if root.get("entry") and root.get("entry") not in nodes:
        yield Fault("HX-2001", root, root.get("entry"))
    for tag, key in (("edge", "from"), ("edge", "to"), *ROUTES):
        for element in root.iter(f"{NS}{tag}"):
            if element.get(key) not in nodes:
                yield Fault("HX-2001", element, element.get(key))
    for kind, code in (("resource", "HX-2002"), ("artifact", "HX-2003")):
        declared = {e.get("id") for e in root.iter(f"{NS}{kind}")}
        for element in root.iter(f"{NS}{kind}Ref"):
            if element.get("ref") not in declared:
                yield Fault(code, element, element.get("ref"))


def _own_elements(root):
    for node in _nodes(root).values():
        for type_, (tag, code) in OWN.items():
            found = node.find(f"{NS}{tag}")
            if (found is not None) != (node.get("type") == type_):
                yield Fault(code, node if found is None else found, node.get("type"))
    for wait in root.iter(f"{NS}wait"):
        if len(wait.attrib) != 1:
            yield Fault("HX-2205", wait)
    for loop in root.iter(f"{NS}loop"):
        kind = loop.get("kind")
        if loop.get(LOOPS[kind]) is None:
            yield Fault("HX-2207", loop, kind)
        elif kind == "times" and int(loop.get("count")) > int(loop.get("maxIterations")):
            yield Fault("HX-2208", loop, loop.get("count"))


def _inputs(root):
    fed = Counter((e.get("to"), e.get("toPort")) for e in _edges(root, "data"))
    for name, node in _nodes(root).items():
        for port in _all(node, "inputs/input"):
            edges = fed[name, port.get("name")]
            given = port.get("value") is not None
            if edges and given:
                yield Fault("HX-2102", port, port.get("name"))
            elif edges > 1:
                yield Fault("HX-2304", port, port.get("name"))
            elif not (edges or given or port.get("default") is not None) and truthy(
                port.get("required", "true")
            ):
                yield Fault("HX-2101", port, port.get("name"))


def _end(nodes, edge, end, path, key):
    """The port at an end of a data edge."""
    ports = _all(nodes[edge.get(end)], path)
    return next((port for port in ports if port.get("name") == edge.get(key)), None)


ENDS = (
    ("from", "outputs/output", "fromPort", "HX-2302"),
    ("to", "inputs/input", "toPort", "HX-2303"),
)


def _ports(root):
    nodes = _nodes(root)
    for edge in _edges(root, "data"):
        for end, path, key, code in ENDS:
            if edge.get(key) is None:
                yield Fault("HX-2301", edge)
            elif _end(nodes, edge, end, path, key) is None:
                yield Fault(code, edge, edge.get(key))


def _types(root):
    nodes = _nodes(root)
    for edge in _edges(root, "data"):
        ports = [_end(nodes, edge, end, path, key) for end, path, key, _ in ENDS]
        types = [port is not None and port.get("type") for port in ports]
        subtype = types == ["integer", "number"] or types[1] == "json"
        if all(types) and types[0] != types[1] and not subtype:
            yield Fault("HX-3201", edge, types[0])


def _policies(root):
    incoming = Counter(e.get("to") for e in root.iter(f"{NS}edge"))
    for name, node in _nodes(root).items():
        if node.get("joinPolicy") == "quorum":
            if node.get("quorum") is None:
                yield Fault("HX-2401", node)
            elif int(node.get("quorum")) > incoming[name]:
                yield Fault("HX-2402", node, node.get("quorum"))
        retry = node.find(f"{NS}retry")
        if not truthy(node.get("idempotent", "true")) and retry is not None:
            yield Fault("HX-3301", retry)


def _models(root):
    models = {r.get("id") for r in root.iter(f"{NS}resource") if r.get("type") == "model"}
    for node in _nodes(root).values():
        needed = {r.get("ref") for r in node.iterfind(f"{NS}resourceRef")}
        if node.get("type") == "inference" and not needed & models:
            yield Fault("HX-2501", node)


def _secrets(root):
    """Only what is surely a credential (A187)."""
    for tag, keys in (("property", ("value",)), ("input", ("value", "default"))):
        for element in root.iter(f"{NS}{tag}"):
            for key in keys:
                _, begins, rest = element.get(key, "").partition("-----BEGIN ")
                if begins and "PRIVATE KEY-----" in rest:
                    yield Fault("HX-3501", element)


def _undoing(root):
    nodes = _nodes(root)
    behind = {e.get("to") for e in _edges(root, *NEVER_BEHIND)}
    for edge in _edges(root, "compensation"):
        target = nodes[edge.get("to")]
        if target.get("compensates", edge.get("from")) != edge.get("from"):
            yield Fault("HX-2004", target, target.get("compensates"))
        if edge.get("to") in behind:
            yield Fault("HX-2005", edge, edge.get("to"))


def _entries(root):
    if root.get("entry"):
        return {root.get("entry")}
    return set(_nodes(root)) - {e.get("to") for e in root.iter(f"{NS}edge")}


def _starts(root):
    if not _entries(root):
        yield Fault("HX-3001", root)


def _cycles(root):
    """§4.8: take away nodes that nothing left leads to; a cycle is what remains."""
    edges = [(e.get("from"), e.get("to")) for e in _edges(root, *FORWARD)]
    nodes = _nodes(root)
    left = set(nodes)
    while free := {n for n in left if not any(s in left and t == n for s, t in edges)}:
        left -= free
    if left:
        yield Fault("HX-3003", nodes[min(left)])


def _bodies(root):
    """Loop node → its body and the handlers of that."""
    found = {}
    for name, node in _nodes(root).items():
        for body in _all(node, "loop/body"):
            members, coming = set(), {body.get("ref")}
            while coming:
                members |= coming
                errors_ = _edges(root, "error")
                coming = {e.get("to") for e in errors_ if e.get("from") in members} - members
            found[name] = members
    return found


def _bodies_apart(root):
    bodies = [(b.get("ref"), b) for b in root.iter(f"{NS}body")]
    for ref, _ in bodies:
        for edge in _edges(root, "control", "dependency"):
            if edge.get("to") == ref:
                yield Fault("HX-3004", edge, ref)


def _expressions(root):
    yield from site_faults(root, _bodies(root))


def _unreached(root):
    """HX-3005, a warning; what is routed to, iterated or undoes something is not meant (A191)."""
    nodes = _nodes(root)
    steps = {(e.get("from"), e.get("to")) for e in root.iter(f"{NS}edge")}
    for name, node in nodes.items():
        for tag, key in ROUTES:
            steps |= {(name, e.get(key)) for e in node.iter(f"{NS}{tag}")}
    reached, coming = set(), _entries(root)
    while coming:
        reached |= coming
        coming = {to for source, to in steps if source in reached} - reached
    for name in nodes.keys() - reached:
        yield Fault("HX-3005", nodes[name], name, "warning")


def _recursion(root, companions):
    """HX-3002 over the documents at hand: one that runs itself, at whatever depth."""
    for node in root.iter(f"{NS}subworkflow"):
        start = node.get("href")
        inside = {start, *_below(start, companions)}
        if any(uri in _below(uri, companions) for uri in inside):
            yield Fault("HX-3002", node, start)


def _below(uri, companions):
    """The documents that a document runs, and those that they run."""
    found, coming = set(), [uri]
    while coming:
        more = _hrefs(companions.get(coming.pop())) - found
        found |= more
        coming += more
    return found


def _hrefs(content):
    try:
        root = None if content is None else read(content)
    except Unreadable:
        root = None
    return set() if root is None else {s.get("href") for s in root.iter(f"{NS}subworkflow")}
