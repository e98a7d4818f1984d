"""``hxconf case``: everything that there is about one case."""

from collections.abc import Iterator, Sequence

from suite.cli.drawing import draw
from suite.cli.words import Arguments, UsageError, corpus_or_exit, say
from suite.corpus.case import Case, Scenario
from suite.corpus.catalogue import Corpus
from suite.corpus.cites import cites_of
from suite.corpus.facts_reader import FactsError, read_facts
from suite.corpus.files import CASES, GOLDENS
from suite.runner.renaming import Renaming
from suite.runner.selection import matches, nearest
from suite.runner.summary import section_of
from suite.verdict.status import EXIT

__all__ = ["main"]


def main(arguments: Sequence[str]) -> int:
    """Print drawing, document, plans, goldens and cites of a case or of one scenario."""
    parser = Arguments("case", "Show drawing, document, plans, goldens and what they cite.")
    parser.add_argument("id", help="a case or one of its scenarios, see hxconf list")
    parser.add_argument(
        "--hx-rename",
        metavar="SEED",
        type=int,
        default=0,
        help="show what the ids were in that run",
    )
    options = parser.parse_args(arguments)
    wanted = options.id
    corpus = corpus_or_exit()
    scenarios = [s for key, s in corpus.scenarios.items() if matches(key, wanted)]
    if not scenarios or len({s.case.id for s in scenarios}) > 1:
        hint = nearest(wanted, [*corpus.cases, *corpus.scenarios])
        raise UsageError(f"case: no case or scenario {wanted!r}{hint}")
    for line in _show(corpus, scenarios[0].case, scenarios, options.hx_rename):
        say(line)
    return EXIT["ok"]


def _show(corpus: Corpus, case: Case, scenarios: list[Scenario], seed: int) -> Iterator[str]:
    yield f"{case.id} ({case.text.level}): {case.text.description}"
    names = Renaming(seed).of(case.document, case.companions)
    yield from (f"{own} is shown to the runtime as {other}" for own, other in names.shown.items())
    yield from _drawing(case)
    yield from _file(corpus, f"{CASES}/{case.id}.hxml")
    yield from _file(corpus, f"{CASES}/{case.id}.toml")
    for scenario in scenarios:
        if scenario.golden is not None:
            yield from _file(corpus, f"{GOLDENS}/{scenario.id.removeprefix('execution/')}.toml")
    yield ""
    yield "--- cited requirements"
    for cite in dict.fromkeys(cite for scenario in scenarios for cite in cites_of(scenario)):
        requirement = corpus.ledger.get(cite)
        says = "not in the ledger" if requirement is None else requirement.statement
        yield f"{section_of(cite)} {cite}: {says}"


def _drawing(case: Case) -> Iterator[str]:
    yield ""
    try:
        yield from draw(read_facts(case.document))
    except FactsError as error:
        yield f"no drawing: {error}"


def _file(corpus: Corpus, name: str) -> Iterator[str]:
    yield ""
    yield f"--- {name}"
    yield from (corpus.root / name).read_text(encoding="utf-8", errors="replace").splitlines()
