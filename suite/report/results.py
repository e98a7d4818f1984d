"""The results of a run as JSON lines: a header, one record per scenario, a footer.

Records are appended as verdicts come in, so that a run that dies leaves what it knew. A file
without its footer is incomplete, whatever its records say.
"""

from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Final, Literal, Self

import msgspec

from comparator.difference import Reading
from suite.protocol.breach import cut
from suite.protocol.exchange import Exchange, Kind, one_line
from suite.protocol.messages import Description, Finding
from suite.protocol.transcript import Transcript
from suite.report.guarded import GuardedFile
from suite.verdict.gate import Mode
from suite.verdict.status import Status
from suite.verdict.verdict import Verdict

__all__ = [
    "Footer",
    "Header",
    "Line",
    "Record",
    "Results",
    "ResultsError",
    "ResultsWriter",
    "decode_record",
    "encode_record",
    "read_results",
    "record_of",
]


#: Characters of a line that are kept; a value of a runtime may be longer than anybody reads.
_LINE: Final = 1000

#: Characters of an explanation, or of what the transport says, that are kept.
_TEXT: Final = 16_000

_MORE: Final = "… and {} more lines"


class ResultsError(ValueError):
    """The file is no results file; the text names the line."""


class _Line(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename="camel",
    tag_field="type",
    omit_defaults=True,
    kw_only=True,
):
    """Base of the three kinds of lines."""


class Header(_Line, frozen=True, tag="header", kw_only=True):
    """First line: what ran what.

    Attributes:
        format: version of this format.
        tool: version of the suite.
        corpus: version of the corpus.
        digest: of the corpus.
        implementation: what the runtime says of itself.
        mode: how much the suite controlled and saw.
        options: options of the run by name.
        started: time of day, RFC 3339.
    """

    format: Literal[1] = 1
    tool: str
    corpus: str
    digest: str
    implementation: Description
    mode: Mode
    options: dict[str, Any] = {}
    started: str


class Record(_Line, frozen=True, tag="scenario", kw_only=True):
    """One scenario: the verdict, and all that is needed to judge it again.

    What is shown of it, reason and text, holds words of the runtime: whatever made the record,
    they neither steer a terminal nor begin a line of their own, and what is too long is cut.

    Attributes:
        id: scenario.
        status: row of ``suite.verdict.status``.
        reason: one line, empty for a pass.
        cites: requirements that the scenario asserts.
        blamed: requirements that the first divergence breaks.
        readings: of open points, as observed.
        notes: recommendations that were not followed, as kind → count.
        unjudged: addresses of which only legality was judged.
        text: explanation, a line each.
        seconds: real duration.
        kind: how the exchange ended; None when nothing was run.
        detail: what the transport said about it.
        findings: answer to validate, or to run when it refused the document.
        transcript: every message; None when nothing was run.
        stderr: last lines that the adapter wrote.
    """

    id: str
    status: Status
    reason: str = ""
    cites: tuple[str, ...] = ()
    blamed: tuple[str, ...] = ()
    readings: tuple[Reading, ...] = ()
    notes: dict[str, int] = {}
    unjudged: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    seconds: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    kind: Kind | None = None
    detail: str = ""
    findings: tuple[Finding, ...] = ()
    transcript: Transcript | None = None
    stderr: str = ""

    def __post_init__(self) -> None:
        """Make reason, text and detail what can be shown, and no longer than anybody reads."""
        set_ = msgspec.structs.force_setattr
        set_(self, "reason", cut(one_line(self.reason), _LINE))
        set_(self, "text", tuple(_few([cut(one_line(line), _LINE) for line in self.text])))
        set_(self, "detail", cut(self.detail, _TEXT))

    def verdict(self) -> Verdict:
        """Return the verdict; the differences live on in its text only."""
        return Verdict(
            scenario=self.id,
            status=self.status,
            reason=self.reason,
            cites=self.cites,
            blamed=self.blamed,
            readings=self.readings,
            notes=self.notes,
            unjudged=self.unjudged,
            text=self.text,
        )

    def exchange(self) -> Exchange | None:
        """Return what was judged, to judge it again; None when nothing was run."""
        if self.kind is None or self.transcript is None:
            return None
        return Exchange(
            kind=self.kind,
            transcript=self.transcript,
            findings=self.findings,
            detail=self.detail,
            stderr_tail=self.stderr,
            seconds=self.seconds,
        )


class Footer(_Line, frozen=True, tag="footer", kw_only=True):
    """Last line.

    Attributes:
        counts: status → number of records; they add up to the records.
        complete: whether every scenario up to the level asked for has a record.
        finished: time of day, RFC 3339.
        code: exit code of a run that was interrupted or broke off; None where the records say it.
    """

    counts: dict[Status, int]
    complete: bool
    finished: str
    code: int | None = None


