"""Cancellation under ``any``; expectations are read off §5.3.2, §6.2 and §6.2.1."""

import random

import pytest

from reference_runtime.engine.graph import build_graph
from reference_runtime.rules import RULES
from tests.strategies_runtime import fail, harness, hold, ok, plan, shown

RAN = "READY RUNNING SUCCEEDED"
LOST = "READY RUNNING CANCELLED"
AFTER = ok(until=hold("j SUCCEEDED"))


def race(more="", nodes="", b="b"):
    return harness(f"f\na\n{b}\nj joinPolicy=any\n{nodes}", f"f->a f->b a->j b->j {more}")


def test_running_sibling_is_cancelled_and_its_call_aborted():
    run = shown(race(), plan({"b": {"result": "hang"}}))

    assert {"f": RAN, "a": RAN, "b": LOST, "j": RAN} == run.paths
    assert ["b"] == run.aborts
    assert "succeeded" == run.outcome


def test_join_is_ready_before_its_siblings_are_cancelled():
    run = shown(race(), plan({"b": {"result": "hang"}}))

    ready, cancelled = run.order("j:READY", "b:CANCELLED")

    assert ready < cancelled


def test_branch_is_cancelled_at_any_distance_and_its_pending_part_stays_pending():
    doc = harness("f\na\nb\nc\nd\nj joinPolicy=any", "f->a f->b a->j b->c c->d d->j")
    run = shown(doc, plan({"b": {"result": "hang"}}))

    assert {"f": RAN, "a": RAN, "b": LOST, "c": "", "d": "", "j": RAN} == run.paths


def test_branch_with_another_target_goes_on():
    run = shown(race("b->k", "k"), plan({"b": AFTER}))

    assert (RAN, RAN) == (run.paths["b"], run.paths["k"])


def test_branch_with_an_error_handler_is_cancelled_and_not_handled():
    run = shown(race("b-!>h", "h"), plan({"b": {"result": "hang"}}))

    assert (LOST, "") == (run.paths["b"], run.paths["h"])


def test_non_idempotent_sibling_finishes_and_its_result_is_discarded():
    doc = harness("f\na\nb idempotent=false\nc\nj joinPolicy=any", "f->a f->b a->j b->c c->j")
    run = shown(doc, plan({"b": AFTER}))

    assert (RAN, "", RAN) == (run.paths["b"], run.paths["c"], run.paths["j"])
    assert [] == run.aborts


def test_failure_of_a_spared_sibling_is_discarded_too():
    doc = race(b="b idempotent=false")
    run = shown(doc, plan({"b": fail("internal", until=hold("j SUCCEEDED"))}))

    assert "READY RUNNING FAILED" == run.paths["b"]
    assert "succeeded" == run.outcome


def test_ready_sibling_of_a_serial_runtime_is_cancelled():
    run = shown(race(), open_steps=1)

    assert "READY CANCELLED" == run.paths["b"]


def test_ready_non_idempotent_sibling_may_be_cancelled():
    run = shown(race(b="b idempotent=false"), open_steps=1)

    assert "READY CANCELLED" == run.paths["b"]


def test_retrying_sibling_is_cancelled_when_its_backoff_is_over():
    b = "b <retry maxAttempts='2' backoff='fixed' initialDelay='PT10S' jitter='false'/>"
    run = shown(race(b=b), plan({"b": fail("transient"), "a": ok(until=hold("b RETRYING"))}))

    assert "READY RUNNING RETRYING READY CANCELLED" == run.paths["b"]


def test_guard_of_the_join_does_not_spare_the_siblings():
    doc = harness("f\na\nb\nj joinPolicy=any <guard when='${false}'/>", "f->a f->b a->j b->j")
    run = shown(doc, plan({"b": {"result": "hang"}}))

    assert (LOST, "READY SKIPPED") == (run.paths["b"], run.paths["j"])


def test_retry_of_the_join_cancels_nothing_that_started_later():
    retry = "<retry maxAttempts='2' backoff='none'/>"
    doc = harness(f"a\np idempotent=false\nb\nk\nj joinPolicy=any {retry}", "a->j p->b p->k b->j")
    answers = {
        "p": ok(until=hold("j RUNNING")),
        "j@1": fail("transient", until=hold("b RUNNING")),
        "b": ok(until=hold("j SUCCEEDED")),
    }
    run = shown(doc, plan(answers))

    assert (RAN, RAN) == (run.paths["b"], run.paths["k"])


def test_satisfied_quorum_cancels_nothing():
    doc = harness("a\nb\nc\nj joinPolicy=quorum quorum=2", "a->j b->j c->j")
    run = shown(doc, plan({"c": AFTER}))

    assert RAN == run.paths["c"]


def test_waiting_sibling_is_cancelled():
    doc = race(b="b:wait <wait event='go'/>")

    assert LOST == shown(doc).paths["b"]


@pytest.mark.parametrize(
    ("more", "end"),
    [("", "READY RUNNING CANCELLED"), (" j->y", RAN)],
    ids=["leads-to-the-winner-only", "leads-elsewhere-too"],
)
def test_way_over_a_finished_node_leads_where_that_node_leads(more, end):
    doc = harness(
        "s\na\nb\nj joinPolicy=any\nk joinPolicy=any\nz\ny",
        f"s->a s->b a->j b->j j->k b->k k->z k->y{more}",
    )
    run = shown(doc, plan({"b": ok(until=hold("z SUCCEEDED"))}))

    assert end == run.paths["b"]


def test_what_a_spared_body_of_a_losing_loop_comes_to_starts_no_handler():
    nodes = "s\nq\nl:loop <loop maxIterations='9' kind='times' count='2'><body ref='b'/></loop>"
    doc = harness(f"{nodes}\nb idempotent=false\nh\nj joinPolicy=any", "s->l s->q l->j q->j b-!>h")
    answers = {
        "q": ok(until=hold("b[0] RUNNING")),
        "b[0]": fail("x", until=hold("l CANCELLED")),
    }
    run = shown(doc, plan(answers))

    assert "READY RUNNING FAILED" == run.paths["b[0]"]
    assert not any(path for address, path in run.paths.items() if address.startswith("h"))


@pytest.mark.parametrize("seed", range(8))
def test_ways_out_are_what_a_search_finds(seed):
    chance = random.Random(seed)
    names = [f"n{number}" for number in range(12)]
    edges = [
        f"{source}->{target}"
        for number, source in enumerate(names)
        for target in names[number + 1 : number + 5]
        if chance.random() < 0.4
    ]
    chance.shuffle(names)
    graph = build_graph(harness("\n".join(names), " ".join(edges)), RULES)

    def avoids(index, other):
        """Whether a way out of a node does not pass another one."""
        ways = graph.vertices[index].forward
        return index != other and (not ways or any(avoids(way.target, other) for way in ways))

    pairs = [(one, other) for one in range(12) for other in range(12)]

    assert [not avoids(*pair) for pair in pairs] == [
        graph.ways_out.all_pass(*pair) for pair in pairs
    ]
