import pytest

from comparator.compare import compare
from comparator.golden import Choice, Golden, Option, OutcomeEntry, PathEntry
from tests.comparator_builder import CITES, differences, facts, golden, kinds, observed

OK = "READY RUNNING SUCCEEDED"
CHAIN = facts("a->b b->c", entry="a")
RUN = "a:READY a:RUNNING a:SUCCEEDED b:READY b:RUNNING b:SUCCEEDED"


def test_equal_paths_pass():
    assert () == differences(CHAIN, RUN, golden({"a": OK, "b": OK, "c": ""}))


@pytest.mark.parametrize(
    ("word", "index", "place"),
    [
        ("READY RUNNING FAILED", 2, 5),
        ("READY SKIPPED", 1, 4),
        ("", 0, 3),
        (f"{OK} COMPENSATED", 3, None),
    ],
)
def test_divergence_is_placed_at_the_first_other_state(word, index, place):
    (found,) = differences(CHAIN, RUN, golden({"a": OK, "b": word, "c": ""}))

    assert ("path", "b") == kinds([found])[0]
    assert ({"index": index}, place) == (found.detail, found.place)
    assert (word, OK) == (found.expected, found.observed)


def test_unlisted_node_that_moved_is_a_difference():
    found = differences(CHAIN, RUN, golden({"a": OK}))

    assert [("unlisted", "b")] == kinds(found)


def test_legality_only_is_told():
    comparison = compare(CHAIN, golden({"a": OK, "b": "*", "c": ""}), observed(RUN))

    assert () == comparison.differences
    assert ("b",) == comparison.unjudged


def option(reading, paths, **more):
    entries = {name: PathEntry(cites=(reading,), is_=word) for name, word in paths.items()}
    return Option(reading=reading, paths=entries, **more)


def choice(*options):
    return Golden(
        paths={"a": PathEntry(cites=CITES, is_=OK)},
        choices=(Choice(interpretation="U", options=options),),
    )


BOTH = choice(
    option("a", {"b": OK, "c": OK}, preferred=True),
    option("b", {"b": OK, "c": ""}),
)


def test_any_option_passes_and_is_noted():
    comparison = compare(CHAIN, BOTH, observed(RUN))

    assert () == comparison.differences
    assert [("U", "b", False)] == [
        (r.interpretation, r.reading, r.preferred) for r in comparison.readings
    ]


def test_failure_is_told_against_the_nearest_option():
    comparison = compare(CHAIN, BOTH, observed("a:READY a:RUNNING a:SUCCEEDED b:READY b:SKIPPED"))

    assert [("b",)] == [d.cites for d in comparison.differences if d.kind == "path"]
    assert "b" == comparison.readings[0].reading


def test_preferred_option_wins_among_equals():
    expected = choice(option("b", {"b": ""}), option("a", {"b": OK}, preferred=True))
    comparison = compare(CHAIN, expected, observed("a:READY a:RUNNING a:SUCCEEDED b:CANCELLED"))

    assert "a" == comparison.readings[0].reading


def test_node_that_only_another_option_lists_stays_pending():
    expected = choice(option("a", {"b": OK}, preferred=True), option("b", {"c": OK}))
    found = differences(
        facts("a->b a->c", entry="a"), f"{RUN} c:READY c:RUNNING c:SUCCEEDED", expected
    )

    assert [("path", "c")] == kinds(found)


@pytest.mark.parametrize(
    ("level", "count"), [(None, 0), ("core", 0), ("executing", 0), ("full", 1)]
)
def test_option_counts_up_to_its_level(level, count):
    expected = choice(
        option("a", {"b": OK, "c": OK}, preferred=True),
        option("b", {"b": OK, "c": ""}, up_to="executing"),
    )

    assert count == len(differences(CHAIN, observed(RUN), expected, level))


def test_choice_without_an_accepted_option_is_a_fault_of_the_golden():
    expected = choice(
        option("a", {"b": OK}, preferred=True, up_to="core"), option("b", {}, up_to="core")
    )

    with pytest.raises(ValueError, match="no option is accepted at level 'full'"):
        differences(CHAIN, observed(RUN), expected, "full")


def test_option_sets_the_outcome_too():
    failed = OutcomeEntry(cites=("o",), is_="failed")
    expected = choice(
        option("a", {"b": OK, "c": ""}, preferred=True, outcome=failed),
        option("b", {"b": OK, "c": OK}, outcome=OutcomeEntry(cites=("p",), is_="succeeded")),
    )
    found = differences(CHAIN, observed(RUN), expected)

    assert [("outcome", ("o",))] == [(d.kind, d.cites) for d in found]
