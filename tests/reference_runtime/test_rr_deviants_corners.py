"""Each deviant about types of nodes, about nothing, likeness and corners shows its fault."""

import pytest

from reference_runtime.deviants import DEVIANTS
from reference_runtime.deviants.alike import ALIKE
from reference_runtime.deviants.corners import CORNERS
from reference_runtime.deviants.node_types import NODE_TYPES
from reference_runtime.deviants.nothing import NOTHING
from reference_runtime.engine.run import Run
from reference_runtime.rules import RULES
from tests.strategies_runtime import fail, harness, hold, ok, plan, shown

DONE = "READY RUNNING SUCCEEDED"
FAILED = "READY RUNNING FAILED"
AGAIN = f"READY RUNNING RETRYING {DONE}"
OFF = "<guard when='${false}'/>"
OUT = "<outputs><output name='x'/></outputs>"
ONCE = plan({"a@1": fail("transient")})
FAILS = plan({"a": fail("internal")})
HANGS = plan({"a": {"result": "hang"}})
RETRY = "<retry maxAttempts='2' backoff='none'/>"
LISTED = "a <retry maxAttempts='2' backoff='none' retryOn='rate_limit'/>"
STORE = (
    "<resources><resource id='r' type='datastore'/><resource id='q' type='queue'/></resources>"
    "<artifacts><artifact id='m' type='image' digest='sha256:0'/>"
    "<artifact id='n' type='image' digest='sha256:1'/></artifacts>"
)
UNDO = ("a->b a-~>z", plan({"b": fail("internal")}))
CASE = "<case when='${{true}}' to='{}'/>"
UNDONE = {"a": DONE, "z": ""}


def classed(error_class):
    return LISTED, "", plan({"a@1": fail(error_class)}), {"a": AGAIN}


def loop(node, body, how="kind='times' count='2' maxIterations='2'"):
    return f"{node}:loop <loop {how}><body ref='{body}'/></loop>\n"


