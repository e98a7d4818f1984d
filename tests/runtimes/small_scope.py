"""A scope of the asyncio runtimes: the main flow or an iteration, and what its nodes live through.

Part of ``concurrent_runtime``, which has what happens to a run as a whole.
"""

from __future__ import annotations

import asyncio

from small_document import redacted
from small_expressions import CodeError
from small_flow import STEPLESS
from small_waits import NEVER, come_true, limit, pause

#: Types of nodes that may have no end of their own that would come for sure.
ENDLESS = {"wait", "subworkflow"}


class Scope:
    """The main flow or an iteration: a task for each node that is under way."""

    def __init__(self, instance, flow):
        self.instance = instance
        self.session = instance.session
        self.flow = flow
        self.tasks = {}

    def move(self, node, state, **fields):
        untold = node.undoing and self.flow.readings["A96"] == "b"
        if not (untold or self.flow.mute):
            for told in {"message", "error_class"} & fields.keys():
                fields[told] = redacted(fields[told], self.flow.world["secrets"])
            place = {"iteration": self.flow.path, "attempt": max(node.attempt, 1)}
            self.session.transition(node.id, node.state, state, **place, **fields)
        self.flow.enter(node, state)
        if state == "SUCCEEDED":
            self.instance.came()

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
                states -= {"RETRYING"} if self.flow.readings["A50"] != "a" else set()
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
        elif node.state in states or (node.state == "RUNNING" and node.type in ENDLESS):
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
            late = node.lost and self.flow.readings["A50"] == "b"
            if late or self.ends(node, "b"):
                self.move(node, "CANCELLED")
                return

    def ends(self, node, reading):
        """Whether the run ends in a way that takes a node from its backoff as the reading says."""
        point = "Y" if self.instance.cancelled else "A92"
        halted = self.flow.halted and (self.instance.cancelled or not node.undoing)
        return halted and self.flow.readings[point] == reading

    async def attempt(self, node):
        """One attempt; True when another one follows."""
        flow = self.flow
        if not node.undoing:  # the order in which they begin is fixed
            await self.instance.dawdle()
        try:
            if node.blamed:
                raise CodeError(node.blamed)  # noqa: TRY301 -- like any other fault before a step
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
        if node.type in ENDLESS:
            return await self.abide(node)
        if node.type not in STEPLESS and not flow.mute:
            return await self.step(node, inputs)
        self.succeed(node)
        return False

    async def step(self, node, inputs):
        path = self.flow.path
        call = self.session.invoke(node.id, inputs, iteration=path, attempt=node.attempt)
        try:
            await self.within(node, asyncio.ensure_future(_answer(call)))
        except asyncio.CancelledError:
            self.session.abort(call)
            raise
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
            self.succeed(node)
            return False
        return self.fail(node, error_class=answer.error_class, message=answer.message)

    async def within(self, node, work):
        """Let work go on for as long as a timeout permits."""
        ways = {work}
        if (longest := limit(node)) != NEVER:
            ways.add(asyncio.ensure_future(self.instance.sleep(longest)))
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
        return work.done()

    # --- waits and subworkflows ----------------------------------------------------------------

    async def abide(self, node):
        """An attempt of a node that calls no step, but takes its time."""
        work = self.waiting(node) if node.type == "wait" else self.inside(node)
        work = asyncio.ensure_future(work)
        if not await self.within(node, work):
            return self.timed_out(node)
        try:
            succeeded = work.result()
        except CodeError as error:
            self.give_up(node, code=error.code)
            return False
        if not succeeded:
            return self.fail(node, error_class=None)
        self.succeed(node)
        return False

    def waiting(self, node):
        """What ends when a wait is over; it begins to listen for events right now."""
        if "until" in node.wait:
            return self.until(node)
        if "event" not in node.wait:
            return self.passed(self.instance.sleep(pause(node)))
        door = asyncio.get_running_loop().create_future()
        if self.instance.events.begin(node):
            door.set_result(None)
        else:
            self.instance.doors[node] = door
        return self.passed(door)

    @staticmethod
    async def passed(wait):
        await wait
        return True

    async def until(self, node):
        while not come_true(node):
            watcher = asyncio.get_running_loop().create_future()
            self.instance.watchers.append(watcher)
            await watcher
        return True

    async def inside(self, node):
        """Run the document of a subworkflow node; whether it succeeded."""
        instance = self.instance.inner(node.nested)
        try:
            return await instance.execute() == "succeeded"
        except asyncio.CancelledError:
            instance.scope.halt({"READY", "RETRYING", "RUNNING"})
            raise

    def succeed(self, node):
        if code := self.flow.faulty(node):
            self.give_up(node, code=code)
        else:
            self.move(node, "SUCCEEDED")

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
        fields["error_class"] = self.flow.failure_class(fields["error_class"])
        again = self.flow.retries(node, fields["error_class"], forced=forced)
        if not again:
            by_the_way = "A16" if node.retry and self._was_last(node) else "A15"
            if node.retry and node.idempotent and self.flow.readings[by_the_way] == "b":
                self.move(node, "RETRYING", **fields)
            self.give_up(node, **fields)
            return False
        self.move(node, "RETRYING", **fields)
        if self.ends(node, "a"):
            self.move(node, "CANCELLED")
            return False
        return True

    @staticmethod
    def _was_last(node):
        return node.attempt >= int(node.retry["maxAttempts"])

    def give_up(self, node, **fields):
        """§5.8: the failure is handled by error edges or propagates, in a loop to the loop."""
        flow = self.flow
        fields["error_class"] = flow.failure_class(fields.get("error_class"))
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
            self.succeed(loop)

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
