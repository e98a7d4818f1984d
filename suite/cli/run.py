"""``hxconf run``: execute one document on any runtime, and show what became of it."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

import msgspec

from comparator.observation import Observation
from comparator.trace import LoopStep, Transition
from suite.cli.plan_files import Outline, outline_of, plan_from
from suite.cli.words import Arguments, UsageError, say
from suite.corpus.plan import Plan, PlanError
from suite.protocol.exchange import AdapterDidNotStart, Exchange, TargetError, printable
from suite.protocol.runtime import open_runtime
from suite.protocol.wire import Bounds
from suite.runner.settings import SettingError, Settings, read_settings
from suite.verdict.observe import observe
from suite.verdict.status import EXIT

__all__ = ["main"]

_EMBEDDED: Final = "adapter:reference_runtime"

#: A document of one's own may be long; 100,000 nodes send about 80 MB.
_AMPLE: Final = Bounds(request=1 << 30)

#: Iterations of one node that are listed; of more only the numbers by state are.
_LISTED: Final = 10

_EPILOG: Final = """\
PLAN is TOML as in case files ([steps], docs/formats.md), our JSON form, or one directive a line
as the published command-line runtime reads them: node[@attempt] ok key=value …, fail [class]
[message …], timeout. The suffix decides, else the content. Without a plan every step succeeds
with one value for each output, by its type.

Documents that subworkflows name by a relative URI are read from files beside DOCUMENT, others
from --companion; nothing is fetched.

