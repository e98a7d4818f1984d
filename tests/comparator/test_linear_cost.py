"""Work done by a comparison, counted in calls of Python functions, so that no clock decides."""

import itertools
import sys

import pytest

from comparator.compare import compare
from comparator.facts import Edge, Facts, Node
from comparator.golden import CallEntry
from comparator.observation import Call, Observation
from comparator.trace import LoopStep, Trace, Transition
from tests.comparator_builder import CITES, facts, golden

OK = "READY RUNNING SUCCEEDED"
STATES = ("PENDING", *OK.split())


def work(case):
    count = 0

    def note(_frame, event, _argument):
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(note)
    try:
        compare(*case)
    finally:
        sys.setprofile(None)
    return count


def moves(node, *states, iteration=()):
    pairs = zip(("PENDING", *states), states, strict=False)
    return [Transition(node, left, to, iteration) for left, to in pairs]


def called_iterations(size):
    document = facts(entry="l", loops={"l": {"body": "b", "max_iterations": size}})
    trace = moves("l", "READY", "RUNNING")
    calls = []
    for number in range(size):
        step = (LoopStep("l", number),)
        trace += moves("b", *OK.split(), iteration=step)
        place = len(trace) - 1
        calls.append(Call("b", place, step, answered=place, ok=True, inputs={"x": number}))
    trace.append(Transition("l", "RUNNING", "SUCCEEDED"))
    numbers = [f"b[{number}]" for number in range(size)]
    entries = tuple(
        CallEntry(cites=CITES, node=name, count=1, inputs={"x": number})
        for number, name in enumerate(numbers)
    )
    expected = golden({"l": OK, "b": ""} | dict.fromkeys(numbers, OK), calls=entries)
    return document, expected, Observation(Trace(tuple(trace), "succeeded"), calls=tuple(calls))


def unnamed_calls_of_concurrent_iterations(size):
    document, _, seen = called_iterations(size)
    trace = [Transition("l", "PENDING", "READY"), Transition("l", "READY", "RUNNING")]
    for left, to in itertools.pairwise(STATES):
        trace += [Transition("b", left, to, (LoopStep("l", n),)) for n in range(size)]
    place = 2 + 2 * size
    calls = tuple(Call("b", place, answered=place, ok=True) for _ in seen.calls)
    return document, golden({"l": "*"}), Observation(Trace(tuple(trace)), calls=calls)


def repeated_ready(size):
    nodes = {name: Node(name, "task") for name in [*(f"s{n}" for n in range(size)), "j"]}
    edges = tuple(Edge(n, f"s{n}", "j") for n in range(size))
    trace = Trace(tuple(Transition("j", "PENDING", "READY") for _ in range(size)))
    return Facts("wide", nodes, edges), golden(dict.fromkeys(nodes, "*")), Observation(trace)


@pytest.mark.parametrize(
    "build", [called_iterations, unnamed_calls_of_concurrent_iterations, repeated_ready]
)
def test_twice_the_run_is_twice_the_work(build):
    once, twice = (work(build(size)) for size in (60, 120))

    assert 2.3 * once > twice
