"""Consequences: every piece of news is worked off until nothing follows from anything.

One loop over a queue, so that chains of any length cost no stack.
"""

from __future__ import annotations

from reference_runtime.engine import joins, unwinding, waits
from reference_runtime.engine.effects import new_tuple
from reference_runtime.engine.graph import Link
from reference_runtime.engine.lives import Life, with_number
from reference_runtime.engine.reachability import give_up_dead_cycles, give_up_dead_ring
from reference_runtime.engine.siblings import cancel_siblings, disturb
from reference_runtime.engine.state import Reaction, State
from reference_runtime.engine.values import LifeScope, overwrite_namesakes
from reference_runtime.expressions import ExpressionError, Template, evaluate_boolean
from reference_runtime.rule_parts.flow import Route
from reference_runtime.rules import Rules
from reference_runtime.scheduler import Move

__all__ = ["holds", "propagate", "reactions", "settle"]


def holds(state: State, life: Life, link: Link) -> bool:
    """Evaluate the condition of a link whose source is terminal (§7.1.2).

    A condition that cannot be evaluated is reported and counts as false (A39).
    """
    template: Template | None = link.condition
    if template is None:
        return True
    try:
        scope = LifeScope(state, life, blind=state.rules.flow.blind_conditions)
        place = f"condition of the edge to {state.graph.vertices[link.target].node.id!r}"
        return evaluate_boolean(template, scope, state.rules.language, place)
    except ExpressionError as error:
        state.report(error.code, life, error.message)
        return False


def _satisfy_early(state: State, life: Life) -> None:
    """Satisfy links of some types although their source has not ended."""
    types = state.rules.flow.early[life.state]
    for link in life.vertex.forward:
        if link.type in types and link.number not in life.flow.early:
            life.flow.early = with_number(life.flow.early, link.number)
            joins.satisfy(state, life.flow, link)


def _became_ready(state: State, life: Life) -> None:
    """A node is READY: first time, siblings may lose; then the scheduler starts it some time."""
    if life.doomed:
        state.move(life, "CANCELLED")
        return
    vertex = life.vertex
    if vertex.join.cancels and not life.attempt and state.phase == "forward":
        cancel_siblings(state, life)
    move = ((*life.flow.order, vertex.index), life, vertex.calls)
    state.scheduler.push(new_tuple(Move, move))


def _route(state: State, life: Life, link: Link) -> Route:
    target = state.graph.vertices[link.target].node.id
    cases = life.vertex.node.decision.cases if life.vertex.node.decision else ()
    # otherwise is the last case
    fallback = bool(cases) and cases[-1].when is None and cases[-1].to == target
    return Route(life.chosen, target, link.edge is not None, fallback)


def _satisfies(state: State, life: Life, link: Link) -> bool:
    """Whether the terminal state of the source satisfies a forward link (§5.3)."""
    rules = state.rules.flow
    if life.discarded or life.state not in state.rules.satisfying[link.type]:
        return False
    if not rules.satisfies(link.type, life.attempt):
        return False
    if link.routed and life.state == "SUCCEEDED":
        if not rules.routes(_route(state, life, link)):
            return False
    elif link.routed and link.edge is None:
        return False
    if link.condition is None or holds(state, life, link):
        return True
    life.flow.blocked = with_number(life.flow.blocked, link.number)
    return rules.false_satisfies


def _reconsider(state: State) -> None:
    """Satisfy links whose condition was false and has become true."""
    for life in state.main.lives.values():
        for link in life.vertex.forward:
            if link.number in life.flow.blocked and holds(state, life, link):
                life.flow.blocked -= {link.number}
                joins.reopen(state, life.flow, link)


def _traverse_errors(state: State, life: Life) -> None:
    """Take the error links of a node that failed (§5.8)."""
    if not (state.forward or state.goes_on(life.flow)):
        return
    if life.vertex.errors and state.rules.on_handled:
        disturb(state)
    traversed = 0
    for link in life.vertex.errors:
        wanted = not life.discarded and state.rules.flow.error_edges(traversed, life.attempt)
        if wanted and holds(state, life, link):
            traversed += 1
            joins.open_error_link(state, life.flow, link)
        else:
            joins.close_error_link(state, life.flow, link)


def _propagates(state: State, life: Life) -> bool:
    """Whether a failure makes the instance unwind; one in an iteration fails the iteration."""
    if life.discarded or state.rules.handled(len(life.vertex.errors)):
        return False
    if life.flow.owner is None or not state.rules.loops.contained(life.vertex.node):
        return True
    life.flow.failed = True
    return False


def _delivered(state: State, life: Life) -> None:
    """There are new values."""
    waits.look_again(state, life)
    if state.rules.flow.reconsiders:
        _reconsider(state)
    if "namesake" in state.rules.data.overwrites:
        overwrite_namesakes(life)


def _ended(state: State, life: Life) -> None:
    """A node is terminal: its links are resolved, an unhandled failure propagates."""
    if not (state.forward or state.goes_on(life.flow)):
        return
    if life.state == "FAILED" and _propagates(state, life):
        unwinding.begin(state)
        return
    vertex, flow = life.vertex, life.flow
    if vertex.errors and life.state not in state.rules.error_edges_on:
        for link in vertex.errors:
            joins.close_error_link(state, flow, link)
    for link in vertex.forward:
        if link.number not in flow.early:
            resolve = joins.satisfy if _satisfies(state, life, link) else joins.negate
            resolve(state, flow, link)
    if life.outputs:
        _delivered(state, life)


def _unreachable(state: State, life: Life) -> None:
    """A node will never be reached: nor will anything through it (§5.3.3)."""
    if not (state.forward or state.goes_on(life.flow)):
        return
    flow, length, rules = life.flow, life.cut, state.rules
    for link in life.vertex.errors:
        joins.close_error_link(state, flow, link, length)
    if rules.negates(life.reason, length):
        for link in life.vertex.forward:
            resolve = joins.satisfy if link.type in rules.flow.vacuous else joins.negate
            resolve(state, flow, link, length)


def reactions(rules: Rules) -> dict[str | None, tuple[Reaction, ...]]:
    """What follows when a node enters a state or (None) becomes unreachable, in order."""
    found: dict[str | None, tuple[Reaction, ...]] = {None: (_unreachable,)}
    for state in rules.legal:
        follows = (
            (_satisfy_early, state in rules.flow.early),
            (_became_ready, state == "READY"),
            (_traverse_errors, state in rules.error_edges_on),
            (_ended, state in rules.terminal),
        )
        found[state] = tuple(reaction for reaction, applies in follows if applies)
    return found


def propagate(state: State) -> None:
    """Work off all news, and end iterations in which nothing moves any more."""
    news, quiet, rings = state.news, state.quiet, state.rings
    while True:
        while news:
            life, reactions_to = news.popleft()
            for reaction in reactions_to:
                reaction(state, life)
        if quiet:
            flow, _ = quiet.popitem(last=False)
            if not flow.active and flow.owner is not None and flow.owner.loop is not None:
                flow.owner.loop.iteration_ended(flow)
        elif rings:
            give_up_dead_ring(state, rings.popitem()[0])
        else:
            return


def settle(state: State) -> bool:
    """Find what can still follow although nothing is active; tell whether something did.

    First handlers that only wait for each other; then, in unwinding, the next compensation.
    """
    if state.phase == "forward":
        give_up_dead_cycles(state)
        if not state.news and state.rules.undoes_handled:
            unwinding.begin_after_handled(state)
    if state.phase == "unwinding":
        unwinding.compensate_next(state)
    changed = bool(state.news)
    propagate(state)
    return changed
