"""Wrappers around a right runtime: every falsified trace is failed, every legal one passes.

The traces are those of the reference runtime, which the corpus judges as right; what is tested
here is the judge, on edits of these traces.
"""

import copy
import random

import msgspec
import pytest

from comparator.lifecycle import STATES
from suite.corpus.catalogue import load_corpus
from suite.corpus.facts_reader import read_facts
from suite.protocol.runtime import open_runtime
from suite.protocol.transcript import Entry, Transcript
from suite.verdict.judge import judge

CORPUS = load_corpus()
RUNS = {name: s for name, s in CORPUS.scenarios.items() if s.golden is not None}

#: Edits that another accepted reading, or a listed normalisation, makes right.
ACCEPTED = {
    # A08 c: a waiting node may stay PENDING; A150: an entry for its creation is dropped.
    "execution/cancellation/non-idempotent-step-finishes.trace": {
        "drop birch PENDING→CANCELLED",
        "birch PENDING→CANCELLED ends in PENDING",
    },
    # A95 b: a runtime without compensation may let other work finish.
    "execution/unwinding/idempotent-sibling.trace": {
        "cedar RUNNING→CANCELLED ends in SUCCEEDED",
    },
    # A64 a: the loser's step had been answered, so it may have ended by itself.
    "execution/joins/any-cancels-running-sibling.free": {
        "birch RUNNING→CANCELLED ends in SUCCEEDED",
        "cedar RUNNING→CANCELLED ends in SUCCEEDED",
    },
}


class Recorded:
    """One scenario's run, to be judged with and without a look at calls."""

    def __init__(self, scenario, runtime):
        self.scenario = scenario
        self.facts = read_facts(scenario.case.document)
        self.description = runtime.description
        self.exchange = runtime.run(scenario.case.document, {}, scenario.plan, 10.0)
        self.steps = [i for i, e in enumerate(self.exchange.transcript.entries) if self._moves(e)]

    @staticmethod
    def _moves(entry):
        return entry.message["type"] == "transition"

    def has_trace_golden(self):
        golden = self.scenario.golden
        beyond = golden.calls or golden.timers or golden.at_idle or golden.codes
        return not beyond and self.scenario.plan.cancel is None

    def trace_only(self):
        """The same run as a scripted runtime reports it that shows nothing but its trace."""
        other = copy.copy(self)
        kept = tuple(
            entry
            for entry in self.entries()
            if entry.message["type"] in ("run", "transition", "end")
        )
        other.exchange = msgspec.structs.replace(self.exchange, transcript=Transcript(kept))
        other.description = msgspec.structs.replace(
            self.description, control="scripted", features=()
        )
        other.steps = [i for i, e in enumerate(kept) if self._moves(e)]
        return other

    def verdict(self, entries):
        exchange = msgspec.structs.replace(self.exchange, transcript=Transcript(tuple(entries)))
        return judge(self.scenario, self.facts, exchange, self.description)

    def entries(self):
        return list(self.exchange.transcript.entries)


def with_message(entry, **fields):
    return Entry(entry.source, entry.at, {**entry.message, **fields})


def falsified(entry):
    """The transition with every other state as its end."""
    for state in STATES:
        if state != entry.message["to"]:
            yield state, with_message(entry, to=state)


def edits(recorded):
    """Every single edit of a trace as (what, entries)."""
    for place in recorded.steps:
        entries = recorded.entries()
        entry = entries[place]
        what = "{node} {from}→{to}".format(**entry.message)
        yield f"drop {what}", entries[:place] + entries[place + 1 :]
        yield f"repeat {what}", [*entries[: place + 1], entry, *entries[place + 1 :]]
        for state, other in falsified(entry):
            yield f"{what} ends in {state}", [*entries[:place], other, *entries[place + 1 :]]
    for first, second in causal_neighbours(recorded):
        entries = recorded.entries()
        entries[first], entries[second] = entries[second], entries[first]
        yield f"swap {first} and {second}", entries


def causal_neighbours(recorded):
    """Places of successive transitions of which the second follows from the first."""
    for first, second in zip(recorded.steps, recorded.steps[1:], strict=False):
        entries = recorded.exchange.transcript.entries
        one, two = entries[first].message, entries[second].message
        edge = any(
            e.source == one["node"] and e.target == two["node"] and e.type != "compensation"
            for e in recorded.facts.edges
        )
        forced = edge and two["from"] == "PENDING" and one["to"] not in ("READY", "RUNNING")
        if one["node"] == two["node"] or forced:
            yield first, second


def independent(recorded, one, two):
    """Whether nothing in the document or the golden relates the two transitions' nodes."""
    if one["node"] == two["node"] or "CANCELLED" in (one["to"], two["to"]):
        return False
    after = {node: {node} for node in recorded.facts.nodes}
    for _ in recorded.facts.nodes:
        for edge in recorded.facts.edges:
            after[edge.source] |= after[edge.target]
    for decision in recorded.facts.nodes.values():
        for target in decision.decision.targets if decision.decision else ():
            after[decision.id] |= after[target]
    ordered = any(
        {one["node"], two["node"]} <= {text.split(":")[0] for text in (e.event, *e.after)}
        for e in recorded.scenario.golden.order
    )
    related = one["node"] in after[two["node"]] or two["node"] in after[one["node"]]
    return not (related or ordered)


def interleaved(recorded, seed):
    """The trace after many swaps of neighbours that have nothing to do with each other."""
    chance = random.Random(seed)
    entries = recorded.entries()
    for _ in range(200):
        spot = chance.randrange(len(recorded.steps) - 1)
        first, second = recorded.steps[spot], recorded.steps[spot + 1]
        if independent(recorded, entries[first].message, entries[second].message):
            entries[first], entries[second] = entries[second], entries[first]
    return entries


@pytest.fixture(scope="module")
def recorded():
    with open_runtime("adapter:reference_runtime", in_process=True) as runtime:
        yield {name: Recorded(scenario, runtime) for name, scenario in RUNS.items()}


@pytest.fixture(scope="module")
def traces(recorded):
    return {name: run.trace_only() for name, run in recorded.items() if run.has_trace_golden()}


@pytest.mark.parametrize("name", RUNS)
def test_every_single_edit_is_failed(recorded, name):
    run = recorded[name]
    missed = {what for what, entries in edits(run) if run.verdict(entries).status != "fail"}

    assert "pass" == run.verdict(run.entries()).status
    assert set() == missed - ACCEPTED.get(name, set())


def test_every_single_edit_is_failed_where_only_traces_are_shown(traces):
    missed = {
        (name, what)
        for name, run in traces.items()
        for what, entries in edits(run)
        if run.verdict(entries).status != "fail" and what not in ACCEPTED.get(name, set())
    }

    assert len(traces) > 20
    assert set() == missed


def test_every_other_interleaving_of_independent_nodes_passes(traces):
    failed = {
        (name, seed): verdict.text
        for name, run in traces.items()
        for seed in range(10)
        if (verdict := run.verdict(interleaved(run, seed))).status != "pass"
    }

    assert {} == failed
