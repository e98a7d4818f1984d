"""Schedulers differ in the order only: whatever they choose, the facts are the same."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reference_runtime.document.model import Case, Decision, Edge, Harness, Node
from reference_runtime.plans import read_plan
from reference_runtime.rules import RULES
from reference_runtime.scheduler import DocumentOrder, Move, Replay, SeededRandom
from reference_runtime.script import play
from tests.strategies_runtime import fail, harness, ok, plan, shown


def moves(scheduler, *, calls=True):
    taken = []
    while (move := scheduler.pop(calls=calls)) is not None:
        taken.append(move.subject)
    return taken


def filled(scheduler):
    for place in (3, 1, 2, 0):
        scheduler.push(Move((place,), place, calls=place % 2 == 1))
    return scheduler


def test_document_order_takes_the_smallest():
    assert [0, 1, 2, 3] == moves(filled(DocumentOrder()))


@pytest.mark.parametrize("make", [DocumentOrder, lambda: SeededRandom(1), Replay])
def test_moves_that_call_wait_until_calls_are_free(make):
    scheduler = filled(make())

    assert {0, 2} == set(moves(scheduler, calls=False))
    assert {1, 3} == set(moves(scheduler))


def test_seed_fixes_the_order_and_seeds_differ():
    orders = [tuple(moves(filled(SeededRandom(seed)))) for seed in (1, 1, 2, 3, 4)]

    assert orders[0] == orders[1]
    assert 1 < len(set(orders))


def explore(doc, the_plan):
    """Every distinct trace of a small document, by replaying prefixes of choices."""
    traces, prefixes = set(), [()]
    while prefixes:
        prefix = prefixes.pop()
        replay = Replay(prefix)
        run = play(doc, read_plan(the_plan), scheduler=replay)
        traces.add(tuple((t.node, t.to) for t in run.transitions()))
        taken = [*prefix, *[0] * (len(replay.widths) - len(prefix))]
        for place in range(len(prefix), len(taken)):
            prefixes += [(*taken[:place], other) for other in range(1, replay.widths[place])]
    return traces


def test_replay_reaches_every_interleaving_once():
    # Two independent nodes of two free events each (start, answer): 4! / (2! * 2!) = 6 orders.
    assert 6 == len(explore(harness("a b"), plan()))


def test_replay_shows_both_ends_of_a_race():
    doc = harness("f\na\nb\nj joinPolicy=any", "f->a f->b a->j b->j")
    ends = {tuple(to for node, to in trace if node == "b") for trace in explore(doc, plan())}

    assert {
        ("READY", "RUNNING", "SUCCEEDED"),
        ("READY", "RUNNING", "CANCELLED"),
        ("READY", "CANCELLED"),
    } == ends


@st.composite
def flows(draw):
    """Documents over control, dependency and error edges, with decisions but without ``any``."""
    size = draw(st.integers(2, 7))
    names = [f"n{i}" for i in range(size)]
    edges, nodes, answers = [], [], {}
    for j in range(1, size):
        for i in range(j):
            kind = draw(st.sampled_from(["", "", "", "control", "dependency", "error"]))
            if kind:
                condition = draw(st.sampled_from([None, None, "${true}", "${false}"]))
                edges.append(Edge(names[i], names[j], kind, condition=condition))
    for i, name in enumerate(names):
        rest = names[i + 1 :]
        incoming = sum(e.target == name and e.type != "error" for e in edges)
        quorum = draw(st.integers(1, incoming)) if incoming and draw(st.booleans()) else None
        deciding = rest and not draw(st.integers(0, 3))
        cases = (
            [Case(draw(st.sampled_from(rest)), draw(st.sampled_from(["${true}", None])))]
            if deciding
            else []
        )
        nodes.append(
            Node(
                name,
                "decision" if deciding else "task",
                join_policy="quorum" if quorum else "all",
                quorum=quorum,
                guard=draw(st.sampled_from([None, None, "${true}", "${false}"])),
                decision=Decision(tuple(cases)) if deciding else None,
            )
        )
        if any(e.source == name and e.type == "error" for e in edges):
            answers[name] = draw(st.sampled_from([ok(), fail("internal")]))
    return Harness("t", "1.0", tuple(nodes), tuple(edges), entry=names[0]), answers


@settings(max_examples=80, deadline=None)
@given(flows(), st.integers(1, 9))
@example((harness("a b c", "a->b[${false}] b->c a->c", entry="a"), {}), 1)
def test_facts_do_not_depend_on_the_schedule(flow, seed):
    doc, answers = flow
    first = shown(doc, plan(answers))
    second = shown(doc, plan(answers), scheduler=SeededRandom(seed))
    serial = shown(doc, plan(answers), open_steps=1)

    assert (first.paths, first.outcome) == (second.paths, second.outcome)
    assert (first.paths, first.outcome) == (serial.paths, serial.outcome)


@settings(max_examples=80, deadline=None)
@given(flows())
def test_nothing_is_ready_without_a_reason_and_nothing_due_is_left_out(flow):
    """§5.3 read on the final states alone, for nodes that no decision names."""
    doc, answers = flow
    run = shown(doc, plan(answers))
    ends = {name: (path.split() or ["PENDING"])[-1] for name, path in run.paths.items()}
    named = {case.to for node in doc.nodes if node.decision for case in node.decision.cases}
    for node in doc.nodes[1:]:
        if node.id in named:
            continue
        incoming = [edge for edge in doc.edges if edge.target == node.id]
        satisfied = [
            edge
            for edge in incoming
            if edge.condition != "${false}"
            and ends[edge.source] in {**RULES.satisfying, "error": {"FAILED"}}[edge.type]
        ]
        joined = sum(edge.type != "error" for edge in satisfied)
        caught = len(satisfied) > joined
        reached = caught or joined >= (node.quorum or 1)

        assert reached == (ends[node.id] != "PENDING"), node.id
