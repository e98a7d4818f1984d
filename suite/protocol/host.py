"""Serves a Python adapter over the protocol; executed by path in the adapter's interpreter.

Standard library only and nothing of the suite's but ``session.py`` beside it, loaded by path
under a private name, so that a runtime's own ``suite`` or ``comparator`` stays what it imports.
``python host.py pkg.mod:attribute`` reads requests from standard input and answers on standard
output; whatever the adapter prints goes to standard error. docs/adapter.md describes what an
adapter looks like.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import importlib
import importlib.util
import inspect
import io
import json
import os
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any


def _load_session() -> Any:
    """Load ``session.py`` by its path, so that no folder of ours is searched for modules."""
    path = Path(__file__).with_name("session.py")
    spec = importlib.util.spec_from_file_location("_hxconf_session", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_session = _load_session()

__all__ = ["serve"]

_PROTOCOL = 1
_FRAMES = 6
_NOT_THEIRS = (__file__, str(_session.__file__), str(Path(asyncio.__file__).parent))
_CHUNK = 1 << 16

#: Characters of a text of the adapter's that are sent in a fault.
_SHOWN = 2000

#: Bytes that are written at once, and seconds that they wait for more: a suite that is woken by
#: each message, and takes turns with the runtime, takes twice as long.
_FULL = 1 << 15
_WAIT = 0.02

#: Made once: ``json.dumps`` makes an encoder for each message.
_to_json = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode


class AdapterError(Exception):
    """The adapter does not look or answer as it has to; the text is for its author."""


class _SuiteGone(SystemExit):
    """The other end of the pipes is closed; an event loop lets this through."""


class _Host:
    """Answers requests, one after the other."""

    def __init__(self, target: str, reader: int, writer: int) -> None:
        self._target = target
        self._reader = reader
        self._writer = writer
        self._rest = b""
        self._lines: deque[bytes] = deque()
        self._adapter: Any = None
        self._about: dict[str, Any] = {}
        self._session: Any = None
        self._unsent = bytearray()
        self._lock = threading.Lock()
        self._thread = threading.get_ident()
        self._process = os.getpid()
        self._busy = threading.Event()
        self._open = True
        self._loop = asyncio.SelectorEventLoop(_session.RestingSelector(self._before_wait))
        self._loop.add_reader(reader, self._readable)

    def serve(self) -> None:
        """Answer until ``stop`` or the end of the input."""
        threading.Thread(target=self._flush_in_time, daemon=True).start()
        answers = {"describe": self._describe, "validate": self._validate, "run": self._run}
        with contextlib.suppress(_SuiteGone):
            while True:
                while not self._lines:
                    self._read()
                request = json.loads(self._lines.popleft())
                if request["type"] == "stop":
                    break
                if request["type"] in answers:  # what is left over from a run is for nobody
                    self._guard(answers[request["type"]], request)
        self._close()

    def _guard(self, answer: Callable[[dict[str, Any]], None], request: dict[str, Any]) -> None:
        """Turn whatever the adapter raises into a fault."""
        try:
            answer(request)
        except (_SuiteGone, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001 -- sys.exit() in an adapter is its fault too
            self._end_copy()
            if not isinstance(error, AdapterError):
                with contextlib.suppress(Exception):  # standard error may be gone
                    traceback.print_exc(file=sys.stderr)
            self._send({"type": "fault", "id": request["id"], "message": _explain(error)})
        finally:
            self._end_copy()
            if self._session is not None:
                self._session.close()
                self._session = None
            self._busy.clear()
            self._flush()

    def _describe(self, request: dict[str, Any]) -> None:
        self._adapter = _load(self._target)
        about = self._wait(self._adapter.describe())
        if not isinstance(about, dict):
            raise AdapterError(f"describe() returned {_show(about)}; expected a dict")
        interactive = inspect.iscoroutinefunction(self._adapter.run)
        self._about = {"control": "interactive" if interactive else "scripted", **about}
        fixed = {"type": "description", "id": request["id"], "protocol": _PROTOCOL}
        self._send({**self._about, **fixed})

    def _validate(self, request: dict[str, Any]) -> None:
        document = base64.b64decode(request["document"])
        result = self._wait(
            _apply(self._adapter.validate, document, _session.read_companions(request))
        )
        self._send_findings(request, result, "validate()")

    def _run(self, request: dict[str, Any]) -> None:
        document = base64.b64decode(request["document"])
        session = self._session = _session.Session(request, self._send)
        interactive = self._about["control"] == "interactive"
        companions = session.companions
        self._busy.set()
        try:
            if interactive:
                result = self._wait(self._interact(document, session))
            else:
                plan = request.get("plan", {})
                result = _apply(self._adapter.run, document, plan, companions)
        except _session.InvalidDocument as invalid:
            result = invalid
        if isinstance(result, dict) and "findings" in result:
            result = _session.InvalidDocument(result["findings"])
        if isinstance(result, _session.InvalidDocument):
            self._send_findings(request, result.findings, "run()")
        elif interactive:
            session.end(*_outcome(result))
        else:
            _report(session, result)

    async def _interact(self, document: bytes, session: Any) -> Any:
        """Run the adapter in a task of its own; SystemExit in it must not pass for the suite's."""
        try:
            return await _apply(self._adapter.run, document, session, session.companions)
        except _SuiteGone:
            raise
        except SystemExit as error:
            raise AdapterError(f"run() called sys.exit({error.code!r})") from error

    def _wait(self, result: Any) -> Any:
        """Return the value of what an adapter's method returned, sync or async."""
        return self._loop.run_until_complete(result) if inspect.isawaitable(result) else result

    def _before_wait(self, timeout: float | None) -> None:
        self._end_copy()
        session = self._session
        if session is not None and self._about.get("quiescence", "idle") == "idle":
            session.rest(timeout, wall=self._about.get("clock") == "wall")
        self._flush()

    def _readable(self) -> None:
        self._read()
        while self._lines and self._session is not None:
            self._session.deliver(json.loads(self._lines.popleft()))

    def _read(self) -> None:
        self._end_copy()
        chunk = os.read(self._reader, _CHUNK)
        if not chunk:
            raise _SuiteGone
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        self._lines.extend(lines)

    def _send_findings(self, request: dict[str, Any], findings: Any, where: str) -> None:
        listed = isinstance(findings, (list, tuple))
        if not listed or not all(isinstance(finding, dict) for finding in findings):
            raise AdapterError(
                f"{where} gave {_show(findings)} as findings; expected a list of dicts, empty for "
                "a valid document"
            )
        self._send({"type": "findings", "id": request["id"], "findings": list(findings)})

    def _end_copy(self) -> None:
        """End a copy that the adapter made of the process by ``os.fork`` and let go on.

        It has the same pipes and the same selector, and would answer in the other's place.
        """
        if os.getpid() != self._process:
            os._exit(1)

    def _send(self, message: dict[str, Any]) -> None:
        if os.getpid() != self._process:
            raise RuntimeError(f"{message['type']}: a forked process cannot report to the suite")
        data = _to_json(message).encode() + b"\n"
        with self._lock:
            self._unsent += data
        if len(self._unsent) > _FULL or threading.get_ident() != self._thread:
            self._flush()

    def _flush(self) -> None:
        """Write what waits to be written."""
        with self._lock:
            data, self._unsent = self._unsent, bytearray()
            try:
                while data:
                    del data[: os.write(self._writer, data)]
            except BrokenPipeError:
                raise _SuiteGone from None

    def _flush_in_time(self) -> None:
        """Write for an adapter that is busy, or stuck, and does not come back to the event loop."""
        with contextlib.suppress(_SuiteGone, OSError):
            while self._busy.wait() and self._open:
                time.sleep(_WAIT)
                self._flush()

    def _close(self) -> None:
        """End what an unfinished run left in the event loop, within a bound."""
        self._open = False
        self._busy.set()
        self._loop.remove_reader(self._reader)
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        if tasks:
            with contextlib.suppress(_SuiteGone):
                self._loop.run_until_complete(asyncio.wait(tasks, timeout=0.1))
        self._loop.close()


def _load(target: str) -> Any:
    """Import ``pkg.mod:attribute``; call it if it is a class or a factory."""
    module, _, attribute = target.partition(":")
    found: Any = importlib.import_module(module)
    for name in attribute.split("."):
        if not hasattr(found, name):
            raise AdapterError(f"{module!r} has no attribute {attribute!r}")
        found = getattr(found, name)
    if isinstance(found, type) or (callable(found) and not hasattr(found, "describe")):
        found = found()
    for name in ("describe", "validate", "run"):
        if not callable(getattr(found, name, None)):
            raise AdapterError(f"{target} is {_show(found)} and has no method {name}()")
    return found


def _apply(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call with as many of the arguments as the function takes."""
    return function(*arguments[: _places(function)])


def _places(function: Callable[..., Any]) -> int | None:
    """Return how many positional arguments a function takes, None for any number."""
    if type(function) is MethodType and type(function.__func__) is FunctionType:
        plain = function.__func__
        if plain.__code__.co_argcount and not plain.__dict__:
            # A method that nothing wraps: its code says the same in a fraction of the time.
            any_number = plain.__code__.co_flags & inspect.CO_VARARGS
            return None if any_number else plain.__code__.co_argcount - 1
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in kinds for p in parameters)


def _outcome(result: Any) -> tuple[Any, Any]:
    if isinstance(result, str):
        return result, []
    if isinstance(result, dict):
        return result.get("outcome"), result.get("codes", [])
    raise AdapterError(
        f"run() returned {_show(result)}; expected the outcome (succeeded, failed, compensated, "
        "cancelled) or a dict with outcome and codes"
    )


def _report(session: Any, result: Any) -> None:
    """Send what a scripted run returned: transitions, or a dict that holds them."""
    if not isinstance(result, dict):
        result = {"transitions": result}
    transitions = result.get("transitions")
    if not isinstance(transitions, (list, tuple)):
        raise AdapterError(
            f"run() returned {_show(transitions)} for the transitions; expected a list of dicts, "
            "or a dict with transitions, outcome and codes"
        )
    for place, fields in enumerate(transitions):
        if not isinstance(fields, dict):
            raise AdapterError(f"transition {place} of run() is {_show(fields)}; expected a dict")
        session.send(fields.get("type", "transition"), fields)
    session.end(result.get("outcome"), result.get("codes", []))


def _show(value: Any) -> str:
    if inspect.iscoroutine(value):
        value.close()
        return "a coroutine (an interactive adapter declares `async def run`)"
    return _text(value, repr)


def _text(value: Any, write: Callable[[Any], str]) -> str:
    """Return what ``write`` makes of a value, if it can, as it can be sent: short and Unicode."""
    try:
        text = str(write(value))
    except Exception as error:  # noqa: BLE001 -- whatever the value's own methods raise
        return f"<{type(value).__name__} whose text cannot be had: {type(error).__name__}>"
    short = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"
    return short.encode("utf-8", "backslashreplace").decode()


def _explain(error: BaseException) -> str:
    """Describe an error in a few lines: what it says, and where it came from."""
    if isinstance(error, AdapterError):
        return _text(error, str)
    stack = traceback.extract_tb(error.__traceback__)
    frames = [f for f in stack if not f.filename.startswith(_NOT_THEIRS)][-_FRAMES:]
    shown = [f"  {f.filename}:{f.lineno} in {f.name}" for f in frames]
    return "\n".join([f"{type(error).__name__}: {_text(error, str)}", *shown])


def serve(target: str, reader: int, writer: int) -> None:
    """Serve ``pkg.mod:attribute`` over two descriptors, which are closed at the end."""
    try:
        _Host(target, reader, writer).serve()
    finally:
        os.close(reader)
        os.close(writer)


def _main() -> None:
    """Keep the protocol's descriptors apart from the adapter's, and import like ``python -m``."""
    reader, writer = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # prints belong to the case at hand
    if sys.path and Path(sys.path[0]) == Path(__file__).parent:
        del sys.path[0]
    sys.path.insert(0, str(Path.cwd()))
    serve(sys.argv[1], reader, writer)


if __name__ == "__main__":
    _main()
