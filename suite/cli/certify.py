"""``hxconf certify``: a whole run under our own configuration, with results, report and badge."""

import os
import secrets
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pytest

from suite.cli.badge import results_at, tally_of, write_badge
from suite.cli.words import Arguments, UsageError, corpus_or_exit, say
from suite.report.results import Results
from suite.runner.summary import summary
from suite.runner.tally import Tally
from suite.verdict.status import EXIT

__all__ = ["main"]

_INI: Final = Path(__file__).with_name("certify.ini")
_FILES: Final = ("results.jsonl", "report.txt", "badge.svg", "badge.json")
_EPILOG: Final = """\
All --hx- options of the pytest plugin can be given too (pytest --help lists them). pytest's own
configuration files, conftest.py, plugins and PYTEST_ADDOPTS of the folder play no part.

The runtime is shown other ids than those of the corpus, new ones each time, so that it cannot
know the answers by heart. results.jsonl has their seed; --hx-rename=SEED repeats a run.

exit codes: 0 the declared level is reached, 1 something failed, 2 interrupted, 3 fault of the
suite, 4 usage or the adapter did not start, 5 nothing executed, 6 incomplete"""

#: What would let the environment change a certification.
_INFLUENCES: Final = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")

_RENAME: Final = "--hx-rename"
_SEEDS: Final = 1_000_000


def main(arguments: Sequence[str]) -> int:
    """Run the corpus; 6 when nothing failed and the declared level is not reached."""
    parser = Arguments("certify", "Run the whole corpus; write results, report, badge.", _EPILOG)
    parser.add_argument("--runtime", metavar="TARGET", required=True, help="as with pytest")
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path("certification"))
    parser.add_argument("-n", dest="jobs", metavar="N", type=int, help="workers (pytest-xdist)")
    parser.add_argument("-v", dest="verbose", action="store_true", help="list every gap")
    options, rest = parser.parse_known_args(arguments)
    _check_rest(rest)
    _clean(options.out)
    if not any(word.split("=")[0] == _RENAME for word in rest):
        rest = [*rest, f"{_RENAME}={1 + secrets.randbelow(_SEEDS)}"]
    words = _words(options.runtime, options.out, options.jobs, verbose=options.verbose)
    code = _pytest([*words, *rest])
    results = options.out / _FILES[0]
    if not results.is_file():
        return code
    corpus = corpus_or_exit()
    read = results_at(results, corpus)
    tally = tally_of(read, corpus)
    assessment = tally.assessment(read.header.implementation)
    report = options.out / _FILES[1]
    report.write_text("".join(f"{line}\n" for line in _report(read, tally)), encoding="utf-8")
    for path in (results, report, *write_badge(assessment, options.out)):
        say(f"written: {path}")
    judged = assessment.judged
    if code == EXIT["ok"] and (judged is None or judged.result != "reached"):
        return EXIT["incomplete"]
    return code


def _check_rest(rest: Sequence[str]) -> None:
    """Let through what is written like an option of ours; the plugin judges its value.

    Raises:
        UsageError: something else is there.
    """
    before = ""
    for word in rest:
        value = before.startswith("--hx-") and "=" not in before and not word.startswith("-")
        if word.startswith("--hx-results"):
            raise UsageError("certify: --hx-results is DIR/results.jsonl here; see --out")
        if not (word.startswith("--hx-") or value):
            raise UsageError(f"certify: unrecognized argument {word!r}; see hxconf certify --help")
        before = word


def _clean(out: Path) -> None:
    """Make the folder, and take away what an earlier run left there.

    Raises:
        UsageError: the folder cannot be written.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name in _FILES:
            (out / name).unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"certify: --out {out}: {error.strerror}") from error


def _words(target: str, out: Path, jobs: int | None, *, verbose: bool) -> Iterator[str]:
    yield from ("-c", str(_INI), f"--rootdir={Path.cwd()}", "--noconftest")
    yield from ("-p", "hxconf_pytest", "-p", "no:cacheprovider")
    yield from (f"--runtime={target}", f"--hx-results={out / _FILES[0]}")
    if verbose:
        yield "-v"
    if jobs is not None:
        if find_spec("xdist") is None:
            raise UsageError("certify: -n needs pytest-xdist, which is not installed here")
        yield from ("-p", "xdist.plugin", "-n", str(jobs))


def _pytest(words: list[str]) -> int:
    """Run pytest in this process, undisturbed by the environment."""
    kept = {name: os.environ.pop(name, None) for name in _INFLUENCES}
    kept["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        return int(pytest.main(words))
    finally:
        for name, value in kept.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def _report(results: Results, tally: Tally) -> Iterator[str]:
    """Yield summary and verdicts, so that nothing that ran or did not run is left out."""
    yield from summary(tally, results.header.implementation, verbose=True)
    yield ""
    for record in sorted(results.records.values(), key=lambda record: record.id):
        yield f"{record.status:<14} {record.id}" + f": {record.reason}" * bool(record.reason)
