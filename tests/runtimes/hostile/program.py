"""A program behind ``cmd:`` that behaves, except on the document ``bad`` in one way by name."""

import json
import os
import signal
import sys
import time

OUT = sys.stdout.buffer


def raw(data):
    OUT.write(data)
    OUT.flush()


def say(**message):
    raw(json.dumps(message).encode() + b"\n")


def transition(id, n, to="READY", node="a", **more):
    say(type="transition", id=id, n=n, node=node, **{"from": "PENDING"}, to=to, **more)


def end(id, n, **more):
    say(**{"type": "end", "id": id, "n": n, "messages": n, "outcome": "succeeded", **more})


def running(id):
    transition(id, 1)
    say(type="transition", id=id, n=2, node="a", **{"from": "READY"}, to="RUNNING")


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
    raw(b'{"type":"' + b"x" * (1 << 21) + b'"}\n')


def bomb(id, inputs):
    running(id)
    raw(
        b'{"type":"invoke","id":%d,"n":3,"call":1,"node":"a","inputs":{"x":%s}}\n' % (id, inputs)
    )
    end(id, 4)


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


def noise(id):
    line = b"x" * 1023 + b"\n"
    for _ in range(50 * 1024):
        os.write(2, line)
    os.write(2, b"last words\n")
    good(id)


def late(id):
    time.sleep(0.6)
    good(id)


def in_one_write(*messages):
    raw(b"".join(json.dumps(m).encode() + b"\n" for m in messages))


def twice(id):
    last = {"type": "end", "id": id, "n": 1, "messages": 1}
    in_one_write(last, last)


def after_end(id):
    in_one_write(
        {"type": "end", "id": id, "n": 1, "messages": 1},
        {"type": "transition", "id": id, "n": 2, "node": "a", "from": "PENDING", "to": "READY"},
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
    "wrong-call": lambda id: (running(id), say(type="invoke", id=id, n=3, call=2, node="a")),
    "not-running": lambda id: (
        transition(id, 1),
        say(type="invoke", id=id, n=2, call=1, node="a"),
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
    "start-version": lambda id: describe(id, protocol=9),
    "start-silent": lambda id: sleep_for_ever(),
    "start-other": lambda id: say(type="findings", id=id),
    "start-text": lambda id: raw(b"Welcome!\n"),
    "start-field": lambda id: describe(id, semantics="own"),
}


def main():
    mode = sys.argv[1]
    for line in sys.stdin:
        request = json.loads(line)
        match request["type"]:
            case "describe":
                START.get(mode, describe)(request["id"])
            case "validate":
                say(type="findings", id=request["id"])
            case "run" if request["document"] == "YmFk":
                BAD[mode](request["id"])
            case "run":
                good(request["id"])
            case "stop" if mode == "ignore-sigterm":
                ignore_sigterm(0)
            case "stop":
                return


main()
