"""Explanations: what a node waits for, and why it ended as it did."""

import itertools

import pytest

from reference_runtime.explaining import explain, final_states
from reference_runtime.plans import read_plan
from reference_runtime.script import play
from tests.strategies_runtime import document, fail, harness, ok, plan


def said(doc, node, the_plan=None, **kwargs):
    """Lines about one node without its heading, and the outcome in the last one."""
    _, *lines = explain(doc, read_plan(the_plan or plan()), (node,), **kwargs)
    return [line.strip() for line in lines]


def why(doc, node, the_plan=None, **kwargs):
    """Lines from the final state on."""
    lines = said(doc, node, the_plan, **kwargs)[:-1]
    return lines[next(n for n, line in enumerate(lines) if line.startswith("→")) :]


LOOP = "l:loop <loop kind='times' count='2' maxIterations='2'><body ref='b'/></loop>"


@pytest.mark.parametrize(
    ("nodes", "edges", "entry", "node", "expected"),
    [
        ("a b", "a->b", "a", "a", "starts the instance (entry)"),
        ("a b", "a->b", None, "a", "starts the instance (no edge leads to it)"),
        ("a b", "a->b[${a.x}]", None, "b", "waits for a (control) if ${a.x}"),
        (
            "a <outputs><output name='o'/></outputs>\nb <inputs><input name='i'/></inputs>",
            "a=o:i=>b",
            None,
            "b",
            "waits for data a.o into i",
        ),
        ("a\nb", "a..>b", None, "b", "waits for the end of a, however it ends (dependency)"),
        ("a b c", "a->c b->c", None, "c", "waits for all of: a (control); b (control)"),
        ("a\nb\nc joinPolicy=any", "a->c b->c", None, "c", "waits for the first of: a (control); "),
        ("a\nb\nc joinPolicy=quorum quorum=2", "a->c b->c", None, "c", "waits for 2 of: a (contr"),
        ("a b", "a-!>b", None, "b", "waits for the failure of a (error)"),
        ("a b c", "a->c b-!>c", None, "c", "waits for a (control)"),
        ("a u", "a-~>u", None, "u", "undoes a when the instance unwinds"),
        (f"{LOOP}\nb\nh", "b-!>h", "l", "b", "waits for each iteration of loop l, as its body"),
        (f"{LOOP}\nb\nh", "b-!>h", "l", "h", "waits for each iteration of loop l, as a handler of"),
        (
            "d:decision <cases><case when='${true}' to='t'/></cases>\nt",
            "",
            "d",
            "t",
            "waits for decision d to choose it",
        ),
        ("a b c", "b->c", "a", "b", "waits for nothing that can happen: no way leads to it"),
    ],
)
def test_what_a_node_waits_for(nodes, edges, entry, node, expected):
    first = said(harness(nodes, edges, entry), node)[0]

    assert expected == first[: len(expected)]


def test_what_is_needed_besides():
    doc = harness(
        "a <inputs><input name='i' value='x'/></inputs><resourceRef ref='r'/>"
        "<guard when='${true}'/>",
        before="<resources><resource id='r' type='queue'/></resources>",
    )

    assert [
        "then its guard ${true} decides whether it runs or is SKIPPED",
        "then it needs resource r, input i",
    ] == said(doc, "a")[1:3]


def test_success_names_the_edges_that_led_to_it():
    doc = harness("a b c", "a->c b->c[${false}]")
    condition = "b ended SUCCEEDED, and ${false} was not true"

    assert [
        "→ SUCCEEDED",
        "READY because a ended SUCCEEDED",
        f"without the edges that will never be satisfied: {condition}",
    ] == why(doc, "c")


def test_success_after_retries_and_in_loops_and_decisions():
    retry = harness("a <retry maxAttempts='3' backoff='none'/>")
    loop = harness(
        f"{LOOP.replace('><body', ' onItemFailure=#continue#><body').replace('#', chr(39))}\nb",
        entry="l",
    )
    decision = harness(
        "d:decision <cases><case when='${true}' to='t'/><otherwise to='u'/></cases>\nt\nu",
        entry="d",
    )

    assert "→ SUCCEEDED in attempt 2" == why(retry, "a", plan({"a@1": fail()}))[0]
    assert (
        "→ SUCCEEDED: iterations of b: 1 FAILED, 1 SUCCEEDED"
        == (why(loop, "l", plan({"b[0]": fail()}))[0])
    )
    assert "→ ran in iterations: 2 SUCCEEDED" == why(loop, "b")[0]
    assert "→ SUCCEEDED: chose t (case 1, ${true})" == why(decision, "d")[0]
    assert ["→ SUCCEEDED", "READY because d chose t (case 1, ${true})"] == why(decision, "t")
    assert ["→ PENDING: never reached", "since d chose t (case 1, ${true})"] == why(decision, "u")


