"""``hxconf rejudge``: judge recorded runs again, without a runtime."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from suite.cli.badge import results_of, tally_of
from suite.cli.words import Arguments, UsageError, corpus_or_exit, say
from suite.corpus.case import LEVELS, Level
from suite.corpus.catalogue import Corpus
from suite.corpus.ledger import statements
from suite.corpus.manifest import VERSION
from suite.report.results import Header, Record, Results, ResultsWriter, record_of
from suite.runner.summary import summary
from suite.runner.tally import Tally
from suite.runner.work import now
from suite.verdict.expected import (
    Expected,
    ExpectedError,
    apply_expected,
    load_expected,
    stale_lines,
)
from suite.verdict.gate import highest_level
from suite.verdict.judge import judge
from suite.verdict.status import EXIT, STATUSES

__all__ = ["main", "rejudged"]

_EPILOG: Final = """\
RESULTS is a file that certify or --hx-results wrote. Runs are judged by their transcripts and by
the corpus of this version; what was not run stays as it is. Every verdict that changes gets a
line. A scenario that this corpus does not have any more is left out.

exit codes, those of the run itself: 0 everything that was run passes, 1 something fails,
2 it was interrupted, 3 fault of the suite, 4 usage, 5 nothing to judge, 6 the file is incomplete"""


def main(arguments: Sequence[str]) -> int:
    """Print the verdicts that change and the new summary."""
    parser = Arguments("rejudge", "Judge recorded runs again, without a runtime.", _EPILOG)
    parser.add_argument("results", metavar="RESULTS", type=Path)
    parser.add_argument("--out", metavar="FILE", type=Path, help="write the new results there")
    parser.add_argument("--expected", metavar="FILE", type=Path, help="expected failures")
    parser.add_argument("-v", dest="verbose", action="store_true", help="explain every failure")
    options = parser.parse_args(arguments)
    corpus = corpus_or_exit()
    old = results_of(options.results, "rejudge: ")
    expected = _expected(options.expected)
    if old.header.digest != corpus.digest:
        say(f"recorded with corpus {old.header.digest}, judged by {corpus.digest}")
    new = rejudged(old, corpus, expected)
    for line in _changes(old, new, corpus):
        say(line)
    for record in new.records.values() if options.verbose else ():
        if STATUSES[record.status].red:
            for line in (f"{record.status}: {record.id}", *record.text):
                say(line)
    tally = tally_of(new, corpus)
    for line in summary(tally, new.header.implementation, verbose=False):
        say(line)
    stale = _stale(new, tally, expected)
    for line in (*stale, *_missing(new)):
        say(line)
    if options.out is not None:
        _write(new, options.out)
    return _exit_code(new, tally, stale=bool(stale))


def _exit_code(results: Results, tally: Tally, *, stale: bool) -> int:
    """Return the exit code of the run, with the verdicts of today; no end of it is no success."""
    if results.footer is not None and results.footer.code is not None:
        return results.footer.code
    code = tally.exit_code()
    if code in (EXIT["ok"], EXIT["nothing"]) and any(_missing(results)):
        return EXIT["incomplete"]
    return EXIT["failed"] if stale and code != EXIT["suite-fault"] else code


def _stale(results: Results, tally: Tally, expected: tuple[Expected, ...]) -> list[str]:
    """Return what is said of expected failures that did not come, as after a complete run."""
    if not tally.complete:
        return []
    verdicts = [record.verdict() for record in results.records.values()]
    stale = stale_lines(expected, verdicts)
    return [f"expected failure that did not come: {line}; remove it" for line in stale]


def _missing(results: Results) -> Iterator[str]:
    """Say what keeps the file from being that of a run that came to its end."""
    if results.footer is None:
        torn = ", and its last line is cut off" if results.torn else ""
        yield f"the file is incomplete: it has no footer{torn}; the run did not come to its end"
    elif results.torn:
        yield "the file is incomplete: something follows its footer, and is cut off"
    elif results.footer.code == EXIT["interrupted"]:
        yield "the run was interrupted"
    elif results.footer.code is not None:
        yield f"the run did not come to its end: it broke off with exit code {results.footer.code}"


def rejudged(results: Results, corpus: Corpus, expected: tuple[Expected, ...] = ()) -> Results:
    """Return the results with every verdict made anew from its transcript."""
    level = _level(results.header)
    says = statements(corpus.ledger)
    records: dict[str, Record] = {}
    for key, record in results.records.items():
        exchange = record.exchange()
        scenario = corpus.scenarios.get(key)
        if scenario is None and key.startswith(("execution/", "valid/", "invalid/")):
            continue
        if exchange is None or scenario is None or record.status == "flaky":
            # Of two runs that differ, one is recorded: the other cannot be judged again.
            records[key] = record
            continue
        verdict = judge(
            scenario, None, exchange, results.header.implementation, statements=says, level=level
        )
        records[key] = record_of(apply_expected(verdict, expected), exchange)
    header = msgspec.structs.replace(results.header, corpus=VERSION, digest=corpus.digest)
    return msgspec.structs.replace(results, header=header, records=records)


def _level(header: Header) -> Level | None:
    """Return the level that was assessed, as when the run was made."""
    declared = highest_level(header.implementation)
    asked = msgspec.convert(header.options.get("level", "full"), Level)
    return None if declared is None else min(declared, asked, key=LEVELS.index)


def _changes(old: Results, new: Results, corpus: Corpus) -> Iterator[str]:
    gone = [key for key in old.records if key not in new.records]
    changed = 0
    for key, record in new.records.items():
        before = old.records[key]
        if before.status != record.status:
            changed += 1
            reason = f": {record.reason}" * bool(record.reason)
            yield f"{key}: {before.status}, now {record.status}{reason}"
    for key in gone:
        yield f"{key}: not in this corpus"
    missing = sum(key not in old.records for key in corpus.scenarios)
    if missing and old.complete:
        yield f"{missing} scenarios of this corpus were not recorded"
    yield f"{changed} of {len(new.records)} verdicts changed"


def _write(results: Results, path: Path) -> None:
    try:
        with ResultsWriter(path, results.header) as writer:
            for record in results.records.values():
                writer.append(record)
            footer = results.footer
            if footer is not None and not results.torn:
                writer.finish(complete=footer.complete, finished=now(), code=footer.code)
    except OSError as error:
        raise UsageError(f"rejudge: --out {path}: {error.strerror}") from error
    say(f"written: {path}")


def _expected(path: Path | None) -> tuple[Expected, ...]:
    if path is None:
        return ()
    try:
        return load_expected(path)
    except ExpectedError as error:
        raise UsageError(f"rejudge: --expected: {' '.join(str(error).split())}") from error
