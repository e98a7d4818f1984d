"""``hxconf smoke``: eight scenarios from trivial to one retry, and what to write next."""

import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from suite.cli.words import Arguments, UsageError, corpus_or_exit, say
from suite.protocol.exchange import AdapterDidNotStart, printable
from suite.runner.runner import Execution, Runner
from suite.runner.settings import SettingError, read_settings
from suite.verdict.status import EXIT, STATUSES

__all__ = ["LADDER", "Rung", "main", "proposed_limit"]


class Rung(NamedTuple):
    """One scenario of the ladder.

    Attributes:
        scenario: its id.
        says: what a runtime that passes it can do.
        next: what to write for it.
    """

    scenario: str
    says: str
    next: str


LADDER: Final = (
    Rung(
        "valid/structure/single-node",
        "a document of one node is valid",
        "Answer validate: decode the document and return no findings (docs/protocol.md).",
    ),
    Rung(
        "execution/smoke/one-node.trace",
        "one node runs to its end",
        "Answer run: report PENDING→READY→RUNNING, invoke the step, and when its outcome comes "
        "report RUNNING→SUCCEEDED and send end (§6.2).",
    ),
    Rung(
        "execution/joins/all-diamond.trace",
        "a join waits for all of its edges",
        "Start the nodes without incoming edges (§5.2) and move a node to READY when all edges "
        "into it are satisfied (§5.3.1).",
    ),
    Rung(
        "execution/flow/ports-bound-by-name.calls",
        "values travel along data edges",
        "Keep what a step answers as outputs and hand it to the inputs named by the data edges "
        "(§5.5, §5.6).",
    ),
    Rung(
        "execution/guards/skipped-successors-run.trace",
        "a false guard skips a node and its successors run",
        "Evaluate guard/@when before anything else; false is READY→SKIPPED, which satisfies "
        "edges like a success (§5.5, §6.3).",
    ),
    Rung(
        "execution/decisions/first-true-case.trace",
        "a decision routes to one target, the others stay PENDING",
        "Choose the first true case (§7.1.3); what no path reaches stays PENDING (§5.3.3).",
    ),
    Rung(
        "execution/errors/all-error-edges-taken.trace",
        "a failure goes along the error edges",
        "On an outcome fail report RUNNING→FAILED and move the targets of the error edges to "
        "READY (§5.8).",
    ),
    Rung(
        "execution/retry/handler-after-last-attempt.recovered",
        "a failed attempt is retried",
        "With retry/@maxAttempts left report RUNNING→RETRYING→READY→RUNNING and invoke the step "
        "again (§6.2, §8.1).",
    ),
)

_EPILOG: Final = """\
exit codes: 0 all eight pass, 1 one fails, 3 fault of the suite, 4 usage or the adapter did not
start, 5 nothing could be run"""

#: The limit that is proposed is so many times the slowest case, and at least so many seconds.
_AMPLE: Final = 20
_LEAST: Final = 1


def main(arguments: Sequence[str]) -> int:
    """Run the ladder; tell after each failure what to write next."""
    parser = Arguments("smoke", "Run eight scenarios, from trivial to one retry.", _EPILOG)
    parser.add_argument("--runtime", metavar="TARGET", required=True, help="as with pytest")
    parser.add_argument("--hx-python", metavar="EXE", help="interpreter of a Python adapter")
    parser.add_argument("--hx-in-process", action="store_true", help="a Python adapter in here")
    parser.add_argument("--hx-settle", metavar="SECONDS", help="silence that counts as idle")
    parser.add_argument("--hx-limit", metavar="SECONDS", help="limit of one case")
    options = parser.parse_args(arguments)
    corpus = corpus_or_exit()
    try:
        settings = read_settings({k.replace("_", "-"): v for k, v in vars(options).items()})
        runner = Runner(corpus, settings)
    except SettingError as error:
        raise UsageError(f"smoke: {error}") from error
    try:
        described = runner.start()
        say(f"runtime: {described.name} {described.version} ({settings.target})")
        done = []
        for number, rung in enumerate(LADDER, 1):
            execution = runner.execute(corpus.scenarios[rung.scenario])
            done.append(execution)
            for line in _told(number, rung, execution):
                say(line)
    except (SettingError, AdapterDidNotStart) as error:
        raise UsageError(f"smoke: {error}") from error
    finally:
        runner.close()
    for line in _end(done):
        say(line)
    if not any(execution.exchange for execution in done):
        return EXIT["nothing"]
    red = any(STATUSES[execution.verdict.status].red for execution in done)
    return EXIT["failed"] if red else EXIT["ok"]


def proposed_limit(executions: Sequence[Execution]) -> int:
    """Return whole seconds that are ample for a case, judged by those that passed."""
    slowest = max(
        (e.exchange.seconds for e in executions if e.exchange and e.verdict.status == "pass"),
        default=0.0,
    )
    return max(_LEAST, math.ceil(_AMPLE * slowest))


def _told(number: int, rung: Rung, execution: Execution) -> Iterator[str]:
    verdict = execution.verdict
    seconds = f" ({execution.exchange.seconds:.3f} s)" if execution.exchange else ""
    yield f"{number}. {verdict.status}: {rung.says}{seconds}"
    if verdict.status == "pass":
        return
    for line in verdict.text or (verdict.reason,):
        yield f"   {printable(line)}"
    if STATUSES[verdict.status].red:
        for line in (execution.exchange.stderr_tail if execution.exchange else "").splitlines()[
            -5:
        ]:
            yield f"   stderr: {line}"
        yield f"   write next: {rung.next}"
        yield f"   look at it: hxconf case {rung.scenario}"


def _end(done: Sequence[Execution]) -> Iterator[str]:
    passed = sum(execution.verdict.status == "pass" for execution in done)
    yield f"{passed} of {len(done)} pass"
    if passed:
        yield f"a limit of --hx-limit={proposed_limit(done)} is ample for one case"
    if passed == len(done):
        yield "go on with pytest --runtime=… -k joins, then all of it: docs/adapter.md"
