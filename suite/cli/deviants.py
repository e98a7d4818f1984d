"""``hxconf deviants``: is every runtime with one fault failed, and for that fault?"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from suite.cli.bench import Known, Trial, execute_all, known_deviants, telling
from suite.cli.words import Arguments, UsageError, corpus_or_exit, say
from suite.corpus.catalogue import Corpus
from suite.corpus.cites import cites_of
from suite.runner.selection import nearest
from suite.verdict.status import EXIT
from suite.verdict.verdict import Verdict

__all__ = ["Score", "main", "score", "trial"]

#: A deviant that fails more scenarios than this breaks more than one thing.
_MOST: Final = 0.2


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """What the corpus makes of one deviant.

    Attributes:
        shows: number of scenarios in which it does not do what the rules do.
        failing: those that fail, of those that were run.
        killers: those whose first divergence cites the deviant's own requirement.
        blamed: what the first divergences of the failing scenarios cite.
        share: part of the corpus that fails.
    """

    name: str
    requirement: str
    shows: int
    failing: tuple[str, ...]
    killers: tuple[str, ...]
    blamed: tuple[str, ...]
    share: float

    @property
    def good(self) -> bool:
        """Whether it is killed for its own requirement, and precisely."""
        return bool(self.killers) and self.share <= _MOST


def trial(corpus: Corpus, known: Known, told: Sequence[str], *, named: bool) -> Trial:
    """Return what a deviant is run with: what tells it comes first, and there what it breaks.

    Cases that cite its requirement are run whole and whatever was told of them: some faults show
    themselves only from one run to the next.

    One killer is enough, unless the deviant was asked for by name or may fail too much.
    """
    citing = {
        scenario.case.id
        for scenario in corpus.scenarios.values()
        if known.requirement in cites_of(scenario)
    }
    rest = [s for s, scenario in corpus.scenarios.items() if scenario.case.id in citing]
    first = [scenario for scenario in told if corpus.scenarios[scenario].case.id in citing]
    return Trial(
        known=known,
        scenarios=tuple(dict.fromkeys((*first, *told, *rest))),
        told=len(told),
        thorough=named or len(told) > _MOST * len(corpus.scenarios),
    )


def score(name: str, tried: Trial, verdicts: Sequence[Verdict], total: int) -> Score:
    """Return the score of a deviant; ``total`` counts the scenarios of the corpus."""
    failing = [v for v in verdicts if v.red]
    requirement = tried.known.requirement
    return Score(
        name=name,
        requirement=requirement,
        shows=tried.told,
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
    options = parser.parse_args(arguments)
    known, unbreakable = known_deviants()
    unknown = [name for name in options.name if name not in known]
    if unknown:
        hint = nearest(unknown[0], known) or f"; there are {len(known)}, all run without a name"
        raise UsageError(f"deviants: no deviant {unknown[0]!r}{hint}")
    corpus = corpus_or_exit()
    names = tuple(dict.fromkeys(options.name or known))
    told = telling(corpus, names)
    trials = {
        name: trial(corpus, known[name], told[name], named=bool(options.name)) for name in names
    }
    verdicts = execute_all(corpus, trials)
    total = len(corpus.scenarios)
    scores = [score(name, trials[name], verdicts[name], total) for name in names]
    for result in scores:
        _tell(result, known[result.name].description, named=bool(options.name))
    _tell_sections(scores, corpus)
    if not options.name:
        for requirement, reason in unbreakable.items():
            say(f"no deviant can show {requirement}: {reason}")
    good = sum(result.good for result in scores)
    say(f"{good} of {len(scores)} killed for their own requirement")
    return EXIT["ok"] if good == len(scores) else EXIT["failed"]


def _tell(result: Score, description: str, *, named: bool) -> None:
    """Print what became of a deviant; scenarios where it was asked for or something is wrong."""
    fate = "killed" if result.killers else "killed for another reason" * bool(result.failing)
    wide = f"; over {_MOST:.0%} of the corpus fails" if result.share > _MOST else ""
    say(
        f"{fate or 'SURVIVED'}: {result.name} ({result.requirement}): {description}; "
        f"shows in {result.shows} scenarios{wide}"
    )
    if result.failing and not result.killers:
        say(f"  cited instead: {', '.join(result.blamed) or 'nothing'}")
    if named or not result.killers:
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