def test_skips():
    guard = harness("a <guard when='${1 &gt; 2}'/>")
    timeout = harness("a <timeout duration='PT1S' onTimeout='skip'/>")

    assert "→ SKIPPED: its guard ${1 > 2} was false" == why(guard, "a")[0]
    assert (
        "→ SKIPPED: no end within 1 s (onTimeout=skip)"
        == (why(timeout, "a", plan({"a": {"result": "hang"}}))[0])
    )


def test_failures_handled_and_unhandled():
    doc = harness("a b h", "a->b a-!>h", "a")
    unhandled = harness("a\nb\nu", "a->b a-~>u", "a")
    the_plan = plan({"b": fail("transient")})

    assert ["→ FAILED: not_found: the step reported a failure", "handled by h"] == (
        why(doc, "a", plan({"a": fail("not_found")}))[:2]
    )
    assert "READY because a ended FAILED (error edge)" == why(doc, "h", plan({"a": fail()}))[1]
    assert "nothing handles that, so the instance unwound" == why(unhandled, "b", the_plan)[1]
    assert (
        "→ COMPENSATED: it had succeeded and u undid it, since b FAILED"
        == (why(unhandled, "a", the_plan)[0])
    )
    assert ["→ SUCCEEDED", "READY to undo a"] == why(unhandled, "u", the_plan)
    assert ["→ PENDING: never reached", "since only unwinding would start it"] == (
        why(unhandled, "u")
    )


def test_cancellations_name_who_is_to_blame():
    race = harness("a\nb\nj joinPolicy=any", "a->j b->j")
    siblings = harness("a\nb\nc", "b->c")

    assert (
        "→ CANCELLED out of RUNNING: j (any) did not need it any more"
        == (why(race, "b", plan({"b": ok(after=9)}))[0])
    )
    failing = plan({"a": fail(), "b": ok(after=9)})
    assert (
        "→ CANCELLED out of RUNNING: the instance unwound, since a FAILED"
        == (why(siblings, "b", failing)[0])
    )
    assert (
        "→ PENDING: the instance unwound before, since a FAILED" == why(siblings, "c", failing)[0]
    )
    outside = plan({"b": ok(after=9)}, cancel="a SUCCEEDED")
    assert (
        "→ CANCELLED out of RUNNING: the instance was cancelled from outside"
        == (why(siblings, "b", outside)[0])
    )


def test_reasons_lead_back_to_the_first_cause_and_stay_short():
    names = [f"n{number}" for number in range(12)]
    edges = " ".join(f"{a}->{b}" for a, b in itertools.pairwise(names[1:]))
    doc = harness("\n".join(names), f"n0->n1[${{false}}] {edges}")

    assert [
        "→ PENDING: never reached",
        "since n2 was never reached",
        "since n1 was never reached",
        "since n0 ended SUCCEEDED, and ${false} was not true",
    ] == why(doc, "n3")
    assert "and so on" == why(doc, "n11")[-1]


def test_starved_node_names_the_missing_source():
    doc = harness(
        "a\nb <outputs><output name='o'/></outputs>\nc <inputs><input name='i'/></inputs>",
        "a->b[${false}] a->c b=o:i=>c",
    )

    assert [
        "since b was never reached, and nothing else delivers its required input i",
        "since a ended SUCCEEDED, and ${false} was not true",
    ] == why(doc, "c")[1:]


def test_run_that_cannot_end_is_explained_too():
    doc = harness("w:wait <wait event='go'/>\nb", "w->b")

    assert (
        "→ RUNNING: it waits until the event 'go' arrives, and nothing moves any more"
        == (why(doc, "w")[0])
    )
    assert ["→ PENDING: still waiting, and nothing moves any more", "open: w is RUNNING"] == (
        why(doc, "b")
    )
    assert said(doc, "b")[-1].startswith("no outcome: nothing can move")


