"""What "valid by construction" means: which workflows the fuzzer may run and judge.

Each rule names the fault of the document, or the open point of the specification that a document
would meet and about which nothing is said (A..).
"""

from suite.fuzz.model import FORWARD, Edge, Loop, Model

__all__ = ["problems"]


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
            edge.type == "data"
            and (source.kind != "task" or target.kind not in ("task", "barrier")),
            "data from a node without outputs or into a decision or loop",
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
    found = [f"{edge}: {text}" for wrong, text in checks if wrong]
    return found + (_undo_problems(model, edge) if edge.type == "compensation" else [])


def _undo_problems(model: Model, edge: Edge) -> list[str]:
    """What a compensation edge and its target have to be for the text to say what happens."""
    source, target = model.nodes[edge.source], model.nodes[edge.target]
    into = [e for e in model.edges if e.target == edge.target]
    again = [e for e in model.edges if e.source == edge.source and e.type == "compensation"]
    out = [e for e in model.edges if e.source == edge.target]
    named = any(c.target == edge.target for node in model.nodes for c in node.cases)
    checks = (
        (source.kind not in ("task", "barrier"), "the undo of a decision or loop"),
        (target.kind != "task", "an undo without a step"),
        (target.guard != "none", "A100: a guard on an undo"),
        (len(into) > 1 or named, "A104, A108, HX-2005: a further way into an undo"),
        (len(again) > 1, "A103: several undos of one node"),
        (bool(out), "A101, A105: an edge out of an undo"),
        (edge.condition == "flag", "A106: a dynamic condition on a compensation edge"),
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
        (model.entry and not index and bool(into), "an edge into the declared entry"),
        (
            model.entry
            and index > 0
            and not into
            and any(n.kind in ("decision", "loop") for n in model.nodes),
            "a second root beside the entry of decisions or loops",
        ),
        (
            node.join == "quorum" and not 1 <= node.quorum <= forward,
            f"quorum {node.quorum} of {forward} edges",
        ),
        (node.join != "all" and not forward, "A62, A82: a join over no forward edge"),
        ((node.kind == "loop") != (node.loop is not None), "a loop on the wrong kind of node"),
        (
            node.kind != "task" and (node.attempts > 1 or node.failures > 0),
            "a plan for a node without a step",
        ),
        (node.attempts > 1 and not node.idempotent, "HX-3301: a retry policy"),
        (node.excluded and node.attempts == 1, "classes without a retry policy"),
    )
    found = [f"node {index}: {text}" for wrong, text in checks if wrong]
    return found + (_loop_problems(index, node.loop) if node.loop is not None else [])


def _loop_problems(index: int, loop: Loop) -> list[str]:
    first, *handlers = loop.body.nodes
    count = len(loop.fates)
    checks = (
        (loop.kind == "times" and not 1 <= count <= loop.limit, "HX-2208, HX-1001: a bad count"),
        (loop.limit < 1 or loop.concurrency < 1 or not loop.waits, "HX-1001: a bad bound"),
        (
            "skip" in loop.fates and first.kind != "task",
            "A126, A130: a guard on a loop that is a body",
        ),
        (first.kind not in ("task", "loop") or first.guard != "none", "no plain body"),
        (
            any((e.type, e.source) != ("error", 0) for e in loop.body.edges)
            or sorted(e.target for e in loop.body.edges) != list(range(1, len(handlers) + 1)),
            "A115: a body that is more than a node with its handlers",
        ),
        (
            any(
                h.kind != "task" or h.guard != "none" or h.failures >= h.attempts_due
                for h in handlers
            ),
            "A116: a handler of a body that may not succeed",
        ),
    )
    found = [f"loop {index}: {text}" for wrong, text in checks if wrong]
    return found + [
        f"loop {index}: {text}"
        for n, node in enumerate(loop.body.nodes)
        for text in _node_problems(loop.body, n)
    ]


def problems(model: Model) -> list[str]:
    """Return what would make the document invalid or meet a point that nothing is said about."""
    found = [text for edge in model.edges for text in _edge_problems(model, edge)]
    if len(set(model.edges)) != len(model.edges):
        found.append("A41: identical edges")
    decisions = [i for i, node in enumerate(model.nodes) if node.kind == "decision"]
    loops = any(node.kind == "loop" for node in model.nodes)
    if (decisions or loops) and not model.entry:
        found.append("A66, A113: decisions or loops without a declared entry")
    for index in range(len(model.nodes)):
        found += _node_problems(model, index)
    for index in decisions:
        found += _decision_problems(model, index)
    return found
