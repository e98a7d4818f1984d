import msgspec
import pytest

from comparator.address import AddressError, parse_address
from comparator.compare import compare
from comparator.form import resolve
from comparator.graph import Graph
from comparator.observation import Observation
from comparator.trace import Key, LoopStep, Trace, Transition
from tests.comparator_builder import differences, facts, golden, kinds, observed

OK = "READY RUNNING SUCCEEDED"
LOOP = facts("a->l", entry="a", nodes="a", loops={"l": {"body": "b"}})
NESTED = facts(entry="o", loops={"o": {"body": "i"}, "i": {"body": "b"}, "other": {"body": "b"}})


def ran(*addresses):
    return " ".join(f"{a}:READY {a}:RUNNING {a}:SUCCEEDED" for a in addresses)


def around(inner):
    return f"{ran('a')} l:READY l:RUNNING {inner} l:SUCCEEDED"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", Key("a")),
        ("b", Key("b")),
        ("b[2]", Key("b", (("l", 2),))),
        ("b[l:2]", Key("b", (("l", 2),))),
    ],
)
def test_address_is_resolved(text, expected):
    assert expected == resolve(Graph(LOOP), parse_address(text))


def test_nested_address_names_every_level():
    expected = Key("b", (("o", 1), ("i", 2)))

    assert expected == resolve(Graph(NESTED), parse_address("b[1,2]"))


def test_handler_of_a_body_has_iterations():
    document = facts("b!>h", entry="l", loops={"l": {"body": "b"}})

    assert Key("h", (("l", 1),)) == resolve(Graph(document), parse_address("h[1]"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q", "declares no node 'q'"),
        ("a[0]", "observed 0"),
        ("b[0,1]", "observed 0"),
        ("b[x:0]", "observed 0"),
    ],
)
def test_unresolvable_address_is_reported(text, message):
    with pytest.raises(AddressError, match=message):
        resolve(Graph(LOOP), parse_address(text))


def test_ambiguous_address_is_reported():
    document = facts(entry="l", loops={"l": {"body": "b"}, "m": {"body": "b"}})

    with pytest.raises(AddressError, match="observed 2"):
        resolve(Graph(document), parse_address("b[0]"))


def test_unknown_node_is_a_difference():
    found = differences(LOOP, f"{around('')} x:READY x:RUNNING")

    assert [("unknown-node", "x")] == kinds(found)
    assert {"more": 1} == found[0].detail


@pytest.mark.parametrize("place", ["a[l:0]", "b[a:0]", "l[l:0]"])
def test_iteration_must_fit_the_loops(place):
    expected = golden({"a": "*", "l": "*", "b": "*"})
    found = differences(LOOP, f"{around('')} {ran(place)}", expected)

    assert "iteration" == found[0].kind


@pytest.mark.parametrize(
    "text",
    [
        "a:PENDING a:READY a:RUNNING a:SUCCEEDED",
        "a:READY@1 a:RUNNING@1 a:SUCCEEDED@1",
        "a:READY@0 a:RUNNING@1 a:SUCCEEDED",
        "a:READY a:RUNNING@1 a:RETRYING@1 a:READY@2 a:RUNNING@2 a:SUCCEEDED@2",
    ],
)
def test_forgiven_form(text):
    document = facts(entry="a", a={"max_attempts": 2})
    word = OK if "RETRYING" not in text else "READY RUNNING RETRYING READY RUNNING SUCCEEDED"

    assert () == differences(document, text, golden({"a": word}))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("a:PENDING a:PENDING a:READY a:RUNNING a:SUCCEEDED", "illegal-pair"),
        ("a:READY a:PENDING", "illegal-pair"),
        ("a:READY a:RUNNING@2 a:SUCCEEDED@2", "attempt"),
        ("a:READY a:RUNNING@1 a:SUCCEEDED@2", "attempt"),
        ("a:READY a:RUNNING@1 a:RETRYING@1 a:READY a:RUNNING@1 a:SUCCEEDED@1", "attempt"),
        ("a:READY a:RUNNING@0 a:SUCCEEDED@0", "attempt"),
        ("a:READY@99 a:RUNNING@1 a:SUCCEEDED@1", "attempt"),
        ("a:READY a:RUNNING@1 a:RETRYING@1 a:READY@7 a:RUNNING@2 a:SUCCEEDED@2", "attempt"),
    ],
)
def test_unforgiven_form(text, kind):
    found = differences(facts(entry="a", a={"max_attempts": 2}), text)

    assert kind == found[0].kind


