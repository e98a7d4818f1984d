"""What a document says about who may start, who never will and who must stop.

Shared by the two small runtimes of this folder, which differ in how they execute: chapters 5
and 6, loops over items and counts, and compensation. The main flow and every iteration of a
loop is a ``Flow`` of its own. Quadratic on purpose: short enough to be checked against the
chapters by eye. Where these are open, a runtime says by ``Readings`` what it follows.
"""

from __future__ import annotations

from small_document import Document, Edge, literal, seconds, truthy
from small_expressions import CodeError, evaluate
from small_loops import Loops
from small_names import BOUND, Names
from small_nested import load
from small_readings import Readings

DONE = {"SUCCEEDED", "SKIPPED", "FAILED", "CANCELLED", "COMPENSATED"}
FORWARD = ("control", "data", "dependency")
STEPLESS = {"decision", "parallel", "barrier"}


class Flow(Loops):
    """One scope's graph and states; the runtimes write states, this class reads them."""

    def __init__(self, document, readings=None, world=None, *, parent=None, body=None):
        self.document = document
        self.readings = Readings() if readings is None else readings
        self.world = world or {}
        self.parent = parent
        self.body = body
        self.path = []
        self.variables = {}
        self.codes = [] if parent is None else parent.codes
        members = document.main if parent is None else document.extent(body)
        self.nodes = document.nodes(members)
        for node in self.nodes.values():
            node.flow = self
        edges = document.edges(members)
        self.edges = [e for e in edges if e.source in self.nodes]
        #: Data edges into a body from outside bind values and take part in no join.
        self.bindings = [e for e in edges if e.type == "data"]
        self._imply_routes()
        #: Nothing new starts: unwinding, cancelled, or an iteration of a loop that is stopped.
        self.halted = False
        #: Inside a subworkflow: an instance of its own, of which nothing is told (A153).
        self.mute = False
        #: A failure that no error edge took over.
        self.unhandled = False
        self.undo_failed = False
        #: Nodes in the order in which they became SUCCEEDED.
        self.completed = []

    @classmethod
    def main(cls, document, readings=None, world=None):
        return cls(Document(document), readings, world)

    def iteration(self, loop, index, item):
        """The flow of one iteration of a loop node of this flow."""
        flow = Flow(self.document, self.readings, self.world, parent=self, body=loop.loop["body"])
        flow.mute = self.mute
        flow.path = [*self.path, (loop.id, index)]
        names = loop.loop.get("var", "item"), loop.loop.get("indexVar", "index")
        flow.variables = dict(zip(names, (item, index), strict=True))
        return flow

    def _imply_routes(self):
        """§5.3.3: a decision routes to a target; without an edge there is a route all the same."""
        for decision in self.nodes.values():
            for target in dict.fromkeys(to for _, to in decision.cases):
                if not any(e.source == decision.id and e.target == target for e in self.edges):
                    edge = Edge(decision.id, target, "control", None, None, None, implied=True)
                    self.edges.append(edge)

    def enter(self, node, state):
        node.state = state
        if state == "SUCCEEDED":
            self.completed.append(node)

    def find(self, name):
        """A node of this scope or of one around it; None for one inside."""
        return self.nodes.get(name) or (self.parent and self.parent.find(name))

    # --- expressions -----------------------------------------------------------------------

    def value(self, text, owner=None):
        return evaluate(text, Names(self, owner))

    def truth(self, text, owner=None):
        """A guard, case or condition: boolean or HX-4107."""
        value = self.value(text, owner)
        if not isinstance(value, bool):
            raise CodeError("HX-4107")
        return value

    # --- edges and joins (§5.3) ------------------------------------------------------------

    def into(self, node, *types):
        return [e for e in self.edges if e.target == node and e.type in types]

    def out_of(self, node, *types):
        return [e for e in self.edges if e.source == node and e.type in types]

    def forward(self, node):
        return self.into(node, *FORWARD)

    def holds(self, edge):
        """The condition, evaluated once, when the source is terminal; faulty means negative."""
        if edge.verdict is None:
            try:
                edge.verdict = edge.condition is None or self.truth(edge.condition)
            except CodeError as error:
                edge.verdict = False
                if self.readings["A39"] == "b" and edge.type in FORWARD:
                    self.nodes[edge.target].blamed = error.code
                else:
                    self.codes.append({"code": error.code, "node": edge.target})
        return edge.verdict

    def edge_state(self, edge, dead):
        source = self.nodes[edge.source]
        if edge.source not in dead and source.state not in DONE:
            return "open"
        if edge.source in dead:
            return "negative"
        if edge.type != "dependency" and source.state in ("FAILED", "CANCELLED"):
            return "negative" if self.readings["U"] == "a" else "open"
        named = any(to == edge.target for _, to in source.cases)
        if named and edge.type == "control" and source.chosen != edge.target:
            return "negative"
        if not self.holds(edge):
            return "negative"
        return "open" if self.readings["A18"] == "d" and self._absent(edge) else "satisfied"

    def _absent(self, edge):
        """Whether a step succeeded without the output that a data edge takes."""
        source = self.nodes[edge.source]
        ended = edge.type == "data" and source.state == "SUCCEEDED"
        return ended and edge.from_port not in source.outputs

    def dead(self):
        """§5.3.3: PENDING nodes that no path will reach, as a fixed point."""
        dead = set()
        while more := {
            n.id
            for n in self.nodes.values()
            if n.id not in dead and n.state == "PENDING" and self._never(n, dead)
        }:
            dead |= more
        return dead

    def _never(self, node, dead):
        if self.starts(node):
            return False
        if self._routed_elsewhere(node, dead) or self._starves(node, dead):
            return True
        failures = [self.nodes[e.source] for e in self.into(node.id, "error")]
        if any(f.id not in dead and f.state not in DONE - {"FAILED"} for f in failures):
            return False
        states = [self.edge_state(e, dead) for e in self.forward(node.id)]
        if self.readings["U"] == "b":
            return bool(states) and set(states) == {"negative"}
        possible = len(states) - states.count("negative")
        return possible < (node.quorum if node.join == "quorum" else 1)

    def _routed_elsewhere(self, node, dead):
        """The first bullet; it speaks of cases and not of otherwise (A70, reading b)."""
        deciders = [d for d in self.nodes.values() if any(to == node.id for _, to in d.cases)]
        if self.readings["A70"] == "b" and any((None, node.id) in d.cases for d in deciders):
            return False
        elsewhere = [d.id in dead or (d.state in DONE and d.chosen != node.id) for d in deciders]
        return bool(deciders) and all(elsewhere)

    def _starves(self, node, dead):
        """The third bullet; by readings b of A30 and A31 also once the value cannot come."""
        required = [i for i in node.inputs if truthy(i.get("required", "true"))]
        needed = {i["name"] for i in required if "default" not in i}
        for edge in self.into(node.id, "data"):
            if edge.to_port not in needed:
                continue
            source = self.nodes[edge.source]
            if edge.source in dead:
                return True
            if self.readings["A30"] == "b" and source.state in ("FAILED", "CANCELLED"):
                return True
            false = source.state == "SUCCEEDED" and not self.holds(edge)
            if self.readings["A31"] == "b" and false:
                return True
        return False

    def starts(self, node):
        """§5.2; case targets wait for their decision (A66), a body is the start of its scope."""
        if self.body:
            return node.id == self.body
        if self.document.entry:
            return node.id == self.document.entry
        literally = self.readings["A66"] == "b"
        return not any(e.target == node.id and not (e.implied and literally) for e in self.edges)

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
        """PENDING nodes whose join holds now, in document order; none once the flow is halted."""
        if self.halted:
            return []
        dead = self.dead()
        found = []
        for node in self.nodes.values():
            lost = node.lost and self.readings["A57"] == "b"
            joined = node.id not in dead and self.joined(node, dead)
            if node.state == "PENDING" and not lost and (joined or node.blamed):
                found.append(node)
        return found

    def faulty(self, node):
        """The code of a condition that fails the node before it succeeds (A39, reading c)."""
        if self.readings["A39"] != "c" or self.halted or node.discarded:
            return None  # what is discarded binds no values for a condition to read
        state, node.state = node.state, "SUCCEEDED"
        try:
            for edge in self.out_of(node.id, *FORWARD):
                if edge.condition is not None:
                    edge.verdict = self.truth(edge.condition)
        except CodeError as error:
            return error.code
        finally:
            node.state = state
        return None

    def handlers(self, failed):
        """§5.8: targets of the error edges that a failure traverses and that still wait."""
        edges = self.out_of(failed.id, "error")
        found = [
            self.nodes[e.target]
            for e in edges
            if self.holds(e) and self.nodes[e.target].state == "PENDING"
        ]
        if self.readings["A84"] == "b":
            found = [n for n in found if not self._closed(n)]
        return edges, found

    def _closed(self, node):
        """Whether all forward edges into a handler are negative."""
        dead = self.dead()
        states = [self.edge_state(e, dead) for e in self.forward(node.id)]
        return bool(states) and set(states) == {"negative"}

    def losers(self, winner):
        """§5.3.2: nodes all of whose paths lead to ``winner``, which no longer needs them."""
        counted = FORWARD if self.readings["A47"] == "a" else (*FORWARD, "error")
        exclusive = set()
        while more := {
            n.id
            for n in self.nodes.values()
            if n.id not in exclusive
            and (out := self.out_of(n.id, *counted))
            and all(e.target == winner.id or e.target in exclusive for e in out)
        }:
            exclusive |= more
        return [n for n in self.nodes.values() if n.id in exclusive]

    # --- attempts (§5.5, §8.1) -------------------------------------------------------------

    def prepare(self, node):
        """Steps 2 and 3 of §5.5; for a decision its route, too. Returns the inputs."""
        inputs = self.inputs(node)
        if any(ref in self.world.get("unresolvable", ()) for ref in node.resources):
            raise CodeError("HX-4102")
        if any(ref in self.world.get("bad_digests", ()) for ref in node.artifacts):
            raise CodeError("HX-4105")
        for demand in node.demands:
            permission = demand.startswith("permission")
            if permission and self.readings["P"] == "b":
                continue
            if demand in self.world.get("refused", ()):
                raise CodeError("HX-4202" if permission else "HX-4201")
        if node.subworkflow:
            node.nested = Flow(load(node.subworkflow, self.world), self.readings, self.world)
            node.nested.mute = True
        if node.cases:
            node.chosen = self.decide(node)
        return inputs

    def inputs(self, node):
        """Data edge, else value, else default; HX-4101 when required and none."""
        found = {}
        for port in node.inputs:
            name = port["name"]
            kind = port.get("type")
            for edge in self.bindings:
                if (edge.target, edge.to_port) == (node.id, name):
                    found.update(self._delivered(edge))
            if name not in found and (text := port.get("value")) is not None:
                value = self.value(text, node) if "${" in text else literal(text, kind)
                if value is not None or self.readings["A21"] == "b":
                    found[name] = value
            if name not in found and "default" in port:
                found[name] = literal(port["default"], kind)
            if name not in found and truthy(port.get("required", "true")):
                raise CodeError("HX-4101")
        return found

    def _delivered(self, edge):
        source = self.find(edge.source)
        bound = source.state in BOUND and not source.discarded and self.holds(edge)
        if bound and edge.from_port in source.outputs:
            return {edge.to_port: source.outputs[edge.from_port]}
        return {}

    def unbound(self, node):
        """Whether a finished step lacks an output that a data edge takes (A18, reading b)."""
        wanted = {e.from_port for e in self.out_of(node.id, "data")}
        return self.readings["A18"] == "b" and not wanted <= set(node.outputs)

    def decide(self, node):
        """§7.1.3: first true case, else otherwise, else HX-4103."""
        if self.readings["A75"] == "b":
            for when, _ in node.cases:
                if when is not None:
                    self.truth(when, node)
        for when, to in node.cases:
            if when is None or self.truth(when, node):
                return to
        raise CodeError("HX-4103")

    def failure_class(self, said):
        """The class of a failure, also of one of which nobody told it (T)."""
        return said or ("transient" if self.readings["T"] == "b" else None)

    @staticmethod
    def retries(node, error_class, *, forced=False):
        """Whether another attempt is due after a failed one; onTimeout=retry forces the class."""
        if node.retry is None or not node.idempotent:
            return False
        listed = node.retry.get("retryOn")
        wanted = forced or listed is None or error_class in listed.split()
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

    # --- unwinding and the end (§5.8, §8.4.1) ------------------------------------------------

    def undo_targets(self, node):
        """Compensating nodes of a SUCCEEDED node that are due."""
        edges = self.out_of(node.id, "compensation")
        return [self.nodes[e.target] for e in edges if self.holds(e)]

    def undoes(self, node):
        """Whether the node compensates another one."""
        return bool(self.into(node.id, "compensation"))

    def still_reachable(self):
        """PENDING nodes that a run which goes on could reach."""
        dead = self.dead()
        return [n for n in self.nodes.values() if n.state == "PENDING" and n.id not in dead]

    def outcome(self, *, cancelled=False):
        if cancelled:
            return "cancelled"
        if not self.unhandled:
            return "succeeded"
        undone = any(n.state == "COMPENSATED" for n in self.nodes.values())
        if self.undo_failed or not (undone or self.readings["A05"] == "b"):
            return "failed"
        return "compensated"
