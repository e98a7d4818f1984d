"""A program behind ``cmd:`` that behaves, except on the document ``bad`` in one way by name."""

import base64
import json
import os
import re
import signal
import subprocess
import sys
import time

OUT = sys.stdout.buffer
NOWHERE = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)


def raw(data):
    OUT.write(data)
    OUT.flush()


def say(**message):
    raw(json.dumps(message).encode() + b"\n")


#: A node of the document at hand.
NODE = "a"


def transition(id, n, to="READY", node=None, **more):
    say(type="transition", id=id, n=n, node=node or NODE, **{"from": "PENDING"}, to=to, **more)


def end(id, n, **more):
    say(**{"type": "end", "id": id, "n": n, "messages": n, "outcome": "succeeded", **more})


def running(id):
    transition(id, 1)
    say(type="transition", id=id, n=2, node=NODE, **{"from": "READY"}, to="RUNNING")


def good(id):
    transition(id, 1)
    end(id, 2)


def sleep_for_ever():
    while True:
        time.sleep(60)


def flood(id):
    n = 0
    while True:
        n += 1
        transition(id, n)


def drip(id):
    for byte in b'{"type":"end","id":1}' * 100:
        raw(bytes([byte]))
        time.sleep(0.1)


def long_line(id):
    part = b"x" * (1 << 20)
    raw(b'{"type":"')
    for _ in range(100):
        raw(part)
    raw(b'"}\n')


def bomb(id, inputs):
    running(id)
    node = NODE.encode()
    raw(
        b'{"type":"invoke","id":%d,"n":3,"call":1,"node":"%s","inputs":{"x":%s}}\n'
        % (id, node, inputs)
    )
    end(id, 4)


def big_invokes(id):
    """Calls whose inputs are as large as a line may be, and cost most in memory: empty lists."""
    running(id)
    inputs = [[]] * 250_000
    for n in range(3, 1000):
        say(type="invoke", id=id, n=n, call=n - 2, node=NODE, inputs={"x": inputs})


