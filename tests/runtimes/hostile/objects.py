"""Python adapters that go wrong on the document ``bad``, each in one way.

``table`` and ``scripted_table`` go wrong on the documents that the file ``table.json`` of the
working directory lists (base64), each in the way it names.
"""

import asyncio
import base64
import json
import os
import re
import signal
import subprocess
import sys
import time

#: A node of the document at hand.
NODE = "a"


class Base:
    def describe(self):
        return {"name": "object", "version": "1", "levels": ["core"]}

    def validate(self, document):
        return []

    async def run(self, document, session):
        if document == b"bad":
            return await self.bad(session)
        session.transition(NODE, "PENDING", "READY")
        return "succeeded"


class Raises(Base):
    async def bad(self, session):
        session.transition(NODE, "PENDING", "READY")
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
        session.transition(NODE, "PENDING", "READY")
        session.transition(NODE, "READY", "RUNNING")
        session.invoke(NODE, {"x": object()})


class NotANumber(Base):
    async def bad(self, session):
        session.transition(NODE, "PENDING", "READY")
        session.transition(NODE, "READY", "RUNNING")
        session.invoke(NODE, {"x": float("nan")})


class WaitsForNothing(Base):
    async def bad(self, session):
        await asyncio.get_running_loop().create_future()


class GoesOnAfterTheEnd(Base):
    async def bad(self, session):
        async def go_on():
            await asyncio.sleep(0)
            session.transition(NODE, "READY", "RUNNING")

        self.task = asyncio.ensure_future(go_on())
        session.transition(NODE, "PENDING", "READY")
        return "succeeded"


class Prints(Base):
    async def bad(self, session):
        print("hello from the engine")
        session.transition(NODE, "PENDING", "READY")
        return "succeeded"


class ScriptedBase(Base):
    result = None

    def run(self, document, plan):
        good = [{"node": NODE, "from": "PENDING", "to": "READY"}]
        return self.result if document == b"bad" else good


class ScriptedNone(ScriptedBase):
    pass


class ScriptedCoroutine(ScriptedBase):
    def run(self, document, plan):
        return asyncio.sleep(0) if document == b"bad" else []


class ScriptedTuples(ScriptedBase):
    result = [(NODE, "PENDING", "READY")]


class ScriptedIdles(ScriptedBase):
    result = [{"type": "idle", "seen": 0}]


class ValidatesToNone(Base):
    def validate(self, document):
        return None if document == b"bad" else []


class Killed(Base):
    async def bad(self, session):
        print("about to die", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)


class ExitsAtOnce(Base):
    async def bad(self, session):
        os._exit(7)


class Floods(Base):
    async def bad(self, session):
        while True:
            session.transition(NODE, "PENDING", "READY")


class ClaimsSuccess(Base):
    async def bad(self, session):
        return "succeeded"


class UnknownState(Base):
    async def bad(self, session):
        session.transition(NODE, "PENDING", "DONE")


class UnknownNode(Base):
    async def bad(self, session):
        session.transition("zzz", "PENDING", "READY")


class UnknownOutcome(Base):
    async def bad(self, session):
        return "excellent"


class Deep(Base):
    async def bad(self, session):
        inputs = {}
        for _ in range(200):
            inputs = {"x": inputs}
        session.transition(NODE, "PENDING", "READY")
        session.transition(NODE, "READY", "RUNNING")
        session.invoke(NODE, inputs)


class Noisy(Base):
    async def bad(self, session):
        for _ in range(50 * 1024):
            os.write(2, b"x" * 1023 + b"\n")
        return "succeeded"


class WritesToStandardOutput(Base):
    async def bad(self, session):
        os.write(1, b"Starting engine...\n")
        return "succeeded"


class LeavesChild(Base):
    async def bad(self, session):
        program = "import time; time.sleep(600)"
        subprocess.Popen([sys.executable, "-I", "-S", "-c", program], start_new_session=True)
        return "succeeded"


class IgnoresSigterm(Base):
    async def bad(self, session):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            time.sleep(60)


class DiesLate(Base):
    async def bad(self, session):
        asyncio.get_running_loop().call_later(0.1, os._exit, 9)
        session.transition(NODE, "PENDING", "READY")
        return "succeeded"

    def validate(self, document):
        return []


def mode_of(document):
    """Return the name of the class that says what goes wrong with a document, if anything."""
    global NODE
    found = re.search(rb'<node id="([^"]+)"', document)
    NODE = found[1].decode() if found else "a"
    with open("table.json") as file:
        return json.load(file).get(base64.b64encode(document).decode())


class Table(Base):
    def describe(self):
        features = ["cancel", "events", "faults", "codes"]
        return {**super().describe(), "levels": ["core", "executing", "full"], "features": features}

    async def run(self, document, session):
        mode = mode_of(document)
        return await (
            globals()[mode]().run(b"bad", session) if mode else super().run(document, session)
        )


class ScriptedTable(Table):
    def run(self, document, plan):
        mode = mode_of(document)
        return globals()[mode]().run(b"bad", plan) if mode else []


class NoMethods:
    pass


def factory():
    return Prints()


def broken_factory():
    raise RuntimeError("no engine in this place")


not_callable = 5
