"""The fuzzer's oracle: judges the run that was seen, from the generator's model alone.

It predicts nothing and simulates nothing. Each step is held against the sentences that permit
it, on the events before it; each idle point and the end are held against the sentences that
oblige. What the text leaves open (open points A..) is neither forbidden nor demanded. Iterations
of a loop are judged like runs of their own.
"""

from suite.fuzz.causes import judge_step
from suite.fuzz.ending import judge_end, judge_obligations
from suite.fuzz.exclusive import surely_exclusive
from suite.fuzz.finding import Finding
from suite.fuzz.iterations import locate
from suite.fuzz.model import Model, Node, node_id, value_of
from suite.fuzz.observed import Event, Observed
from suite.fuzz.seen import Run, Seen

__all__ = ["judge_run"]


def judge_run(model: Model, observed: Observed, *, full: bool = False) -> list[Finding]:
    """Return what the run did against the text, in the order of the run.

    Args:
        model: the workflow and what its steps answered.
        observed: the run.
        full: whether the runtime claims level Full, where unwinding starts nothing new and
            compensation is due (§8.4.1).
    """
    run = Run(observed, full=full)
    main = Seen(model, run)
    quiet = False
    for event in observed.events:
        if event.kind == "idle":
            run.now = event.at
            _idle(main)
        elif event.kind == "cancel":
            # A runtime that waited for the suite meets the cancel before anything else.
            run.cancel = "handled" if quiet else "sent"
            run.pending = set(run.open)
        else:
            _take(main, event)
        quiet = event.kind == "idle"
    judge_end(main, observed.outcome)
    return run.findings


def _take(main: Seen, event: Event) -> None:
    """Judge one event of a node and follow it."""
    run = main.run
    if event.kind == "transition":
        run.transitions += 1
        run.now = event.at
    try:
        place = locate(main, event)
    except LookupError as error:
        if event.kind == "transition":
            where = f"transition {run.transitions}"
            cites = ("6.6-entry-node-and-both-states",)
            run.findings.append(Finding(cites, event.node, where, str(error), event.node))
        return
    if event.kind == "call":
        run.open.add((event.node, event.iteration))
    elif event.kind in ("answer", "abort") or event.entered == "CANCELLED":
        run.open.discard((event.node, event.iteration))
        run.pending.discard((event.node, event.iteration))
    if place is None:
        return
    seen, index = place
    if event.kind == "transition":
        _transition(seen, index, event.left, event.entered)
    elif event.kind == "call":
        _call(seen, index, event)
    elif event.kind == "abort":
        _abort(seen, index)
    else:
        seen.answers[index] = event.result


def _transition(seen: Seen, index: int, left: str, entered: str) -> None:
    judge_step(seen, index, left, entered)
    seen.steps[index] += 1
    seen.states[index] = entered
    seen.since[index] = seen.run.now
    if (left, entered) == ("PENDING", "READY"):
        _entered_ready(seen, index)
    elif entered == "SUCCEEDED":
        seen.done.append(index)
    elif entered == "FAILED":
        _failed(seen, index)
    elif entered == "CANCELLED" and seen.run.cancel and _by_nothing_else(seen, index):
        seen.run.cancel = "handled"
    if entered in ("SUCCEEDED", "FAILED", "SKIPPED") and seen.run.cancel == "handled":
        seen.late.add(index)


def _by_nothing_else(seen: Seen, index: int) -> bool:
    """Whether only the external cancel can have cancelled a node, which shows it handled."""
    unwinding = seen.unwinding or seen.perhaps_unwinding
    return seen.outer is None and not unwinding and index not in seen.losing()


def _stoppable(node: Node) -> bool:
    """Whether nothing protects a RUNNING node: itself, or what its iterations run (§6.2.1)."""
    inner = node.loop.body.nodes if node.loop is not None else ()
    return node.idempotent and all(map(_stoppable, inner))


