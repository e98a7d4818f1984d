"""The properties that make a comparator: no false alarm, no edit unnoticed, no luck involved."""

from itertools import pairwise

import msgspec
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from comparator.compare import compare
from comparator.explain import BAR, explain
from comparator.lifecycle import STATES
from comparator.normal_form import normal_form
from comparator.observation import Observation
from comparator.trace import Trace, Transition
from tests.strategies import Simulation, golden_of, play, worlds

_SEEDS = st.integers(1, 2**32)
_EDIT = {"max_examples": 100, "deadline": None}


def judged(world, transitions):
    trace = Trace(tuple(transitions), "succeeded")
    return compare(world.facts, golden_of(world), Observation(trace)).differences


def nodes_of(differences):
    return [difference.key.node for difference in differences if difference.key]


@settings(**_EDIT)
@given(worlds(), _SEEDS)
def test_every_legal_interleaving_passes(world, seed):
    differences = judged(world, play(world, seed).transitions)

    assert () == differences


@settings(**_EDIT)
@given(worlds(), _SEEDS, _SEEDS)
def test_every_legal_interleaving_has_one_normal_form(world, one, other):
    forms = {normal_form(world.facts, play(world, seed)).digest for seed in (one, other)}

    assert 1 == len(forms)


@settings(**_EDIT)
@given(worlds(), _SEEDS, st.data())
def test_dropped_transition_is_noticed_at_its_node(world, seed, data):
    transitions = list(play(world, seed).transitions)
    dropped = transitions.pop(data.draw(st.integers(0, len(transitions) - 1)))

    assert dropped.node == nodes_of(judged(world, transitions))[0]


@settings(**_EDIT)
@given(worlds(), _SEEDS, st.data())
def test_duplicated_transition_is_noticed_at_its_node(world, seed, data):
    transitions = list(play(world, seed).transitions)
    place = data.draw(st.integers(0, len(transitions) - 1))
    again = data.draw(st.integers(place + 1, len(transitions)))
    transitions.insert(again, transitions[place])

    assert transitions[place].node == nodes_of(judged(world, transitions))[0]


@settings(**_EDIT)
@given(worlds(), _SEEDS, st.data(), st.sampled_from(["from_", "to"]), st.sampled_from([*STATES]))
def test_changed_state_is_noticed_at_its_node(world, seed, data, field, state):
    transitions = list(play(world, seed).transitions)
    place = data.draw(st.integers(0, len(transitions) - 1))
    assume(getattr(transitions[place], field) != state)
    transitions[place] = msgspec.structs.replace(transitions[place], **{field: state})

    assert transitions[place].node == nodes_of(judged(world, transitions))[0]


@settings(**_EDIT)
@given(worlds(), _SEEDS, st.data(), st.sampled_from([*STATES]))
def test_extra_transition_is_noticed_at_its_node(world, seed, data, state):
    transitions = list(play(world, seed).transitions)
    place = data.draw(st.integers(0, len(transitions)))
    node = data.draw(st.sampled_from([*world.facts.nodes]))
    before = [t.to for t in transitions[:place] if t.node == node]
    # A creation entry in front of all others is forgiven (A150).
    assume(before or state != "PENDING")
    transitions.insert(place, Transition(node, before[-1] if before else "PENDING", state))

    assert node == nodes_of(judged(world, transitions))[0]


@settings(**_EDIT)
@given(worlds(), _SEEDS, st.data())
def test_swapped_causal_neighbours_are_noticed_at_one_of_them(world, seed, data):
    transitions = list(play(world, seed).transitions)
    simulation, causal = Simulation(world), []
    for place, (first, second) in enumerate(pairwise(transitions)):
        if second not in simulation.enabled():
            causal.append(place)
        simulation.apply(first)
    place = data.draw(st.sampled_from(causal))
    pair = transitions[place : place + 2]
    transitions[place : place + 2] = reversed(pair)

    assert nodes_of(judged(world, transitions))[0] in {t.node for t in pair}


@settings(**_EDIT)
@given(worlds(), _SEEDS, st.data())
def test_order_of_independent_transitions_never_matters(world, seed, data):
    transitions = list(play(world, seed).transitions)
    simulation, free = Simulation(world), []
    for place, (first, second) in enumerate(pairwise(transitions)):
        if second in simulation.enabled():
            free.append(place)
        simulation.apply(first)
    assume(free)
    place = data.draw(st.sampled_from(free))
    transitions[place : place + 2] = reversed(transitions[place : place + 2])

    assert () == judged(world, transitions)


@settings(**_EDIT)
@given(worlds(), _SEEDS, _SEEDS, st.data())
def test_first_divergence_does_not_depend_on_the_interleaving(world, one, other, data):
    golden = golden_of(world)
    moved = [name for name, entry in golden.paths.items() if entry.is_]
    liar = data.draw(st.sampled_from(moved))
    lines = []
    for seed in (one, other):
        trace = play(world, seed)
        last = max(p for p, t in enumerate(trace.transitions) if t.node == liar)
        wrong = list(trace.transitions)
        wrong[last] = msgspec.structs.replace(wrong[last], to="CANCELLED")
        observation = Observation(Trace(tuple(wrong), "succeeded"))
        comparison = compare(world.facts, golden, observation)
        explained = explain(world.facts, comparison, {}, observation)
        # How many consequences there are may depend on who ran before the divergence.
        lines.append([line for line in explained if not line.startswith((BAR, "   from this"))])

    assert lines[0] == lines[1]


@settings(**_EDIT)
@given(worlds(), _SEEDS)
def test_wrong_outcome_is_the_only_difference(world, seed):
    trace = msgspec.structs.replace(play(world, seed), outcome="failed")
    differences = compare(world.facts, golden_of(world), Observation(trace)).differences

    assert ["outcome"] == [difference.kind for difference in differences]
