"""Runs of pytest in a process of its own, in a folder of the test's own."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

DIAMOND = "execution/joins/all-diamond.trace"
REFERENCE = "--runtime=adapter:reference_runtime"

#: Plugins of this environment that have no part in the tests and take long to load.
QUIET = ("-p", "no:hypothesispytest", "-p", "no:pytest_cov")


@dataclass
class Ran:
    code: int
    out: str
    err: str

    def line(self, start):
        """The last line of the output that begins so."""
        return next(line for line in self.out.splitlines()[::-1] if line.startswith(start))


def run(folder, *arguments, module="pytest"):
    """Run ``python -P -m module``; the environment's own pytest options stay outside."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-P", "-m", module, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def run_pytest(folder, *arguments):
    return run(folder, *QUIET, *arguments)


def processes_in(folder):
    """Processes that run in a folder: whatever they did to leave, they stay there."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "cwd").readlink() == folder:
                found.append(entry.name)
        except OSError:
            continue
    return found
