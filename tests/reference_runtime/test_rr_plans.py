import pytest

from reference_runtime.plans import Address, PlanError, read_plan
from tests.strategies_runtime import fail, harness, hold, ok, plan, shown


def outputs(*answers):
    """Value of the output that attempt 1 of node a gives under answers for these addresses."""
    doc = harness(
        "a <outputs><output name='x'/></outputs>\nb <inputs><input name='x'/></inputs>", "a=x:x=>b"
    )
    run = shown(doc, plan({address: ok(x=address) for address in answers}))
    return run.calls[1][1]["x"]


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        pytest.param(["*", "a"], "a", id="node-before-all"),
        pytest.param(["a", "a@1"], "a@1", id="attempt-before-node"),
        pytest.param(["*@1", "a"], "*@1", id="attempt-of-all-before-node"),
        pytest.param(["a@2", "*"], "*", id="other-attempt"),
        pytest.param(["b", "a", "*"], "a", id="other-node"),
    ],
)
def test_most_specific_answer_wins(answers, expected):
    assert expected == outputs(*answers)


@pytest.mark.parametrize(
    ("address", "covered"),
    [
        (Address("b"), True),
        (Address("b", ((None, 2),)), False),
        (Address("b", ((None, 1), (None, 2))), True),
        (Address("b", (("l", 1), ("m", 2))), True),
        (Address("b", (("k", 1), ("m", 2))), False),
        (Address("b", ((None, 1), (None, 3))), False),
        (Address("b", attempt=3), True),
        (Address("b", attempt=4), False),
        (Address("c"), False),
        (Address("*"), True),
    ],
    ids=str,
)
def test_address_covers(address, covered):
    assert covered == address.covers("b", (("l", 1), ("m", 2)), 3)


def test_full_form_is_read():
    read = read_plan(
        {
            "answers": [
                {"node": "b[l:1,2]@3", "result": "fail", "errorClass": "x", "message": "m"},
                {"node": "c", "result": "ok", "after": 2, "hold": hold("a RUNNING")},
            ],
            "events": [{"name": "go", "at": {"when": "idle"}}],
            "cancel": hold("b RUNNING"),
            "unresolvable": ["r"],
            "badDigests": ["d"],
        }
    )
    first, second = (planned.answer for planned in read.answers)

    assert Address("b", (("l", 1), (None, 2)), 3) == read.answers[0].address
    assert ("fail", "x", "m") == (first.result, first.error_class, first.message)
    assert (2, Address("a"), "RUNNING") == (second.after, second.hold.address, second.hold.state)
    assert [("go", None)] == [(name, moment.address) for name, moment in read.events]
    assert (Address("b"), {"r"}, {"d"}) == (
        read.cancel.address,
        read.unresolvable,
        read.bad_digests,
    )


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "plan: expected dict"),
        ({"answer": []}, "unknown key 'answer'"),
        ({"answers": {}}, "answers: expected list"),
        ({"answers": [{"node": "a", "result": "maybe"}]}, r"answers\[0\]: result: expected one"),
        ({"answers": [{"node": "a b", "result": "ok"}]}, r"answers\[0\]: expected node"),
        ({"answers": [{"node": "a[x]", "result": "ok"}]}, r"observed 'a\[x\]'"),
        ({"answers": [{"node": "a", "result": "ok", "after": -1}]}, "after: expected seconds"),
        *(
            (
                {"answers": [{"node": "a", "result": "ok", "after": after}]},
                "after: expected seconds",
            )
            for after in (float("nan"), float("inf"), 10**400, True, False, "", [], "3")
        ),
        ({"answers": [{"node": "a", "result": "ok", "hold": {"when": "x"}}]}, "hold: expected"),
        (
            {"answers": [{"node": f"a[{'9' * 5000}]", "result": "ok"}]},
            r"answers\[0\]: expected node",
        ),
        (
            {"answers": [{"node": f"a@{'9' * 5000}", "result": "ok"}]},
            r"answers\[0\]: expected node",
        ),
        ({"answers": [{"node": "a[\u0663]", "result": "ok"}]}, r"answers\[0\]: expected node"),
        ({"answers": [{"node": "a", "result": 10**5000}]}, "observed a number of too many digits"),
        ({"answers": 10**5000}, "expected list, observed a number of too many digits"),
        (
            {"answers": [{"node": "a", "result": "ok", "outputs": {"x": [float("nan")]}}]},
            r"answers\[0\]: outputs.x\[0\]: expected a JSON value, observed nan",
        ),
        (
            {"answers": [{"node": "a", "result": "ok", "outputs": {"x": {"\ud800": 1}}}]},
            r"answers\[0\]: outputs.x: name: expected whole characters",
        ),
        ({"answers": [{"node": "a", "result": "fail", "errorClass": 3}]}, "errorClass: expected a"),
        (
            {"answers": [{"node": "a", "result": "fail", "message": "\udfff"}]},
            "message: expected w",
        ),
        (
            {"events": [{"name": "\ud800", "at": {"when": "idle"}}]},
            r"events\[0\]: name: expected w",
        ),
        ({"secrets": {"k": "\ud800"}}, "secrets.k: expected whole characters"),
        ({"secrets": {"\ud800": "k"}}, "secrets: name: expected whole characters"),
        ({"refused": ["principal:\ud800"]}, r"refused\[0\]: expected whole characters"),
        ({"unresolvable": [[]]}, r"unresolvable: expected the id of a resource or artifact"),
        ({"badDigests": [{}]}, r"badDigests: expected the id of a resource or artifact"),
        ({"x" * 500: 1}, "unknown key 'xxx"),
        ({"answers": [{"node": "a", "result": "ok", "until": 1}]}, "unknown key 'until'"),
        ({"events": [{"at": {"when": "idle"}}]}, r"events\[0\]: name: expected str"),
        ({"cancel": {"when": "state", "node": "a"}}, "cancel: expected when"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_wrong_plan_is_refused_in_one_line(value, message):
    with pytest.raises(PlanError, match=message) as caught:
        read_plan(value)

    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300
    assert str(caught.value).isprintable()


def test_answers_held_until_idle_come_one_at_a_time_in_plan_order():
    doc = harness("a b")
    run = shown(doc, plan({"b": ok(until=hold("idle")), "a": ok(until=hold("idle"))}))

    b, a = run.order("b:SUCCEEDED", "a:SUCCEEDED")

    assert b < a


def test_time_passes_before_anything_held_until_idle_happens():
    doc = harness("a b")
    run = shown(doc, plan({"b": ok(until=hold("idle")), "a": ok(after=60)}))

    a, b = run.order("a:SUCCEEDED", "b:SUCCEEDED")

    assert a < b


def test_hold_on_a_moment_that_has_passed_holds_nothing():
    doc = harness("a b", "a->b")

    assert (
        "succeeded"
        == shown(
            doc,
            plan({"b": fail("x", until=hold("a RUNNING"))} | {"b": ok(until=hold("a RUNNING"))}),
        ).outcome
    )
