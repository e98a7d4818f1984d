from collections import Counter
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suite.fuzz.areas import AREAS
from suite.fuzz.generate import BYTES_PER_NODE, decode_example, decode_schedule, draw_examples
from suite.fuzz.model import Edge, Model, Node, Schedule
from suite.fuzz.strategy import examples
from suite.fuzz.validity import problems
from tests.fuzz_simulator import draw, seeded


@pytest.mark.parametrize("area", AREAS.values(), ids=AREAS)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_every_drawn_model_is_valid_by_construction(area, data):
    example = data.draw(examples(area))

    assert problems(example.model) == []


@pytest.mark.parametrize("name", AREAS)
def test_many_random_models_are_valid(name):
    rng = seeded(7)

    assert [] == [text for _ in range(1500) for text in problems(draw(rng, name).model)]


def test_zeros_decode_to_plain_tasks_answered_at_once():
    example = decode_example(bytes(2 * BYTES_PER_NODE), AREAS["joins"])

    assert Model((Node(), Node())) == example.model
    assert Schedule((0, 1), ("now", "now")) == example.schedule


def test_a_seed_stands_for_its_runs_and_the_simplest_comes_first():
    first, again, other = (
        list(islice(draw_examples(AREAS["joins"], seed), 20)) for seed in (1, 1, 2)
    )
    simplest = decode_example(bytes(BYTES_PER_NODE), AREAS["joins"])

    assert first == again
    assert simplest == first[0] == other[0]
    assert first[1:] != other[1:]


def test_all_sizes_of_an_area_are_drawn():
    area = AREAS["joins"]
    sizes = {len(run.model.nodes) for run in islice(draw_examples(area, 3), 500)}

    assert set(range(1, area.max_nodes + 1)) == sizes


def test_schedule_bytes_give_waits_and_order():
    schedule = decode_schedule(bytes([0b1001, 0b0000, 0b0111]), bytes(3), AREAS["joins"])

    assert Schedule((1, 2, 0), ("idle", "now", 2)) == schedule


def test_further_schedule_bytes_give_an_external_cancel():
    schedule = decode_schedule(bytes([1, 0]), bytes([255, 4]), AREAS["cancellation"])

    assert Schedule((0, 1), ("idle", "now"), (1, "FAILED")) == schedule


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        (
            "joins",
            (
                "task barrier decision all any quorum guard:false guard:true once control data "
                "dependency cond:true cond:false cond:flag starving default case:true case:false "
                "case:flag case:otherwise"
            ),
        ),
        (
            "failures",
            (
                "error failing retrying excluded decision quorum starving backoff:linear "
                "backoff:exponential capped"
            ),
        ),
        ("inputs", "starving default guard:false error"),
        ("unwinding", "compensation cond:false once retrying failing"),
        ("cancellation", "cancel:RUNNING cancel:FAILED cancel:RETRYING once"),
        (
            "loops",
            (
                "forEach times nested handled fate:ok fate:fail fate:skip policy:fail "
                "policy:continue policy:break concurrency:1 concurrency:3 excess"
            ),
        ),
        ("mixed", "loop compensation error decision any cancel:RUNNING"),
    ],
)
def test_area_draws_each_construct(name, wanted):
    rng = seeded(11)
    seen = Counter()
    for _ in range(600):
        example = draw(rng, name)
        model, cancel = example.model, example.schedule.cancel
        seen[f"cancel:{cancel[1] if cancel else None}"] += 1
        for node in model.nodes:
            seen.update((node.kind, node.join, f"guard:{node.guard}", f"backoff:{node.backoff}"))
            seen["capped"] += node.cap > 0
            if node.loop is not None:
                seen.update(words_of(node.loop))
            seen["once"] += not node.idempotent
            seen["failing"] += node.failures > 0
            seen["retrying"] += node.attempts > 1
            seen["excluded"] += node.excluded
            seen.update(f"case:{case.when}" for case in node.cases)
        for edge in model.edges:
            seen.update((edge.type, f"cond:{edge.condition}"))
            seen[edge.feeds] += edge.type == "data"

    assert [] == [word for word in wanted.split() if seen[word] < 8]


def words_of(loop):
    yield from (loop.kind, f"policy:{loop.policy}", f"concurrency:{loop.concurrency}")
    yield from (f"fate:{fate}" for fate in loop.fates)
    yield from ("excess" for _ in range(loop.exceeds))
    yield from ("handled" for _ in loop.body.edges)
    yield from ("nested" for node in loop.body.nodes if node.loop is not None)


def test_joins_area_has_no_failing_steps_and_no_error_edges():
    rng = seeded(13)
    models = [draw(rng).model for _ in range(300)]

    assert not any(node.failures for model in models for node in model.nodes)
    assert not any(edge.type == "error" for model in models for edge in model.edges)


def orphans(model):
    count = len(model.nodes)
    return [i for i in range(1, count) if all(edge.target != i for edge in model.edges)]


def test_orphans_hang_under_the_declared_entry_of_decisions():
    rng = seeded(17)
    models = [draw(rng).model for _ in range(300)]
    routed = [m for m in models if any(node.cases for node in m.nodes)]

    assert len(routed) > 20
    assert [] == [m for m in routed if orphans(m) or not m.entry]


def test_other_roots_may_stand_beside_a_declared_entry():
    rng = seeded(17)
    models = [draw(rng).model for _ in range(600)]
    strays = [m for m in models if m.entry and orphans(m)]

    assert len(strays) > 5


def test_pairs_may_be_joined_by_a_data_and_a_control_edge():
    rng = seeded(19)
    pairs = Counter(
        (number, edge.source, edge.target)
        for number in range(400)
        for edge in draw(rng).model.edges
    )

    assert 2 == max(pairs.values())
    assert Edge(0, 1) != Edge(0, 1, "data")
