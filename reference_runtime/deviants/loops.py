"""Deviants: wrong loops (§5.4, §6.5, §7.2)."""

from __future__ import annotations

from typing import Final

from reference_runtime.deviants.deviant import Row, changed, loops
from reference_runtime.rules import RULES

__all__ = ["LOOPS"]

_ON_FAILURE: Final = RULES.loops.item_failure

LOOPS: Final[tuple[Row, ...]] = (
    (
        "loop_takes_one_more",
        "5.4-loop-concurrency-bound",
        "a parallel loop has one more iteration under way than maxConcurrency allows",
        loops(slots=lambda most: most + 1 if most > 1 else 1),
    ),
    (
        "iterations_in_reverse",
        "5.4-sequential-iterations-in-order",
        "iterations start with the last one",
        loops(iteration=lambda started, all_: all_ - 1 - started),
    ),
    (
        "loop_ends_before_iterations",
        "6.5-loop-node-has-own-lifecycle",
        "a loop node ends when its last iteration has started",
        loops(ended=lambda running, stopped: stopped or not running),
    ),
    (
        "first_iteration_written_only",
        "6.5-each-iteration-has-own-lifecycle",
        "the trace shows the lifecycle of the body for the first iteration only",
        {
            "written": lambda _node, entry: (
                () if entry.iteration and entry.iteration[-1][1] else (entry,)
            )
        },
    ),
    (
        "failed_body_blocks_iterations",
        "6.5-iteration-states-do-not-overwrite",
        "no iteration runs after one whose body is FAILED",
        loops(
            item_failure=changed(
                _ON_FAILURE,
                **{"continue": _ON_FAILURE["continue"]._replace(stops=True)},
            )
        ),
    ),
    (
        "fail_runs_all_iterations",
        "6.5-fail-policy",
        'onItemFailure="fail" lets the remaining iterations run first',
        loops(
            item_failure=changed(
                _ON_FAILURE,
                fail=_ON_FAILURE["fail"]._replace(stops=False),
            )
        ),
    ),
    (
        "continue_fails_on_some",
        "6.5-continue-some-succeed",
        'onItemFailure="continue" fails the loop when one of its iterations fails',
        loops(
            item_failure=changed(
                _ON_FAILURE,
                **{"continue": _ON_FAILURE["continue"]._replace(result=_ON_FAILURE["fail"].result)},
            )
        ),
    ),
    (
        "continue_never_fails",
        "6.5-continue-all-fail",
        'onItemFailure="continue" never fails the loop',
        loops(
            item_failure=changed(
                _ON_FAILURE,
                **{
                    "continue": _ON_FAILURE["continue"]._replace(result=_ON_FAILURE["break"].result)
                },
            )
        ),
    ),
    (
        "break_fails",
        "6.5-break-policy",
        'onItemFailure="break" fails the loop',
        loops(item_failure=changed(_ON_FAILURE, **{"break": _ON_FAILURE["fail"]})),
    ),
    (
        "iteration_failure_unwinds",
        "6.5-iteration-failure-contained",
        "the failure of an iteration is one of the instance",
        loops(contained=lambda _node: False),
    ),
    (
        "over_limit_truncates",
        "7.2.1-exceeding-fails",
        "a loop stops at maxIterations and is SUCCEEDED",
        loops(over_limit=lambda _loop: "SUCCEEDED"),
    ),
    (
        "limit_off_by_one",
        "7.2.1-exact-bound-allowed",
        "a loop fails when it reaches maxIterations",
        loops(limit=lambda loop, _earlier: loop.max_iterations - 1),
    ),
    (
        "duplicate_elements_dropped",
        "7.2.2-foreach-once-per-element",
        "equal elements are iterated over once",
        loops(elements=lambda e: [x for n, x in enumerate(e) if x not in e[:n]]),
    ),
    (
        "while_tests_after",
        "7.2.2-while-tests-before",
        "a while loop tests its condition after the first iteration",
        loops(tests_first={"while": False, "until": False}),
    ),
    (
        "until_tests_before",
        "7.2.2-until-tests-after",
        "an until loop tests its condition before the first iteration",
        loops(tests_first={"while": True, "until": True}),
    ),
    (
        "times_is_limit",
        "7.2.2-times-exact",
        "a times loop runs maxIterations iterations",
        loops(times=lambda loop: loop.max_iterations),
    ),
    (
        "item_name_fixed",
        "7.2.3-item-variable-bound",
        "the element is called item whatever var says",
        loops(variables=lambda loop, item, number: {"item": item, loop.index_var: number}),
    ),
    (
        "index_from_one",
        "7.2.3-index-zero-based",
        "the index of iterations starts at one",
        loops(variables=lambda loop, item, number: {loop.var: item, loop.index_var: number + 1}),
    ),
    (
        "body_in_main_flow",
        "7.2.6-body-runs-only-as-iteration",
        "a loop body runs as a node of the main flow, too",
        loops(bodies_apart=False),
    ),
    (
        "handler_of_first_iteration",
        "7.2.6-body-error-edges-per-iteration",
        "the error handlers of a body run in the first iteration only",
        loops(handlers=lambda number: not number),
    ),
    (
        "body_belongs_to_one_loop",
        "7.2.6-body-shared-by-loops",
        "a loop runs no iterations if another one has run its body already",
        loops(takes_body=lambda elsewhere: not elsewhere),
    ),
    (
        "inner_loops_share_limit",
        "7.2.6-nested-loop-bounds",
        "the iterations of an inner loop count together over all of the outer ones",
        loops(limit=lambda loop, earlier: loop.max_iterations - earlier),
    ),
    (
        "inner_loop_failure_unwinds",
        "7.2.6-inner-loop-failure-is-item-failure",
        "a loop that fails as the body of a loop fails the instance",
        loops(contained=lambda node: node.type != "loop"),
    ),
)
