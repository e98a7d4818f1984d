"""``hxconf run``: execute one document on any runtime, and show what became of it."""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

import msgspec

from comparator.observation import Observation
from comparator.trace import LoopStep, Transition
from suite.cli import embedded
from suite.cli.plan_files import Outline, outline_of, plan_from
from suite.cli.undeclared import undeclared
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

#: Iterations of one node that are listed, and failures of it; of more only numbers are.
_LISTED: Final = 10

#: Characters of a name up to which the states stand in one column.
_WIDE: Final = 40

_EPILOG: Final = """\
PLAN is TOML as in case files ([steps], docs/formats.md), our JSON form, or one directive a line
as the published command-line runtime reads them: node[@attempt] ok key=value …, fail [class]
[message …], timeout. The suffix decides, else the content. Without a plan every step succeeds
with one value for each output, by its type.

Failures are shown with node, iteration and, where there was more than one, attempt. With --trace
the codes that belong to no transition go to standard error. Names in PLAN that no document
declares are warned about there, and change no exit code.

Documents that subworkflows name by a relative URI are read from files beside DOCUMENT, others
from --companion; nothing is fetched.

The embedded runtime plays the plan in a process of its own. With --runtime, --hx-python or
--hx-in-process it goes by the protocol. Either way, times of an hour and more pass only when
nothing else is left to happen.

exit codes: 0 the run succeeded, 1 it ended otherwise, could not end, or the document is invalid,
4 usage or the adapter did not start"""


def main(arguments: Sequence[str]) -> int:
    """Run a document; show final states, outcome and codes, or the trace."""
    options = _parser().read(arguments)
    _check(options)
    by_protocol = options.runtime or options.hx_in_process or options.hx_python
    if options.all_schedules or not by_protocol:
        code = _play(options)
        if options.plan is not None:
            _warn_unread(options)
        return code
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
            at_last=True,
        ) as runtime:
            exchange = runtime.run(document, companions, plan, settings.limit)
            observation = observe(exchange.transcript, runtime.description, text=False)
    except (SettingError, TargetError, AdapterDidNotStart) as error:
        raise UsageError(f"run: {error}") from error
    code = _show(options, exchange, observation, outline)
    _warn(options.plan, plan, (document, *companions.values()))
    return code


def _warn(path: Path | None, plan: Plan, documents: Sequence[bytes]) -> None:
    for line in undeclared(plan, documents) if path is not None else ():
        sys.stderr.write(f"warning: {path}: {printable(line)}\n")


def _warn_unread(options: Any) -> None:
    """Warn about a plan that only the embedded runtime has read, unless it has forms of its own."""
    try:
        document = _read(options.document)
        plan = _plan(options.plan, outline_of(document))
        companions = _companions(options.document, document, options.companion)
    except UsageError:
        return
    _warn(options.plan, plan, (document, *companions.values()))


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
    parser.add_argument("--runtime", metavar="TARGET", help="as with pytest; default: embedded")
    parser.add_argument("--hx-python", metavar="EXE", help="interpreter of a Python adapter")
    parser.add_argument("--hx-in-process", action="store_true", help="a Python adapter in here")
    parser.add_argument("--hx-settle", metavar="SECONDS", help="silence that counts as idle")
    parser.add_argument("--hx-limit", metavar="SECONDS", default="300", help="limit of the run")
    return parser


def _settings(options: Any) -> Settings:
    names = ("hx_python", "hx_in_process", "hx_settle", "hx_limit")
    fields = {name.replace("_", "-"): getattr(options, name) for name in names}
    fields["runtime"] = options.runtime or _EMBEDDED
    if options.seed is not None:
        fields["runtime"] = f"{_EMBEDDED}:random_{options.seed}"
    try:
        return read_settings(fields)
    except SettingError as error:
        raise UsageError(f"run: {error}") from error


def _check(options: Any) -> None:
    """Refuse orders that cannot be had."""
    for option, given in (
        ("--seed", options.seed is not None),
        ("--all-schedules", options.all_schedules),
    ):
        if given and options.runtime not in {None, _EMBEDDED}:
            raise UsageError(
                f"run: {option}: only the embedded runtime can be told its order; leave out "
                "--runtime"
            )
    if options.seed is not None and options.seed < 0:
        raise UsageError(f"run: --seed: expected 0 or more, observed {options.seed}")


