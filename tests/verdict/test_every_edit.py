"""Wrappers around a right runtime: every falsified trace is failed, every legal one passes.

The traces are those of the reference runtime, which the corpus judges as right; what is tested
here is the judge, on edits of these traces.
"""

import copy
import functools
import random

import msgspec
import pytest

from comparator.lifecycle import STATES
from suite.corpus.catalogue import load_corpus
from suite.corpus.facts_reader import read_facts
from suite.corpus.needs import needs_of
from suite.protocol.runtime import open_runtime
from suite.protocol.transcript import Entry, Transcript
from suite.verdict.judge import judge

CORPUS = load_corpus()
RUNS = {name: s for name, s in CORPUS.scenarios.items() if s.golden is not None}

#: States that others depend on without an edge: a failure may end everything, a cancellation and
#: a compensation follow from something elsewhere.
FIXED = {"FAILED", "CANCELLED", "COMPENSATED"}


class Recorded:
    """One scenario's run, to be judged with and without a look at calls."""

    def __init__(self, scenario, runtime):
        self.scenario = scenario
        self.facts = read_facts(scenario.case.document)
        self.description = runtime.description
        case = scenario.case
        self.exchange = runtime.run(case.document, case.companions, scenario.plan, 10.0)
        self.steps = [i for i, e in enumerate(self.exchange.transcript.entries) if self._moves(e)]

    @staticmethod
    def _moves(entry):
        return entry.message["type"] == "transition"

    def has_trace_golden(self):
        needs = needs_of(self.scenario, self.facts)
        beyond = needs.calls or needs.virtual_clock or needs.idle_states or needs.codes
        return not beyond and not needs.cancel

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

    def accepts(self, entries):
        """Whether a run passes that follows the same readings as the recorded one.

        An edit that turns the run into what another reading of an open point accepts is no
        falsification.
        """
        verdict = self.verdict(entries)
        return verdict.status == "pass" and verdict.readings == self.readings

    @functools.cached_property
    def unjudged(self):
        """Nodes of which only legality is judged."""
        addresses = self.verdict(self.entries()).unjudged
        return {address.partition("[")[0] for address in addresses}

    @functools.cached_property
    def readings(self):
        return self.verdict(self.entries()).readings

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
        if entry.message["node"] in recorded.unjudged:
            continue
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
        joined = two["from"] == "PENDING" and two["to"] == "READY"
        forced = edge and joined and one["to"] not in ("READY", "RUNNING")
        if one["node"] == two["node"]:
            forced = one.get("iteration") == two.get("iteration") or in_turn(recorded, two)
        if forced:
            yield first, second


def in_turn(recorded, step):
    """Whether an iteration starts that has to wait for the one before it (§5.4)."""
    loop = recorded.facts.nodes[step["iteration"][-1]["loop"]].loop
    # Whether it shows READY while it waits is not judged.
    return loop.max_concurrency == 1 and step["to"] == "RUNNING"


def independent(recorded, one, two):
    """Whether nothing in the document or the golden relates the two transitions' nodes."""
    facts = recorded.facts
    if one["node"] == two["node"] or FIXED & {one["to"], two["to"]}:
        return False
    if {one["node"], two["node"]} & {e.target for e in facts.edges if e.type == "compensation"}:
        return False
    after = {node: {node} for node in facts.nodes}
    for _ in facts.nodes:
        for edge in facts.edges:
            after[edge.source] |= after[edge.target]
    for node in facts.nodes.values():
        bodies = (node.loop.body,) if node.loop else ()
        for target in (*(node.decision.targets if node.decision else ()), *bodies):
            after[node.id] |= after[target]
            if bodies:
                for inner in after[target]:
                    after[inner] = after[inner] | {node.id}
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
    missed = {what for what, entries in edits(run) if run.accepts(entries)}

    assert run.accepts(run.entries())
    assert set() == missed


def test_every_single_edit_is_failed_where_only_traces_are_shown(traces):
    missed = {
        (name, what)
        for name, run in traces.items()
        for what, entries in edits(run)
        if run.accepts(entries)
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
