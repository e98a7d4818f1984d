"""The watcher: what is left of an adapter when the suite is killed without warning."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

PROGRAM = Path(__file__).parents[1] / "runtimes" / "hostile" / "program.py"

SUITE = f"""
import time
from suite.protocol.runtime import open_runtime
runtime = open_runtime("cmd:{sys.executable} -I -S {PROGRAM} ignore-sigterm")
print(runtime._wire.group, runtime._connector._watch._process.pid, flush=True)
runtime.run(b"bad", {{}}, __import__("suite.corpus.plan").corpus.plan.Plan(), 60)
"""


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_adapter_ends_when_the_suite_is_killed():
    with subprocess.Popen([sys.executable, "-c", SUITE], stdout=subprocess.PIPE) as suite:
        adapter, watcher = map(int, suite.stdout.readline().split())
        time.sleep(0.2)
        alive_before = is_alive(adapter) and is_alive(watcher)
        os.kill(suite.pid, signal.SIGKILL)
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and (is_alive(adapter) or is_alive(watcher)):
        time.sleep(0.02)

    assert alive_before
    assert (False, False) == (is_alive(adapter), is_alive(watcher))
