"""Decisions as gated routes; expectations are read off §5.3.3 and §7.1.3."""

import pytest

from tests.strategies_runtime import fail, harness, hold, ok, plan, shown

RAN = "READY RUNNING SUCCEEDED"
FAILED = "READY RUNNING FAILED"
CHOICE = "d:decision <cases><case when='${true}' to='t'/><otherwise to='u'/></cases>"


def deciding(when, to="t", otherwise=""):
    rest = f"<otherwise to='{otherwise}'/>" if otherwise else ""
    return f"d:decision <cases><case when=\"{when}\" to='{to}'/>{rest}</cases>"


@pytest.mark.parametrize("edges", ["", "d->t d->u"], ids=["implied", "explicit"])
@pytest.mark.parametrize(
    ("when", "t", "u"), [("${true}", RAN, ""), ("${false}", "", RAN)], ids=["case", "otherwise"]
)
def test_only_the_chosen_target_runs(edges, when, t, u):
    run = shown(harness(f"{deciding(when, otherwise='u')}\nt\nu", edges, entry="d"))

    assert {"d": RAN, "t": t, "u": u} == run.paths
    assert "succeeded" == run.outcome


def test_first_true_case_wins_and_later_ones_are_not_evaluated():
    cases = (
        "<cases><case when='${false}' to='t'/><case when='${true}' to='u'/>"
        "<case when=\"${'x' &lt; 1}\" to='v'/></cases>"
    )
    run = shown(harness(f"d:decision {cases}\nt\nu\nv", entry="d"))

    assert {"d": RAN, "t": "", "u": RAN, "v": ""} == run.paths


@pytest.mark.parametrize(
    ("when", "code"),
    [("${null}", "HX-4107"), ("${'x' &lt; 1}", "HX-4106"), ("${false}", "HX-4103")],
    ids=["not-boolean", "operation", "no-case"],
)
def test_decision_that_cannot_choose_fails(when, code):
    run = shown(harness(f"{deciding(when)}\nt\nh\nj", "d-!>h d->t t->j h->j", entry="d"))

    assert {"d": FAILED, "t": "", "h": RAN, "j": RAN} == run.paths
    assert {"d": code} == run.codes


def test_join_below_both_branches_resolves_on_the_taken_one():
    run = shown(harness(f"{CHOICE}\nt\nu\nv\nj", "d->t d->u u->v v->j t->j", entry="d"))

    assert {"d": RAN, "t": RAN, "u": "", "v": "", "j": RAN} == run.paths


def test_case_target_waits_for_the_decision_though_its_edges_are_satisfied():
    doc = harness(f"s\na\n{CHOICE}\nt\nu", "s->a a->d s->t s->u", entry="s")
    run = shown(doc, plan({"a": ok(until=hold("idle"))}))

    d, t = run.order("d:SUCCEEDED", "t:READY")

    assert d < t
    assert "" == run.paths["u"]


def test_chosen_target_still_waits_for_its_other_edges():
    doc = harness(f"s\np\n{CHOICE}\nt\nu", "s->d s->p p->t d->t", entry="s")
    run = shown(doc, plan({"p": ok(until=hold("idle"))}))

    p, t = run.order("p:SUCCEEDED", "t:READY")

    assert p < t


def test_target_of_two_decisions_lives_while_one_may_choose_it():
    nodes = (
        "s\nd:decision <cases><case when='${true}' to='u'/><otherwise to='t'/></cases>\na\n"
        "e:decision <cases><case when='${true}' to='t'/><otherwise to='v'/></cases>\nt\nu\nv"
    )
    doc = harness(nodes, "s->d s->a a->e d->u d->t e->t e->v", entry="s")
    run = shown(doc, plan({"a": ok(until=hold("u SUCCEEDED"))}))

    assert (RAN, RAN, "") == (run.paths["t"], run.paths["u"], run.paths["v"])


def test_targets_of_an_unreached_decision_are_unreachable():
    doc = harness(f"a\n{CHOICE}\nt\nu\nj", "a->d[${false}] t->j u->j a->j", entry="a")
    run = shown(doc)

    assert {"a": RAN, "d": "", "t": "", "u": "", "j": RAN} == run.paths


def test_unchosen_target_still_serves_as_error_handler():
    doc = harness(f"{CHOICE}\nt\nu", "d->t t-!>u", entry="d")
    run = shown(doc, plan({"t": fail("internal")}))

    assert {"d": RAN, "t": FAILED, "u": RAN} == run.paths
    assert "succeeded" == run.outcome


def test_dependency_on_a_decision_is_satisfied_whatever_it_chose():
    run = shown(harness(f"{CHOICE}\nt\nu\nw", "d..>w", entry="d"))

    assert RAN == run.paths["w"]
