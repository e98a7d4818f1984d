"""Programs that break the protocol: each gets its own kind, the next request works, none stays."""

import re
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from suite.corpus.plan import Plan
from suite.protocol.exchange import AdapterDidNotStart
from suite.protocol.request import Request
from suite.protocol.runtime import open_runtime
from suite.protocol.wire import Bounds

PROGRAM = Path(__file__).parents[1] / "runtimes" / "hostile" / "program.py"
BOUNDS = Bounds(line=1 << 20, request=4 << 20, stop=0.2, grace=0.2)
NODES = frozenset({"a", "b"})


def processes_of(group: int) -> list[str]:
    """Return the living processes of a process group."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            _, _, rest = (entry / "stat").read_text().rpartition(")")
        except OSError:
            continue
        state, _, process_group = rest.split()[:3]
        if int(process_group) == group and state != "Z":
            found.append(entry.name)
    return found


@contextmanager
def hostile(mode, *, bounds=BOUNDS):
    command = f"cmd:{sys.executable} -I -S {PROGRAM} {mode}"
    with open_runtime(command, bounds=bounds, start_limit=20) as runtime:
        yield runtime


def run(runtime, document, limit):
    return runtime.run(document, {}, Plan(), limit, known_nodes=NODES)


CASES = [
    ("silent", "timeout", "no end within 0.3 s"),
    ("drip", "timeout", "no end within 0.3 s"),
    # On a fast machine the bound on what may be sent is met before the time limit.
    ("flood", "timeout", r"messages of the run, the last: a PENDING→READY|more than 4194304 bytes"),
    ("late", "timeout", "no end within"),
    ("ignore-sigterm", "timeout", "no end within"),
    ("exit", "crash", "exited with code 0"),
    ("exit-code", "crash", "exited with code 7"),
    ("killed", "crash", "killed by SIGKILL"),
    ("close-stdout", "crash", "closed its standard output and runs on"),
    ("leave-child", "crash", "exited with code 0"),
    ("text", "protocol-error", "text on standard output.*'Starting engine...'"),
    ("empty-line", "protocol-error", "an empty line"),
    ("half-line", "protocol-error", "half a JSON value"),
    ("half-then-exit", "protocol-error", "half a line was sent: .* then the program exited"),
    ("half-then-silence", "protocol-error", "half a line was sent and never ended"),
    ("not-utf8", "protocol-error", r"not UTF-8 \(byte 34\)"),
    ("long-line", "protocol-error", "a line longer than 1048576 bytes"),
    ("array", "protocol-error", "text on standard output|not a message"),
    ("nan", "protocol-error", "NaN is not JSON"),
    ("infinity", "protocol-error", "Infinity is not JSON"),
    ("huge", "protocol-error", "out of range"),
    ("huge-integer", "protocol-error", "larger than any JSON reader holds"),
    ("surrogate", "protocol-error", "a lone surrogate"),
    ("deep", "protocol-error", "nested deeper than 64"),
    ("rather-deep", "protocol-error", "nested deeper than 64"),
    ("unknown-type", "protocol-error", "unknown message type.*progress"),
    ("unknown-field", "protocol-error", "unknown field `colour`"),
    ("unknown-id", "protocol-error", "expected id 2.*observed 3"),
    ("unknown-state", "protocol-error", "observed 'DONE'"),
    ("unknown-node", "protocol-error", "no node 'zzz'"),
    ("unknown-loop", "protocol-error", "no node 'zzz'"),
    ("gap", "protocol-error", "expected n 2, observed 3"),
    ("repeated-number", "protocol-error", "expected n 2, observed 1"),
    ("end-twice", "protocol-error", "after the answer was complete.*end"),
    ("after-end", "protocol-error", "after the answer was complete.*transition"),
    ("wrong-count", "protocol-error", "expected messages equal"),
    ("description", "protocol-error", "a description was sent during a run"),
    ("findings-late", "protocol-error", "findings after 1 messages"),
    ("wrong-call", "protocol-error", "expected call 1, observed 2"),
    ("not-running", "protocol-error", "which is not RUNNING"),
    ("abort-unknown", "protocol-error", "abort of call 1, which was never made"),
    ("seen-too-many", "protocol-error", "seen 5 messages, but the suite sent 0"),
    ("deadlock", "deadlock", "nothing can happen any more: no call is open"),
    ("fault", "crash", "boom"),
]


@pytest.mark.parametrize(("mode", "kind", "detail"), CASES, ids=[case[0] for case in CASES])
def test_hostile_program_gets_its_kind_and_the_next_request_works(mode, kind, detail):
    with hostile(mode) as runtime:
        group = runtime._wire.group
        started = time.monotonic()
        bad = run(runtime, b"bad", 0.3 if kind == "timeout" or "silence" in mode else 30)
        took = time.monotonic() - started
        good = run(runtime, b"good", 30)
        left = [] if mode == "fault" else processes_of(group)
        last = runtime._wire.group

    assert (kind, "ended", []) == (bad.kind, good.kind, left)
    assert took < 20
    assert [] == processes_of(last)
    assert re.search(detail, bad.detail)


def test_flood_beyond_the_bound_is_cut_off_before_the_time_limit():
    with hostile("flood", bounds=Bounds(request=100_000)) as runtime:
        exchange = run(runtime, b"bad", 30)

    assert "timeout" == exchange.kind
    assert "more than 100000 bytes were sent without an end" == exchange.detail
    assert exchange.seconds < 5


@pytest.mark.parametrize(("mode", "number"), [("flood", 1000), ("big-invokes", 4)])
def test_both_ends_of_what_broke_off_are_kept_within_bounds(mode, number):
    with hostile(mode, bounds=Bounds(request=6 << 20)) as runtime:
        exchange = run(runtime, b"bad", 5)
    kept = exchange.transcript.entries
    last = max(kept[-1].message.get(name, 0) for name in ("n", "call"))

    assert ("timeout", number) == (exchange.kind, len(kept))
    assert [None, 1, 2] == [entry.message.get("n") for entry in kept[:3]]
    assert last > number


def test_end_of_a_killed_program_is_shown_with_its_last_words():
    with hostile("exit-code") as runtime:
        exchange = run(runtime, b"bad", 30)

    assert "reason: none\n" == exchange.stderr_tail


def test_flood_on_stderr_keeps_the_tail_only():
    with hostile("noise") as runtime:
        exchange = run(runtime, b"bad", 10)
        after = run(runtime, b"good", 3)

    assert "ended" == exchange.kind
    assert exchange.stderr_tail.endswith("x\nlast words\n")
    assert len(exchange.stderr_tail) <= BOUNDS.stderr
    assert "" == after.stderr_tail


def test_child_left_behind_dies_with_the_adapter():
    with hostile("leave-working-child") as runtime:
        group = runtime._wire.group
        exchange = run(runtime, b"bad", 30)

        assert 2 == len(processes_of(group))

    assert "ended" == exchange.kind
    assert [] == processes_of(group)


def test_stop_and_sigterm_ignored_end_within_the_bound():
    with hostile("ignore-sigterm") as runtime:
        group = runtime._wire.group
        started = time.monotonic()

    assert time.monotonic() - started < 15
    assert [] == processes_of(group)


STARTS = [
    ("start-exit", r"exited with code 1.*\(stderr: no licence found\)"),
    ("start-version", "expected protocol version 1 to 1, observed 9"),
    ("start-silent", "no end within 0.3 s"),
    ("start-other", "expected a description as the first message"),
    ("start-text", "text on standard output.*Welcome!"),
    ("start-field", "unknown field `semantics`"),
]


@pytest.mark.parametrize(("mode", "reason"), STARTS, ids=[start[0] for start in STARTS])
def test_program_without_usable_description_did_not_start(mode, reason):
    limit = 0.3 if mode == "start-silent" else 20
    command = f"cmd:{sys.executable} -I -S {PROGRAM} {mode}"
    with pytest.raises(AdapterDidNotStart, match=reason) as caught:
        open_runtime(command, bounds=BOUNDS, start_limit=limit)

    assert "\n" not in str(caught.value)


def test_program_that_does_not_exist_did_not_start():
    with pytest.raises(AdapterDidNotStart, match=r"did not start: .*No such file.*no-such-program"):
        open_runtime("cmd:/no-such-program")


def test_program_that_does_not_start_again_is_a_crash(tmp_path):
    once = tmp_path / "once.py"
    once.write_text(
        "import os, pathlib, runpy, sys\n"
        f"flag = pathlib.Path({str(tmp_path / 'flag')!r})\n"
        "if flag.exists(): sys.exit('only once')\n"
        "flag.touch()\n"
        f"sys.argv = ['x', 'exit']; runpy.run_path({str(PROGRAM)!r}, run_name='__main__')\n"
    )
    with open_runtime(f"cmd:{sys.executable} {once}", bounds=BOUNDS) as runtime:
        run(runtime, b"bad", 3)
        second = run(runtime, b"good", 3)

    assert "crash" == second.kind
    assert "did not start" in second.detail
    assert "only once" in second.detail


OTHERWISE = """
import pathlib, runpy, sys
flag = pathlib.Path({flag!r})
again = flag.exists()
flag.touch()
sys.argv = ['x', {mode!r}]
names = runpy.run_path({program!r})
if again:
    describe = names['describe']
    names['main'].__globals__['describe'] = lambda id: describe(id, levels=['full'])
