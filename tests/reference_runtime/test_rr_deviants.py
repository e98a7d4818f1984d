"""Every deviant breaks one requirement that can be shown, and does something else somewhere."""

import tomllib
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

import reference_runtime.deviants as package
from reference_runtime import deviants
from reference_runtime.adapter import Interactive
from reference_runtime.deviants import DEVIANTS
from reference_runtime.rules import RULES
from suite.cli.bench import known_deviants
from suite.corpus.catalogue import load_corpus
from suite.corpus.cites import cites_of
from tests.strategies_runtime import fail, harness, hold, ok, plan, shown

HERE = Path(package.__file__).parent
OFF = "<guard when='${false}'/>"
OUT = "<outputs><output name='x'/></outputs>"
INTO = "<inputs><input name='x'/></inputs>"
CHOICE = "d:decision <cases><case when='${true}' to='t'/><otherwise to='u'/></cases>\nt\nu"
LATE = "f->a f->b a->j b->j"
RACE = (LATE, plan({"b": ok(until=hold("j SUCCEEDED"))}))


def loop(how, name="l", body="b", limit=9):
    return f"{name}:loop <loop maxIterations='{limit}' {how}><body ref='{body}'/></loop>"


def sees(text):
    return f"\nb <inputs><input name='i' value='${{{text}}}'/></inputs>"


#: deviant → document, edges, plan.
SHOWS = {
    "quorum_off_by_one": ("a\nb\nj joinPolicy=quorum quorum=2", "a->j b->j[${false}]", plan()),
    "any_waits_for_all": (
        "a\nb\nj joinPolicy=any\nk", "a->j b->j b->k", plan({"b": fail("x", until=hold("idle"))})
    ),
    "any_does_not_cancel": ("f\na\nb\nj joinPolicy=any", *RACE),
    "any_cancels_shared_branches": ("f\na\nb\nj joinPolicy=any\nk", f"{LATE} b->k", RACE[1]),
    "quorum_cancels": ("f\na\nb\nj joinPolicy=quorum quorum=1", *RACE),
    "untaken_branch_skipped": (CHOICE, "d->t d->u", plan()),
    "untaken_decision_target_runs": (CHOICE, "d->t d->u", plan()),
    "decision_target_not_gated": (f"s\n{CHOICE}", "s->d s->u d->t d->u", plan()),
    "negative_blocks_all_join": ("a b j", "a->j b->j[${false}]", plan()),
    "all_negative_runs": ("a b", "a->b[${false}]", plan()),
    "unreachable_does_not_negate": ("a b j", "a->b[${false}] b->j a->j", plan()),
    "unreachable_does_not_propagate": ("a b c j", "a->b[${false}] b->c c->j a->j", plan()),
    "failure_releases_control": ("a b h", "a->b a-!>h", plan({"a": fail("x")})),
    "dependency_needs_success": ("a b h", "a..>b a-!>h", plan({"a": fail("x")})),
    "several_error_edges_do_not_handle": ("a h k", "a-!>h a-!>k", plan({"a": fail("x")})),
    "guard_after_inputs": (f"p {OUT}{OFF}\nq {INTO}{OFF}", "p=x:x=>q", plan()),
    "null_for_missing_input": (f"p {OUT}{OFF}\nq {INTO}", "p=x:x=>q", plan()),
    "over_limit_truncates": (loop("kind='times' count='3'", limit=2) + "\nb", "", plan()),
    "limit_off_by_one": (loop("kind='times' count='2'", limit=2) + "\nb", "", plan()),
    "while_tests_after": (loop("kind='while' while='${false}'") + "\nb", "", plan()),
    "until_tests_before": (loop("kind='until' while='${true}'") + "\nb", "", plan()),
    "times_is_limit": (loop("kind='times' count='2'", limit=3) + "\nb", "", plan()),
    "item_name_fixed": (loop("kind='forEach' over='${[5]}' var='v'") + sees("v"), "", plan()),
    "index_from_one": (loop("kind='forEach' over='${[5]}'") + sees("index"), "", plan()),
    "body_in_main_flow": (loop("kind='times' count='1'") + "\nb", "", plan()),
    "body_belongs_to_one_loop": (
        loop("kind='times' count='1'") + "\n" + loop("kind='times' count='1'", "m") + "\nb",
        "l->m", plan(),
    ),
    "inner_loops_share_limit": (
        loop("kind='times' count='2'", body="m")
        + "\n" + loop("kind='times' count='2'", "m", limit=2) + "\nb",
        "", plan(),
    ),
    "loop_consumes_value": (
        f"p {OUT}\n" + loop("kind='times' count='2'") + f"\nb {INTO}",
        "p->l p=x:x=>b", plan({"p": ok(x=1)}),
    ),
}  # fmt: skip


def seen(rules, nodes, edges, the_plan):
    played = shown(harness(nodes, edges), the_plan, rules=rules).played
    return played.effects, played.outcome


@pytest.mark.parametrize("name", SHOWS)
def test_deviant_shows_its_fault(name):
    assert seen(RULES, *SHOWS[name]) != seen(DEVIANTS[name].rules, *SHOWS[name])


def test_every_requirement_is_in_the_ledger_and_can_be_shown():
    path = Path(__file__).parents[2] / "cases" / "requirements.toml"
    ledger = tomllib.loads(path.read_text(encoding="utf-8"))["requirements"]
    shown_ones = {
        id_ for id_, entry in ledger.items() if not {"unobservable", "restates"} & set(entry)
    }

    assert set() == {deviant.requirement for deviant in DEVIANTS.values()} - shown_ones


def test_no_two_deviants_do_the_same_thing_wrong():
    descriptions = [deviant.description for deviant in DEVIANTS.values()]

    assert sorted(set(descriptions)) == sorted(descriptions)


def test_every_requirement_that_a_scenario_shows_has_a_deviant_or_a_reason():
    corpus = load_corpus()
    shown_ones = {cite for one in corpus.scenarios.values() for cite in cites_of(one)}
    shown_ones -= {name for name, entry in corpus.ledger.items() if entry.restates}
    broken = {deviant.requirement for deviant in DEVIANTS.values()}

    assert set() == shown_ones - broken - set(known_deviants()[1])


def test_no_deviant_is_hidden_by_a_module_of_the_package():
    assert set() == set(DEVIANTS) & {path.stem for path in HERE.glob("*.py")}


def parts(rules, base=RULES):
    """Names of the fields that are replaced, those of a theme one by one."""
    for field in fields(base):
        old, new = getattr(base, field.name), getattr(rules, field.name)
        if old is not new and is_dataclass(old):
            yield from parts(new, old)
        elif old != new:
            yield field.name


@pytest.mark.parametrize("name", DEVIANTS)
def test_deviant_is_an_adapter_with_one_rule_replaced(name):
    target = getattr(deviants, name)

    assert isinstance(target, Interactive)
    # What comes of the one fault may be unlisted in §6.2.
    assert len(set(parts(target.rules)) - {"legal", "exceptions"}) in {1, 2}


def test_unknown_deviant_is_named_with_the_choice():
    with pytest.raises(AttributeError, match=r"no deviant 'nonsense'; there are \w+, \w+,"):
        _ = deviants.nonsense
