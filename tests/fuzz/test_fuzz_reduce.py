from suite.fuzz.areas import AREAS
from suite.fuzz.model import Case, Edge, Example, Model, Node, Schedule, problems
from suite.fuzz.reduce import reduce_example, smaller
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
