"""What the published command-line runtime prints, read strictly."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple, NoReturn

from suite.protocol.breach import Breach, quote
from suite.protocol.messages import Finding, ReportedCode

__all__ = ["Printed", "read_codes", "read_findings", "read_run"]

_FINDING: Final = re.compile(r"(HX-\d{4})\s+(.*):(\d+)\s+(error|warning)\s*")
_VERDICT: Final = re.compile(
    r".*: (valid(?: \(\d+ warning(?:s|\(s\))?\))?|(\d+) error(?:s|\(s\))?(?:, .*)?)\s*"
)
_CODE: Final = re.compile(r"\s+(\S+): (HX-\d{4})\b.*")
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


def read_findings(text: str) -> tuple[Finding, ...]:
    """Read what ``validate`` prints, and ``run`` of an invalid document.

    Raises:
        Breach: a line is neither a finding, nor its text, nor the verdict, or the verdict
            does not agree with the findings.
    """
    found: list[Finding] = []
    verdict: re.Match[str] | None = None
    for line in text.splitlines():
        head = _FINDING.fullmatch(line)
        if head is not None and verdict is None:
            severity: Literal["error", "warning"] = "error" if head[4] == "error" else "warning"
            found.append(Finding(code=head[1], severity=severity, line=int(head[3])))
        elif line[:1].isspace() and line.strip() and found and verdict is None:
            found[-1] = _with_text(found[-1], line.strip())
        elif verdict is None and (verdict := _VERDICT.fullmatch(line)) is not None:
            continue
        elif line.strip():
            raise Breach(f"a line that is neither finding nor verdict: {quote(line.encode())}")
    errors = sum(finding.severity == "error" for finding in found)
    if verdict is None:
        raise Breach("no verdict: expected 'FILE: valid' or 'FILE: n error(s)' as the last line")
    if errors != int(verdict[2] or 0):
        raise Breach(f"expected the verdict to count {errors} errors, observed {verdict[1]!r}")
    return tuple(found)


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


def read_run(text: str) -> Printed:
    """Read what ``run --trace`` prints of a valid document.

    Raises:
        Breach: it is no JSON array, or no line that says how the run ended follows.
    """
    start = len(text) - len(text.lstrip())
    if not text.startswith("[", start):
        raise Breach(f"expected the trace, a JSON array, observed {quote(text.encode())}")
    decoder = json.JSONDecoder(parse_constant=_refuse)
    try:
        transitions, end = decoder.raw_decode(text, start)
    except (json.JSONDecodeError, RecursionError) as error:
        raise Breach(_no_json(error, text)) from error
    rest = [line for line in text[end:].splitlines() if line.strip()]
    ending = _END.fullmatch(rest[0]) if len(rest) == 1 else None
    if ending is None:
        raise Breach(
            "expected one line 'FILE: succeeded', 'FILE: COMPENSATED' or 'FILE: FAILED' after the "
            f"trace, observed {quote(text[end:].strip().encode())}"
        )
    return Printed(transitions, _ENDINGS[ending[1]])


def _refuse(word: str) -> NoReturn:
    raise Breach(f"the trace is not valid JSON: {word} is no number")


def _no_json(error: Exception, text: str) -> str:
    if not isinstance(error, json.JSONDecodeError):
        return "the trace is not valid JSON: it is nested too deeply"
    near = text[max(0, error.pos - 20) : error.pos + 20]
    return (
        f"the trace is not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}, "
        f"near {near!r}; what is not plain in a detail has to be escaped"
    )


def read_codes(text: str, nodes: Sequence[str]) -> tuple[ReportedCode, ...]:
    """Return the codes that ``run`` without ``--trace`` prints below its table of states."""
    return tuple(_codes(text, frozenset(nodes)))


def _codes(text: str, nodes: frozenset[str]) -> Iterator[ReportedCode]:
    for line in text.splitlines():
        match = _CODE.fullmatch(line)
        if match is not None and match[1] in nodes:
            yield ReportedCode(match[2], match[1])
