"""Rules of loops: which iterations there are, and what they do to their loop (§6.5, §7.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from reference_runtime.document.model import Loop, Node

__all__ = ["LOOPS", "ItemFailure", "LoopRules"]


class ItemFailure(NamedTuple):
    """What a failed iteration does to its loop (§6.5, §7.2.5).

    Attributes:
        stops: whether no further iteration starts.
        result: FAILED or SUCCEEDED, by the numbers of succeeded and failed iterations.
    """

    stops: bool
    result: Callable[[int, int], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopRules:
    """The part of the rules about loops.

    Attributes:
        bodies_apart: §7.2.6, whether bodies are kept out of the main flow.
        elements: §7.2.2, what a forEach iterates over.
        over: §10.8, when @over is evaluated: ``once`` for each execution of a loop, ``again``
            before each iteration, ``kept`` from the first execution on.
        times: §7.2.2, number of iterations of a times loop.
        tests_first: §7.2.2, kind → whether the condition is tested before the first iteration.
        limit: §7.2.1, iterations allowed, given those of earlier executions of the same loop.
        over_limit: §7.2.1, state of a loop of which more are due.
        slots: §7.2.4, iterations that may be under way together.
        iteration: §5.4, number of the iteration that starts after so many of so many.
        variables: §7.2.3, names that the body sees, by element and number of the iteration.
        takes_body: §7.2.6, whether a loop can run its body, by whether another one has done so.
        handlers: §7.2.6, whether an iteration has the error handlers of the body, by number.
        contained: §6.5, whether a failure of that node in an iteration stays in it.
        item_failure: §7.2.5, by @onItemFailure.
        ended: §6.5, whether the loop is over, by the number of iterations under way and
            whether no more will start.
    """

    bodies_apart: bool
    elements: Callable[[Sequence[Any]], Sequence[Any]]
    over: Literal["once", "again", "kept"]
    times: Callable[[Loop], int]
    tests_first: Mapping[str, bool]
    limit: Callable[[Loop, int], int]
    over_limit: Callable[[Loop], str]
    slots: Callable[[int], int]
    iteration: Callable[[int, int], int]
    variables: Callable[[Loop, Any, int], dict[str, Any]]
    takes_body: Callable[[bool], bool]
    handlers: Callable[[int], bool]
    contained: Callable[[Node], bool]
    item_failure: Mapping[str, ItemFailure]
    ended: Callable[[int, bool], bool]


LOOPS: Final = LoopRules(
    bodies_apart=True,
    elements=lambda elements: elements,
    over="once",
    times=lambda loop: loop.count or 0,
    tests_first={"while": True, "until": False},
    limit=lambda loop, _earlier: loop.max_iterations,
    over_limit=lambda _loop: "FAILED",
    slots=lambda max_concurrency: max_concurrency,
    iteration=lambda started, _all: started,
    variables=lambda loop, element, number: {loop.var: element, loop.index_var: number},
    takes_body=lambda _elsewhere: True,
    handlers=lambda _number: True,
    contained=lambda _node: True,
    item_failure={
        "fail": ItemFailure(stops=True, result=lambda _good, bad: "FAILED" if bad else "SUCCEEDED"),
        "continue": ItemFailure(
            stops=False, result=lambda good, bad: "FAILED" if bad and not good else "SUCCEEDED"
        ),
        "break": ItemFailure(stops=True, result=lambda _good, _bad: "SUCCEEDED"),
    },
    ended=lambda running, _stopped: not running,
)
