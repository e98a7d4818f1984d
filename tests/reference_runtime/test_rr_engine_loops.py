"""Loops; expectations are read off §6.5 and §7.2."""

import pytest

from tests.strategies_runtime import fail, harness, hold, ok, plan, shown

RAN = "READY RUNNING SUCCEEDED"
FAILED = "READY RUNNING FAILED"


def loop(how, name="l", body="b", limit=9):
    return f"{name}:loop <loop maxIterations='{limit}' {how}><body ref='{body}'/></loop>"


def test_body_runs_once_per_element_with_its_variables():
    nodes = loop("kind='forEach' over='${[5, 6]}'") + (
        "\nb <inputs><input name='i' value='${index}'/><input name='v' value='${item}'/></inputs>"
    )
    run = shown(harness(nodes))

    assert {"l": RAN, "b": "", "b[0]": RAN, "b[1]": RAN} == run.paths
    assert [("b[0]", {"i": 0, "v": 5}), ("b[1]", {"i": 1, "v": 6})] == run.calls


def test_sequential_iterations_do_not_overlap():
    run = shown(harness(loop("kind='times' count='3'") + "\nb"))

    calls = [t.iteration[0][1] for t in run.played.transitions() if t.node == "b"]

    assert sorted(calls) == calls


def test_concurrency_is_bounded():
    doc = harness(loop("kind='times' count='3' maxConcurrency='2'") + "\nb")
    run = shown(doc, plan({"b[0]": ok(until=hold("idle"))}))

    open_, most = 0, 0
    for seen in run.played.transitions():
        if seen.node == "b":
            open_ += (seen.to == "RUNNING") - (seen.to == "SUCCEEDED")
            most = max(most, open_)

    assert 2 == most


@pytest.mark.parametrize(
    ("policy", "l", "iterations", "after"),
    [
        pytest.param("fail", FAILED, [RAN, FAILED], "", id="fail"),
        pytest.param("continue", RAN, [RAN, FAILED, RAN], RAN, id="continue"),
        pytest.param("break", RAN, [RAN, FAILED], RAN, id="break"),
    ],
)
def test_failed_iteration(policy, l, iterations, after):  # noqa: E741 - the id of the loop node
    doc = harness(loop(f"kind='times' count='3' onItemFailure='{policy}'") + "\nb\nz", "l->z")
    run = shown(doc, plan({"b[1]": fail("x")}))

    seen = [path for address, path in run.paths.items() if address.startswith("b[")]

    assert (l, iterations, after) == (run.paths["l"], seen, run.paths["z"])


@pytest.mark.parametrize(
    ("policy", "expected"),
    [("fail", RAN), ("continue", RAN), ("break", RAN)],
    ids=["fail", "continue", "break"],
)
def test_no_iteration_is_a_success(policy, expected):
    doc = harness(loop(f"kind='forEach' over='${{[]}}' onItemFailure='{policy}'") + "\nb")

    assert {"l": expected, "b": ""} == shown(doc).paths


def test_continue_fails_when_all_iterations_failed():
    doc = harness(loop("kind='times' count='2' onItemFailure='continue'") + "\nb")

    assert FAILED == shown(doc, plan({"b": fail("x")})).paths["l"]


@pytest.mark.parametrize("policy", ["fail", "continue", "break"])
def test_too_many_iterations_fail_under_every_policy(policy):
    how = f"kind='forEach' over='${{[1, 2, 3]}}' onItemFailure='{policy}'"
    run = shown(harness(loop(how, limit=2) + "\nb"))

    assert (FAILED, "HX-4104") == (run.paths["l"], run.codes["l"])


def test_exactly_max_iterations_is_fine():
    assert RAN == shown(harness(loop("kind='times' count='2'", limit=2) + "\nb")).paths["l"]


@pytest.mark.parametrize(
    ("how", "iterations", "l"),
    [
        pytest.param("kind='while' while='${false}'", 0, RAN, id="while-before"),
        pytest.param("kind='while' while='${true}'", 2, FAILED, id="while-limit"),
        pytest.param("kind='until' while='${true}'", 1, RAN, id="until-after"),
    ],
)
def test_conditions(how, iterations, l):  # noqa: E741 - the id of the loop node
    run = shown(harness(loop(how, limit=2) + "\nb"))

    assert (iterations, l) == (len(run.calls), run.paths["l"])


