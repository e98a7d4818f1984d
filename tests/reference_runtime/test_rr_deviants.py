"""Each deviant differs from the rules on the smallest document that shows its fault."""

import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from reference_runtime import deviants
from reference_runtime.adapter import Interactive
from reference_runtime.deviants import DEVIANTS
from reference_runtime.rules import RULES
from tests.strategies_runtime import fail, harness, hold, ok, plan, shown

OFF = "<guard when='${false}'/>"
OUT = "<outputs><output name='x'/></outputs>"
INTO = "<inputs><input name='x'/></inputs>"
RETRY = "<retry maxAttempts='2' backoff='none' retryOn='transient'/>"
CHOICE = "d:decision <cases><case when='${true}' to='t'/><otherwise to='u'/></cases>\nt\nu"
HANG = {"result": "hang"}
RACE = ("f->a f->b a->j b->j", plan({"b": ok(until=hold("j SUCCEEDED"))}))

#: deviant → document, edges, plan.
SHOWS = {
    "quorum_off_by_one": (
        "a\nb\nj joinPolicy=quorum quorum=2", "a->j b->j[${false}]", plan()
    ),
    "any_waits_for_all": (
        "a\nb\nj joinPolicy=any\nk", "a->j b->j b->k", plan({"b": fail("x", until=hold("idle"))})
    ),
    "any_does_not_cancel": ("f\na\nb\nj joinPolicy=any", *RACE),
    "any_cancels_shared_branches": ("f\na\nb\nj joinPolicy=any\nk", RACE[0] + " b->k", RACE[1]),
    "quorum_cancels": ("f\na\nb\nj joinPolicy=quorum quorum=1", *RACE),
    "cancels_non_idempotent": ("f\na\nb idempotent=false\nj joinPolicy=any", *RACE),
    "late_answer_completes": (
        "f\na\nb\nj joinPolicy=any",
        RACE[0],
        plan({"a": ok(until=hold("b RUNNING")), "b": ok(until=hold("b CANCELLED"))}),
    ),
    "skip_blocks_successors": (f"a {OFF}\nb", "a->b", plan()),
    "untaken_branch_skipped": (CHOICE, "d->t d->u", plan()),
    "untaken_decision_target_runs": (CHOICE, "d->t d->u", plan()),
    "decision_target_not_gated": (f"s\n{CHOICE}", "s->d s->u d->t d->u", plan()),
    "negative_blocks_all_join": ("a b j", "a->j b->j[${false}]", plan()),
    "all_negative_runs": ("a b", "a->b[${false}]", plan()),
    "unreachable_does_not_negate": ("a b j", "a->b[${false}] b->j a->j", plan()),
    "unreachable_does_not_propagate": ("a b c j", "a->b[${false}] b->c c->j a->j", plan()),
    "failure_releases_control": ("a b h", "a->b a-!>h", plan({"a": fail("x")})),
    "dependency_needs_success": ("a b h", "a..>b a-!>h", plan({"a": fail("x")})),
    "retry_counts_retries": (f"a {RETRY}", "", plan({"a": fail("transient")})),
    "retry_ignores_classes": (f"a {RETRY}", "", plan({"a": fail("x")})),
    "retrying_to_running": (f"a {RETRY}", "", plan({"a@1": fail("transient")})),
    "error_edge_on_first_failure": (f"a {RETRY}\nh", "a-!>h", plan({"a@1": fail("transient")})),
    "error_edge_on_skip": (f"a {OFF}\nh", "a-!>h", plan()),
    "error_edge_does_not_handle": ("a h", "a-!>h", plan({"a": fail("x")})),
    "guard_after_inputs": (f"p {OUT}{OFF}\nq {INTO}{OFF}", "p=x:x=>q", plan()),
    "null_for_missing_input": (f"p {OUT}{OFF}\nq {INTO}", "p=x:x=>q", plan()),
}  # fmt: skip


def seen(rules, nodes, edges, the_plan):
    run = shown(harness(nodes, edges), the_plan, rules=rules)
    return run.paths, run.outcome, run.order(*(f"{n}:READY" for n, p in run.paths.items() if p))


@pytest.mark.parametrize("name", SHOWS)
def test_deviant_shows_its_fault(name):
    assert seen(RULES, *SHOWS[name]) != seen(DEVIANTS[name].rules, *SHOWS[name])


def test_wrong_delay_shows_in_time():
    doc = harness("a <retry maxAttempts='2' backoff='fixed' initialDelay='PT2S' jitter='false'/>")
    ends = [
        shown(doc, plan({"a@1": fail("x")}), rules=rules).played.transitions()[-1].at
        for rules in (RULES, DEVIANTS["fixed_backoff_multiplied"].rules)
    ]

    assert [2, 4] == ends


def test_every_deviant_is_shown():
    assert set(DEVIANTS) == {*SHOWS, "fixed_backoff_multiplied"}


@pytest.mark.parametrize("name", DEVIANTS)
def test_requirement_is_in_the_ledger_and_can_be_shown(name):
    path = Path(__file__).parents[2] / "cases" / "requirements.toml"
    ledger = tomllib.loads(path.read_text(encoding="utf-8"))["requirements"]
    entry = ledger[DEVIANTS[name].requirement]

    assert not {"unobservable", "restates"} & set(entry)


def test_no_two_deviants_break_the_same_requirement():
    requirements = [deviant.requirement for deviant in DEVIANTS.values()]

    assert sorted(set(requirements)) == sorted(requirements)


@pytest.mark.parametrize("name", DEVIANTS)
def test_deviant_is_an_adapter_with_one_rule_replaced(name):
    target = getattr(deviants, name)
    changed = [
        field.name
        for field in fields(RULES)
        if getattr(target.rules, field.name) != getattr(RULES, field.name)
    ]

    assert isinstance(target, Interactive)
    # A transition outside §6.2 also needs its pair listed.
    assert 1 == len(set(changed) - {"legal"})


def test_unknown_deviant_is_named_with_the_choice():
    with pytest.raises(AttributeError, match="no deviant 'nonsense'; there are quorum_off_by_one,"):
        _ = deviants.nonsense
