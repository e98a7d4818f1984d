"""Execute scenarios against one runtime: gate, run, judge, run a failure again, expect, break.

The runner owns the adapter and its breaker: after a number of crashes and timeouts in a row
nothing more is run, so that a dead runtime costs seconds and not hours.
"""

from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from comparator.facts import Facts
from suite.corpus.case import LEVELS, Level, Scenario
from suite.corpus.catalogue import Corpus
from suite.corpus.cites import cites_of
from suite.corpus.facts_reader import read_facts
from suite.corpus.ledger import statements
from suite.corpus.needs import needs_of
from suite.corpus.plan import Plan
from suite.protocol.describing import same_description
from suite.protocol.exchange import AdapterDidNotStart, Exchange, SuiteFault, TargetError
from suite.protocol.messages import Description
from suite.protocol.request import Request
from suite.protocol.runtime import AnyRuntime, open_runtime
from suite.protocol.transcript import Transcript
from suite.runner.opening import Opening
from suite.runner.renaming import Renaming
from suite.runner.settings import SettingError, Settings
from suite.verdict.expected import Expected, apply_expected
from suite.verdict.gate import gate, highest_level
from suite.verdict.judge import judge
from suite.verdict.status import STATUSES, Status
from suite.verdict.verdict import Verdict

__all__ = ["BREAKER", "Execution", "Runner", "unexecuted"]

#: Crashes and timeouts in a row after which the adapter counts as unhealthy.
BREAKER: Final = 5

#: Documents are read once: the one at hand, and the next.
_read_facts: Final = lru_cache(2)(read_facts)

_UNHEALTHY: Final = frozenset({"crash", "timeout"})

#: Exchanges after which the runtime waits for the next request.
_ANSWERED: Final = frozenset({"ended", "findings"})

#: How much longer silence must last before a failure of a settling runtime is believed.
_PATIENCE: Final = 4.0


class Execution(NamedTuple):
    """A verdict and the exchange that it rests on; None when nothing was run."""

    verdict: Verdict
    exchange: Exchange | None


