"""Each deviant about concepts, lifecycles and retries shows its fault on a small document."""

import pytest

from reference_runtime.deviants import DEVIANTS
from reference_runtime.deviants.concepts import CONCEPTS
from reference_runtime.deviants.lifecycle import LIFECYCLE, UNBREAKABLE_LIFECYCLE
from reference_runtime.deviants.retries import RETRIES
from tests.strategies_runtime import fail, harness, hold, ok, plan, shown

DONE = "READY RUNNING SUCCEEDED"
OFF = "<guard when='${false}'/>"
ON = "<guard when='${true}'/>"
OUT = "<outputs><output name='x'/></outputs>"
INTO = "<inputs><input name='x'/></inputs>"
OPTIONAL = "<inputs><input name='x' required='false'/></inputs>"
RETRY = "<retry maxAttempts='2' backoff='none' retryOn='transient'/>"
SLOW = "<retry maxAttempts='2' backoff='fixed' initialDelay='PT2S' jitter='false'/>"
LIMIT = "<timeout duration='PT3S' onTimeout='{}'/>"
CHOICE = "d:decision <cases><case when='${true}' to='t'/><otherwise to='u'/></cases>\nt\nu"
RACE = "f->a f->b a->j b->j"
AFTER = plan({"b": ok(until=hold("j SUCCEEDED"))})
ONCE = plan({"a@1": fail("transient")})
FAILS = plan({"a": fail("transient")})
HANGS = plan({"a": {"result": "hang"}})
LATE = plan({"a@1": ok(until=hold("a RETRYING"))})
#: a succeeds, then b fails without handler; z undoes a.
UNDO = ("a b z", "a->b a-~>z", plan({"b": fail("x")}))

