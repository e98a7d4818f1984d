import pytest

from tests.comparator_builder import differences, facts, kinds, observed

ANY = {"join": "any"}
RACE = facts("s->a s->b a->j b->j", entry="s", j=ANY)
UNDO = facts("a->b b->f a~>u b~>v", entry="a")


def ok(*names):
    return " ".join(f"{n}:READY {n}:RUNNING {n}:SUCCEEDED" for n in names)


OPEN_B = "s:READY s:RUNNING s:SUCCEEDED b:READY b:RUNNING"


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (RACE, f"{OPEN_B} {ok('a')} j:READY b:CANCELLED j:RUNNING j:SUCCEEDED"),
        (RACE, f"{OPEN_B} {ok('a')} b:CANCELLED j:READY j:RUNNING j:SUCCEEDED"),
        (facts("s->a s->b", entry="s"), f"{OPEN_B} a:READY a:RUNNING a:FAILED b:CANCELLED"),
        (facts("s->a s->b a!>h?false", entry="s"),
         f"{OPEN_B} a:READY a:RUNNING a:FAILED b:CANCELLED"),
    ],
    ids=["any-join", "any-join-shown-later", "unwinding", "maybe-unhandled"],
)  # fmt: skip
def test_cancellation_with_a_cause_passes(document, text):
    assert () == differences(document, text)


@pytest.mark.parametrize(
    ("text", "cite"),
    [
        ("a:CANCELLED", "6.2-pending-cancelled"),
        ("a:READY a:CANCELLED", "6.2-no-ready-cancelled-in-plain-run"),
        ("a:READY a:RUNNING a:CANCELLED", "6.2-no-running-cancelled-without-cause"),
        (
            "a:READY a:RUNNING a:RETRYING a:CANCELLED",
            "6.2-no-retrying-cancelled-without-instance-cancel",
        ),
    ],
)
def test_cancellation_without_a_cause_is_noticed(text, cite):
    found = differences(facts(nodes="a", entry="a"), text)

    assert [("no-cause", "a")] == kinds(found)
    assert (cite,) == found[0].cites


def test_cancelled_instance_is_a_cause():
    observation = observed("a:READY a:RUNNING a:CANCELLED b:CANCELLED", cancelled=2)

    assert () == differences(facts("a->b", entry="a"), observation)


def test_nothing_is_cancelled_before_the_instance_is():
    observation = observed("b:CANCELLED a:READY a:RUNNING a:CANCELLED", cancelled=2)
    found = differences(facts("a->b", entry="a"), observation)

    assert [("no-cause", "b")] == kinds(found)
    assert ("6.2-pending-cancelled",) == found[0].cites


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (facts("s->a s->b s->x a->j b->j x!>j", entry="s", j=ANY),
         f"{OPEN_B} x:READY x:RUNNING x:FAILED {ok('j')} b:CANCELLED"),
        (facts("s->d s->b b->j", entry="s", targets={"d": "j u"}, j=ANY),
         f"{OPEN_B} {ok('d')} j:READY b:CANCELLED j:RUNNING j:SUCCEEDED"),
        (facts("s->a s->b a->j b!>j", entry="s", j=ANY),
         f"{OPEN_B} {ok('a')} j:READY b:CANCELLED j:RUNNING j:SUCCEEDED"),
    ],
    ids=["error-edge-decides", "route-decides", "loser-by-an-error-edge"],
)  # fmt: skip
def test_race_may_be_decided_or_reached_otherwise(document, text):
    assert () == differences(document, text)


def test_error_edge_not_taken_decides_no_race():
    document = facts("s->b s->x b->j x!>j", entry="s", j=ANY)
    text = f"{OPEN_B} x:READY x:RUNNING b:CANCELLED x:FAILED {ok('j')}"

    assert [("no-cause", "b")] == kinds(differences(document, text))


def test_pending_loser_of_a_race_stays_pending():
    document = facts("s->a s->b a->j b->c c->j", entry="s", j=ANY)
    text = f"{OPEN_B} {ok('a', 'j')} c:CANCELLED b:CANCELLED"

    assert [("no-cause", "c")] == kinds(differences(document, text))


def test_loser_is_not_cancelled_before_there_is_a_winner():
    text = f"{OPEN_B} b:CANCELLED {ok('a')} j:READY j:RUNNING j:SUCCEEDED"

    assert [("no-cause", "b")] == kinds(differences(RACE, text))


