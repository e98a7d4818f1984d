"""Command line of the reference runtime: ``python -m reference_runtime run DOCUMENT``.

``run`` executes a document and shows final states, outcome and codes, or the trace. ``explain``
says what each node waits for, and why it ended as it did.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

from reference_runtime.document.model import Harness
from reference_runtime.engine.graph import UnsupportedError
from reference_runtime.explaining import explain, final_states
from reference_runtime.exploration import BOUND, explore, summary
from reference_runtime.given import GivenError, read_companions, read_file, read_plan_of
from reference_runtime.plans import Plan
from reference_runtime.scheduler import SeededRandom
from reference_runtime.script import Played, Script, StuckError
from reference_runtime.trace import told_report, transition_fields
from reference_runtime.validation import Validated, validate

__all__ = ["main"]


class _UsageError(Exception):
    """The user asked for something that cannot be done; one line."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        raise _UsageError(message)


def _parse(words: list[str], options: argparse.Namespace) -> None:
    """Read a command line; options of a command may stand before, between and after the rest.

    What follows ``--`` is no option, which only the plain way of parsing knows.
    """
    parser, commands = _parsers()
    command = commands.get(words[0]) if words else None
    if command is None or "--" in words:
        parser.parse_args(words, options)
    else:
        command.parse_intermixed_args(words[1:], options)


def _parsers() -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """Make the parser of the whole, and those of the commands by name."""
    parser = _Parser(
        prog="python -m reference_runtime",
        description="Reference runtime of HarnessXML 1.0.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="execute a document and print its final states")
    _add_document(run)
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
    run.set_defaults(perform=_run)
    why = commands.add_parser(
        "explain", help="say what each node waits for, and why it ended as it did"
    )
    _add_document(why)
    why.add_argument("node", nargs="*", help="ids of nodes; default: all of them")
    why.set_defaults(perform=_explain)
    return parser, {"run": run, "explain": why}


def _add_document(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("document", type=Path)
    plans = parser.add_mutually_exclusive_group()
    plans.add_argument(
        "--plan",
        type=Path,
        metavar="FILE",
        help="plan as JSON, as TOML like in case files, or one directive a line; default: "
        "every step succeeds with outputs by the types of its ports",
    )
    plans.add_argument(
        "--public-plan",
        type=Path,
        metavar="FILE",
        help="plan in the syntax of the published command-line runtime",
    )
    parser.add_argument(
        "--companion",
        action="append",
        default=[],
        metavar="URI=FILE",
        help="document that a subworkflow names by this URI; files that relative URIs lead to "
        "are found without it",
    )


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


def _open(options: argparse.Namespace) -> tuple[Harness, Plan, dict[str, bytes]] | None:
    """Read what was named; None for an invalid document, whose findings are printed."""
    content = read_file(options.document)
    companions = read_companions(options.document, content, options.companion)
    verdict = validate(content, companions=companions)
    if verdict.harness is None:
        _print_findings(options.document, verdict)
        return None
    plan = read_plan_of(options.plan, options.public_plan, verdict.harness)
    return verdict.harness, plan, companions


def _print_findings(path: Path, verdict: Validated) -> None:
    for finding in verdict.findings:
        place = f"{path}:{finding.line}" if finding.line else str(path)
        print(f"{finding.code}  {place}  {finding.severity}\n  {finding.message}")


def _trace(played: Played) -> dict[str, Any]:
    return {
        "transitions": [transition_fields(transition) for transition in played.transitions()],
        "outcome": played.outcome or None,
        "codes": [told_report(report) for report in played.reports()],
    }


def _show(options: argparse.Namespace, harness: Harness, played: Played) -> None:
    if options.trace:
        print(json.dumps(_trace(played), indent=1))
        if played.refusal:
            print(f"refused: {played.refusal}", file=sys.stderr)
        return
    for line in final_states(harness, played):
        print(line)


def _explore(
    options: argparse.Namespace, harness: Harness, plan: Plan, companions: dict[str, bytes]
) -> int:
    """Print every distinct behaviour; 0 if these are all and each of them succeeded."""
    bound = options.bound or BOUND
    explored = explore(harness, plan, bound=bound, companions=companions)
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
    opened = _open(options)
    if opened is None:
        return 1
    harness, plan, companions = opened
    scheduler = None if options.seed is None else SeededRandom(options.seed)
    if options.all_schedules:
        return _explore(options, harness, plan, companions)
    script = Script(
        harness, plan, scheduler=scheduler, seed=options.seed or 0, companions=companions
    )
    try:
        script.to_end()
    except StuckError as error:
        _show(options, harness, script.played)
        print(f"{options.document}: {error}", file=sys.stderr)
        return 1
    _show(options, harness, script.played)
    return 0 if script.played.outcome == "succeeded" else 1


def _explain(options: argparse.Namespace) -> int:
    opened = _open(options)
    if opened is None:
        return 1
    harness, plan, companions = opened
    for node in options.node:
        if node not in harness.node_by_id:
            raise _UsageError(f"{options.document}: there is no node {node!r}")
    for line in explain(harness, plan, tuple(options.node), companions):
        print(line)
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code.

    0 the instance succeeded, 1 it ended otherwise or the document is invalid, 2 wrong usage.
    With --all-schedules 0 means that it succeeds in every order, and all of them were covered.
    ``explain`` gives 0 for every valid document.
    """
    options = argparse.Namespace(document="")
    try:
        _parse(sys.argv[1:] if arguments is None else arguments, options)
        code: int = options.perform(options)
        sys.stdout.flush()
    except UnsupportedError as error:
        print(f"reference_runtime: {options.document}: {error}", file=sys.stderr)
        return 2
    except (_UsageError, GivenError) as error:
        print(f"reference_runtime: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Who reads has seen enough; nothing more is written, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


if __name__ == "__main__":
    # One run makes hardly any garbage, and looking for it takes a third of the time.
    gc.set_threshold(200_000, 50, 50)
    sys.exit(main())
