"""Double entry: the runtime's transcription of the specification against that of the judge.

Two people's readings of one text: where they differ, one of them is wrong, and the text decides.
"""

import tomllib
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from comparator import facts as judged
from comparator import golden, lifecycle
from comparator.attempts import _BEFORE_STEP
from reference_runtime.defaults import default_outputs
from reference_runtime.document.grammar import (
    EDGE_TYPE,
    ELEMENTS,
    NAMESPACE,
    NODE_TYPE,
)
from reference_runtime.document.lexical import read_duration
from reference_runtime.document.model import Loop, Node, Retry, Timeout
from reference_runtime.engine import state as engine_state
from reference_runtime.rule_parts.ending import End
from reference_runtime.rules import CODES, INITIAL, RULES, STEP_TYPES
from suite.cli import plan_files
from suite.corpus import facts_reader
from suite.corpus.durations import parse_duration
from suite.corpus.plan import Refusal
from suite.protocol.messages import End as EndMessage
from tests.strategies_runtime import document, harness, plan, shown

LEDGER = Path(__file__).parents[2] / "cases/requirements.toml"


def words(type_):
    """Members of a closed list, None left out."""
    found = []
    for member in get_args(type_):
        found += words(member) if get_args(member) else [member]
    return {word for word in found if isinstance(word, str)}


def values(element, attribute):
    return set(ELEMENTS[element].attributes[attribute].values)


def test_states():
    assert list(RULES.legal) == list(lifecycle.STATES)
    assert INITIAL == lifecycle.INITIAL
    assert set(engine_state._ACTIVE) == set(lifecycle.STATES) - lifecycle.TERMINAL - {INITIAL}


def test_transitions():
    assert lifecycle.LEGAL == RULES.legal
    assert (lifecycle.TERMINAL, lifecycle.SUCCESSES) == (RULES.terminal, RULES.succeeded)
    assert lifecycle.UNDER_TIMEOUT_SKIP == RULES.exceptions


def test_what_only_idempotent_nodes_may_do():
    only = {
        (state, "CANCELLED")
        for state, idempotent in RULES.cancellable.items()
        if idempotent == {True}
    }

    assert lifecycle.IDEMPOTENT_ONLY == only


def test_step_types():
    assert judged.STEP_TYPES == STEP_TYPES
    assert set(NODE_TYPE.values) > STEP_TYPES


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (set(EDGE_TYPE.values), words(get_type_hints(judged.Edge)["type"])),
        (set(EDGE_TYPE.values), set(facts_reader._EDGE_TYPES)),
        (values("node", "joinPolicy"), words(get_type_hints(judged.Node)["join"])),
        (values("node", "joinPolicy"), set(facts_reader._JOINS)),
        (set(RULES.met), set(facts_reader._JOINS)),
        (set(RULES.lost), set(facts_reader._JOINS)),
        (values("loop", "onItemFailure"), set(facts_reader._ITEM_FAILURES)),
        (set(RULES.loops.item_failure), words(get_type_hints(judged.Loop)["on_item_failure"])),
        (values("timeout", "onTimeout"), set(facts_reader._TIMEOUTS)),
        (set(RULES.on_timeout), words(get_type_hints(judged.Node)["on_timeout"])),
        (values("retry", "backoff"), set(RULES.backoff)),
        (words(golden.Outcome), words(get_type_hints(EndMessage)["outcome"])),
    ],
    ids=[
        "edge-type",
        "edge-type-read",
        "join",
        "join-read",
        "join-met",
        "join-lost",
        "item-failure-read",
        "item-failure",
        "timeout-read",
        "timeout",
        "backoff",
        "outcome",
    ],
)
def test_closed_lists(ours, theirs):
    assert ours == theirs


def test_outcomes():
    ends = [
        End(phase, undone, spoiled, frozenset())
        for phase in ("forward", "unwinding", "cancelled")
        for undone in (0, 1)
        for spoiled in (0, 1)
    ]

    assert words(golden.Outcome) == {RULES.ending.outcome(end) for end in ends}


def test_namespace():
    assert facts_reader.NAMESPACE == NAMESPACE


@pytest.mark.parametrize(
    "text", ["PT0S", "PT1.5S", "P1D", "P1DT2H", "PT90M", "PT0.05S", "P0DT0H0M0S", "PT1H1M1S"]
)
def test_durations(text):
    assert parse_duration(text) == read_duration(text)