names['main']()
"""


@pytest.mark.parametrize("ahead", [False, True], ids=["in turn", "ahead"])
@pytest.mark.parametrize(
    ("mode", "kind"), [("exit-code", "crash"), ("empty-line", "protocol-error")]
)
def test_where_no_other_program_starts_the_request_keeps_its_fault(tmp_path, mode, kind, ahead):
    program = tmp_path / "otherwise.py"
    program.write_text(
        OTHERWISE.format(flag=str(tmp_path / "flag"), mode=mode, program=str(PROGRAM))
    )
    with open_runtime(f"cmd:{sys.executable} {program}", bounds=BOUNDS) as runtime:
        first = runtime.ask(request(b"good"))
        if ahead:
            runtime.ask_ahead(request(b"bad"))
        second = runtime.ask(request(b"bad"))
        late = runtime.take_late()

    assert ("ended", kind, None) == (first.kind, second.kind, late)
    assert "\nand was not started anew: expected the description of the first" in second.detail


HASTY = """
import json, os, sys, time
request = json.loads(sys.stdin.readline())
about = {"type": "description", "id": 1, "protocol": 1, "name": "hasty", "version": "1"}
print(json.dumps(about | {"levels": ["core"], "control": "interactive"}), flush=True)
time.sleep(0.05)
print("no more time", end="", file=sys.stderr, flush=True)
print(os.getpid(), file=open("{gone}", "w"), flush=True)
{then}
"""


def wait_for_the_end_of(file):
    """Wait until the process has ended whose number the file will hold."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        number = file.read_text().strip() if file.exists() else ""
        status = Path(f"/proc/{number}/stat")
        if number and (
            not status.exists() or status.read_text().rpartition(")")[2].split()[0] in "ZX"
        ):
            return
        time.sleep(0.02)