def test_codes_without_a_transition_are_told():
    doc = harness("a b", "a->b[${1 + 'x'}]")

    assert "reported HX-4106" == why(doc, "a")[-1][:16]


def test_codes_in_iterations_are_told_once_with_their_number():
    doc = harness(
        "l:loop <loop kind='times' count='3' maxIterations='3' onItemFailure='continue'>"
        "<body ref='b'/></loop>\nb <retry maxAttempts='2' backoff='none'/>\nh",
        "b-!>h[${1 < 'x'}]",
        "l",
    )
    lines = why(doc, "b", plan({"b": fail("x")}))

    assert ["→ ran in iterations: 3 FAILED", "b[0] FAILED after 2 attempts: x"] == [
        lines[0],
        lines[1][:31],
    ]
    assert (3, "reported HX-4106", " (3 times)") == (len(lines), lines[2][:16], lines[2][-10:])


def test_many_different_codes_of_a_node_are_cut():
    targets = [f"t{n}" for n in range(12)]
    edges = " ".join(f"a->{target}[${{1 < '{target}'}}]" for target in targets)
    lines = why(harness("\n".join(["a", *targets]), edges), "a")

    assert (10, "reported 2 more") == (sum("HX-4106" in line for line in lines), lines[-1])


def test_all_nodes_come_in_the_order_of_the_document():
    lines = list(explain(harness("b a", "b->a"), read_plan(plan())))

    assert ["b (task, line 1)", "a (task, line 1)", "outcome: succeeded"] == [
        line for line in lines if not line.startswith(" ")
    ]


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ("w:wait <wait event='go'/>", ["then it is RUNNING until the event 'go' arrives"]),
        ("w:wait <wait until='${true}'/>", ["then it is RUNNING until ${true} is true"]),
        ("w:wait <wait duration='PT1.5S'/>", ["then it is RUNNING until 1.5 s have passed"]),
        ("w:human", ["then it is RUNNING until somebody decides"]),
        (
            "w:subworkflow <subworkflow href='c.hxml'/>",
            ["then it is RUNNING until the instance of c.hxml is over"],
        ),
        (
            "w <retry maxAttempts='3' retryOn='x y'/><timeout duration='PT5S'/>",
            [
                "for 5 s an attempt at most (onTimeout=fail)",
                "in 3 attempts at most, again only after x, y",
            ],
        ),
        ("w <retry maxAttempts='3'/>", ["in 3 attempts at most"]),
        ("w <retry maxAttempts='1'/>", []),
    ],
)
def test_what_ends_the_running_of_a_node(node, expected):
    lines = said(harness(node), "w")

    assert expected == lines[1 : next(n for n, li in enumerate(lines) if li.startswith("→"))]


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("kind='times' count='2'", "2 of them"),
        ("kind='forEach' over='${[1]}'", "one for each element of ${[1]}"),
        ("kind='while' while='${false}'", "while ${false}"),
        ("kind='until' while='${true}'", "until ${true}"),
    ],
)
def test_loop_is_running_until_its_iterations_are_over(loop, expected):
    doc = harness(f"l:loop <loop {loop} maxIterations='2'><body ref='b'/></loop>\nb", "", "l")

    assert f"then it is RUNNING until its iterations of b are over, {expected}" == said(doc, "l")[1]


def test_failed_loop_names_the_first_iteration_that_failed():
    doc = harness(f"{LOOP}\nb", "", "l")
    failing = plan({"b[1]": fail("rate_limit")})
    first = "b[1] FAILED: rate_limit: the step reported a failure"

    assert first in why(doc, "l", failing)
    assert ["→ ran in iterations: 1 SUCCEEDED, 1 FAILED", first] == why(doc, "b", failing)


@pytest.mark.parametrize(
    ("nodes", "node", "step", "expected"),
    [
        ("a", "a", {"result": "hang"}, "RUNNING: attempt 1 of its step is not answered"),
        (f"{LOOP}\nb", "l", {"result": "hang"}, "RUNNING: 1 RUNNING of b"),
        ("s:subworkflow <subworkflow href='c'/>", "s", {}, "RUNNING: the instance of c is not "),
    ],
    ids=["step", "loop", "subworkflow"],
)
def test_node_that_is_not_over_tells_what_is_open(nodes, node, step, expected):
    told = why(
        harness(nodes, "", node),
        node,
        plan({"*": step} if step else {}),
        companions={"c": document("w:wait <wait event='go'/>")},
    )

    assert told[0].startswith(f"→ {expected}")
    assert told[0].endswith(", and nothing moves any more")


