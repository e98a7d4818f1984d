"""Python adapters that go wrong: faults keep the process, everything else restarts it."""

import re
import sys
from pathlib import Path

import pytest

from suite.corpus.plan import Plan
from suite.protocol.exchange import AdapterDidNotStart
from suite.protocol.runtime import open_runtime
from suite.protocol.wire import Bounds

HOSTILE = Path(__file__).parents[1] / "runtimes" / "hostile"
BOUNDS = Bounds(stop=0.5, grace=0.2)


@pytest.fixture(autouse=True)
def in_the_folder_of_the_adapters(monkeypatch):
    monkeypatch.chdir(HOSTILE)


CASES = [
    ("Raises", "crash", r"^KeyError: 'engine is broken'\n.*:\d+ in run\n.*in bad$", True),
    ("ReturnsNone", "crash", r"run\(\) returned None; expected the outcome", True),
    ("ReturnsCoroutine", "crash", r"run\(\) returned a coroutine", True),
    ("Exits", "crash", r"run\(\) called sys.exit\(3\)", True),
    ("Unserialisable", "crash", "object is not JSON serializable", True),
    ("NotANumber", "crash", "nan|JSON compliant", True),
    ("Blocks", "timeout", "no end within 0.4 s", False),
    ("WaitsForNothing", "deadlock", "nothing can happen any more", False),
    ("ScriptedNone", "crash", r"run\(\) returned None for the transitions", True),
    ("ScriptedCoroutine", "crash", r"run\(\) returned a coroutine .*async def run", True),
    ("ScriptedTuples", "crash", r"transition 0 of run\(\) is \('a', 'PENDING'", True),
    ("ScriptedIdles", "protocol-error", "a scripted run has its plan", False),
]


@pytest.mark.parametrize(("name", "kind", "detail", "survives"), CASES, ids=[c[0] for c in CASES])
def test_hostile_object_gets_its_kind_and_the_next_request_works(name, kind, detail, survives):
    with open_runtime(f"objects:{name}", bounds=BOUNDS) as runtime:
        group = runtime._wire.group
        bad = runtime.run(b"bad", {}, Plan(), 0.4 if kind == "timeout" else 5)
        good = runtime.run(b"good", {}, Plan(), 5)
        same = runtime._wire.group == group

    assert (kind, "ended", survives) == (bad.kind, good.kind, same)
    assert re.search(detail, bad.detail)


def test_traceback_of_a_raising_adapter_is_on_stderr():
    with open_runtime("objects:Raises") as runtime:
        exchange = runtime.run(b"bad", {}, Plan(), 5)

    assert "Traceback" in exchange.stderr_tail
    assert exchange.stderr_tail.endswith("KeyError: 'engine is broken'\n")


def test_prints_of_an_adapter_go_to_stderr():
    with open_runtime("objects:factory") as runtime:
        exchange = runtime.run(b"bad", {}, Plan(), 5)

    assert ("ended", "hello from the engine\n") == (exchange.kind, exchange.stderr_tail)


def test_validate_without_an_answer_is_a_crash():
    with open_runtime("objects:ValidatesToNone") as runtime:
        bad = runtime.validate(b"bad", {}, 5)
        good = runtime.validate(b"good", {}, 5)

    assert ("crash", "findings") == (bad.kind, good.kind)
    assert bad.detail.startswith("validate() gave None as findings; expected a list of dicts")


def test_reports_after_the_end_are_refused_and_not_sent_in_the_next_run():
    with open_runtime("objects:GoesOnAfterTheEnd") as runtime:
        bad = runtime.run(b"bad", {}, Plan(), 5)
        good = runtime.run(b"good", {}, Plan(), 5)

    assert ("ended", "ended") == (bad.kind, good.kind)


STARTS = [
    ("no_such_module:x", "ModuleNotFoundError: No module named 'no_such_module'"),
    ("objects:missing", "'objects' has no attribute 'missing'"),
    ("adapter:objects", "'objects' has no attribute 'adapter'"),
    ("objects:NoMethods", r"has no method describe\(\)"),
    ("objects:not_callable", r"has no method describe\(\)"),
    ("objects:broken_factory", "RuntimeError: no engine in this place"),
]


@pytest.mark.parametrize(("target", "reason"), STARTS, ids=[start[0] for start in STARTS])
def test_object_that_cannot_be_had_did_not_start(target, reason):
    with pytest.raises(AdapterDidNotStart, match=reason) as caught:
        open_runtime(target)

    assert "\n" not in str(caught.value)


def test_object_in_another_interpreter_that_does_not_exist_did_not_start():
    with pytest.raises(AdapterDidNotStart, match=r"No such file.*no-such-python"):
        open_runtime("objects:Prints", python="/no-such-python")


def test_object_runs_in_the_interpreter_asked_for():
    with open_runtime("objects:Prints", python=sys.executable) as runtime:
        exchange = runtime.run(b"good", {}, Plan(), 5)

    assert "ended" == exchange.kind
