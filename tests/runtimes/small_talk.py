"""The serial runtime's side of the conversation: every wait is a blocking read of the next message.

Part of ``serial``, which says what a run does when something comes.
"""

from __future__ import annotations

import json
import sys

from small_document import redacted
from small_waits import NEVER


class Talk:
    """One run's messages; what is heard goes to ``wake``, ``cancel``, ``finish``."""

    def __init__(self, request, events):
        self.id = request["id"]
        self.secrets = request.get("secrets", {})
        self.events = events
        self.n = self.seen = self.calls = 0
        self.now = 0.0
        #: Node → when its backoff, its pause or its time is over.
        self.due = {}

    def send(self, kind, **fields):
        self.n += 1
        message = {"type": kind, "id": self.id, "n": self.n, **fields}
        print(json.dumps({k: v for k, v in message.items() if v is not None}), flush=True)

    @staticmethod
    def place(node):
        return [{"loop": loop, "index": index} for loop, index in node.flow.path]

    def move(self, node, state, **fields):
        for told in {"message", "errorClass"} & fields.keys():
            fields[told] = redacted(fields[told], self.secrets)
        if not node.flow.mute:
            self.send(
                "transition",
                node=node.id,
                **{"from": node.state},
                to=state,
                iteration=self.place(node),
                attempt=max(node.attempt, 1),
                **fields,
            )
        node.flow.enter(node, state)
        if state == "SUCCEEDED":
            self.look_again()

    def soonest(self, until):
        """Seconds until the next thing that happens by itself."""
        times = [t for t in (until, *self.due.values()) if t not in (None, NEVER)]
        return min(times) - self.now if times else None

    def wait(self, until=None, node=None):
        """Wait for a time, or for the outcome of the node's call; None if another thing came."""
        while until is None or self.now + 1e-9 < until:
            self.send("idle", seen=self.seen, timer=self.soonest(until))
            message = json.loads(sys.stdin.readline())
            self.seen += 1
            match message["type"]:
                case "outcome" if node is not None and message["call"] == self.calls:
                    return message
                case "advance":
                    self.now += message["seconds"]
                    self.wake()
                case "event":
                    for waiting in self.events.arrive(message["name"]):
                        self.finish(waiting)
                    if node is None:
                        return None
                case "cancel":
                    self.cancel()
                    if node is None or node.state != "RUNNING":
                        return None
        return None
