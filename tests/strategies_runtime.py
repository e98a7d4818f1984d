"""Small documents in a short notation, plans, and runs as paths, for tests of the runtime.

Nodes, one a line: ``id[:type] attribute=value ... <child/>...``. Edges, separated by blanks:
``a->b`` control, ``a=x:y=>b`` data, ``a..>b`` dependency, ``a-!>b`` error, ``a-~>b``
compensation, each with a condition in brackets behind it: ``a->b[${false}]``.
"""

import re
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from reference_runtime.document.parser import parse
from reference_runtime.plans import read_plan
from reference_runtime.rules import RULES
from reference_runtime.script import play

__all__ = ["Shown", "document", "fail", "harness", "hold", "ok", "plan", "shown"]

_EDGE = re.compile(
    r"(?P<source>\w+)(?:(?P<plain>->|\.\.>|-!>|-~>)|=(?P<out>\w+):(?P<into>\w+)=>)(?P<target>\w+)"
    r"(?:\[(?P<condition>[^\]]*)\])?"
)
_TYPES = {"->": "control", "..>": "dependency", "-!>": "error", "-~>": "compensation"}


def _node(line):
    head, bracket, children = line.strip().partition("<")
    name, *attributes = head.split()
    node, _, type_ = name.partition(":")
    text = "".join(
        f" {key}={quoteattr(value)}" for key, value in (a.split("=", 1) for a in attributes)
    )
    return f'<node id="{node}" type="{type_ or "task"}"{text}>{bracket}{children}</node>'


def _edge(match):
    fields = {"from": match["source"], "to": match["target"]}
    if match["plain"]:
        fields["type"] = _TYPES[match["plain"]]
    else:
        fields |= {"type": "data", "fromPort": match["out"], "toPort": match["into"]}
    if match["condition"]:
        fields["condition"] = match["condition"]
    return "<edge" + "".join(f" {key}={quoteattr(value)}" for key, value in fields.items()) + "/>"


def document(nodes, edges="", entry=None, before=""):
    """Bytes of a document; ``before`` is put in front of the nodes (resources, artifacts)."""
    lines = [line for line in nodes.splitlines() if line.strip()]
    if len(lines) == 1 and "<" not in nodes and ":" not in nodes and "=" not in nodes:
        lines = nodes.split()
    leftover = re.sub(r"\s", "", _EDGE.sub("", edges))
    assert not leftover, leftover
    start = f' entry="{entry}"' if entry else ""
    return (
        '<harness xmlns="https://harnessxml.com/spec/1.0" id="t" specVersion="1.0"'
        f"{start}>{before}<nodes>{''.join(map(_node, lines))}</nodes>"
        f"<edges>{''.join(map(_edge, _EDGE.finditer(edges)))}</edges></harness>"
    ).encode()


def harness(*args, **kwargs):
    """Model of a document in the notation; the document has no schema faults."""
    parsed = parse(document(*args, **kwargs))
    errors = [finding for finding in parsed.findings if finding.severity == "error"]
    assert not errors, errors
    return parsed.harness


def ok(*, after=None, until=None, **outputs):
    """Answer that an attempt succeeded."""
    return {"result": "ok", "outputs": outputs, "after": after, "hold": until}


def fail(error_class=None, *, after=None, until=None):
    """Answer that an attempt failed."""
    return {"result": "fail", "errorClass": error_class, "after": after, "hold": until}


def hold(text):
    """Moment ``node STATE``, or ``idle``."""
    if text == "idle":
        return {"when": "idle"}
    node, state = text.split()
    return {"when": "state", "node": node, "state": state}


def plan(answers=None, *, events=(), cancel=None, **others):
    """JSON form of a plan from address → answer, with (name, moment) as events."""
    return {
        "answers": [{"node": node, **answer} for node, answer in (answers or {}).items()],
        "events": [{"name": name, "at": hold(at)} for name, at in events],
        "cancel": None if cancel is None else hold(cancel),
        **others,
    }


@dataclass
class Shown:
    """A run as a judge looks at it: paths by address, outcome, codes, calls, and the rest."""

    paths: dict
    outcome: str
    codes: dict
    calls: list
    aborts: list
    played: object

    def order(self, *events):
        """Places of the events ``node:STATE`` in the trace."""
        seen = [f"{t.node}:{t.to}" for t in self.played.transitions()]
        return [seen.index(event) for event in events]


def _address(node, path):
    return node + (f"[{','.join(str(index) for _, index in path)}]" if path else "")


def shown(doc, the_plan=None, *, rules=RULES, **kwargs):
    """Play a document along a plan."""
    played = play(doc, read_plan(the_plan or plan()), rules=rules, **kwargs)
    paths = {node.id: "" for node in doc.nodes}
    codes = {}
    for seen in played.transitions():
        address = _address(seen.node, seen.iteration)
        paths[address] = f"{paths.get(address, '')} {seen.to}".strip()
        if seen.code:
            codes[address] = seen.code
    codes |= {f"{report.node}!": report.code for report in played.reports()}
    calls = [e for e in played.effects if type(e).__name__ == "Invoke"]
    names = {call.number: _address(call.node, call.iteration) for call in calls}
    return Shown(
        paths,
        played.outcome,
        codes,
        [(names[call.number], call.inputs) for call in calls],
        [names[e.number] for e in played.effects if type(e).__name__ == "Abort"],
        played,
    )
