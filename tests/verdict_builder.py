"""Make transcripts, descriptions and scenarios, for the tests of verdict and report."""

from typing import Any

from suite.corpus.case import Case, CaseText, Scenario
from suite.corpus.golden_file import read_golden
from suite.corpus.plan import PlanText, read_plan
from suite.protocol.exchange import Exchange
from suite.protocol.messages import Description
from suite.protocol.transcript import Entry, Transcript
from tests.corpus_builder import GOLDEN, PAIR

__all__ = [
    "describe",
    "ended",
    "execution",
    "pair_messages",
    "run_messages",
    "transcript",
    "walk",
]


def describe(**changes: Any) -> Description:
    """Return the description of a runtime that can do everything, with changes."""
    values: dict[str, Any] = {
        "id": 1,
        "protocol": 1,
        "name": "r",
        "version": "1",
        "levels": ("core", "executing"),
        "control": "interactive",
        "features": ("cancel", "events", "faults", "iterations", "calls", "codes"),
    }
    return Description(**(values | changes))


def walk(node: str, *states: str, **fields: Any) -> list[dict[str, Any]]:
    """Return the transitions of a node from PENDING through the states."""
    pairs = zip(("PENDING", *states), states, strict=False)
    return [{"type": "transition", "node": node, "from": f, "to": t} | fields for f, t in pairs]


def run_messages(*messages: dict[str, Any], outcome: str | None = "succeeded", **end: Any):
    """Number the messages of a run and end it."""
    last = {"type": "end", "outcome": outcome} | end
    listed = [*messages, last]
    return [{"id": 1, "n": n} | m for n, m in enumerate(listed, 1)]


def pair_messages() -> list[dict[str, Any]]:
    """Return a conforming run of the document with two nodes."""
    found: list[dict[str, Any]] = []
    for number, node in enumerate("ab", 1):
        ready, running, done = walk(node, "READY", "RUNNING", "SUCCEEDED")
        found += [ready, running]
        found += [{"type": "invoke", "node": node, "call": number}]
        found += [{"source": "suite", "type": "outcome", "call": number, "result": "ok"}]
        found += [done]
    return found


def transcript(*messages: dict[str, Any], times: dict[int, float] | None = None) -> Transcript:
    """Return a transcript; a message with ``source`` suite comes from the suite."""
    entries = []
    for place, message in enumerate(messages):
        fields = dict(message)
        source = fields.pop("source", "runtime")
        entries.append(Entry(source, (times or {}).get(place, 0.0), fields))
    return Transcript(tuple(entries))


def ended(*messages: dict[str, Any], **changes: Any) -> Exchange:
    """Return the exchange of a run that ended."""
    return Exchange(kind=changes.pop("kind", "ended"), transcript=transcript(*messages), **changes)


def execution(golden: str = GOLDEN, text: str = PAIR, plan: PlanText | None = None) -> Scenario:
    """Return a scenario of the document with two nodes."""
    case = Case(
        id="execution/flow/pair",
        group="execution",
        text=CaseText(description="One node after the other.", level="executing"),
        document=text.encode(),
    )
    return Scenario(
        id="execution/flow/pair.plain",
        case=case,
        plan=read_plan(plan or PlanText()),
        golden=read_golden(golden.encode(), "golden"),
    )
