"""Scenarios as pytest items, and how a record becomes a report.

A record travels on the report of its call phase; from a worker of pytest-xdist to the controller
as JSON text.
"""

import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from suite.report.results import Record, decode_record, encode_record
from suite.runner.summary import section_of
from suite.verdict.status import STATUSES

__all__ = [
    "Corpus",
    "RecordItem",
    "Unfit",
    "dress",
    "explanation",
    "fault",
    "late_report",
    "named_arguments",
    "put_late_on",
    "take_late_off",
    "take_record_off",
]

_ATTRIBUTE = "hxconf_record"
_LATE = "hxconf_late"

Execute = Callable[[], Record]


class Unfit(Exception):  # noqa: N818  it names a result, not a fault of the suite
    """A scenario came out red; the record says how."""

    def __init__(self, record: Record) -> None:
        super().__init__(record.reason)
        self.record = record


class RecordItem(pytest.Item):
    """One unit that is executed, judged and reported: a scenario, or a fuzz campaign.

    Attributes:
        execute: does all of it.
        place: file that it comes from.
        says: what it is about, for the heading of a failure.
        again: options, besides the runtime, that run it again.
        record: what came of it, None before.
    """

    def __init__(
        self, *, execute: Execute, place: Path, says: str, again: Sequence[str], **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.execute = execute
        self.place = place
        self.says = says
        self.again = again
        self.record: Record | None = None
        self.extra_keyword_matches.update(self.nodeid.replace(".", "/").split("/"))

    @classmethod
    def of(cls, parent: "Corpus", identifier: str, **fields: Any) -> "RecordItem":
        """Make an item whose node id is an id of ours, without prefix."""
        return cls.from_parent(parent, name=identifier, nodeid=identifier, **fields)

    def runtest(self) -> None:
        """Execute and judge.

        Raises:
            Unfit: the record's status is red.
        """
        self.record = self.execute()
        meaning = STATUSES[self.record.status]
        if meaning.pytest == "skipped":
            pytest.skip(_reason(self.record))
        if meaning.pytest == "failed":
            raise Unfit(self.record)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Explain a red record in its own words, without a traceback."""
        if isinstance(excinfo.value, Unfit):
            return explanation(excinfo.value.record)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the case file, its first line, and the heading of a failure.

        pytest takes a heading that the node id ends with for a dotted name and rewrites it.
        """
        return self.place, 0, f"{self.nodeid}: {self.says}"


class Corpus(pytest.Collector):
    """The corpus as one collector under the session; the ids of its items have no prefix."""

    def __init__(self, *, make: Callable[["Corpus"], Iterator[RecordItem]], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.make = make

    def collect(self) -> Iterator[RecordItem]:
        """Return the selected scenarios in the order of the run."""
        return self.make(self)

    def __repr__(self) -> str:
        return "<HarnessXML conformance corpus>"


def fault(identifier: str, reason: str, text: str) -> Record:
    """Return the record of an item that broke outside of the judge: a fault of the suite."""
    return Record(
        id=identifier,
        status="suite-fault",
        reason=" ".join(reason.split()),
        text=tuple(text.splitlines()),
    )


def explanation(record: Record) -> str:
    """Return what a reader of a failure needs: status and reason, then the differences."""
    lines = record.text if record.text[:1] == (record.reason,) else (record.reason, *record.text)
    return "\n".join([f"{record.status}: {lines[0]}", *lines[1:]])


def dress(item: RecordItem, report: pytest.TestReport, target: str, *, travels: bool) -> None:
    """Give a report the record of its item, and pytest's words for its status.

    Args:
        item: the item that was called.
        report: its report; changed in place.
        target: the runtime, for the command that runs the item again.
        travels: whether the report goes to another process.
    """
    record = item.record
    if record is None:
        return
    setattr(report, _ATTRIBUTE, encode_record(record).decode() if travels else record)
    properties = _properties(record)
    item.user_properties[:] = properties
    report.user_properties[:] = properties
    reason = _reason(record)
    if record.status == "xfail":
        report.wasxfail = reason
    if report.skipped:
        report.longrepr = (str(item.place), 1, f"Skipped: {reason}")
    if report.failed:
        again = shlex.join(["pytest", f"--runtime={target}", *item.again])
        report.sections.append(("run it again", again))
        if record.stderr:
            report.sections.append(("adapter stderr", record.stderr))


def take_record_off(report: pytest.TestReport) -> Record | None:
    """Return the record that a report carries, which pytest need not keep until the end."""
    carried = report.__dict__.pop(_ATTRIBUTE, None)
    return decode_record(carried) if isinstance(carried, str) else carried


def put_late_on(report: pytest.TestReport, records: Sequence[Record]) -> None:
    """Let a report carry what became of earlier items."""
    if records:
        setattr(report, _LATE, [encode_record(record).decode() for record in records])


def take_late_off(report: pytest.TestReport) -> list[Record]:
    """Return what ``put_late_on`` gave a report."""
    return [decode_record(text) for text in report.__dict__.pop(_LATE, ())]


def late_report(record: Record) -> pytest.TestReport:
    """Return a report of what an adapter did after the call of an item, in pytest's words."""
    report = pytest.TestReport(
        nodeid=record.id,
        location=(record.id, 0, f"{record.id}: after its verdict"),
        keywords={},
        outcome="failed",
        longrepr=explanation(record),
        when="teardown",
        user_properties=_properties(record),
    )
    if record.stderr:
        report.sections.append(("adapter stderr", record.stderr))
    return report


def named_arguments(config: pytest.Config) -> list[str]:
    """Return the paths and ids that stand on the command line itself, not in an ini file."""
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        return []
    given = {str(argument) for argument in config.invocation_params.args}
    return [argument for argument in config.args if argument in given]


def _properties(record: Record) -> list[tuple[str, object]]:
    return [
        ("status", record.status),
        ("section", " ".join(dict.fromkeys(section_of(cite) for cite in record.cites))),
        ("cites", " ".join(record.cites)),
    ]


def _reason(record: Record) -> str:
    return f"{record.status}: {record.reason}" if record.reason else record.status
