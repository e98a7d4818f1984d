"""Loops: iterations as flows of their own, started one after the other (§6.5, §7.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from reference_runtime.document.model import Loop
from reference_runtime.engine import siblings
from reference_runtime.engine.graph import UnsupportedError
from reference_runtime.engine.lives import Flow, Life
from reference_runtime.engine.state import State
from reference_runtime.engine.values import LifeScope
from reference_runtime.expressions import ExpressionError, evaluate, evaluate_boolean
from reference_runtime.expressions.values import type_name

__all__ = ["MOST_ITERATIONS", "MOST_NESTING", "LoopRun", "start_loop"]

#: Iterations of all loops in one run, and levels of loops inside each other, that are executed.
#: Documents may allow any number (§7.2.1), and every iteration stays in the trace: the bound keeps
#: a run within seconds and some hundred megabytes, and what needs more is refused with a clear
#: word, counted loops before they begin, instead of going on for years.
MOST_ITERATIONS: Final = 100_000
MOST_NESTING: Final = 1_000


class LoopRun:
    """One execution of a loop node.

    Attributes:
        items: elements of @over, None for other loops than forEach.
        count: number of iterations, None where they are not counted beforehand.
        started, good, bad: numbers of iterations started, succeeded, failed.
        running: iterations under way.
        latest: the iteration that ended last.
        stopped: whether no further iteration starts.
        halted: whether that is so although more are due, and those under way are given up.
        fault: code and message of a failure that is not an iteration's.
    """

    def __init__(self, state: State, life: Life, loop: Loop) -> None:
        self._state = state
        self._rules = state.rules.loops
        earlier = state.iterations.get(life.vertex.index, 0)
        self._limit = self._rules.limit(loop, earlier)
        self._body = state.graph.vertices[state.graph.index[loop.body]]
        self.life = life
        self.loop = loop
        self.items: Sequence[Any] | None = None
        self.count: int | None = None
        self.started = self.good = self.bad = 0
        self.running: dict[Flow, None] = {}
        self.latest: Flow | None = None
        self.stopped = self.halted = False
        self.fault: tuple[str, str] | None = None

    def pump(self) -> None:
        """Start iterations while there are some and slots are free; end when all is done."""
        slots = 1 if self.count is None else self._rules.slots(self.loop.max_concurrency)
        while not self.stopped and len(self.running) < slots and self._more():
            self._start()
        if self.life.state == "RUNNING" and self._rules.ended(len(self.running), self.stopped):
            self._end()

    def _more(self) -> bool:
        """Whether another iteration is due (§7.2.2); finds out about @maxIterations (§7.2.1)."""
        try:
            more = self._due()
        except ExpressionError as error:
            self.fault = (error.code, error.message)
            more = False
        if more and self.started >= self._limit:
            self._exceed(f"more than maxIterations={self.loop.max_iterations} iterations are due")
            more = False
        self.stopped = self.stopped or not more
        return more

    def _exceed(self, message: str) -> None:
        if self._rules.over_limit(self.loop) == "FAILED":
            self.fault = (self._state.rules.codes["max-iterations"], message)

    def find_items(self) -> None:
        """Find out what to iterate over, and whether that is too much (§7.2.1).

        Raises:
            UnsupportedError: the document allows more iterations than this runtime executes.
        """
        try:
            if self.loop.kind == "times":
                self.count = self._rules.times(self.loop)
            elif self.loop.kind == "forEach":
                self.items = _items(self._state, self.life, self.loop)
                self.count = len(self.items)
        except ExpressionError as error:
            self.fault = (error.code, error.message)
        if self.count is not None and self.count > self._limit:
            most = self.loop.max_iterations
            self._exceed(f"{self.count} iterations are due, maxIterations is {most}")
        owner = self.life.vertex.index
        taken = self._state.bodies.get(self._body.index, owner) != owner
        self.stopped = self.fault is not None or not self._rules.takes_body(taken)
        if not self.stopped:
            self._check_size()

    def _check_size(self) -> None:
        """Refuse what would not end in any reasonable time, before it begins."""
        place = f"loop {self.life.vertex.node.id!r} (line {self.life.vertex.node.line})"
        coming = max(1, min(self.count or 1, self._limit))
        if self._state.around.iterations + coming > MOST_ITERATIONS:
            raise UnsupportedError(
                f"{place}: more than {MOST_ITERATIONS:,} iterations in one run, which is more "
                "than this runtime executes"
            )
        if len(self.life.flow.path) >= MOST_NESTING:
            raise UnsupportedError(
                f"{place}: loops are nested more than {MOST_NESTING:,} deep, which is more than "
                "this runtime executes"
            )

    def _due(self) -> bool:
        if self.items is not None and self._rules.over == "again":
            self.items = _items(self._state, self.life, self.loop)
            self.count = len(self.items)
        if self.count is not None:
            return self.started < self.count
        if not self.started and not self._rules.tests_first[self.loop.kind]:
            return True
        scope = LifeScope(self._state, self.life, self.latest)
        true = evaluate_boolean(
            self._state.graph.template(self.loop.condition or ""),
            scope,
            self._state.rules.language,
            self.loop.kind,
        )
        return true != (self.loop.kind == "until")

    def _start(self) -> None:
        state, rules, body = self._state, self._rules, self._body
        number = self.started
        if self.count is not None:
            number = rules.iteration(number, self.count)
        members = body.region if rules.handlers(number) else body.region[:1]
        flow = Flow(state.graph, members, self.life, number)
        item = number if self.items is None else self.items[number]
        flow.variables = rules.variables(self.loop, item, number)
        self.started += 1
        self.running[flow] = None
        state.around.iterations += 1
        if state.around.iterations > MOST_ITERATIONS:
            self._check_size()
        loop = self.life.vertex.index
        state.iterations[loop] = state.iterations.get(loop, 0) + 1
        state.bodies.setdefault(body.index, loop)
        state.move(flow.lives[body.index], "READY")

    def iteration_ended(self, flow: Flow) -> None:
        """Count an iteration in which nothing moves any more, and go on."""
        if flow.ended:
            return
        flow.ended = True
        self.running.pop(flow, None)
        if self.latest is not None:
            # Nothing reads it any more; without its lifecycles, which know it, it is freed at once.
            self.latest.lives = {}
        self.latest = flow
        if self.life.state != "RUNNING":
            return
        if flow.failed:
            self.bad += 1
            if self._rules.item_failure[self.loop.on_item_failure].stops and not self.halted:
                self._cancel_iterations()
        else:
            self.good += 1
        self.pump()

    def stop(self) -> list[Life]:
        """Start no more iterations; give what is active in those under way."""
        self.stopped = self.halted = True
        active = self._state.active
        return [life for flow in self.running for life in flow.lives.values() if life in active]

    def _cancel_iterations(self) -> None:
        """Cancel what is under way where allowed; the rest finishes (A123)."""
        for life in self.stop():
            siblings.cancel(self._state, life)

    def _end(self) -> None:
        self._state.stop_timers(self.life)
        if self.fault is not None:
            self._state.fail(self.life, *self.fault)
            return
        policy = self._rules.item_failure[self.loop.on_item_failure]
        if policy.result(self.good, self.bad) == "FAILED":
            self._state.fail(self.life, None, f"{self.bad} of {self.started} iterations failed")
        else:
            self._state.move(self.life, "SUCCEEDED")


def _items(state: State, life: Life, loop: Loop) -> Sequence[Any]:
    """Elements of a forEach.

    Raises:
        ExpressionError: @over cannot be evaluated or gives no array (A131).
    """
    index, over = life.vertex.index, state.rules.loops.over
    if over == "kept" and index in state.lists:
        return state.lists[index]
    value = evaluate(
        state.graph.template(loop.over or ""), LifeScope(state, life), state.rules.language, "over"
    )
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ExpressionError("HX-4106", f"over gives {type_name(value)}, which is no array")
    state.lists[index] = state.rules.loops.elements(value)
    return state.lists[index]


def start_loop(state: State, life: Life) -> None:
    """Run a loop node: find its elements and start as many iterations as may run together."""
    loop = life.vertex.node.loop
    if loop is None:
        return
    run = life.loop = LoopRun(state, life, loop)
    run.find_items()
    run.pump()