#: deviant → nodes, edges, plan, and the paths in which the deviant differs from the rules.
PATHS = {
    # Concepts.
    "idempotence_by_type": (f"a:sink {RETRY}", "", ONCE, {"a": "READY RUNNING FAILED"}),
    "success_by_name_of_impl": ("a impl=always-succeed", "", FAILS, {"a": DONE}),
    "compensation_edge_is_control": ("a z", "a-~>z", plan(), {"z": DONE}),
    # §6, §6.1.
    "start_of_decision_not_written": (
        CHOICE,
        "d->t d->u",
        plan(),
        {"d": "READY SUCCEEDED"},
    ),
    "timed_out_node_cancelled": (
        f"a {LIMIT.format('fail')}", "", HANGS, {"a": "READY RUNNING CANCELLED"}
    ),
    "failed_per_attempt": (
        f"a {RETRY}",
        "",
        ONCE,
        {"a": "READY RUNNING FAILED RETRYING READY RUNNING SUCCEEDED"},
    ),
    "cancellation_not_written": ("f\na\nb\nj joinPolicy=any", RACE, AFTER, {"b": "READY RUNNING"}),
    "timed_out_node_skipped": (
        f"a {LIMIT.format('fail')}", "", HANGS, {"a": "READY RUNNING RETRYING READY SKIPPED"}
    ),
    "compensating_node_marked": (*UNDO, {"a": DONE, "z": f"{DONE} COMPENSATED"}),
    "handled_failure_is_success": ("a h", "a-!>h", FAILS, {"a": DONE, "h": ""}),
    # §6.2, listed rows.
    "unreached_node_cancelled": ("a b", "a->b[${false}]", plan(), {"b": "CANCELLED"}),
    "guards_ignored": (f"a {OFF}", "", plan(), {"a": DONE}),
    "guarded_nodes_always_skipped": (f"a {ON}", "", plan(), {"a": "READY SKIPPED"}),
    "second_root_not_started": ("a b c", "", plan(), {"b": ""}),
    "success_of_producer_not_written": (
        f"a {OUT}".replace("/><", "/><output name='y'/><", 1),
        "",
        plan(),
        {"a": "READY RUNNING"},
    ),
    "failure_cancels_itself": ("a", "", FAILS, {"a": "READY RUNNING CANCELLED"}),
    "retry_policy_ignored": (f"a {RETRY}", "", ONCE, {"a": "READY RUNNING FAILED"}),
    "backoff_ends_in_failure": (f"a {SLOW}", "", ONCE, {"a": "READY RUNNING RETRYING FAILED"}),
    "exhausted_node_cancelled": (
        f"a {RETRY}",
        "",
        plan({"a": fail("x")}),
        {"a": "READY RUNNING RETRYING CANCELLED"},
    ),
    "retrying_nodes_not_cancelled": (
        f"a {SLOW}",
        "",
        plan({"a@1": fail("x")}, cancel="a RETRYING"),
        {"a": "READY RUNNING RETRYING READY RUNNING SUCCEEDED"},
    ),
    "compensation_leaves_no_mark": (*UNDO, {"a": DONE}),
    # §6.2, causes.
    "handled_failure_undone": (
        "s a h z",
        "s->a a-!>h s-~>z",
        FAILS,
        {"s": f"{DONE} COMPENSATED", "z": DONE},
    ),
    "unprepared_node_waits": (
        f"p {OUT}{OFF}\nq {INTO}", "p=x:x=>q", plan(), {"q": "READY RUNNING RETRYING FAILED"}
    ),
    "last_attempt_left_out": (f"a {RETRY}", "", ONCE, {"a": "READY RUNNING FAILED"}),
    "handled_failure_cancels_running_nodes": (
        "a b h",
        "a-!>h",
        plan({"a": fail("x", until=hold("b RUNNING")), "b": ok(until=hold("idle"))}),
        {"b": "READY RUNNING CANCELLED"},
    ),
    "handled_failure_cancels_retrying_nodes": (
        f"a\nb {SLOW}\nh",
        "a-!>h",
        plan({"a": fail("x", until=hold("b RETRYING")), "b@1": fail("x")}),
        {"b": "READY RUNNING RETRYING CANCELLED"},
    ),
    "handled_failure_ends_retries": (
        f"a\nb {SLOW}\nh",
        "a-!>h b-!>h",
        plan({"a": fail("x", until=hold("b RETRYING")), "b@1": fail("x")}),
        {"b": "READY RUNNING RETRYING FAILED"},
    ),
    "unprepared_node_skipped": (
        f"p {OUT}{OFF}\nq {INTO}", "p=x:x=>q", plan(), {"q": "READY SKIPPED"}
    ),
    # §6.2, forbidden neighbours.
    "any_join_starts_at_once": (
        "a\nj joinPolicy=any", "a->j", plan(), {"j": "RUNNING SUCCEEDED"}
    ),
    "unchosen_target_skipped_unreached": (CHOICE, "d->t d->u", plan(), {"u": "SKIPPED"}),
    "starved_consumer_fails_unreached": (
        f"s\np {OUT}\nq {INTO}", "s->p[${false}] p=x:x=>q", plan(), {"q": "FAILED"}
    ),
    "barrier_completes_unscheduled": ("a\nj:barrier", "a->j", plan(), {"j": "SUCCEEDED"}),
    "unreached_nodes_rolled_back": (
        "a b c z", "a->b b->c a-~>z", plan({"b": fail("x")}), {"c": "COMPENSATED"}
    ),
    "decision_completes_without_running": (
        CHOICE, "d->t d->u", plan(), {"d": "READY SUCCEEDED"}
    ),
    "unprepared_node_fails_without_running": (
        f"p {OUT}{OFF}\nq {INTO}", "p=x:x=>q", plan(), {"q": "READY FAILED"}
    ),
    "preparation_retried_before_running": (
        f"p {OUT}{OFF}\nq {INTO}", "p=x:x=>q", plan(), {"q": "READY RETRYING FAILED"}
    ),
    "quorum_join_put_back": (
        "a\nj joinPolicy=quorum quorum=1", "a->j", plan(), {"j": f"READY PENDING {DONE}"}
    ),
    "guard_evaluated_while_running": (f"a {OFF}", "", plan(), {"a": "READY RUNNING SKIPPED"}),
    "retry_without_retrying": (f"a {RETRY}", "", ONCE, {"a": f"READY RUNNING {DONE}"}),
    "retry_from_the_beginning": (f"a {RETRY}", "", ONCE, {"a": f"READY RUNNING PENDING {DONE}"}),
    "running_nodes_rolled_back": (
        "f\na\nb\nj joinPolicy=any", RACE, AFTER, {"b": "READY RUNNING COMPENSATED"}
    ),
    "late_answer_ends_retrying": (
        f"a {LIMIT.format('fail')}".replace("<timeout", f"{SLOW}<timeout"),
        "",
        LATE,
        {"a": "READY RUNNING RETRYING SUCCEEDED"},
    ),
    "exhausted_node_skipped": (
        f"a {RETRY}",
        "",
        plan({"a": fail("x")}),
        {"a": "READY RUNNING RETRYING SKIPPED"},
    ),
    "retry_joins_again": (
        f"a {RETRY}", "", ONCE, {"a": f"READY RUNNING RETRYING PENDING {DONE}"}
    ),
    "handler_runs_again": (
        "s a b", "s->a a->b b-!>a", plan({"b": fail("x")}), {"a": f"{DONE} {DONE}"}
    ),
    "skipped_nodes_rolled_back": (
        f"a {OFF}\nb\nz",
        "a->b a-~>z",
        plan({"b": fail("x")}),
        {"a": "READY SKIPPED COMPENSATED", "z": DONE},
    ),
    "failed_nodes_rolled_back": (
        "a z",
        "a-~>z",
        FAILS,
        {"a": "READY RUNNING FAILED COMPENSATED", "z": DONE},
    ),
    "compensated_twice": (*UNDO, {"a": f"{DONE} COMPENSATED COMPENSATED"}),
    "backoff_reported_again": (
        f"a {RETRY}", "", ONCE, {"a": f"READY RUNNING RETRYING RETRYING {DONE}"}
    ),
    "late_answer_completes": (
        "f\na\nb\nj joinPolicy=any",
        RACE,
        plan({"a": ok(until=hold("b RUNNING")), "b": ok(until=hold("b CANCELLED"))}),
        {"b": "READY RUNNING CANCELLED SUCCEEDED"},
    ),
    "backoff_wakes_the_cancelled": (
        f"a {SLOW}\nf\nn idempotent=false",
        "",
        plan({
            "a@1": fail("transient"),
            "f": fail("internal", until=hold("a RETRYING")),
            "n": ok(after=10),
        }),
        {"a": "READY RUNNING RETRYING CANCELLED READY RUNNING SUCCEEDED"},
    ),
    # §6.2.1 to §6.4.
    "cancels_non_idempotent": (
        "f\na\nb idempotent=false\nj joinPolicy=any", RACE, AFTER, {"b": "READY RUNNING CANCELLED"}
    ),
    "skip_blocks_successors": (f"a {OFF}\nb", "a->b", plan(), {"b": ""}),
    "skip_blocks_consumers": (f"p {OUT}{OFF}\nq {OPTIONAL}", "p=x:x=>q", plan(), {"q": ""}),
    "error_edge_on_skip": (f"a {OFF}\nh", "a-!>h", plan(), {"h": DONE}),
    "unreached_target_cancelled": (CHOICE, "d->t d->u", plan(), {"u": "CANCELLED"}),
    "unreached_node_satisfies_control": (
        "a b c", "a->b[${false}] b->c", plan(), {"c": DONE}
    ),
    "cancellation_satisfies_control": (
        "f\na\nb\nc\nj joinPolicy=any", "f->a f->b a->j b->c c->j", AFTER, {"c": DONE}
    ),
    "skip_is_cancellation": (f"a {OFF}", "", plan(), {"a": "READY CANCELLED"}),
    "waiting_siblings_cancelled": (
        "f\na\nb\nc\nj joinPolicy=any", "f->a f->b a->j b->c c->j", AFTER, {"c": "CANCELLED"}
    ),
    # §8.1, §8.2.
    "three_attempts_by_default": (
        "a",
        "",
        FAILS,
        {"a": "READY RUNNING RETRYING READY RUNNING RETRYING READY RUNNING FAILED"},
    ),
    "retry_counts_retries": (
        f"a {RETRY}",
        "",
        FAILS,
        {"a": "READY RUNNING RETRYING READY RUNNING RETRYING READY RUNNING FAILED"},
    ),
    "every_attempt_used_up": (f"a {RETRY}", "", plan(), {"a": f"READY RUNNING RETRYING {DONE}"}),
    "non_idempotent_node_retried": (
        "a idempotent=false", "", ONCE, {"a": f"READY RUNNING RETRYING {DONE}"}
    ),
    "retry_ignores_classes": (
        f"a {RETRY}",
        "",
        plan({"a@1": fail("x")}),
        {"a": f"READY RUNNING RETRYING {DONE}"},
    ),
    "further_classes_not_retried": (
        f"a {SLOW}", "", plan({"a@1": fail("x")}), {"a": "READY RUNNING FAILED"}
    ),
    "hopeless_classes_not_retried": (
        f"a {SLOW}", "", plan({"a@1": fail("not_found")}), {"a": "READY RUNNING FAILED"}
    ),
    "retrying_to_running": (
        f"a {RETRY}", "", ONCE, {"a": "READY RUNNING RETRYING RUNNING SUCCEEDED"}
    ),
    "one_deadline_for_all_attempts": (
        f"a {SLOW}{LIMIT.format('fail')}",
        "",
        plan({"a@1": fail("x", after=2), "a@2": ok(after=2)}),
        {"a": "READY RUNNING RETRYING READY RUNNING FAILED"},
    ),
    "timeout_never_retried": (
        f"a {SLOW}{LIMIT.format('fail')}",
        "",
        plan({"a@1": {"result": "hang"}}),
        {"a": "READY RUNNING FAILED"},
    ),
    "forced_retry_needs_class": (
        f"a {RETRY}{LIMIT.format('retry')}",
        "",
        plan({"a@1": {"result": "hang"}}),
        {"a": "READY RUNNING FAILED"},
    ),
    "skip_on_timeout_fails": (
        f"a {LIMIT.format('skip')}", "", HANGS, {"a": "READY RUNNING FAILED"}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PATHS)
def test_deviant_takes_other_paths(name):
    nodes, edges, the_plan, wrong = PATHS[name]
    doc = harness(nodes, edges)
    right = shown(doc, the_plan).paths
    observed = shown(doc, the_plan, rules=DEVIANTS[name].rules).paths

    assert wrong == {node: path for node, path in observed.items() if path != right[node]}


#: Deviants that ``test_rr_deviants_values`` shows.
OTHERS = {
    "backoff_not_awaited",
    "config_overwritten",
    "delay_above_limit",
    "drawn_edges_hidden",
    "every_attempt_numbered_one",
    "fixed_backoff_multiplied",
    "handled_failure_cancels_ready_nodes",
    "jitter_added_on_top",
    "later_case_of_target_dropped",
    "limits_begin_anew",
    "mock_resource_refused",
    "noop_not_called",
    "one_class_for_all_failures",
    "outputs_shared_by_name",
    "pending_is_a_failure",
    "ports_bound_by_position",
    "ready_nodes_left_ready",
    "ready_nodes_rolled_back",
    "retrying_written_at_the_end",
    "skip_is_no_success",
    "skip_remembered_in_next_run",
    "skipped_outputs_are_null",
    "spared_attempt_not_finished",
    "time_runs_backwards",
}


def test_every_deviant_is_shown():
    assert {*PATHS, *OTHERS} == {row[0] for row in (*CONCEPTS, *LIFECYCLE, *RETRIES)}


def test_what_cannot_be_broken_has_no_deviant():
    assert not {*UNBREAKABLE_LIFECYCLE} & {deviant.requirement for deviant in DEVIANTS.values()}
