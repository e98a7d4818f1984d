"""Attempts and their step calls: what holds between them whatever the golden lists (§5.5).

An attempt calls its step once, or not at all when it fails before it; it is over only when
the step is answered, has timed out or is cancelled; and nobody gives up the step of a node
that is not idempotent (§6.2.1).
"""

from collections.abc import Iterator
from typing import Final

from comparator.difference import Difference
from comparator.evidence import Evidence
from comparator.facts import STEP_TYPES, Node
from comparator.form import Where, as_key
from comparator.observation import Call
from comparator.steps import Attempt, Laid, Steps
from comparator.trace import Transition

__all__ = ["attempt_differences"]

#: State that an attempt with a call ends in → requirement broken when the answer was missing.
_BEFORE_ANSWER: Final = {
    "SUCCEEDED": "6.2-no-succeeded-without-completion",
    "FAILED": "6.2-running-failed",
    "RETRYING": "6.2-running-retrying",
}
_LET_FINISH: Final = "6.2.1-attempt-finishes-result-discarded"
_NO_CANCEL: Final = "6.2.1-no-cancel-of-running-non-idempotent"
_STEP: Final = "5.5-step-runs-under-timeout"
#: A13: codes of failures before the step, which a retry policy may or may not concern.
_BEFORE_STEP: Final = frozenset(
    {"HX-4101", "HX-4102", "HX-4105", "HX-4106", "HX-4107", "HX-4201", "HX-4202"}
)


def attempt_differences(evidence: Evidence) -> Iterator[Difference]:
    """Judge all calls, and all attempts of nodes that have a step, where calls are shown."""
    steps = evidence.steps
    if steps is None:
        return
    judge = _Judge(evidence, steps)
    for laid in steps.calls:
        yield from judge.call(laid)
    for attempt in steps.attempts:
        yield from judge.attempt(attempt)


class _Judge:
    """Looks at single calls and attempts with the whole run at hand."""

    def __init__(self, evidence: Evidence, steps: Steps) -> None:
        run = evidence.run
        self._evidence = evidence
        self._run = run
        self._nodes = run.graph.facts.nodes
        # What is wrong with the states themselves speaks first; attempts follow from them.
        self._silent = steps.ambiguous.union(run.keys.unclear)
        self._stray: set[Where] = set()
        # Nobody answers a scripted runtime, which may show its calls all the same.
        told = evidence.observation.answering
        self._answering = (
            any(laid.call.answered is not None for laid in steps.calls) if told is None else told
        )

    def call(self, laid: Laid) -> Iterator[Difference]:
        """Judge one call; the protocol has refused those of unknown nodes."""
        call, where = laid.call, laid.where
        node = self._nodes.get(call.node)
        if node is None:
            return
        if node.type not in STEP_TYPES:
            yield _difference(
                "stepless-call", ("3.1.1-pure-control-types-need-no-impl",), call.node, call.place,
                observed=node.type,
            )  # fmt: skip
        elif where is not None and call.node not in self._silent:
            if laid.attempt is not None:
                yield from self._inside(node, laid, laid.attempt)
            elif not self._hidden_undo(where, call):
                self._stray.add(where)
                yield _difference(
                    "call-outside-running", ("6.1-running-meaning",), where, call.place,
                    observed=laid.state,
                )  # fmt: skip

    def _hidden_undo(self, where: Where, call: Call) -> bool:
        """Tell whether it is the work of a compensation whose states are not shown (A96)."""
        run = self._run
        begun = run.unhandled is not None and run.unhandled < call.place
        return begun and call.node in run.graph.undos and not run.moved(where)

    def _inside(self, node: Node, laid: Laid, attempt: Attempt) -> Iterator[Difference]:
        call, where = laid.call, attempt.where
        end = None if attempt.end is None else self._run.transitions[attempt.end]
        timed_out = node.on_timeout is not None and (end is None or end.to != "SUCCEEDED")
        if call.aborts and not node.idempotent and not timed_out:
            yield _difference("abandoned", (_NO_CANCEL, _LET_FINISH), where, call.place)
        begun = self._run.transitions[attempt.begin].attempt
        if call.attempt is not None and not _same_attempt(call.attempt, begun, attempt):
            yield _difference(
                "call-attempt", ("6.6-entry-attempt-number",), where, call.place,
                expected=begun or attempt.number, observed=call.attempt,
            )  # fmt: skip
        if end is not None and attempt.end is not None and self._answering:
            yield from _at_the_end(node, call, where, attempt.end, end)

    def attempt(self, attempt: Attempt) -> Iterator[Difference]:
        """Judge how many calls were made in an attempt."""
        where = attempt.where
        node = self._nodes.get(as_key(where).node)
        if node is None or node.type not in STEP_TYPES or node.id in self._silent:
            return
        if where in self._run.faults or where in self._stray:
            return
        if len(attempt.calls) > 1:
            own = (_STEP, "6.6-no-disagreement-on-facts")
            first = () if node.idempotent else ("1.3-no-automatic-retry-of-non-idempotent",)
            place = attempt.calls[1].call.place
            yield _difference(
                "calls-in-attempt", (*first, *own), where, place, observed=len(attempt.calls)
            )
        elif not attempt.calls and attempt.end is not None:
            to = self._run.transitions[attempt.end].to
            if to in {"SUCCEEDED", "RETRYING"} and not self._without_step(node, to):
                yield _difference(
                    "no-call", (_BEFORE_ANSWER[to], _STEP), where, attempt.end, observed=to
                )

    def _without_step(self, node: Node, to: str) -> bool:
        """Tell whether an attempt of the node may have got there without its step."""
        if to == "SUCCEEDED":
            return node.type == "transform"  # §3.2.3: its result may be reused
        reported, anonymous = self._evidence.codes
        return not _BEFORE_STEP.isdisjoint(reported.get(node.id, set()) | anonymous)


def _same_attempt(given: int, begun: int | None, attempt: Attempt) -> bool:
    """Tell whether a call's number is one that its attempt may have (A134)."""
    if given in {begun, attempt.number}:
        return True
    # In iterations the numbers may count on from an earlier one.
    return begun is None and not isinstance(attempt.where, str) and given > attempt.number


def _at_the_end(
    node: Node, call: Call, where: Where, place: int, end: Transition
) -> Iterator[Difference]:
    """Hold the end of an attempt against the answer of its call.

    A node with a timeout may end unanswered; a cancelled attempt may too.
    """
    to = end.to
    if to not in _BEFORE_ANSWER:
        return
    answered = call.answered is not None and call.answered <= place
    if not answered:
        if to == "SUCCEEDED" or node.on_timeout is None:
            first = () if node.idempotent else (_LET_FINISH,)
            cites = (*first, _BEFORE_ANSWER[to])
            yield _difference("before-answer", cites, where, place, observed=to)
    elif to == "SUCCEEDED":
        if call.ok is False:
            yield _difference("against-answer", (_BEFORE_ANSWER[to],), where, place, observed=to)
    elif call.ok is False and None not in {call.error_class, end.error_class}:
        late = node.on_timeout is not None and end.error_class == "timeout"
        if call.error_class != end.error_class and not late:
            yield _difference(
                "error-class", ("6.6-failed-entry-class-and-message",), where, place,
                expected=call.error_class, observed=end.error_class,
            )  # fmt: skip


def _difference(
    kind: str, cites: tuple[str, ...], where: Where, place: int, **sides: object
) -> Difference:
    return Difference(
        kind=kind,
        cites=cites,
        key=as_key(where),
        place=place,
        expected=sides.get("expected"),
        observed=sides.get("observed"),
    )
