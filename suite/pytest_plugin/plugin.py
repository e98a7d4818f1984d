"""Hooks of the plugin: thin, each hands over to the runner, the items or the summary."""

import gc
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from suite.corpus.case import Scenario
from suite.corpus.catalogue import CorpusError
from suite.protocol.exchange import AdapterDidNotStart, one_line
from suite.protocol.messages import Description
from suite.pytest_plugin.ending import broken_off, exit_code, way_back
from suite.pytest_plugin.items import (
    Corpus,
    RecordItem,
    dress,
    fault,
    late_report,
    named_arguments,
    put_late_on,
    take_late_off,
    take_record_off,
)
from suite.pytest_plugin.junit import add_totals, name_testcase, totals_of
from suite.pytest_plugin.leash import Leash, follow
from suite.pytest_plugin.progress import Progress
from suite.report.results import Record, ResultsWriter, decode_record, encode_record, record_of
from suite.runner.settings import SettingError, rerun_options
from suite.runner.summary import heading, summary
from suite.runner.tally import FUZZ
from suite.runner.work import Work, header_of, now, prepare
from suite.verdict.status import EXIT, STATUSES

__all__ = ["OPTIONS", "Plugin"]

#: Options that are read, without their dashes.
OPTIONS = (
    "runtime",
    "hx-python",
    "hx-in-process",
    "hx-settle",
    "hx-limit",
    "hx-level",
    "hx-order",
    "hx-rename",
    "hx-expected",
    "hx-results",
    "hx-select",
    "hx-fuzz",
    "hx-fuzz-examples",
    "hx-fuzz-seed",
    "hx-fuzz-out",
)


#: Key under which a worker of pytest-xdist gets the description.
_DESCRIBED: Final = "hx_described"

#: Key under which it gets the file that tells it to end.
_LEASH: Final = "hx_leash"

#: Key under which it gives back what its adapter did after its last answer.
_LATE: Final = "hx_late"


