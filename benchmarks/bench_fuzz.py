"""How fast the fuzzer is, and how many examples it needs to find each deviant.

Run ``python benchmarks/bench_fuzz.py [--seeds N] [--examples N] [--only NAME …]``. The deviants
are those about joins, unreachability, skips, cancellation, failure, loops and unwinding.
"""

import argparse
import random
import statistics
import time
from typing import Final

import suite.fuzz.campaign
from reference_runtime.deviants import DEVIANTS
from suite.fuzz.areas import AREAS, area_of
from suite.fuzz.campaign import CampaignResult, run_campaign
from suite.fuzz.generate import BYTES_PER_NODE, decode_example
from suite.fuzz.observed import observe
from suite.fuzz.oracle import judge_run
from suite.fuzz.render import render_document, render_plan
from suite.protocol.runtime import AnyRuntime, open_runtime

#: Full examples a second: generate, render, run on the reference runtime, judge.
GOAL: Final = 300

#: Beginning of a requirement's id → area in which its deviants are looked for; the first that
#: fits counts. Sections that are not listed have no constructs that the fuzzer draws.
AREA_OF: Final = {
    "4.2": "inputs",
    "4.3": "handlers",
    "4.4-error-edge-not-on-cancelled": "races",
    "4.4": "handlers",
    "4.5": "unwinding",
    "5.2-compensation": "unwinding",
    "5.2-error": "handlers",
    "5.2": "joins",
    "5.3.1-any": "races",
    "5.3.1-skipped": "handlers",
    "5.3.1-unreached": "inputs",
    "5.3.2": "races",
    "5.3.3-required": "inputs",
    "5.3.3-default": "inputs",
    "5.3.3-optional": "inputs",
    "5.3-only": "handlers",
    "5.3-not-ready": "failures",
    "5.3-control-satisfied": "failures",
    "5.3-data-satisfied": "failures",
    "5.3-untaken": "handlers",
    "5.3": "joins",
    "5.4": "loops",
    "5.5": "inputs",
    "5.6": "inputs",
    "5.7-outcome-cancelled": "cancellation",
    "5.7-outcome-compensated": "unwinding",
    "5.7-not-complete-while-non": "races",
    "5.7": "failures",
    "5.8": "handlers",
    "6.1-compensated": "unwinding",
    "6.1": "failures",
    "6.2-no-compensated": "unwinding",
    "6.2-no-pending-retrying-or-compensated": "unwinding",
    "6.2-no-ready-compensated": "unwinding",
    "6.2-no-running-compensated": "unwinding",
    "6.2-no-leaving-skipped": "unwinding",
    "6.2-no-leaving-failed": "unwinding",
    "6.2-no-pending-failed": "inputs",
    "6.2-no-skip": "inputs",
    "6.2-no-ready-failed": "inputs",
    "6.2-no-leaving-cancelled": "races",
    "6.2-succeeded-compensated": "unwinding",
    "6.2-no-leaving-compensated": "unwinding",
    "6.2-no-ready-cancelled": "handlers",
    "6.2-no-running-cancelled": "handlers",
    "6.2-no-retrying-cancelled": "handlers",
    "6.2-no-retrying-failed": "handlers",
    "6.2-ready-cancelled": "cancellation",
    "6.2-retrying-cancelled": "cancellation",
    "6.2.1-no-cancel": "races",
    "6.2.1": "cancellation",
    "6.2": "failures",
    "6.3": "handlers",
    "6.4-cancelled": "races",
    "6.4": "joins",
    "6.5": "loops",
    "7.1": "failures",
    "7.2": "loops",
    "8.1": "failures",
    "8.4": "unwinding",
    "1.3-no-automatic-retry": "failures",
}

#: Requirements that no drawn run can show broken, with the reason.
OUT_OF_REACH: Final = {
    "4.1-control-carries-no-data": "outputs and inputs never share a name",
    "4.3-dependency-no-data": "outputs and inputs never share a name",
    "5.2-entry-attribute-is-sole-start": "the declared entry is always the first node",
    "5.2-entry-node-ignores-its-own-incoming-edges": "no edge leads into a drawn entry",
    "5.3-negative-is-permanent": "a drawn condition never changes its value",
    "5.5-credential-from-declared-store": "no resources are drawn",
    "5.5-ends-in-succeeded-or-failed": "no sinks are drawn",
    "5.5-guard-false-resolves-nothing": "no resources are drawn",
    "5.5-input-from-default": "every drawn input has a data edge",
    "5.5-input-from-value": "inputs are fed by edges or defaults only",
    "5.5-inputs-before-resources": "no resources are drawn",
    "5.5-step-runs-under-timeout": "no timeouts are drawn",
    "5.6-no-in-place-change-by-consumer": "outputs and inputs never share a name",
    "5.6-value-not-available-earlier": "answers that come after an abort are not drawn",
    "6.1-skipped-meaning": "no timeouts are drawn",
    "6.2-no-retrying-skipped": "no timeouts are drawn",
    "6.2-no-retrying-succeeded": "no timeouts are drawn",
    "6.2-no-retrying-without-retries-left": "open: a last detour (A16), retries of inputs (A13)",
    "6.2-no-succeeded-without-completion": "every drawn task has the same impl",
    "6.2-only-listed-transitions": "no timeouts are drawn",
    "6.2-retrying-cancelled": "open: a retry may finish after a cancel (A92)",
    "7.1.1-guard-evaluated-when-ready": "drawn guards outside of loops are constants",
    "7.1.3-case-targets-should-be-distinct": "targets of a drawn decision are distinct",
    "7.2.2-until-tests-after": "only forEach and times loops are drawn",
    "7.2.2-while-tests-before": "only forEach and times loops are drawn",
    "7.2.6-body-runs-only-as-iteration": "drawn bodies have no inputs from outside",
    "7.2.6-body-shared-by-loops": "every drawn loop has a body of its own",
    "7.2.6-loop-invariant-data": "drawn bodies have no inputs from outside",
    "4.2-untyped-port-unchecked": "drawn ports have the types that fit",
    "5.3.1-quorum-attribute-required": "drawn documents are valid",
    "8.1-max-attempts-range": "drawn documents are valid",
    "8.1.2-absent-retry-on-retries-all": "every planned failure has the class transient",
    "8.1.2-error-classes-open": "every planned failure has the class transient",
    "8.1.1-jitter-applied": "drawn retry policies have no jitter",
}


