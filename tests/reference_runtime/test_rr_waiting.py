"""Which nodes wait for which: many questions in one pass, and never a wrong yes."""

import random

import pytest

from reference_runtime.document.parser import parse
from reference_runtime.engine import values
from reference_runtime.plans import read_plan
from reference_runtime.script import StuckError, play
from reference_runtime.validation import validate, waiting
from reference_runtime.validation.scopes import Scopes
from reference_runtime.validation.view import View
from reference_runtime.validation.waiting import Wait, Waiting
from tests.strategies_runtime import document

OUT = "<outputs><output name='x'/></outputs>"


def certain(nodes, edges, *waits):
    """Those questions about a document that are certainly so."""
    content = document(nodes, edges)
    parsed = parse(content)
    view = View(parsed.harness, parsed.source, content)
    return Waiting(view, Scopes(view)).certain(waits)


@pytest.mark.parametrize(
    ("quorum", "edges", "expected"),
    [
        (1, "a->z b->z c->z", ""),
        (2, "a->z b->z c->z", ""),
        (3, "a->z b->z c->z", "abc"),
        (2, "a->b b->z c->z", "abc"),
        (2, "a->b a->z b->z c->z", "a"),
        (2, "a->b b->c a->z b->z c->z", "ab"),
        (2, "a..>z a->z b->z", "a"),
        (3, "a..>z a->z b->z", "ab"),
    ],
)
def test_quorum_waits_for_whoever_can_keep_it_from_being_met(quorum, edges, expected):
    waits = [Wait(name, "z", bodies=True) for name in "abc"]
    found = certain(f"a\nb\nc\nz joinPolicy=quorum quorum={quorum}", edges, *waits)

    assert expected == "".join(sorted(wait.first for wait in found))


def test_body_waits_for_the_begin_of_its_loop_and_not_for_its_end():
    nodes = "l:loop <loop kind='times' count='1' maxIterations='1'><body ref='b'/></loop>\nb\nz"
    begun, ended = Wait("l", "b", bodies=True), Wait("l", "b", bodies=False)
    after = Wait("l", "z", bodies=False)

    assert {begun, after} == certain(nodes, "l->z", begun, ended, after)


def test_nodes_of_a_cycle_wait_for_what_leads_into_it_and_for_each_other():
    waits = {Wait("a", "d", bodies=True), Wait("d", "b", bodies=True)}

    assert waits == certain("a\nb\nc\nd", "a->b b->c c->d d->b", *waits)


def test_questions_of_several_passes_are_all_answered(monkeypatch):
    monkeypatch.setattr(waiting, "_TOGETHER", 3)
    waits = {Wait(f"n{n}", f"n{n + 7}", bodies=True) for n in range(20)}
    edges = " ".join(f"n{n}->n{n + 1}" for n in range(30))

    assert waits == certain("\n".join(f"n{n}" for n in range(31)), edges, *waits)


def test_what_there_is_no_time_for_is_not_certain(monkeypatch):
    monkeypatch.setattr(waiting, "_SPARE", -70)
    monkeypatch.setattr(waiting, "_PASSES", 1)

    assert set() == certain("a\nb", "a->b", Wait("a", "b", bodies=True))


class _Draw:
    """A random document whose expressions read any nodes, and plans for it."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = [f"n{n}" for n in range(self.random.randint(3, 8))]
        self.bodies = set()
        nodes = "\n".join(map(self.node, self.names))
        edges = [edge for name in self.names for edge in self.edges(name)]
        entry = self.random.choice((None, None, self.names[0]))
        self.document = document(nodes, " ".join(edges), entry)

    def read(self, fallback=1):
        return f"({self.random.choice(self.names)}.x ?? {fallback}) != 0"

    def later(self, name):
        return [one for one in self.names if one > name and one not in self.bodies]

    def node(self, name):
        draw, later = self.random, self.later(name)
        kind = draw.choice(("task", "task", "loop", "decision")) if later else "task"
        head = f"{name}:{kind} joinPolicy={draw.choice(('all', 'all', 'any'))}"
        rest = f"{OUT}<guard when='${{{self.read()}}}'/>"
        rest += draw.choice(("", "", "<timeout duration='PT1S'/>"))
        if kind == "task":
            return f"{head} idempotent={draw.choice(('true', 'false'))} {rest}"
        if kind == "decision":
            return (
                f"{head} {rest}<cases><case when='${{{self.read(0)}}}' to='{draw.choice(later)}'/>"
                f"<otherwise to='{draw.choice(later)}'/></cases>"
            )
        body = draw.choice(later)
        self.bodies.add(body)
        kind = draw.choice(("kind='times' count='2'", "kind='until' while='${%s}'"))
        kind = kind % self.read() if "%s" in kind else kind
        return f"{head} {rest}<loop {kind} maxIterations='2'><body ref='{body}'/></loop>"

    def edges(self, name):
        for target in self.later(name)[: self.random.choice((0, 1, 1, 2))]:
            way = self.random.choice(("->", "->", "..>", "-!>", "-!>", "-~>"))
            condition = self.random.choice(("", "", f"[${{{self.read()}}}]"))
            yield f"{name}{way}{target}{condition}"

    def plan(self):
        draw = self.random
        results = [draw.choice(("ok", "ok", "ok", "fail")) for _ in self.names]
        answers = [
            {"node": name, "result": result, "outputs": {"x": 1}, "after": draw.choice((0, 0, 2))}
            for name, result in zip(self.names, results, strict=True)
        ]
        return read_plan({"answers": answers})


@pytest.mark.parametrize("block", range(5))
def test_no_run_reads_the_value_of_a_node_that_cannot_have_completed(block, monkeypatch):
    seen, wrong, found = set(), [], 0
    output = values.LifeScope.output

    def noted(scope, node, port):
        value = output(scope, node, port)
        if value is not None:
            seen.add((scope._life.vertex.node.id, f"{node}.{port}"))
        return value

    monkeypatch.setattr(values.LifeScope, "output", noted)
    for seed in range(block * 60, block * 60 + 60):
        draw = _Draw(seed)
        findings = validate(draw.document).findings
        if {one.code for one in findings if one.severity == "error"} != {"HX-3104"}:
            continue
        harness = parse(draw.document).harness
        reads = [(one.near, one.value) for one in findings if one.code == "HX-3104"]
        pairs = {(near.split("'")[1], value) for near, value in reads if near.startswith("node")}
        found += len(pairs)
        text = draw.document.decode()
        for _ in range(4):
            seen.clear()
            try:
                play(harness, draw.plan())
            except StuckError:
                continue
            wrong += [(text, pair) for pair in seen & pairs if text.count(pair[1]) == 1]

    assert [] == wrong
    assert found > 30
