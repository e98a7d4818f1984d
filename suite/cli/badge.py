"""``hxconf badge``: the badge of recorded results, assessed anew."""

from collections.abc import Sequence
from pathlib import Path

from suite.cli.words import Arguments, UsageError, corpus_or_exit, say
from suite.corpus.catalogue import Corpus
from suite.report.badge import badge_words, endpoint, svg
from suite.report.results import Results, ResultsError, read_results
from suite.runner.settings import Settings
from suite.runner.tally import Tally
from suite.verdict.levels import Assessment
from suite.verdict.status import EXIT

__all__ = ["main", "results_at", "results_of", "tally_of", "write_badge"]


def main(arguments: Sequence[str]) -> int:
    """Write badge.svg and badge.json (for a shields endpoint) beside the results."""
    parser = Arguments("badge", "Draw the badge of results that certify or --hx-results wrote.")
    parser.add_argument("results", metavar="RESULTS", type=Path)
    parser.add_argument("--out", metavar="DIR", type=Path, help="folder (default: of RESULTS)")
    options = parser.parse_args(arguments)
    corpus = corpus_or_exit()
    results = results_at(options.results, corpus)
    assessment = tally_of(results, corpus).assessment(results.header.implementation)
    for path in write_badge(assessment, options.out or options.results.parent):
        say(str(path))
    say(badge_words(assessment)[0])
    return EXIT["ok"]


def results_of(path: Path, prefix: str = "") -> Results:
    """Read results, whichever corpus made them; ``prefix`` begins the text of an error.

    Raises:
        UsageError: the file cannot be read.
    """
    try:
        return read_results(path)
    except OSError as error:
        raise UsageError(f"{prefix}{path}: {error.strerror}") from error
    except ResultsError as error:
        raise UsageError(f"{prefix}{path}: {error}") from error


def results_at(path: Path, corpus: Corpus) -> Results:
    """Read results that this corpus made.

    Raises:
        UsageError: the file cannot be read, or another corpus made it.
    """
    results = results_of(path)
    if results.header.digest != corpus.digest:
        raise UsageError(
            f"{path}: made by corpus {results.header.digest}, this one is {corpus.digest}"
        )
    return results


def tally_of(results: Results, corpus: Corpus) -> Tally:
    """Return the tally of a recorded run, as complete as the file says."""
    options = results.header.options
    settings = Settings(
        target=options.get("target", "?"),
        level=options.get("level", "full"),
        rename=options.get("rename", 0),
    )
    tally = Tally(corpus, settings, cut=not results.complete)
    tally.choose(results.records)
    for record in results.records.values():
        tally.add(record)
    return tally


def write_badge(assessment: Assessment, folder: Path) -> list[Path]:
    """Write both forms of the badge; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / "badge.svg", folder / "badge.json"]
    for path, text in zip(paths, (svg(assessment), endpoint(assessment)), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths
