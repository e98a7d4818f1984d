"""The published command-line runtime, called once or twice for each request."""

import hashlib
import shutil
import time
from collections.abc import Callable, Collection
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec

from comparator.facts import Facts
from suite.corpus.facts_reader import FactsError, read_facts
from suite.corpus.plan import Plan
from suite.corpus.public_trace import PublicTraceError, loop_of, read_public_trace
from suite.corpus.survey import survey
from suite.protocol.breach import Breach
from suite.protocol.decode import decode
from suite.protocol.exchange import AdapterDidNotStart, Exchange, printable
from suite.protocol.grammar import Grammar
from suite.protocol.messages import (
    PROTOCOL,
    Description,
    End,
    Finding,
    FromRuntime,
    ReportedCode,
    TransitionMessage,
)
from suite.protocol.process import Watch
from suite.protocol.published.directives import InexpressibleError, directives_of
from suite.protocol.published.program import Broken, Output, call
from suite.protocol.published.reading import begins_trace, read_findings, read_run, read_table
from suite.protocol.request import Askable, Request
from suite.protocol.transcript import Entry, Transcript
from suite.protocol.wire import Bounds

__all__ = ["PublishedRuntime"]

#: What the program exits with.
_INVALID: Final = 1
_TOOL_FAILURE: Final = 2
_DOCUMENT: Final = "document.hxml"
_PLAN: Final = "plan.txt"
#: What an entry of a trace may hold.
_FIELDS: Final = ("node", "from", "to", "attempt", "iteration", "errorClass", "detail")
_PROBE: Final = b"""\
<harness xmlns="https://harnessxml.com/spec/1.0" id="probe" specVersion="1.0">
  <nodes><node id="alder" type="task"/></nodes>
</harness>
"""


