"""``hxconf validate``: findings about documents, for people or as JSON, from any runtime."""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from suite.cli.together import Given, companions_of
from suite.cli.words import Arguments, UsageError, flush, say
from suite.protocol.exchange import AdapterDidNotStart, TargetError, printable
from suite.protocol.messages import Finding
from suite.protocol.runtime import AnyRuntime, open_runtime
from suite.runner.settings import SettingError, read_settings

__all__ = ["EXIT_CODES", "MOST_BYTES", "main"]

#: Exit codes of a validator (§14.7); they are not those of the other commands.
EXIT_CODES: Final = {"valid": 0, "invalid": 1, "tool-failure": 2}

#: Most of a file that is read; no runtime is asked about more.
MOST_BYTES: Final = 32 * 1024 * 1024

#: Without a limit of the user's, a runtime has so much longer for large documents.
_BYTES_PER_SECOND: Final = 250_000

_STDIN: Final = "-"

_DEFAULT: Final = "adapter:reference_runtime"

_EPILOG: Final = """\
FILE is a document, - the standard input, whose references start from the current folder.
Documents that are given together may use each other as subworkflows, by any spelling of their
names; no other file is read, and nothing of the network (§13.4).

With --json: a list with an object for each FILE, in the order given:
  {"file": NAME, "valid": true or false, "findings": [FINDING, ...]}, or
  {"file": NAME, "failure": "why there is no verdict"}
A FINDING has "code" (HX-nnnn), "severity" ("error" or "warning"), "message", and what is known of
"line", "column" (both from 1), "near" (the nearest id) and "value" (the offending text).

exit codes (§14.7): 0 all documents are valid (warnings allowed), 1 one is invalid, 2 a file
could not be read, the runtime gave no verdict, or the command was called wrongly"""


class _Document(NamedTuple):
    """A file that was read: its name as it was given, and its bytes."""

    name: str
    data: bytes


class _Verdict(NamedTuple):
    """What is known about a file: findings, or the line that says why there are none."""

    name: str
    findings: tuple[Finding, ...] = ()
    failure: str = ""

    @property
    def status(self) -> str:
        """Key of ``EXIT_CODES``."""
        if self.failure:
            return "tool-failure"
        return "invalid" if any(f.severity == "error" for f in self.findings) else "valid"


class _UnreadableError(Exception):
    """A file of which there are no bytes; the text is one line."""


def main(arguments: Sequence[str]) -> int:
    """Print what is wrong with each document; the exit code is that of the worst."""
    try:
        return _validate(arguments)
    except UsageError as error:
        sys.stderr.write(f"hxconf: {' '.join(str(error).split())}\n")
        return EXIT_CODES["tool-failure"]


def _validate(arguments: Sequence[str]) -> int:
    parser = Arguments("validate", "Say what is wrong with documents.", _EPILOG)
    parser.add_argument("files", metavar="FILE", nargs="+", help="a document, or -")
    parser.add_argument("--runtime", metavar="TARGET", default=_DEFAULT, help="as with pytest")
    parser.add_argument("--json", action="store_true", help="one JSON list for all documents")
    parser.add_argument("--hx-python", metavar="EXE", help="interpreter of a Python adapter")
    parser.add_argument("--hx-in-process", action="store_true", help="a Python adapter in here")
    parser.add_argument(
        "--hx-limit",
        metavar="SECONDS",
        help="limit of one document; default: 10, and more for large ones",
    )
    options = vars(parser.read(arguments))
    names, as_json = list(dict.fromkeys(options.pop("files"))), options.pop("json")
    own_limit = options["hx_limit"] is not None
    documents, unread = _read_all(names)
    judged = dict(unread)
    if documents:
        try:
            settings = read_settings({key.replace("_", "-"): v for key, v in options.items()})
            runtime = open_runtime(
                settings.target, python=settings.python, in_process=settings.in_process
            )
        except (SettingError, TargetError, AdapterDidNotStart) as error:
            raise UsageError(f"validate: {error}") from error
        with runtime:
            given = [Given(_path_of(document), document.data) for document in documents]
            for document, companions in zip(documents, companions_of(given), strict=True):
                sent = len(document.data) + sum(map(len, companions.values()))
                limit = settings.limit + (0 if own_limit else sent / _BYTES_PER_SECOND)
                judged[document.name] = _judge(runtime, document, companions, limit)
    verdicts = [judged[name] for name in names]
    _show(verdicts, as_json=as_json)
    flush()
    return max(EXIT_CODES[verdict.status] for verdict in verdicts)


