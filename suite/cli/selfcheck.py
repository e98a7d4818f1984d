"""``hxconf selfcheck``: the corpus checked as if it were code."""

from collections.abc import Sequence
from pathlib import Path

from suite.cli.words import Arguments, say
from suite.corpus.catalogue import CorpusError, read_corpus
from suite.corpus.selfcheck import check_corpus
from suite.verdict.status import EXIT

__all__ = ["main"]


def main(arguments: Sequence[str]) -> int:
    """Print every problem, a line each; 1 when there are some."""
    parser = Arguments("selfcheck", "Check cases, goldens, ledger and manifest.")
    parser.add_argument("--root", metavar="DIR", type=Path, help="folder with cases/ of a corpus")
    try:
        corpus, problems = read_corpus(parser.parse_args(arguments).root)
    except CorpusError as error:
        problems = [str(error)]
    else:
        problems = [*problems, *check_corpus(corpus)]
        say(f"{len(corpus.cases)} cases, {len(corpus.scenarios)} scenarios, {corpus.digest}")
    for problem in problems:
        say(problem)
    say(f"{len(problems)} problem{'s' * (len(problems) != 1)}")
    return EXIT["failed"] if problems else EXIT["ok"]
