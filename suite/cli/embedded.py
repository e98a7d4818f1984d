"""The embedded runtime in a process of its own, playing a plan by itself.

We know it by its command line only. Nothing is exchanged for a step, so that large documents take
seconds, and time that nobody waits for passes however long it is.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

import suite
from comparator.trace import Trace
from suite.cli.words import UsageError, say
from suite.protocol.exchange import printable
from suite.verdict.status import EXIT

__all__ = ["play"]

#: Exit codes of the embedded runtime for a run that was played, and for an invalid document.
_PLAYED: Final = (0, 1)


def play(words: Sequence[str], *, trace: bool = False, limit: float | None = None) -> int:
    """Let the embedded runtime run a document, and show what it prints.

    Args:
        words: document and options of its command ``run``.
        trace: whether it prints a trace, which is shown as ``hxconf compare`` reads it; codes
            that belong to no transition go to standard error.
        limit: real seconds that it may take, None for any number.

    Raises:
        UsageError: it cannot do that, with the reason.
    """
    command = [sys.executable, "-P", "-m", "reference_runtime", "run", *words]
    sys.stdout.flush()
    try:
        done = subprocess.run(
            command, capture_output=True, env=_environment(), check=False, timeout=limit
        )
    except subprocess.TimeoutExpired:
        sys.stderr.write(f"timeout: no end within {limit:g} s\n")
        return EXIT["failed"]
    told = done.stderr.decode(errors="replace").strip().splitlines()
    if done.returncode not in _PLAYED:
        reason = told[-1] if told else "no reason given"
        raise UsageError(f"run: {printable(reason.removeprefix('reference_runtime: '))}")
    _show(done.stdout, trace=trace)
    for line in told:
        sys.stderr.write(f"{printable(line)}\n")
    return EXIT["failed"] if done.returncode else EXIT["ok"]


def _environment() -> dict[str, str]:
    """Environment in which our packages are found, whatever lies in the working directory."""
    here = str(Path(suite.__file__).parent.parent)
    paths = [here, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUTF8": "1"}


def _show(output: bytes, *, trace: bool) -> None:
    if trace and output.startswith(b"{"):
        fields = msgspec.json.decode(output)
        shown = msgspec.convert(
            {"transitions": fields["transitions"], "outcome": fields["outcome"]}, Trace
        )
        say(msgspec.json.format(msgspec.json.encode(shown), indent=1).decode())
        for told in fields["codes"]:
            # They belong to no transition, and a trace has no other place for them.
            line = f"{told['node']}: {told['code']} {told['message']}"
            sys.stderr.write(f"{printable(line)}\n")
        return
    for line in output.decode(errors="replace").splitlines():
        say(printable(line))
