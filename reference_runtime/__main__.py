"""Command line of the reference runtime: ``python -m reference_runtime run DOCUMENT``."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

from reference_runtime.document.model import Harness
from reference_runtime.engine.graph import UnsupportedError
from reference_runtime.exploration import BOUND, explore, summary
from reference_runtime.plans import Plan, PlanError, read_plan
from reference_runtime.public_plans import read_public_plan
from reference_runtime.scheduler import SeededRandom
from reference_runtime.script import Played, StuckError, play
from reference_runtime.trace import report_fields, transition_fields
from reference_runtime.validation import Validated, validate

__all__ = ["main"]


class _UsageError(Exception):
    """The user asked for something that cannot be done; one line."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        raise _UsageError(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m reference_runtime",
        description="Reference runtime of HarnessXML 1.0.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="execute a document and print its final states")
    run.add_argument("document", type=Path)
    plans = run.add_mutually_exclusive_group()
    plans.add_argument("--plan", type=Path, metavar="FILE", help="plan in the suite's JSON form")
    plans.add_argument(
        "--public-plan",
        type=Path,
        metavar="FILE",
        help="plan in the syntax of the published command-line runtime",
    )
    run.add_argument(
        "--seed", type=int, metavar="N", help="random order of ready nodes; default: document order"
    )
    run.add_argument("--trace", action="store_true", help="print the trace as JSON instead")
    run.add_argument(
        "--all-schedules", action="store_true", help="print every outcome that an order can lead to"
    )
    run.add_argument(
        "--bound",
        type=_positive,
        metavar="N",
        help=f"most runs for --all-schedules; default: {BOUND}",
    )
    return parser


def _positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a number above 0, observed {text!r}")
    return number


def _check(options: argparse.Namespace) -> None:
    """Refuse options that say nothing together."""
    if options.all_schedules and options.seed is not None:
        raise _UsageError("--seed: --all-schedules tries every order already")
    if options.bound is not None and not options.all_schedules:
        raise _UsageError("--bound: it limits --all-schedules, which is missing")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise _UsageError(f"{path}: {error.strerror}") from error


def _text(path: Path) -> str:
    try:
        return _read(path).decode()
    except UnicodeDecodeError as error:
        raise _UsageError(f"{path}: not UTF-8 at byte {error.start}") from error


def _plan(options: argparse.Namespace, harness: Harness) -> Plan:
    """Read the plan that was named; without one every node succeeds with default outputs."""
    if options.plan is None:
        path = options.public_plan
        text = "" if path is None else _text(path)
        try:
            return read_public_plan(text, harness)
        except PlanError as error:
            raise _UsageError(f"{path}: {error}") from error
    try:
        return read_plan(json.loads(_text(options.plan)))
    except json.JSONDecodeError as error:
        raise _UsageError(f"{options.plan}: line {error.lineno}: {error.msg}") from error
    except PlanError as error:
        raise _UsageError(f"{options.plan}: {error}") from error


def _print_findings(path: Path, verdict: Validated) -> None:
    for finding in verdict.findings:
        place = f"{path}:{finding.line}" if finding.line else str(path)
        print(f"{finding.code}  {place}  {finding.severity}\n  {finding.message}")


def _print_states(played: Played) -> None:
    width = max(len(node) for node in played.states)
    for node, state in played.states.items():
        print(f"{node:<{width}}  {state}")
    for transition in played.transitions():
        if transition.code is not None:
            print(f"  {transition.node}: {transition.code} {transition.message}")
    for report in played.reports():
        print(f"  {report.node}: {report.code} {report.message}")
    print(f"outcome: {played.outcome}")


def _trace(played: Played) -> dict[str, Any]:
    return {
        "transitions": [transition_fields(transition) for transition in played.transitions()],
        "outcome": played.outcome,
        "codes": [report_fields(report) for report in played.reports()],
    }


def _print_trace(played: Played) -> None:
    print(json.dumps(_trace(played), indent=1))


def _explore(options: argparse.Namespace, harness: Harness, plan: Plan) -> int:
    """Print every distinct behaviour; 0 if these are all and each of them succeeded."""
    bound = options.bound or BOUND
    explored = explore(harness, plan, bound=bound)
    if options.trace:
        traces = [_trace(behaviour.played) for behaviour in explored.behaviours]
        found = {"complete": explored.complete, "runs": explored.runs, "behaviours": traces}
        print(json.dumps(found, indent=1))
    else:
        for line in summary(explored, bound):
            print(line)
    succeeded = all(found.played.outcome == "succeeded" for found in explored.behaviours)
    return 0 if explored.complete and succeeded else 1


def _run(options: argparse.Namespace) -> int:
    _check(options)
    verdict = validate(_read(options.document))
    if verdict.harness is None:
        _print_findings(options.document, verdict)
        return 1
    plan = _plan(options, verdict.harness)
    scheduler = None if options.seed is None else SeededRandom(options.seed)
    try:
        if options.all_schedules:
            return _explore(options, verdict.harness, plan)
        played = play(verdict.harness, plan, scheduler=scheduler, seed=options.seed or 0)
    except UnsupportedError as error:
        raise _UsageError(f"{options.document}: {error}") from error
    except StuckError as error:
        print(f"{options.document}: {error}", file=sys.stderr)
        return 1
    (_print_trace if options.trace else _print_states)(played)
    return 0 if played.outcome == "succeeded" else 1


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code.

    0 the instance succeeded, 1 it ended otherwise or the document is invalid, 2 wrong usage.
    With --all-schedules 0 means that it succeeds in every order, and all of them were covered.
    """
    try:
        code = _run(_parser().parse_args(arguments))
        sys.stdout.flush()
    except _UsageError as error:
        print(f"reference_runtime: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Who reads has seen enough; nothing more is written, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


if __name__ == "__main__":
    sys.exit(main())