def _entered_ready(seen: Seen, index: int) -> None:
    if seen.model.nodes[index].join != "any" or index in seen.graph.starts:
        return
    seen.fired.append(index)
    if seen.stopping or seen.graph.errors_into[index]:
        return
    seen.due += [
        (i, seen.steps[i], index)
        for i in surely_exclusive(seen.graph, index, seen.states)
        if seen.states[i] == "RUNNING" and _stoppable(seen.model.nodes[i])
    ]


def _failed(seen: Seen, index: int) -> None:
    """§5.8: handled by error edges, otherwise unwinding begins; in a loop the loop decides."""
    if seen.outer is not None and seen.number >= 0:
        return
    handled = bool(seen.graph.errors_out[index])
    begun = seen.unwinding or seen.perhaps_unwinding
    if seen.fired and index in seen.losing():  # A52: a discarded result
        seen.discarded_failure = True
        seen.perhaps_unwinding = seen.perhaps_unwinding or not handled
    elif not handled:
        seen.unwinding = True
    if not begun:
        seen.settled = len(seen.done)


def _call(seen: Seen, index: int, event: Event) -> None:
    seen.called[index] += 1
    seen.answers[index] = ""
    hidden = seen.graph.undoes[index] is not None and not seen.steps[index]  # A96
    if seen.called[index] > seen.attempts[index] and not hidden:
        cites = ("6.1-running-meaning", "8.1-max-attempts-counts-first")
        seen.report(cites, index, "one call of the step for each attempt", "a further call")
    if seen.starved(index):
        cites = (
            "5.5-no-side-effect-when-preparation-fails",
            "5.5-required-input-without-value-fails",
        )
        seen.report(cites, index, "no call without a value for a required input", "a call")
    for number, edge in enumerate(seen.graph.into[index]):
        if edge.type != "data":
            continue
        given = event.inputs.get(f"in{number}")
        value = value_of(edge.source)
        if edge.source in seen.bound[index] and given != value:
            cites = ("5.5-input-from-data-edge", "4.2-data-binds-named-ports")
            seen.report(cites, index, f"input in{number} = {value!r}", repr(given))
        elif given == value and not (
            seen.states[edge.source] == "SUCCEEDED" and seen.graph.holds(edge)
        ):
            cites = ("5.6-value-not-available-earlier", "4.6-false-condition-not-traversed")
            seen.report(cites, index, f"no value at input in{number}", repr(given))


def _abort(seen: Seen, index: int) -> None:
    if not seen.model.nodes[index].idempotent:
        cites = (
            "6.2.1-attempt-finishes-result-discarded",
            "6.2.1-no-cancel-of-running-non-idempotent",
        )
        seen.report(cites, index, "its own end, as it is not idempotent", "its call is given up")


def _idle(main: Seen) -> None:
    """What is due when nothing moves before the suite acts."""
    run = main.run
    run.busy = bool(run.open)
    if run.cancel:
        run.cancel = "handled"
    for index, steps, join in main.due:
        if main.steps[index] == steps and not main.stopping:
            cites = ("5.3.2-any-cancels-exclusive-running-siblings",)
            expected = f"CANCELLED, as {node_id(join)} became READY without it"
            main.report(cites, index, expected, "RUNNING at an idle point")
    main.due.clear()
    if main.unwinding and run.full and not run.cancel:
        _still_running(main)
    judge_obligations(main, "READY at this idle point", at_end=False)


def _still_running(main: Seen) -> None:
    """§8.4.1, step 1; at level Executing independent work may end by itself (A95).

    A retry that is finished (A92) and a dependent of the failed node that runs (A94) may be
    under way.
    """
    for index, state in enumerate(main.states):
        node = main.model.nodes[index]
        plain = node.kind == "task" and node.idempotent and main.graph.undoes[index] is None
        late = main.attempts[index] > 1 or any(
            edge.type == "dependency" and main.states[edge.source] == "FAILED"
            for edge in main.graph.into[index]
        )
        if state == "RUNNING" and plain and not late:
            cites = ("8.4.1-unwind-cancels-ready-and-running",)
            main.report(cites, index, "CANCELLED, as the run unwinds", "RUNNING at an idle point")