def test_until_sees_the_latest_iteration():
    doc = harness(
        loop("kind='until' while='${b.done}'") + "\nb <outputs><output name='done'/></outputs>"
    )
    run = shown(doc, plan({"b": ok(done=False), "b[2]": ok(done=True)}))

    assert 3 == len(run.calls)


def test_iteration_is_retried_by_itself_and_handled_by_its_own_handler():
    retry = "<retry maxAttempts='2' backoff='none'/>"
    doc = harness(loop("kind='times' count='2'") + f"\nb {retry}\nh", "b-!>h")
    run = shown(doc, plan({"b[1]": fail("x")}))

    assert (RAN, RAN, "READY RUNNING RETRYING READY RUNNING FAILED") == (
        run.paths["l"],
        run.paths["b[0]"],
        run.paths["b[1]"],
    )
    assert (RAN, "") == (run.paths["h[1]"], run.paths["h"])


def test_nested_loops_have_their_own_iterations_and_failures():
    doc = harness(
        loop("kind='times' count='2' onItemFailure='continue'", body="m")
        + "\n"
        + loop("kind='times' count='1'", name="m")
        + "\nb"
    )
    run = shown(doc, plan({"b[0,0]": fail("x")}))

    assert (RAN, FAILED, RAN, FAILED, RAN) == tuple(
        run.paths[address] for address in ("l", "m[0]", "m[1]", "b[0,0]", "b[1,0]")
    )
    assert "succeeded" == run.outcome


def test_stopped_loop_cancels_idempotent_iterations_and_awaits_the_others():
    nodes = loop("kind='times' count='4' maxConcurrency='2'")
    answers = {"b[0]": fail("x"), "b[1]": ok(until=hold("idle"))}
    idempotent = shown(harness(f"{nodes}\nb"), plan(answers))
    other = shown(harness(f"{nodes}\nb idempotent=false"), plan(answers))

    assert ("READY RUNNING CANCELLED", RAN) == (idempotent.paths["b[1]"], other.paths["b[1]"])
    assert FAILED == idempotent.paths["l"] == other.paths["l"]
    assert 2 == len(idempotent.calls) == len(other.calls)


def test_outer_value_reaches_every_iteration():
    doc = harness(
        "p <outputs><output name='x'/></outputs>\n"
        + loop("kind='times' count='2'")
        + "\nb <inputs><input name='x'/></inputs>",
        "p->l p=x:x=>b",
    )
    run = shown(doc, plan({"p": ok(x=4)}))

    assert [{"x": 4}] * 2 == [inputs for node, inputs in run.calls if node.startswith("b")]


def test_skipped_loop_has_no_iteration_and_cancelled_loop_takes_its_iterations_along():
    skipped = harness(
        "l:loop <guard when='${false}'/><loop kind='times' count='2' maxIterations='2'>"
        "<body ref='b'/></loop>\nb"
    )
    nodes = "a\n" + loop("kind='times' count='2'") + "\nb\nj joinPolicy=any"
    race = harness(nodes, "a->j l->j")
    run = shown(race, plan({"b": {"result": "hang"}}))

    assert {"l": "READY SKIPPED", "b": ""} == shown(skipped).paths
    assert ["READY RUNNING CANCELLED"] * 2 == [run.paths["l"], run.paths["b[0]"]]
    assert ["b[0]"] == run.aborts


def test_over_that_is_no_array_fails_the_loop():
    assert {"l": "HX-4106"} == shown(harness(loop("kind='forEach' over='${7}'") + "\nb")).codes


@pytest.mark.parametrize("concurrent", [2, 3, 4])
def test_failed_iteration_stops_the_others_also_when_none_is_left_to_start(concurrent):
    doc = harness(loop(f"kind='times' count='3' maxConcurrency='{concurrent}'") + "\nb")
    run = shown(
        doc, plan({"b[0]": fail("x"), "b[1]": {"result": "hang"}, "b[2]": {"result": "hang"}})
    )

    assert FAILED == run.paths["l"]
    assert "READY RUNNING CANCELLED" == run.paths["b[1]"]
