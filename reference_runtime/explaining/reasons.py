"""Why a node ended as it did, told from the run behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from reference_runtime.engine.effects import Report, Transition
from reference_runtime.engine.graph import Link
from reference_runtime.engine.lives import Life
from reference_runtime.engine.state import State
from reference_runtime.explaining.edges import Resolved, branch_of, resolution, short
from reference_runtime.explaining.needs import Needs

__all__ = ["Story", "reasons"]

#: Steps back that the reason of an unreachable node is followed.
_DEEPEST: Final = 6


class Story:
    """A run that is over, or stuck, as explanations look at it.

    Attributes:
        needs: what its nodes waited for.
        of: transitions by node of the main flow, in order.
        inside: number of iterations that ended in each state, by node.
        culprit: the transition for which the instance unwound, None if it did not.
    """

    def __init__(
        self, state: State, transitions: Sequence[Transition], reports: Sequence[Report]
    ) -> None:
        self.state = state
        self.needs = Needs(state.graph)
        self.reports = reports
        self.of: dict[str, list[Transition]] = {}
        self.place: dict[Transition, int] = {}
        self.inside: dict[str, dict[str, int]] = {}
        self.culprit: Transition | None = None
        ends: dict[tuple[str, object], str] = {}
        vertices, index = state.graph.vertices, state.graph.index
        for number, seen in enumerate(transitions):
            if seen.iteration:
                ends[seen.node, seen.iteration] = seen.to
                continue
            self.place.setdefault(seen, number)
            self.of.setdefault(seen.node, []).append(seen)
            unhandled = seen.to == "FAILED" and not vertices[index[seen.node]].errors
            if unhandled and self.culprit is None and state.phase == "unwinding":
                self.culprit = seen
        for (node, _), end in ends.items():
            counts = self.inside.setdefault(node, {})
            counts[end] = counts.get(end, 0) + 1

    def life(self, node: str) -> Life | None:
        """Lifecycle of a node in the main flow."""
        return self.state.main.lives.get(self.state.graph.index[node])


def reasons(story: Story, node: str) -> Iterator[str]:
    """Yield lines that begin with the final state of a node and say why."""
    life = story.life(node)
    if life is None:
        counts = ", ".join(f"{n} {state}" for state, n in story.inside.get(node, {}).items())
        yield f"ran in iterations: {counts}" if counts else "never ran: no iteration came to it"
        return
    teller = _TELLERS.get(life.state)
    if teller is None:
        yield f"{life.state}: still under way, and nothing moves any more"
        return
    yield from teller(story, life)
    for report in story.reports:
        if report.node == node:
            yield f"reported {report.code}: {report.message}"


def _became_ready(story: Story, life: Life) -> Iterator[str]:
    """Say which edges have made a node READY."""
    links = [(link, _resolved(story, link)) for link in life.vertex.incoming]
    satisfied = [(link, r.why) for link, r in links if r.status == "satisfied"]
    fired = list(dict.fromkeys(why for link, why in satisfied if _before(story, link, life)))
    failures = [(link, _resolved(story, link)) for link in life.vertex.errors_in]
    handled = [r.why for _, r in failures if r.status == "satisfied"]
    if life.vertex.index in story.state.graph.entry:
        yield "READY at the start"
    elif handled and not fired:
        yield f"READY because {handled[0]} (error edge)"
    elif story.needs.undoes(life.vertex) and not fired:
        yield f"READY to undo {', '.join(story.needs.undoes(life.vertex))}"
    elif fired:
        more = f" and {len(fired) - 3} more" if len(fired) > 3 else ""
        yield f"READY because {', '.join(fired[:3])}{more}"
        lost = [r.why for _, r in links if r.status == "negative"]
        if lost:
            more = f" and {len(lost) - 1} more" if lost[1:] else ""
            yield f"without the edges that will never be satisfied: {lost[0]}{more}"


def _resolved(story: Story, link: Link) -> Resolved:
    return resolution(story.state.graph, story.state.rules, story.state.main, link)


def _before(story: Story, link: Link, life: Life) -> bool:
    """Whether the source of a link had ended when the node became READY."""
    source = story.of.get(story.state.graph.vertices[link.source].node.id, [])
    ready = [t for t in story.of.get(life.vertex.node.id, []) if t.to == "READY"]
    terminal = [t for t in source if t.to in story.state.rules.terminal]
    return bool(ready and terminal) and story.place[terminal[0]] < story.place[ready[0]]


def _succeeded(story: Story, life: Life) -> Iterator[str]:
    node, detail = life.vertex.node, ""
    if node.decision is not None:
        detail = f": {branch_of(life)}"
    elif node.loop is not None:
        counts = story.inside.get(node.loop.body, {})
        detail = ": " + (", ".join(f"{n} iterations {s}" for s, n in counts.items()) or "no item")
    elif life.attempt > 1:
        detail = f" in attempt {life.attempt}"
    elif life.discarded:
        detail = ", and its result was discarded: an any join did not need it any more"
    yield f"SUCCEEDED{detail}"
    yield from _became_ready(story, life)


def _skipped(story: Story, life: Life) -> Iterator[str]:
    last = story.of[life.vertex.node.id][-1]
    if last.from_ == "RUNNING":
        yield f"SKIPPED: {last.message} (onTimeout=skip)"
    else:
        yield f"SKIPPED: its guard {short(life.vertex.node.guard or '')} was false"
    yield from _became_ready(story, life)


def _failed(story: Story, life: Life) -> Iterator[str]:
    last = story.of[life.vertex.node.id][-1]
    what = " ".join(part for part in (last.code, last.error_class, last.message) if part)
    after = f" after {life.attempt} attempts" if life.attempt > 1 else ""
    yield f"FAILED{after}: {what}"
    handlers = [story.state.graph.vertices[link.target].node.id for link in life.vertex.errors]
    if handlers:
        yield f"handled by {', '.join(handlers)}"
    elif last is story.culprit:
        yield "nothing handles that, so the instance unwound"
    yield from _became_ready(story, life)


def _cancelled(story: Story, life: Life) -> Iterator[str]:
    mine = story.of[life.vertex.node.id][-1]
    place = story.place[mine]
    culprit = story.culprit
    if culprit is not None and story.place[culprit] < place:
        yield f"CANCELLED out of {mine.from_}: the instance unwound, since {culprit.node} FAILED"
    elif (winner := _winner(story, life, place)) is not None:
        yield f"CANCELLED out of {mine.from_}: {winner} (any) did not need it any more"
    else:
        yield f"CANCELLED out of {mine.from_}: the instance was cancelled from outside"


def _winner(story: Story, life: Life, place: int) -> str | None:
    """The ``any`` join ahead of a node that had become READY when it was cancelled."""
    graph, queue, seen = story.state.graph, [life.vertex.index], {life.vertex.index}
    for index in queue:
        for link in graph.vertices[index].forward:
            target = graph.vertices[link.target]
            ready = [t for t in story.of.get(target.node.id, []) if t.to == "READY"]
            cancels = target.join_policy in story.state.rules.cancelling
            if cancels and ready and story.place[ready[0]] < place:
                return target.node.id
            if link.target not in seen:
                seen.add(link.target)
                queue.append(link.target)
    return None


def _compensated(story: Story, life: Life) -> Iterator[str]:
    graph = story.state.graph
    undo = [graph.vertices[link.target].node.id for link in life.vertex.compensations]
    since = f", since {story.culprit.node} FAILED" if story.culprit else ""
    yield f"COMPENSATED: it had succeeded and {', '.join(undo)} undid it{since}"


def _pending(story: Story, life: Life) -> Iterator[str]:
    if not life.cut:
        if story.state.phase == "cancelled":
            yield "PENDING: the instance was cancelled before it was reached"
        elif story.culprit is not None:
            yield f"PENDING: the instance unwound before, since {story.culprit.node} FAILED"
        else:
            yield "PENDING: still waiting, and nothing moves any more"
            yield from _open_edges(story, life)
        return
    yield "PENDING: never reached"
    yield from _chain(story, life)


def _open_edges(story: Story, life: Life) -> Iterator[str]:
    for link in (*life.vertex.incoming, *life.vertex.errors_in):
        resolved = _resolved(story, link)
        if resolved.status == "open":
            yield f"open: {resolved.why}"


def _chain(story: Story, life: Life) -> Iterator[str]:
    """Follow the reason back, one line a step."""
    indent = "  "
    for step in range(_DEEPEST + 1):
        links = _telling(story, life)
        if not links:
            undoes = story.needs.undoes(life.vertex)
            ways = "only unwinding would start it" if undoes else "no way leads to it"
            yield f"{indent * step}since {ways}"
            return
        if step == _DEEPEST:
            yield f"{indent * step}and so on"
            return
        first = links[0]
        more = f" (likewise {len(links) - 1} more)" if links[1:] else ""
        yield f"{indent * step}since {first.why}{more}"
        if first.cause is None:
            return
        life = first.cause


def _telling(story: Story, life: Life) -> list[Resolved]:
    """The negative edges that made a node unreachable, those with an own reason first."""
    links: Sequence[Link] = (*life.vertex.incoming, *life.vertex.errors_in)
    if life.reason == "unchosen":
        links = [link for link in life.vertex.incoming if link.routed] or links
    elif life.reason == "starved":
        links = [link for link in life.vertex.incoming if link.starves] or links
    found = [r for r in (_resolved(story, link) for link in links) if r.status == "negative"]
    return sorted(found, key=lambda resolved: resolved.cause is not None)


_TELLERS: Final = {
    "SUCCEEDED": _succeeded,
    "SKIPPED": _skipped,
    "FAILED": _failed,
    "CANCELLED": _cancelled,
    "COMPENSATED": _compensated,
    "PENDING": _pending,
}