def test_handler_that_could_not_start_for_a_failure_is_told():
    back = harness("a b", "a->b b-!>a", "a")
    false = harness("a\nb\nc", "a-!>b[${false}] a-!>c", "a")

    assert "handled by a (which had started already)" == why(back, "b", plan({"b": fail()}))[1]
    assert (
        "handled by b (not started: a ended FAILED, and ${false} was not true), c"
        == (why(false, "a", plan({"a": fail()}))[1])
    )


@pytest.mark.parametrize("condition", ["${false}", "${a.x < 'b'}", "${1}"])
def test_handler_behind_a_condition_that_was_not_true(condition):
    doc = harness("a <outputs><output name='x'/></outputs>\nb", f"a-!>b[{condition}]", "a")

    assert ["→ PENDING: never reached", f"since a ended FAILED, and {condition} was not true"] == (
        why(doc, "b", plan({"a": fail()}))
    )


def test_entry_that_handles_a_failure_waits_for_either():
    assert ["starts the instance (entry)", "or for the failure of b (error)"] == (
        said(harness("a b", "a->b b-!>a", "a"), "a")[:2]
    )


@pytest.mark.parametrize(("policy", "told"), [("all", True), ("any", False)])
def test_only_a_join_over_all_edges_names_those_that_it_did_without(policy, told):
    doc = harness(f"a\nb\nj joinPolicy={policy}", "a->j b->j[${false}]")

    assert told == any(line.startswith("without the edges") for line in why(doc, "j"))


SHARED = "\n".join(LOOP.replace("l:loop", f"{loop}:loop") for loop in ("l1", "l2"))


def test_loops_that_share_a_body_are_told_apart():
    doc = harness(f"{SHARED}\nb")
    the_plan = plan({"b[l2:0]": ok(after=9)}, cancel="l1 SUCCEEDED")

    assert "→ SUCCEEDED: iterations of b: 2 SUCCEEDED" == why(doc, "l1", the_plan)[0]
    assert (
        "→ ran in iterations: of l1 2 SUCCEEDED; of l2 1 CANCELLED" == (why(doc, "b", the_plan)[0])
    )


def test_each_loop_names_its_own_failure_in_a_shared_body():
    doc = harness(f"{SHARED}\nb\nz", "l1->z z->l2")
    failing = plan({"b[l2:1]": fail("x")})
    first = "b[l2:1] FAILED: x: the step reported a failure"

    assert not any("FAILED" in line for line in why(doc, "l1", failing))
    assert first in why(doc, "l2", failing)
    assert first == why(doc, "b", failing)[1]


def test_address_names_all_loops_around_where_one_of_them_shares_a_body():
    outer, inner, other = (
        LOOP.replace("l:loop", f"{loop}:loop").replace("'b'", f"'{body}'")
        for loop, body in (("o", "m"), ("m", "b"), ("k", "b"))
    )
    doc = harness(f"{outer}\n{inner}\n{other}\nb")
    shown = list(final_states(doc, play(doc, read_plan(plan({"b[o:1,m:0]": fail()})))))

    assert {"b[o:0,m:0]", "b[k:0]", "m[1]"} <= {line.split()[0] for line in shown}
    assert any(line.startswith("  b[o:1,m:0]: internal") for line in shown)


def test_handler_that_runs_in_the_main_flow_and_in_iterations():
    doc = harness(f"{LOOP}\nb\na\nh", "b-!>h a-!>h")
    lines = why(doc, "h", plan({"b[0]": fail()}))

    assert ["→ PENDING: never reached", "since a ended SUCCEEDED"] == lines[:2]
    assert "besides, it ran in iterations: 1 SUCCEEDED" == lines[2]


LATE = "nothing followed from that: the instance "


@pytest.mark.parametrize("edges", ["", "a-!>h"])
@pytest.mark.parametrize(
    ("the_plan", "expected"),
    [
        ({"answers": {"x": fail()}}, f"{LATE}was unwinding, since x FAILED"),
        ({"cancel": "x SUCCEEDED"}, f"{LATE}had been cancelled from outside"),
    ],
    ids=["unwinding", "cancelled"],
)
def test_failure_after_the_end_of_the_forward_run_is_not_handled(edges, the_plan, expected):
    doc = harness("a idempotent=false\nx\nh", edges)
    answers = {"a": fail(after=9), **the_plan.get("answers", {})}
    lines = why(doc, "a", plan(answers, cancel=the_plan.get("cancel")))

    assert [expected, "READY at the start"] == lines[1:]


