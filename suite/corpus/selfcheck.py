"""Check the corpus as if it were code; the command is ``hxconf selfcheck``."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

from comparator.difference import NOTES
from comparator.facts import Facts
from suite.corpus.case import Case, Scenario
from suite.corpus.catalogue import Corpus
from suite.corpus.check_cases import check_case
from suite.corpus.check_goldens import check_cites, check_golden
from suite.corpus.check_runs import check_document, check_plan
from suite.corpus.facts_reader import FactsError, read_facts
from suite.corpus.files import GOLDENS, INTERPRETATIONS, LEDGER, MANIFEST, read_files
from suite.corpus.manifest import outdated, read_manifest
from suite.corpus.schemas import faults
from suite.corpus.survey import Survey, survey

__all__ = ["check_corpus"]


def check_corpus(corpus: Corpus) -> list[str]:
    """Return a sentence for everything that is wrong with a loaded corpus."""
    problems: list[str] = []
    for case in corpus.cases.values():
        problems.extend(check_case(case, corpus))
    for scenario in corpus.scenarios.values():
        problems.extend(check_cites(scenario, corpus))
    problems.extend(_check_ledger(corpus))
    problems.extend(_check_executions(corpus))
    problems.extend(_check_schemas(corpus.root))
    problems.extend(_check_manifest(corpus))
    return problems


def _check_ledger(corpus: Corpus) -> Iterator[str]:
    for key, requirement in corpus.ledger.items():
        unknown = [kind for kind in requirement.noted if kind not in NOTES]
        if unknown:
            yield (
                f"{LEDGER}: {key}.noted: expected kinds of notes ({', '.join(NOTES)}), "
                f"observed {unknown[0]!r}"
            )


def _check_executions(corpus: Corpus) -> Iterator[str]:
    by_case: dict[str, list[Scenario]] = {}
    for scenario in corpus.scenarios.values():
        if scenario.case.group == "execution":
            by_case.setdefault(scenario.case.id, []).append(scenario)
    for scenarios in by_case.values():
        case = scenarios[0].case
        try:
            facts, seen = read_facts(case.document), survey(case.document)
        except FactsError as error:
            yield f"{case.id}: {error}"
            continue
        yield from _check_execution(case, scenarios, facts, seen, corpus)


def _check_execution(
    case: Case, scenarios: list[Scenario], facts: Facts, seen: Survey, corpus: Corpus
) -> Iterator[str]:
    open_points = {
        choice.interpretation
        for scenario in scenarios
        if scenario.golden is not None
        for choice in scenario.golden.choices
    }
    yield from check_document(case, facts, seen, open_points)
    for scenario in scenarios:
        if scenario.plan is not None and scenario.golden is not None:
            yield from check_plan(scenario, scenario.plan, facts, seen)
            yield from check_golden(scenario, scenario.golden, facts, corpus)


def _check_schemas(root: Path) -> Iterator[str]:
    """The published schemas say the same about every file as the types do."""
    for name, data in read_files(root).items():
        try:
            if name == MANIFEST:
                kind, value = "manifest", json.loads(data)
            elif name.endswith(".toml"):
                kind, value = _kind(name), tomllib.loads(data.decode())
            else:
                continue
        except ValueError:
            continue  # no TOML or JSON at all, which loading has said already
        for fault in faults(kind, value):
            yield f"{name}: by the schema {kind}: {fault}"


def _kind(name: str) -> str:
    if name in {LEDGER, INTERPRETATIONS}:
        return "ledger" if name == LEDGER else "interpretations"
    return "golden" if name.startswith(f"{GOLDENS}/") else "case"


def _check_manifest(corpus: Corpus) -> Iterator[str]:
    problem = outdated(corpus)
    if problem is not None:
        yield problem
        return
    for key, entry in read_manifest(corpus.manifest).scenarios.items():
        if entry.withdrawn is not None and key in corpus.scenarios:
            yield f"{key}: expected no file, as the id was withdrawn in {entry.withdrawn}"
