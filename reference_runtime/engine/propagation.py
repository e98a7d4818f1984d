"""Consequences: every piece of news is worked off until nothing follows from anything.

One loop over a queue, so that chains of any length cost no stack.
"""

from __future__ import annotations

from reference_runtime.engine import joins, unwinding, waits
from reference_runtime.engine.graph import Link
from reference_runtime.engine.lives import Life
from reference_runtime.engine.reachability import give_up_dead_cycles
from reference_runtime.engine.siblings import cancel_siblings, disturb
from reference_runtime.engine.state import State
from reference_runtime.engine.values import LifeScope, overwrite_namesakes
from reference_runtime.expressions import ExpressionError, Template, evaluate_boolean
from reference_runtime.rule_parts.flow import Route

__all__ = ["holds", "propagate", "settle"]


def holds(state: State, life: Life, link: Link) -> bool:
    """Evaluate the condition of a link whose source is terminal (§7.1.2).

    A condition that cannot be evaluated is reported and counts as false (A39).
    """
    template: Template | None = link.condition
    if template is None:
        return True
    try:
        blind = state.rules.flow.blind_conditions
        return evaluate_boolean(template, LifeScope(state, life, blind=blind))
    except ExpressionError as error:
        state.report(error.code, life.vertex.node.id, error.message)
        return False


def _became_ready(state: State, life: Life) -> None:
    """A node is READY: first time, siblings may lose; then the scheduler gets it."""
    if life.doomed:
        state.move(life, "CANCELLED")
        return
    policy = life.vertex.join_policy
    if not life.attempt and policy in state.rules.cancelling and state.phase == "forward":
        cancel_siblings(state, life)
    state.offer(life)


def _route(state: State, life: Life, link: Link) -> Route:
    target = state.graph.vertices[link.target].node.id
    cases = life.vertex.node.decision.cases if life.vertex.node.decision else ()
    # otherwise is the last case
    fallback = bool(cases) and cases[-1].when is None and cases[-1].to == target
    return Route(life.chosen, target, link.edge is not None, fallback)


def _satisfies(state: State, life: Life, link: Link) -> bool:
    """Whether the terminal state of the source satisfies a forward link (§5.3)."""
    if life.discarded or life.state not in state.rules.satisfying[link.type]:
        return False
    if not state.rules.flow.satisfies(link.type, life.attempt):
        return False
    if link.routed and life.state == "SUCCEEDED":
        if not state.rules.flow.routes(_route(state, life, link)):
            return False
    elif link.routed and link.edge is None:
        return False
    if holds(state, life, link):
        return True
    life.flow.blocked.add(link.number)
    return state.rules.flow.false_satisfies


def _satisfy_early(state: State, life: Life, types: frozenset[str]) -> None:
    """Satisfy links of some types although their source has not ended."""
    for link in life.vertex.forward:
        if link.type in types and link.number not in life.flow.early:
            life.flow.early.add(link.number)
            joins.resolve(state, life.flow, link, satisfied=True)


def _reconsider(state: State) -> None:
    """Satisfy links whose condition was false and has become true."""
    for life in state.main.lives.values():
        for link in life.vertex.forward:
            if link.number in life.flow.blocked and holds(state, life, link):
                life.flow.blocked.remove(link.number)
                joins.reopen(state, life.flow, link)


def _traverse_errors(state: State, life: Life) -> None:
    """Take the error links of a node that failed (§5.8)."""
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


def _ended(state: State, life: Life) -> None:
    """A node is terminal: its links are resolved, an unhandled failure propagates."""
    failed = life.state == "FAILED" and not life.discarded
    if failed and not state.rules.handled(len(life.vertex.errors)):
        if life.flow.owner is None or not state.rules.loops.contained(life.vertex.node):
            unwinding.begin(state)
            return
        life.flow.failed = True
    if life.state not in state.rules.error_edges_on:
        for link in life.vertex.errors:
            joins.close_error_link(state, life.flow, link)
    for link in life.vertex.forward:
        if link.number not in life.flow.early:
            joins.resolve(state, life.flow, link, satisfied=_satisfies(state, life, link))
    if life.outputs:
        waits.look_again(state, life)
        if state.rules.flow.reconsiders:
            _reconsider(state)
        if "namesake" in state.rules.data.overwrites:
            overwrite_namesakes(life)


def _unreachable(state: State, life: Life) -> None:
    """A node will never be reached: nor will anything through it (§5.3.3)."""
    for link in life.vertex.errors:
        joins.close_error_link(state, life.flow, link, life.cut)
    if state.rules.negates(life.reason, life.cut):
        for link in life.vertex.forward:
            vacuous = link.type in state.rules.flow.vacuous
            joins.resolve(state, life.flow, link, satisfied=vacuous, length=life.cut)


def _react(state: State, life: Life, to: str | None) -> None:
    early = state.rules.flow.early.get(to or "")
    if early:
        _satisfy_early(state, life, early)
    if to == "READY":
        _became_ready(state, life)
        return
    if not state.forward:
        return
    if to is None:
        _unreachable(state, life)
        return
    if to in state.rules.error_edges_on:
        _traverse_errors(state, life)
    if to in state.rules.terminal:
        _ended(state, life)


def propagate(state: State) -> None:
    """Work off all news, and end iterations in which nothing moves any more."""
    while state.news or state.quiet:
        if state.news:
            _react(state, *state.news.popleft())
            continue
        flow = next(iter(state.quiet))
        del state.quiet[flow]
        if not flow.active and flow.owner is not None and flow.owner.loop is not None:
            flow.owner.loop.iteration_ended(flow)


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
