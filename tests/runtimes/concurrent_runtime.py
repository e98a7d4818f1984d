"""A runtime on asyncio that really runs attempts concurrently, on the wall clock.

It cannot know when nothing is left to happen outside, so it declares ``settle``. From this
folder it is ``adapter:concurrent_runtime``.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from small_flow import STEPLESS, CodeError, Flow, seconds


class Concurrent:
    """The object that the host serves."""

    def describe(self):
        return {
            "name": "concurrent",
            "version": "1",
            "levels": ["executing"],
            "clock": "wall",
            "quiescence": "settle",
            "features": ["codes"],
        }

    def validate(self, _document):
        return []

    async def run(self, document, session):
        return await Instance(Flow(document), session).execute()


class Instance:
    """One run: a task per attempt, woken states through one condition."""

    def __init__(self, flow, session):
        self.flow = flow
        self.session = session
        self.tasks = {}

    def move(self, node, state, **fields):
        self.session.transition(node.id, node.state, state, attempt=max(node.attempt, 1), **fields)
        node.state = state

    async def execute(self):
        for node in self.flow.nodes.values():
            if self.flow.starts(node):
                self.ready(node)
        self.spread()
        while self.tasks:
            await asyncio.wait(self.tasks.values(), return_when=asyncio.FIRST_COMPLETED)
            for name, task in list(self.tasks.items()):
                if task.done():
                    del self.tasks[name]
                    if not task.cancelled():
                        task.result()
            self.spread()
        return {"outcome": self.flow.outcome(), "codes": self.flow.codes}

    def spread(self):
        while ready := self.flow.newly_ready():
            self.ready(ready[0])

    def ready(self, node):
        node.attempt = 1
        self.move(node, "READY")
        if node.join == "any":
            for loser in self.flow.losers(node):
                self.stop(loser, {"READY", "RUNNING"})
        self.tasks[node.id] = asyncio.ensure_future(self.live(node))

    def stop(self, node, states):
        """Cancel a node in one of the states; a running one that is not idempotent finishes."""
        if node.state not in states:
            return
        if node.state == "RUNNING" and not node.idempotent:
            node.discarded = True
            return
        self.move(node, "CANCELLED")
        if node.id in self.tasks:
            self.tasks[node.id].cancel()

    async def live(self, node):
        """All attempts of one node."""
        while await self.attempt(node):
            await asyncio.sleep(self.flow.delay(node))
            node.attempt += 1
            self.move(node, "READY")

    async def attempt(self, node):
        """One attempt; True when another one follows."""
        flow = self.flow
        try:
            if node.guard is not None and not flow.truth(node.guard):
                self.move(node, "SKIPPED")
                return False
            self.move(node, "RUNNING")
            inputs = flow.inputs(node)
            if node.cases:
                node.chosen = flow.decide(node)
        except CodeError as error:
            if node.state == "READY":
                self.move(node, "RUNNING")
            self.fail(node, None, code=error.code)
            return False
        if node.type in STEPLESS:
            self.move(node, "SUCCEEDED")
            return False
        return await self.step(node, inputs)

    async def step(self, node, inputs):
        call = self.session.invoke(node.id, inputs, attempt=node.attempt)
        limit = None if node.timeout is None else seconds(node.timeout["duration"])
        try:
            answer = await asyncio.wait_for(call, limit)
        except asyncio.CancelledError:
            self.session.abort(call)
            raise
        except TimeoutError:
            self.session.abort(call)
            return self.timed_out(node)
        if answer.result == "ok":
            node.outputs = answer.outputs
            self.move(node, "SUCCEEDED")
            return False
        if self.flow.unwinding or not self.flow.retries(node, answer.error_class):
            self.fail(node, answer.error_class, message=answer.message)
            return False
        self.move(node, "RETRYING", error_class=answer.error_class, message=answer.message)
        return True

    def timed_out(self, node):
        action = node.timeout.get("onTimeout", "fail")
        if action == "skip":
            self.move(node, "SKIPPED")
            return False
        if node.attempt < int((node.retry or {}).get("maxAttempts", "1")) and (
            action == "retry" or self.flow.retries(node, "timeout")
        ):
            self.move(node, "RETRYING", error_class="timeout")
            return True
        self.fail(node, "timeout", code="HX-4108")
        return False

    def fail(self, node, error_class, code=None, message=None):
        self.move(node, "FAILED", error_class=error_class, code=code, message=message)
        if self.flow.unwinding or node.discarded:
            return
        edges, handlers = self.flow.handlers(node)
        for handler in handlers:
            self.ready(handler)
        if not edges:
            self.flow.unwinding = True
            for other in self.flow.nodes.values():
                self.stop(other, {"READY", "RUNNING", "RETRYING"})


adapter = Concurrent()
