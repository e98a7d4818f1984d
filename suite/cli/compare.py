"""``hxconf compare``: judge a recorded trace without a runtime."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from comparator.compare import compare
from comparator.explain import explain
from comparator.facts import Facts
from comparator.golden import Golden, PathEntry
from comparator.observation import Observation
from comparator.trace import Trace
from suite.cli.words import Arguments, UsageError, corpus_or_exit, say
from suite.corpus.catalogue import Corpus
from suite.corpus.facts_reader import FactsError, read_facts
from suite.corpus.files import GOLDENS
from suite.corpus.golden_file import read_golden
from suite.corpus.ledger import statements
from suite.corpus.public_trace import PublicTraceError, read_public_trace
from suite.corpus.toml_file import CorpusError
from suite.runner.selection import nearest
from suite.verdict.status import EXIT

__all__ = ["main"]

_EPILOG = """\
EXPECTED is the id of a scenario, the path of a golden in this corpus, or the path of a document
of your own, whose trace is then judged for what every run of it must keep: legal transitions
and the order that its edges force.

TRACE is a JSON file: an object with transitions and outcome (docs/formats.md), or a bare list
of transitions as the published command-line runtime prints it. Codes that belong to no transition
may stand beside them; they are not judged."""


def main(arguments: Sequence[str]) -> int:
    """Print what the trace breaks; 1 when it breaks something."""
    parser = Arguments("compare", "Judge a recorded trace.", _EPILOG)
    parser.add_argument("expected", metavar="EXPECTED")
    parser.add_argument("trace", metavar="TRACE", type=Path)
    options = parser.parse_args(arguments)
    corpus = corpus_or_exit()
    facts, golden = _expected(corpus, options.expected)
    trace = _trace(options.trace, facts)
    # Nobody knows when: a cancel from outside may have come at any moment.
    ended = Path(options.expected).suffix == ".hxml" and trace.outcome == "cancelled"
    observation = Observation(trace=trace, cancelled=0 if ended else None)
    comparison = compare(facts, golden, observation)
    for line in explain(facts, comparison, statements(corpus.ledger), observation):
        say(line)
    for reading in comparison.readings:
        preferred = "preferred" if reading.preferred else "accepted"
        say(f"open point {reading.interpretation}: reading {reading.reading} ({preferred})")
    count = len(comparison.differences)
    say(f"{count} difference{'s' * (count != 1)}" if count else "no difference")
    return EXIT["failed"] if count else EXIT["ok"]


def _expected(corpus: Corpus, word: str) -> tuple[Facts, Golden]:
    path = Path(word)
    try:
        if path.suffix == ".hxml":
            facts = read_facts(_bytes(path))
            paths = {node: PathEntry(is_="*", cites=("6.2-legal",)) for node in facts.nodes}
            return facts, Golden(paths=paths)
        if path.suffix == ".toml":
            parts = path.resolve().with_suffix("").parts
            if GOLDENS not in parts:
                raise UsageError(f"compare: {word!r} does not lie under {GOLDENS}/")
            at = len(parts) - 1 - parts[::-1].index(GOLDENS)
            identifier = "/".join(("execution", *parts[at + 1 :]))
        else:
            identifier = word
        scenario = corpus.scenarios.get(identifier)
        if scenario is None or scenario.golden is None:
            goldens = [key for key, s in corpus.scenarios.items() if s.golden is not None]
            hint = nearest(identifier, goldens) or "; see hxconf list"
            raise UsageError(f"compare: no scenario with a golden {identifier!r}{hint}")
        golden = read_golden(_bytes(path), word) if path.suffix == ".toml" else scenario.golden
        return read_facts(scenario.case.document), golden
    except (FactsError, CorpusError) as error:
        raise UsageError(f"compare: {error}") from error


def _trace(path: Path, facts: Facts) -> Trace:
    try:
        value: Any = msgspec.json.decode(_bytes(path))
        if isinstance(value, list):
            return Trace(read_public_trace(value, facts))
        if isinstance(value, dict):
            value.pop("codes", None)
        return msgspec.convert(value, Trace)
    except (msgspec.DecodeError, PublicTraceError) as error:
        raise UsageError(f"compare: {path}: {error}") from error


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"compare: {path}: {error.strerror}") from error