#: deviant → nodes, edges, plan, what is before the nodes, and the paths in which it differs.
PATHS = {
    "guards_of_tasks_only": (f"a:sink {OFF}", "", plan(), {"a": DONE}),
    "retries_of_tasks_only": (f"a:sink {RETRY}", "", ONCE, {"a": FAILED}),
    "failures_of_tasks_handled_only": (
        "s\na:sink\nh", "s->a s->h[${false}] a-!>h", FAILS, {"h": ""}
    ),
    "handlers_are_tasks": ("s\na\nh:sink", "s->a s->h[${false}] a-!>h", FAILS, {"h": ""}),
    "join_policies_of_tasks_only": (
        "a\nb\nj:barrier joinPolicy=any",
        "a->j b->j",
        plan({"b": ok(until=hold("idle"))}),
        {"b": DONE},
    ),
    "conditions_behind_tasks_only": ("a:sink\nb", "a->b[${false}]", plan(), {"b": DONE}),
    "tasks_undone_only": ("a:sink\nb\nz", *UNDO, UNDONE),
    "undone_by_tasks_only": ("a\nb\nz:sink", *UNDO, UNDONE),
    "tasks_spared_only": (
        "a\nb:sink idempotent=false",
        "",
        plan({"a": fail("x", until=hold("b RUNNING")), "b": ok(until=hold("idle"))}),
        {"b": "READY RUNNING CANCELLED"},
    ),
    "resources_of_tasks_only": (
        "a:sink <resourceRef ref='r'/>", "", plan(unresolvable=["r"]), {"a": DONE}
    ),
    "principals_of_tasks_only": (
        "a:sink <security principal='p'/>", "", plan(refused=["principal:p"]), {"a": DONE}
    ),
    "last_resource_resolved_only": (
        "a <resourceRef ref='r'/><resourceRef ref='q'/>", "", plan(unresolvable=["r"]), {"a": DONE}
    ),
    "first_artifact_compared_only": (
        "a <artifactRef ref='m'/><artifactRef ref='n'/>", "", plan(badDigests=["n"]), {"a": DONE}
    ),
    "false_values_are_null": (
        f"a {OUT}\nb <inputs><input name='y' value='${{a.x}}'/></inputs>",
        "a->b",
        plan({"a": ok(x=0)}),
        {"b": FAILED},
    ),
    "false_values_not_delivered": (
        f"a {OUT}\nb <inputs><input name='x'/></inputs>",
        "a=x:x=>b",
        plan({"a": ok(x=0)}),
        {"b": FAILED},
    ),
    "empty_default_is_none": (
        f"a {OUT}{OFF}\nb <inputs><input name='x' default=''/></inputs>",
        "a=x:x=>b",
        plan(),
        {"b": FAILED},
    ),
    "classes_ignore_case": classed("Rate_Limit"),
    "class_listed_by_its_beginning": classed("rate_limit_burst"),
    "class_listed_by_its_end": classed("api_rate_limit"),
    "hyphens_in_classes_are_underscores": classed("rate-limit"),
    "usual_classes_retried_anyway": classed("transient"),
    "unknown_causes_retried_anyway": classed(None),
    "event_ignores_case": (
        "a:wait <wait event='go'/>",
        "",
        plan(events=[("Go", "a RUNNING")], cancel="idle"),
        {"a": DONE},
    ),
    "cases_sorted_by_target": (
        f"s\nd:decision <cases>{''.join(map(CASE.format, 'ut'))}</cases>\nt\nu",
        "s->d",
        plan(),
        {"t": DONE, "u": ""},
    ),
    "continue_needs_majority": (
        loop("l", "b", "kind='times' count='3' maxIterations='3' onItemFailure='continue'") + "b",
        "",
        plan({"b": fail("x"), "b[0]": ok()}),
        {"l": FAILED},
    ),
    "inner_loop_breaks": (
        loop("l", "m", "kind='times' count='1' maxIterations='1' onItemFailure='continue'")
        + loop("m", "b", "kind='times' count='2' maxIterations='2' onItemFailure='continue'")
        + "b",
        "",
        plan({"b": fail("x")}),
        {"l": DONE, "m[0]": DONE, "b[0,1]": ""},
    ),
    "single_attempt_in_inner_loops": (
        loop("l", "m", "kind='times' count='1' maxIterations='1'")
        + loop("m", "b", "kind='times' count='1' maxIterations='1'")
        + f"b {RETRY}",
        "",
        plan({"b@1": fail("x")}),
        {"l": FAILED, "m[0]": FAILED, "b[0,0]": FAILED},
    ),
    "until_counts_its_test": (
        loop("l", "b", "kind='until' while='${true}' maxIterations='1'") + "b",
        "",
        plan(),
        {"l": FAILED, "b[0]": ""},
    ),
    "non_idempotent_not_undone": ("a idempotent=false\nb\nz", *UNDO, UNDONE),
    "non_idempotent_does_not_undo": ("a\nb\nz idempotent=false", *UNDO, UNDONE),
    "repeatable_not_undone": (f"a {RETRY}\nb\nz", *UNDO, UNDONE),
}  # fmt: skip

#: Shown by the time that passes, by inputs or by texts.
OTHERS = {
    "delay_has_a_ceiling",
    "delivered_lists_sorted",
    "delivered_texts_parsed",
    "delivered_texts_trimmed",
    "secret_given_by_name",
    "secret_told_as_class",
    "edges_bind_small_letters",
    "loops_have_a_ceiling",
    "zero_multiplier_is_default",
    "first_secret_left_out_only",
    "forced_retry_does_not_wait",
    "jitter_waits_a_second_at_least",
    "limits_lost_side_by_side",
    "limits_of_tasks_only",
    "lists_of_references_sorted",
    "lists_of_references_unwrapped",
    "outer_variables_win",
    "secret_told_of_repeatable_node",
    "texts_of_references_parsed",
    "texts_of_references_trimmed",
    "wait_in_whole_seconds",
    "wait_without_days",
    "zero_delay_is_default",
    "zero_limit_is_none",
    "zero_maximum_is_none",
}


