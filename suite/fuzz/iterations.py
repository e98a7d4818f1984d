"""Iterations against their loop (§6.5, §7.2): when one may start, and how the loop may end.

Every iteration is judged as a workflow of its own by the same code as the main flow. Here is
only what the loop adds.
"""

import re
from typing import Final

from suite.fuzz.model import Loop, Model, node_id
from suite.fuzz.observed import Event
from suite.fuzz.reach import TERMINAL
from suite.fuzz.seen import Iterations, Seen

__all__ = ["finish_loops", "iteration_runs", "iteration_starts", "locate", "loop_ends"]

#: §7.2.5: policy → sentence against an iteration that starts after a failed one.
_STOPPED: Final = {"fail": "7.2.5-fail-stops-at-once", "break": "7.2.5-break-starts-no-more"}
_NUMBER: Final = re.compile(r"n(\d+)")
_EVERY: Final = {"forEach": "7.2.2-foreach-once-per-element", "times": "7.2.2-times-exact"}


def locate(seen: Seen, event: Event) -> tuple[Seen, int] | None:
    """Find the scope and the number of the node that an event is about; None: to be left out.

    Raises:
        LookupError: there is no such node in such an iteration.
    """
    if event.node in seen.index and not event.iteration:
        return seen, seen.index[event.node]
    scope = seen
    for name, number in event.iteration:
        loop = scope.index.get(name, -1)
        iterations = scope.iterations.get(loop)
        if iterations is None:
            break
        iterations.labelled = True
        scope = _child(scope, loop, number)
    else:
        if event.node in scope.index:
            return scope, scope.index[event.node]
    return _unlabelled(seen, event)


def _child(scope: Seen, loop: int, number: int) -> Seen:
    begun = scope.iterations[loop].begun
    if number not in begun:
        body = scope.iterations[loop].loop.iteration(number)
        name = node_id(loop, scope.scope)
        begun[number] = Seen(body, scope.run, scope=name, outer=(scope, loop), number=number)
    return begun[number]


def _unlabelled(seen: Seen, event: Event) -> tuple[Seen, int] | None:
    """A body node of which not all levels of the iteration are told (A116, A117, A118)."""
    first, *inner = map(int, _NUMBER.findall(event.node))
    iterations = seen.iterations.get(first)
    if iterations is None or not inner:
        raise LookupError("a node of the document")
    if any(not event.node.startswith(name) for name, _ in event.iteration):
        raise LookupError("an iteration of the loops around the node")
    if len(inner) == 1 and not event.iteration:
        return _guess(seen, first, inner[0], event)
    iterations.blind = True
    return None


def _guess(scope: Seen, loop: int, node: int, event: Event) -> tuple[Seen, int] | None:
    iterations = scope.iterations[loop]
    if node:  # a handler may be part of the main flow
        return _stray(scope, loop, node)
    early = scope.states[loop] in ("PENDING", "READY")
    if early and (event.kind == "call" or event.entered in ("READY", "RUNNING")):
        return _child(scope, loop, 0), 0
    if iterations.labelled:  # A118: what the body node itself is called outside of iterations
        return None
    if iterations.loop.concurrency > 1:
        iterations.blind = True
        return None
    latest = max(iterations.begun, default=-1)
    if (event.left, event.entered) == ("PENDING", "READY"):
        latest += 1
    return _child(scope, loop, max(latest, 0)), 0


def _stray(scope: Seen, loop: int, node: int) -> tuple[Seen, int]:
    iterations = scope.iterations[loop]
    if node not in iterations.strays:
        model = Model((iterations.loop.body.nodes[node],))
        seen = Seen(model, scope.run, scope=node_id(loop, scope.scope), outer=(scope, loop))
        seen.number = -1
        seen.index = {node_id(node, seen.scope): 0}
        iterations.strays[node] = seen
    return iterations.strays[node], 0


def iteration_starts(seen: Seen) -> None:
    """§7.2: whether an iteration may start, when its body becomes READY."""
    if seen.outer is None:
        return
    outer, index = seen.outer
    iterations = outer.iterations[index]
    loop, number = iterations.loop, seen.number
    if number < 0:
        _stray_starts(seen, iterations)
        return
    state = outer.states[index]
    name = node_id(index, outer.scope)
    cites: tuple[str, ...] = ("7.2.6-body-runs-only-as-iteration",)
    if state != "RUNNING":
        if state in TERMINAL and loop.policy in _STOPPED and iterations.any_failed("failed"):
            cites = (_STOPPED[loop.policy], *cites)
        expected = f"no iteration, as {name} is {state}"
    elif loop.policy in _STOPPED and iterations.any_failed("failed"):
        cites = (_STOPPED[loop.policy], f"6.5-{loop.policy}-policy")
        expected = f"no iteration, as one has failed and {name} has onItemFailure={loop.policy}"
    elif number >= loop.limit:
        cites = ("7.2.1-exceeding-fails",)
        expected = f"no iteration beyond maxIterations={loop.limit}"
    elif number >= len(loop.fates):
        cites = (_EVERY[loop.kind],)
        expected = f"{len(loop.fates)} iterations"
    else:
        return
    seen.report(cites, 0, expected, "PENDING to READY")


