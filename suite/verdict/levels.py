"""Add the verdicts of a run up to levels. Zero is never green."""

from collections.abc import Iterable, Mapping
from typing import Final, Literal

import msgspec

from suite.corpus.case import LEVELS, Level
from suite.corpus.manifest import Manifest
from suite.protocol.messages import Description
from suite.verdict.gate import Mode, highest_level, mode_of
from suite.verdict.status import STATUSES
from suite.verdict.verdict import Verdict

__all__ = ["NAMES", "Assessment", "LevelResult", "Result", "assess"]

Result = Literal["reached", "incomplete", "failed", "not assessed"]

#: Level → how people write it.
NAMES: Final[dict[str, str]] = {"core": "Core", "executing": "Executing", "full": "Full"}


class LevelResult(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a run says about one level, the levels below included.

    Attributes:
        result: ``not assessed`` when the selection was partial or the level is not declared.
        required: number of requirements that the level needs in this mode.
        shown: number of them that a passing run showed, while every other scenario about them
            passed too or does not apply.
        failed: blamed by a failing scenario, or asserted only by scenarios that broke off.
        unsupported: some scenario is declared off.
        without_scenario: this corpus has no scenario for them.
        not_shown: the rest.
    """

    level: Level
    result: Result
    required: int
    shown: int
    failed: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    without_scenario: tuple[str, ...] = ()
    not_shown: tuple[str, ...] = ()


class Assessment(msgspec.Struct, frozen=True, kw_only=True):
    """What a run says about all levels.

    Attributes:
        mode: how much the suite controls and sees; part of the word.
        declared: highest level that the runtime declares.
        levels: in rising order.
        complete: whether every scenario of the corpus has a verdict.
    """

    mode: Mode
    declared: Level | None
    levels: tuple[LevelResult, ...]
    complete: bool

    @property
    def reached(self) -> LevelResult | None:
        """The highest level that is reached."""
        return next((r for r in reversed(self.levels) if r.result == "reached"), None)

    @property
    def judged(self) -> LevelResult | None:
        """The highest declared level, which the run is about."""
        return next((r for r in self.levels if r.level == self.declared), None)


def assess(
    manifest: Manifest,
    verdicts: Mapping[str, Verdict] | Iterable[Verdict],
    description: Description,
    *,
    complete: bool = True,
) -> Assessment:
    """Assess every level.

    Args:
        manifest: frozen scenarios and required sets.
        verdicts: one per scenario.
        description: what the implementation says of itself.
        complete: False when only a selection was to run. A scenario of the manifest without a
            verdict makes the run incomplete in any case.
    """
    values = verdicts.values() if isinstance(verdicts, Mapping) else verdicts
    by_scenario = {verdict.scenario: verdict for verdict in values}
    declared = highest_level(description)
    mode = mode_of(description)
    missing = any(
        entry.withdrawn is None and key not in by_scenario
        for key, entry in manifest.scenarios.items()
    )
    complete = complete and not missing
    within_mode = manifest if mode == "full control" else _traces_of(manifest)
    results: list[LevelResult] = []
    required: tuple[str, ...] = ()
    for level, added in manifest.required.items():
        required += added.full_control if mode == "full control" else added.trace_only
        assessed = complete and declared is not None and _within(level, declared)
        results.append(_level(level, required, within_mode, by_scenario, assessed=assessed))
    return Assessment(mode=mode, declared=declared, levels=tuple(results), complete=complete)


def _traces_of(manifest: Manifest) -> Manifest:
    """Leave out, as evidence, the scenarios that only full control can run."""
    return msgspec.structs.replace(
        manifest,
        requirements={
            key: tuple(s for s in scenarios if not manifest.scenarios[s].controlled)
            for key, scenarios in manifest.requirements.items()
        },
    )


def _within(level: Level, highest: Level) -> bool:
    return LEVELS.index(level) <= LEVELS.index(highest)


def _of_level(scenario: str, manifest: Manifest, level: Level) -> bool:
    entry = manifest.scenarios.get(scenario)
    return entry is not None and _within(entry.level, level)


def _blames(verdict: Verdict | None, wanted: frozenset[str]) -> bool:
    """Whether a failure counts against a requirement; one that blames none counts against all."""
    if verdict is None or not _is_failure(verdict):
        return False
    return not verdict.blamed or not wanted.isdisjoint(verdict.blamed)


_Fate = Literal["shown", "failed", "unsupported", "without-scenario", "not-shown"]


def _level(
    level: Level,
    required: tuple[str, ...],
    manifest: Manifest,
    verdicts: Mapping[str, Verdict],
    *,
    assessed: bool,
) -> LevelResult:
    fates: dict[_Fate, list[str]] = {}
    for requirement in required:
        wanted = frozenset({requirement, *manifest.same.get(requirement, ())})
        # A scenario of a higher level says nothing about this one but by failing for it.
        about = [
            verdict
            for key in manifest.requirements.get(requirement, ())
            for verdict in [verdicts.get(key)]
            if _of_level(key, manifest, level) or _blames(verdict, wanted)
        ]
        fates.setdefault(_fate(wanted, about), []).append(requirement)
    red = any(
        _is_failure(verdict)
        for key, verdict in verdicts.items()
        if key in manifest.scenarios and _within(manifest.scenarios[key].level, level)
    )
    shown = len(fates.get("shown", []))
    result: Result = "not assessed"
    if assessed and red:
        result = "failed"
    elif assessed:
        result = "reached" if 0 < len(required) == shown else "incomplete"
    return LevelResult(
        level=level,
        result=result,
        required=len(required),
        shown=shown,
        failed=tuple(fates.get("failed", ())),
        unsupported=tuple(fates.get("unsupported", ())),
        without_scenario=tuple(fates.get("without-scenario", ())),
        not_shown=tuple(fates.get("not-shown", ())),
    )


def _fate(wanted: frozenset[str], about: list[Verdict | None]) -> _Fate:
    """Decide about one requirement by the verdicts on the scenarios that assert it.

    Args:
        wanted: the requirement and its restatements.
        about: one verdict for each scenario; None where there is none.
    """
    if not about:
        return "without-scenario"
    known = [verdict for verdict in about if verdict is not None]
    failures = [verdict for verdict in known if _is_failure(verdict)]
    if any(_blames(verdict, wanted) for verdict in failures):
        return "failed"
    # What is declared off or could not be seen leaves a part of the sentence unseen.
    if any(verdict.status == "unsupported" for verdict in known):
        return "unsupported"
    if failures or any(verdict.status == "not-run" for verdict in known):
        return "not-shown"
    passed = any(v.status == "pass" and wanted & set(v.cites) for v in known)
    return "shown" if passed else "not-shown"


def _is_failure(verdict: Verdict) -> bool:
    """An expected failure is a failure to a level."""
    return STATUSES[verdict.status].red or verdict.status == "xfail"