class PublishedRuntime(Askable):
    """One binary; stateless, so that there is nothing to restart.

    It says nothing of itself: its version is the digest of the file, it counts as claiming
    every level (``--hx-level`` asks for less), and it runs one step at a time.

    Raises:
        AdapterDidNotStart: it does not accept the smallest document there is.
    """

    def __init__(self, name: str, path: str, *, bounds: Bounds, start_limit: float) -> None:
        self._path = _located(path)
        self._bounds = bounds
        self._watch = Watch()
        self._stderr = ""
        try:
            self.description = Description(
                id=1,
                protocol=PROTOCOL[1],
                name=f"harnessxml-cli {Path(path).name}"[:100],
                version=self._digest(),
                levels=("core", "executing", "full"),
                control="scripted",
                open_steps=1,
                features=("codes",),
            )
            self._probe(name, start_limit)
        except OSError as error:
            self._watch.close()
            raise AdapterDidNotStart(f"{name}: adapter did not start: {error}") from None
        except BaseException:
            self._watch.close()
            raise

    def _probe(self, name: str, limit: float) -> None:
        exchange = self.validate(_PROBE, {}, limit)
        if exchange.kind != "findings" or exchange.findings:
            told = exchange.detail or ", ".join(f.code for f in exchange.findings)
            said = f"{told} {exchange.stderr_tail.strip().rpartition(chr(10))[2]}"
            raise AdapterDidNotStart(
                f"{name}: adapter did not start: expected 'validate' to accept a document of one "
                f"node, observed {exchange.kind}: {' '.join(said.split())[:400]}"
            )

    def _digest(self) -> str:
        return f"sha256:{hashlib.sha256(Path(self._path).read_bytes()).hexdigest()[:16]}"

    def ask(self, request: Request) -> Exchange:
        """Validate a document, or execute it."""
        if request.plan is not None:
            return self._run(request, request.plan)

        def ask(folder: Path, deadline: float) -> Exchange:
            printed = self._call(["validate", str(folder / _DOCUMENT)], deadline)
            findings = read_findings(_said(printed))
            _agree(printed.code, _errors(findings), printed)
            return Exchange(kind="findings", transcript=Transcript(), findings=findings)

        return self._request(request, ask)

    def ask_ahead(self, request: Request) -> None:
        """Do nothing: a program is called when its answer is wanted."""

    def go_on(self) -> None:
        """Do nothing, as before."""

    def _run(self, request: Request, plan: Plan) -> Exchange:
        document = request.document
        try:
            facts = read_facts(document)
            text = directives_of(plan, facts, survey(document).reads)
        except FactsError:  # a document that has to be refused before anything is planned
            facts, text = Facts("", {}), ""
        except InexpressibleError as error:
            return _unable(str(error))

        def ask(folder: Path, deadline: float) -> Exchange:
            (folder / _PLAN).write_text(text, encoding="utf-8")
            words = ["run", str(folder / _DOCUMENT), "--scenario", str(folder / _PLAN)]
            printed = self._call([*words, "--trace"], deadline)
            if not begins_trace(printed.text) and printed.code == _INVALID:
                findings = read_findings(_said(printed), refused=True)
                _agree(printed.code, _errors(findings), printed)
                return Exchange(kind="findings", transcript=Transcript(), findings=findings)
            traced = read_run(printed.text)
            _agree(printed.code, traced.outcome != "succeeded", printed)
            again = self._call(words, deadline)
            table = read_table(again.text, facts.nodes)
            _agree_twice((traced.outcome, printed.code), (table.outcome, again.code))
            items = _plain(traced.transitions)
            untold = _untold(items, facts)
            if untold is not None:
                # The states are still judged.
                items = [{k: v for k, v in item.items() if k != "iteration"} for item in items]
            try:
                transitions = read_public_trace(items, facts)
            except PublicTraceError as error:
                raise Breach(f"the trace: {error}") from error
            messages = [
                TransitionMessage(
                    id=1, n=n, **{f: getattr(t, f) for f in t.__struct_fields__ if f != "n"}
                )
                for n, t in enumerate(transitions, 1)
            ]
            entries = _entries(messages, traced.outcome, table.codes, request.known_nodes)
            transcript = Transcript(tuple(entries))
            if untold is not None:
                return Exchange(kind="unable", transcript=transcript, detail=untold)
            return Exchange(kind="ended", transcript=transcript)

        return self._request(request, ask)

    def take_late(self) -> None:
        """Return nothing: no program outlives its request."""

    def close(self, *, politely: bool = True) -> None:  # noqa: ARG002 -- as every runtime
        """End the watcher; no program outlives its request."""
        self._watch.close()

    def _call(self, words: list[str], deadline: float) -> Output:
        printed = call([self._path, *words], self._watch, self._bounds, deadline)
        self._stderr += printable(printed.stderr)
        if printed.code not in (0, _INVALID):
            tool = " (tool failure)" if printed.code == _TOOL_FAILURE else ""
            lines = (printed.stderr or printed.text).strip().splitlines() or ["nothing"]
            raise Broken("crash", f"exit code {printed.code}{tool}, said: {printable(lines[-1])}")
        return printed

    def _request(self, request: Request, ask: Callable[[Path, float], Exchange]) -> Exchange:
        """Lay out the files, ask, and turn every way out into an exchange."""
        started = time.monotonic()
        self._stderr = ""
        with TemporaryDirectory(prefix="hxconf-", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            (folder / _DOCUMENT).write_bytes(request.document)
            for uri, data in request.companions.items():
                if not _lay_out(folder, uri, data):
                    return _unable(f"a companion document cannot be laid out beside it as {uri!r}")
            try:
                exchange = ask(folder, started + request.limit)
            except Breach as error:
                exchange = Exchange(
                    kind="protocol-error", transcript=Transcript(), detail=printable(str(error))
                )
            except OSError as error:
                exchange = Exchange(kind="crash", transcript=Transcript(), detail=str(error))
            except Broken as error:
                exchange = Exchange(kind=error.kind, transcript=Transcript(), detail=str(error))
        seconds = time.monotonic() - started
        return msgspec.structs.replace(exchange, seconds=seconds, stderr_tail=self._stderr)


def _located(path: str) -> str:
    """Return the place of the program: as a shell would find it, but also in this folder."""
    expanded = Path(path).expanduser()
    found = shutil.which(path) if expanded.name == path and not expanded.exists() else None
    return found or str(expanded.absolute())


def _said(printed: Output) -> str:
    """Return the findings as printed; a program without standard output says them in the other."""
    return printed.text if printed.text.strip() else printed.stderr


def _lay_out(folder: Path, uri: str, data: bytes) -> bool:
    """Write a companion where the document refers to it, unless that is no place beside it."""
    path = PurePosixPath(uri)
    taken = not path.parts or str(path) in (_DOCUMENT, _PLAN)
    if taken or path.is_absolute() or ".." in path.parts or ":" in uri or "\0" in uri:
        return False
    try:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    except OSError:
        return False
    return True


def _unable(detail: str) -> Exchange:
    return Exchange(kind="unable", transcript=Transcript(), detail=detail)


def _plain(items: Any) -> list[dict[str, Any]]:
    """Return the entries of a trace without what their description does not name.

    An attempt 0 outside RUNNING stands for none yet.

    Raises:
        Breach: it is no array of objects, or an iteration is no integer.
    """
    if not isinstance(items, list):
        raise Breach("expected the trace to be an array")
    return [_entry(place, item) for place, item in enumerate(items)]


def _entry(place: int, item: Any) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise Breach(f"the trace: entry {place}: expected an object, observed {item!r}")
    iteration = item.get("iteration")
    if iteration is not None and type(iteration) is not int:
        raise Breach(
            f"the trace: entry {place}: iteration: expected an integer, observed {iteration!r}"
        )
    attempted = item.get("attempt") != 0 or "RUNNING" in (item.get("from"), item.get("to"))
    return {
        name: item[name] for name in _FIELDS if name in item and (attempted or name != "attempt")
    }


def _untold(items: Any, facts: Facts) -> str | None:
    """Say of which node one number does not tell the iteration: it is inside several loops."""
    counted = {
        str(item.get("node"))
        for item in items
        if isinstance(item, dict) and isinstance(item.get("iteration"), int)
    }
    bodies = {node.loop.body for node in facts.nodes.values() if node.loop is not None}
    if all(loop_of(body, facts) is not None for body in bodies):
        return None
    unclear = sorted(node for node in counted if loop_of(node, facts) is None)
    if not unclear:
        return None
    return f"its traces tell one iteration number, and {unclear[0]!r} is inside several loops"


def _errors(findings: tuple[Finding, ...]) -> bool:
    return any(finding.severity == "error" for finding in findings)


def _agree(code: int, bad: bool, printed: Output) -> None:  # noqa: FBT001 -- a fact, no option
    """Make sure that exit code and text say the same.

    Raises:
        Breach: they do not.
    """
    if (code != 0) != bad:
        last = printed.text.strip().splitlines()[-1:]
        raise Breach(f"exit code {code} beside the last line {last[0] if last else ''!r}")


def _agree_twice(traced: tuple[Any, int], table: tuple[Any, int]) -> None:
    """Make sure that the run ends in the same way with its trace and without.

    Raises:
        Breach: it does not.
    """
    outcome, code = table
    if code != traced[1] or outcome not in {None, traced[0]}:
        said = "no word" if outcome is None else repr(outcome)
        raise Breach(
            f"without --trace: expected the end of the traced run, {traced[0]!r} with exit code "
            f"{traced[1]}, observed {said} of the end with exit code {code}"
        )


def _entries(
    messages: list[TransitionMessage],
    outcome: Any,
    codes: tuple[ReportedCode, ...],
    known_nodes: Collection[str] | None,
) -> list[Entry]:
    """Return the messages of a run as an adapter of our own would have sent them.

    Raises:
        Breach: an unknown state or node.
    """
    grammar = Grammar(known_nodes, scripted=True)
    last = len(messages) + 1
    end = End(id=1, n=last, messages=last, outcome=outcome, codes=codes)
    entries = []
    for message in (*messages, end):
        line = msgspec.json.encode(message)
        checked: FromRuntime = decode(line)
        grammar.check(checked, 0)
        entries.append(Entry("runtime", 0.0, msgspec.json.decode(line)))
    return entries