Line = Header | Record | Footer


class Results(msgspec.Struct, frozen=True):
    """A results file as read; the last record of a scenario counts.

    Attributes:
        header: first line.
        records: id → record.
        footer: None when the run was broken off.
        torn: whether the last line was cut.
    """

    header: Header
    records: dict[str, Record]
    footer: Footer | None = None
    torn: bool = False

    @property
    def complete(self) -> bool:
        """Whether the run came to its end and left no scenario out."""
        return self.footer is not None and self.footer.complete and not self.torn


def record_of(verdict: Verdict, exchange: Exchange | None = None) -> Record:
    """Combine a verdict and the exchange that it is about."""
    return Record(
        id=verdict.scenario,
        status=verdict.status,
        reason=verdict.reason,
        cites=verdict.cites,
        blamed=verdict.blamed,
        readings=verdict.readings,
        notes=verdict.notes,
        unjudged=verdict.unjudged,
        text=verdict.text,
        seconds=0.0 if exchange is None else exchange.seconds,
        kind=None if exchange is None else exchange.kind,
        detail="" if exchange is None else exchange.detail,
        findings=() if exchange is None else exchange.findings,
        transcript=None if exchange is None else exchange.transcript,
        stderr="" if exchange is None else exchange.stderr_tail,
    )


def encode_record(record: Record) -> bytes:
    """Return the record as a line of a results file, without its end."""
    return msgspec.json.encode(record)


def decode_record(data: bytes | str) -> Record:
    """Read what ``encode_record`` returned.

    Raises:
        ResultsError: the data is no record.
    """
    try:
        return msgspec.json.decode(data, type=Record)
    except msgspec.DecodeError as error:
        raise ResultsError(f"record: {error}") from error


class ResultsWriter:
    """Writes a results file line by line; every line reaches the file before the next begins."""

    def __init__(self, path: Path, header: Header) -> None:
        self._file = GuardedFile(path)
        self._counts: dict[Status, int] = {}
        self._write(header)

    def append(self, record: Record) -> None:
        """Write the record of a scenario."""
        self._counts[record.status] = self._counts.get(record.status, 0) + 1
        self._write(record)

    def finish(self, *, complete: bool, finished: str, code: int | None = None) -> str:
        """Write the footer, see ``Footer``, and close the file.

        Returns:
            What others did to the file, and what became of it, in one line; empty for nothing.
        """
        footer = Footer(counts=self._counts, complete=complete, finished=finished, code=code)
        self._write(footer)
        return self._file.finish()

    def close(self) -> None:
        """Close the file; without ``finish`` it stays incomplete."""
        self._file.close()

    def _write(self, line: Line) -> None:
        self._file.write(msgspec.json.encode(line) + b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.close()


def read_results(source: Path | bytes) -> Results:
    """Read a results file; a missing footer or a cut last line only makes it incomplete.

    Raises:
        ResultsError: no header, a line that is none of the three kinds, a line after the
            footer, or counts that do not add up.
    """
    data = source if isinstance(source, bytes) else source.read_bytes()
    parts = data.split(b"\n")
    torn = bool(parts.pop())
    lines = list(_decoded(parts))
    if not lines or not isinstance(lines[0], Header):
        raise ResultsError("line 1: expected the header of a results file, observed none")
    records: dict[str, Record] = {}
    footer: Footer | None = None
    for number, line in enumerate(lines[1:], 2):
        if footer is not None or isinstance(line, Header):
            found = type(line).__name__.lower()
            raise ResultsError(f"line {number}: expected nothing more, observed a {found}")
        if isinstance(line, Record):
            records[line.id] = line
        else:
            footer = line
    if footer is not None and sum(footer.counts.values()) != len(lines) - 2:
        raise ResultsError(
            f"line {len(lines)}: expected counts of {len(lines) - 2} records, "
            f"observed {footer.counts!r}"
        )
    return Results(lines[0], records, footer, torn)


def _few(lines: list[str]) -> list[str]:
    """Return the lines that are kept of an explanation, and how many are not."""
    if sum(len(line) + 1 for line in lines) <= _TEXT:
        return lines
    room = _TEXT - len(_MORE) - len(str(len(lines)))
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return [*kept, _MORE.format(len(lines) - len(kept))]


def _decoded(parts: list[bytes]) -> Iterable[Line]:
    decoder: msgspec.json.Decoder[Line] = msgspec.json.Decoder(Line)
    for number, part in enumerate(parts, 1):
        try:
            yield decoder.decode(part)
        except msgspec.DecodeError as error:
            raise ResultsError(f"line {number}: {error}") from error
