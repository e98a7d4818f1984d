"""A strictly serial runtime behind ``cmd:``: one node at a time, in document order.

It imports nothing but the standard library and its neighbour ``small_flow``; run it as
``cmd:python serial.py``.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from small_flow import STEPLESS, CodeError, Flow, seconds

DESCRIPTION = {
    "protocol": 1,
    "name": "serial",
    "version": "1",
    "levels": ["executing"],
    "control": "interactive",
    "openSteps": 1,
    "clock": "virtual",
    "quiescence": "idle",
    "features": ["cancel", "codes"],
}


class CancelledError(Exception):
    """The suite cancelled the instance."""


class Run:
    """One run; every wait is a blocking read of the next message."""

    def __init__(self, request, flow):
        self.id = request["id"]
        self.flow = flow
        self.n = self.seen = self.calls = 0
        self.now = 0.0
        self.due = {}

    def send(self, kind, **fields):
        self.n += 1
        message = {"type": kind, "id": self.id, "n": self.n, **fields}
        print(json.dumps({k: v for k, v in message.items() if v is not None}), flush=True)

    def move(self, node, state, **fields):
        self.send(
            "transition",
            node=node.id,
            **{"from": node.state},
            to=state,
            attempt=max(node.attempt, 1),
            **fields,
        )
        node.state = state

    def wait(self, until=None, call=None):
        """Wait for a timer to be due or the call's outcome; None says that the time came."""
        while until is None or self.now + 1e-9 < until:
            times = [t for t in (until, *self.due.values()) if t is not None]
            self.send("idle", seen=self.seen, timer=min(times) - self.now if times else None)
            message = json.loads(sys.stdin.readline())
            self.seen += 1
            match message["type"]:
                case "outcome" if message["call"] == call:
                    return message
                case "advance":
                    self.now += message["seconds"]
                    self.back_off()
                case "cancel":
                    raise CancelledError
        return None

    # --- the life of a node ----------------------------------------------------------------

    def ready(self, node):
        node.attempt = 1
        self.move(node, "READY")
        if node.join == "any":
            for loser in self.flow.losers(node):
                if loser.state == "READY":
                    self.move(loser, "CANCELLED")

    def start(self, node):
        flow = self.flow
        try:
            if node.guard is not None and not flow.truth(node.guard):
                self.move(node, "SKIPPED")
                return
            self.move(node, "RUNNING")
            inputs = flow.inputs(node)
            if node.cases:
                node.chosen = flow.decide(node)
        except CodeError as error:
            if node.state == "READY":
                self.move(node, "RUNNING")
            self.fail(node, None, code=error.code)
            return
        if node.type in STEPLESS:
            self.move(node, "SUCCEEDED")
        else:
            self.step(node, inputs)

    def step(self, node, inputs):
        self.calls += 1
        call = self.calls
        self.send("invoke", call=call, node=node.id, attempt=node.attempt, inputs=inputs)
        limit = None if node.timeout is None else self.now + seconds(node.timeout["duration"])
        try:
            answer = self.wait(limit, call)
        except CancelledError:
            if not node.idempotent:
                self.finish_despite_cancel(node, call)
                raise
            self.send("abort", call=call)
            self.move(node, "CANCELLED")
            raise
        if answer is None:
            self.send("abort", call=call)
            self.timed_out(node)
        elif answer["result"] == "ok":
            node.outputs = answer.get("outputs", {})
            self.move(node, "SUCCEEDED")
        else:
            self.fail(node, answer.get("errorClass"), message=answer.get("message"))

    def finish_despite_cancel(self, node, call):
        answer = self.wait(None, call)
        self.move(node, "SUCCEEDED" if answer["result"] == "ok" else "FAILED")

    def timed_out(self, node):
        action = node.timeout.get("onTimeout", "fail")
        if action == "skip":
            self.move(node, "SKIPPED")
        else:
            self.fail(node, "timeout", code="HX-4108", forced=action == "retry")

    def fail(self, node, error_class, code=None, message=None, *, forced=False):
        flow = self.flow
        again = flow.retries(node, error_class) or (
            forced and flow.retries(node, (node.retry or {}).get("retryOn", "").split(" ")[0])
        )
        if again and code in (None, "HX-4108"):
            self.move(node, "RETRYING", errorClass=error_class, message=message)
            self.due[node.id] = self.now + flow.delay(node)
            return
        self.move(node, "FAILED", errorClass=error_class, code=code, message=message)
        edges, handlers = flow.handlers(node)
        for handler in handlers:
            self.ready(handler)
        if not edges:
            self.unwind()

    def unwind(self):
        self.flow.unwinding = True
        self.due.clear()
        for node in self.flow.nodes.values():
            if node.state in ("READY", "RETRYING"):
                self.move(node, "CANCELLED")

    # --- the run ---------------------------------------------------------------------------

    def execute(self):
        flow = self.flow
        for node in flow.nodes.values():
            if flow.starts(node):
                self.ready(node)
        try:
            while self.advance():
                pass
        except CancelledError:
            self.unwind()
            return "cancelled"
        return flow.outcome()

    def advance(self):
        """Do the next thing; False when nothing is left."""
        for node in self.flow.newly_ready():
            self.ready(node)
            return True
        for node in self.flow.nodes.values():
            if node.state == "READY":
                self.start(node)
                return True
        if self.due:
            self.back_off()
            if self.due:
                self.wait(min(self.due.values()))
            return True
        return False

    def back_off(self):
        """Nodes whose backoff is over are READY again, also while another one's step is open."""
        for name in [name for name, due in self.due.items() if due <= self.now + 1e-9]:
            del self.due[name]
            node = self.flow.nodes[name]
            node.attempt += 1
            self.move(node, "READY")


def main():
    for line in sys.stdin:
        request = json.loads(line)
        match request["type"]:
            case "describe":
                answer = {"type": "description", "id": request["id"], **DESCRIPTION}
                print(json.dumps(answer), flush=True)
            case "run":
                run = Run(request, Flow(base64.b64decode(request["document"])))
                outcome = run.execute()
                run.send("end", messages=run.n + 1, outcome=outcome, codes=run.flow.codes)
            case "validate":
                print(json.dumps({"type": "findings", "id": request["id"]}), flush=True)
            case "stop":
                return


if __name__ == "__main__":
    main()
