"""What the oracle has seen of a run so far: the main flow, and each iteration of a loop."""

from functools import cached_property

from suite.fuzz.exclusive import maybe_exclusive
from suite.fuzz.finding import Finding
from suite.fuzz.joins import JoinJudge
from suite.fuzz.model import Loop, Model, node_id
from suite.fuzz.observed import Observed, Path
from suite.fuzz.reach import TERMINAL, Graph

__all__ = ["Iterations", "Run", "Seen"]


class Run:
    """What the scopes of one run share.

    Attributes:
        observed: the run.
        full: whether the runtime claims level Full.
        now: seconds since the run began.
        busy: whether a call was open when nothing moved the last time.
        open: (node, iteration) of the calls that are not answered.
        pending: those of them that were open when the external cancel was sent.
        cancel: whether the external cancel was ``sent``, or even surely ``handled``.
    """

    def __init__(self, observed: Observed, *, full: bool) -> None:
        """Begin before the first event."""
        self.observed = observed
        self.calls = observed.calls
        self.full = full
        self.now = 0.0
        self.busy = False
        self.open: set[tuple[str, Path]] = set()
        self.pending: set[tuple[str, Path]] = set()
        self.cancel = ""
        self.transitions = 0
        self.findings: list[Finding] = []


class Iterations:
    """The iterations of one loop node.

    Attributes:
        begun: iteration → what was seen of it.
        strays: handler of the body → what was seen of it in the main flow (A116).
        latest: the greatest number of an iteration whose body was RUNNING; -1 before.
        labelled: whether an event told its iteration.
        blind: whether events did not tell enough to know their iteration (A117).
    """

    def __init__(self, loop: Loop) -> None:
        """Begin without iterations."""
        self.loop = loop
        self.begun: dict[int, Seen] = {}
        self.strays: dict[int, Seen] = {}
        self.latest = -1
        self.labelled = False
        self.blind = False

    def status(self, number: int) -> str:
        """Tell how an iteration stands.

        ``unstarted``, ``open``, ``ok``, ``failed``, ``stopped``, or ``handled`` where it is open
        whether the failure counts for the loop (A116).
        """
        seen = self.begun.get(number)
        if seen is None:
            return "unstarted"
        state = seen.states[0]
        if state == "FAILED":
            return "handled" if seen.graph.errors_out[0] else "failed"
        ends = {"SUCCEEDED": "ok", "SKIPPED": "ok", "CANCELLED": "stopped"}
        return ends.get(state, "open")

    def any_failed(self, *kinds: str) -> bool:
        """Whether an iteration stands in one of these ways."""
        return any(self.status(number) in kinds for number in self.begun)


class Seen:
    """States, attempts and calls of one scope after the events so far; lists go by node number.

    Attributes:
        steps: transitions seen per node.
        since: per node, when it entered its state.
        answers: answer to the open call of the node, empty while there is none.
        bound: per node, the sources whose values its inputs have to take.
        fired: ``any`` joins that became READY.
        due: (node, its steps then, join) for siblings that such a join has to cancel.
        done: nodes in the order in which they SUCCEEDED.
        late: nodes that ended after the external cancel had surely been handled.
        settled: how many of them there were when unwinding began, or may have begun.
        unwinding: whether an unhandled failure began unwinding (§5.8).
        perhaps_unwinding: whether one on a losing branch did, which is open (A52).
        discarded_failure: whether any node on a losing branch failed.
        outer: the scope and the number of the loop node around this iteration, None for the
            main flow.
        number: number of the iteration, -1 for a handler of the body in the main flow.
        iterations: per loop node.
    """

    def __init__(
        self,
        model: Model,
        run: Run,
        *,
        scope: str = "",
        outer: "tuple[Seen, int] | None" = None,
        number: int = 0,
    ) -> None:
        """Start with every node PENDING (§5.1)."""
        self.model = model
        self.run = run
        self.outer = outer
        self.number = number
        self.scope = scope
        self.graph = Graph(model)
        self.joins = JoinJudge(self.graph)
        count = len(model.nodes)
        self.index = {node_id(i, scope): i for i in range(count)}
        self.states = ["PENDING"] * count
        self.steps = [0] * count
        self.since = [0.0] * count
        self.attempts = [0] * count
        self.called = [0] * count
        self.answers = [""] * count
        self.bound: list[frozenset[int]] = [frozenset()] * count
        self.fired: list[int] = []
        self.due: list[tuple[int, int, int]] = []
        self.done: list[int] = []
        self.late: set[int] = set()
        self.settled = 0
        self.unwinding = False
        self.perhaps_unwinding = False
        self.discarded_failure = False
        self.iterations = {
            i: Iterations(node.loop) for i, node in enumerate(model.nodes) if node.loop is not None
        }

    @cached_property
    def path(self) -> Path:
        """The iteration that this scope is."""
        if self.outer is None or self.number < 0:
            return ()
        outer, index = self.outer
        return (*outer.path, (node_id(index, outer.scope), self.number))

    def report(self, cites: tuple[str, ...], node: int, expected: str, observed: str) -> None:
        """Note a finding about a node at the present place."""
        where = f"transition {self.run.transitions}"
        name = node_id(node, self.scope)
        if self.path:
            name += f"[{','.join(str(number) for _, number in self.path)}]"
        self.run.findings.append(Finding(cites, name, where, expected, observed))

    @property
    def stopping(self) -> bool:
        """Whether some reading ends this scope from outside its own flow."""
        if self.unwinding or self.perhaps_unwinding or self.run.cancel:
            return True
        return self.outer is not None and self.outer[0].stops(self.outer[1])

    def stops(self, loop: int) -> bool:
        """Whether some reading stops the iterations of a loop that are under way (A123)."""
        iterations = self.iterations[loop]
        hasty = iterations.loop.policy != "continue" and iterations.any_failed("failed", "handled")
        return (
            hasty
            or iterations.loop.exceeds
            or self.states[loop] in TERMINAL
            or self.stopping
            or loop in self.losing()
        )

    def losing(self) -> set[int]:
        """Nodes that some reading puts on a branch that lost an any join."""
        if not self.fired:
            return set()
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