def test_failure_before_an_external_cancel_names_its_handlers():
    doc = harness("a\nh\nx", "a-!>h[${false}]")
    the_plan = plan({"a": fail(), "x": ok(after=9)}, cancel="a FAILED")

    assert (
        "its error edges handle that, but lead to nothing: "
        "h (not started: a ended FAILED, and ${false} was not true)"
    ) == why(doc, "a", the_plan)[1]


def test_handler_that_could_not_be_reached_any_more():
    doc = harness(
        "a <outputs><output name='o'/></outputs>\ng\nh <inputs><input name='i'/></inputs>\nz",
        "z->a[${false}] a=o:i=>h g-!>h",
    )

    assert why(doc, "g", plan({"g": fail(after=3)}))[1].endswith(
        "h (not started: it could not be reached any more)"
    )


def test_external_cancel_is_not_a_lost_race():
    spared = harness("a\nb\nk\nj joinPolicy=any", "a->j b->j b->k")
    late = harness("a\nb\nx\nj joinPolicy=any", "a->j b..>x x->j")
    backoff = "<retry maxAttempts='2' backoff='fixed' initialDelay='PT5S' jitter='false'/>"
    retrying = harness(f"a\nb {backoff}\nj joinPolicy=any", "a->j b->j")
    outside = "the instance was cancelled from outside"
    retry = {"a": ok(after=1), "b@1": fail()}

    assert (
        f"→ CANCELLED out of RUNNING: {outside}"
        == (why(spared, "b", plan({"b": ok(after=9)}, cancel="j SUCCEEDED"))[0])
    )
    assert (
        f"→ CANCELLED out of RUNNING: {outside}"
        == (why(late, "x", plan({"b": ok(after=9), "x": ok(after=9)}, cancel="x RUNNING"))[0])
    )
    assert (
        f"→ CANCELLED out of RETRYING: {outside}"
        == (why(retrying, "b", plan(retry, cancel="j SUCCEEDED"))[0])
    )
    assert (
        "→ CANCELLED out of READY: j (any) did not need it any more"
        == (why(retrying, "b", plan(retry))[0])
    )
    assert ["→ CANCELLED out of PENDING: the instance was cancelled from outside"] == (
        why(spared, "k", plan({"b": ok(after=9)}, cancel="j SUCCEEDED"))
    )


def test_lost_race_before_an_external_cancel_stays_one():
    doc = harness("a\nb\nj joinPolicy=any\nz", "a->j b->j")
    the_plan = plan({"b": ok(after=9), "z": ok(after=9)}, cancel="b CANCELLED")

    assert (
        "→ CANCELLED out of RUNNING: j (any) did not need it any more"
        == (why(doc, "b", the_plan)[0])
    )
    assert why(doc, "z", the_plan)[0].endswith("the instance was cancelled from outside")


@pytest.mark.parametrize("cancel", [None, "j RUNNING"])
def test_node_that_loses_the_race_at_the_moment_it_is_ready(cancel):
    doc = harness("a\nb\nc\nj joinPolicy=any\nk joinPolicy=any", "a..>b b->c a-!>j b->j c->j j->k")

    assert (
        "→ CANCELLED out of READY: j (any) did not need it any more"
        == (why(doc, "b", plan({"a": fail()}, cancel=cancel))[0])
    )


def test_discarded_failure_is_not_to_blame():
    doc = harness("a\nb idempotent=false\nj joinPolicy=any\nx\nu", "a->j b->j j->x a-~>u")
    the_plan = plan({"b": fail(after=5), "x": fail(after=9)})
    nothing = "nothing followed from that: an any join did not need its result any more"

    assert nothing == why(doc, "b", the_plan)[1]
    assert "nothing handles that, so the instance unwound" == why(doc, "x", the_plan)[1]
    assert why(doc, "a", the_plan)[0].endswith("u undid it, since x FAILED")


