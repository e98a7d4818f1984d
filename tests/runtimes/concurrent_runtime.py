"""Runtimes on asyncio that really run attempts concurrently.

Where the text is open they follow other readings than ``serial.py`` wherever they can, to prove
that the corpus accepts them: ``unusual``, of level Full, those in ``UNUSUAL``; ``plain``, which
knows no compensation and stops at level Executing, those in ``PLAIN``. Both run on the suite's
clock. ``adapter`` and ``plain_wall`` are the same two on the wall clock: they cannot know when
nothing is left to happen outside, so they declare ``settle``. From this folder the first is
``adapter:concurrent_runtime:unusual``; ``mixed_7`` follows what the seed 7 draws.
"""

from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).parent))
from small_document import CodeError, seconds
from small_flow import STEPLESS, Flow
from small_gate import findings
from small_readings import PLAIN, UNUSUAL, draw


class Concurrent:
    """The object that the host serves."""

    def __init__(self, name, levels, readings, *, wall=False, dawdles=None):
        self.name = name
        self.levels = levels
        self.readings = readings
        self.wall = wall
        #: Source of chance for how long nodes and answers lie about; None for not at all.
        self.dawdles = dawdles

    def describe(self):
        return {
            "name": self.name,
            "version": "2",
            "levels": self.levels,
            "clock": "wall" if self.wall else "virtual",
            "quiescence": "settle" if self.wall else "idle",
            "features": ["cancel", "codes", "faults"],
        }

    def validate(self, document):
        return findings(ElementTree.fromstring(document))

    async def run(self, document, session):
        if faults := self.validate(document):
            return session.invalid(faults)
        faulty = ("unresolvable", "bad_digests", "refused")
        world = {name: getattr(session, name) for name in faulty}
        flow = Flow.main(document, self.readings, world)
        sleep = asyncio.sleep if self.wall else session.sleep
        instance = Instance(flow, session, sleep, self.dawdles, undoes="full" in self.levels)
        return await instance.execute()


class Instance:
    """One run: the main flow, and what happens to it as a whole."""

    def __init__(self, flow, session, sleep, dawdles, *, undoes):
        self.flow = flow
        self.session = session
        self.sleep = sleep
        self.dawdles = dawdles
        self.undoes = undoes
        self.cancelled = False
        self.scope = Scope(self, flow)

    async def execute(self):
        listener = asyncio.ensure_future(self.listen())
        await self.scope.run()
        if self.flow.unhandled and self.undoes:
            await self.compensate()
        listener.cancel()
        outcome = self.flow.outcome(cancelled=self.cancelled)
        return {"outcome": outcome, "codes": self.flow.codes}

    async def dawdle(self):
        """Let others go first, a random number of times."""
        for _ in range(self.dawdles.randrange(6) if self.dawdles else 0):
            await asyncio.sleep(0)

    async def listen(self):
        while True:
            message = await self.session.receive()
            if message["type"] == "cancel":
                self.cancel()

    def cancel(self):
        self.cancelled = True
        gently = self.flow.readings["X"] == "b"
        reachable = [] if self.flow.halted else self.flow.still_reachable()
        self.scope.halt({"READY", "RETRYING"} if gently else {"READY", "RETRYING", "RUNNING"})
        for node in self.flow.nodes.values():
            if node.type == "wait":  # which has no end of its own that would come for sure
                self.scope.stop(node, {"RUNNING"})
        if self.flow.readings["A08"] == "a":
            for node in reachable:
                self.scope.move(node, "CANCELLED")

    def unwind(self, dependents):
        """§8.4.1, step 1; dependents of the failed node are free to run or not (A94)."""
        readings = self.flow.readings
        if readings["A94"] == "b":
            self.scope.start(dependents)
        states = {"READY", "RETRYING", "RUNNING"}
        states -= {"RUNNING"} if readings["A95"] == "b" else set()
        states -= {"RETRYING"} if readings["A92"] != "a" else set()
        self.scope.halt(states)
        if readings["A94"] == "c":
            self.scope.start(dependents)
        if readings["A91"] == "b":
            self.scope.drop(lambda node: not (self.undoes and self.flow.undoes(node)))

    async def compensate(self):
        """§8.4.1: what has succeeded is undone, the latest completion first."""
        flow = self.flow
        for node in reversed(flow.completed[:]):
            targets = flow.undo_targets(node)
            if node.discarded and flow.readings["A93"] == "b":
                continue
            for target in targets:
                if target.state == "PENDING" and not self.cancelled:
                    target.undoing = True
                    await self.scope.run([target])
                    if target.state == "FAILED":
                        flow.undo_failed = True
                        flow.codes.append({"code": "HX-4110", "node": target.id})
            if targets and all(target.state == "SUCCEEDED" for target in targets):
                self.scope.move(node, "COMPENSATED")
        if flow.readings["A91"] == "b":
            self.scope.drop(lambda _: True)


