"""Runs with runtimes on the wall clock and runtimes that do not know whether they are idle."""

import asyncio
import sys
import types

import pytest
from msgspec.structs import replace

from suite.corpus.plan import Plan, PlanText, StepText, read_plan
from suite.protocol.exchange import AdapterDidNotStart
from suite.protocol.request import Request
from suite.protocol.runtime import open_runtime


class Base:
    clock = "virtual"
    quiescence = "idle"

    def describe(self):
        about = {"clock": self.clock, "quiescence": self.quiescence}
        return {"name": "n", "version": "1", "levels": [], **about}

    def validate(self, _document):
        return []

    async def run(self, _document, session):
        async def flow(node):
            session.transition(node, "PENDING", "READY")
            session.transition(node, "READY", "RUNNING")
            answer = await session.invoke(node)
            await asyncio.sleep(0.02)
            session.transition(node, "RUNNING", "SUCCEEDED")
            return answer.result

        return {"codes": [{"code": c} for c in await asyncio.gather(flow("a"), flow("b"))]}


class WallSettle(Base):
    clock = "wall"
    quiescence = "settle"


class WallIdle(Base):
    clock = "wall"


class VirtualSettle(Base):
    quiescence = "settle"


class Silent(WallSettle):
    async def run(self, _document, _session):
        await asyncio.sleep(60)


ALL = ["WallSettle", "WallIdle"]


@pytest.fixture(params=ALL)
def runtime(request, monkeypatch):
    with opened(request.param, monkeypatch) as runtime:
        yield runtime


def opened(name, monkeypatch, **options):
    """Open an adapter of this file under a name that the host can import."""
    module = types.ModuleType("adapters_of_this_test")
    module.adapter = globals()[name]
    monkeypatch.setitem(sys.modules, "adapters_of_this_test", module)
    return open_runtime("adapter:adapters_of_this_test", in_process=True, settle=0.1, **options)


def plan(steps, **others):
    return read_plan(PlanText(steps=steps, **others))


def order(exchange):
    return [
        e.message.get("call") or e.message["type"]
        for e in exchange.transcript.entries
        if e.source == "suite" and e.message["type"] not in {"run", "advance"}
    ]


def test_held_answers_follow_one_at_a_time(runtime):
    hold = StepText(ok={}, hold_until="idle")
    exchange = runtime.run(b"", {}, plan({"b": hold, "a": hold}), 5)

    assert ("ended", [2, 1]) == (exchange.kind, order(exchange))


def test_hold_until_a_state_needs_no_idle(runtime):
    exchange = runtime.run(b"", {}, plan({"a": StepText(ok={}, hold_until="b SUCCEEDED")}), 5)

    assert ("ended", [2, 1]) == (exchange.kind, order(exchange))


def test_answer_after_a_time_comes_after_it(runtime):
    steps = {"a": StepText(ok={}, after="PT0.05S")}
    exchange = runtime.run(b"", {}, plan(steps), 5)
    (answered,) = [
        e.at
        for e in exchange.transcript.entries
        if e.message.get("call") == 1 and e.source == "suite"
    ]
    advanced = [e for e in exchange.transcript.entries if e.message["type"] == "advance"]

    assert "ended" == exchange.kind
    assert 0.05 - 1e-6 <= answered < 1
    assert (runtime.description.clock == "virtual") == bool(advanced)


def test_answer_that_never_comes_ends_the_run(runtime):
    exchange = runtime.run(b"", {}, plan({"a": "hang"}), 0.5)

    assert "deadlock" == exchange.kind
    assert "call 1 of 'a' is planned never to be answered" in exchange.detail


def test_settle_says_that_nothing_moved_only_at_the_time_limit(monkeypatch):
    with opened("WallSettle", monkeypatch) as runtime:
        exchange = runtime.run(b"", {}, plan({"a": "hang"}), 0.5)

    assert exchange.seconds >= 0.5
    assert exchange.detail.startswith("nothing moved in the last 0.")


def test_silence_from_the_start_is_a_timeout(monkeypatch):
    with opened("Silent", monkeypatch) as runtime:
        exchange = runtime.run(b"", {}, Plan(), 0.3)

    assert "timeout" == exchange.kind


def test_settle_factor_lengthens_the_silence_that_counts_as_idle(monkeypatch):
    hold = plan({"a": StepText(ok={}, hold_until="idle")})
    with opened("WallSettle", monkeypatch) as runtime:
        request = Request(document=b"", companions={}, plan=hold, limit=5)
        once = runtime.ask(request)
        longer = runtime.ask(replace(request, settle_factor=4.0))

    assert once.seconds < 0.4 <= longer.seconds


def test_virtual_clock_without_idle_is_refused_at_the_start(monkeypatch):
    with pytest.raises(AdapterDidNotStart, match="quiescence settle goes with clock wall"):
        opened("VirtualSettle", monkeypatch)
