"""How fast the fuzzer is, and how many examples it needs to find each deviant.

Run ``python benchmarks/bench_fuzz.py [examples] [seeds]``.
"""

import argparse
import random
import statistics
import time

from reference_runtime.deviants import DEVIANTS
from suite.fuzz.areas import AREAS, area_of
from suite.fuzz.campaign import run_campaign
from suite.fuzz.generate import BYTES_PER_NODE, decode_example
from suite.fuzz.observed import observe
from suite.fuzz.oracle import judge_run
from suite.fuzz.render import render_document, render_plan
from suite.protocol.runtime import Runtime, open_runtime

#: Deviants of these sections are about joins, skips, decisions and unreachability.
SECTIONS = ("5.3", "6.2.1", "6.3", "7.1.3")


def rate(runtime: Runtime, area: str, count: int) -> None:
    """Print full examples per second and where the time of one goes."""
    wall, processor = time.perf_counter(), time.process_time()
    result = run_campaign(runtime, area, count, 1)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    state = "clean" if result.clean else f"NOT CLEAN: {result.failure.findings}"
    print(
        f"{area}: {count / wall:.0f} examples/s ({count / processor:.0f} per CPU second), {state}"
    )


def parts(runtime: Runtime, area: str, count: int) -> None:
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
        observed = observe(exchange.transcript, calls=True)
        clock.append(time.perf_counter())
        judge_run(example.model, observed)
        clock.append(time.perf_counter())
        for name, start, end in zip(spent, clock, clock[1:], strict=False):
            spent[name] += end - start
    listed = ", ".join(f"{name} {1000 * total / count:.2f}" for name, total in spent.items())
    print(f"{area}: ms per example: {listed}")


def medians(examples: int, seeds: int) -> None:
    """Print the median number of examples until each deviant is found."""
    for name, deviant in DEVIANTS.items():
        joins = deviant.requirement.startswith(SECTIONS)
        area = "joins" if joins else "failures"
        with open_runtime(f"adapter:reference_runtime.deviants:{name}", in_process=True) as runtime:
            results = [run_campaign(runtime, area, examples, seed) for seed in range(seeds)]
        found = [r for r in results if r.failure is not None]
        counts = [r.examples if r.failure else float("inf") for r in results]
        sizes = [len(r.failure.example.model.nodes) for r in found if r.failure]
        cited = sum(
            any(deviant.requirement in f.requirements for f in r.failure.findings)
            for r in found
            if r.failure
        )
        print(
            f"{name} ({deviant.requirement}) in {area}: median {statistics.median(counts):g} "
            f"examples, found {len(found)}/{seeds}, cited {cited}/{seeds}, nodes {sizes}"
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("examples", type=int, nargs="?", default=1000)
    parser.add_argument("seeds", type=int, nargs="?", default=5)
    options = parser.parse_args()
    examples, seeds = options.examples, options.seeds
    for in_process in (True, False):
        print("in this process:" if in_process else "in a child process:")
        with open_runtime("adapter:reference_runtime", in_process=in_process) as runtime:
            for area in AREAS:
                rate(runtime, area, examples)
                parts(runtime, area, examples // 2)
    medians(examples, seeds)


if __name__ == "__main__":
    main()
