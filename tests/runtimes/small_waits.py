"""What wait nodes wait for (§3.2.9): time, a value, or an event from outside."""

from __future__ import annotations

from collections import Counter

from small_document import seconds
from small_expressions import CodeError

NEVER = float("inf")


class Events:
    """The events of a run, and who waits for them, in the order in which they began."""

    def __init__(self, readings):
        #: A147: whether what arrives early is remembered; V: whether a wait uses it up.
        self.remembers = readings["A147"] == "a"
        self.shared = readings["V"] == "a"
        self.arrived = Counter()
        self.waiting = []

    def begin(self, node):
        """A wait begins; whether it is over at once."""
        name = node.wait["event"]
        if not self.arrived[name]:
            self.waiting.append(node)
            return False
        self.arrived[name] -= not self.shared
        return True

    def arrive(self, name):
        """The nodes whose wait an event ends."""
        self.waiting = [node for node in self.waiting if node.state == "RUNNING"]
        over = [node for node in self.waiting if node.wait["event"] == name]
        if not self.shared:
            over = over[:1]
        self.waiting = [node for node in self.waiting if node not in over]
        self.arrived[name] += self.remembers and (self.shared or not over)
        return over


def pause(node):
    """Seconds that a wait takes by itself."""
    return seconds(node.wait["duration"]) if "duration" in node.wait else NEVER


def limit(node):
    """Seconds that a node may be RUNNING; for a wait that depends on A143."""
    free = node.type == "wait" and node.flow.readings["A143"] == "b"
    return NEVER if node.timeout is None or free else seconds(node.timeout["duration"])


def come_true(node):
    """Whether what a wait waits for is so now; null is not true yet (W), others are faults."""
    value = node.flow.value(node.wait["until"], node)
    if value is None and node.flow.readings["W"] == "a":
        return False
    if not isinstance(value, bool):
        raise CodeError("HX-4107")
    return value
