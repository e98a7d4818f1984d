"""``hxconf controls``: how much do runtimes that only pretend get away with?"""

from collections.abc import Sequence
from typing import Final

from suite.cli.measure import assessed, measure, shown_in
from suite.cli.words import Arguments, UsageError, corpus_or_exit, say
from suite.controls import CONTROLS
from suite.corpus.cites import cites_of
from suite.verdict.status import EXIT
from suite.verdict.verdict import Verdict

__all__ = ["main", "unguarded"]

#: Controls by which a requirement is measured: at least one of them has to fail it.
_MEASURES: Final = ("yes", "echo", "shout")

#: Seconds for one case: ``hang`` costs all of them until the breaker trips.
_LIMIT: Final = 2.0


def main(arguments: Sequence[str]) -> int:
    """Print what each control is shown to satisfy; 1 when one reaches a level."""
    parser = Arguments("controls", "Run the controls; none of them may reach a level.")
    parser.add_argument("name", nargs="*", help=f"of {', '.join(CONTROLS)} (default: all)")
    names = parser.parse_args(arguments).name
    unknown = [name for name in names if name not in CONTROLS]
    if unknown:
        raise UsageError(f"controls: no control {unknown[0]!r}; there are {', '.join(CONTROLS)}")
    corpus = corpus_or_exit()
    seen: dict[str, list[Verdict]] = {}
    reached = 0
    for name in names or CONTROLS:
        described, verdicts = measure(corpus, f"adapter:suite.controls:{name}", _LIMIT)
        seen[name] = verdicts
        level = assessed(corpus, described, verdicts).reached
        reached += level is not None
        shown = shown_in(corpus, verdicts)
        fate = "reaches no level" if level is None else f"REACHES {level.level}"
        say(f"{name}: {fate}, is shown {len(shown)} requirements. {CONTROLS[name]}")
    if all(name in seen for name in _MEASURES):
        left = unguarded(
            {cite for s in corpus.scenarios.values() for cite in cites_of(s)},
            [verdict for name in _MEASURES for verdict in seen[name]],
        )
        say(f"requirements for which no scenario fails {', '.join(_MEASURES)}: {len(left)}")
        for requirement in left:
            say(f"  {requirement}")
    return EXIT["failed"] if reached else EXIT["ok"]


def unguarded(asserted: set[str], verdicts: Sequence[Verdict]) -> list[str]:
    """Return the asserted requirements that no failing verdict cites."""
    return sorted(asserted - {cite for v in verdicts if v.red for cite in v.cites})