def test_discarded_success_says_so():
    doc = harness("a\nb idempotent=false\nj joinPolicy=any", "a->j b->j")

    assert (
        "its result was discarded: an any join did not need it any more"
        == (why(doc, "b", plan({"b": ok(after=3)}))[1])
    )


@pytest.mark.parametrize("node", ["h", "s"])
@pytest.mark.parametrize("undo", [ok(), fail()], ids=["undone", "not"])
def test_compensating_node_that_ran_starts_nothing(node, undo):
    doc = harness("a\nb\nv\nh\ns", "a->b a-~>v v-!>h v->s")

    assert ["→ PENDING: never reached", "since v ran only to undo a"] == (
        why(doc, node, plan({"b": fail(), "v": undo}))
    )


def test_failed_compensation_says_what_was_not_undone():
    doc = harness("a\nb\nv", "a->b a-~>v b-~>v")

    assert ["→ FAILED: x: the step reported a failure", "so a could not be undone"] == (
        why(doc, "v", plan({"b": fail(), "v": fail("x")}))[:2]
    )


@pytest.mark.parametrize(
    ("edges", "answers", "expected"),
    [
        ("a->b a-~>v[${false}]", {"b": fail()}, "there was nothing for it to undo: ${false} was"),
        ("a->b b-~>v", {"b": fail()}, "there was nothing for it to undo: b did not succeed"),
        ("a->b b-~>v", {"a": fail()}, "there was nothing for it to undo: b never ran"),
        (
            "a->c c->b a-~>v c-~>u",
            {"b": fail(), "u": {"result": "hang"}},
            "its turn to undo a never came",
        ),
    ],
    ids=["condition", "failed", "unreached", "stuck"],
)
def test_compensating_node_that_did_not_run_though_the_instance_unwound(edges, answers, expected):
    lines = why(harness("a\nb\nc\nu\nv", edges, "a"), "v", plan(answers))

    assert f"since {expected}" == lines[1][: len(f"since {expected}")]


def test_only_what_undid_a_node_is_named():
    conditional = harness("a\nx\nu\nv", "a->x a-~>u[${false}] a-~>v")
    earlier = harness("a\nb\nx\nu", "a-~>u b-!>u u..>x")
    failing = {"x": fail()}

    assert (
        "→ COMPENSATED: it had succeeded and v undid it, since x FAILED"
        == (why(conditional, "a", plan(failing))[0])
    )
    assert (
        "→ COMPENSATED: it had succeeded and u (which had run already) undid it, since x FAILED"
    ) == why(earlier, "a", plan({"b": fail(), **failing}))[0]


@pytest.mark.parametrize(
    ("children", "expected"),
    [
        (
            "<retry maxAttempts='3' retryOn='x'/><timeout duration='PT5S' onTimeout='retry'/>",
            "in 3 attempts at most, again only after x, timeout",
        ),
        (
            "<retry maxAttempts='3' retryOn=''/>",
            "in 3 attempts at most, but no failure allows another",
        ),
    ],
    ids=["forced", "none"],
)
def test_which_failures_are_followed_by_another_attempt(children, expected):
    assert expected in said(harness(f"a {children}"), "a")


def test_human_that_nobody_answers():
    doc = harness("a:human")

    assert (
        "→ RUNNING: nobody has decided, and nothing moves any more"
        == (why(doc, "a", plan({"a": {"result": "hang"}}))[0])
    )


@pytest.mark.parametrize(
    ("cases", "expected"),
    [
        ("<case when='${false}' to='t'/><case when='${true}' to='t'/>", "case 1 or case 2"),
        ("<case when='${false}' to='t'/><otherwise to='t'/>", "case 1 or otherwise"),
    ],
    ids=["cases", "otherwise"],
)
def test_cases_with_the_same_target_are_all_named(cases, expected):
    doc = harness(f"d:decision <cases>{cases}</cases>\nt")

    assert f"→ SUCCEEDED: chose t ({expected})" == why(doc, "d")[0]


def test_external_cancel_of_a_node_whose_join_went_on_without_it():
    doc = harness("a\nb\nx\nj joinPolicy=any\nk joinPolicy=any\ns", "a->j b->j j->k x->k s..>b")
    the_plan = plan({"b": ok(after=9), "x": ok(after=5)}, cancel="k SUCCEEDED")

    assert (
        "→ CANCELLED out of RUNNING: the instance was cancelled from outside"
        == (why(doc, "b", the_plan)[0])
    )
