from suite.fuzz.areas import AREAS
from suite.fuzz.model import Case, Edge, Example, Loop, Model, Node, Schedule
from suite.fuzz.reduce import reduce_example, smaller
from suite.fuzz.validity import problems
from tests.fuzz_simulator import draw, seeded


def with_any_join(example):
    return any(node.join == "any" for node in example.model.nodes)


def largest(keep, area="joins"):
    rng = seeded(41)
    found = [example for example in (draw(rng, area) for _ in range(200)) if keep(example)]
    return max(found, key=lambda example: len(example.model.edges))


def test_reduces_to_what_the_failure_needs():
    small = reduce_example(largest(with_any_join), with_any_join)

    assert Model((Node(), Node(join="any")), (Edge(0, 1),)) == small.model
    assert Schedule((0, 1), ("now", "now")) == small.schedule


def test_bridges_the_gap_of_a_removed_node():
    chain = Model((Node(),) * 4, (Edge(0, 1), Edge(1, 2), Edge(2, 3)))
    example = Example(chain, Schedule((0, 1, 2, 3), ("now",) * 4))

    def still(candidate):
        return len(candidate.model.edges) >= 2

    assert Model((Node(),) * 3, (Edge(0, 1), Edge(1, 2))) == reduce_example(example, still).model


def test_decision_becomes_plain_when_it_does_not_matter():
    model = Model((Node(kind="decision", cases=(Case(1),)), Node()), (Edge(0, 1),), entry=True)
    example = Example(model, Schedule((0, 1), ("now", "now")))
    small = reduce_example(example, lambda candidate: bool(candidate.model.edges))

    assert Model((Node(), Node()), (Edge(0, 1),)) == small.model


def test_candidates_run_only_when_valid_and_once():
    seen = []

    def record(candidate):
        seen.append(candidate)
        return False

    reduce_example(largest(lambda _: True, "failures"), record)

    assert len(set(seen)) == len(seen)
    assert [] == [text for candidate in seen for text in problems(candidate.model)]


def test_number_of_runs_is_bounded():
    seen = []
    reduce_example(largest(with_any_join), lambda e: seen.append(e) or False, most_runs=7)

    assert len(seen) == 7


def test_no_candidate_is_the_example_itself():
    rng = seeded(43)
    for name in AREAS:
        example = draw(rng, name)

        assert example not in smaller(example)


def test_loop_shrinks_to_the_iteration_that_matters():
    example = largest(
        lambda e: any(n.loop and "fail" in n.loop.fates for n in e.model.nodes), "loops"
    )

    def still(candidate):
        return any(node.loop and "fail" in node.loop.fates for node in candidate.model.nodes)

    small = reduce_example(example, still, most_runs=2000).model
    plain = Loop(Model((Node(),)), fates=("fail",))

    assert [plain] == [node.loop for node in small.nodes if node.loop]
    assert len(small.nodes) <= 2


def test_inner_loop_takes_the_place_of_the_outer_one():
    inner = Loop(Model((Node(),)), fates=("ok", "ok"))
    outer = Loop(Model((Node(kind="loop", loop=inner),)))
    model = Model((Node(kind="loop", loop=outer),), entry=True)
    example = Example(model, Schedule((0,), ("now",)))
    found = [candidate.model.nodes[0].loop for candidate in smaller(example)]

    assert inner in found


def test_cancel_moves_with_its_node_and_goes_when_it_does_not_matter():
    model = Model((Node(), Node(), Node()), (Edge(0, 1), Edge(1, 2)))
    example = Example(model, Schedule((0, 1, 2), ("now",) * 3, (2, "RUNNING")))
    cancelled = reduce_example(example, lambda e: e.schedule.cancel is not None)
    plain = reduce_example(example, lambda e: len(e.model.nodes) > 1)

    assert (0, "RUNNING") == cancelled.schedule.cancel
    assert None is plain.schedule.cancel
