"""What is known of a run: records so far, what was selected, levels, and the exit code."""

from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import Final

import msgspec

from suite.corpus.case import LEVELS, Level
from suite.corpus.catalogue import Corpus
from suite.corpus.manifest import Manifest, make_manifest, read_manifest
from suite.protocol.messages import Description
from suite.report.results import Record, record_of
from suite.runner.runner import unexecuted
from suite.runner.settings import Settings
from suite.verdict.expected import Expected, stale_lines
from suite.verdict.gate import highest_level
from suite.verdict.levels import Assessment, assess
from suite.verdict.status import EXIT, STATUSES, Status
from suite.verdict.verdict import Verdict

__all__ = ["FUZZ", "Tally", "assess_up_to"]

#: Prefix of the ids of fuzz campaigns, which are no scenarios of the corpus.
FUZZ: Final = "fuzz/"


class Tally:
    """Records of one run; every scenario of the corpus is selected or deselected.

    Attributes:
        corpus: all there is.
        settings: what was asked for.
        records: scenario id → record, without its transcript.
        fuzz: records of fuzz campaigns.
        selected: scenarios that were to run, in order.
        unreached: selected scenarios that the run stopped before.
        cut: whether the records are not those of a run that came to its end.
    """

    def __init__(
        self,
        corpus: Corpus,
        settings: Settings,
        expected: tuple[Expected, ...] = (),
        *,
        cut: bool = False,
    ) -> None:
        self.corpus = corpus
        self.settings = settings
        self.records: dict[str, Record] = {}
        self.fuzz: dict[str, Record] = {}
        self.selected: tuple[str, ...] = ()
        self.unreached: tuple[str, ...] = ()
        self._expected = expected
        self.cut = cut
        self._frozen = None if corpus.manifest is None else read_manifest(corpus.manifest)

    def choose(self, identifiers: Iterable[str]) -> None:
        """Say what is going to run; ids that are no scenarios are left out."""
        self.selected = tuple(i for i in identifiers if i in self.corpus.scenarios)

    def add(self, record: Record) -> Record:
        """Take a record; one that contradicts an earlier one of the same scenario is flaky."""
        place = self.fuzz if record.id.startswith(FUZZ) else self.records
        earlier = place.get(record.id)
        if earlier is not None and earlier.status != record.status:
            told = f"{earlier.status}, then {record.status} when it was run again"
            record = msgspec.structs.replace(
                record, status="flaky", reason=told, text=(told, *record.text)
            )
        place[record.id] = _slim(record)
        return record

    def amend(self, record: Record) -> Record:
        """Take what became of a scenario after its record; it replaces the earlier one."""
        self.records[record.id] = _slim(record)
        return record

    def finish(self, why: str) -> list[Record]:
        """Make a record of every selected scenario that the run did not come to.

        Args:
            why: what kept the run from them.
        """
        self.unreached = tuple(i for i in self.selected if i not in self.records)
        made = [
            record_of(unexecuted(self.corpus.scenarios[i], "not-run", why)) for i in self.unreached
        ]
        self.records.update((record.id, _slim(record)) for record in made)
        return made

    @cached_property
    def _made(self) -> Manifest:
        """The manifest of exactly these files; no level is assessed if it is not the frozen one.

        It is made anew, so that nobody asks less of a runtime by editing what was frozen, and
        made late, because no verdict needs it.
        """
        return make_manifest(self.corpus, self._frozen)

    @property
    def frozen(self) -> bool:
        """Whether the manifest is the frozen one of exactly this corpus."""
        return self._made == self._frozen

    @property
    def deselected(self) -> int:
        """Number of scenarios of the corpus that were not to run."""
        return len(self.corpus.scenarios) - len(self.selected)

    @property
    def complete(self) -> bool:
        """Whether every scenario of the corpus, up to the level asked for, has its record."""
        highest = LEVELS.index(self.settings.level)
        return not (self.unreached or self.cut) and all(
            key in self.records
            for key, scenario in self.corpus.scenarios.items()
            if LEVELS.index(scenario.case.text.level) <= highest
        )

    @property
    def counts(self) -> dict[Status, int]:
        """Status → number of selected scenarios, in the order of the table."""
        found = Counter(record.status for record in self.records.values())
        return {status: found[status] for status in STATUSES if found[status]}

    @property
    def stale(self) -> list[str]:
        """Expected failures that a complete run did not see, each as a line."""
        if not self.complete:
            return []
        verdicts = [record.verdict() for record in self.records.values()]
        return [str(line) for line in stale_lines(self._expected, verdicts)]

    def assessment(self, description: Description) -> Assessment:
        """Return what the run says about the levels."""
        return assess_up_to(
            self._made,
            [record.verdict() for record in self.records.values()],
            description,
            self.settings.level,
            complete=self.complete and self.frozen,
        )

    def exit_code(self) -> int:
        """Return the exit code by records alone."""
        statuses = {r.status for r in (*self.records.values(), *self.fuzz.values())}
        if "suite-fault" in statuses:
            return EXIT["suite-fault"]
        if self.stale or any(STATUSES[status].red for status in statuses):
            return EXIT["failed"]
        if not any(STATUSES[status].judged for status in statuses):
            return EXIT["nothing"]
        return EXIT["ok"]


def _slim(record: Record) -> Record:
    """Return the record without what the runtime sent, which only the results file keeps."""
    return msgspec.structs.replace(record, transcript=None, findings=(), detail="", stderr="")


def assess_up_to(
    manifest: Manifest,
    verdicts: list[Verdict],
    description: Description,
    level: Level,
    *,
    complete: bool,
) -> Assessment:
    """Assess the levels up to one; scenarios above it were not asked for."""
    highest = LEVELS.index(level)
    scenarios = {
        key: entry
        for key, entry in manifest.scenarios.items()
        if LEVELS.index(entry.level) <= highest
    }
    within = msgspec.structs.replace(
        manifest,
        scenarios=scenarios,
        requirements={
            key: tuple(s for s in showing if s in scenarios)
            for key, showing in manifest.requirements.items()
        },
        required={
            key: added for key, added in manifest.required.items() if LEVELS.index(key) <= highest
        },
    )
    declared = highest_level(description)
    if declared is not None and LEVELS.index(declared) > highest:
        description = msgspec.structs.replace(description, levels=(level,))
    return assess(within, verdicts, description, complete=complete)
