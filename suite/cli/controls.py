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

#: Seconds for one case: as many as a busy machine needs, and few where all are used up.
_LIMIT: Final = 10.0
_LIMITS: Final = {"hang": 0.2}


def main(arguments: Sequence[str]) -> int:
    """Print what each control is shown to satisfy.

    The exit code is 1 when one reaches a level, or when a requirement is failed by none of those
    that measure.
    """
    parser = Arguments(
        "controls",
        "Run the controls; none may reach a level, and one has to fail each requirement.",
    )
    parser.add_argument("name", nargs="*", help=f"of {', '.join(CONTROLS)} (default: all)")
    names = parser.parse_args(arguments).name
    unknown = [name for name in names if name not in CONTROLS]
    if unknown:
        raise UsageError(f"controls: no control {unknown[0]!r}; there are {', '.join(CONTROLS)}")
    corpus = corpus_or_exit()
    seen: dict[str, list[Verdict]] = {}
    reached = 0
    left: list[str] = []
    for name in names or CONTROLS:
        described, verdicts = measure(
            corpus, f"adapter:suite.controls:{name}", _LIMITS.get(name, _LIMIT)
        )
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
    return EXIT["failed"] if reached or left else EXIT["ok"]


def unguarded(asserted: set[str], verdicts: Sequence[Verdict]) -> list[str]:
    """Return the asserted requirements that no failing verdict cites."""
    return sorted(asserted - {cite for v in verdicts if v.red for cite in v.cites})
