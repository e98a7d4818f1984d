"""Stands in for the published command-line runtime: its interface, our reference runtime inside.

The name of a copy says what is wrong with it: ``harnessxml-hangs`` hangs.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

from reference_runtime.engine.effects import Report, Transition
from reference_runtime.public_plans import read_public_plan
from reference_runtime.script import play
from reference_runtime.validation import validate

NAME = Path(sys.argv[0]).name.removeprefix("harnessxml").lstrip("-")


def beside(path):
    return {
        file.relative_to(path.parent).as_posix(): file.read_bytes()
        for file in path.parent.rglob("*.hxml")
    }


def findings(path):
    verdict = validate(path.read_bytes(), companions=beside(path))
    errors = 0
    for finding in verdict.findings:
        errors += finding.severity == "error"
        print(f"{finding.code}  {path}:{finding.line or 1}  {finding.severity}")
        print(f"    {finding.message} near {finding.near!r}, value {finding.value!r}")
    warnings = len(verdict.findings) - errors
    if errors:
        print(f"{path}: {errors} error{'s' * (errors != 1)}")
    else:
        print(f"{path}: valid" + f" ({warnings} warning(s))" * bool(warnings))
    return verdict.harness, errors


def transition(effect):
    line = {
        "node": effect.node,
        "from": effect.from_,
        "to": effect.to,
        "attempt": effect.attempt or 1,
    }
    if effect.iteration:
        line["iteration"] = effect.iteration[-1][1]
    if effect.error_class:
        line["errorClass"] = effect.error_class
    if effect.message:
        line["detail"] = effect.message.replace('"', "'")
    return line


def broken_before():
    """What goes wrong before anything is read."""
    if NAME == "hangs":
        time.sleep(3600)
    while NAME == "floods":
        print("x" * 1000)


#: Name of a copy → what it does to the trace.
SPOILED = {
    "quotes": lambda text: text.replace('"attempt"', '"iteration": "0", "attempt"'),
    "unescaped": lambda text: text.replace('"attempt"', '"detail": "tab\there", "attempt"'),
    "endless": lambda text: text[:-5],
    "states": lambda text: text.replace("RUNNING", "EXECUTING"),
    "talkative": lambda text: (
        "HX-3005  d:1  warning\n    [guard] always true\n"
        + text.replace('"attempt": 1\n', '"attempt": 0, "clock": 7\n', 1)
        + "\nsee the manual"
    ),
}


def print_trace(path, played):
    told = {"succeeded": "succeeded", "compensated": "COMPENSATED — rolled back"}
    trace = json.dumps([transition(e) for e in played.transitions()], indent=1)
    print(SPOILED.get(NAME, str)(trace))
    print("ready" if NAME == "silent" else f"{path}: {told.get(played.outcome, 'FAILED')}")


def print_table(path, played):
    if NAME == "mumbles":
        print("nothing to see")
        return
    if NAME == "contradicts":
        print(f"{path}: {'FAILED' if played.outcome == 'succeeded' else 'succeeded'}")
    for node, state in played.states.items():
        print(f"{node:<20} {state}")
    for effect in played.effects:
        if isinstance(effect, Transition | Report) and effect.code:
            print(f"  {effect.node}: {effect.code} {effect.message}")


def check(path):
    if NAME == "refuses":
        print("unknown command validate", file=sys.stderr)
        return 2
    return 1 if findings(path)[1] else 0


def run(path, options):
    if NAME == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    harness = validate(path.read_bytes(), companions=beside(path)).harness
    if harness is None:
        return check(path)
    plan = Path(options[1]).read_text(encoding="utf-8") if options[:1] == ["--scenario"] else ""
    plan = read_public_plan(plan, harness)
    played = play(harness, plan, open_steps=1, companions=beside(path))
    if "--trace" in options:
        print_trace(path, played)
    else:
        print_table(path, played)
    if NAME == "turns" and "--trace" not in options:
        return int(played.outcome == "succeeded")
    return int((played.outcome != "succeeded") != (NAME == "exits"))


def main(command, document, *options):
    broken_before()
    path = Path(document)
    return check(path) if command == "validate" else run(path, list(options))


sys.exit(main(*sys.argv[1:]))
