"""What a document says about who may start, who never will and who must stop.

Shared by the two small runtimes of this folder, which differ in how they execute. It reads
with the standard library alone and knows only what they claim: no loops, subworkflows or
compensation. Quadratic on purpose: short enough to be checked against chapter 5 by eye.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from xml.etree import ElementTree

NS = "{https://harnessxml.com/spec/1.0}"
DONE = {"SUCCEEDED", "SKIPPED", "FAILED", "CANCELLED"}
STEPLESS = {"decision", "parallel", "barrier"}
DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?")


class CodeError(Exception):
    """A run-time fault with its HX code."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


def seconds(text):
    """§2.1 durations."""
    days, hours, minutes, rest = (float(part or 0) for part in DURATION.fullmatch(text).groups())
    return days * 86400 + hours * 3600 + minutes * 60 + rest


@dataclass
class Node:
    id: str
    type: str
    idempotent: bool
    join: str
    quorum: int
    guard: str | None
    inputs: list
    retry: dict | None
    timeout: dict | None
    cases: list
    state: str = "PENDING"
    attempt: int = 0
    outputs: dict = field(default_factory=dict)
    chosen: str | None = None
    discarded: bool = False


@dataclass
class Edge:
    source: str
    target: str
    type: str
    condition: str | None
    from_port: str | None
    to_port: str | None
    verdict: bool | None = None


