"""The host: whose modules an adapter gets, how it is found and called, what a session does."""

import ast
import sys
from functools import partial, wraps
from pathlib import Path
from textwrap import dedent
from types import MethodType

import pytest

from suite.corpus.plan import Plan, PlanText, StepText, read_plan
from suite.protocol import host, session, watcher
from suite.protocol.runtime import open_runtime


@pytest.fixture
def adapter(tmp_path, monkeypatch):
    """Write a module ``mine`` into an otherwise empty working directory."""
    monkeypatch.chdir(tmp_path)

    def write(text, **others):
        (tmp_path / "mine.py").write_text(dedent(text))
        for name, other in others.items():
            (tmp_path / f"{name}.py").write_text(dedent(other))
        return "mine:Adapter"

    return write


HEAD = """
import asyncio
class Base:
    about = {}
    def describe(self):
        return {"name": "n", "version": "1", "levels": [], **self.about}
    def validate(self, document):
        return []
"""


def steps(**texts):
    return read_plan(PlanText(steps=texts))


def sent(exchange, kind):
    return [e.message for e in exchange.transcript.entries if e.message["type"] == kind]


@pytest.mark.parametrize("module", [host, session, watcher], ids=["host", "session", "watcher"])
def test_free_standing_module_imports_the_standard_library_only(module):
    names = {
        name.partition(".")[0]
        for node in ast.walk(ast.parse(Path(module.__file__).read_text()))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }

    assert set() == names - set(sys.stdlib_module_names)


def test_adapter_imports_its_own_modules_of_our_names(adapter):
    target = adapter(
        HEAD
        + """
import comparator, suite, session, host, messages
class Adapter(Base):
    def describe(self):
        return {**super().describe(), "name": comparator.NAME + suite.NAME + session.NAME}
    def run(self, document, plan):
        return []
""",
        comparator="NAME = 'c'",
        suite="NAME = 's'",
        session="NAME = 'x'",
        host="",
        messages="",
    )
    with open_runtime(target) as runtime:
        name = runtime.description.name

    assert "csx" == name


