"""Messages of both sides are what the published schemas say; for a wrong one of ours we answer."""

import json
import re

import msgspec
import pytest
from jsonschema import Draft202012Validator

from suite.corpus.catalogue import load_corpus
from suite.corpus.plan import Answer, Plan
from suite.corpus.schemas import load_schema
from suite.protocol.dialogue import Dialogue
from suite.protocol.exchange import SuiteFault
from suite.protocol.messages import Advance, Cancel, Outcome, Run
from suite.protocol.runtime import open_runtime
from suite.protocol.wire import Wire
from suite.runner.runner import Runner
from suite.runner.settings import Settings


@pytest.fixture
def spoken(monkeypatch):
    """Collect the lines that cross any wire, by who sent them."""
    lines = {"suite": [], "runtime": []}
    send, receive = Wire.send, Wire.receive

    def sent(wire, line):
        lines["suite"].append(line)
        send(wire, line)

    def received(wire, deadline):
        line = receive(wire, deadline)
        if line is not None:
            lines["runtime"].append(line)
        return line

    monkeypatch.setattr(Wire, "send", sent)
    monkeypatch.setattr(Wire, "receive", received)
    return lines


def run_corpus(target):
    corpus = load_corpus()
    runner = Runner(corpus, Settings(target=target, in_process=True, confirm=False))
    for scenario in corpus.scenarios.values():
        runner.execute(scenario)
    runner.close()


def faults(lines, schema):
    """Return the faults of messages; those that differ in numbers and documents count once."""
    validator = Draft202012Validator(load_schema(schema))
    messages = {
        re.sub(rb'"(document|id|n|call|seen|messages|at)": ?("[^"]*"|[0-9.]+)', b"", line): line
        for line in lines
    }
    return [e.message for m in messages.values() for e in validator.iter_errors(json.loads(m))]


SCRIPTED = {"describe", "validate", "run", "stop"}
INTERACTIVE = {*SCRIPTED, "outcome", "advance", "cancel"}


@pytest.mark.parametrize(
    ("target", "kinds"),
    [
        pytest.param("adapter:reference_runtime", INTERACTIVE, id="interactive"),
        pytest.param("adapter:reference_runtime:scripted", SCRIPTED, id="scripted"),
    ],
)
def test_all_that_is_said_over_the_corpus_is_in_the_schemas(target, kinds, spoken):
    run_corpus(target)
    said = {json.loads(line)["type"] for line in spoken["suite"]}

    assert set() == kinds - said
    assert [] == faults(spoken["suite"], "message-to-runtime")
    assert [] == faults(spoken["runtime"], "message-from-runtime")


WRONG = [
    pytest.param(Outcome(id=1, call=0, result="ok"), id="call"),
    pytest.param(Advance(id=1, seconds=-1.0), id="negative"),
    pytest.param(Advance(id=1, seconds=float("nan")), id="nan"),
    pytest.param(Outcome(id=1, call=1, result="hang"), id="result"),
    pytest.param(Cancel(id="one"), id="id"),
    pytest.param(Run(1, "", refused=("everything",)), id="refusal"),
]


@pytest.mark.parametrize("message", WRONG)
def test_a_wrong_message_of_ours_is_never_sent(message, spoken):
    with open_runtime("adapter:reference_runtime", in_process=True) as runtime:
        dialogue = Dialogue(runtime._wire, Run(2, ""), 1.0)
        before = len(spoken["suite"])
        with pytest.raises(SuiteFault, match="made a message of its own wrong"):
            dialogue.send(message)

    assert ["stop"] == [json.loads(line)["type"] for line in spoken["suite"][before:]]


def test_a_wrong_message_of_ours_is_a_suite_fault_and_the_next_case_runs():
    corpus = load_corpus()
    first, second, *_ = (s for s in corpus.scenarios.values() if s.id.startswith("execution/joins"))
    answer = Answer(node="*", result="fail", error_class=3)
    spoiled = msgspec.structs.replace(first, plan=Plan(answers=(answer,)))
    settings = Settings(target="adapter:reference_runtime", in_process=True)
    runner = Runner(corpus, settings)
    verdicts = [runner.execute(spoiled).verdict, runner.execute(second).verdict]
    runner.close()

    assert ["suite-fault", "pass"] == [verdict.status for verdict in verdicts]