def test_handled_failure_is_no_cause():
    document = facts("s->a s->b a!>h", entry="s")
    text = f"{OPEN_B} a:READY a:RUNNING a:FAILED {ok('h')} b:CANCELLED"

    assert [("no-cause", "b")] == kinds(differences(document, text))


@pytest.mark.parametrize("policy", ["fail", "break"])
def test_stopped_loop_is_a_cause(policy):
    element = {"body": "b", "max_concurrency": 2, "on_item_failure": policy}
    document = facts("l!>h", entry="l", loops={"l": element})
    end = "FAILED h:READY h:RUNNING h:SUCCEEDED" if policy == "fail" else "SUCCEEDED"
    text = (
        "l:READY l:RUNNING b[l:0]:READY b[l:1]:READY b[l:0]:RUNNING b[l:1]:RUNNING "
        f"b[l:0]:FAILED b[l:1]:CANCELLED l:{end}"
    )

    assert () == differences(document, text)


def test_loop_that_goes_on_is_no_cause():
    element = {"body": "b", "max_concurrency": 2, "on_item_failure": "continue"}
    document = facts(entry="l", loops={"l": element})
    text = (
        "l:READY l:RUNNING b[l:0]:READY b[l:1]:READY b[l:0]:RUNNING b[l:1]:RUNNING "
        "b[l:0]:SUCCEEDED b[l:1]:CANCELLED l:SUCCEEDED"
    )

    assert [("no-cause", "b[1]")] == kinds(differences(document, text))


def test_dependency_may_decide_a_race():
    document = facts("s->a s->b a!>h a..>j b->j", entry="s", j=ANY)
    text = (
        f"{OPEN_B} a:READY a:RUNNING a:FAILED j:READY b:CANCELLED {ok('h')} j:RUNNING j:SUCCEEDED"
    )

    assert () == differences(document, text)


def test_race_that_nobody_won_is_no_cause():
    document = facts("s->a s->b s->k k->j b->j", entry="s", j=ANY)
    text = f"{OPEN_B} {ok('a')} b:CANCELLED k:READY k:CANCELLED"

    assert [("no-cause", "k"), ("no-cause", "b")] == kinds(differences(document, text))[::-1]


def test_failed_iteration_is_no_cause_outside_its_loop():
    document = facts(
        "s->l s->b", entry="s", loops={"l": {"body": "w", "on_item_failure": "continue"}}
    )
    text = f"{OPEN_B} l:READY l:RUNNING w[l:0]:READY w[l:0]:RUNNING w[l:0]:FAILED b:CANCELLED "

    assert ("no-cause", "b") in kinds(differences(document, f"{text} l:FAILED"))


def test_iteration_of_a_loser_may_be_cancelled():
    document = facts("s->a s->l a->j l->j", entry="s", j=ANY, loops={"l": {"body": "w"}})
    text = (
        "s:READY s:RUNNING s:SUCCEEDED l:READY l:RUNNING w[l:0]:READY w[l:0]:RUNNING "
        f"{ok('a')} w[l:0]:CANCELLED l:CANCELLED {ok('j')}"
    )

    assert () == differences(document, text)


def test_spared_node_has_no_rank_in_the_undoing():
    document = facts("a->n a->f a~>u n~>v", entry="a", n={"idempotent": False})
    text = (
        f"{ok('a')} n:READY n:RUNNING f:READY f:RUNNING f:FAILED {ok('u')} a:COMPENSATED "
        f"n:SUCCEEDED {ok('v')} n:COMPENSATED"
    )

    assert () == differences(document, text)


def test_reverse_completion_order_passes():
    text = (
        f"{ok('a', 'b')} f:READY f:RUNNING f:FAILED {ok('v')} b:COMPENSATED {ok('u')} a:COMPENSATED"
    )

    assert () == differences(UNDO, text)