class Plugin:
    """One pytest run with ``--runtime``.

    Under pytest-xdist the controller starts the adapter once for its description and executes
    nothing; each worker owns one adapter. Only the controller keeps tally and results.
    """

    def __init__(self, config: pytest.Config, hidden: Sequence[str]) -> None:
        """Read options and corpus; take over the arguments that are ids of scenarios.

        Args:
            config: pytest's configuration; its arguments are narrowed to what the user named.
            hidden: names of foreign packages that ours replaced in this process.
        """
        self.config = config
        self.hidden = hidden
        self.is_worker = hasattr(config, "workerinput")
        self.only_collects = bool(config.getoption("collectonly"))
        options = {name: config.getoption(f"--{name}") for name in OPTIONS}
        try:
            starts = not (self.is_worker or self.only_collects)
            self.work: Work = prepare(options, named_arguments(config), start=starts)
        except SettingError as error:
            raise pytest.UsageError(str(error)) from error
        except CorpusError as error:
            pytest.exit(f"the corpus is at fault: {error}", returncode=EXIT["suite-fault"])
        config.args[:] = [a for a in named_arguments(config) if a not in self.work.identifiers]
        self.described: Description | None = None
        self.writer: ResultsWriter | None = None
        self.damage: list[str] = []
        self.accounted = False
        self.following: Scenario | None = None
        self.progress: Progress | None = None
        self.leash: Leash | None = None
        self.unfollow: Callable[[], None] = lambda: None

    # --- start --------------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Start the adapter once before anything is collected, for what it says of itself."""
        runner, settings = self.work.runner, self.work.settings
        if self.is_worker:
            described = self.config.workerinput[_DESCRIBED]  # type: ignore[attr-defined] # xdist's
            runner.expect(msgspec.json.decode(described, type=Description))
            self.unfollow = follow(self.config.workerinput[_LEASH])  # type: ignore[attr-defined]
        if self.is_worker or self.only_collects:
            return
        try:
            self.described = runner.start()
        except (SettingError, AdapterDidNotStart) as error:
            raise pytest.UsageError(" ".join(str(error).split())) from error
        if self.config.pluginmanager.hasplugin("dsession"):
            runner.close()
        if settings.results is not None:
            header = header_of(runner.corpus, settings, self.described)
            self.writer = ResultsWriter(settings.results, header)
        self._show_progress()

    def _show_progress(self) -> None:
        """Count instead of printing a dot for each item, unless pytest is told how to print."""
        terminal: Any = self.config.pluginmanager.get_plugin("terminalreporter")
        if terminal is None or self.config.getoption("verbose") or self.config.getoption("usepdb"):
            return
        terminal.showfspath = False
        self.progress = Progress(
            terminal,
            {*self.work.runner.corpus.scenarios, self.work.fuzz or FUZZ},
            lambda: len(self.work.tally.selected) + (self.work.fuzz is not None),
        )
        self.config.pluginmanager.register(self.progress, "hxconf-progress")

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Hand a worker the description, which its own adapter has to repeat."""
        if self.leash is None:
            self.leash = Leash()
        node.workerinput[_DESCRIBED] = msgspec.json.encode(self.described).decode()
        node.workerinput[_LEASH] = str(self.leash.path)

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Do not wait for workers that wait for their adapters.

        Nor for pytest, which puts the way to the interrupt into words, the corpus among them, and
        then shows where it ends.
        """
        if self.leash is not None:
            self.leash.pull()
        if not self.config.getoption("fulltrace"):
            excinfo.traceback = excinfo.traceback[-1:]

    def pytest_report_header(self) -> list[str]:
        """Say what runs what."""
        work = self.work
        lines = heading(work.runner.corpus, work.settings, self.described)
        lines += [f"--hx-select {pattern!r} selects nothing" for pattern in work.empty]
        if self.hidden:
            lines.append(
                f"packages of this folder hidden by ours in this process: {', '.join(self.hidden)}"
            )
        return lines

    # --- collection ---------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Put the corpus before whatever the user named."""
        report = yield
        if isinstance(collector, pytest.Session) and report.passed:
            corpus = Corpus.from_parent(collector, name="", nodeid="corpus", make=self._items)
            report.result = [corpus, *(report.result or [])]
        return report

    def _items(self, parent: Corpus) -> Iterator[RecordItem]:
        runner = self.work.runner
        root = runner.corpus.root / "cases"
        for scenario in self.work.scenarios:
            yield RecordItem.of(
                parent,
                scenario.id,
                execute=partial(self._execute, scenario),
                place=root / f"{scenario.case.id}.toml",
                says=scenario.case.text.description,
                again=(*rerun_options(self.work.settings), "--hx-select", scenario.id),
            )
        if self.work.fuzz is not None:
            yield self._fuzz(parent, self.work.fuzz)

    def _fuzz(self, parent: Corpus, identifier: str) -> RecordItem:
        settings = self.work.settings
        module = import_module("suite.runner.fuzzing")
        area = identifier.removeprefix(FUZZ)
        again = [
            *rerun_options(settings),
            f"--hx-fuzz={area}",
            f"--hx-fuzz-seed={settings.fuzz_seed or 0}",
        ]
        if settings.fuzz_examples is not None:
            again.append(f"--hx-fuzz-examples={settings.fuzz_examples}")
        return RecordItem.of(
            parent,
            identifier,
            execute=partial(module.fuzz, self.work.runner, area, settings),
            place=Path(module.__file__ or ""),
            says="random documents and schedules",
            again=(*again, f"--hx-select={identifier}"),
        )

    def _execute(self, scenario: Scenario) -> Record:
        return record_of(*self.work.runner.execute(scenario, self.following))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, nextitem: pytest.Item | None) -> None:
        """Note what comes after the item at hand."""
        key = "" if nextitem is None else nextitem.nodeid
        self.following = self.work.runner.corpus.scenarios.get(key)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note what is left after -k, --lf and the like."""
        self._chosen([item.nodeid for item in session.items if isinstance(item, RecordItem)])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Note the same in the controller, which collects nothing itself."""
        self._chosen(ids)

    def _chosen(self, ids: Sequence[str]) -> None:
        self.work.tally.choose(ids)
        # The corpus and its items stay: no collection of garbage need look at them again, those
        # of pytest and of the interpreter at the end, which an interrupt waits for, among them.
        gc.freeze()

    # --- reports ------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Turn a record into pytest's words; what is not a record's doing is the suite's fault."""
        self.work.runner.go_on()
        report = yield
        if isinstance(item, RecordItem):
            if report.failed and (item.record is None or call.when != "call"):
                item.record = fault(
                    item.nodeid, f"{call.when}: {call.excinfo}", str(report.longrepr)
                )
            if call.when == "call" or report.failed:
                dress(item, report, self.work.settings.target, travels=self.is_worker)
                item.record = None
            put_late_on(report, self._take_late())
        return report

    def _take_late(self) -> list[Record]:
        return [record_of(*execution) for execution in self.work.runner.take_late()]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the record, in the controller only."""
        self.work.runner.go_on()
        if self.is_worker:
            return
        work = self.work
        for late in take_late_off(report):
            self._amend(late)
        record = take_record_off(report)
        ours = report.nodeid in work.runner.corpus.scenarios or report.nodeid == work.fuzz
        if ours:
            name_testcase(self.config, report)
        if record is None and ours and report.failed and report.when != "teardown":
            record = fault(report.nodeid, "the worker died", str(report.longrepr))
        if record is not None:
            record = work.tally.add(record)
            self._keep(record)
            if self.progress is not None:
                self.progress.done(record)

    def _amend(self, record: Record) -> None:
        """Take what became of a scenario after its report; a red one is reported once more."""
        self._keep(self.work.tally.amend(record))
        if STATUSES[record.status].red:
            self.config.hook.pytest_runtest_logreport(report=late_report(record))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take the same from a worker that has ended."""
        for text in getattr(node, "workeroutput", {}).get(_LATE, ()):
            self._amend(decode_record(text))

    def _keep(self, record: Record) -> None:
        if self.writer is not None:
            self.writer.append(record)

    # --- end ----------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Let pytest find the folder where it began, which an adapter may have deleted."""
        try:
            return (yield)
        finally:
            self._note_damage(way_back(session.startpath))

    def _note_damage(self, line: str) -> None:
        self.damage += [line] if line else []

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(
        self, session: pytest.Session, exitstatus: int
    ) -> Generator[None, object, object]:
        """Account for the run before other plugins do; a file of theirs that fails hides nothing.

        It is the innermost wrapper, so that pytest's own, which prints the summary, still comes
        after what the others do.
        """
        self._finish(int(exitstatus))
        if self.accounted:
            session.exitstatus = self._exit(int(exitstatus))
        try:
            return (yield)
        except OSError as error:
            if not self.accounted:
                raise
            self._note_damage(f"a report of pytest or of a plugin cannot be written: {error}")
            session.exitstatus = self._exit(int(exitstatus))
            return None

    def _finish(self, exitstatus: int) -> None:
        self.unfollow()
        interrupted = exitstatus == EXIT["interrupted"]
        self.work.runner.close(politely=not interrupted)
        late = self._take_late()
        if self.is_worker:
            texts = [encode_record(record).decode() for record in late]
            self.config.workeroutput[_LATE] = texts  # type: ignore[attr-defined] # xdist's
        if self.is_worker or self.described is None:
            return
        for record in late:
            self._amend(record)
        self._account("interrupted before it" if interrupted else "stopped before it", exitstatus)
        add_totals(self.config, partial(totals_of, self.work.tally, self.described))

    def _account(self, why: str, exitstatus: int) -> None:
        """Make a record of what the run did not come to, and end the results."""
        tally = self.work.tally
        for record in tally.finish(why):
            self._keep(record)
        if self.writer is not None:
            code = broken_off(tally, exitstatus, self._most())
            self._note_damage(
                self.writer.finish(complete=tally.complete, finished=now(), code=code)
            )
            self.writer = None
        self.accounted = True

    def _exit(self, status: int) -> int:
        return exit_code(self.work.tally, status, self._most(), damaged=bool(self.damage))

    def _most(self) -> int:
        return self.config.getoption("maxfail") or 0

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Write the summary after the failures."""
        if self.described is None:
            return
        terminalreporter.section("HarnessXML conformance")
        verbose = self.config.getoption("verbose") > 0
        for line in summary(self.work.tally, self.described, verbose=verbose):
            terminalreporter.write_line(line)
        for line in self.damage:
            terminalreporter.write_line(f"suite-fault: {one_line(line)}", red=True)

    def pytest_unconfigure(self) -> None:
        """Leave no process and no open file behind, however the run ended.

        Where pytest broke off before the end of its session, nothing is accounted for yet.
        """
        self.work.runner.close(politely=False)
        if self.described is not None and not self.accounted and self.work.tally.records:
            self._account("stopped before it", EXIT["suite-fault"])
            terminal: Any = self.config.pluginmanager.get_plugin("terminalreporter")
            if terminal is not None:
                self.pytest_terminal_summary(terminal)
        if self.writer is not None:
            self.writer.close()
        if self.leash is not None:
            self.leash.close()
