"""What the suite itself costs: per case, over a whole corpus beside empty items, and at the start.

Run ``python benchmarks/bench_overhead.py [--repeat N]``. Everything is measured in the same run
on the same machine, on the reference runtime:

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
    for scenario in scenarios:
        runner.execute(scenario)
    wall, busy = time.perf_counter() - before, cpu_of(process) - used
    own = time.process_time() - ours
    runner.close()
    return own / len(scenarios), (wall - busy) / len(scenarios), busy / len(scenarios)


def seconds(*words: str, folder: Path) -> float:
    """Return how long a command takes."""
    before = time.perf_counter()
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - before


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


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, help="measurements of each kind")
    repeat = parser.parse_args().repeat
    corpus = load_corpus()
    number = len(corpus.scenarios)
    own, wall, runtime = min(overhead(corpus) for _ in range(repeat))
    print(f"{number} scenarios, medians of {repeat}, load {os.getloadavg()[0]:.1f}")
    print(
        f"per case through cmd: {own * 1e3:.2f} ms of the suite's processor time (goal 1), "
        f"{wall * 1e3:.2f} ms of wall clock beyond the runtime's {runtime * 1e3:.2f} ms"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain = (*PYTEST, *LEAN)
        corpus_run = (*plain, f"--runtime={TARGET}")
        whole = median(lambda: seconds(*corpus_run, folder=folder), repeat)
        (folder / "conftest.py").write_text(EMPTY, encoding="utf-8")
        items = median(lambda: seconds(*corpus_run, folder=folder), repeat)
        (folder / "conftest.py").unlink()
        tests = folder / "test_empty.py"
        lines = "".join(f"def test_{n}():\n    pass\n\n\n" for n in range(number))
        tests.write_text(lines, encoding="utf-8")
        functions = median(lambda: seconds(*plain, str(tests), folder=folder), repeat)
        tests.unlink()
        print(
            f"whole corpus {whole:.2f} s: {whole / items:.2f} times as long as as many empty items "
            f"of its kind, {items:.2f} s (goal 2); {whole / functions:.2f} times as long as empty "
            f"test functions in one file, {functions:.2f} s"
        )
        for words, says in ((LEAN, "without other plugins"), ((), "with all plugins")):
            first = median(lambda words=words: first_verdict(*words, folder=folder), repeat)  # type: ignore[misc]
            print(f"first verdict after {first:.2f} s {says} (goal 1.5)")


if __name__ == "__main__":
    main()
