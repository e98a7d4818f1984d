"""The words for each kind of difference: what is wrong, expected, observed, and what to do."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from comparator.difference import Difference

__all__ = ["TEMPLATES", "Template"]

_Say = Callable[[Difference], str]


class Template(NamedTuple):
    """One row: a headline, both sides as text, and advice."""

    headline: str
    expected: _Say
    observed: _Say
    advice: str


def _text(text: str) -> _Say:
    return lambda _: text


def _observed(difference: Difference) -> str:
    return _value(difference.observed)


def _expected(difference: Difference) -> str:
    return _value(difference.expected)


def _value(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)


def _path(word: str) -> str:
    return "PENDING" + "".join(f"→{state}" for state in word.split())


def _more(difference: Difference) -> str:
    more = difference.detail.get("more", 0)
    return f" ({more} further breaches of this node follow)" if more else ""


def _expected_path(difference: Difference) -> str:
    return _path(difference.expected)


def _observed_path(difference: Difference) -> str:
    return _path(difference.observed)


_EDGE: Final = {
    "open": "{type} from {source}: still open",
    "satisfied": "{type} from {source}: satisfied",
    "condition": "{type} from {source}: condition false",
    "unreached": "{type} from {source}: source never reached",
    "FAILED": "{type} from {source}: source FAILED",
    "CANCELLED": "{type} from {source}: source CANCELLED",
}
_SHOWN_EDGES: Final = 6


def _edges(difference: Difference) -> str:
    """Say how the incoming edges stood, unsatisfied ones first."""
    edges = sorted(difference.expected, key=lambda edge: edge[2] == "satisfied")
    if not edges:
        return "PENDING: nothing leads to this node"
    shown = [_EDGE[status].format(type=type_, source=s) for s, type_, status in edges]
    rest = len(shown) - _SHOWN_EDGES
    text = "; ".join(shown[:_SHOWN_EDGES])
    return f"PENDING until justified — {text}" + (f"; and {rest} more" if rest > 0 else "")


def _order(difference: Difference) -> str:
    after = difference.detail["after"]
    number = difference.expected
    which = "all" if number == len(after) else f"at least {number}"
    return f"{difference.detail['event']} after {which} of {', '.join(after)}"


def _late(difference: Difference) -> str:
    return f"not before it: {', '.join(difference.detail['late'])}"


def _interval(difference: Difference) -> str:
    low, high = difference.expected
    where = difference.detail["entry"]
    return f"{low:g} s before {where}" if low == high else f"{low:g} to {high:g} s before {where}"


def _waited(difference: Difference) -> str:
    seconds = difference.observed
    return "no such wait" if seconds is None else f"{seconds:g} s"


def _inputs(difference: Difference) -> str:
    if difference.observed is None:
        return "no call"
    lines = difference.detail.get("lines", [])
    return "; ".join([repr(difference.observed), *lines])


def _idle(difference: Difference) -> str:
    return f"{_expected(difference)} at idle point {difference.detail['idle']}"


def _codes(difference: Difference) -> str:
    return f"one of {', '.join(difference.expected)}"


def _reported(difference: Difference) -> str:
    return ", ".join(difference.observed) or "none"


def _breach(difference: Difference) -> str:
    return _value(difference.observed) + _more(difference)


_EMIT: Final = "Emit exactly one transition for each change of state, with the state it leaves."
_TABLE: Final = "Move nodes only along the rows of §6.2."
_SCHEDULER: Final = "Look at what moves a node to READY, and when edges count as resolved."
_FIRST: Final = "Look at the first state that differs; the rest follows from it."
_CANCEL: Final = "Cancel only for a reason that §6.2 names."

#: Kind → words.
TEMPLATES: Final[dict[str, Template]] = {
    "unknown-node": Template(
        "a node that the document does not declare",
        _text("a declared node"),
        _breach,
        "Use the ids of the document, unchanged.",
    ),
    "unknown-state": Template(
        "a state that §6.1 does not know", _text("a state of §6.1"), _breach, _TABLE
    ),
    "iteration": Template(
        "an iteration that does not fit the loops of the document",
        _text("the loops around the node, outermost first, indexes from 0"),
        _breach,
        "Name a loop only on its body and on what the body leads to.",
    ),
    "attempt": Template(
        "a wrong attempt number",
        lambda d: f"attempt {d.expected}",
        lambda d: f"attempt {d.observed}" + _more(d),
        "Count attempts of a node from 1, one up for each retry.",
    ),
    "gap": Template(
        "a transition that leaves another state than the node is in",
        lambda d: f"a transition out of {d.expected}",
        _breach,
        _EMIT,
    ),
    "illegal-pair": Template(
        "a transition that §6.2 forbids to this node",
        _text("a transition listed in §6.2 whose conditions hold"),
        _breach,
        _TABLE,
    ),
    "attempts": Template(
        "more attempts than allowed",
        lambda d: f"at most {d.expected}",
        lambda d: f"attempt {d.observed}" + _more(d),
        "maxAttempts counts the first attempt; without idempotence there is only that one.",
    ),
    "path": Template("took another path", _expected_path, _observed_path, _FIRST),
    "unlisted": Template(
        "moved although nothing leads to it here", _expected_path, _observed_path, _FIRST
    ),
    "iteration-start": Template(
        "a body outside a running loop",
        _text("the loop is RUNNING when an iteration becomes READY"),
        lambda d: "body in the main flow" if d.observed is None else f"the loop was {d.observed}",
        "Start iterations only from their loop while it is RUNNING and has not stopped.",
    ),
    "too-early": Template("READY without justification", _edges, _text("READY"), _SCHEDULER),
    "sequence": Template(
        "iterations out of sequence",
        lambda d: f"iterations one after the other, next index at least {d.expected}",
        lambda d: f"iteration {d.observed}" + _more(d),
        "With maxConcurrency 1 start an iteration when the one before it is terminal.",
    ),
    "concurrency": Template(
        "too many iterations at once",
        lambda d: f"at most {d.expected} under way",
        lambda d: f"{d.observed} under way" + _more(d),
        "Hold back iterations until fewer than maxConcurrency are under way.",
    ),
    "loop-end": Template(
        "a loop that ended apart from its iterations",
        lambda d: (
            "FAILED on the failure of an iteration, or with the code of its own failure"
            if d.expected is None
            else f"the end of {d.expected} before the end of its loop"
        ),
        _observed,
        "End a loop when its iterations have ended, or when onItemFailure stops it.",
    ),
    "no-cause": Template(
        "cancelled without a cause",
        _text("an any join, unwinding, a stopped loop or a cancelled instance before it"),
        _observed,
        _CANCEL,
    ),
    "compensation": Template(
        "compensated against the rules of unwinding",
        _text("after an unhandled failure, its undo done, latest completion first"),
        _observed,
        "Run the compensation targets one by one in reverse order of completion.",
    ),
    "order": Template("too early", _order, _late, "Wait for what the rule names."),
    "stepless-call": Template(
        "a step call of a node that has no step",
        _text("no call: the type of the node says what it does"),
        lambda d: f"a call of a {d.observed} node",
        "Call steps of task, inference, transform, source, sink and human nodes only.",
    ),
    "call-outside-running": Template(
        "a step call outside an attempt",
        _text("RUNNING when the step is called"),
        _observed,
        "Enter RUNNING, then call, and call once an attempt.",
    ),
    "abandoned": Template(
        "the step of a node that is not idempotent was given up",
        _text("the attempt is let finish, and its result discarded"),
        _text("its call was aborted"),
        "Never abort the call of a node with idempotent=false, except by its timeout.",
    ),
    "before-answer": Template(
        "ended before its step was answered",
        _text("the answer to the step call first"),
        _observed,
        "Leave RUNNING only on the answer, on a timeout or when cancelled.",
    ),
    "against-answer": Template(
        "succeeded although its step failed",
        _text("FAILED or RETRYING after a failed step"),
        _observed,
        "Take the result of the step as it was answered.",
    ),
    "no-call": Template(
        "an attempt that never called its step",
        _text("one step call in the attempt"),
        lambda d: f"{d.observed} without a call",
        "Call the step of every attempt that gets past guard, inputs and resources.",
    ),
    "calls-in-attempt": Template(
        "several step calls in one attempt",
        _text("one step call in an attempt"),
        lambda d: f"{d.observed} calls",
        "A second call is a second attempt: go through RETRYING and READY.",
    ),
    "call-attempt": Template(
        "a step call with the number of another attempt",
        lambda d: f"attempt {d.expected}",
        lambda d: f"attempt {d.observed}",
        "Give a call the number of the attempt that it is made in.",
    ),
    "error-class": Template(
        "another error class than the step failed with",
        _expected,
        _observed,
        "Hand on the class of the failed step with the transition that ends its attempt.",
    ),
    "tag": Template(
        "an error class or code where nothing failed",
        lambda _: "none",
        _observed,
        "Report class and code with the transition that ends a failed attempt only.",
    ),
    "clock": Template(
        "a time that runs backwards",
        lambda d: f"{d.expected:g} s or later",
        lambda d: f"{d.observed:g} s",
        "Stamp each transition when it happens, or leave the time out.",
    ),
    "left-open": Template(
        "not terminal when the run ended",
        _text("a terminal state, or PENDING if never reached"),
        _observed,
        "End the run when nothing is READY, RUNNING or RETRYING.",
    ),
    "call-count": Template(
        "another number of step calls",
        lambda d: f"{d.expected} calls of {d.detail['entry']}",
        lambda d: f"{d.observed} calls",
        "Call the step once for each attempt that gets past guard, inputs and resources.",
    ),
    "call-inputs": Template(
        "other inputs delivered",
        _expected,
        _inputs,
        "Take each input from its data edge, else from value, else from default.",
    ),
    "call-aborts": Template(
        "another number of aborted step calls",
        lambda d: f"{d.expected} aborts of {d.detail['entry']}",
        lambda d: f"{d.observed} aborts",
        "Abort the open call of a RUNNING node that is cancelled, and no other.",
    ),
    "timer": Template(
        "another wait before the attempt",
        _interval,
        _waited,
        "Compute the delay from backoff, initialDelay, multiplier and maxDelay.",
    ),
    "idle-state": Template("another state while nothing could move", _idle, _observed, _FIRST),
    "idle-missing": Template(
        "fewer quiescent points than expected",
        lambda d: f"at least {d.expected} idle points",
        lambda d: f"{d.observed} idle points",
        "Report idle whenever nothing can move without the suite.",
    ),
    "idle-timer": Template(
        "another next timer while nothing could move",
        _idle,
        _waited,
        "Report the seconds until the earliest timer of any node.",
    ),
    "code": Template(
        "the run-time code is missing",
        _codes,
        _reported,
        "Report the code of §14.2 with the node's failure.",
    ),
    "unfounded-code": Template(
        "a run-time code without a failure that it could be about",
        _text("codes of §14.2 only, each for what failed"),
        _reported,
        "Report each failure once, with its own code and the id of its node.",
    ),
    "outcome": Template(
        "another outcome", _expected, _observed, "Derive the outcome from the states, §5.7."
    ),
    "text": Template(
        "text that must stay secret was sent",
        _text("nowhere in any message"),
        lambda d: f"{d.observed} times",
        "Send the reference of a credential and its store, never its content.",
    ),
    "unobservable": Template(
        "cannot be judged",
        lambda d: f"to see {d.expected}",
        _text("nothing of the kind"),
        "Let the adapter show it, or leave the scenario out as not run.",
    ),
}
