"""``hxconf requirements``: every sentence of the ledger, and what shows it."""

from collections.abc import Sequence

from suite.cli.words import Arguments, corpus_or_exit, say
from suite.corpus.ledger import Requirement, is_gap
from suite.corpus.manifest import make_manifest
from suite.runner.summary import section_of
from suite.verdict.status import EXIT

__all__ = ["main"]


def main(arguments: Sequence[str]) -> int:
    """Print requirements with the scenarios that show them; 5 when none matches."""
    parser = Arguments(
        "requirements",
        "List the sentences of the specification: where, how binding, what shows them.",
    )
    parser.add_argument("section", nargs="*", help="sections (5.3) or ids (default: all)")
    parser.add_argument("--gaps", action="store_true", help="only those that nothing shows yet")
    parser.add_argument("--scenarios", action="store_true", help="name the scenarios")
    options = parser.parse_args(arguments)
    corpus = corpus_or_exit()
    showing = make_manifest(corpus).requirements
    chosen = [
        requirement
        for key, requirement in corpus.ledger.items()
        if (not options.section or any(_within(requirement, wish) for wish in options.section))
        and (not options.gaps or is_gap(requirement, showing[key]))
    ]
    for requirement in chosen:
        scenarios = showing[requirement.id]
        say(f"{section_of(requirement.id)} {requirement.id} ({_weight(requirement)})")
        say(f"  {requirement.statement}")
        say(f"  {_shown(requirement, scenarios)}")
        for scenario in scenarios if options.scenarios else ():
            say(f"    {scenario}")
    return EXIT["ok"] if chosen else EXIT["nothing"]


def _within(requirement: Requirement, wish: str) -> bool:
    section = wish.removeprefix("§")
    return requirement.id == wish or f"{requirement.section}.".startswith(f"{section}.")


def _weight(requirement: Requirement) -> str:
    return f"{requirement.level}, {requirement.strength.replace('-', ' ')}"


def _shown(requirement: Requirement, scenarios: Sequence[str]) -> str:
    if requirement.unobservable is not None:
        return f"no run can show it: {requirement.unobservable}"
    words = []
    if requirement.restates is not None:
        words.append(f"says the same as {requirement.restates}")
    if requirement.reading is not None:
        words.append(f"one reading of open point {requirement.reading}")
    if requirement.noted:
        words.append(f"noted in every run: {', '.join(requirement.noted)}")
    if scenarios or not (requirement.noted or requirement.reading):
        words.append(f"{len(scenarios)} scenario{'s' * (len(scenarios) != 1)}")
    if requirement.open_points:
        words.append(f"open: {', '.join(requirement.open_points)}")
    return "; ".join(words)