def test_missing_iterations_are_split_at_pending_to_ready():
    text = around("b:READY b:RUNNING b:SUCCEEDED b:PENDING>READY b:RUNNING b:SUCCEEDED")
    expected = golden({"a": OK, "l": OK, "b": "", "b[0]": OK, "b[1]": OK})

    assert () == differences(LOOP, text, expected)


def test_missing_levels_are_those_under_way():
    text = (
        "o:READY o:RUNNING "
        "i:READY i:RUNNING b:READY b:RUNNING b:SUCCEEDED i:SUCCEEDED "
        "i:PENDING>READY i:RUNNING b:PENDING>READY b:RUNNING b:SUCCEEDED i:SUCCEEDED o:SUCCEEDED"
    )
    document = facts(entry="o", loops={"o": {"body": "i"}, "i": {"body": "b"}})
    paths = {"o": OK, "i": "", "b": "", "i[0]": OK, "i[1]": OK, "b[0,0]": OK, "b[1,0]": OK}

    assert () == differences(document, text, golden(paths))


def test_inner_level_alone_is_completed():
    text = (
        "o:READY o:RUNNING i[o:0]:READY i[o:0]:RUNNING "
        f"{ran('b[i:0]')} i[o:0]:SUCCEEDED o:SUCCEEDED"
    )
    document = facts(entry="o", loops={"o": {"body": "i"}, "i": {"body": "b"}})
    paths = {"o": OK, "i": "", "b": "", "i[0]": OK, "b[0,0]": OK}

    assert () == differences(document, text, golden(paths))


def test_outer_state_of_a_body_is_forgiven_beside_named_iterations():
    text = around(f"{ran('b[l:0]')} b:READY b:RUNNING b:SUCCEEDED")
    expected = golden({"a": OK, "l": OK, "b": "", "b[0]": OK})

    assert () == differences(LOOP, text, expected)


def test_body_before_its_loop_is_not_forgiven():
    text = f"{ran('a', 'b')} l:READY l:RUNNING {ran('b[l:0]')} l:SUCCEEDED"
    expected = golden({"a": OK, "l": OK, "b": "", "b[0]": OK})
    found = differences(LOOP, text, expected)

    assert ("path", "b") == kinds(found)[0]
    assert "7.2.6-body-runs-only-as-iteration" in found[1].cites


def test_attempts_may_count_on_over_iterations():
    text = around(
        "b[l:0]:READY b[l:0]:RUNNING@1 b[l:0]:SUCCEEDED@1 "
        "b[l:1]:READY b[l:1]:RUNNING@2 b[l:1]:SUCCEEDED@2"
    )
    expected = golden({"a": OK, "l": OK, "b": "", "b[0]": OK, "b[1]": OK})

    assert () == differences(LOOP, text, expected)


def test_creation_entries_of_bodies_are_forgiven():
    named = f"b:PENDING {ran('a')} l:READY l:RUNNING {ran('b[l:0]')} l:SUCCEEDED"
    unnamed = f"b:PENDING {ran('a')} l:READY l:RUNNING {ran('b')} l:SUCCEEDED"
    expected = golden({"a": OK, "l": OK, "b": "", "b[0]": OK})

    assert () == differences(LOOP, named, expected)
    assert () == differences(LOOP, unnamed, expected)


def test_body_of_two_loops_belongs_to_the_running_one():
    document = facts("l->m", entry="l", loops={"l": {"body": "b"}, "m": {"body": "b"}})
    text = (
        f"l:READY l:RUNNING {ran('b')} l:SUCCEEDED "
        "m:READY m:RUNNING b:PENDING>READY b:RUNNING b:SUCCEEDED m:SUCCEEDED"
    )
    expected = golden({"l": OK, "m": OK, "b": "", "b[l:0]": OK, "b[m:0]": OK})

    assert () == differences(document, text, expected)


