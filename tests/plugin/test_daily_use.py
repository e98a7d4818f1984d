"""What a user sees and keeps while a run goes on, and when it is broken off."""

import os
import pty
import signal
import subprocess
import sys
import time

import pytest

from suite.report.results import ResultsError, read_results
from tests.pytest_runs import QUIET, processes_in, run, run_pytest

#: Accepts every document; stands still, deaf to SIGTERM, in every run.
STUCK = """
import signal, time
class adapter:
    def describe(self):
        return {"name": "stuck", "version": "1", "levels": ["core", "executing", "full"]}
    def validate(self, document):
        return []
    async def run(self, document, session):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
"""

#: Takes its time over every document.
SLOW = STUCK.replace("return []", "time.sleep(2.5)\n        return []")

CHOSEN = ("--hx-select=valid/*", "--hx-select=execution/joins/*", "--hx-order=reverse")


def started(folder, *arguments):
    """Start pytest on the adapter that stands still; it answers some documents before."""
    (folder / "vendor.py").write_text(STUCK, encoding="utf-8")
    return subprocess.Popen(
        [
            *(sys.executable, "-P", "-m", "pytest", *QUIET, "--runtime=vendor:adapter"),
            *("--hx-results=results.jsonl", *CHOSEN, *arguments),
        ],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def wait_until_stuck(folder):
    """Wait until records were written and no more come."""
    path, size = folder / "results.jsonl", -1
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        time.sleep(0.7)
        now = path.stat().st_size if path.exists() else -1
        if now == size and now > 0 and len(read_results(path).records) > 5:
            return
        size = now
    pytest.fail("the run did not come to the adapter that stands still")


def wait_until_gone(folder, seconds):
    deadline = time.monotonic() + seconds
    while processes_in(folder) and time.monotonic() < deadline:
        time.sleep(0.05)
    return processes_in(folder)


WAYS = [
    pytest.param((), os.kill, id="alone"),
    pytest.param(("-n", "2"), os.kill, id="workers"),
    pytest.param(("-n", "2"), os.killpg, id="workers-from-a-terminal"),
]


@pytest.mark.parametrize(("arguments", "kill"), WAYS)
def test_interrupt_ends_soon_with_a_partial_result(tmp_path, arguments, kill):
    process = started(tmp_path, *arguments)
    wait_until_stuck(tmp_path)
    before = time.monotonic()
    kill(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    took = time.monotonic() - before
    results = read_results(tmp_path / "results.jsonl")
    statuses = {record.status for record in results.records.values()}

    assert 2 == process.returncode
    assert {"pass", "not-run"} == statuses
    assert results.footer is not None
    assert not results.complete
    assert "not-run: interrupted before it" in out
    assert "level not assessed: the run stopped before" in out
    assert [] == processes_in(tmp_path)
    assert 2 == run(tmp_path, "rejudge", "results.jsonl", module="suite.cli").code
    assert took < 6  # two seconds on a machine that does nothing else


@pytest.mark.parametrize("arguments", [(), ("-n", "2")], ids=["alone", "workers"])
def test_killed_run_leaves_its_records_and_no_process(tmp_path, arguments):
    process = started(tmp_path, *arguments)
    wait_until_stuck(tmp_path)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    left = wait_until_gone(tmp_path, 20)
    results = read_results(tmp_path / "results.jsonl")
    again = run(tmp_path, "rejudge", "results.jsonl", module="suite.cli")

    assert [] == left
    assert {"pass"} == {record.status for record in results.records.values()}
    assert not results.complete
    assert f"0 of {len(results.records)} verdicts changed" in again.out
    assert "level not assessed" in again.out
    assert "the file is incomplete: it has no footer" in again.out
    assert 6 == again.code


def test_records_are_readable_one_by_one_while_the_run_goes_on(tmp_path):
    process = started(tmp_path)
    path = tmp_path / "results.jsonl"
    seen = set()
    while len(seen) < 3 and process.poll() is None:
        time.sleep(0.01)
        try:
            seen.add(len(read_results(path).records))
        except (OSError, ResultsError):
            continue
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    wait_until_gone(tmp_path, 20)

    assert 3 == len(seen)


def test_without_a_terminal_plain_lines_count_and_name_the_slow_case(tmp_path):
    (tmp_path / "vendor.py").write_text(SLOW, encoding="utf-8")
    name = "valid/joins/quorum-equal-to-edges"
    ran = run_pytest(tmp_path, "--runtime=vendor:adapter", name)

    assert "\x1b" not in ran.out
    assert f"[0/1], 2 s: {name}" in ran.out
    assert "\n[1/1] 1 pass\n" in ran.out


def test_in_a_terminal_one_line_is_kept_up_to_date(tmp_path):
    (tmp_path / "vendor.py").write_text(SLOW, encoding="utf-8")
    name = "valid/joins/quorum-equal-to-edges"
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "pytest", *QUIET, "--runtime=vendor:adapter", name],
        cwd=tmp_path,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    )
    os.close(theirs)
    told = b""
    while True:
        try:
            told += os.read(ours, 1 << 16)
        except OSError:  # the other end is closed
            break
    os.close(ours)
    process.wait()
    text = told.decode()

    assert f"\r\x1b[K[0/1], 2 s: {name}" in text
    assert "\r\x1b[K[1/1] 1 pass" in text


def test_red_case_is_told_at_once_and_counted(tmp_path):
    name = "execution/joins/quorum-two-of-three.trace"
    ran = run_pytest(
        tmp_path, "--runtime=adapter:reference_runtime.deviants:quorum_off_by_one", name
    )
    before, _, after = ran.out.partition("\n[1/1] 1 fail\n")

    assert f"\nfail: {name}: " in before
    assert "FAILURES" in after


def test_verbose_run_keeps_the_lines_of_pytest(tmp_path):
    ran = run_pytest(
        tmp_path, "--runtime=adapter:reference_runtime", "-v", "execution/joins/all-diamond.trace"
    )

    assert "execution/joins/all-diamond.trace PASSED" in ran.out
    assert "[1/1]" not in ran.out


def test_tests_of_the_user_keep_their_dots(tmp_path):
    (tmp_path / "test_own.py").write_text("def test_own():\n    pass\n", encoding="utf-8")
    ran = run_pytest(
        tmp_path,
        "--runtime=adapter:reference_runtime",
        *("execution/joins/all-diamond.trace", "test_own.py", "-p", "no:cacheprovider"),
    )

    assert "[1/1] 1 pass" in ran.out
    assert "2 passed" in ran.out
    assert any(line.startswith(".") for line in ran.out.splitlines())