FORMS = {
    "class": "class adapter(Base): pass",
    "instance": "adapter = Base()",
    "factory": "def adapter(): return Base()",
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("in_process", [False, True], ids=["child", "thread"])
def test_adapter_is_an_instance_a_class_or_a_factory(adapter, form, in_process, monkeypatch):
    adapter(HEAD + "    def run(self, document, plan): return []\n" + form)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    monkeypatch.setattr(sys, "path", [str(Path.cwd()), *sys.path])
    with open_runtime("adapter:mine", in_process=in_process) as runtime:
        exchange = runtime.run(b"", {}, Plan(), 5)

    assert "ended" == exchange.kind


def test_arguments_beyond_the_first_are_passed_where_they_are_taken(adapter):
    target = adapter(
        HEAD
        + """
class Adapter(Base):
    async def validate(self, document, companions):
        return [{"code": "HX-1001", "message": companions["u"].decode()}]
    async def run(self, document, session, companions):
        session.transition(companions["u"].decode(), "PENDING", "READY")
        assert session.companions == companions
        return {"outcome": "failed", "codes": [{"code": "HX-4102", "node": "x"}]}
"""
    )
    with open_runtime(target) as runtime:
        findings = runtime.validate(b"", {"u": b"v"}, 5).findings
        exchange = runtime.run(b"", {"u": b"v"}, Plan(), 5)

    assert ["v"] == [finding.message for finding in findings]
    assert ["v"] == [message["node"] for message in sent(exchange, "transition")]
    assert [[{"code": "HX-4102", "node": "x"}]] == [m["codes"] for m in sent(exchange, "end")]


class Shapes:
    def two(self, document, session):
        pass

    async def three(self, document, session, companions=None):
        pass

    def any_number(self, document, *rest):
        pass

    def all_in_one(*everything):
        pass

    def by_name(self, document, /, session, *, companions=None, **more):
        pass

    @staticmethod
    def static(document, session):
        pass

    @classmethod
    def of_class(cls, document, session):
        pass

    @wraps(two)
    def wrapped(self, *_everything):
        pass

    def __call__(self, document, session):
        pass


SHAPES = Shapes()
TAKEN = [
    (SHAPES.two, 2),
    (SHAPES.three, 3),
    (SHAPES.any_number, None),
    (SHAPES.all_in_one, None),
    (SHAPES.by_name, 2),
    (SHAPES.static, 2),
    (SHAPES.of_class, 2),
    (SHAPES.wrapped, 2),
    (partial(Shapes.two, None), 2),
    (SHAPES, 2),
    (MethodType(SHAPES.two, "document"), 1),
]


@pytest.mark.parametrize(("function", "number"), TAKEN)
def test_an_adapter_is_given_as_many_arguments_as_it_takes(function, number):

    assert number == host._places(function)


def test_the_signature_of_a_plain_method_is_not_made_for_every_case(monkeypatch):
    monkeypatch.setattr(host.inspect, "signature", None)

    assert (2, 3) == (host._places(SHAPES.two), host._places(SHAPES.three))


def test_scripted_adapter_gets_the_plan_and_returns_a_dict(adapter):
    target = adapter(
        HEAD
        + """
class Adapter(Base):
    def run(self, document, plan):
        if document == b"invalid":
            return {"findings": [{"code": "HX-1001"}]}
        node = plan["answers"][0]["node"]
        move = {"node": node, "from": "PENDING", "to": "READY", "attempt": 1}
        start = {"node": node, "from": "READY", "to": "RUNNING", "attempt": 1}
        call = {"type": "invoke", "call": 1, "node": node, "inputs": {"x": 1}}
        return {"transitions": [move, start, call], "outcome": "succeeded"}
"""
    )
    with open_runtime(target) as runtime:
        exchange = runtime.run(b"", {}, steps(zz="ok"), 5)
        invalid = runtime.run(b"invalid", {}, Plan(), 5)

    assert "scripted" == runtime.description.control
    assert ("ended", "findings") == (exchange.kind, invalid.kind)
    assert ["zz", "zz"] == [message["node"] for message in sent(exchange, "transition")]
    assert [{"x": 1}] == [message["inputs"] for message in sent(exchange, "invoke")]


EVENT_STYLE = """
class Adapter(Base):
    async def run(self, document, session):
        session.transition("a", "PENDING", "READY")
        session.transition("a", "READY", "RUNNING", attempt=1)
        call = session.invoke("a", {"x": 1}, attempt=1)
        seen = []
        while len(seen) < 3:
            seen.append(await session.receive(timer=5.0 if len(seen) == 0 else None))
        session.abort(call)
        codes = [{"code": m["type"]} for m in seen]
        return {"outcome": "cancelled", "codes": codes}
"""


def test_event_style_says_idle_and_gets_every_message(adapter):
    target = adapter(HEAD + EVENT_STYLE)
    plan = read_plan(
        PlanText(
            steps={"a": StepText(fail="x.y", message="no", after="PT10S")},
            cancel="idle",
        )
    )
    with open_runtime(target) as runtime:
        exchange = runtime.run(b"", {}, plan, 5)

    assert "ended" == exchange.kind
    assert [0, 1, 2] == [message["seen"] for message in sent(exchange, "idle")]
    assert [5.0, None, None] == [message.get("timer") for message in sent(exchange, "idle")]
    assert [5.0, 5.0] == [message["seconds"] for message in sent(exchange, "advance")]
    assert ["advance", "advance", "outcome"] == [
        c["code"] for c in sent(exchange, "end")[0]["codes"]
    ]
    assert [1] == [message["call"] for message in sent(exchange, "abort")]


AWAIT_STYLE = """
class Adapter(Base):
    async def run(self, document, session):
        async def flow(node):
            session.transition(node, "PENDING", "READY", iteration=[("l", 0)])
            session.transition(node, "READY", "RUNNING", iteration=[("l", 0)])
            answer = await session.invoke(node, iteration=[{"loop": "l", "index": 0}])
            if answer.result == "fail":
                await session.sleep(0.5)
                await asyncio.gather(session.sleep(2), session.sleep(1))
            session.transition(
                node, "RUNNING", "FAILED", error_class=answer.error_class, message=answer.message,
                iteration=[("l", 0)], code="HX-4101", at=session.now,
            )
            return answer.outputs
        results = await asyncio.gather(flow("a"), flow("b"))
        return {"outcome": "failed", "codes": [{"code": str(r)} for r in results]}
"""


def test_await_style_says_idle_by_itself_and_sleeps_on_the_virtual_clock(adapter):
    target = adapter(HEAD + AWAIT_STYLE)
    plan = steps(a=StepText(fail="c.d", message="m"), b=StepText(ok={"y": 2}, hold_until="idle"))
    with open_runtime(target) as runtime:
        exchange = runtime.run(b"", {}, plan, 5)
    end = sent(exchange, "end")[0]
    failed = [m for m in sent(exchange, "transition") if m["to"] == "FAILED"]

    assert "ended" == exchange.kind
    assert [0.5, 1.0, 1.0] == [message["seconds"] for message in sent(exchange, "advance")]
    assert ["{}", "{'y': 2}"] == [code["code"] for code in end["codes"]]
    assert [("a", "c.d", "m", 2.5), ("b", None, None, 2.5)] == [
        (m["node"], m.get("errorClass"), m.get("message"), m["at"]) for m in failed
    ]
    assert [[{"loop": "l", "index": 0}]] * 2 == [m["iteration"] for m in failed]


def test_await_style_hears_of_cancellation_in_a_listening_task(adapter):
    target = adapter(
        HEAD
        + """
class Adapter(Base):
    async def run(self, document, session):
        session.transition("a", "PENDING", "READY")
        session.transition("a", "READY", "RUNNING")
        call = session.invoke("a")
        async def work():
            await call
        task = asyncio.ensure_future(work())
        while (await session.receive())["type"] != "cancel":
            pass
        task.cancel()
        session.abort(call)
        session.transition("a", "RUNNING", "CANCELLED")
        return "cancelled"
"""
    )
    plan = read_plan(PlanText(steps={"a": "hang"}, cancel="a RUNNING"))
    with open_runtime(target) as runtime:
        exchange = runtime.run(b"", {}, plan, 5)

    assert "ended" == exchange.kind
    assert ["cancelled"] == [message["outcome"] for message in sent(exchange, "end")]


def test_run_refuses_an_invalid_document_by_raising(adapter):
    target = adapter(
        HEAD
        + """
class Adapter(Base):
    async def run(self, document, session):
        raise session.invalid([{"code": "HX-3003", "line": 4}])
"""
    )
    with open_runtime(target) as runtime:
        exchange = runtime.run(b"", {}, Plan(), 5)

    assert ("findings", [("HX-3003", 4)]) == (
        exchange.kind,
        [(finding.code, finding.line) for finding in exchange.findings],
    )


def test_faults_of_the_plan_reach_the_session(adapter):
    target = adapter(
        HEAD
        + """
class Adapter(Base):
    async def run(self, document, session):
        return {"codes": [{"code": c} for c in session.unresolvable + session.bad_digests]}
"""
    )
    with open_runtime(target) as runtime:
        exchange = runtime.run(b"", {}, Plan(unresolvable=("r",), bad_digests=("d",)), 5)

    assert ["r", "d"] == [code["code"] for code in sent(exchange, "end")[0]["codes"]]


def test_large_documents_pass(adapter):
    target = adapter(
        HEAD
        + """
class Adapter(Base):
    def validate(self, document):
        return [{"code": str(len(document))}]
    def run(self, document, plan):
        return []
"""
    )
    with open_runtime(target) as runtime:
        exchange = runtime.validate(b"x" * 3_000_000, {}, 10)

    assert ["3000000"] == [finding.code for finding in exchange.findings]


BUSY = """
import time
class adapter:
    def describe(self):
        return {"name": "busy", "version": "1", "levels": ["core"]}
    def validate(self, document):
        return []
    async def run(self, document, session):
        session.transition("a", "PENDING", "READY")
        session.transition("a", "READY", "RUNNING")
        time.sleep(60)
"""


def test_what_a_busy_adapter_has_reported_arrives_before_the_time_limit(tmp_path, monkeypatch):
    (tmp_path / "busy.py").write_text(BUSY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with open_runtime("busy:adapter") as runtime:
        exchange = runtime.run(b"", {}, Plan(), 1.0)
    sent = [e.message["type"] for e in exchange.transcript.entries if e.source == "runtime"]

    assert ("timeout", ["transition"] * 2) == (exchange.kind, sent)
