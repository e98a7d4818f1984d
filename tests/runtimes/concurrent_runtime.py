"""Runtimes on asyncio that really run attempts concurrently.

Where the text is open they follow other readings than ``serial.py`` wherever they can, to prove
that the corpus accepts them: ``unusual``, of level Full, those in ``UNUSUAL``; ``plain``, which
knows no compensation and stops at level Executing, those in ``PLAIN``; ``blaming`` and
``patient`` a few that go together with neither. All run on the suite's clock. ``adapter`` and
``plain_wall`` are the first two on the wall clock: they cannot know when nothing is left to happen
outside, so they declare ``settle``. From this folder the first is
``adapter:concurrent_runtime:unusual``; ``mixed_7`` follows what the seed 7 draws.
"""

from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from small_flow import Flow
from small_gate import errors, findings
from small_readings import PLAIN, UNUSUAL, Readings, draw
from small_scope import Scope
from small_waits import Events


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
            "features": ["cancel", "events", "codes", "faults", "secrets"],
        }

    def validate(self, document, companions):
        return findings(document, companions)

    async def run(self, document, session):
        faults = self.validate(document, session.companions)
        if errors(faults):
            return session.invalid(faults)
        if "unsigned" in session.refused:  # §11.8: no fault of the document, and without a code
            return "failed"
        known = ("unresolvable", "bad_digests", "refused", "secrets", "companions")
        world = {name: getattr(session, name) for name in known}
        flow = Flow.main(document, self.readings, world)
        sleep = asyncio.sleep if self.wall else session.sleep
        instance = Instance(flow, session, sleep, self.dawdles, undoes="full" in self.levels)
        listener = asyncio.ensure_future(instance.listen())
        outcome = await instance.execute()
        listener.cancel()
        return {"outcome": outcome, "codes": flow.codes}


class Instance:
    """One run: the main flow, and what happens to it as a whole."""

    def __init__(self, flow, session, sleep, dawdles, *, undoes, outer=None):
        self.flow = flow
        self.session = session
        self.sleep = sleep
        self.dawdles = dawdles
        self.undoes = undoes
        self.cancelled = False
        self.events = Events(flow.readings) if outer is None else outer.events
        #: Waiting node → what ends its wait for an event.
        self.doors = {} if outer is None else outer.doors
        #: What waits until a value has come.
        self.watchers = []
        self.scope = Scope(self, flow)

    def inner(self, flow):
        """An instance inside this one, of a subworkflow's document."""
        others = self.session, self.sleep, self.dawdles
        return Instance(flow, *others, undoes=self.undoes, outer=self)

    async def execute(self):
        await self.scope.run()
        if self.flow.unhandled and self.undoes:
            await self.compensate()
        return self.flow.outcome(cancelled=self.cancelled)

    async def dawdle(self):
        """Let others go first, a random number of times."""
        for _ in range(self.dawdles.randrange(6) if self.dawdles else 0):
            await asyncio.sleep(0)

    async def listen(self):
        while True:
            message = await self.session.receive()
            if message["type"] == "cancel":
                self.cancel()
            elif message["type"] == "event":
                for node in self.events.arrive(message["name"]):
                    self.doors.pop(node).set_result(None)

    def came(self):
        """Values have come: what waits for one looks again."""
        watchers, self.watchers = self.watchers, []
        for watcher in watchers:
            if not watcher.done():
                watcher.set_result(None)

    def cancel(self):
        self.cancelled = True
        readings = self.flow.readings
        reachable = [] if self.flow.halted else self.flow.still_reachable()
        states = {"READY", "RETRYING", "RUNNING"}
        states -= {"RUNNING"} if readings["X"] == "b" else set()
        states -= {"RETRYING"} if readings["Y"] == "b" else set()
        self.scope.halt(states)
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
        overlapping = flow.readings["A98"] == "b"
        due = [(node, flow.undo_targets(node)) for node in reversed(flow.completed)]
        if flow.readings["A93"] == "b":
            due = [(node, targets) for node, targets in due if not node.discarded]
        for node, targets in due:
            self.undo(targets)
            if not overlapping:
                await self.scope.drain()
                self.undone(node, targets)
        if overlapping:
            await self.scope.drain()
            for node, targets in due:
                self.undone(node, targets)
        if flow.readings["A91"] == "b":
            self.scope.drop(lambda _: True)

    def undo(self, targets):
        for target in targets:
            if target.state == "PENDING" and not self.cancelled:
                target.undoing = True
                self.scope.start([target])

    def undone(self, node, targets):
        for target in targets:
            if target.undoing and target.state == "FAILED":
                self.flow.undo_failed = True
                if (code := {"code": "HX-4110", "node": target.id}) not in self.flow.codes:
                    self.flow.codes.append(code)
        if targets and all(target.state == "SUCCEEDED" for target in targets):
            self.scope.move(node, "COMPENSATED")


unusual = Concurrent("unusual", ["core", "executing", "full"], UNUSUAL)
plain = Concurrent("plain", ["core", "executing"], PLAIN)
adapter = Concurrent("concurrent", ["core", "executing", "full"], UNUSUAL, wall=True)
blaming = Concurrent("blaming", ["core", "executing", "full"], Readings(A39="c", A50="b", A98="b"))
patient = Concurrent("patient", ["core", "executing", "full"], Readings(Y="b"))
plain_wall = Concurrent("plain-wall", ["core", "executing"], PLAIN, wall=True)


def __getattr__(name):
    """``mixed_7``: the readings and the schedule that the seed 7 draws."""
    kind, _, seed = name.rpartition("_")
    if kind != "mixed":
        raise AttributeError(name)
    chance = random.Random(int(seed))
    return Concurrent(name, ["core", "executing", "full"], draw(chance), dawdles=chance)