def test_unnamed_iteration_may_end_after_its_loop():
    document = facts("l!>h", entry="l", loops={"l": {"body": "b"}})
    text = f"l:READY l:RUNNING b:READY b:RUNNING l:FAILED b:SUCCEEDED {ran('h')}"
    expected = golden({"l": "READY RUNNING FAILED", "b": "", "b[0]": OK, "h": OK})

    assert () == differences(document, text, expected)


def test_unnamed_runs_of_a_handler_are_unobservable():
    loop = {"body": "b", "on_item_failure": "continue"}
    document = facts("b!>h", entry="l", loops={"l": loop})
    again = "h:READY h:RUNNING h:SUCCEEDED b:PENDING>READY b:RUNNING b:FAILED h:PENDING>READY"
    text = f"l:READY l:RUNNING b:READY b:RUNNING b:FAILED {again} h:RUNNING h:SUCCEEDED l:SUCCEEDED"
    bad = "READY RUNNING FAILED"
    expected = golden({"l": OK, "b": "", "b[0]": bad, "b[1]": bad, "h": "", "h[0]": OK, "h[1]": OK})

    assert [("unobservable", "h")] == kinds(differences(document, text, expected))


def test_handler_of_a_handler_has_iterations():
    document = facts("b!>h h!>k", entry="l", loops={"l": {"body": "b"}})

    assert Key("k", (("l", 0),)) == resolve(Graph(document), parse_address("k[l:0]"))


def test_wrong_count_over_iterations_is_noticed():
    text = around(
        f"{ran('b[l:0]')} {ran('b[l:1]')} b[l:2]:READY b[l:2]:RUNNING@3 b[l:2]:SUCCEEDED@4"
    )
    expected = golden({"a": OK, "l": OK, "b": ""} | {f"b[{n}]": OK for n in range(3)})
    (found,) = differences(LOOP, text, expected)

    assert ("attempt", 3, 4) == (found.kind, found.expected, found.observed)


@pytest.mark.parametrize(
    ("inner", "key"),
    [
        ("b[l:0]:READY b[l:0]:RUNNING@7 b[l:0]:SUCCEEDED@7", "b[0]"),
        ("b:READY b:RUNNING@2 b:SUCCEEDED@2", "b[0]"),
        (f"{ran('b[l:0]')} b[l:1]:READY b[l:1]:RUNNING@3 b[l:1]:SUCCEEDED@3", "b[1]"),
        (f"{ran('b[l:0]')} b[l:1]:READY b[l:1]:RUNNING@1 b[l:1]:SUCCEEDED@2", "b[1]"),
        (f"{ran('b[l:0]')} b[l:1]:READY@9 b[l:1]:RUNNING@2 b[l:1]:SUCCEEDED@2", "b[1]"),
    ],
    ids=["first", "unnamed", "beyond-those-before", "both-countings", "ready"],
)
def test_count_that_nothing_before_it_explains_is_noticed(inner, key):
    paths = {"a": OK, "l": OK, "b": "", "b[0]": OK} | {key: OK}

    assert [("attempt", key)] == kinds(differences(LOOP, around(inner), golden(paths)))


def test_count_over_iterations_includes_retries_and_iterations_made_ready_together():
    document = facts(
        "a->l",
        entry="a",
        loops={"l": {"body": "b", "max_concurrency": 2}},
        b={"max_attempts": 2},
    )
    retried = "b[l:0]:RUNNING@1 b[l:0]:RETRYING@1 b[l:0]:READY@2 b[l:0]:RUNNING@2"
    for inner in (
        (
            f"b[l:0]:READY@1 {retried} b[l:0]:SUCCEEDED@2 "
            "b[l:1]:READY@3 b[l:1]:RUNNING@3 b[l:1]:SUCCEEDED@3"
        ),
        (
            "b[l:0]:READY@1 b[l:1]:READY@2 b[l:1]:RUNNING@2 b[l:0]:RUNNING@1 "
            "b[l:0]:SUCCEEDED@1 b[l:1]:SUCCEEDED@2"
        ),
    ):
        assert () == differences(document, around(inner))


