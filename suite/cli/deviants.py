"""``hxconf deviants``: is every runtime with one fault failed, and for that fault?"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from suite.cli.bench import execute_all, known_deviants, telling
from suite.cli.words import Arguments, UsageError, corpus_or_exit, say
from suite.corpus.catalogue import Corpus
from suite.verdict.status import EXIT
from suite.verdict.verdict import Verdict

__all__ = ["Score", "main", "score"]

#: A deviant that fails more scenarios than this breaks more than one thing.
_MOST: Final = 0.2


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """What the corpus makes of one deviant.

    Attributes:
        failing: scenarios that fail.
        killers: those whose first divergence cites the deviant's own requirement.
        blamed: what the first divergences of the failing scenarios cite.
        share: part of the corpus that fails.
    """

    name: str
    requirement: str
    failing: tuple[str, ...]
    killers: tuple[str, ...]
    blamed: tuple[str, ...]
    share: float

    @property
    def good(self) -> bool:
        """Whether it is killed for its own requirement, and precisely."""
        return bool(self.killers) and self.share <= _MOST


def score(name: str, requirement: str, verdicts: Sequence[Verdict], total: int) -> Score:
    """Return the score of a deviant that breaks ``requirement``.

    ``verdicts`` leaves out scenarios that the deviant treats as the rules do; ``total`` counts all.
    """
    failing = [v for v in verdicts if v.red]
    return Score(
        name=name,
        requirement=requirement,
        failing=tuple(v.scenario for v in failing),
        killers=tuple(v.scenario for v in failing if requirement in v.blamed),
        blamed=tuple(dict.fromkeys(cite for v in failing for cite in v.blamed)),
        share=len(failing) / max(1, total),
    )


def main(arguments: Sequence[str]) -> int:
    """Print a line for each deviant and the score by section; 1 when one survives."""
    parser = Arguments(
        "deviants",
        "Run the reference runtime with one fault at a time, and see whether the corpus notices.",
    )
    parser.add_argument("name", nargs="*", help="deviants (default: all)")
    parser.add_argument(
        "--every",
        action="store_true",
        help="run every scenario, also those in which a deviant does what the rules do",
    )
    options = parser.parse_args(arguments)
    known, unbreakable = known_deviants()
    unknown = [name for name in options.name if name not in known]
    if unknown:
        raise UsageError(f"deviants: no deviant {unknown[0]!r}; there are {', '.join(known)}")
    corpus = corpus_or_exit()
    names = tuple(dict.fromkeys(options.name or known))
    chosen = dict.fromkeys(names, tuple(corpus.scenarios))
    verdicts = execute_all(corpus, chosen if options.every else telling(corpus, names))
    scores = [
        score(name, known[name].requirement, verdicts[name], len(corpus.scenarios))
        for name in names
    ]
    for result in scores:
        _tell(result, known[result.name].description, full=bool(options.name))
    _tell_sections(scores, corpus)
    if not options.name:
        for requirement, reason in unbreakable.items():
            say(f"no deviant can show {requirement}: {reason}")
    good = sum(result.good for result in scores)
    say(f"{good} of {len(scores)} killed for their own requirement")
    return EXIT["ok"] if good == len(scores) else EXIT["failed"]


def _tell(result: Score, description: str, *, full: bool) -> None:
    """Print what became of a deviant; scenarios where they were asked for or explain a fault."""
    fate = "killed" if result.killers else "killed for another reason" * bool(result.failing)
    wide = f", over {_MOST:.0%} of the corpus" if result.share > _MOST else ""
    say(
        f"{fate or 'SURVIVED'}: {result.name} ({result.requirement}): {description}; "
        f"{len(result.failing)} scenarios fail ({result.share:.0%}){wide}"
    )
    if result.failing and not result.killers:
        say(f"  cited instead: {', '.join(result.blamed) or 'nothing'}")
    if full or not result.good:
        for scenario in result.killers or result.failing:
            say(f"  {scenario}")


def _tell_sections(scores: Sequence[Score], corpus: Corpus) -> None:
    """Print how many deviants of each section are killed for their own requirement."""
    total = Counter(_section(result, corpus.ledger) for result in scores)
    good = Counter(_section(result, corpus.ledger) for result in scores if result.good)
    for section in sorted(total, key=lambda text: [int(part) for part in text.split(".")]):
        say(f"section {section}: {good[section]} of {total[section]}")


def _section(result: Score, ledger: Mapping[str, object]) -> str:
    return str(getattr(ledger.get(result.requirement), "section", "0"))