def _play(options: Any) -> int:
    """Let the embedded runtime play the plan by itself, or try every order."""
    words = [f"--companion={text}" for text in options.companion]
    words += [] if options.plan is None else [f"--plan={options.plan}"]
    words += [] if options.seed is None else [f"--seed={options.seed}"]
    words += ["--trace"] if options.trace else []
    words += ["--all-schedules"] if options.all_schedules else []
    words += ["--", str(options.document)]
    if options.all_schedules:
        return embedded.play(words)
    return embedded.play(words, trace=options.trace, limit=_settings(options).limit)


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
    reported = list(_reported(exchange))
    if options.trace:
        say(msgspec.json.format(msgspec.json.encode(observation.trace), indent=1).decode())
        for _, line in reported:
            sys.stderr.write(f"{printable(line)}\n")
    else:
        for line in _states(observation, outline, reported):
            say(printable(line))
    if exchange.kind != "ended":
        sys.stderr.write(f"{exchange.kind}: {exchange.detail}\n")
        return EXIT["failed"]
    return EXIT["ok"] if observation.trace.outcome == "succeeded" else EXIT["failed"]


def _reported(exchange: Exchange) -> Iterator[tuple[str, str]]:
    """Yield node and line of the codes that belong to no transition, claimed or not (§14.4)."""
    for entry in exchange.transcript.entries:
        if entry.source == "runtime" and entry.message.get("type") == "end":
            for told in entry.message.get("codes", ()):
                node = told.get("node") or "the run"
                yield node, f"{node}: {told['code']}"


def _states(
    observation: Observation, outline: Outline | None, reported: Sequence[tuple[str, str]]
) -> Iterator[str]:
    """Yield final states in the order of the document, codes, and the outcome."""
    ends: dict[str, dict[tuple[LoopStep, ...], str]] = {}
    for name in outline.nodes if outline else ():
        ends[name] = {}
    for seen in observation.trace.transitions:
        ends.setdefault(seen.node, {})[seen.iteration] = seen.to
    rows = [row for node, states in ends.items() for row in _rows(node, states)]
    width = max((len(name) for name, _ in rows if len(name) <= _WIDE), default=0)
    for name, state in rows:
        yield f"{name:<{width}}  {state}"
    yield from _failures(observation.trace.transitions)
    told: dict[str, int] = {}
    for (node, line), number in Counter(reported).items():
        told[node] = told.get(node, 0) + 1
        if told[node] <= _LISTED:
            yield f"  {line}" + (f" ({number} times)" if number > 1 else "")
    yield from _unlisted(told)
    yield f"outcome: {observation.trace.outcome or 'none'}"


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


def _failures(transitions: Sequence[Transition]) -> Iterator[str]:
    """Yield what failed, of each node the first times, with code or else class and message.

    Where a node was tried more than once, each line has the attempt (§14.4).
    """
    told: dict[str, int] = {}
    again = {(seen.node, seen.iteration) for seen in transitions if (seen.attempt or 0) > 1}
    for seen in transitions:
        if seen.to != "FAILED" and seen.code is None:
            continue
        told[seen.node] = told.get(seen.node, 0) + 1
        if told[seen.node] <= _LISTED:
            why = (seen.code or seen.error_class, seen.message)
            words = " ".join(part for part in why if part)
            repeated = seen.attempt and (seen.node, seen.iteration) in again
            attempt = f"@{seen.attempt}" if repeated else ""
            yield f"  {_address(seen.node, seen.iteration)}{attempt}: {words}"
    yield from _unlisted(told)


def _unlisted(told: Mapping[str, int]) -> Iterator[str]:
    """Yield how many lines were left out of those about each node."""
    for node, number in told.items():
        if number > _LISTED:
            yield f"  {node}[…]: {number - _LISTED} more like these"


def _address(node: str, iteration: tuple[LoopStep, ...]) -> str:
    return node + (f"[{','.join(str(step.index) for step in iteration)}]" if iteration else "")