class Runner:
    """Executes scenarios one after the other.

    Args:
        corpus: what is run.
        settings: how.
        expected: failures that are known.
        opening: the first start of the adapter, if it is under way.

    Attributes:
        corpus: what is run.
        settings: how.
    """

    def __init__(
        self,
        corpus: Corpus,
        settings: Settings,
        expected: tuple[Expected, ...] = (),
        opening: Opening | None = None,
    ) -> None:
        self.corpus = corpus
        self.settings = settings
        self._expected = expected
        self._opening = opening
        self._renaming = Renaming(settings.rename)
        self._statements = statements(corpus.ledger)
        #: Of the scenario at hand and the next.
        self._gated: dict[str, tuple[Status, str] | None] = {}
        #: Scenarios that the adapter was asked since it was opened. Of the last one the exchange
        #: is kept as well, not of all: a runtime may send a great many messages.
        self._asked: list[Scenario] = []
        self._before: tuple[Scenario, Exchange] | None = None
        self._late: list[Execution] = []
        self._runtime: AnyRuntime | None = None
        self._described: Description | None = None
        self._streak = 0

    def start(self) -> Description:
        """Start the adapter unless it runs already, and return what it says of itself.

        Raises:
            SettingError: the target or an option beside it names nothing that can be started.
            AdapterDidNotStart: it gave no usable description.
        """
        return self.runtime().description

    def runtime(self) -> AnyRuntime:
        """Return the running adapter; raises as ``start`` does."""
        if self._runtime is None:
            opening, self._opening = self._opening, None
            try:
                self._runtime = self._open() if opening is None else opening.runtime()
            except TargetError as error:
                raise SettingError(str(error)) from error
            self.expect(self._runtime.description)
        return self._runtime

    def _open(self) -> AnyRuntime:
        settings = self.settings
        return open_runtime(
            settings.target,
            python=settings.python,
            in_process=settings.in_process,
            settle=settings.settle,
        )

    def lend(self) -> AnyRuntime:
        """Return the adapter, newly started, for requests that belong to no scenario."""
        self.close()
        return self.runtime()

    def expect(self, description: Description) -> None:
        """Take a description as the one that every start has to give.

        Raises:
            AdapterDidNotStart: an earlier start gave another one, by which scenarios were chosen.
        """
        if self._described is None:
            self._described = description
        try:
            same_description(self._described, description)
        except AdapterDidNotStart:
            self.close()
            raise

    def close(self, *, politely: bool = True) -> None:
        """Stop the adapter; the next request starts a new one.

        Args:
            politely: let it end by itself, and look at what it still says.
        """
        if self._opening is not None:
            self._opening.close()
            self._opening = None
        if self._runtime is not None:
            runtime, self._runtime = self._runtime, None
            runtime.close(politely=politely)
            self._look_back(runtime)
            self._asked.clear()

    def take_late(self) -> list[Execution]:
        """Return, once, what became of scenarios after their verdicts.

        An adapter that sends one message too many, or ends, when its answer is complete is
        caught at the next request or when it is stopped.
        """
        late, self._late = self._late, []
        return late

    def _look_back(self, runtime: AnyRuntime) -> None:
        while (late := runtime.take_late()) is not None:
            if late.ago >= len(self._asked):  # of a request that belonged to no scenario
                continue
            scenario = self._asked[-1 - late.ago]
            exchange = Exchange(kind=late.kind, transcript=Transcript())
            if self._before is not None and self._before[0] is scenario:
                exchange = self._before[1]
            exchange = msgspec.structs.replace(
                exchange, kind=late.kind, detail=late.detail, stderr_tail=late.stderr_tail
            )
            verdict = judge(scenario, None, exchange, self._described or runtime.description)
            self._late.append(self._expect(Execution(verdict, exchange)))

    def execute(self, scenario: Scenario, following: Scenario | None = None) -> Execution:
        """Return what came of one scenario; adapters' faults are verdicts, never errors.

        Args:
            scenario: what is executed.
            following: what probably comes next; the runtime is asked for it already while this
                one is judged and reported.
        """
        try:
            described = self._described or self.start()
        except AdapterDidNotStart as error:
            self._streak += 1
            return self._broken(scenario, str(error))
        barred = self._barred(scenario, described)
        if barred is not None:
            return self._expect(Execution(unexecuted(scenario, *barred), None))
        if self._streak >= BREAKER:
            reason = f"adapter unhealthy: {self._streak} crashes or timeouts in a row before"
            return Execution(unexecuted(scenario, "not-run", reason), None)
        return self._expect(self._run(scenario, described, following))

    def go_on(self) -> None:
        """Answer the runtime, of what was asked of it ahead, without waiting for it."""
        if self._runtime is not None:
            self._runtime.go_on()

    def _barred(self, scenario: Scenario, described: Description) -> tuple[Status, str] | None:
        """Say why a scenario is not for the runtime, if it is not; the last two are remembered."""
        if scenario.id not in self._gated:
            self._gated = dict([*self._gated.items()][-1:])
            needs = needs_of(scenario, _facts_of(scenario))
            self._gated[scenario.id] = gate(needs, scenario.case.text.level, described)
        return self._gated[scenario.id]

    def _run(
        self, scenario: Scenario, described: Description, following: Scenario | None
    ) -> Execution:
        tired = self._streak > 0
        first = self._once(scenario, described, 1.0, following)
        status = first.verdict.status
        self._streak = self._streak + 1 if status in _UNHEALTHY else 0
        # A failure is believed when a fresh process repeats it; in a row of crashes the first
        # one has been repeated, the others only cost time.
        sure = not self.settings.confirm or (tired and status in _UNHEALTHY)
        if sure or not STATUSES[status].red:
            return first
        settling = described.quiescence == "settle" and status not in _UNHEALTHY
        self.close()
        # What came too late in the first process comes in the second as well, or is no verdict.
        self._late = [late for late in self._late if late.verdict.scenario != scenario.id]
        second = self._once(scenario, described, _PATIENCE if settling else 1.0)
        if second.verdict.status == status:
            return second if settling else first
        if settling and second.verdict.status == "pass":
            notes = {**second.verdict.notes, "needed-longer-settle": 1}
            return second._replace(verdict=msgspec.structs.replace(second.verdict, notes=notes))
        return self._flaky(first, second)

    def _flaky(self, first: Execution, second: Execution) -> Execution:
        """Return the red one of two executions that differ, with both told."""
        shown = first if first.verdict.red else second
        statuses = f"{first.verdict.status}, then {second.verdict.status} in a fresh process"
        verdict = msgspec.structs.replace(
            shown.verdict,
            status="flaky",
            reason=statuses,
            text=(statuses, *shown.verdict.text),
        )
        return Execution(verdict, shown.exchange)

    def _once(
        self,
        scenario: Scenario,
        described: Description,
        patience: float,
        following: Scenario | None = None,
    ) -> Execution:
        try:
            runtime = self.runtime()
        except AdapterDidNotStart as error:
            return self._broken(scenario, str(error))
        request = self._request(scenario, patience)
        names = self._renaming.of(request.document, request.companions)
        ahead = self._prepared(following, described)
        try:
            exchange = names.reveal(runtime.ask(names.hide(request)), request)
        except SuiteFault as error:
            self._asked.clear()
            return Execution(unexecuted(scenario, "suite-fault", str(error)), None)
        self._asked.append(scenario)
        self._look_back(runtime)
        self._before = (scenario, exchange)
        if ahead is not None and exchange.kind in _ANSWERED:
            runtime.ask_ahead(ahead)
        verdict = judge(
            scenario,
            _facts_of(scenario),
            exchange,
            described,
            statements=self._statements,
            level=self._level(described),
        )
        return Execution(verdict, exchange)

    def _prepared(self, following: Scenario | None, described: Description) -> Request | None:
        """Return what the runtime is asked next, None for nothing that is known.

        It is made while the runtime works on what it has been asked, if it has been.
        """
        if following is None or self._barred(following, described) is not None:
            return None
        request = self._request(following, 1.0)
        return self._renaming.of(request.document, request.companions).hide(request)

    def _request(self, scenario: Scenario, patience: float) -> Request:
        case, plan = scenario.case, scenario.plan
        if plan is None and case.text.run:
            plan = Plan(refused=case.text.refused)
        facts = _facts_of(scenario)
        return Request(
            document=case.document,
            companions=case.companions,
            plan=plan,
            limit=self.settings.limit,
            known_nodes=None if facts is None else facts.nodes,
            undoing=frozenset() if facts is None else _undoing(facts),
            settle_factor=patience,
        )

    def _level(self, described: Description) -> Level | None:
        """Return the level that is assessed: no higher than asked for, nor than declared."""
        declared = highest_level(described)
        return None if declared is None else min(declared, self.settings.level, key=LEVELS.index)

    def _broken(self, scenario: Scenario, detail: str) -> Execution:
        """An adapter that does not start any more is a crash of every case that needs it."""
        reason = f"the adapter did not start: {detail}"
        return Execution(unexecuted(scenario, "crash", reason), None)

    def _expect(self, execution: Execution) -> Execution:
        return Execution(apply_expected(execution.verdict, self._expected), execution.exchange)


def _facts_of(scenario: Scenario) -> Facts | None:
    """Return what the document says of a run; None where no run is judged."""
    return None if scenario.golden is None else _read_facts(scenario.case.document)


def _undoing(facts: Facts) -> frozenset[str]:
    return frozenset(edge.target for edge in facts.edges if edge.type == "compensation")


def unexecuted(scenario: Scenario, status: Status, reason: str) -> Verdict:
    """Return the verdict on a scenario of which nothing was seen."""
    return Verdict(scenario=scenario.id, status=status, reason=reason, cites=cites_of(scenario))
