"""The pages for adapter authors: the conversations are real and the skeletons run."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from suite.corpus.plan import Plan, PlanText, StepText, read_plan
from suite.protocol.conversation import Conversation, Manner
from suite.protocol.dialogue import Dialogue, ask, validate
from suite.protocol.messages import Describe, Run, Validate
from suite.protocol.runtime import open_runtime
from suite.protocol.wire import Bounds, Wire

DOCS = Path(__file__).parents[2] / "docs"
TEMPLATES = Path(__file__).parents[2] / "suite/cli/templates"
DOCUMENT = "PGhhcm5lc3M…"
INTERACTIVE = read_plan(
    PlanText(
        steps={
            "fetch@1": StepText(fail="transient", message="connection reset"),
            "fetch@2": StepText(ok={"rows": 3}),
            "store": StepText(ok={}, hold_until="idle"),
        }
    )
)
SCRIPTED = Plan(answers=INTERACTIVE.answers[:2])


class Script(Wire):
    """Plays the runtime's lines of a conversation and notes the suite's."""

    def __init__(self, lines):
        self.played = lines
        self.sent = []

    def begin(self):
        pass

    def flush(self):
        pass

    def send(self, line):
        self.sent.append(json.loads(line))

    def take(self):
        return None

    def receive(self, _deadline):
        """Play the next line as soon as the suite has said all that stands before it."""
        said = 0
        for place, (speaker, line) in enumerate(self.played):
            if speaker == ">":
                said += 1
            elif line is not None and said <= len(self.sent):
                self.played[place] = ("<", None)
                return line.encode()
            elif line is not None:
                return None
        return None

    def stalled_line(self, _seconds):
        return b""

    @property
    def stderr_tail(self):
        return ""

    def farewell(self):
        return ""

    def alive(self):
        return True

    def end(self, *, politely):
        pass


def conversations():
    text = (DOCS / "protocol.md").read_text()
    return [
        [tuple(line.split(" ", 1)) for line in block.splitlines()]
        for block in re.findall(r"```conversation\n(.*?)```", text, re.DOTALL)
    ]


def spoken(lines):
    return [json.loads(line) for speaker, line in lines if speaker == ">"]


def test_interactive_conversation_is_what_the_suite_says():
    lines, _ = conversations()
    expected = spoken(lines)
    script = Script(list(lines))
    _, description = ask(Dialogue(script, Describe(1), 5))
    found = validate(Dialogue(script, Validate(2, DOCUMENT), 5))
    dialogue = Dialogue(script, Run(3, DOCUMENT), 5)
    manner = Manner.of(description, 0.25)
    exchange = Conversation(dialogue, INTERACTIVE, manner, {"fetch", "store"}).hold()

    assert ("findings", "ended", "") == (found.kind, exchange.kind, exchange.detail)
    assert expected == [*script.sent, {"type": "stop"}]


def test_scripted_conversation_is_what_the_suite_says():
    _, lines = conversations()
    expected = spoken(lines)
    script = Script(list(lines))
    dialogue = Dialogue(script, Run(2, DOCUMENT, plan=SCRIPTED), 5)
    manner = Manner(scripted=True)
    exchange = Conversation(dialogue, SCRIPTED, manner, {"fetch", "store"}).hold()

    assert ("ended", "") == (exchange.kind, exchange.detail)
    assert expected == script.sent


FLOW = b"""<harness xmlns="https://harnessxml.com/spec/1.0" id="h" specVersion="1.0">
  <nodes>
    <node id="a" type="task"/>
    <node id="b" type="parallel"/>
    <node type="task" id="c"/>
  </nodes>
</harness>"""
EMPTY = (
    b'<harness xmlns="https://harnessxml.com/spec/1.0" id="h" specVersion="1.0"><nodes/></harness>'
)
RUNTIMES = [
    pytest.param(
        f"cmd:node {TEMPLATES / 'node/skeleton.js'}",
        id="javascript",
        marks=pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed"),
    ),
    pytest.param("skeleton:Adapter", id="python"),
    pytest.param("skeleton_scripted:Adapter", id="python-scripted"),
]


def paths(exchange):
    found = {}
    for entry in exchange.transcript.entries:
        if entry.message["type"] == "transition":
            found.setdefault(entry.message["node"], []).append(entry.message["to"])
    return found


@pytest.mark.parametrize("target", RUNTIMES)
def test_skeleton_validates_runs_and_fails_as_planned(target, monkeypatch):
    monkeypatch.chdir(TEMPLATES / "python")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    fails = read_plan(PlanText(steps={"c": StepText(fail="internal", message="no")}))
    with open_runtime(target, bounds=Bounds(stop=5)) as runtime:
        valid = runtime.validate(FLOW, {}, 5)
        invalid = runtime.validate(EMPTY, {}, 5)
        refused = runtime.run(EMPTY, {}, Plan(), 5)
        good = runtime.run(FLOW, {}, Plan(), 5, known_nodes={"a", "b", "c"})
        bad = runtime.run(FLOW, {}, fails, 5, known_nodes={"a", "b", "c"})
    done = ["READY", "RUNNING", "SUCCEEDED"]

    assert ["findings", "findings", "findings", "ended", "ended"] == [
        exchange.kind for exchange in (valid, invalid, refused, good, bad)
    ]
    assert [0, 1, 1] == [len(exchange.findings) for exchange in (valid, invalid, refused)]
    assert {"a": done, "b": done, "c": done} == paths(good)
    assert {"a": done, "b": done, "c": ["READY", "RUNNING", "FAILED"]} == paths(bad)


@pytest.mark.parametrize("target", RUNTIMES)
def test_skeleton_survives_a_document_that_breaks_it(target, monkeypatch):
    monkeypatch.chdir(TEMPLATES / "python")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    broken = b"<node />"
    with open_runtime(target, bounds=Bounds(stop=5)) as runtime:
        group = runtime._wire.group
        kinds = [
            runtime.validate(broken, {}, 5).kind,
            runtime.run(broken, {}, Plan(), 5).kind,
            runtime.validate(FLOW, {}, 5).kind,
        ]
        same = runtime._wire.group == group

    assert (["crash", "crash", "findings"], True) == (kinds, same)


@pytest.mark.parametrize(
    "name", ["node/skeleton.js", "python/skeleton.py", "python/skeleton_scripted.py"]
)
def test_page_quotes_the_skeleton_as_it_is(name):
    page = (DOCS / "adapter.md").read_text()

    assert (TEMPLATES / name).read_text() in page