def test_every_deviant_is_shown():
    rows = (*NODE_TYPES, *NOTHING, *ALIKE, *CORNERS)

    assert {*PATHS, *OTHERS} == {row[0] for row in rows}


@pytest.mark.parametrize("name", PATHS)
def test_deviant_takes_other_paths(name):
    nodes, edges, the_plan, wrong = PATHS[name]
    doc = harness(nodes, edges, before=STORE)
    right = shown(doc, the_plan).paths
    observed = shown(doc, the_plan, rules=DEVIANTS[name].rules).paths

    assert wrong == {n: observed.get(n, "") for n in right if observed.get(n, "") != right[n]}


def events(name, nodes, the_plan=ONCE):
    """Moments of the last transition, under the rules and for the deviant."""
    doc = harness(nodes)
    seen = (shown(doc, the_plan, rules=rules) for rules in (RULES, DEVIANTS[name].rules))
    return [one.played.transitions()[-1].at for one in seen]


@pytest.mark.parametrize(
    ("name", "policy", "ends"),
    [
        ("delay_has_a_ceiling", "initialDelay='PT45M' jitter='false'", [2700, 1800]),
        ("zero_maximum_is_none", "initialDelay='PT2S' maxDelay='PT0S' jitter='false'", [0, 2]),
        ("zero_delay_is_default", "initialDelay='PT0S' jitter='false'", [0, 1]),
        ("jitter_waits_a_second_at_least", "initialDelay='PT2S' maxDelay='PT0S'", [0, 1]),
    ],
    ids=["ceiling", "maximum", "delay", "jitter"],
)
def test_wrong_delay_shows_in_time(name, policy, ends):
    assert ends == events(name, f"a <retry maxAttempts='2' backoff='fixed' {policy}/>")


def test_multiplier_of_zero_is_another_one():
    policy = "backoff='linear' initialDelay='PT1S' multiplier='0' jitter='false'"
    nodes = f"a <retry maxAttempts='2' {policy}/>"

    assert [0, 2] == events("zero_multiplier_is_default", nodes)


@pytest.mark.parametrize(("count", "state"), [(100, "SUCCEEDED"), (101, "FAILED")])
def test_loop_has_at_most_a_hundred_iterations(count, state):
    doc = harness(loop("l", "b", f"kind='times' count='{count}' maxIterations='200'") + "b")
    path = shown(doc, rules=DEVIANTS["loops_have_a_ceiling"].rules).paths["l"]

    assert f"READY RUNNING {state}" == path


def test_edge_binds_the_output_in_small_letters():
    both = "<outputs><output name='x'/><output name='X'/></outputs>"
    doc = harness(f"a {both}\nb <inputs><input name='y'/></inputs>", "a=X:y=>b")
    the_plan = plan({"a": ok(x=1, X=2)})
    calls = shown(doc, the_plan, rules=DEVIANTS["edges_bind_small_letters"].rules).calls

    assert ("b", {"y": 1}) == calls[-1]


def test_retry_that_a_time_limit_asks_for_does_not_wait():
    policy = "<retry maxAttempts='2' backoff='fixed' initialDelay='PT2S' jitter='false'/>"
    nodes = f"a {policy}<timeout duration='PT1S' onTimeout='retry'/>"
    ends = events("forced_retry_does_not_wait", nodes, plan({"a@1": {"result": "hang"}}))

    assert [3, 1] == ends


LIMIT = "<timeout duration='{}'/>"


@pytest.mark.parametrize(
    ("name", "nodes", "due"),
    [
        ("limits_of_tasks_only", f"a:sink {LIMIT.format('PT2S')}", [2, None]),
        ("zero_limit_is_none", f"a {LIMIT.format('PT0S')}", [0, None]),
        (
            "limits_lost_side_by_side",
            loop("l", "b", "kind='times' count='2' maxIterations='2' maxConcurrency='2'")
            + f"b {LIMIT.format('PT2S')}",
            [2, None],
        ),
        ("wait_without_days", "a:wait <wait duration='P1DT2S'/>", [86_402, 2]),
        ("wait_in_whole_seconds", "a:wait <wait duration='PT2.5S'/>", [2.5, 2]),
    ],
    ids=["type", "zero", "together", "days", "fraction"],
)
def test_next_timer_is_another_one(name, nodes, due):
    found = []
    for rules in (RULES, DEVIANTS[name].rules):
        run = Run(harness(nodes), rules=rules)
        run.start()
        while run.step():
            pass
        found.append(run.next_timer())

    assert due == found


