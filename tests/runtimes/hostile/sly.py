"""Programs behind ``cmd:`` that go wrong in ways beyond those of ``program.py``."""

import json
import os
import resource
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import program
from program import end, good, raw, say, sleep_for_ever, transition


def node():
    return program.NODE


def bom(id):
    raw(b"\xef\xbb\xbf")
    good(id)


def crlf(id):
    for message in (
        {"type": "transition", "id": id, "n": 1, "node": node(), "from": "PENDING", "to": "READY"},
        {"type": "end", "id": id, "n": 2, "messages": 2, "outcome": "succeeded"},
    ):
        raw(json.dumps(message).encode() + b"\r\n")


def utf16(id):
    raw(json.dumps({"type": "end", "id": id, "n": 1, "messages": 1}).encode("utf-16") + b"\n")


def no_newline(id):
    raw(json.dumps({"type": "end", "id": id, "n": 1, "messages": 1}).encode())
    sys.exit(0)


def interleaved(id):
    for part in (b'{"type":"end",', b'{"type":"end",'):
        if os.fork() == 0:
            raw(part)
            os._exit(0)
    os.wait()
    os.wait()
    raw(b'"id":%d,"n":1,"messages":1}\n"id":%d,"n":1,"messages":1}\n' % (id, id))


def clock_storm(id):
    """Takes no notice of advance, and has always another timer."""
    transition(id, 1)
    n, seen = 1, 0
    while True:
        n += 1
        say(type="idle", id=id, n=n, seen=seen, timer=1)
        sys.stdin.readline()
        seen += 1


def last_timer(timer):
    def act(id):
        transition(id, 1)
        raw(b'{"type":"idle","id":%d,"n":2,"seen":0,"timer":%s}\n' % (id, timer))
        sleep_for_ever()

    return act


def stop_itself(id):
    transition(id, 1)
    os.kill(os.getpid(), signal.SIGSTOP)


def kill_parent(id):
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(0.2)
    good(id)


def kill_own_group(id):
    os.killpg(0, signal.SIGKILL)


def signals_to_parent(id):
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGPIPE, signal.SIGALRM):
        os.kill(os.getppid(), number)
    good(id)


def fork_bomb(id):
    """Every child forks again, in a session of its own, up to a bound."""
    for _ in range(5):
        if os.fork() == 0:
            os.setsid()
    time.sleep(0.3 if os.getppid() != 1 else 0)
    sleep_for_ever()


def daemon(answer, *, closes=True):
    """Leave a daemon as the book says: two forks, a session, and no word of ours to know it by."""

    def act(id):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                null = os.open(os.devnull, os.O_RDWR)
                for fd in range(3) if closes else ():
                    os.dup2(null, fd)
                words = ["python", "-I", "-S", "-c", "import time; time.sleep(600)"]
                os.execve(sys.executable, words, {})
            os._exit(0)
        os.wait()
        answer(id)

    return act


def use_up_descriptors(id):
    while True:
        try:
            os.dup(1)
        except OSError:
            break
    good(id)


def balloon(id):
    resource.setrlimit(resource.RLIMIT_AS, (1 << 28, 1 << 28))
    kept = []
    while True:
        kept.append(bytearray(1 << 24))


def close_stdin(id):
    os.close(0)
    good(id)


def stderr_escapes(id):
    os.write(2, b"\x1b]0;owned\x07\x1b[2J\x1b[31mred \xe2\x80\xae rtl \x00 nul \xff\xfe\n")
    sys.exit(3)


EVIL = "\x1b[31m\x1b]0;owned\x07\u202ertl\u200b\u0000\u0085\ufffe]]>&<\u2028"


def everything_evil(id):
    transition(id, 1, node=EVIL, message=EVIL, errorClass=EVIL, code=EVIL)


def evil_fault(id):
    say(type="fault", id=id, message=EVIL * 3)


def evil_code(id):
    transition(id, 1)
    say(
        type="transition",
        id=id,
        n=2,
        node=node(),
        **{"from": "READY"},
        to="FAILED",
        code=EVIL,
        errorClass=EVIL,
        message=EVIL,
    )
    end(id, 3, outcome="failed", codes=[{"code": EVIL, "node": node()}])


def evil_findings(id):
    say(
        type="findings",
        id=id,
        findings=[{"code": EVIL, "near": EVIL, "message": EVIL, "value": EVIL}],
    )


SLY = {
    "bom": bom,
    "crlf": crlf,
    "utf16": utf16,
    "nul-inside": lambda id: raw(b'{"type":"end",\0"id":%d,"n":1,"messages":1}\n' % id),
    "no-newline": no_newline,
    "interleaved": interleaved,
    "negative-n": lambda id: transition(id, -1),
    "bool-n": lambda id: transition(id, True),
    "string-id": lambda id: end(str(id), 1),
    "clock-storm": clock_storm,
    "timer-negative": last_timer(b"-1"),
    "timer-infinite": last_timer(b"Infinity"),
    "stop-itself": stop_itself,
    "kill-parent": kill_parent,
    "kill-own-group": kill_own_group,
    "signals-to-parent": signals_to_parent,
    "fork-bomb": fork_bomb,
    "daemon": daemon(good),
    "daemon-exit": daemon(program.exit_silently),
    "descriptors": use_up_descriptors,
    "balloon": balloon,
    "close-stdin": close_stdin,
    "stderr-escapes": stderr_escapes,
    "evil": everything_evil,
    "evil-fault": evil_fault,
    "evil-code": evil_code,
    "evil-findings": evil_findings,
    "foreign-code": lambda id: end(id, 1, codes=[{"code": "HX-4101", "node": "zzz"}]),
}

program.BAD.update(SLY)

if __name__ == "__main__":
    program.main()
