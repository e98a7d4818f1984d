"""From option texts to a run that is ready to start: settings, corpus, runner, selection."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import msgspec

from suite.corpus.case import Scenario
from suite.corpus.catalogue import Corpus, load_corpus
from suite.corpus.manifest import VERSION
from suite.protocol.messages import Description
from suite.report.results import Header
from suite.runner.opening import Opening
from suite.runner.runner import Runner
from suite.runner.selection import in_order, select, unmatched
from suite.runner.settings import SettingError, Settings, read_settings
from suite.runner.tally import FUZZ, Tally
from suite.verdict.expected import ExpectedError, check_known, load_expected
from suite.verdict.gate import mode_of

__all__ = ["Work", "header_of", "now", "prepare"]


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """A run that is ready to start.

    Attributes:
        scenarios: what is selected by ``--hx-select``, ``--hx-level`` and ids, in order.
        fuzz: id of the fuzz campaign that is selected, if any.
        identifiers: arguments that were ids of scenarios or cases.
        empty: patterns that select nothing.
    """

    settings: Settings
    runner: Runner
    tally: Tally
    scenarios: tuple[Scenario, ...]
    fuzz: str | None
    identifiers: tuple[str, ...]
    empty: tuple[str, ...]


def prepare(
    options: Mapping[str, Any], arguments: Sequence[str] = (), *, start: bool = False
) -> Work:
    """Read options and load what they name.

    Args:
        options: by name without dashes.
        arguments: further words; those that are ids of the corpus select, others are ignored.
        start: start the adapter meanwhile.

    Raises:
        SettingError: an option is wrong; one line.
        CorpusError: the corpus is.
    """
    settings = read_settings(options)
    opening = Opening(settings) if start else None
    try:
        return _work(settings, arguments, opening)
    except BaseException:
        if opening is not None:
            opening.close()
        raise


def _work(settings: Settings, arguments: Sequence[str], opening: Opening | None) -> Work:
    corpus = load_corpus()
    known = set(corpus.scenarios)
    if settings.fuzz is not None:
        import_module("suite.runner.fuzzing").check_area(settings.fuzz)
        known.add(f"{FUZZ}{settings.fuzz}")
    identifiers = tuple(a for a in arguments if a in known or a in corpus.cases)
    patterns = (*settings.select, *identifiers)
    empty = tuple(unmatched(sorted(known), settings.select))
    chosen = select(known, patterns)
    scenarios = {
        key: scenario
        for key, scenario in corpus.scenarios.items()
        if key in chosen and scenario.case.text.level in settings.levels
    }
    try:
        expected = () if settings.expected is None else load_expected(settings.expected)
        check_known(expected, corpus.scenarios, corpus.ledger)
    except ExpectedError as error:
        raise SettingError(f"--hx-expected: {' '.join(str(error).split())}") from error
    return Work(
        settings=settings,
        runner=Runner(corpus, settings, expected, opening),
        tally=Tally(corpus, settings, expected),
        scenarios=tuple(in_order(scenarios, settings.order)),
        fuzz=next((key for key in chosen if key.startswith(FUZZ)), None),
        identifiers=identifiers,
        empty=empty,
    )


def header_of(corpus: Corpus, settings: Settings, description: Description) -> Header:
    """Return the first line of the results."""
    try:
        tool = version("harness-conformance")
    except PackageNotFoundError:
        tool = "unknown"
    options = {
        name: value
        for name, value in msgspec.to_builtins(settings, builtin_types=(), enc_hook=str).items()
        if value not in (None, False, [], ())
    }
    return Header(
        tool=tool,
        corpus=VERSION,
        digest=corpus.digest,
        implementation=description,
        mode=mode_of(description),
        options=options,
        started=now(),
    )


def now() -> str:
    """Return the time of day in RFC 3339."""
    return datetime.now(UTC).isoformat(timespec="seconds")