BARE = (
    "a <retry maxAttempts='3'/><timeout duration='PT1S'/>\n"
    "l:loop <loop kind='times' count='1' maxIterations='4'><body ref='b'/></loop>\nb"
)


def test_defaults_of_nodes():
    doc = harness(BARE, "a->l", "a").node_by_id["a"]
    facts = facts_reader.read_facts(document(BARE, "a->l", "a")).nodes["a"]

    assert (facts.idempotent, facts.join, facts.quorum, facts.max_attempts, facts.retry_on) == (
        doc.idempotent,
        doc.join_policy,
        doc.quorum,
        RULES.attempts(doc),
        doc.retry.retry_on,
    )
    assert facts.on_timeout == doc.timeout.on_timeout
    assert facts_reader.read_facts(document("a")).nodes["a"].max_attempts == RULES.attempts(
        harness("a").nodes[0]
    )


def test_defaults_of_loops_and_edges():
    doc = harness(BARE, "a->l", "a")
    facts = facts_reader.read_facts(document(BARE, "a->l", "a"))
    ours, theirs = doc.node_by_id["l"].loop, facts.nodes["l"].loop

    assert (theirs.kind, theirs.max_iterations, theirs.max_concurrency, theirs.on_item_failure) == (
        ours.kind,
        ours.max_iterations,
        ours.max_concurrency,
        ours.on_item_failure,
    )
    bare = b'<edge from="a" to="l" type="control"/>'
    plain = document(BARE, "a->l", "a").replace(bare, b'<edge from="a" to="l"/>')
    assert "control" == facts_reader.read_facts(plain).edges[0].type


def test_defaults_of_the_model_are_those_of_the_judge():
    node = judged.Node(id="a", type="task")
    loop = judged.Loop(body="b", kind="times", max_iterations=1)
    ours = Loop("times", "b", 1)

    assert (node.idempotent, node.join) == (
        Node("a", "task").idempotent,
        Node("a", "task").join_policy,
    )
    assert (loop.max_concurrency, loop.on_item_failure) == (
        ours.max_concurrency,
        ours.on_item_failure,
    )
    assert ("exponential", 1.0, 2.0, True, "fail") == (
        Retry(1).backoff,
        Retry(1).initial_delay,
        Retry(1).multiplier,
        Retry(1).jitter,
        Timeout(1).on_timeout,
    )


def test_run_time_codes_are_those_of_the_ledger():
    ledger = tomllib.loads(LEDGER.read_text(encoding="utf-8"))["requirements"]
    named = {f"HX-{name.split('-')[2]}" for name in ledger if name.startswith("14.2-hx-4")} | {
        word.rstrip(".,;:)")
        for entry in ledger.values()
        for word in entry["statement"].replace("(", " ").split()
        if word.startswith("HX-4")
    }
    ours = set(CODES.values()) | set(RULES.surroundings.codes.values()) | {"HX-4107"}

    assert {code for code in named if len(code) == len("HX-4101")} == ours


def test_codes_before_the_step_are_those_of_the_judge():
    before = {CODES[fault] for fault in ("missing-input", "resource", "digest", "operation")}

    assert before | {"HX-4107"} | set(RULES.surroundings.codes.values()) == _BEFORE_STEP


@pytest.mark.parametrize("kind", ["principal", "isolation", "permission"])
def test_what_an_environment_denies(kind):
    (meta,) = Refusal.__metadata__
    run = shown(harness("a"), plan(refused=[f"{kind}:x", "unsigned"]))

    assert kind in meta.pattern
    assert "unsigned" in meta.pattern
    assert run.played.refusal


def test_default_outputs_of_both_command_lines():
    from_suite = plan_files.outline_of(document(PORTS)).nodes["a"]
    calls = harness(PORTS).nodes[0]

    assert from_suite == default_outputs(calls)


PORTS = "a <outputs>{}</outputs>".format(
    "".join(
        f"<output name='o{n}' type='{type_}'/>"
        for n, type_ in enumerate(
            ("string", "number", "integer", "boolean", "json", "array&lt;number>", "map&lt;a,b>")
        )
    )
    + "<output name='plain'/>"
)