@pytest.mark.parametrize(
    ("name", "given", "seen"),
    [
        ("texts_of_references_parsed", "7", 7),
        ("texts_of_references_parsed", "true", True),
        ("texts_of_references_trimmed", " x ", "x"),
        ("lists_of_references_unwrapped", ["x"], "x"),
        ("lists_of_references_unwrapped", ["x", "y"], ["x", "y"]),
        ("lists_of_references_sorted", [2, 1], [1, 2]),
    ],
)
def test_reference_yields_something_else(name, given, seen):
    doc = harness(f"a {OUT}\nb <inputs><input name='y' value='${{a.x}}'/></inputs>", "a->b")
    calls = shown(doc, plan({"a": ok(x=given)}), rules=DEVIANTS[name].rules).calls

    assert ("b", {"y": seen}) == calls[-1]


@pytest.mark.parametrize(
    ("name", "given", "seen"),
    [
        ("delivered_texts_parsed", "7", 7),
        ("delivered_texts_trimmed", " x ", "x"),
        ("delivered_lists_sorted", [2, 1], [1, 2]),
    ],
)
def test_data_edge_delivers_something_else(name, given, seen):
    doc = harness(f"a {OUT}\nb <inputs><input name='x'/></inputs>", "a=x:x=>b")
    calls = shown(doc, plan({"a": ok(x=given)}), rules=DEVIANTS[name].rules).calls

    assert ("b", {"x": seen}) == calls[-1]


def test_secret_is_given_to_an_input_of_the_name_of_its_resource():
    store = "<resource id='r' type='datastore'><credential ref='k' store='v'/></resource>"
    doc = harness(
        "a <inputs><input name='r' required='false'/></inputs>",
        before=f"<resources>{store}</resources>",
    )
    rules = DEVIANTS["secret_given_by_name"].rules
    seen = shown(doc, plan(secrets={"v/k": "hazel"}), rules=rules)

    assert [("a", {"r": "hazel"})] == seen.calls


def test_secret_is_told_as_a_class():
    the_plan = plan({"a": fail("no:hazel")}, secrets={"k": "hazel"})
    rules = DEVIANTS["secret_told_as_class"].rules
    seen = shown(harness("a"), the_plan, rules=rules).played.transitions()

    assert "no:hazel" == seen[-1].error_class


def test_variables_of_the_outer_loop_win():
    nodes = (
        loop("l", "m")
        + loop("m", "b", "kind='forEach' over='${[7]}' maxIterations='1'")
        + "b <inputs><input name='i' value='${item}'/></inputs>"
    )
    doc, the_plan = harness(nodes, entry="l"), plan()
    calls = shown(doc, the_plan, rules=DEVIANTS["outer_variables_win"].rules).calls

    assert [("b[0,0]", {"i": 0}), ("b[1,0]", {"i": 1})] == calls


def messages(name, nodes, message):
    """What is told of a failure of the node a."""
    the_plan = plan(secrets={"v/one": "hazel", "v/two": "linden"})
    the_plan["answers"] = [{"node": "a@1", "result": "fail", "message": message}]
    seen = shown(harness(nodes), the_plan, rules=DEVIANTS[name].rules).played.transitions()
    return [entry.message for entry in seen if entry.message]


def test_only_the_first_secret_is_left_out():
    assert ["no [secret], no linden"] == messages(
        "first_secret_left_out_only", "a", "no hazel, no linden"
    )


@pytest.mark.parametrize(("nodes", "told"), [("a", "no [secret]"), (f"a {RETRY}", "no hazel")])
def test_secret_is_told_where_a_node_has_a_retry_policy(nodes, told):
    assert [told] == messages("secret_told_of_repeatable_node", nodes, "no hazel")
