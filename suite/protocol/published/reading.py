"""What the published command-line runtime prints, read strictly."""

import json
import re
from collections.abc import Collection, Iterator
from typing import Any, Final, Literal, NamedTuple, NoReturn

from comparator.lifecycle import STATES
from suite.protocol.breach import Breach, quote
from suite.protocol.messages import Finding, ReportedCode

__all__ = ["Printed", "Table", "begins_trace", "read_findings", "read_run", "read_table"]

_FINDING: Final = re.compile(r"(HX-\d{4})\s+(.*?)(?::(\d+))?(?::\d+)?\s+(error|warning)\s*")
_VERDICT: Final = re.compile(
    r".*: (valid(?: \(\d+ warning(?:s|\(s\))?\))?|(\d+) error(?:s|\(s\))?(?:[, ].*)?)\s*"
)
_CODE: Final = re.compile(r"\s+(\S+): (HX-\d{4})\b.*")
#: A trace holds objects or nothing, which tells it from a line such as ``[INFO] …``.
_START: Final = re.compile(r"(?:\A\s*|^)\[(?=\s*(?:\{|\]\s*$))", re.MULTILINE)
_END: Final = re.compile(r".*: (succeeded|COMPENSATED|FAILED)\b.*")

Ending = Literal["succeeded", "compensated", "failed"]
_ENDINGS: Final[dict[str, Ending]] = {
    "succeeded": "succeeded",
    "COMPENSATED": "compensated",
    "FAILED": "failed",
}


class Table(NamedTuple):
    """A run printed without its trace: codes by node, and how it ended where a line says so."""

    codes: tuple[ReportedCode, ...]
    outcome: Ending | None


class Printed(NamedTuple):
    """A traced run as printed: the transitions as decoded, and how it ended."""

    transitions: list[Any]
    outcome: Ending


def read_findings(text: str, *, refused: bool = False) -> tuple[Finding, ...]:
    """Read what ``validate`` prints, and ``run`` of an invalid document.

    A line that begins nothing new goes on with the text of the finding before it: the text
    quotes the document, whose values may hold line ends.

    Args:
        text: the output.
        refused: it is the output of ``run``, which may leave out the verdict.

    Raises:
        Breach: a line before the first finding is neither finding nor verdict, something follows
            the verdict, or the verdict does not agree with the findings.
    """
    found: list[Finding] = []
    verdict: re.Match[str] | None = None
    for line in _lines(text):
        head = _FINDING.fullmatch(line)
        told = None if line[:1].isspace() else _VERDICT.fullmatch(line)
        if verdict is not None or (head is None and told is None and not found):
            raise Breach(f"a line that is neither finding nor verdict: {quote(line.encode())}")
        if head is not None:
            severity: Literal["error", "warning"] = "error" if head[4] == "error" else "warning"
            place = int(head[3]) if head[3] else None
            found.append(Finding(code=head[1], severity=severity, line=place))
        elif told is not None:
            verdict = told
        else:
            found[-1] = _with_text(found[-1], line.strip())
    errors = sum(finding.severity == "error" for finding in found)
    if verdict is None and not (refused and errors):
        raise Breach("no verdict: expected 'FILE: valid' or 'FILE: n error(s)' as the last line")
    if verdict is not None and errors != int(verdict[2] or 0):
        raise Breach(f"expected the verdict to count {errors} errors, observed {verdict[1]!r}")
    return tuple(found)


def _lines(text: str) -> list[str]:
    """Return the lines that are not blank; ``splitlines`` would cut at characters of values."""
    return [line.rstrip("\r") for line in text.split("\n") if line.strip()]


def _with_text(finding: Finding, text: str) -> Finding:
    """Add the text, which is where this runtime names id and value (§13.5)."""
    message = text if finding.message is None else f"{finding.message} {text}"
    return Finding(
        code=finding.code,
        severity=finding.severity,
        line=finding.line,
        near=message,
        value=message,
        message=message,
    )


def begins_trace(text: str) -> bool:
    """Whether a line of the output begins with the array that a trace is."""
    return _START.search(text) is not None


def read_run(text: str) -> Printed:
    """Read what ``run --trace`` prints of a valid document.

    Warnings may stand before the trace, and remarks after it, as long as one line says how the
    run ended.

    Raises:
        Breach: it is no JSON array, or no line that says how the run ended follows.
    """
    found = _START.search(text)
    if found is None:
        raise Breach(f"expected the trace, a JSON array, observed {quote(text.encode())}")
    decoder = json.JSONDecoder(parse_constant=_refuse)
    try:
        transitions, end = decoder.raw_decode(text, found.end() - 1)
    except (ValueError, RecursionError) as error:
        raise Breach(_no_json(error, text)) from error
    told = [_END.fullmatch(line) for line in _lines(text[end:]) if not line[:1].isspace()]
    endings = [ending for ending in told if ending is not None]
    if len(endings) != 1:
        raise Breach(
            "expected one line 'FILE: succeeded', 'FILE: COMPENSATED' or 'FILE: FAILED' after the "
            f"trace, observed {quote(text[end:].strip().encode())}"
        )
    return Printed(transitions, _ENDINGS[endings[0][1]])


def _refuse(word: str) -> NoReturn:
    raise Breach(f"the trace is not valid JSON: {word} is no number")


def _no_json(error: Exception, text: str) -> str:
    if isinstance(error, RecursionError):
        return "the trace is not valid JSON: it is nested too deeply"
    if not isinstance(error, json.JSONDecodeError):
        return f"the trace is not valid JSON: {error}"
    near = text[max(0, error.pos - 20) : error.pos + 20]
    # Only what stands behind the last detail can be its fault.
    entry = text[text.rfind("{", 0, error.pos) + 1 : error.pos]
    hint = "; what is not plain in a detail has to be escaped" if '"detail"' in entry else ""
    return (
        f"the trace is not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}, "
        f"near {near!r}{hint}"
    )


def read_table(text: str, nodes: Collection[str]) -> Table:
    """Read what ``run`` without ``--trace`` prints: a table of states, and codes below it.

    Args:
        text: the output.
        nodes: ids of the document.

    Raises:
        Breach: it neither shows the state of every node nor says once how the run ended.
    """
    endings = list(_table_endings(text, nodes))
    shown = {
        word for line in _lines(text) if STATES.keys() & set(line.split()) for word in _ids(line)
    }
    if len(endings) > 1 or (not endings and not shown.issuperset(nodes)):
        raise Breach(
            "without --trace: expected a table with the state of every node, or one line that says "
            f"how the run ended, observed {quote(text.strip().encode())}"
        )
    return Table(tuple(_codes(text, frozenset(nodes))), endings[0] if endings else None)


def _ids(line: str) -> Iterator[str]:
    for word in line.split():
        yield word
        yield word.rstrip(":")


def _table_endings(text: str, nodes: Collection[str]) -> Iterator[Ending]:
    """Yield what lines say of the whole run; rows of the table begin with a node."""
    for line in _lines(text):
        match = None if line[:1].isspace() else _END.fullmatch(line)
        if match is not None and line[: match.start(1)].rstrip().removesuffix(":") not in nodes:
            yield _ENDINGS[match[1]]


def _codes(text: str, nodes: frozenset[str]) -> Iterator[ReportedCode]:
    for line in _lines(text):
        match = _CODE.fullmatch(line)
        if match is not None and match[1] in nodes:
            yield ReportedCode(match[2], match[1])
