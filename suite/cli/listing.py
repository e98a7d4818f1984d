"""``hxconf list``: the scenarios of the corpus."""

from collections.abc import Sequence

from suite.cli.words import Arguments, corpus_or_exit, say
from suite.runner.selection import select
from suite.verdict.status import EXIT

__all__ = ["main"]


def main(arguments: Sequence[str]) -> int:
    """Print id, level and description of each scenario; 5 when none matches."""
    parser = Arguments("list", "List scenarios: id, level, description.")
    parser.add_argument(
        "pattern", nargs="*", help="ids, folders of ids, or patterns like */joins/*"
    )
    patterns = parser.parse_args(arguments).pattern
    corpus = corpus_or_exit()
    chosen = sorted(select(corpus.scenarios, patterns))
    width = max(map(len, chosen), default=0)
    for key in chosen:
        text = corpus.scenarios[key].case.text
        say(f"{key:<{width}}  {text.level:<9}  {text.description}")
    return EXIT["ok"] if chosen else EXIT["nothing"]
