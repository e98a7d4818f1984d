from comparator.compare import compare
from comparator.observation import Call
from tests.comparator_builder import differences, facts, golden, kinds, observed

OK = "READY RUNNING SUCCEEDED"
CHAIN = facts("a->b b->c s->a s->x", entry="s")
ALL = golden({"s": OK, "a": OK, "b": OK, "c": OK, "x": OK})


def ok(*names):
    return " ".join(f"{n}:READY {n}:RUNNING {n}:SUCCEEDED" for n in names)


def roots(found):
    return [str(difference.key) for difference in found if not difference.causes]


def test_consequences_follow_the_first_divergence():
    found = differences(CHAIN, f"{ok('s', 'x')} a:READY a:SKIPPED", ALL)

    assert ("illegal-pair", "a") == kinds(found)[0]
    assert ["a"] == roots(found)
    assert {(0,)} == {difference.causes for difference in found[1:]}


def test_independent_divergences_keep_the_order_of_the_document():
    one = differences(
        CHAIN, f"{ok('s')} x:READY x:RUNNING x:FAILED a:READY a:RUNNING a:FAILED", ALL
    )
    other = differences(
        CHAIN, f"{ok('s')} a:READY a:RUNNING a:FAILED x:READY x:RUNNING x:FAILED", ALL
    )

    assert kinds(one) == kinds(other)
    assert ["a", "x"] == roots(one)


def test_divergence_earlier_in_the_trace_is_no_consequence():
    text = f"{ok('s')} {ok('b')} a:READY a:RUNNING a:FAILED {ok('x')} {ok('c')}"
    found = differences(CHAIN, text, ALL)

    assert {"a", "b"} == set(roots(found))


def test_what_is_cancelled_by_a_wrong_failure_follows_from_it():
    text = f"{ok('s')} x:READY x:RUNNING a:READY a:RUNNING a:FAILED x:CANCELLED"
    found = differences(CHAIN, text, ALL)

    assert ["a"] == roots(found)
    assert ("path", "a") == kinds(found)[0]


def test_being_cancelled_comes_after_what_cancels():
    race = facts("s->a s->b a->j b->j", entry="s", j={"join": "any"})
    expected = golden({"s": OK, "a": OK, "b": "READY RUNNING CANCELLED", "j": OK})
    found = differences(race, ok("s", "a", "b"), expected)

    assert [("path", "j"), ("path", "b")] == kinds(found)


def test_outcome_follows_from_a_node():
    expected = golden({"s": OK, "a": OK, "b": OK, "c": OK, "x": OK}, outcome=None)
    found = differences(CHAIN, f"{ok('s', 'x')} a:READY a:RUNNING a:FAILED", expected)

    assert ("path", "a") == kinds(found)[0]


def test_only_the_first_divergence_is_blamed():
    comparison = compare(CHAIN, ALL, observed(f"{ok('s', 'x', 'a')} b:RUNNING b:SUCCEEDED"))

    assert ("6.2-no-pending-running",) == comparison.blamed
    assert not comparison.unobservable


def test_ring_of_error_edges_does_not_matter():
    document = facts("a->b b!>a", entry="a")
    found = differences(document, ok("a"), golden({"a": "READY SKIPPED", "b": OK}))

    assert [("path", "a"), ("path", "b")] == kinds(found)


def test_what_is_cancelled_by_a_later_named_failure_follows_from_it():
    text = f"{ok('s')} a:READY x:READY x:RUNNING x:FAILED a:CANCELLED"
    found = differences(CHAIN, observed(text, "failed"), ALL)

    assert ("path", "x") == kinds(found)[0]
    assert ["x"] == roots(found)


def test_an_earlier_iteration_comes_first_with_all_that_is_in_it():
    document = facts(loops={"l": {"body": "m"}, "m": {"body": "b"}}, entry="l")
    inner = {f"{name}[{n}{more}]": OK for n in "01" for name, more in (("m", ""), ("b", ",0"))}
    text = "l:READY l:RUNNING m[l:0]:READY m[l:0]:RUNNING b[l:0,m:0]:READY b[l:0,m:0]:RUNNING"
    more = "b[l:0,m:0]:FAILED m[l:0]:FAILED l:FAILED"
    found = differences(document, observed(f"{text} {more}", "failed"), golden({"l": OK, **inner}))

    assert "b[0,0]" == str(found[0].key)


def test_a_step_that_the_suite_leaves_without_an_answer_is_not_to_blame():
    document = facts("a->b", nodes="r")
    calls = (Call("r", 2), Call("a", 4, answered=4, ok=True))
    text = f"r:READY r:RUNNING {ok('a')}"
    expected = golden({"r": OK, "a": OK, "b": OK})
    stuck = observed(text, None, calls=calls, answering=True)
    found = differences(document, stuck, expected)

    assert [("path", "b"), ("path", "r")] == kinds(found)[:2]


def test_what_never_came_after_a_failure_follows_from_it_but_not_what_came_before():
    document = facts("a->b s->x y->x", nodes="a s y x b")
    text = f"{ok('a', 's')} x:READY x:RUNNING x:FAILED"
    names = dict.fromkeys("absxy", OK)
    found = differences(document, observed(text, "failed"), golden(names))

    assert ["y", "x", "b"] == [str(d.key) for d in found if d.kind == "path"]
