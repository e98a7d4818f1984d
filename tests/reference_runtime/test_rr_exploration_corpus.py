"""The judge accepts every behaviour that any schedule of the reference runtime shows."""

import json

import msgspec
import pytest

from reference_runtime.exploration import explore
from reference_runtime.plans import read_plan
from reference_runtime.trace import effect_fields, report_fields
from reference_runtime.validation import validate
from suite.corpus.catalogue import load_corpus
from suite.corpus.facts_reader import read_facts
from suite.corpus.needs import needs_of
from suite.verdict.judge import judge
from tests.verdict_builder import describe, ended, run_messages

RUNS = {name: s for name, s in load_corpus().scenarios.items() if s.golden is not None}
SHOWN = describe(control="scripted", clock="virtual", quiescence="idle")
BOUND = 2_000


def exchange(played, plan):
    """What a scripted run of the suite would have recorded."""
    shown = (effect_fields(effect) for effect in played.effects)
    messages = [{"type": "transition", **fields} for fields in shown if fields is not None]
    codes = [report_fields(report) for report in played.reports()]
    start = {"source": "suite", "type": "run", "id": 1, "plan": plan}
    return ended(start, *run_messages(*messages, outcome=played.outcome or None, codes=codes))


def playable(scenario):
    """Whether this runtime can be asked, and a scripted run shows what the golden looks at."""
    needs = needs_of(scenario)
    return not (needs.idle_states or needs.virtual_clock or needs.secrets)


@pytest.mark.parametrize("name", [name for name, s in RUNS.items() if playable(s)])
def test_every_behaviour_passes(name):
    scenario = RUNS[name]
    harness = validate(scenario.case.document).harness
    plan = json.loads(msgspec.json.encode(scenario.plan))
    companions = scenario.case.companions
    explored = explore(harness, read_plan(plan), bound=BOUND, companions=companions)
    facts = read_facts(scenario.case.document)
    verdicts = [
        judge(scenario, facts, exchange(b.played, plan), SHOWN) for b in explored.behaviours
    ]

    assert explored.complete
    assert [] == [b.stuck for b in explored.behaviours if b.stuck]
    assert [] == [verdict.text for verdict in verdicts if verdict.status != "pass"]
