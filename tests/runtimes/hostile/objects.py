"""Python adapters that go wrong on the document ``bad``, each in one way."""

import asyncio
import sys
import time


class Base:
    def describe(self):
        return {"name": "object", "version": "1", "levels": ["core"]}

    def validate(self, document):
        return []

    async def run(self, document, session):
        if document == b"bad":
            return await self.bad(session)
        session.transition("a", "PENDING", "READY")
        return "succeeded"


class Raises(Base):
    async def bad(self, session):
        session.transition("a", "PENDING", "READY")
        raise KeyError("engine is broken")


class ReturnsNone(Base):
    async def bad(self, session):
        return None


class ReturnsCoroutine(Base):
    async def bad(self, session):
        return asyncio.sleep(0)


class Blocks(Base):
    async def bad(self, session):
        time.sleep(60)


class Exits(Base):
    async def bad(self, session):
        sys.exit(3)


class Unserialisable(Base):
    async def bad(self, session):
        session.transition("a", "PENDING", "READY")
        session.transition("a", "READY", "RUNNING")
        session.invoke("a", {"x": object()})


class NotANumber(Base):
    async def bad(self, session):
        session.transition("a", "PENDING", "READY")
        session.transition("a", "READY", "RUNNING")
        session.invoke("a", {"x": float("nan")})


class WaitsForNothing(Base):
    async def bad(self, session):
        await asyncio.get_running_loop().create_future()


class GoesOnAfterTheEnd(Base):
    async def bad(self, session):
        async def go_on():
            await asyncio.sleep(0)
            session.transition("a", "READY", "RUNNING")

        self.task = asyncio.ensure_future(go_on())
        session.transition("a", "PENDING", "READY")
        return "succeeded"


class Prints(Base):
    async def bad(self, session):
        print("hello from the engine")
        session.transition("a", "PENDING", "READY")
        return "succeeded"


class ScriptedBase(Base):
    result = None

    def run(self, document, plan):
        good = [{"node": "a", "from": "PENDING", "to": "READY"}]
        return self.result if document == b"bad" else good


class ScriptedNone(ScriptedBase):
    pass


class ScriptedCoroutine(ScriptedBase):
    def run(self, document, plan):
        return asyncio.sleep(0) if document == b"bad" else []


class ScriptedTuples(ScriptedBase):
    result = [("a", "PENDING", "READY")]


class ScriptedIdles(ScriptedBase):
    result = [{"type": "idle", "seen": 0}]


class ValidatesToNone(Base):
    def validate(self, document):
        return None if document == b"bad" else []


class NoMethods:
    pass


def factory():
    return Prints()


def broken_factory():
    raise RuntimeError("no engine in this place")


not_callable = 5