class Scope:
    """The main flow or an iteration: a task for each node that is under way."""

    def __init__(self, instance, flow):
        self.instance = instance
        self.session = instance.session
        self.flow = flow
        self.tasks = {}

    def move(self, node, state, **fields):
        if not (node.undoing and self.flow.readings["A96"] == "b"):
            place = {"iteration": self.flow.path, "attempt": max(node.attempt, 1)}
            self.session.transition(node.id, node.state, state, **place, **fields)
        self.flow.enter(node, state)

    async def run(self, first=None):
        """From some nodes, or those that the flow starts with, until nothing is under way."""
        self.start(first or self.starters())
        await self.drain()

    def starters(self):
        return [node for node in self.flow.nodes.values() if self.flow.starts(node)]

    async def drain(self):
        self.spread()
        while self.tasks:
            await asyncio.wait(self.tasks.values(), return_when=asyncio.FIRST_COMPLETED)
            for node, task in list(self.tasks.items()):
                if task.done():
                    del self.tasks[node]
                    if not task.cancelled():
                        task.result()
            self.spread()

    def spread(self):
        while ready := self.flow.newly_ready():
            self.ready(ready[0])

    def start(self, nodes):
        for node in nodes:
            self.ready(node)

    def ready(self, node):
        node.attempt = 1
        self.move(node, "READY")
        if node.join == "any":
            for loser in self.flow.losers(node):
                loser.lost = True
                states = {"READY", "RUNNING", "RETRYING"}
                states -= {"READY"} if self.flow.readings["A48"] == "b" else set()
                states -= {"RETRYING"} if self.flow.readings["A50"] == "c" else set()
                self.stop(loser, states)
        self.tasks[node] = asyncio.ensure_future(self.live(node))

    # --- stopping ------------------------------------------------------------------------------

    def stop(self, node, states):
        """Cancel a node in one of the states; a running one that is not idempotent finishes."""
        if node.state == "RUNNING" and node.loop:
            if node.idempotent:
                node.stopped = True
                for child in node.children:
                    child.halt(states)
        elif node.state == "RUNNING" and not node.idempotent:
            node.discarded = True
        elif node.state in states:
            self.move(node, "CANCELLED")
            self.tasks[node].cancel()

    def halt(self, states):
        """Start nothing any more and stop what is under way in one of the states."""
        self.flow.halted = True
        for node in self.flow.nodes.values():
            self.stop(node, states)

    def drop(self, wanted):
        for node in self.flow.nodes.values():
            if node.state == "PENDING" and wanted(node):
                self.move(node, "CANCELLED")

    # --- the life of a node ----------------------------------------------------------------------

    async def live(self, node):
        """All attempts of one node."""
        while await self.attempt(node):
            await self.instance.sleep(self.flow.delay(node))
            node.attempt += 1
            self.move(node, "READY")
            if self.flow.halted and not node.undoing and self.flow.readings["A92"] == "b":
                self.move(node, "CANCELLED")
                return

    async def attempt(self, node):
        """One attempt; True when another one follows."""
        flow = self.flow
        await self.instance.dawdle()
        try:
            if node.guard is not None and not flow.truth(node.guard, node):
                self.move(node, "SKIPPED")
                return False
            self.move(node, "RUNNING")
            inputs = flow.prepare(node)
            items = node.loop and flow.items(node)
        except CodeError as error:
            if node.state == "READY":
                self.move(node, "RUNNING")
            self.give_up(node, code=error.code)
            return False
        if node.loop:
            await self.iterate(node, items)
            return False
        if node.type not in STEPLESS | {"wait"}:
            return await self.step(node, inputs)
        if node.type == "wait":
            sleep = self.instance.sleep
            # Events and conditions are not among what these runtimes claim: they never come.
            await (asyncio.Event().wait() if node.pause is None else sleep(node.pause))
        self.move(node, "SUCCEEDED")
        return False

    async def step(self, node, inputs):
        path = self.flow.path
        call = self.session.invoke(node.id, inputs, iteration=path, attempt=node.attempt)
        limit = None if node.timeout is None else seconds(node.timeout["duration"])
        answering = asyncio.ensure_future(_answer(call))
        ways = {answering}
        if limit is not None:
            ways.add(asyncio.ensure_future(self.instance.sleep(limit)))
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self.session.abort(call)
            raise
        finally:
            for way in ways:
                way.cancel()
        if call.answer is None:
            self.session.abort(call)
            return self.timed_out(node)
        answer = call.answer
        await self.instance.dawdle()
        if answer.result == "ok":
            node.outputs = answer.outputs
            if self.flow.unbound(node):
                self.give_up(node)
                return False
            self.move(node, "SUCCEEDED")
            return False
        return self.fail(node, error_class=answer.error_class, message=answer.message)

    def timed_out(self, node):
        action = node.timeout.get("onTimeout", "fail")
        if action != "skip":
            forced = action == "retry"
            return self.fail(node, forced=forced, error_class="timeout", code="HX-4108")
        if self.flow.readings["A17"] == "b":
            self.move(node, "RETRYING")
            self.move(node, "READY")
        self.move(node, "SKIPPED")
        return False

    def fail(self, node, *, forced=False, **fields):
        """An attempt failed; True when another one follows."""
        again = self.flow.retries(node, fields["error_class"], forced=forced)
        if not again:
            by_the_way = "A16" if node.retry and self._was_last(node) else "A15"
            if node.retry and node.idempotent and self.flow.readings[by_the_way] == "b":
                self.move(node, "RETRYING", **fields)
            self.give_up(node, **fields)
            return False
        self.move(node, "RETRYING", **fields)
        ended = self.flow.halted and not node.undoing
        if ended and (self.instance.cancelled or self.flow.readings["A92"] == "a"):
            self.move(node, "CANCELLED")
            return False
        return True

    @staticmethod
    def _was_last(node):
        return node.attempt >= int(node.retry["maxAttempts"])

    def give_up(self, node, **fields):
        """§5.8: the failure is handled by error edges or propagates, in a loop to the loop."""
        flow = self.flow
        self.move(node, "FAILED", **fields)
        if flow.halted or node.discarded:
            return
        edges, handlers = flow.handlers(node)
        for handler in handlers:
            self.ready(handler)
        if edges:
            return
        flow.unhandled = True
        if self is self.instance.scope:
            self.instance.unwind(self.dependents(node))

    def dependents(self, failed):
        """What FAILED lets run over a dependency edge."""
        return [
            node
            for node in self.flow.newly_ready()
            if any(e.source == failed.id for e in self.flow.into(node.id, "dependency"))
        ]

    # --- loops -----------------------------------------------------------------------------------

    async def iterate(self, loop, items):
        """Run the iterations of a loop, as many together as it permits."""
        flow = self.flow
        running, failures, code = {}, [], None
        while True:
            known = [*failures, *(child.flow.item_failed() for child in running.values())]
            if not (code or loop.stopped or flow.ends_loop(loop, known)):
                code = self.begin(loop, items, running)
            if not running:
                break
            await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in [task for task in running if task.done()]:
                task.result()
                loop.latest = running.pop(task).flow
                failures.append(loop.latest.item_failed())
            if flow.ends_loop(loop, failures) and flow.readings["A123"] == "a":
                for child in running.values():
                    child.halt({"READY", "RETRYING", "RUNNING"})
        if loop.stopped:
            self.move(loop, "CANCELLED")
        elif code or flow.loop_failed(loop, failures):
            self.give_up(loop, code=code)
        else:
            self.move(loop, "SUCCEEDED")

    def begin(self, loop, items, running):
        """Start as many iterations as there is room for; the code of what forbids another one."""
        while len(running) < self.flow.concurrency(loop):
            try:
                coming = next(items, None)
            except CodeError as error:
                return error.code
            if coming is None:
                return None
            child = Scope(self.instance, self.flow.iteration(loop, *coming))
            loop.children.append(child)
            child.start(child.starters())
            running[asyncio.ensure_future(child.drain())] = child
        return None


async def _answer(call):
    return await call


unusual = Concurrent("unusual", ["executing", "full"], UNUSUAL)
plain = Concurrent("plain", ["executing"], PLAIN)
adapter = Concurrent("concurrent", ["executing", "full"], UNUSUAL, wall=True)
plain_wall = Concurrent("plain-wall", ["executing"], PLAIN, wall=True)


def __getattr__(name):
    """``mixed_7``: the readings and the schedule that the seed 7 draws."""
    kind, _, seed = name.rpartition("_")
    if kind != "mixed":
        raise AttributeError(name)
    chance = random.Random(int(seed))
    return Concurrent(name, ["executing", "full"], draw(chance), dawdles=chance)
