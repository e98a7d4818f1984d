"""Runs written as words, for tests of the fuzzer's oracle."""

import re

from suite.fuzz.observed import Event, Observed

_WORD = re.compile(r"(?:(?P<kind>call|ok|fail|abort):)?(?P<node>n\d\S*?)(?:\[(?P<path>[\d,]+)\])?")


def words(text, outcome="succeeded", **options):
    """``n0:READY n0:RUNNING call:n0 ok:n0 … n1n0[0]:READY … idle cancel`` as an observed run.

    The states left are filled in; an iteration is told as its numbers.
    """
    states, events = {}, []
    for word in text.split():
        if word in ("idle", "cancel"):
            events.append(Event(word))
            continue
        head, _, entered = word.rpartition(":")
        match = _WORD.fullmatch(head if head.startswith("n") else word)
        path = path_of(match["node"], match["path"])
        if match["kind"] in ("call", "abort"):
            events.append(Event(match["kind"], match["node"], iteration=path))
        elif match["kind"]:
            events.append(Event("answer", match["node"], result=match["kind"], iteration=path))
        else:
            key = match["node"], path
            left = states.get(key, "PENDING")
            events.append(Event("transition", match["node"], left, entered, iteration=path))
            states[key] = entered
    options.setdefault("calls", any(event.kind == "call" for event in events))
    return Observed(tuple(events), outcome, **options)


def path_of(node, numbers):
    """The iteration with the loops by name: ``n1n0n2`` runs in ``n1``, then in ``n1n0``."""
    parts = re.findall(r"n\d+", node)
    levels = numbers.split(",") if numbers else []
    return tuple(("".join(parts[: i + 1]), int(level)) for i, level in enumerate(levels))


def done(*nodes):
    """Nodes that run one after the other and succeed."""
    return " ".join(f"{n}:READY {n}:RUNNING call:{n} ok:{n} {n}:SUCCEEDED" for n in nodes)


def failed(*nodes):
    """Nodes that run one after the other and fail."""
    return " ".join(f"{n}:READY {n}:RUNNING call:{n} fail:{n} {n}:FAILED" for n in nodes)
