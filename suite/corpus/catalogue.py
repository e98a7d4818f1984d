"""Load a corpus: cases, scenarios with plans and goldens, ledger and interpretations."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

import msgspec

from comparator.golden import Golden
from suite.corpus.case import Case, CaseText, Scenario
from suite.corpus.files import (
    CASES,
    GOLDENS,
    INTERPRETATIONS,
    LEDGER,
    MANIFEST,
    digest_of,
    locate_root,
    read_files,
)
from suite.corpus.golden_file import read_golden
from suite.corpus.interpretations import Interpretation, read_interpretations
from suite.corpus.ledger import Requirement, read_ledger
from suite.corpus.plan import PlanError, read_plan
from suite.corpus.toml_file import CorpusError, read_toml

__all__ = ["Corpus", "CorpusError", "load_corpus", "locate_root", "read_corpus"]

_GROUPS: Final[dict[str, Literal["valid", "invalid", "execution"]]] = {
    "valid": "valid",
    "invalid": "invalid",
    "execution": "execution",
}
_SHOWN: Final = 5


class Corpus(msgspec.Struct, frozen=True, kw_only=True):
    """All that the suite knows before it meets a runtime.

    Attributes:
        root: directory of ``cases/`` and ``expected_traces/``.
        cases: id → case.
        scenarios: id → scenario, in the order of ids.
        ledger: id → requirement, in the order of the specification.
        interpretations: id → open point.
        digest: ``sha256:…`` over all files but the manifest.
        manifest: bytes of the frozen manifest, None where there is none.
    """

    root: Path
    cases: dict[str, Case]
    scenarios: dict[str, Scenario]
    ledger: dict[str, Requirement]
    interpretations: dict[str, Interpretation]
    digest: str
    manifest: bytes | None = None


def load_corpus(root: Path | None = None) -> Corpus:
    """Load the corpus in ``root``, by default the one that belongs to this package.

    Raises:
        CorpusError: a file is malformed, or document, plan and golden do not belong together.
    """
    corpus, problems = read_corpus(root)
    if problems:
        more = len(problems) - _SHOWN
        lines = [*problems[:_SHOWN], *([f"and {more} more"] if more > 0 else [])]
        raise CorpusError("\n".join(lines))
    return corpus


def read_corpus(root: Path | None = None) -> tuple[Corpus, list[str]]:
    """Load what can be loaded, and return with it a sentence for each thing that cannot."""
    root = locate_root() if root is None else root
    files = read_files(root)
    problems: list[str] = []
    cases: dict[str, Case] = {}
    scenarios: dict[str, Scenario] = {}
    used = {LEDGER, INTERPRETATIONS, MANIFEST}
    for name in files:
        if not name.startswith(f"{CASES}/") or not name.endswith(".toml") or name in used:
            continue
        try:
            case = _read_case(name, files, used)
        except CorpusError as error:
            problems.append(str(error))
            continue
        cases[case.id] = case
        scenarios.update(_scenarios(case, files, used, problems))
    problems += [
        f"{name}: expected a document with its case, or a golden with its plan; observed an orphan"
        for name in files
        if name not in used
        and not name.endswith(".md")
        and not any(str(p).startswith(f"{name}: ") for p in problems)
    ]
    ledger: dict[str, Requirement] = {}
    interpretations: dict[str, Interpretation] = {}
    try:
        ledger = read_ledger(files.get(LEDGER, b""), LEDGER)
        interpretations = read_interpretations(files.get(INTERPRETATIONS, b""), INTERPRETATIONS)
    except CorpusError as error:
        problems.append(str(error))
    corpus = Corpus(
        root=root,
        cases=dict(sorted(cases.items())),
        scenarios=dict(sorted(scenarios.items())),
        ledger=ledger,
        interpretations=interpretations,
        digest=digest_of(files),
        manifest=files.get(MANIFEST),
    )
    return corpus, problems


def _read_case(name: str, files: Mapping[str, bytes], used: set[str]) -> Case:
    """Read the case file ``name`` with the files beside it, and enter all of them in ``used``."""
    used.add(name)
    stem = name.removesuffix(".toml")
    parts = stem.split("/")
    group = _GROUPS.get(parts[1])
    if len(parts) != 4 or group is None:
        raise CorpusError(
            f"{name}: expected cases/<{'|'.join(_GROUPS)}>/<topic>/<behaviour>.toml, "
            "observed another path"
        )
    document = f"{stem}.hxml"
    used.add(document)
    text = read_toml(files[name], CaseText, name)
    if document not in files:
        raise CorpusError(f"{name}: expected the document {document} beside it, observed none")
    companions: dict[str, bytes] = {}
    for uri, beside in text.companions.items():
        companion = f"{stem.rpartition('/')[0]}/{beside}"
        used.add(companion)
        if companion not in files:
            raise CorpusError(f"{name}: companions.{uri}: expected {companion}, observed none")
        companions[uri] = files[companion]
    return Case(
        id=stem.removeprefix(f"{CASES}/"),
        group=group,
        text=text,
        document=files[document],
        companions=companions,
    )


def _scenarios(
    case: Case, files: Mapping[str, bytes], used: set[str], problems: list[str]
) -> dict[str, Scenario]:
    """Make the scenarios of a case; what keeps one from existing is added to ``problems``."""
    where = f"{CASES}/{case.id}.toml"
    if case.group != "execution":
        if case.text.plans:
            problems.append(f"{where}: plans: expected none in {case.group}/, observed some")
        return {case.id: Scenario(id=case.id, case=case)}
    if not case.text.plans:
        problems.append(f"{where}: plans: expected at least one, observed none")
    scenarios: dict[str, Scenario] = {}
    for name, text in case.text.plans.items():
        golden_name = f"{GOLDENS}/{case.id.removeprefix('execution/')}.{name}.toml"
        used.add(golden_name)
        try:
            golden = _golden(golden_name, files, where, name)
            plan = read_plan(text)
        except (CorpusError, PlanError) as error:
            place = "" if isinstance(error, CorpusError) else f"{where}: plans.{name}: "
            problems.append(f"{place}{error}")
            continue
        key = f"{case.id}.{name}"
        scenarios[key] = Scenario(id=key, case=case, plan=plan, golden=golden)
    return scenarios


def _golden(golden: str, files: Mapping[str, bytes], where: str, plan: str) -> Golden:
    if golden not in files:
        raise CorpusError(f"{where}: plans.{plan}: expected the golden {golden}, observed none")
    return read_golden(files[golden], golden)