def _read_all(names: Sequence[str]) -> tuple[list[_Document], dict[str, _Verdict]]:
    """Read what can be read, and keep a verdict for the rest."""
    documents, unread = [], {}
    for name in names:
        try:
            documents.append(_Document(name, _read(name)))
        except _UnreadableError as error:
            unread[name] = _Verdict(name, failure=str(error))
    return documents, unread


def _read(name: str) -> bytes:
    if not name:
        raise _UnreadableError("an empty name is no name of a file")
    try:
        if name == _STDIN and sys.stdin is None:
            raise _UnreadableError("standard input is closed")
        if name == _STDIN:
            data = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(MOST_BYTES + 1)
    except IsADirectoryError as error:
        raise _UnreadableError("Is a directory: name the documents in it") from error
    except OSError as error:
        raise _UnreadableError(error.strerror or "cannot be read") from error
    except ValueError as error:
        raise _UnreadableError(f"no name of a file: {error}") from error
    if len(data) > MOST_BYTES:
        raise _UnreadableError(f"more than {MOST_BYTES} bytes, which is more than is read")
    return data


def _path_of(document: _Document) -> str | None:
    return None if document.name == _STDIN else document.name


def _judge(
    runtime: AnyRuntime, document: _Document, companions: Mapping[str, bytes], limit: float
) -> _Verdict:
    try:
        exchange = runtime.validate(document.data, companions, limit)
    except AdapterDidNotStart as error:
        return _Verdict(document.name, failure=f"no verdict: {error}")
    if exchange.kind != "findings":
        words = [exchange.kind, exchange.detail, exchange.stderr_tail.strip().rpartition("\n")[2]]
        told = ": ".join(" ".join(word.split()) for word in words if word)
        return _Verdict(document.name, failure=f"no verdict: {told}")
    return _Verdict(document.name, exchange.findings)


def _show(verdicts: Sequence[_Verdict], *, as_json: bool) -> None:
    if as_json:
        say(msgspec.json.format(msgspec.json.encode([_fields(v) for v in verdicts])).decode())
    for verdict in verdicts:
        for line in () if as_json else _lines(verdict):
            say(line)
        if verdict.failure:
            line = printable(f"{verdict.name or repr('')}: {verdict.failure}").replace("\n", " ")
            sys.stderr.write(f"hxconf: validate: {line}\n")
    if len(verdicts) > 1 and not as_json and not all(verdict.failure for verdict in verdicts):
        say(_total(verdicts))


def _total(verdicts: Sequence[_Verdict]) -> str:
    """One line about several documents."""
    words = {"valid": "valid", "invalid": "invalid", "tool-failure": "without verdict"}
    counts = Counter(verdict.status for verdict in verdicts)
    told = ", ".join(f"{counts[status]} {word}" for status, word in words.items() if counts[status])
    return f"{len(verdicts)} documents: {told}"


def _fields(verdict: _Verdict) -> Mapping[str, Any]:
    name = verdict.name.encode(errors="backslashreplace").decode()
    if verdict.failure:
        return {"file": name, "failure": verdict.failure}
    valid = verdict.status == "valid"
    findings = [
        {"code": one.code, "severity": one.severity, **msgspec.to_builtins(one)}
        for one in verdict.findings
    ]
    return {"file": name, "valid": valid, "findings": findings}


def _lines(verdict: _Verdict) -> Iterator[str]:
    """Yield a block for each finding, and the result."""
    if verdict.failure:
        return
    name = printable(verdict.name).replace("\n", "\\n")
    for finding in verdict.findings:
        place = ":".join(str(part) for part in (finding.line, finding.column) if part is not None)
        head = f"{name}:{place}" if place else name
        message = printable(" ".join((finding.message or "").split()))
        yield f"{head} {finding.severity} {printable(finding.code)} {message}".rstrip()
        for word, text in (("near", finding.near), ("value", finding.value)):
            # The published program tells all three in one sentence.
            if text and text != finding.message:
                yield f"    {word}: {printable(' '.join(text.split()))}"
    counts = [
        f"{count} {severity}{'s' * (count != 1)}"
        for severity in ("error", "warning")
        if (count := sum(f.severity == severity for f in verdict.findings))
    ]
    if verdict.status == "valid":
        yield f"{name}: valid" + (f" ({counts[0]})" if counts else "")
    else:
        yield f"{name}: invalid ({', '.join(counts)})"