def rate(runtime: AnyRuntime, area: str, count: int) -> float:
    """Print full examples per second, and return the seconds that they took."""
    wall, processor = time.perf_counter(), time.process_time()
    result = run_campaign(runtime, area, count, 1)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    state = "clean" if result.failure is None else f"NOT CLEAN: {result.failure.findings}"
    print(
        f"{area}: {count / wall:.0f} examples/s ({count / wall / GOAL:.2f} of the goal {GOAL}; "
        f"{count / processor:.0f} per second of this process's processor time), {state}"
    )
    return wall


def rates(count: int, *, in_process: bool) -> None:
    """Print the rates of all areas, and where the time goes."""
    print("in this process:" if in_process else "in a child process:")
    with open_runtime("adapter:reference_runtime", in_process=in_process) as runtime:
        wall = 0.0
        for area in AREAS:
            wall += rate(runtime, area, count)
            parts(runtime, area, count // 2)
    number = count * len(AREAS) / wall
    print(f"all areas: {number:.0f} examples/s, goal {GOAL} ({number / GOAL:.2f} of it)")


def parts(runtime: AnyRuntime, area: str, count: int) -> None:
    """Print milliseconds per example of each part, without hypothesis."""
    rng = random.Random(1)  # noqa: S311 -- a reproducible order, no secret
    spent = dict.fromkeys(("decode", "render", "run", "observe", "judge"), 0.0)
    most = AREAS[area].max_nodes
    for _ in range(count):
        clock = [time.perf_counter()]
        example = decode_example(
            rng.randbytes(rng.randint(1, most) * BYTES_PER_NODE), area_of(area)
        )
        clock.append(time.perf_counter())
        document, plan = render_document(example.model), render_plan(example)
        clock.append(time.perf_counter())
        exchange = runtime.run(document, {}, plan, 10.0)
        clock.append(time.perf_counter())
        observed = observe(exchange.transcript, calls=True, timed=True)
        clock.append(time.perf_counter())
        judge_run(example.model, observed)
        clock.append(time.perf_counter())
        for name, start, end in zip(spent, clock, clock[1:], strict=False):
            spent[name] += end - start
    listed = ", ".join(f"{name} {1000 * total / count:.2f}" for name, total in spent.items())
    print(f"{area}: ms per example: {listed}")


def home_of(requirement: str) -> str | None:
    """Return the area in which deviants of a requirement are looked for, if there is one."""
    fitting = (area for prefix, area in AREA_OF.items() if requirement.startswith(prefix))
    return next(fitting, None)


def campaigns(name: str, area: str, examples: int, seeds: int) -> list[CampaignResult]:
    """Look for a deviant once for each seed, as at level Full."""
    with open_runtime(f"adapter:reference_runtime.deviants:{name}", in_process=True) as runtime:
        return [run_campaign(runtime, area, examples, seed, full=True) for seed in range(seeds)]


def medians(examples: int, seeds: int, only: list[str]) -> None:
    """Print the median number of examples until each deviant is found."""
    missed: list[str] = []
    for name, deviant in DEVIANTS.items():
        area = home_of(deviant.requirement)
        if area is None or (only and name not in only):
            continue
        if deviant.requirement in OUT_OF_REACH and not only:
            print(f"{name}: out of reach, {OUT_OF_REACH[deviant.requirement]}")
            continue
        results = campaigns(name, area, examples, seeds)
        found = [result for result in results if result.failure is not None]
        counts = [r.examples if r.failure is not None else float("inf") for r in results]
        cited = sum(
            r.failure is not None
            and any(deviant.requirement in f.requirements for f in r.failure.findings)
            for r in results
        )
        print(
            f"{name} ({deviant.requirement}) in {area}: median {statistics.median(counts):g} "
            f"examples, not found {seeds - len(found)}/{seeds}, cited {cited}/{seeds}",
            flush=True,
        )
        missed += [name] * (len(found) * 2 < seeds)
    print(f"not found by half of the seeds within {examples} examples: {', '.join(missed) or '-'}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=1000, help="budget of one campaign")
    parser.add_argument("--seeds", type=int, default=5, help="campaigns for each; 0: none")
    parser.add_argument("--only", nargs="*", default=[], help="names of deviants")
    parser.add_argument("--reduce", action="store_true", help="make found runs small, too")
    options = parser.parse_args()
    if not options.only:
        for in_process in (True, False):
            rates(options.examples, in_process=in_process)
    if not options.reduce:  # the numbers of examples are the same without
        suite.fuzz.campaign.REDUCE_SECONDS = 0.0
    if options.seeds:
        medians(options.examples, options.seeds, options.only)


if __name__ == "__main__":
    main()