exit codes: 0 the run succeeded, 1 it ended otherwise, could not end, or the document is invalid,
4 usage or the adapter did not start"""


def main(arguments: Sequence[str]) -> int:
    """Run a document; show final states, outcome and codes, or the trace."""
    options = _parser().parse_args(arguments)
    if options.all_schedules:
        return _all_schedules(options)
    document = _read(options.document)
    outline = outline_of(document)
    plan = _plan(options.plan, outline)
    companions = _companions(options.document, document, options.companion)
    settings = _settings(options)
    try:
        with open_runtime(
            settings.target,
            python=settings.python,
            in_process=settings.in_process,
            settle=settings.settle,
            bounds=_AMPLE,
        ) as runtime:
            exchange = runtime.run(document, companions, plan, settings.limit)
            observation = observe(exchange.transcript, runtime.description, text=False)
    except (SettingError, TargetError, AdapterDidNotStart) as error:
        raise UsageError(f"run: {error}") from error
    return _show(options, exchange, observation, outline)


def _parser() -> Arguments:
    parser = Arguments("run", "Execute one document and show what became of it.", _EPILOG)
    parser.add_argument("document", metavar="DOCUMENT", type=Path)
    parser.add_argument("--plan", metavar="FILE", type=Path, help="what each attempt answers")
    order = parser.add_mutually_exclusive_group()
    order.add_argument("--seed", metavar="N", type=int, help="another legal order of ready nodes")
    order.add_argument(
        "--all-schedules", action="store_true", help="sum up what every legal order leads to"
    )
    parser.add_argument("--trace", action="store_true", help="show the trace as JSON instead")
    parser.add_argument(
        "--companion",
        metavar="URI=FILE",
        action="append",
        default=[],
        help="document that a subworkflow names by this URI",
    )
    parser.add_argument("--runtime", metavar="TARGET", default=_EMBEDDED, help="as with pytest")
    parser.add_argument("--hx-python", metavar="EXE", help="interpreter of a Python adapter")
    parser.add_argument("--hx-in-process", action="store_true", help="a Python adapter in here")
    parser.add_argument("--hx-settle", metavar="SECONDS", help="silence that counts as idle")
    parser.add_argument("--hx-limit", metavar="SECONDS", default="300", help="limit of the run")
    return parser


def _settings(options: Any) -> Settings:
    names = ("runtime", "hx_python", "hx_in_process", "hx_settle", "hx_limit")
    fields = {name.replace("_", "-"): getattr(options, name) for name in names}
    if options.seed is not None:
        _only_embedded(options, "--seed")
        if options.seed < 0:
            raise UsageError(f"run: --seed: expected 0 or more, observed {options.seed}")
        fields["runtime"] = f"{_EMBEDDED}:random_{options.seed}"
    try:
        return read_settings(fields)
    except SettingError as error:
        raise UsageError(f"run: {error}") from error


def _only_embedded(options: Any, option: str) -> None:
    if options.runtime != _EMBEDDED:
        raise UsageError(
            f"run: {option}: only the embedded runtime can be told its order; leave out --runtime"
        )


def _all_schedules(options: Any) -> int:
    """Let the embedded runtime search, in a process of its own: we know it by protocol only."""
    _only_embedded(options, "--all-schedules")
    words = [sys.executable, "-m", "reference_runtime", "run", str(options.document)]
    words += ["--all-schedules", *(["--trace"] if options.trace else [])]
    words += [] if options.plan is None else ["--plan", str(options.plan)]
    words += [f"--companion={text}" for text in options.companion]
    sys.stdout.flush()
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    sys.stdout.write(done.stdout)
    if done.returncode not in {0, 1}:
        told = done.stderr.strip().splitlines() or ["no reason given"]
        raise UsageError(f"run: {told[-1].removeprefix('reference_runtime: ')}")
    return EXIT["failed"] if done.returncode else EXIT["ok"]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"run: {path}: {error.strerror}") from error


def _plan(path: Path | None, outline: Outline | None) -> Plan:
    try:
        if path is None:
            return plan_from("", "", outline)
        return plan_from(_read(path).decode(), path.suffix, outline)
    except UnicodeDecodeError as error:
        raise UsageError(f"run: {path}: not UTF-8 at byte {error.start}") from error
    except PlanError as error:
        raise UsageError(f"run: {path}: {error}") from error


def _companions(path: Path, document: bytes, named: Sequence[str]) -> dict[str, bytes]:
    """Read documents that were named, and files beside that relative URIs lead to."""
    found: dict[str, bytes] = {}
    for text in named:
        uri, equals, file = text.rpartition("=")
        if not equals or not uri:
            raise UsageError(f"run: --companion: expected URI=FILE, observed {text!r}")
        found[uri] = _read(Path(file))
    waiting = [("", document), *found.items()]
    for base, content in waiting:
        outline = outline_of(content)
        for href in outline.hrefs if outline else ():
            uri = href if href in found else urljoin(base, href)
            beside = path.parent / uri
            if uri in found or urlsplit(uri).scheme or uri.startswith("/") or not beside.is_file():
                continue
            found[uri] = _read(beside)
            waiting.append((uri, found[uri]))
    return found


def _show(
    options: Any, exchange: Exchange, observation: Observation, outline: Outline | None
) -> int:
    if exchange.kind == "findings":
        for finding in exchange.findings:
            place = f"{options.document}:{finding.line}" if finding.line else options.document
            say(printable(f"{finding.code}  {place}  {finding.severity}"))
            say(printable(f"  {finding.message or finding.value or ''}").rstrip())
        return EXIT["failed"]
    if options.trace:
        say(msgspec.json.format(msgspec.json.encode(observation.trace), indent=1).decode())
    else:
        for line in _states(observation, outline):
            say(printable(line))
    if exchange.kind != "ended":
        sys.stderr.write(f"{exchange.kind}: {exchange.detail}\n")
        return EXIT["failed"]
    return EXIT["ok"] if observation.trace.outcome == "succeeded" else EXIT["failed"]


def _states(observation: Observation, outline: Outline | None) -> Iterator[str]:
    """Yield final states in the order of the document, codes, and the outcome."""
    ends: dict[str, dict[tuple[LoopStep, ...], str]] = {}
    for name in outline.nodes if outline else ():
        ends[name] = {}
    for seen in observation.trace.transitions:
        ends.setdefault(seen.node, {})[seen.iteration] = seen.to
    rows = [row for node, states in ends.items() for row in _rows(node, states)]
    width = max((len(name) for name, _ in rows), default=0)
    for name, state in rows:
        yield f"{name:<{width}}  {state}"
    for seen in observation.trace.transitions:
        if seen.to == "FAILED" or seen.code is not None:
            why = (seen.code, seen.error_class if seen.code is None else None, seen.message)
            yield f"  {_name(seen)}: {' '.join(part for part in why if part)}"
    for report in observation.reports or ():
        yield f"  {report.node or 'the run'}: {report.code}"
    yield f"outcome: {observation.trace.outcome or 'not told'}"


def _rows(node: str, states: dict[tuple[LoopStep, ...], str]) -> Iterator[tuple[str, str]]:
    if not states:
        yield node, "PENDING"
    elif len(states) <= _LISTED:
        for iteration, state in states.items():
            yield _address(node, iteration), state
    else:
        counts: dict[str, int] = {}
        for state in states.values():
            counts[state] = counts.get(state, 0) + 1
        told = ", ".join(f"{number} {state}" for state, number in counts.items())
        yield f"{node}[…]", f"{told} in {len(states)} iterations"


def _name(seen: Transition) -> str:
    return _address(seen.node, seen.iteration)


def _address(node: str, iteration: tuple[LoopStep, ...]) -> str:
    return node + (f"[{','.join(str(step.index) for step in iteration)}]" if iteration else "")
