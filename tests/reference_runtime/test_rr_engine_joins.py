"""Joins and unreachability; expectations are read off §5.2, §5.3 and §6.4."""

import pytest

from tests.strategies_runtime import fail, harness, hold, ok, plan, shown

RAN = "READY RUNNING SUCCEEDED"
SKIPPED = "READY SKIPPED"
FAILED = "READY RUNNING FAILED"
OFF = "<guard when='${false}'/>"
NEVER = hold("idle")


def test_entry_attribute_is_the_only_start():
    run = shown(harness("a b c", "a->b c->b", entry="a"))

    # The stray root c is never reached, so its edge does not hold up b.
    assert {"a": RAN, "b": RAN, "c": ""} == run.paths


def test_without_entry_every_node_without_incoming_edges_starts():
    run = shown(harness("a b h u", "a-!>h b-~>u"))

    assert {"a": RAN, "b": RAN, "h": "", "u": ""} == run.paths
    assert "succeeded" == run.outcome


def test_entry_node_ignores_its_own_edges():
    run = shown(harness("a b", "a->b", entry="b"))

    assert {"a": "", "b": RAN} == run.paths


def test_all_waits_for_every_edge():
    doc = harness("a b j", "a->j b->j")
    run = shown(doc, plan({"b": ok(until=NEVER)}))

    b, j = run.order("b:SUCCEEDED", "j:READY")

    assert {"a": RAN, "b": RAN, "j": RAN} == run.paths
    assert b < j


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        pytest.param("a->j[${false}] b->j", RAN, id="one-negative"),
        pytest.param("a->j[${false}] b->j[${false}]", "", id="all-negative"),
        pytest.param("a->j[${true}] b->j[${false}]", RAN, id="condition-true"),
    ],
)
def test_all_needs_one_satisfied_edge(edges, expected):
    run = shown(harness("a b j", edges))

    assert expected == run.paths["j"]
    assert "succeeded" == run.outcome


def test_any_fires_on_the_first_edge_and_only_once():
    doc = harness("a\nb\nj joinPolicy=any\nk", "a->j b->j b->k")
    run = shown(doc, plan({"b": ok(until=hold("j SUCCEEDED"))}))

    assert {"a": RAN, "b": RAN, "j": RAN, "k": RAN} == run.paths


def test_any_passes_over_negative_edges():
    doc = harness("a\nb\nj joinPolicy=any", "a->j[${false}] b->j")
    run = shown(doc, plan({"b": ok(until=NEVER)}))

    b, j = run.order("b:SUCCEEDED", "j:READY")

    assert b < j


@pytest.mark.parametrize(
    ("quorum", "expected"), [("1", RAN), ("2", RAN), ("3", "")], ids=["1", "2", "3"]
)
def test_quorum_counts_satisfied_edges_only(quorum, expected):
    nodes = f"a\nb\nc\nj joinPolicy=quorum quorum={quorum}\nk"
    run = shown(harness(nodes, "a->j b->j c->j[${false}] j->k a->k"))

    assert expected == run.paths["j"]
    # An impossible quorum does not hold up the join below it.
    assert RAN == run.paths["k"]


def test_quorum_is_not_met_below_its_count():
    doc = harness("a\nb\nj joinPolicy=quorum quorum=2", "a->j b->j")
    run = shown(doc, plan({"b": ok(until=NEVER)}))

    b, j = run.order("b:SUCCEEDED", "j:READY")

    assert b < j


def test_each_of_two_parallel_edges_counts():
    outputs = "a <outputs><output name='x'/><output name='y'/></outputs>"
    inputs = "<inputs><input name='x'/><input name='y'/></inputs>"
    doc = harness(f"{outputs}\nb\nj joinPolicy=quorum quorum=2 {inputs}", "a=x:x=>j a=y:y=>j b->j")
    run = shown(doc, plan({"a": ok(x=1, y=2), "b": ok(until=NEVER)}))

    j, b = run.order("j:READY", "b:SUCCEEDED")

    assert j < b


def test_skipped_node_satisfies_control_through_a_chain():
    run = shown(harness(f"s {OFF}\nt\nu", "s->t t->u"))

    assert {"s": SKIPPED, "t": RAN, "u": RAN} == run.paths


def test_skipped_node_takes_no_error_edge():
    run = shown(harness(f"s {OFF}\nh", "s-!>h"))

    assert {"s": SKIPPED, "h": ""} == run.paths


@pytest.mark.parametrize(
    ("nodes", "answers", "first"),
    [
        pytest.param("a\nd\nh", {}, RAN, id="succeeded"),
        pytest.param(f"a {OFF}\nd\nh", {}, SKIPPED, id="skipped"),
        pytest.param("a\nd\nh", {"a": fail("internal")}, FAILED, id="failed"),
    ],
)
def test_dependency_is_satisfied_by_every_end(nodes, answers, first):
    run = shown(harness(nodes, "a..>d a-!>h"), plan(answers))

    assert (first, RAN) == (run.paths["a"], run.paths["d"])


