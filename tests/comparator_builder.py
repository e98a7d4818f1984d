"""Short ways to write documents, traces and goldens in the tests of the comparator."""

import re

from comparator.address import Address, Step, parse_event
from comparator.compare import compare
from comparator.facts import Decision, Edge, Facts, Loop, Node
from comparator.golden import Golden, PathEntry
from comparator.observation import Observation
from comparator.trace import LoopStep, Trace, Transition

__all__ = ["CITES", "differences", "facts", "golden", "kinds", "observed", "trace"]

CITES = ("5.3-pending-to-ready-on-join",)
_TYPES = {"->": "control", "=>": "data", "..>": "dependency", "!>": "error", "~>": "compensation"}
_EDGE = re.compile(r"(\w+)(->|=>|\.\.>|!>|~>)(\w+)(?:\?(\w+))?")


def facts(edges="", *, entry=None, loops=(), targets=(), nodes="", **declared):
    """Write ``facts("a->b a!>h b=>c?false", entry="a", b={"join": "any"})``.

    ``loops`` maps loop → keywords of its element, ``targets`` decision → names of targets.
    """
    loops, targets = dict(loops), dict(targets)
    found = []
    for index, text in enumerate(edges.split()):
        source, arrow, target, condition = _EDGE.fullmatch(text).groups()
        port = "x" if arrow == "=>" else None
        kind = _TYPES[arrow]
        found.append(Edge(index, source, target, kind, condition or "absent", port, port))
    names = dict.fromkeys(nodes.split())
    names |= dict.fromkeys(name for edge in found for name in (edge.source, edge.target))
    bodies = [element["body"] for element in loops.values()]
    named = " ".join(targets.values()).split()
    names |= dict.fromkeys((*loops, *bodies, *targets, *named, *declared))
    made = {}
    for line, name in enumerate(names, 10):
        keywords = {"type": "task", "line": line, **declared.get(name, {})}
        if name in loops:
            element = {"kind": "times", "max_iterations": 9, **loops[name]}
            keywords |= {"type": "loop", "loop": Loop(**element)}
        if name in targets:
            keywords |= {"type": "decision", "decision": Decision(tuple(targets[name].split()))}
        made[name] = Node(name, **keywords)
    return Facts("written", made, tuple(found), entry)


def trace(text, outcome="succeeded"):
    """Write ``trace("a:READY a:RUNNING b[l:0]:READY a:SUCCEEDED")``; from-states follow.

    ``a:X>Y`` gives both states; ``a:READY@2`` gives an attempt.
    """
    states = {}
    found = []
    for word in text.split():
        body, _, attempt = word.partition("@")
        where, _, states_text = body.rpartition(":")
        left, _, to = states_text.rpartition(">")
        event = parse_event(f"{where}:READY")
        key = (event.node, event.iteration)
        found.append(
            Transition(
                event.node,
                left or states.get(key, "PENDING"),
                to,
                tuple(LoopStep(step.loop, step.number) for step in event.iteration),
                int(attempt) if attempt else None,
            )
        )
        states[key] = to
    return Trace(tuple(found), outcome)


def golden(paths=None, **sections):
    """Return a golden with these paths (address → word) and sections."""
    entries = {name: PathEntry(cites=CITES, is_=word) for name, word in (paths or {}).items()}
    return Golden(paths=entries, **sections)


def observed(text, /, outcome="succeeded", **seen):
    """Return an observation of a trace written as for ``trace``."""
    return Observation(trace(text, outcome), **seen)


def differences(document, observation, expected=None, level=None):
    """Compare; without a golden every node and iteration is listed with legality only."""
    if isinstance(observation, str):
        observation = observed(observation)
    if expected is None:
        named = {str(Address(t.node, _steps(t))) for t in observation.trace.transitions}
        known = {name for name in named if name.partition("[")[0] in document.nodes}
        expected = golden(dict.fromkeys([*document.nodes, *sorted(known)], "*"))
    return compare(document, expected, observation, level).differences


def _steps(transition):
    return tuple(Step(step.loop, step.index) for step in transition.iteration)


def kinds(found):
    """Return (kind, key as text) of differences."""
    return [(difference.kind, str(difference.key)) for difference in found]
