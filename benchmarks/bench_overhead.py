"""What the suite itself costs: per case, over a whole corpus beside empty items, and at the start.

Run ``python benchmarks/bench_overhead.py [--repeat N]``. Everything is measured in the same run
on the same machine, on the reference runtime, and printed beside its goal:

- processor time per case of the suite, through ``cmd:`` in one persistent process, and the wall
  clock less the processor time of that process, which is the same and the way between them on a
  machine that does nothing else (goal: at most 1 ms);
- pytest over the whole corpus, beside pytest over as many empty items of the plugin's own, and
  over as many empty test functions, all in processes of their own with the same plugins (goal: at
  most twice as long as the empty items);
- from the start of pytest to the first verdict in the results file (goal: under 1.5 s), with
  pytest's plugins as installed and without those that have no part in it.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Final

from suite.corpus.catalogue import Corpus, load_corpus
from suite.protocol import host
from suite.runner.runner import Runner
from suite.runner.settings import Settings

TARGET: Final = "adapter:reference_runtime"
PROGRAM: Final = f"cmd:{sys.executable} {host.__file__} reference_runtime:adapter"
PYTEST: Final = (sys.executable, "-P", "-m", "pytest", "-p", "no:cacheprovider", "-q")
EMPTY: Final = """\
from suite.report.results import Record

def pytest_collection_modifyitems(items):
    for item in items:
        item.execute = lambda name=item.nodeid: Record(id=name, status="pass")
"""
LEAN: Final = ("-p", "no:hypothesispytest", "-p", "no:pytest_cov", "-p", "no:xdist")


def cpu_of(process: int) -> float:
    """Return the processor time that a process has used, in seconds."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def overhead(corpus: Corpus) -> tuple[float, float, float]:
    """Return seconds per case: the suite's processor time, the rest of the wall, the runtime."""
    runner = Runner(corpus, Settings(target=PROGRAM))
    scenarios = list(corpus.scenarios.values())
    for scenario in scenarios[:20]:
        runner.execute(scenario)
    process = runner.runtime()._wire.group  # type: ignore[union-attr]  # noqa: SLF001 -- a look inside
    before, used, ours = time.perf_counter(), cpu_of(process), time.process_time()
    for scenario, following in pairwise([*scenarios, None]):
        if scenario is not None:
            runner.execute(scenario, following)
    wall, busy = time.perf_counter() - before, cpu_of(process) - used
    own = time.process_time() - ours
    runner.close()
    return own / len(scenarios), (wall - busy) / len(scenarios), busy / len(scenarios)


def seconds(*words: str, folder: Path) -> tuple[float, float]:
    """Return how long a command takes, and the processor time of all its processes."""
    before, used = time.perf_counter(), os.times()
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    wall, now = time.perf_counter() - before, os.times()
    busy = now.children_user + now.children_system - used.children_user - used.children_system
    return wall, busy


def first_verdict(*words: str, folder: Path) -> float:
    """Return the seconds until the first record of a run is in its results file."""
    results = folder / "results.jsonl"
    results.unlink(missing_ok=True)
    before = time.perf_counter()
    command = [*PYTEST, *words, f"--runtime={TARGET}", f"--hx-results={results}"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    while not results.exists() or results.read_bytes().count(b"\n") < 2:
        if process.poll() not in (None, 0):
            raise SystemExit("the run failed")
        time.sleep(0.002)
    took = time.perf_counter() - before
    process.kill()
    process.wait()
    return took


def median(measure: Callable[[], float], repeat: int) -> float:
    """Return the median of some measurements."""
    return statistics.median(measure() for _ in range(repeat))


def tell(what: str, value: float, unit: str, goal: float) -> None:
    """Print a value beside its goal."""
    verdict = "met" if value <= goal else "missed"
    print(f"{what}: {value:.2f}{unit}, goal {goal:g}{unit} {verdict} ({value / goal:.2f} of it)")


def per_case(corpus: Corpus, repeat: int) -> None:
    """Print what a case costs beyond the runtime's own time."""
    measured = [overhead(corpus) for _ in range(repeat)]
    own, wall, runtime = (1e3 * min(column) for column in zip(*measured, strict=True))
    tell("a case through cmd:, processor time of the suite", own, " ms", 1)
    tell("a case through cmd:, wall clock beyond the runtime", wall, " ms", 1)
    print(f"  processor time of the runtime: {runtime:.2f} ms")


def whole_run(number: int, folder: Path, repeat: int) -> None:
    """Print how long the corpus takes beside as many empty items, measured in turns."""
    plain = (*PYTEST, *LEAN)
    corpus_run = (*plain, f"--runtime={TARGET}")
    conftest, tests = folder / "conftest.py", folder / "test_empty.py"
    tests.write_text("".join(f"def test_{n}():\n    pass\n\n\n" for n in range(number)))
    measured: dict[str, list[tuple[float, float]]] = {}
    for _ in range(repeat):
        whole = seconds(*corpus_run, folder=folder)
        conftest.write_text(EMPTY, encoding="utf-8")
        items = seconds(*corpus_run, folder=folder)
        conftest.unlink()
        functions = seconds(*plain, str(tests), folder=folder)
        for name, took in (
            ("the corpus", whole),
            ("empty items", items),
            ("empty test functions in one file", functions),
        ):
            measured.setdefault(name, []).append(took)
    tests.unlink()
    pairs = list(zip(measured["the corpus"], measured["empty items"], strict=True))
    for column, what in enumerate(("wall clock", "processor time")):
        ratio = statistics.median(whole[column] / items[column] for whole, items in pairs)
        tell(f"whole corpus, {what} by that of as many empty items", ratio, " times", 2)
    for name, took in measured.items():
        wall, busy = (statistics.median(column) for column in zip(*took, strict=True))
        print(f"  {name}: {wall:.2f} s, {busy:.2f} s of processor time")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, help="measurements of each kind")
    repeat = parser.parse_args().repeat
    corpus = load_corpus()
    number = len(corpus.scenarios)
    print(f"{number} scenarios, {repeat} measurements each, load {os.getloadavg()[0]:.1f}")
    per_case(corpus, repeat)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole_run(number, folder, repeat)
        for words, says in ((LEAN, "without other plugins"), ((), "with all plugins")):
            first = median(lambda words=words: first_verdict(*words, folder=folder), repeat)  # type: ignore[misc]
            tell(f"first verdict {says}", first, " s", 1.5)


if __name__ == "__main__":
    main()