def test_dependency_on_an_unreached_node_is_negative():
    run = shown(harness("a b w v", "a->b[${false}] b..>w b..>v a->v"))

    assert {"a": RAN, "b": "", "w": "", "v": RAN} == run.paths


@pytest.mark.parametrize("nodes", ["a b c d j", "j d c b a"], ids=["forth", "back"])
def test_unreachability_runs_through_chains(nodes):
    run = shown(harness(nodes, "a->b[${false}] b->c c->d d->j a->j"))

    assert {"a": RAN, "b": "", "c": "", "d": "", "j": RAN} == run.paths


def test_required_value_of_an_unreachable_node_makes_unreachable():
    out, into = "<outputs><output name='x'/></outputs>", "<inputs><input name='x'/></inputs>"
    nodes = f"a\nu {out}\nc {into}\nj"
    run = shown(harness(nodes, "a->u[${false}] u=x:x=>c a->c c->j a->j"))

    assert {"a": RAN, "u": "", "c": "", "j": RAN} == run.paths


@pytest.mark.parametrize("how", ["required='false'", "default='0'"], ids=["optional", "default"])
def test_dispensable_value_of_an_unreachable_node_does_not(how):
    out = "<outputs><output name='x'/></outputs>"
    into = f"<inputs><input name='x' {how}/></inputs>"
    run = shown(harness(f"a\nu {out}\nc {into}", "a->u[${false}] u=x:x=>c a->c"))

    assert {"a": RAN, "u": "", "c": RAN} == run.paths


@pytest.mark.parametrize(
    ("answers", "a", "b", "h"),
    [
        pytest.param({}, RAN, RAN, "", id="handler-idle"),
        pytest.param({"a": fail("internal")}, FAILED, "", RAN, id="handler-runs"),
    ],
)
def test_handler_rejoins_either_way(answers, a, b, h):
    run = shown(harness("a b h j", "a-!>h a->b b->j h->j"), plan(answers))

    assert {"a": a, "b": b, "h": h, "j": RAN} == run.paths


def test_idle_handler_of_an_unreachable_node_is_unreachable():
    run = shown(harness("a b h j", "a->b[${false}] b-!>h h->j a->j"))

    assert {"a": RAN, "b": "", "h": "", "j": RAN} == run.paths


def test_ring_of_idle_handlers_is_unreachable():
    run = shown(harness("a h i j", "a-!>h h-!>i i-!>h i->j a->j"))

    assert {"a": RAN, "h": "", "i": "", "j": RAN} == run.paths


def test_ring_of_handlers_waits_for_the_join_that_may_still_start_it():
    doc = harness("a h i j g k", "a-!>h h-!>i i-!>h i->j a->j j-!>g g->k")
    run = shown(doc, plan({"j": fail("internal")}))

    assert {"a": RAN, "h": "", "i": "", "j": FAILED, "g": RAN, "k": RAN} == run.paths


def test_dead_forward_join_is_opened_by_an_error_edge():
    run = shown(harness("a b x", "a->b b->x a-!>x"), plan({"a": fail("internal")}))

    assert {"a": FAILED, "b": "", "x": RAN} == run.paths


def test_failed_condition_is_reported_and_negative():
    doc = harness(
        "a <outputs><output name='n'/></outputs>\nb\nc", "a->b[${a.n}] a->c[${a.n < 'x'}]"
    )
    run = shown(doc, plan({"a": ok(n=1)}))
    reports = [(report.code, report.attempt) for report in run.played.reports()]

    assert ("", "") == (run.paths["b"], run.paths["c"])
    assert [("HX-4107", 1), ("HX-4106", 1)] == reports


def test_compensating_node_does_not_hold_up_a_join():
    run = shown(harness("a u j", "a-~>u a->j u->j"))

    assert {"a": RAN, "u": "", "j": RAN} == run.paths


@pytest.mark.parametrize(
    "ring",
    [
        pytest.param("h-!>i i-!>h i->j", id="of-error-edges"),
        pytest.param("h->i i-!>h i->j", id="with-a-control-edge"),
        pytest.param("h-!>i i-!>k k-!>h i->j k->j", id="of-three"),
    ],
)
@pytest.mark.parametrize("start", ["a-!>h ", ""], ids=["never-started", "without-a-start"])
def test_join_does_not_wait_for_handlers_that_only_wait_for_each_other(ring, start):
    doc = harness("a\nb\nw\nh\ni\nk\nj\nz", f"{start}{ring} b->j h->j j->z b->k[${{false}}]")
    run = shown(doc, plan({"w": ok(until=hold("z SUCCEEDED"))}))

    assert ["READY RUNNING SUCCEEDED"] * 2 == [run.paths["j"], run.paths["z"]]


def test_join_waits_for_a_handler_in_a_ring_that_can_still_be_started():
    doc = harness("a\nb\nh\ni\nj", "a-!>h h-!>i i-!>h b->j h->j i->j")
    run = shown(doc, plan({"a": fail("x", until=hold("idle")), "h": fail("y")}))

    moved = [(t.node, t.to) for t in run.played.transitions()]

    assert moved.index(("i", "SUCCEEDED")) < moved.index(("j", "READY"))