def _failures(iterations: Iterations) -> int:
    return sum(iterations.status(number) == "handled" for number in iterations.begun)


def _stray_starts(seen: Seen, iterations: Iterations) -> None:
    if not _failures(iterations):
        cites = ("7.2.6-body-error-edges-per-iteration", "4.4-error-edge-only-on-failed")
        seen.report(cites, 0, "PENDING, as no iteration has failed", "PENDING to READY")


def iteration_runs(seen: Seen) -> None:
    """§7.2.4: how many bodies may be under way together, and in which order."""
    if seen.outer is None or seen.number < 0 or seen.attempts[0] > 1:
        return
    outer, index = seen.outer
    iterations = outer.iterations[index]
    bound, number = iterations.loop.concurrency, seen.number
    latest, iterations.latest = iterations.latest, max(iterations.latest, number)
    under_way = sum(
        other.attempts[0] > 0 and other.states[0] not in TERMINAL
        for other in iterations.begun.values()
        if other is not seen
    )
    if bound == 1 and number < latest:
        cites: tuple[str, ...] = ("5.4-sequential-iterations-in-order", "7.2.4-default-sequential")
        seen.report(cites, 0, f"no iteration after number {latest} but later ones", "RUNNING")
    elif under_way >= bound:
        cites = ("5.4-loop-concurrency-bound",)
        if bound == 1:
            cites = ("5.4-sequential-iterations-in-order", *cites)
        seen.report(cites, 0, f"at most {bound} iterations under way", f"{under_way + 1}")


def loop_ends(seen: Seen, index: int, entered: str) -> None:
    """§6.5: the end of a loop by its iterations and onItemFailure."""
    iterations = seen.iterations[index]
    loop = iterations.loop
    if iterations.blind:
        return
    wrong = (_may_not_succeed if entered == "SUCCEEDED" else _may_not_fail)(iterations, loop)
    if wrong is not None:
        cites, expected = wrong
        seen.report(cites, index, expected, f"RUNNING to {entered}")


_Wrong = tuple[tuple[str, ...], str] | None


def _unfinished(iterations: Iterations, loop: Loop) -> _Wrong:
    """Whether iterations are missing that every reading wants."""
    for number in range(len(loop.fates)):
        status = iterations.status(number)
        if status in ("ok", "failed", "handled"):
            continue
        cites: tuple[str, ...] = (_EVERY[loop.kind],)
        if loop.policy == "continue" and iterations.any_failed("failed", "handled"):
            cites = ("7.2.5-continue-runs-all", *cites)
        if status == "open":
            cites = ("6.2-no-succeeded-without-completion", "6.5-loop-node-has-own-lifecycle")
        return cites, f"RUNNING until iteration {number} has ended"
    return None


def _may_not_succeed(iterations: Iterations, loop: Loop) -> _Wrong:
    failed = iterations.any_failed("failed", "handled")
    if loop.policy == "break" and failed:
        return None
    if loop.exceeds:
        expected = f"FAILED, as more than {loop.limit} iterations are due"
        return ("7.2.1-exceeding-fails",), expected
    if loop.policy == "fail" and iterations.any_failed("failed"):
        return ("6.5-fail-policy",), "FAILED, as an iteration failed"
    statuses = [iterations.status(number) for number in range(len(loop.fates))]
    if loop.policy == "continue" and statuses and set(statuses) == {"failed"}:
        return ("6.5-continue-all-fail",), "FAILED, as all iterations failed"
    return _unfinished(iterations, loop)


def _may_not_fail(iterations: Iterations, loop: Loop) -> _Wrong:
    if loop.exceeds or (loop.policy == "continue" and not loop.fates):  # A120
        return None
    failed = iterations.any_failed("failed", "handled")
    if loop.policy == "break":
        return ("6.5-break-policy",), "SUCCEEDED, whatever iterations failed"
    if not failed:
        return ("6.2-running-failed", _EVERY[loop.kind]), "SUCCEEDED, as no iteration failed"
    if loop.policy == "continue":
        if iterations.any_failed("ok"):
            return ("6.5-continue-some-succeed",), "SUCCEEDED, as an iteration succeeded"
        return _unfinished(iterations, loop)
    return None


def finish_loops(seen: Seen) -> list[Seen]:
    """At the end: handlers of bodies ran (A116); return the iterations of all depths."""
    scopes: list[Seen] = []
    for iterations in seen.iterations.values():
        begun = list(iterations.begun.values())
        for edge in iterations.loop.body.edges:
            failures = _failures(iterations)
            runs = [s for s in begun if s.states[edge.target] != "PENDING"]
            total = len(runs) + (edge.target in iterations.strays)
            if failures and not total and not seen.stopping and not iterations.blind:
                cites = ("7.2.6-body-error-edges-per-iteration", "5.8-all-error-edges-traversed")
                failed = next(s for s in begun if s.states[0] == "FAILED")
                failed.report(cites, edge.target, "READY, as the body has failed", "PENDING")
        for child in (*begun, *iterations.strays.values()):
            scopes += (child, *finish_loops(child))
    return scopes
