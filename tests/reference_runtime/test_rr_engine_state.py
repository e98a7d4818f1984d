"""Trace entries carry the attempt that they belong to (§6.6)."""

from dataclasses import replace

import pytest

from reference_runtime.engine.state import IllegalTransitionError
from reference_runtime.rules import RULES
from tests.strategies_runtime import fail, harness, hold, ok, plan, shown

RETRY = "<retry maxAttempts='2' backoff='fixed' initialDelay='PT1S' jitter='false'/>"


def attempts(run, node):
    return [(t.to, t.attempt) for t in run.played.transitions() if t.node == node]


def test_attempts_are_numbered_from_one_and_ready_belongs_to_the_coming_one():
    run = shown(harness(f"a {RETRY}"), plan({"a@1": fail("x")}))

    assert [
        ("READY", 1),
        ("RUNNING", 1),
        ("RETRYING", 1),
        ("READY", 2),
        ("RUNNING", 2),
        ("SUCCEEDED", 2),
    ] == attempts(run, "a")


def test_node_cancelled_while_ready_or_pending():
    doc = harness(f"f\na\nb {RETRY}\nj joinPolicy=any\nz", "f->a f->b a->j b->j j->z")
    answers = {"b": fail("x"), "a": ok(until=hold("b RETRYING")), "j": {"result": "hang"}}
    run = shown(doc, plan(answers, cancel="b CANCELLED"))

    assert ("CANCELLED", 2) == attempts(run, "b")[-1]
    assert [("CANCELLED", None)] == attempts(run, "z")


def test_transition_outside_the_table_is_a_defect_of_the_engine():
    rules = replace(RULES, legal={**RULES.legal, "READY": frozenset()})

    with pytest.raises(IllegalTransitionError, match="a: READY to RUNNING"):
        shown(harness("a"), rules=rules)
