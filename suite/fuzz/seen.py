"""What the oracle has seen of a run so far."""

from suite.fuzz.exclusive import maybe_exclusive
from suite.fuzz.finding import Finding
from suite.fuzz.joins import JoinJudge
from suite.fuzz.model import Model, node_id
from suite.fuzz.observed import Observed
from suite.fuzz.reach import Graph

__all__ = ["Seen"]


class Seen:
    """States, attempts and calls after the events so far; lists go by node number.

    Attributes:
        steps: transitions seen per node.
        answers: answer to the open call of the node, empty while there is none.
        bound: per node, the sources whose values its inputs have to take.
        fired: ``any`` joins that became READY.
        due: (node, its steps then, join) for siblings that such a join has to cancel.
        unwinding: whether an unhandled failure began unwinding (§5.8).
        perhaps_unwinding: whether one on a losing branch did, which is open (A52).
        discarded_failure: whether any node on a losing branch failed.
    """

    def __init__(self, model: Model, observed: Observed, *, full: bool) -> None:
        """Start with every node PENDING (§5.1)."""
        self.model = model
        self.graph = Graph(model)
        self.joins = JoinJudge(self.graph)
        self.calls = observed.calls
        self.full = full
        self.index = {node_id(i): i for i in range(len(model.nodes))}
        self.states = ["PENDING" for _ in model.nodes]
        self.steps = [0 for _ in model.nodes]
        self.attempts = [0 for _ in model.nodes]
        self.called = [0 for _ in model.nodes]
        self.answers = ["" for _ in model.nodes]
        self.bound: list[frozenset[int]] = [frozenset() for _ in model.nodes]
        self.fired: list[int] = []
        self.due: list[tuple[int, int, int]] = []
        self.unwinding = False
        self.perhaps_unwinding = False
        self.discarded_failure = False
        self.transitions = 0
        self.findings: list[Finding] = []

    def report(self, cites: tuple[str, ...], node: int, expected: str, observed: str) -> None:
        """Note a finding about a node at the present place."""
        where = f"transition {self.transitions}"
        self.findings.append(Finding(cites, node_id(node), where, expected, observed))

    def losing(self) -> set[int]:
        """Nodes that some reading puts on a branch that lost an any join."""
        dead = self.graph.unreachable(self.states, lenient=True)
        return {
            i for join in self.fired for i in maybe_exclusive(self.graph, join, self.states, dead)
        }

    def starved(self, index: int) -> bool:
        """Whether a required input without default has no value (§5.5 step 2)."""
        return any(
            e.type == "data"
            and e.feeds == "starving"
            and not (self.graph.holds(e) and self.states[e.source] == "SUCCEEDED")
            for e in self.graph.into[index]
        )