NEST = {"o": {"body": "i", "max_concurrency": 2}, "i": {"body": "b"}}
BOTH = "o:READY o:RUNNING i[o:0]:READY i[o:0]:RUNNING i[o:1]:READY i[o:1]:RUNNING"
DONE = "i[o:0]:SUCCEEDED i[o:1]:SUCCEEDED o:SUCCEEDED"


@pytest.mark.parametrize(
    "inner",
    [
        (
            "b[i:0]:READY b[i:0]:PENDING>READY b[i:0]:READY>RUNNING b[i:0]:READY>RUNNING "
            "b[i:0]:SUCCEEDED b[i:0]:RUNNING>SUCCEEDED"
        ),
        "b:READY b:PENDING>READY b:READY>RUNNING b:READY>RUNNING b:SUCCEEDED b:RUNNING>SUCCEEDED",
    ],
    ids=["inner-level", "nothing"],
)
def test_outer_iterations_that_overlap_unnamed_are_unobservable(inner):
    document = facts(entry="o", loops=NEST)
    paths = {"o": OK, "i": "", "b": "", "i[0]": OK, "i[1]": OK, "b[0,0]": OK, "b[1,0]": OK}
    found = differences(document, f"{BOTH} {inner} {DONE}", golden(paths))

    assert [("unobservable", "b")] == kinds(found)


def test_only_a_running_outer_iteration_is_around_an_inner_one():
    document = facts(entry="o", loops={"o": {"body": "i"}, "i": {"body": "b"}})
    second = f"i[o:1]:RUNNING {ran('b[i:0]')} i[o:1]:SUCCEEDED o:SUCCEEDED".replace(
        "b[i:0]:READY", "b[i:0]:PENDING>READY"
    )
    text = (
        "o:READY o:RUNNING i[o:0]:READY i[o:1]:READY i[o:0]:RUNNING "
        f"{ran('b[i:0]')} i[o:0]:SUCCEEDED {second}"
    )
    paths = {"o": OK, "i": "", "b": "", "i[0]": OK, "i[1]": OK, "b[0,0]": OK, "b[1,0]": OK}

    assert () == differences(document, text, golden(paths))


@pytest.mark.parametrize(
    ("failed", "notes"),
    [
        pytest.param({}, {"error-class-missing": 1}, id="nothing"),
        pytest.param({"error_class": "transient"}, {}, id="class"),
        pytest.param({"code": "HX-4101"}, {"error-message-missing": 1}, id="code"),
        pytest.param({"code": "HX-4101", "message": "x has no value"}, {}, id="code-and-text"),
    ],
)
def test_missing_recommended_fields_are_noted(failed, notes):
    observation = observed("a:READY a:RUNNING a:FAILED")
    *before, last = observation.trace.transitions
    transitions = (*before, msgspec.structs.replace(last, **failed))
    trace = msgspec.structs.replace(observation.trace, transitions=transitions)
    comparison = compare(
        facts("a!>h", entry="a"),
        golden({"a": "*", "h": "*"}),
        msgspec.structs.replace(observation, trace=trace),
    )

    assert {"attempt-missing": 2, "time-missing": 3, **notes} == comparison.notes


def test_unnamed_overlapping_iterations_are_unobservable():
    document = facts(entry="l", loops={"l": {"body": "b", "max_concurrency": 2}})
    text = (
        "l:READY l:RUNNING b:READY b:PENDING>READY b:READY>RUNNING b:READY>RUNNING "
        "b:RUNNING>SUCCEEDED b:RUNNING>FAILED l:SUCCEEDED"
    )
    expected = golden({"l": OK, "b": "", "b[0]": OK, "b[1]": "READY RUNNING FAILED"})

    assert [("unobservable", "b")] == kinds(differences(document, text, expected))


def test_step_back_to_pending_of_a_node_without_loop_is_a_difference():
    step = LoopStep("l", 0)
    back = Transition("a", "CANCELLED", "PENDING", iteration=(step,))
    comparison = compare(
        facts("a->b"),
        golden({"a": OK, "b": OK}),
        Observation(trace=Trace((back,), "succeeded")),
    )

    assert comparison.differences
