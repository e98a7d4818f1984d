"""Why a node ended as it did, told from the run behind it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from reference_runtime.engine.effects import Transition
from reference_runtime.engine.graph import Link
from reference_runtime.engine.lives import Life
from reference_runtime.explaining.edges import branch_of, short
from reference_runtime.explaining.needs import waited_for
from reference_runtime.explaining.story import Story
from reference_runtime.explaining.unreached import pending

__all__ = ["reasons"]


def reasons(story: Story, node: str) -> Iterator[str]:
    """Yield lines that begin with the final state of a node and say why."""
    life = story.life(node)
    if life is None:
        counts = ", ".join(f"{n} {state}" for state, n in story.inside.get(node, {}).items())
        yield f"ran in iterations: {counts}" if counts else "never ran: no iteration came to it"
        yield from _broken(story, node)
        return
    yield from _TELLERS.get(life.state, _under_way)(story, life)
    for report in story.reports:
        if report.node == node:
            yield f"reported {report.code}: {report.message}"


def _broken(story: Story, node: str) -> Iterator[str]:
    """Say why an iteration failed, the first one that did."""
    seen = story.broken.get(node)
    if seen is not None:
        indexes = ",".join(str(index) for _, index in seen.iteration)
        yield f"{node}[{indexes}] FAILED{_what(seen)}"


def _what(failure: Transition) -> str:
    """Code or else class of a failure, and its message, after a colon each."""
    told = (failure.code or failure.error_class, failure.message)
    return "".join(f": {part}" for part in told if part)


def _under_way(story: Story, life: Life) -> Iterator[str]:
    """Say what a node that is not over still waits for."""
    node = life.vertex.node
    if life.state == "RETRYING":
        open_ = "its backoff is not over"
    elif node.wait is not None:
        open_ = f"it waits until {waited_for(node.wait)}"
    elif node.loop is not None:
        counts = story.inside.get(node.loop.body, {})
        open_ = ", ".join(f"{n} {s}" for s, n in counts.items()) + f" of {node.loop.body}"
    elif node.subworkflow is not None:
        open_ = f"the instance of {node.subworkflow.href} is not over"
    else:
        open_ = f"attempt {life.attempt} of its step is not answered"
    yield f"{life.state}: {open_}, and nothing moves any more"
    yield from _became_ready(story, life)


def _became_ready(story: Story, life: Life) -> Iterator[str]:
    """Say which edges have made a node READY."""
    links = [(link, story.resolved(link)) for link in life.vertex.incoming]
    satisfied = [(link, r.why) for link, r in links if r.status == "satisfied"]
    fired = list(dict.fromkeys(why for link, why in satisfied if _before(story, link, life)))
    failures = [(link, story.resolved(link)) for link in life.vertex.errors_in]
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
        if lost and life.vertex.join_policy == "all":
            more = f" and {len(lost) - 1} more" if lost[1:] else ""
            yield f"without the edges that will never be satisfied: {lost[0]}{more}"


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
        told = ", ".join(f"{n} {s}" for s, n in counts.items())
        detail = f": iterations of {node.loop.body}: {told}" if told else ": without an iteration"
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
    after = f" after {life.attempt} attempts" if life.attempt > 1 else ""
    yield f"FAILED{after}{_what(last)}"
    handlers = [_handler(story, link, last) for link in life.vertex.errors]
    if handlers:
        yield f"handled by {', '.join(handlers)}"
    elif last is story.culprit:
        yield "nothing handles that, so the instance unwound"
    if life.vertex.node.loop is not None:
        yield from _broken(story, life.vertex.node.loop.body)
    yield from _became_ready(story, life)


def _handler(story: Story, link: Link, failure: Transition) -> str:
    """Name what an error edge leads to, and whether that could not run for it any more."""
    name = story.state.graph.vertices[link.target].node.id
    resolved = story.resolved(link)
    if resolved.status == "negative":
        return f"{name} (not started: {resolved.why})"
    ready = [t for t in story.of.get(name, []) if t.to == "READY"]
    earlier = bool(ready) and story.place[ready[0]] < story.place[failure]
    return f"{name} (which had started already)" if earlier else name


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


_TELLERS: Final = {
    "SUCCEEDED": _succeeded,
    "SKIPPED": _skipped,
    "FAILED": _failed,
    "CANCELLED": _cancelled,
    "COMPENSATED": _compensated,
    "PENDING": pending,
}
