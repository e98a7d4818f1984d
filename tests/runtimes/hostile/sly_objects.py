"""Python adapters that go wrong in ways beyond those of ``objects.py``."""

import asyncio
import atexit
import json
import os
import signal
import sys
import threading
import time

import objects
from objects import Base, ScriptedBase

EVIL = "\x1b[31m\u202ertl\u200b\0\u0085\ufffe]]>&<"


def node():
    return objects.NODE


class Patched(Base):
    """Breaks what the host uses."""

    async def bad(self, session):
        json.dumps = lambda *a, **k: "{}"
        json.loads = None
        return "succeeded"


class WritesForUs(Base):
    """``os.write`` answers otherwise than it was asked to."""

    async def bad(self, session):
        write = os.write
        os.write = lambda fd, data: write(fd, b"x" * len(data))
        return "succeeded"


class ClosesStdout(Base):
    async def bad(self, session):
        sys.stdout.close()
        sys.stderr.close()
        raise KeyError("closed")


class ClosesDescriptors(Base):
    async def bad(self, session):
        os.closerange(0, 64)
        await asyncio.sleep(0)
        return "succeeded"


class ThreadReports(Base):
    """Four threads report at once; each message gets a number of its own."""

    async def bad(self, session):
        def work():
            for _ in range(100):
                session.transition(node(), "PENDING", "READY")

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return "succeeded"


class ThreadForEver(Base):
    """No daemon: the interpreter waits for it at its end."""

    async def bad(self, session):
        threading.Thread(target=time.sleep, args=(600,)).start()
        return "succeeded"


class AtExit(Base):
    async def bad(self, session):
        atexit.register(time.sleep, 600)
        atexit.register(os.write, 1, b"bye\n")
        return "succeeded"


class DelRaises(Base):
    async def bad(self, session):
        class Last:
            def __del__(self):
                os._exit(4)

        self.last = Last()
        del self.last
        return "succeeded"


class Interrupts(Base):
    async def bad(self, session):
        signal.raise_signal(signal.SIGINT)
        return "succeeded"


class Cancels(Base):
    async def bad(self, session):
        asyncio.current_task().cancel()
        await asyncio.sleep(0)


class Recursion(Base):
    async def bad(self, session):
        def deeper():
            return deeper()

        return deeper()


class StackOverflow(Base):
    async def bad(self, session):
        sys.setrecursionlimit(1 << 30)
        threading.stack_size(1 << 16)

        def deeper(n):
            return [n].__repr__() and max([n], key=deeper)

        deeper(0)


class EvilError(Exception):
    def __str__(self):
        raise RuntimeError("str")

    __repr__ = __str__


class ErrorWithoutText(Base):
    async def bad(self, session):
        raise EvilError


class ErrorWithHugeText(Base):
    async def bad(self, session):
        raise ValueError("x" * (3 << 20))


class ErrorWithEvilText(Base):
    async def bad(self, session):
        raise ValueError(EVIL + "\ud800")


class ReprRaises(Base):
    async def bad(self, session):
        class Odd:
            def __repr__(self):
                raise ValueError("repr")

        return Odd()


class HugeRepr(Base):
    async def bad(self, session):
        return ["x" * 100] * 100_000


class DictSubclass(dict):
    def items(self):
        while True:
            yield "x", 1


class EndlessDict(Base):
    async def bad(self, session):
        return DictSubclass(outcome="succeeded", codes=DictSubclass(x=1))


class ClosesLoop(Base):
    async def bad(self, session):
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.stop)
        await asyncio.sleep(0)
        await asyncio.get_running_loop().create_future()


class RunsLoop(Base):
    async def bad(self, session):
        asyncio.run(asyncio.sleep(0))


class ForksAndReturns(Base):
    """Both the process and its copy go on to answer."""

    async def bad(self, session):
        os.fork()
        session.transition(node(), "PENDING", "READY")
        return "succeeded"


class ForksAndWaits(Base):
    async def bad(self, session):
        session.transition(node(), "PENDING", "READY")
        os.fork()
        await session.sleep(1)
        return "succeeded"


class PollutesSession(Base):
    """Reaches into the session: numbers, and the end, of its own."""

    async def bad(self, session):
        session._sent = 7
        session.transition(node(), "PENDING", "READY")
        return "succeeded"


class EndsTwice(Base):
    async def bad(self, session):
        session.end("succeeded", [])
        return "succeeded"


class SpinsInTheLoop(Base):
    async def bad(self, session):
        while True:
            await asyncio.sleep(0)


class SleepsNan(Base):
    async def bad(self, session):
        await session.sleep(float("nan"))


class OddIteration(Base):
    async def bad(self, session):
        session.transition(node(), "PENDING", "READY", iteration=[5])


class StopsItself(Base):
    async def bad(self, session):
        os.kill(os.getpid(), signal.SIGSTOP)


class ScriptedGenerator(ScriptedBase):
    def run(self, document, plan):
        if document != b"bad":
            return []
        return ({"node": node(), "from": "PENDING", "to": "READY"} for _ in range(1))


class ScriptedEnds(ScriptedBase):
    @property
    def result(self):
        return [{"type": "end", "messages": 1}, {"node": node(), "from": "PENDING", "to": "READY"}]


mode_of = objects.mode_of


class Table(objects.Table):
    async def run(self, document, session):
        mode = mode_of(document)
        return await (
            globals()[mode]().run(b"bad", session) if mode else Base.run(self, document, session)
        )


class ScriptedTable(objects.ScriptedTable):
    def run(self, document, plan):
        mode = mode_of(document)
        return globals()[mode]().run(b"bad", plan) if mode else []
