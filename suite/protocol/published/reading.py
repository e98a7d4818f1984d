"""What the published command-line runtime prints, read strictly."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple, NoReturn

from suite.protocol.breach import Breach, quote
from suite.protocol.messages import Finding, ReportedCode

__all__ = ["Printed", "begins_trace", "read_codes", "read_findings", "read_run"]

_FINDING: Final = re.compile(r"(HX-\d{4})\s+(.*?)(?::(\d+))?(?::\d+)?\s+(error|warning)\s*")
_VERDICT: Final = re.compile(
    r".*: (valid(?: \(\d+ warning(?:s|\(s\))?\))?|(\d+) error(?:s|\(s\))?(?:[, ].*)?)\s*"
)
_CODE: Final = re.compile(r"\s+(\S+): (HX-\d{4})\b.*")
_START: Final = re.compile(r"(?:\A\s*|^)\[", re.MULTILINE)
_END: Final = re.compile(r".*: (succeeded|COMPENSATED|FAILED)\b.*")

Ending = Literal["succeeded", "compensated", "failed"]
_ENDINGS: Final[dict[str, Ending]] = {
    "succeeded": "succeeded",
    "COMPENSATED": "compensated",
    "FAILED": "failed",
}


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
    return (
        f"the trace is not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}, "
        f"near {near!r}; what is not plain in a detail has to be escaped"
    )


def read_codes(text: str, nodes: Sequence[str]) -> tuple[ReportedCode, ...]:
    """Return the codes that ``run`` without ``--trace`` prints below its table of states."""
    return tuple(_codes(text, frozenset(nodes)))


def _codes(text: str, nodes: frozenset[str]) -> Iterator[ReportedCode]:
    for line in _lines(text):
        match = _CODE.fullmatch(line)
        if match is not None and match[1] in nodes:
            yield ReportedCode(match[2], match[1])