def leave_session(id, answer):
    """Leave a process in a session of its own, without any descriptor or variable of ours."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for fd in range(3):
                os.close(fd)
            sleep_for_ever()
        os._exit(0)
    os.wait()
    answer(id)


def leave_clean_child(id):
    """Leave a child in a session of its own that nothing but its parent tells from others."""
    program = "import os, time; os.setsid(); time.sleep(600)"
    subprocess.Popen([sys.executable, "-I", "-S", "-c", program], env={}, close_fds=True, **NOWHERE)
    time.sleep(0.2)
    sleep_for_ever()


def twice_late(id):
    good(id)
    time.sleep(0.2)
    end(id, 3)


def text_late(id):
    good(id)
    time.sleep(0.2)
    raw(b"Done.\n")


def half_late(id):
    good(id)
    time.sleep(0.2)
    raw(b"Do")


def foreign_late(id):
    good(id)
    time.sleep(0.2)
    end(id + 5, 1)


def deaf_late(id):
    good(id)
    os.close(0)
    sleep_for_ever()


def crash_late(id):
    good(id)
    time.sleep(0.2)
    os._exit(9)


def leave_child(id):
    if os.fork() == 0:
        sleep_for_ever()
    os._exit(0)


def leave_working_child(id):
    if os.fork() == 0:
        sleep_for_ever()
    good(id)


def ignore_sigterm(id):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sleep_for_ever()


#: Lines of 1 KiB on stderr.
NOISE = 50 * 1024


def noise(id):
    lines = (b"x" * 1023 + b"\n") * 64
    for _ in range(NOISE // 64):
        written = 0
        while written < len(lines):
            written += os.write(2, lines[written:])
    os.write(2, b"last words\n")
    good(id)


def late(id):
    time.sleep(1.5)
    good(id)


def in_one_write(*messages):
    raw(b"".join(json.dumps(m).encode() + b"\n" for m in messages))


def twice(id):
    last = {"type": "end", "id": id, "n": 1, "messages": 1}
    in_one_write(last, last)


def after_end(id):
    in_one_write(
        {"type": "end", "id": id, "n": 1, "messages": 1},
        {"type": "transition", "id": id, "n": 2, "node": NODE, "from": "PENDING", "to": "READY"},
    )


def idle(id, **more):
    transition(id, 1)
    say(**{"type": "idle", "id": id, "n": 2, "seen": 0, **more})
    sleep_for_ever()


def die_of_signal(id):
    transition(id, 1)
    print("about to die", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


def exit_silently(id):
    sys.exit(0)


def exit_with_code(id):
    print("reason: none", file=sys.stderr, flush=True)
    sys.exit(7)


def half_then_exit(id):
    raw(b'{"type":"end","id')
    sys.exit(0)


def half_then_silence(id):
    raw(b'{"type":"end","id')
    sleep_for_ever()


def close_stdout(id):
    OUT.close()
    os.close(1)
    sleep_for_ever()


BAD = {
    "silent": lambda id: sleep_for_ever(),
    "drip": drip,
    "flood": flood,
    "late": late,
    "ignore-sigterm": ignore_sigterm,
    "exit": exit_silently,
    "exit-code": exit_with_code,
    "killed": die_of_signal,
    "close-stdout": close_stdout,
    "leave-child": leave_child,
    "leave-working-child": leave_working_child,
    "noise": noise,
    "leave-session": lambda id: leave_session(id, good),
    "leave-session-exit": lambda id: leave_session(id, exit_silently),
    "leave-clean-child": leave_clean_child,
    "big-invokes": big_invokes,
    "twice-late": twice_late,
    "text-late": text_late,
    "half-late": half_late,
    "foreign-late": foreign_late,
    "deaf-late": deaf_late,
    "crash-late": crash_late,
    "claim": lambda id: end(id, 1),
    "text": lambda id: raw(b"Starting engine...\n"),
    "empty-line": lambda id: raw(b"\n"),
    "half-line": lambda id: raw(b'{"type":"end","id"\n'),
    "half-then-exit": half_then_exit,
    "half-then-silence": half_then_silence,
    "not-utf8": lambda id: raw(b'{"type":"fault","id":%d,"message":"\xff"}\n' % id),
    "long-line": long_line,
    "array": lambda id: raw(b"[1]\n"),
    "nan": lambda id: bomb(id, b"NaN"),
    "infinity": lambda id: bomb(id, b"-Infinity"),
    "huge": lambda id: bomb(id, b"1e400"),
    "huge-integer": lambda id: bomb(id, b"1" + b"0" * 400),
    "surrogate": lambda id: bomb(id, b'"\\ud800"'),
    "deep": lambda id: bomb(id, b"[" * 100_000 + b"]" * 100_000),
    "rather-deep": lambda id: bomb(id, b"[" * 200 + b"]" * 200),
    "unknown-type": lambda id: say(type="progress", id=id),
    "unknown-field": lambda id: transition(id, 1, colour="red"),
    "unknown-id": lambda id: end(id + 1, 1),
    "unknown-state": lambda id: transition(id, 1, to="DONE"),
    "unknown-node": lambda id: transition(id, 1, node="zzz"),
    "unknown-loop": lambda id: transition(id, 1, iteration=[{"loop": "zzz", "index": 0}]),
    "gap": lambda id: (transition(id, 1), transition(id, 3)),
    "repeated-number": lambda id: (transition(id, 1), transition(id, 1)),
    "end-twice": twice,
    "after-end": after_end,
    "wrong-count": lambda id: end(id, 1, messages=9),
    "description": lambda id: describe(id),
    "findings-late": lambda id: (transition(id, 1), say(type="findings", id=id)),
    "wrong-call": lambda id: (running(id), say(type="invoke", id=id, n=3, call=2, node=NODE)),
    "not-running": lambda id: (
        transition(id, 1),
        say(type="invoke", id=id, n=2, call=1, node=NODE),
    ),
    "abort-unknown": lambda id: say(type="abort", id=id, n=1, call=1),
    "seen-too-many": lambda id: idle(id, seen=5),
    "deadlock": idle,
    "fault": lambda id: say(type="fault", id=id, message="boom"),
}


def describe(id, **more):
    about = {"type": "description", "id": id, "protocol": 1, "name": "hostile", "version": "1"}
    say(**{**about, "levels": ["core"], "control": "interactive", **more})


START = {
    "start-exit": lambda id: sys.exit("no licence found"),
    "start-killed": lambda id: os.kill(os.getpid(), signal.SIGKILL),
    "start-version": lambda id: describe(id, protocol=9),
    "start-silent": lambda id: sleep_for_ever(),
    "start-other": lambda id: say(type="findings", id=id),
    "start-text": lambda id: raw(b"Welcome!\n"),
    "start-field": lambda id: describe(id, semantics="own"),
}

EVERYTHING = {
    "levels": ["core", "executing", "full"],
    "features": ["cancel", "events", "faults", "codes"],
}


def main():
    """Take a mode, or a file with the mode of each document (base64), as the argument."""
    global NODE
    mode = sys.argv[1]
    table = {"YmFk": mode}
    about = {}
    if mode.endswith(".json"):
        with open(mode) as file:
            table = json.load(file)
        about = EVERYTHING
    for line in sys.stdin:
        request = json.loads(line)
        if "document" in request:
            found = re.search(rb'<node id="([^"]+)"', base64.b64decode(request["document"]))
            NODE = found[1].decode() if found else "a"
        match request["type"]:
            case "describe" if mode in START:
                START[mode](request["id"])
            case "describe":
                describe(request["id"], **about)
            case "validate":
                say(type="findings", id=request["id"])
            case "run" if request["document"] in table:
                BAD[table[request["document"]]](request["id"])
            case "run":
                good(request["id"])
            case "stop" if mode == "ignore-sigterm":
                ignore_sigterm(0)
            case "stop":
                return


if __name__ == "__main__":
    main()