class Flow:
    """One run's graph and states; the runtimes write states, this class reads them."""

    def __init__(self, document):
        root = ElementTree.fromstring(document)
        self.entry = root.get("entry")
        self.nodes = {n.get("id"): self._node(n) for n in root.iter(f"{NS}node")}
        self.edges = [
            Edge(
                e.get("from"),
                e.get("to"),
                e.get("type", "control"),
                e.get("condition"),
                e.get("fromPort"),
                e.get("toPort"),
            )
            for e in root.iter(f"{NS}edge")
        ]
        # §5.3.3: a decision routes to a target, so without an edge there is a route all the same.
        for decision in self.nodes.values():
            for target in dict.fromkeys(to for _, to in decision.cases):
                if not any(e.source == decision.id and e.target == target for e in self.edges):
                    self.edges.append(Edge(decision.id, target, "control", None, None, None))
        self.unwinding = False
        self.codes = []

    @staticmethod
    def _node(element):
        def child(name):
            found = element.find(f"{NS}{name}")
            return None if found is None else dict(found.attrib)

        guard = child("guard")
        cases = element.find(f"{NS}cases")
        return Node(
            id=element.get("id"),
            type=element.get("type"),
            idempotent=element.get("idempotent", "true") in ("true", "1"),
            join=element.get("joinPolicy", "all"),
            quorum=int(element.get("quorum", "0")),
            guard=guard and guard["when"],
            inputs=[dict(i.attrib) for i in element.iterfind(f"{NS}inputs/{NS}input")],
            retry=child("retry"),
            timeout=child("timeout"),
            cases=[(c.get("when"), c.get("to")) for c in cases] if cases is not None else [],
        )

    # --- expressions ---------------------------------------------------------------------

    def value(self, text):
        """A template: one expression keeps its type, anything else is text."""
        whole = re.fullmatch(r"\$\{(.*)\}", text, re.DOTALL)
        if not whole:
            return text
        source = re.sub(r"&&", " and ", whole[1]).replace("||", " or ")
        source = re.sub(r"!(?!=)", " not ", source)
        return self._eval(ast.parse(source.strip(), mode="eval").body)

    def truth(self, text):
        """A guard, case or condition: boolean or HX-4107."""
        value = self.value(text)
        if not isinstance(value, bool):
            raise CodeError("HX-4107")
        return value

    def _eval(self, tree):
        match tree:
            case ast.Constant(value):
                return value
            case ast.Name(name):
                return {"true": True, "false": False, "null": None}[name]
            case ast.Attribute(ast.Name(node), port):
                owner = self.nodes[node]
                return owner.outputs.get(port) if owner.state == "SUCCEEDED" else None
            case ast.UnaryOp(ast.Not(), inner):
                return not self._eval(inner)
            case ast.BoolOp(operator, parts):
                test = all if isinstance(operator, ast.And) else any
                return test(self._eval(part) for part in parts)
            case ast.Compare(left, [operator], [right]):
                return self._compare(operator, self._eval(left), self._eval(right))
        raise CodeError("HX-4106")

    @staticmethod
    def _compare(operator, left, right):
        numbers = all(type(v) in (int, float) for v in (left, right))
        alike = numbers or type(left) is type(right)
        if isinstance(operator, ast.Eq):
            return alike and left == right
        if isinstance(operator, ast.NotEq):
            return not (alike and left == right)
        if not alike or not (numbers or isinstance(left, str)):
            raise CodeError("HX-4106")
        return {
            ast.Lt: left < right,
            ast.LtE: left <= right,
            ast.Gt: left > right,
            ast.GtE: left >= right,
        }[type(operator)]

    # --- edges and joins (§5.3) ------------------------------------------------------------

    def into(self, node, *types):
        return [e for e in self.edges if e.target == node and e.type in types]

    def forward(self, node):
        return self.into(node, "control", "data", "dependency")

    def holds(self, edge):
        """The condition, evaluated once, when the source is terminal; faulty means negative."""
        if edge.verdict is None:
            try:
                edge.verdict = edge.condition is None or self.truth(edge.condition)
            except CodeError as error:
                self.codes.append({"code": error.code, "node": edge.target})
                edge.verdict = False
        return edge.verdict

    def edge_state(self, edge, dead):
        source = self.nodes[edge.source]
        if edge.source in dead:
            return "negative"
        if source.state not in DONE:
            return "open"
        if edge.type != "dependency" and source.state in ("FAILED", "CANCELLED"):
            return "negative"
        named = any(to == edge.target for _, to in source.cases)
        if named and edge.type == "control" and source.chosen != edge.target:
            return "negative"
        return "satisfied" if self.holds(edge) else "negative"

    def dead(self):
        """§5.3.3: PENDING nodes that no path will reach, as a fixed point."""
        dead = set()
        while True:
            more = {
                n.id
                for n in self.nodes.values()
                if n.id not in dead and n.state == "PENDING" and self._never(n, dead)
            }
            if not more:
                return dead
            dead |= more

    def _never(self, node, dead):
        if self.starts(node):
            return False
        deciders = [d for d in self.nodes.values() if any(to == node.id for _, to in d.cases)]
        elsewhere = [d.id in dead or (d.state in DONE and d.chosen != node.id) for d in deciders]
        if deciders and all(elsewhere):
            return True
        starving = {
            i["name"]
            for i in node.inputs
            if i.get("required", "true") in ("true", "1") and "default" not in i
        }
        if any(e.to_port in starving and e.source in dead for e in self.into(node.id, "data")):
            return True
        failures = [self.nodes[e.source] for e in self.into(node.id, "error")]
        if any(f.id not in dead and f.state not in DONE - {"FAILED"} for f in failures):
            return False
        states = [self.edge_state(e, dead) for e in self.forward(node.id)]
        possible = len(states) - states.count("negative")
        return possible < (node.quorum if node.join == "quorum" else 1)

    def starts(self, node):
        """§5.2; case targets wait for their decision."""
        if self.entry:
            return node.id == self.entry
        return not any(e.target == node.id for e in self.edges)

    def joined(self, node, dead):
        """§5.3.1."""
        states = [self.edge_state(e, dead) for e in self.forward(node.id)]
        satisfied = states.count("satisfied")
        if node.join == "any":
            return satisfied >= 1
        if node.join == "quorum":
            return satisfied >= node.quorum
        return satisfied >= 1 and "open" not in states

    def newly_ready(self):
        """PENDING nodes whose join holds now, in document order; none once unwinding began."""
        if self.unwinding:
            return []
        dead = self.dead()
        return [
            n
            for n in self.nodes.values()
            if n.state == "PENDING" and n.id not in dead and self.joined(n, dead)
        ]

    def handlers(self, failed):
        """§5.8: targets of the error edges that a failure traverses and that still wait."""
        edges = [e for e in self.edges if e.source == failed.id and e.type == "error"]
        return edges, [
            self.nodes[e.target]
            for e in edges
            if self.holds(e) and self.nodes[e.target].state == "PENDING"
        ]

    def losers(self, winner):
        """§5.3.2: nodes all of whose paths lead to ``winner``, which no longer needs them."""
        exclusive = set()
        while True:
            more = {
                n.id
                for n in self.nodes.values()
                if n.id not in exclusive
                and (
                    out := [e for e in self.edges if e.source == n.id and e.type != "compensation"]
                )
                and all(e.target == winner.id or e.target in exclusive for e in out)
            }
            if not more:
                return [self.nodes[i] for i in exclusive]
            exclusive |= more

    # --- attempts (§5.5, §8.1) -------------------------------------------------------------

    def inputs(self, node):
        """Step 2 of §5.5: data edge, else value, else default; HX-4101 when required and none."""
        found = {}
        for port in node.inputs:
            name = port["name"]
            for edge in self.into(node.id, "data"):
                source = self.nodes[edge.source]
                available = source.state == "SUCCEEDED" and not source.discarded
                if edge.to_port == name and available and self.holds(edge):
                    found.update(
                        {name: source.outputs[edge.from_port]}
                        if edge.from_port in source.outputs
                        else {}
                    )
            if name not in found and (text := port.get("value")) is not None:
                value = self.value(text)
                found.update({} if value is None else {name: value})
            if name not in found and "default" in port:
                found[name] = port["default"]
            if name not in found and port.get("required", "true") in ("true", "1"):
                raise CodeError("HX-4101")
        return found

    def decide(self, node):
        """§7.1.3: first true case, else otherwise, else HX-4103."""
        for when, to in node.cases:
            if when is None or self.truth(when):
                return to
        raise CodeError("HX-4103")

    @staticmethod
    def retries(node, error_class):
        """Whether the failed attempt is followed by another one."""
        if node.retry is None or not node.idempotent:
            return False
        listed = node.retry.get("retryOn")
        wanted = listed is None or error_class in listed.split()
        return wanted and node.attempt < int(node.retry["maxAttempts"])

    @staticmethod
    def delay(node):
        """§8.1.1 without jitter: seconds before the coming attempt, number ``attempt + 1``."""
        first = seconds(node.retry.get("initialDelay", "PT1S"))
        factor = float(node.retry.get("multiplier", "2"))
        wait = {
            "none": 0.0,
            "fixed": first,
            "linear": first * factor * node.attempt,
            "exponential": first * factor ** (node.attempt - 1),
        }[node.retry.get("backoff", "exponential")]
        limit = node.retry.get("maxDelay")
        return wait if limit is None else min(wait, seconds(limit))

    def outcome(self):
        return "failed" if self.unwinding else "succeeded"