@pytest.mark.parametrize("ahead", [False, True], ids=["in turn", "ahead"])
@pytest.mark.parametrize(
    ("then", "how"),
    [
        pytest.param("sys.exit(3)", "exited with code 3", id="code-3"),
        pytest.param("sys.exit(0)", "exited with code 0", id="code-0"),
        pytest.param("os.kill(os.getpid(), 9)", "was killed by SIGKILL", id="killed"),
        pytest.param("print('bye', flush=True); sys.exit(0)", "exited with code 0", id="text"),
    ],
)
def test_end_between_description_and_first_request_is_a_crash_of_the_first(
    tmp_path, then, how, ahead
):
    program = tmp_path / "hasty.py"
    gone = tmp_path / "gone"
    program.write_text(HASTY.replace("{then}", then).replace("{gone}", str(gone)))
    with open_runtime(f"cmd:{sys.executable} {program}", bounds=BOUNDS) as runtime:
        wait_for_the_end_of(gone)
        if ahead:
            runtime.ask_ahead(request(b"good"))
        first = runtime.ask(request(b"good"))
        late = runtime.take_late()

    assert ("crash", None, "no more time") == (first.kind, late, first.stderr_tail)
    assert f"the program {how} after its description, before the first request" in first.detail


LATES = [
    ("twice-late", "protocol-error", "request 2 had ended"),
    ("text-late", "protocol-error", "after the answer was complete: .*'Done.'"),
    ("half-late", "protocol-error", "after the answer was complete: .*'Do"),
    ("foreign-late", "protocol-error", "after the answer was complete"),
    ("crash-late", "crash", "exited with code 9 after its answer was complete"),
]


