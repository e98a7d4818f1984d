"""Exploration finds exactly the behaviours that brute force over all interleavings finds."""

from dataclasses import replace

import pytest

from reference_runtime.exploration import explore, summary
from reference_runtime.exploration.interference import Interference
from reference_runtime.plans import read_plan
from reference_runtime.rules import RULES
from tests.strategies_runtime import fail, harness, ok, plan
from tests.strategies_schedules import TooManyError, behaviour, every_behaviour, scene

#: Interleavings up to which a random document is compared.
MOST = 150
SEEDS = range(150)


def found(doc, the_plan, **options):
    explored = explore(doc, the_plan, **options)
    behaviours = {behaviour(doc, one.played) for one in explored.behaviours}

    assert len(behaviours) == len(explored.behaviours)
    assert explored.complete
    return behaviours


def small_scenes():
    """Random documents with few interleavings, and all their behaviours."""
    for seed in SEEDS:
        doc, the_plan = scene(seed)
        try:
            yield seed, doc, the_plan, every_behaviour(doc, the_plan, most=MOST)
        except TooManyError:
            continue


@pytest.fixture(scope="module")
def scenes():
    return list(small_scenes())


def test_random_documents_show_what_brute_force_shows(scenes):
    missed = [seed for seed, doc, the_plan, all_ in scenes if found(doc, the_plan) != all_]

    assert [] == missed
    assert len(scenes) > 100
    assert sum(len(all_) > 1 for *_, all_ in scenes) > 15


def test_without_interference_behaviours_would_be_missed(scenes, monkeypatch):
    monkeypatch.setattr(Interference, "_between", lambda *_, **__: False)
    monkeypatch.setattr(Interference, "at_the_end", lambda *_, **__: False)
    monkeypatch.setattr(Interference, "entangled", lambda *_, **__: False)
    missed = [seed for seed, doc, the_plan, all_ in scenes if found(doc, the_plan) != all_]

    assert len(missed) > 5


LOOP = (
    "l:loop <loop kind='forEach' over='${{[1,2,3]}}' maxIterations='3' {}>"
    "<body ref='b'/></loop>\nb\n"
)

