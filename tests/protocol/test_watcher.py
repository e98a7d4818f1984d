"""The watcher: what is left of an adapter when the suite is killed without warning."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from suite.corpus.plan import Plan
from suite.protocol import process
from suite.protocol.process import Watch
from suite.protocol.runtime import open_runtime
from tests.pytest_runs import processes_in

HOSTILE = Path(__file__).parents[1] / "runtimes" / "hostile"

SUITE = """
import sys
from suite.corpus.plan import Plan
from suite.protocol.runtime import open_runtime
from tests.pytest_runs import processes_in
runtime = open_runtime(sys.argv[1])
watch = runtime._connector._watch._process.pid
if "daemon" in sys.argv[1]:
    runtime.run(b"bad", {}, Plan(), 60)
print(runtime._wire.group, watch, flush=True)
runtime.run(b"bad", {}, Plan(), 60)
sys.stdin.read()
"""


def target(name, mode):
    return f"cmd:{sys.executable} -I -S {HOSTILE / name} {mode}"


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in text.split()]


def ended(*processes, within=5.0):
    """Wait until none of them lives."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline and any(map(is_alive, processes)):
        time.sleep(0.02)
    return not any(map(is_alive, processes))


@pytest.mark.parametrize(
    ("name", "mode", "number"),
    [
        pytest.param("program.py", "ignore-sigterm", 1, id="sigterm-ignored"),
        pytest.param("sly.py", "daemon", 2, id="daemon"),
    ],
)
def test_adapter_ends_when_the_suite_is_killed(name, mode, number):
    command = [sys.executable, "-c", SUITE, target(name, mode)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as suite:
        adapter, watcher = map(int, suite.stdout.readline().split())
        time.sleep(0.2)
        below = children(watcher)
        os.kill(suite.pid, signal.SIGKILL)

    assert number <= len(below)
    assert adapter in below
    assert ended(watcher, *below)


def test_daemon_dies_with_the_adapter_that_left_it():
    with open_runtime(target("sly.py", "daemon")) as runtime:
        runtime.run(b"bad", {}, Plan(), 5)
        below = children(runtime._connector._watch._process.pid)
        alive = [is_alive(process) for process in below]
        runtime._drop(politely=False)
        left = [is_alive(process) for process in below]

    assert ([True, True], [False, False]) == (alive, left)


@pytest.mark.parametrize("mode", ["leave-child", "leave-session-exit", "leave-clean-child"])
def test_system_without_adoption_ends_what_can_be_told(monkeypatch, tmp_path, mode):
    text = Path(process.watcher.__file__).read_text(encoding="utf-8")
    copy = tmp_path / "watcher.py"
    copy.write_text(text.replace("SUBREAPER = 36", "SUBREAPER = -1"), encoding="utf-8")
    monkeypatch.setattr(process.watcher, "__file__", str(copy))
    monkeypatch.chdir(tmp_path)
    with open_runtime(target("program.py", mode)) as runtime:
        kind = runtime.run(b"bad", {}, Plan(), 0.5).kind
        watcher = runtime._connector._watch._process.pid
        left = {int(process) for process in processes_in(tmp_path)} - {watcher, os.getpid()}

    assert kind in ("crash", "timeout")
    assert set() == left


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_watcher_that_is_gone_is_replaced(monkeypatch, number):
    monkeypatch.setattr(process, "_PATIENCE", 1.0)
    with open_runtime(target("program.py", "exit")) as runtime:
        first, adapter = runtime._connector._watch._process.pid, runtime._wire.group
        os.kill(first, number)
        runtime._drop(politely=False)
        exchange = runtime.run(b"good", {}, Plan(), 5)
        second = runtime._connector._watch._process.pid

    assert "ended" == exchange.kind
    assert first != second
    assert ended(first, second, adapter)


@pytest.fixture
def watch():
    watch = Watch()
    yield watch
    watch.close()


def test_watcher_that_is_killed_each_time_is_one_line(monkeypatch, watch):
    monkeypatch.setattr(process.watcher, "__file__", os.devnull)
    watch._process.kill()
    with pytest.raises(OSError, match="the process that starts it is killed each time"):
        watch.start(["true"], (0, 1, 2))


@pytest.fixture
def said(watch):
    """Return what a command prints that the watcher starts."""

    def said(*command):
        reader, writer = os.pipe()
        watch.start(command, (0, writer, 2))
        os.close(writer)
        with os.fdopen(reader, encoding="utf-8") as file:
            return file.read().split()

    return said


def test_program_has_no_descriptor_of_the_watcher(said):
    descriptors = said("ls", "/proc/self/fd")

    assert ["0", "1", "2", "3"] == descriptors


def test_program_ignores_no_signal_that_the_watcher_ignores(said):
    words = said("grep", "-E", "^Sig(Ign|Blk)", "/proc/self/status")
    ignored = sum(1 << number - 1 for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGTERM))

    assert [0, 0] == [int(word, 16) & ignored for word in words[1::2]]