def request(document):
    return Request(document=document, companions={}, plan=Plan(), limit=30)


def lates_of(runtime):
    """Everything that came late, by mode of the request that it belongs to."""
    return [(late.kind, late.ago) for late in iter(runtime.take_late, None)]


@pytest.mark.parametrize("seconds", [0.0, 0.8], ids=["asked before", "asked after"])
@pytest.mark.parametrize("ahead", [False, True], ids=["in turn", "ahead"])
@pytest.mark.parametrize(("mode", "kind", "detail"), LATES, ids=[late[0] for late in LATES])
def test_what_comes_late_belongs_to_its_request(mode, kind, detail, ahead, seconds):
    with hostile(mode) as runtime:
        first = runtime.ask(request(b"bad"))
        if ahead:
            runtime.ask_ahead(request(b"good"))
        time.sleep(seconds)
        runtime.go_on()
        second = runtime.ask(request(b"good"))
        late = runtime.take_late()

    if mode == "foreign-late" and not (ahead or seconds):  # it comes in answer to the second
        assert ("ended", "protocol-error", None) == (first.kind, second.kind, late)
        return
    assert ("ended", "ended") == (first.kind, second.kind)
    assert (kind, 1) == (late.kind, late.ago)
    assert re.search(detail, late.detail)


def test_another_request_than_the_one_ahead_is_made_in_a_new_process():
    wanted, unwanted = request(b"good"), request(b"bad")
    with hostile("crash-late") as runtime:
        before = runtime.ask(wanted)
        group = runtime._wire.group
        runtime.ask_ahead(unwanted)
        after = runtime.ask(wanted)
        late = runtime.take_late()

        assert group != runtime._wire.group
    assert ("ended", "ended", None) == (before.kind, after.kind, late)
    assert [] == processes_of(group)


@pytest.mark.parametrize("seconds", [0.0, 0.8], ids=["asked before", "asked after"])
@pytest.mark.parametrize("mode", [late[0] for late in LATES])
def test_what_comes_late_of_every_request_is_kept_for_each(mode, seconds):
    kept = 0
    with hostile(mode) as runtime:
        for _ in range(4):
            exchange = runtime.ask(request(b"bad"))
            runtime.ask_ahead(request(b"bad"))
            time.sleep(seconds)
            runtime.go_on()
            kept += len(lates_of(runtime)) + (exchange.kind != "ended")
    kept += len(lates_of(runtime))

    # At once, the last one was given up before anything more came of it.
    assert kept in ((3, 4) if not seconds else (4,))


@pytest.mark.parametrize("end", ["another", "close"])
@pytest.mark.parametrize(("mode", "kind", "detail"), LATES, ids=[late[0] for late in LATES])
def test_what_comes_late_is_kept_when_nobody_asks_for_what_was_asked_ahead(mode, kind, detail, end):
    with hostile(mode) as runtime:
        runtime.ask(request(b"bad"))
        runtime.ask_ahead(request(b"good"))
        time.sleep(0.8)
        if end == "another":
            assert "ended" == runtime.ask(request(b"other")).kind
    late = runtime.take_late()

    assert (kind, int(end == "another")) == (late.kind, late.ago)
    assert re.search(detail, late.detail)


def test_closed_standard_input_is_noticed_with_the_next_request():
    with hostile("deaf-late") as runtime:
        runtime.ask(request(b"bad"))
        time.sleep(0.8)
        second = runtime.ask(request(b"good"))
        late = runtime.take_late()

    assert ("ended", "crash", 1) == (second.kind, late.kind, late.ago)
    assert "closed its standard input and runs on after its answer was complete" in late.detail


def test_no_descriptor_is_left_open():
    before = len(list(Path("/proc/self/fd").iterdir()))
    with hostile("killed") as runtime:
        run(runtime, b"bad", 3)
        run(runtime, b"good", 3)

    assert before == len(list(Path("/proc/self/fd").iterdir()))