#: Documents with much freedom, and what makes their schedules differ.
RACES = {
    "any join": ("f\na\nb\nc\nj joinPolicy=any", "f->a f->b f->c a->j b->j c->j", {}),
    "any join at a distance": ("a\nb\nc\nj joinPolicy=any", "a->b b->j c->j", {}),
    "any join that spares": ("a\nb idempotent=false\nj joinPolicy=any\nk", "a->j b->j b->k", {}),
    "any join of a failing branch": (
        "a\nb\nh\nj joinPolicy=any", "a->j b->j a-!>h", {"a": fail()}
    ),
    "quorum": ("a\nb\nc\nj joinPolicy=quorum quorum=2", "a->j b->j c->j", {}),
    "quorum and a value": (
        ("a <outputs><output name='x'/></outputs>\nb\nc\n"
        "j joinPolicy=quorum quorum=2 <inputs><input name='i' required='false'/></inputs>"),
        "a=x:i=>j b->j c->j",
        {"a": ok(x=1)},
    ),
    "handler of two": ("a\nb\nh", "a-!>h b-!>h", {"a": fail(), "b": fail()}),
    "guard that looks across": (
        "a <outputs><output name='x'/></outputs>\nb <guard when='${(a.x ?? 0) == 1}'/>",
        "",
        {"a": ok(x=1)},
    ),
    "unwinding": ("a\nb\nc", "b->c", {"a": fail()}),
    "order of compensation": (
        "a\nb\nj\nu\nv", "a->j b->j a-~>u b-~>v", {"j": fail()}
    ),
    "failing compensation": (
        "a\nb\nj\nu\nv", "a->j b->j a-~>u b-~>v", {"j": fail(), "u": fail()}
    ),
    "unwinding beside a step that may not be cancelled": (
        "a\nb idempotent=false\nu\nc", "b-~>u b->c", {"a": fail()}
    ),
    "retry beside": (
        "a <retry maxAttempts='2' backoff='none'/>\nb\nj joinPolicy=any",
        "a->j b->j",
        {"a@1": fail()},
    ),
    "two backoffs": (
        ("a <retry maxAttempts='2' backoff='fixed' initialDelay='PT1S' jitter='false'/>\n"
        "b <retry maxAttempts='2' backoff='fixed' initialDelay='PT1S' jitter='false'/>\n"
        "j joinPolicy=any"),
        "a->j b->j",
        {"a@1": fail(), "b@1": fail()},
    ),
    "two jittered backoffs": (
        ("a <retry maxAttempts='2' backoff='fixed' initialDelay='PT1S'/>\n"
        "b <retry maxAttempts='2' backoff='fixed' initialDelay='PT1S'/>\n"),
        "",
        {"a@1": fail(), "b@1": fail()},
    ),
    "two timeouts": (
        "a <timeout duration='PT1S'/>\nb <timeout duration='PT1S'/>\nh",
        "a-!>h b-!>h",
        {"a": {"result": "hang"}, "b": {"result": "hang"}},
    ),
    "loop in parallel": (LOOP.format("maxConcurrency='2'"), "", {}),
    "loop that stops": (LOOP.format("maxConcurrency='2'"), "", {"b[1]": fail()}),
    "loop that goes on": (
        LOOP.format("maxConcurrency='2' onItemFailure='continue'"), "", {"b[1]": fail()}
    ),
    "loop with a handler": (
        LOOP.format("maxConcurrency='2' onItemFailure='break'") + "h", "b-!>h",
        {"b[0]": fail(), "h": fail()},
    ),
    "loop beside a join": (
        LOOP.format("maxConcurrency='2'") + "a\nj joinPolicy=any", "l->j a->j", {}
    ),
    "two waits for one thing": (
        ("a <outputs><output name='x'/></outputs>\nv:wait <wait until='${(a.x ?? 0) == 1}'/>\n"
        "w:wait <wait until='${(a.x ?? 0) == 1}'/>\nj joinPolicy=any"),
        "v->j w->j",
        {"a": ok(x=1)},
    ),
    "answers released in turn": (
        "a\nb\nj joinPolicy=any", "a->j b->j", {"*": ok(until={"when": "idle"})}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RACES)
def test_races_show_what_brute_force_shows(name):
    nodes, edges, answers = RACES[name]
    doc, the_plan = harness(nodes, edges), read_plan(plan(answers))
    everything = every_behaviour(doc, the_plan)

    assert everything == found(doc, the_plan)


@pytest.mark.parametrize("at", ["a RUNNING", "b SUCCEEDED", "idle"])
def test_cancel_from_outside_comes_between_any_two_moves(at):
    doc = harness("a\nb\nc", "b->c")
    the_plan = read_plan(plan(cancel=at))

    assert every_behaviour(doc, the_plan) == found(doc, the_plan)


@pytest.mark.parametrize("at", ["a RUNNING", "a SUCCEEDED", "idle"])
def test_event_comes_before_or_after(at):
    doc = harness("a\nw:wait <wait event='go'/>\nb\nj joinPolicy=any", "w->j b->j")
    the_plan = read_plan(plan(events=[("go", at)]))

    assert every_behaviour(doc, the_plan) == found(doc, the_plan)


def test_run_that_cannot_end_is_a_behaviour():
    doc = harness("a\nb\nj joinPolicy=any", "a->j b->j")
    explored = explore(doc, read_plan(plan({"j": {"result": "hang"}})))

    assert {"j RUNNING"} == {one.stuck.partition(": ")[2] for one in explored.behaviours}
    assert {""} == {one.played.outcome for one in explored.behaviours}


def test_under_other_rules_nothing_is_taken_for_granted():
    doc = harness("f\na\nb\nj joinPolicy=any\nk", "f->a f->b a->j b->j a->k", entry="f")
    rules = replace(RULES, spares_shared=False)
    everything = every_behaviour(doc, read_plan(plan()), rules=rules)

    assert everything == found(doc, read_plan(plan()), rules=rules)
    assert everything != found(doc, read_plan(plan()))


def test_independent_nodes_need_one_run():
    # The orders of these 24 moves number 24! / 2**12.
    explored = explore(harness(" ".join("abcdefghijkl")), read_plan(plan()))

    assert (1, 1, True) == (len(explored.behaviours), explored.runs, explored.complete)


def test_first_behaviour_is_that_of_document_order():
    explored = explore(harness("a\nb\nj joinPolicy=any", "a->j b->j"), read_plan(plan()))
    states = explored.behaviours[0].played.states

    assert {"a": "SUCCEEDED", "b": "CANCELLED", "j": "SUCCEEDED"} == states


@pytest.mark.parametrize(("bound", "complete"), [(1, False), (4, False), (5, True), (6, True)])
def test_bound_is_never_hit_in_silence(bound, complete):
    doc = harness("f\na\nb\nj joinPolicy=any", "f->a f->b a->j b->j", entry="f")
    explored = explore(doc, read_plan(plan()), bound=bound)

    assert (min(bound, 5), complete) == (explored.runs, explored.complete)


def test_summary_tells_outcomes_apart():
    doc = harness("f\na\nb\nj joinPolicy=any", "f->a f->b a->j b->j", entry="f")
    explored = explore(doc, read_plan(plan({"a": fail()})))

    assert [
        "  f  SUCCEEDED",
        "outcome: failed (2 behaviours)",
        "  a  FAILED",
        "  b  CANCELLED",
        "  j  PENDING",
        (
            "  for example: f READY, f RUNNING, f SUCCEEDED, a READY, b READY, "
            "a RUNNING, b RUNNING, a FAILED, b CANCELLED"
        ),
        "outcome: succeeded (2 behaviours)",
        "  a  CANCELLED",
        "  b  SUCCEEDED",
        "  j  SUCCEEDED",
        (
            "  for example: f READY, f RUNNING, f SUCCEEDED, a READY, b READY, "
            "a RUNNING, b RUNNING, b SUCCEEDED, j READY, a CANCELLED, j RUNNING, j SUCCEEDED"
        ),
        "4 behaviours in 5 runs",
    ] == list(summary(explored, 9))


@pytest.mark.parametrize(
    ("nodes", "iterations"),
    [
        (("k", "l"), ["b[k:0]", "b[k:0]", "b[k:0]", "b[l:0]", "b[l:0]", "b[l:0]"]),
        (("k",), ["b[0]", "b[0]", "b[0]"]),
    ],
    ids=["shared", "own"],
)
def test_summary_names_the_loop_of_a_body_that_several_share(nodes, iterations):
    loop = "{}:loop <loop kind='times' count='1' maxIterations='1'><body ref='b'/></loop>"
    doc = harness("\n".join((*map(loop.format, nodes), "b")), "k->l" if "l" in nodes else "")
    example = list(summary(explore(doc, read_plan(plan())), 9))[-2].split(": ", 1)[1]

    assert iterations == [step.split()[0] for step in example.split(", ") if step[0] == "b"]


def test_summary_keeps_the_levels_of_nested_loops_together():
    inner = "l:loop <loop kind='times' count='2' maxIterations='2'><body ref='b'/></loop>"
    outer = "k:loop <loop kind='times' count='1' maxIterations='1'><body ref='l'/></loop>"
    lines = list(summary(explore(harness(f"{outer}\n{inner}\nb"), read_plan(plan())), 9))

    assert "b[0,1] SUCCEEDED" in lines[-2]