@pytest.mark.parametrize(
    ("document", "text", "key", "cite"),
    [
        (UNDO, f"{ok('a')} a:COMPENSATED", "a", "6.2-no-compensated-outside-unwinding"),
        (facts("a->f", entry="a"), f"{ok('a')} f:READY f:RUNNING f:FAILED a:COMPENSATED", "a",
         "8.4.1-without-edge-stays-succeeded"),
        (UNDO, (f"{ok('a', 'b')} f:READY f:RUNNING f:FAILED v:READY b:COMPENSATED "
               "v:RUNNING v:SUCCEEDED"), "b", "6.2-succeeded-compensated"),
        (UNDO, (f"{ok('a', 'b')} f:READY f:RUNNING f:FAILED {ok('u')} a:COMPENSATED "
               f"{ok('v')} b:COMPENSATED"), "u", "8.4.1-reverse-completion-order"),
    ],
    ids=["no-unwinding", "no-edge", "undo-not-done", "wrong-order"],
)  # fmt: skip
def test_compensation_against_the_rules_is_noticed(document, text, key, cite):
    found = differences(document, text)

    assert [("compensation", key)] == kinds(found)
    assert cite == found[0].cites[0]


FAILS = f"{ok('a', 'b')} f:READY f:RUNNING f:FAILED"


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (UNDO, f"{FAILS} {ok('u', 'v')} b:COMPENSATED a:COMPENSATED"),
        (UNDO, (f"{FAILS} u:READY v:READY u:RUNNING v:RUNNING v:SUCCEEDED b:COMPENSATED "
               "u:SUCCEEDED a:COMPENSATED")),
        (UNDO, f"{FAILS} u:READY u:RUNNING u:SUCCEEDED a:COMPENSATED v:READY v:RUNNING v:FAILED"),
    ],
    ids=["one-by-one", "overlapping", "later-one-fails"],
)  # fmt: skip
def test_undo_that_starts_before_that_of_a_later_completion_is_noticed(document, text):
    (found,) = differences(document, text)

    assert ("compensation", "u", "READY→RUNNING") == (found.kind, str(found.key), found.observed)
    assert ("8.4.1-reverse-completion-order",) == found.cites


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (UNDO, (f"{FAILS} v:READY u:READY v:RUNNING u:RUNNING u:SUCCEEDED v:SUCCEEDED "
               "b:COMPENSATED a:COMPENSATED")),
        (UNDO, (f"{FAILS} v:READY u:READY v:RUNNING u:RUNNING u:SUCCEEDED a:COMPENSATED "
               "v:SUCCEEDED b:COMPENSATED")),
        (UNDO, f"{FAILS} v:READY v:RUNNING v:FAILED {ok('u')} a:COMPENSATED"),
        (facts("a->b b->f a~>u b~>v?dynamic", entry="a"), f"{FAILS} {ok('u')} a:COMPENSATED"),
        (facts("a->b b->f a~>u b~>u", entry="a"), f"{FAILS} {ok('u')} b:COMPENSATED a:COMPENSATED"),
        (UNDO, f"{FAILS} b:COMPENSATED a:COMPENSATED"),
    ],
    ids=["overlapping", "any-ends", "first-fails", "none-for-the-later", "shared", "not-shown"],
)  # fmt: skip
def test_undos_that_start_in_reverse_order_pass(document, text):
    assert () == differences(document, text)


@pytest.mark.parametrize("rest", ["", "b:CANCELLED", "b:SUCCEEDED"])
@pytest.mark.parametrize("condition", ["false", "dynamic"])
def test_failure_whose_error_edges_are_all_false_is_handled_or_not(condition, rest):
    # A86.
    document = facts(f"s->a s->b a!>h?{condition} s~>u", entry="s")
    text = f"{OPEN_B} a:READY a:RUNNING a:FAILED"
    end = rest or f"b:SUCCEEDED {ok('u')} s:COMPENSATED"

    assert () == differences(document, f"{text} {end}")


@pytest.mark.parametrize(
    ("condition", "outcome", "expected"),
    [
        pytest.param("dynamic", "failed", [], id="faulty-condition"),
        pytest.param("dynamic", "succeeded", [("no-cause", "b")], id="succeeded"),
        pytest.param("absent", "failed", [("no-cause", "b")], id="no-condition"),
    ],
)
def test_an_instance_may_fail_by_a_condition_and_cancel_what_waits(condition, outcome, expected):
    # A39, A91.
    observation = observed(f"{ok('a')} b:CANCELLED", outcome)
    found = differences(facts(f"a->b?{condition}", entry="a"), observation)

    assert expected == kinds(found)
