"""Small random documents whose runs depend on the schedule, and every run of a document."""

import random

from reference_runtime.document.model import (
    Case,
    Decision,
    Edge,
    Harness,
    Loop,
    Node,
    Port,
    Retry,
    Timeout,
    Wait,
)
from reference_runtime.engine.graph import build_graph
from reference_runtime.plans import read_plan
from reference_runtime.rules import RULES
from reference_runtime.scheduler import Replay
from reference_runtime.script import Script, StuckError
from tests.strategies_runtime import fail, ok, plan

__all__ = ["TooManyError", "behaviour", "every_behaviour", "scene"]

STATES = ("READY", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED", "SKIPPED")


class TooManyError(Exception):
    """There are more interleavings than a test wants to play."""


def every_behaviour(doc, the_plan, *, rules=RULES, most=10_000):
    """Set of the behaviours of all interleavings, by replaying every prefix of choices."""
    found, prefixes, runs = set(), [()], 0
    graph = build_graph(doc, rules)
    while prefixes:
        runs += 1
        if runs > most:
            raise TooManyError
        prefix = prefixes.pop()
        replay = Replay(prefix)
        script = Script(doc, the_plan, rules=rules, scheduler=replay, graph=graph)
        try:
            script.to_end()
        except StuckError:
            script.played.outcome = ""
        found.add(behaviour(doc, script.played))
        taken = [*prefix, *[0] * (len(replay.widths) - len(prefix))]
        for place in range(len(prefix), len(taken)):
            prefixes += [(*taken[:place], other) for other in range(1, replay.widths[place])]
    return found


def behaviour(doc, played):
    """What of a run counts, written down plainly."""
    paths, calls, ended, others = {}, {}, set(), []
    for effect in played.effects:
        kind = type(effect).__name__
        if kind == "Abort":
            paths[calls[effect.number]].append("abort")
        elif kind == "Report":
            others.append(tuple(effect))
        else:
            key = (effect.node, effect.iteration)
            path = paths.setdefault(key, [])
            if kind == "Invoke":
                calls[effect.number] = key
                path.append((effect.attempt, str(effect.inputs)))
                continue
            path.append(tuple(effect))
            if effect.from_ == "PENDING" and effect.to == "READY":
                sources = {
                    e.source
                    for e in doc.edges
                    if e.target == effect.node and e.type != "compensation"
                }
                sources |= {
                    n.id
                    for n in doc.nodes
                    if n.decision and any(c.to == effect.node for c in n.decision.cases)
                }
                path.append(tuple(sorted(s for s in sources if (s, effect.iteration) in ended)))
            if effect.to in RULES.terminal:
                ended.add(key)
    undone = tuple(
        e[:3]
        for e in played.effects
        if getattr(e, "to", None) == "COMPENSATED" or getattr(e, "code", None) == "HX-4110"
    )
    frozen = frozenset((key, tuple(path)) for key, path in paths.items())
    return frozen, undone, tuple(sorted(others)), played.outcome


def _node(chance, name, rest, earlier):
    """A node of random type and policies."""
    fields = {"idempotent": chance.random() < 0.75}
    kind = chance.choices(("task", "decision", "wait", "parallel"), (8, 1 if rest else 0, 1, 1))[0]
    if kind == "decision":
        when = chance.choice([None, "${true}", f"${{{chance.choice(earlier or rest)}.x == 1}}"])
        fields["decision"] = Decision((Case(chance.choice(rest), when), Case(rest[-1])))
    if kind == "wait":
        fields["wait"] = chance.choice(
            [
                Wait(duration=1.0),
                Wait(event="go"),
                Wait(until=f"${{({chance.choice(earlier or rest)}.x ?? 0) == 1}}"),
            ]
        )
    if kind == "task":
        fields["outputs"] = (Port("x", "number", required=False),)
        if chance.random() < 0.2:
            fields["retry"] = Retry(
                2, "fixed", chance.choice([0.0, 1.0]), jitter=chance.random() < 0.2
            )
    if earlier and chance.random() < 0.15:
        other = chance.choice(earlier)
        fields["guard"] = chance.choice([f"${{{other}.x == 1}}", "${true}", "${false}"])
    if earlier and kind == "task" and chance.random() < 0.15:
        other = chance.choice(earlier)
        fields["inputs"] = (Port("i", required=chance.random() < 0.5, value=f"${{{other}.x}}"),)
    if kind != "decision" and chance.random() < 0.15:
        fields["timeout"] = Timeout(1.0, chance.choice(["fail", "skip", "retry"]))
    return Node(name, kind, **fields)


def _answer(chance, names):
    hold = None
    if chance.random() < 0.25:
        hold = chance.choice(
            [
                {"when": "idle"},
                {"when": "state", "node": chance.choice(names), "state": chance.choice(STATES)},
            ]
        )
    after = chance.choice([None, None, None, 1])
    if chance.random() < 0.35:
        return fail(chance.choice([None, "internal"]), after=after, until=hold)
    return ok(after=after, until=hold, **({"x": 1} if chance.random() < 0.7 else {}))


def _moment(chance, names):
    return chance.choice(["idle", f"{chance.choice(names)} {chance.choice(STATES[:4])}"])


def scene(seed):
    """A document and a plan, the same for one seed."""
    chance = random.Random(seed)
    size = chance.randint(2, 6)
    names = [f"n{i}" for i in range(size)]
    nodes = [_node(chance, name, names[i + 1 :], names[:i]) for i, name in enumerate(names)]
    dense = chance.choice([0.25, 0.45])
    edges = []
    for j in range(1, size):
        for i in range(j):
            if chance.random() < dense:
                kind = chance.choices(
                    ("control", "dependency", "error", "compensation"), (8, 1, 2, 2)
                )[0]
                condition = chance.choice([None] * 6 + ["${false}", f"${{{names[i]}.x == 1}}"])
                edges.append(Edge(names[i], names[j], kind, condition=condition))
    inner = [
        n.id
        for n in nodes
        if n.type == "task"
        and not any(n.id in (e.source, e.target) for e in edges if e.type != "error")
    ]
    if inner and chance.random() < 0.6:
        body = chance.choice(inner)
        edges = [e for e in edges if e.target != body]
        loop = Loop(
            chance.choice(["times", "forEach"]),
            body,
            3,
            over="${[1, 2]}",
            count=chance.randint(1, 3),
            max_concurrency=chance.randint(1, 3),
            on_item_failure=chance.choice(["fail", "continue", "break"]),
        )
        nodes.append(Node("loop", "loop", loop=loop))
        names.append("loop")
        edges += [Edge(chance.choice(names[:size]), "loop")] if chance.random() < 0.5 else []
        edges = [e for e in edges if (e.source, e.target) != (body, "loop")]
    for place, node in enumerate(nodes):
        incoming = sum(e.target == node.id and e.type in ("control", "dependency") for e in edges)
        policy = chance.choice(["all", "any", "quorum"]) if incoming > 1 else "all"
        changes = {"join_policy": policy}
        if policy == "quorum":
            changes["quorum"] = chance.randint(1, incoming)
        nodes[place] = Node(**{f: getattr(node, f) for f in node.__dataclass_fields__} | changes)
    answers = {}
    for name in names[:size]:
        if chance.random() < 0.6:
            which = chance.choice(["", "", "@1", "[0]"])
            answers[name + which] = _answer(chance, names)
    if chance.random() < 0.1:
        answers["*"] = ok(until={"when": "idle"})
    events = [("go", _moment(chance, names)) for _ in range(chance.choice([0, 1, 1]))]
    cancel = _moment(chance, names) if chance.random() < 0.15 else None
    doc = Harness("t", "1.0", tuple(nodes), tuple(edges))
    return doc, read_plan(plan(answers, events=events, cancel=cancel))
