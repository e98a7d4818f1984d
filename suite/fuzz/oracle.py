"""The fuzzer's oracle: judges the run that was seen, from the generator's model alone.

It predicts nothing and simulates nothing. Each step is held against the sentences that permit
it, on the events before it; each idle point and the end are held against the sentences that
oblige. What the text leaves open (open points A..) is neither forbidden nor demanded.
"""

from suite.fuzz.causes import judge_step
from suite.fuzz.exclusive import surely_exclusive
from suite.fuzz.finding import Finding
from suite.fuzz.model import Model, node_id, value_of
from suite.fuzz.observed import Event, Observed
from suite.fuzz.reach import TERMINAL
from suite.fuzz.seen import Seen

__all__ = ["judge_run"]


def judge_run(model: Model, observed: Observed, *, full: bool = False) -> list[Finding]:
    """Return what the run did against the text, in the order of the run.

    Args:
        model: the workflow and what its steps answered.
        observed: the run.
        full: whether the runtime claims level Full, where unwinding starts nothing new (§8.4.1).
    """
    walk = _Walk(Seen(model, observed, full=full))
    for event in observed.events:
        walk.take(event)
    walk.end(observed.outcome)
    return walk.seen.findings


class _Walk:
    """One pass over the events."""

    def __init__(self, seen: Seen) -> None:
        self.seen = seen

    def take(self, event: Event) -> None:
        """Judge one event and follow it."""
        if event.kind == "idle":
            self.idle()
            return
        index = self.seen.index.get(event.node)
        if event.kind == "transition":
            self.seen.transitions += 1
            if index is None:
                where = f"transition {self.seen.transitions}"
                cites = ("6.6-entry-node-and-both-states",)
                self.seen.findings.append(
                    Finding(cites, event.node, where, "a node of the document", event.node)
                )
                return
            self.transition(index, event.left, event.entered)
        elif index is not None and event.kind == "call":
            self.call(index, event)
        elif index is not None:
            self.seen.answers[index] = event.result

    def transition(self, index: int, left: str, entered: str) -> None:
        judge_step(self.seen, index, left, entered)
        self.seen.steps[index] += 1
        self.seen.states[index] = entered
        if (left, entered) == ("PENDING", "READY"):
            self.entered_ready(index)
        elif entered == "FAILED":
            self.failed(index)

    def entered_ready(self, index: int) -> None:
        if self.seen.model.nodes[index].join != "any" or index in self.seen.graph.starts:
            return
        self.seen.fired.append(index)
        if self.seen.unwinding or self.seen.graph.errors_into[index]:
            return
        self.seen.due += [
            (i, self.seen.steps[i], index)
            for i in surely_exclusive(self.seen.graph, index)
            if self.seen.states[i] == "RUNNING" and self.seen.model.nodes[i].idempotent
        ]

    def failed(self, index: int) -> None:
        """§5.8: handled by error edges, otherwise unwinding begins."""
        handled = bool(self.seen.graph.errors_out[index])
        if self.seen.fired and index in self.seen.losing():  # A52: a discarded result
            self.seen.discarded_failure = True
            self.seen.perhaps_unwinding = self.seen.perhaps_unwinding or not handled
        elif not handled:
            self.seen.unwinding = True

    def call(self, index: int, event: Event) -> None:
        self.seen.called[index] += 1
        self.seen.answers[index] = ""
        if self.seen.called[index] > self.seen.attempts[index]:
            cites = ("6.1-running-meaning", "8.1-max-attempts-counts-first")
            self.seen.report(
                cites, index, "one call of the step for each attempt", "a further call"
            )
        if self.seen.starved(index):
            cites = (
                "5.5-no-side-effect-when-preparation-fails",
                "5.5-required-input-without-value-fails",
            )
            self.seen.report(cites, index, "no call without a value for a required input", "a call")
        for number, edge in enumerate(self.seen.graph.into[index]):
            if edge.type != "data":
                continue
            given = event.inputs.get(f"in{number}")
            value = value_of(edge.source)
            if edge.source in self.seen.bound[index] and given != value:
                cites = ("5.5-input-from-data-edge", "4.2-data-binds-named-ports")
                self.seen.report(cites, index, f"input in{number} = {value!r}", repr(given))
            elif given == value and not (
                self.seen.states[edge.source] == "SUCCEEDED" and self.seen.graph.holds(edge)
            ):
                cites = ("5.6-value-not-available-earlier", "4.6-false-condition-not-traversed")
                self.seen.report(cites, index, f"no value at input in{number}", repr(given))

    def idle(self) -> None:
        """What is due when nothing moves before the suite acts."""
        for index, steps, join in self.seen.due:
            if self.seen.steps[index] == steps and not self.seen.unwinding:
                cites = ("5.3.2-any-cancels-exclusive-running-siblings",)
                expected = f"CANCELLED, as {node_id(join)} became READY without it"
                self.seen.report(cites, index, expected, "RUNNING at an idle point")
        self.seen.due.clear()
        self.obligations("READY at this idle point", at_end=False)

    def obligations(self, expected: str, *, at_end: bool) -> None:
        """§5.3: nodes that have to be READY by now."""
        if self.seen.unwinding or self.seen.discarded_failure or "PENDING" not in self.seen.states:
            return
        losing: set[int] | None = None
        for index, cites in self.seen.joins.due(self.seen.states, at_end=at_end):
            losing = self.seen.losing() if losing is None and self.seen.fired else losing
            if not losing or index not in losing:  # A57
                self.seen.report(cites, index, expected, "PENDING")

    def end(self, outcome: str | None) -> None:
        """§5.7: completion and outcome."""
        cites: tuple[str, ...]
        self.obligations("READY before the end, as its join is satisfied", at_end=True)
        for index, state in enumerate(self.seen.states):
            if state not in TERMINAL and state != "PENDING":
                cites = ("5.7-complete-when-nothing-can-move",)
                self.seen.report(cites, index, "a terminal state, or PENDING, at the end", state)
        allowed = {"failed", "compensated"} if self.seen.unwinding else {"succeeded"}
        if self.seen.perhaps_unwinding:
            allowed = {"succeeded", "failed", "compensated"}
        if outcome is not None and outcome not in allowed:
            cites = ("5.7-outcome-failed" if self.seen.unwinding else "5.7-outcome-succeeded",)
            if not self.seen.unwinding and "FAILED" in self.seen.states:
                cites = (*cites, "5.8-handled-failure-continues")
            expected = f"outcome {' or '.join(sorted(allowed))}"
            self.seen.findings.append(Finding(cites, "", "end", expected, outcome))
