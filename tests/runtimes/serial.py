"""A strictly serial runtime behind ``cmd:``: one node at a time, in document order.

It imports nothing but the standard library and its neighbours ``small_*``; run it
as ``cmd:python serial.py``. Where the text is open it follows the
preferred readings, and what follows from being serial: an ``any`` join and a failure find
nothing else running (A64, A152), iterations run one after the other whatever maxConcurrency
permits (A123, reading c), and a sibling in its backoff is CANCELLED when that is over (A50, b).
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from small_expressions import CodeError
from small_flow import STEPLESS, Flow
from small_gate import errors, findings
from small_readings import Readings
from small_talk import Talk
from small_waits import NEVER, Events, come_true, limit, pause

DESCRIPTION = {
    "protocol": 1,
    "name": "serial",
    "version": "2",
    "levels": ["core", "executing", "full"],
    "control": "interactive",
    "openSteps": 1,
    "clock": "virtual",
    "quiescence": "idle",
    "features": ["cancel", "events", "codes", "faults", "secrets"],
}


class Run(Talk):
    """One run, a node at a time."""

    def __init__(self, request):
        world = {
            "unresolvable": request.get("unresolvable", ()),
            "bad_digests": request.get("badDigests", ()),
            "refused": request.get("refused", ()),
            "companions": companions_of(request),
        }
        readings = Readings(W="b")
        super().__init__(request, Events(readings))
        self.main = Flow.main(base64.b64decode(request["document"]), readings, world)
        self.flows = [self.main]
        #: Node → when a wait is over by itself.
        self.over = {}
        self.cancelled = False

    # --- the life of a node --------------------------------------------------------------------

    def ready(self, node):
        node.attempt = 1
        self.move(node, "READY")
        if node.join == "any":
            for loser in node.flow.losers(node):
                loser.lost = True
                if loser.state == "READY":
                    self.move(loser, "CANCELLED")
                elif loser.state == "RUNNING":
                    self.stop(loser)

    def start(self, node):
        flow = node.flow
        try:
            if node.guard is not None and not flow.truth(node.guard, node):
                self.move(node, "SKIPPED")
                return
            self.move(node, "RUNNING")
            inputs = flow.prepare(node)
            if node.loop:
                node.items = flow.items(node)
                node.failures = []
        except CodeError as error:
            if node.state == "READY":
                self.move(node, "RUNNING")
            self.give_up(node, code=error.code)
            return
        if node.type == "wait":
            self.begin_wait(node)
        elif node.type == "subworkflow":
            self.due[node] = self.now + limit(node)
            node.children = [node.nested]
            self.flows.append(node.nested)
            self.begin(node.nested)
        elif node.type in STEPLESS or (flow.mute and not node.loop):
            self.move(node, "SUCCEEDED")
        elif not node.loop:
            self.step(node, inputs)

    def begin(self, flow):
        for node in flow.nodes.values():
            if flow.starts(node):
                self.ready(node)

    def begin_wait(self, node):
        self.over[node] = self.now + pause(node)
        self.due[node] = min(self.over[node], self.now + limit(node))
        if "event" in node.wait and self.events.begin(node):
            self.finish(node)
        self.look_again()

    def finish(self, node):
        """The wait of a node is over."""
        del self.due[node]
        self.move(node, "SUCCEEDED")

    def look_again(self):
        """Look at what waits for a value whether it has come."""
        for node in [n for n in self.due if n.state == "RUNNING" and "until" in (n.wait or ())]:
            try:
                over = node in self.due and come_true(node)
            except CodeError as error:
                del self.due[node]
                self.give_up(node, code=error.code)
                continue
            if over:
                self.finish(node)

    def step(self, node, inputs):
        self.calls += 1
        call = self.calls
        self.send(
            "invoke",
            call=call,
            node=node.id,
            iteration=self.place(node),
            attempt=node.attempt,
            inputs=inputs,
        )
        answer = self.wait(self.now + limit(node), node)
        if answer is None:
            self.send("abort", call=call)
            if node.state == "RUNNING":
                self.timed_out(node)
        elif answer["result"] == "ok":
            node.outputs = answer.get("outputs", {})
            self.move(node, "SUCCEEDED")
        else:
            self.fail(node, answer.get("errorClass"), message=answer.get("message"))

    def timed_out(self, node):
        action = node.timeout.get("onTimeout", "fail")
        if action == "skip":
            self.move(node, "SKIPPED")
        else:
            self.fail(node, "timeout", code="HX-4108", forced=action == "retry")

    def fail(self, node, error_class, code=None, message=None, *, forced=False):
        """An attempt failed."""
        if not self.halting(node) and node.flow.retries(node, error_class, forced=forced):
            self.move(node, "RETRYING", errorClass=error_class, message=message)
            self.due[node] = self.now + node.flow.delay(node)
        else:
            self.give_up(node, errorClass=error_class, code=code, message=message)

    def halting(self, node):
        return node.flow.halted and not (node.undoing and not self.cancelled)

    def give_up(self, node, **fields):
        """§5.8: the failure is handled by error edges or propagates, in a loop to the loop."""
        flow = node.flow
        self.move(node, "FAILED", **fields)
        if flow.halted or node.lost:
            return
        edges, handlers = flow.handlers(node)
        for handler in handlers:
            self.ready(handler)
        if not edges:
            flow.unhandled = True
            if flow.parent is None:
                self.halt(flow)

    def stop(self, node):
        """End a node that waits, or a loop that may be cancelled with what is in it."""
        if node.state in ("READY", "RETRYING"):
            self.move(node, "CANCELLED")
        elif node.state == "RUNNING" and node.idempotent:
            for child in node.children:
                self.halt(child)
            self.move(node, "CANCELLED")
        if node.state == "CANCELLED":
            self.due.pop(node, None)

    def halt(self, flow):
        flow.halted = True
        for node in flow.nodes.values():
            self.stop(node)

    def cancel(self):
        """The instance is cancelled from outside, also what is PENDING and reachable (A08)."""
        self.cancelled = True
        waiting = [] if self.main.halted else self.main.still_reachable()
        self.halt(self.main)
        for node in waiting:
            self.move(node, "CANCELLED")

    # --- loops ---------------------------------------------------------------------------------

    def iterate(self, loop):
        """Go on with a RUNNING loop whose last iteration, if any, is at rest."""
        flow = loop.flow
        if loop.children:
            loop.latest = loop.children.pop()
            self.flows.remove(loop.latest)
            loop.failures.append(loop.latest.item_failed())
        try:
            coming = None if flow.ends_loop(loop, loop.failures) else next(loop.items, None)
        except CodeError as error:
            self.give_up(loop, code=error.code)
            return
        if coming is not None:
            child = flow.iteration(loop, *coming)
            loop.children.append(child)
            self.flows.append(child)
            self.ready(child.nodes[child.body])
        elif flow.loop_failed(loop, loop.failures):
            self.give_up(loop)
        else:
            self.move(loop, "SUCCEEDED")

    def leave(self, node):
        """A subworkflow's document is at rest; what it undoes in itself would show nowhere."""
        self.drop(node)
        if node.nested.unhandled:
            self.fail(node, None)
        else:
            self.move(node, "SUCCEEDED")

    def drop(self, node):
        self.due.pop(node, None)
        for child in node.children:
            self.halt(child)
            self.flows.remove(child)
        node.children = []

    # --- the run ---------------------------------------------------------------------------------

    def execute(self):
        self.begin(self.main)
        self.drain()
        if self.main.unhandled:
            self.compensate()
        return self.main.outcome(cancelled=self.cancelled)

    def drain(self):
        while self.advance():
            pass

    def nodes(self, *states):
        """Innermost iterations first."""
        return [
            n for flow in reversed(self.flows) for n in flow.nodes.values() if n.state in states
        ]

    def advance(self):
        """Do the next thing; False when nothing is left."""
        for flow in self.flows:
            for node in flow.newly_ready():
                self.ready(node)
                return True
        for node in self.nodes("READY"):
            self.start(node)
            return True
        for node in self.nodes("RUNNING"):
            if any(self.live(child) for child in node.children):
                continue
            if node.loop or node.children:
                (self.iterate if node.loop else self.leave)(node)
                return True
        if self.due:
            self.wake()
            if self.due and not self.nodes("READY"):
                self.wait(min(self.due.values()))
            return True
        return False

    @staticmethod
    def live(flow):
        return any(n.state in ("READY", "RUNNING", "RETRYING") for n in flow.nodes.values())

    def wake(self):
        """What backoffs and pauses do that are over, also while another one's step is open."""
        for node in [node for node, due in self.due.items() if due <= self.now + 1e-9]:
            self.due.pop(node, None)  # what is waited for inside is gone with what is outside
            if node.state == "RUNNING":
                self.drop(node)
                if self.over.get(node, NEVER) <= self.now + 1e-9:
                    self.move(node, "SUCCEEDED")
                else:
                    self.timed_out(node)
                continue
            node.attempt += 1
            self.move(node, "READY")
            if node.lost:
                self.move(node, "CANCELLED")

    def compensate(self):
        """§8.4.1: what has succeeded is undone, the latest completion first."""
        for node in reversed(self.main.completed[:]):
            targets = self.main.undo_targets(node)
            for target in targets:
                if self.cancelled or target.state != "PENDING":
                    continue
                target.undoing = True
                self.ready(target)
                self.drain()
                if target.state == "FAILED":
                    self.main.undo_failed = True
                    self.main.codes.append({"code": "HX-4110", "node": target.id})
            if targets and all(target.state == "SUCCEEDED" for target in targets):
                self.move(node, "COMPENSATED")


def companions_of(request):
    companions = request.get("companions", {})
    return {uri: base64.b64decode(content) for uri, content in companions.items()}


def main():
    for line in sys.stdin:
        request = json.loads(line)
        if request["type"] in ("validate", "run"):
            faults = findings(base64.b64decode(request["document"]), companions_of(request))
            if errors(faults) or request["type"] == "validate":
                answer = {"type": "findings", "id": request["id"], "findings": faults}
                print(json.dumps(answer), flush=True)
                continue
        match request["type"]:
            case "describe":
                answer = {"type": "description", "id": request["id"], **DESCRIPTION}
                print(json.dumps(answer), flush=True)
            case "run":
                run = Run(request)
                unsigned = "unsigned" in request.get("refused", ())  # §11.8: nothing moves
                outcome = "failed" if unsigned else run.execute()
                run.send("end", messages=run.n + 1, outcome=outcome, codes=run.main.codes)
            case "stop":
                return


if __name__ == "__main__":
    main()
