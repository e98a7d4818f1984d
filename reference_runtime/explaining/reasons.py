"""Why a node ended as it did, told from the run behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from reference_runtime.engine.effects import Transition
from reference_runtime.engine.graph import Link
from reference_runtime.engine.lives import Life
from reference_runtime.explaining.edges import applies, branch_of, short, undone_by
from reference_runtime.explaining.needs import waited_for
from reference_runtime.explaining.story import Story, counted
from reference_runtime.explaining.unreached import pending
from reference_runtime.rules import INITIAL

__all__ = ["reasons"]

#: Different codes of one node that are told.
_LISTED: Final = 10


def reasons(story: Story, node: str) -> Iterator[str]:
    """Yield lines that begin with the final state of a node and say why."""
    life = story.life(node)
    if life is None:
        counts = story.iterations(node)
        yield f"ran in iterations: {counts}" if counts else "never ran: no iteration came to it"
    else:
        yield from _TELLERS.get(life.state, _under_way)(story, life)
        if node in story.inside:
            yield f"besides, it ran in iterations: {story.iterations(node)}"
    for loop in story.broken.get(node, ()):
        yield from _broken(story, node, loop)
    yield from _reported(story, node)


def _reported(story: Story, node: str) -> Iterator[str]:
    """Yield the codes of a node that belong to no transition; its iterations repeat them."""
    told = Counter((r.code, r.message) for r in story.reports if r.node == node)
    for (code, message), number in list(told.items())[:_LISTED]:
        yield f"reported {code}: {message}" + (f" ({number} times)" if number > 1 else "")
    if len(told) > _LISTED:
        yield f"reported {len(told) - _LISTED} more"


def _broken(story: Story, node: str, loop: str) -> Iterator[str]:
    """Say why an iteration of a loop failed, the first one that did."""
    seen = story.broken.get(node, {}).get(loop)
    if seen is not None:
        yield f"{story.named.of(node, seen.iteration)} FAILED{_after(seen.attempt)}{_what(seen)}"


def _after(attempts: int | None) -> str:
    """Say how many attempts a failure has taken, if more than one."""
    return f" after {attempts} attempts" if attempts is not None and attempts > 1 else ""


def _what(failure: Transition) -> str:
    """Code or else class of a failure, and its message, after a colon each."""
    told = (failure.code or failure.error_class, failure.message)
    return "".join(f": {part}" for part in told if part)


def _inside(story: Story, body: str, loop: str) -> str:
    """Count the iterations of one loop by their states."""
    return counted(story.inside.get(body, {}).get(loop, {}))


def _under_way(story: Story, life: Life) -> Iterator[str]:
    """Say what a node that is not over still waits for."""
    node = life.vertex.node
    if life.state == "RETRYING":
        open_ = "its backoff is not over"
    elif node.wait is not None:
        open_ = f"it waits until {waited_for(node.wait)}"
    elif node.loop is not None:
        open_ = f"{_inside(story, node.loop.body, node.id)} of {node.loop.body}"
    elif node.subworkflow is not None:
        open_ = f"the instance of {node.subworkflow.href} is not over"
    elif node.type == "human":
        open_ = "nobody has decided"
    else:
        open_ = f"attempt {life.attempt} of its step is not answered"
    yield f"{life.state}: {open_}, and nothing moves any more"
    yield from _became_ready(story, life)


def _became_ready(story: Story, life: Life) -> Iterator[str]:
    """Say which edges have made a node READY."""
    links = [(link, story.resolved(link)) for link in life.vertex.incoming]
    satisfied = [(link, r.why) for link, r in links if r.status == "satisfied"]
    fired = list(dict.fromkeys(why for link, why in satisfied if _before(story, link, life)))
    failures = [link for link in life.vertex.errors_in if _before(story, link, life)]
    handled = [r.why for r in map(story.resolved, failures) if r.status == "satisfied"]
    ready = next(t for t in story.of[life.vertex.node.id] if t.to == "READY")
    if life.vertex.index in story.state.graph.entry:
        yield "READY at the start"
    elif story.unwinding(ready):
        yield f"READY to undo {undone_by(story.state, life)}"
    elif handled and not fired:
        yield f"READY because {handled[0]} (error edge)"
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
        told = _inside(story, node.loop.body, node.id)
        detail = f": iterations of {node.loop.body}: {told}" if told else ": without an iteration"
    elif life.attempt > 1:
        detail = f" in attempt {life.attempt}"
    yield f"SUCCEEDED{detail}"
    if life.discarded:
        yield "its result was discarded: an any join did not need it any more"
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
    yield f"FAILED{_after(life.attempt)}{_what(last)}"
    if life.discarded:
        yield "nothing followed from that: an any join did not need its result any more"
    elif story.unwinding(last):
        yield from _failed_late(story, life)
    elif _after_cancel(story, life):
        yield "nothing followed from that: the instance had been cancelled from outside"
    elif life.vertex.errors:
        yield from _handlers(story, life, last)
    elif last is story.culprit:
        yield "nothing handles that, so the instance unwound"
    if life.vertex.node.loop is not None:
        yield from _broken(story, life.vertex.node.loop.body, life.vertex.node.id)
    yield from _became_ready(story, life)


def _failed_late(story: Story, life: Life) -> Iterator[str]:
    """Say what a failure meant while the instance unwound: no handler starts then (§8.4.1)."""
    culprit = story.culprit.node if story.culprit else ""
    ready = next(t for t in story.of[life.vertex.node.id] if t.to == "READY")
    if story.unwinding(ready):
        yield f"so {undone_by(story.state, life)} could not be undone"
    else:
        yield f"nothing followed from that: the instance was unwinding, since {culprit} FAILED"


def _after_cancel(story: Story, life: Life) -> bool:
    """Whether a node failed after the instance was cancelled: nothing has come of it."""
    if story.state.phase != "cancelled":
        return False
    started = [link for link in life.vertex.errors if story.resolved(link).status == "satisfied"]
    return not _handled(story, life) and bool(started or not life.vertex.errors)


def _handled(story: Story, life: Life) -> bool:
    """Whether a node that an error edge of a failed node leads to was READY at any time."""
    vertices = story.state.graph.vertices
    return any(
        story.first_ready(vertices[link.target].node.id) is not None for link in life.vertex.errors
    )


def _handlers(story: Story, life: Life, failure: Transition) -> Iterator[str]:
    """Name what the error edges of a failed node led to."""
    told = [_handler(story, link, failure) for link in life.vertex.errors]
    if _handled(story, life):
        yield f"handled by {', '.join(told)}"
    else:
        yield f"its error edges handle that, but lead to nothing: {', '.join(told)}"


def _handler(story: Story, link: Link, failure: Transition) -> str:
    """Name what an error edge leads to, and why it did not run for it if so."""
    state = story.state
    life, name = state.main.lives.get(link.target), state.graph.vertices[link.target].node.id
    resolved = story.resolved(link)
    ready = story.first_ready(name)
    if resolved.status == "negative":
        return f"{name} (not started: {resolved.why})"
    if ready is None:
        return f"{name} (not started: {_barred(story, life)})"
    if ready < story.place[failure]:
        return f"{name} (which had started already)"
    return name if any(t.to == "RUNNING" for t in story.of[name]) else f"{name} (which never ran)"


def _barred(story: Story, handler: Life | None) -> str:
    """Why a handler whose error edge was satisfied did not start."""
    if handler is None:
        return "it runs in iterations of a loop only"
    if handler.cut:
        return "it could not be reached any more"
    if story.culprit is not None:
        return f"the instance unwound, since {story.culprit.node} FAILED"
    return "the instance was cancelled from outside"


def _cancelled(story: Story, life: Life) -> Iterator[str]:
    mine = story.of[life.vertex.node.id][-1]
    culprit = story.culprit
    if culprit is not None and story.unwinding(mine):
        yield f"CANCELLED out of {mine.from_}: the instance unwound, since {culprit.node} FAILED"
    elif (winner := _winner(story, life, mine)) is not None:
        yield f"CANCELLED out of {mine.from_}: {winner} (any) did not need it any more"
    else:
        yield f"CANCELLED out of {mine.from_}: the instance was cancelled from outside"
    if mine.from_ != INITIAL:
        yield from _became_ready(story, life)


def _winner(story: Story, life: Life, end: Transition) -> str | None:
    """The ``any`` join that cancelled a node: all ways out of the node lead to it (§5.3.2).

    It was READY after the node was, or at the same moment. A node that it meets in a backoff is
    cancelled when that is over, unless the instance is cancelled before.
    """
    state, mine = story.state, story.first_ready(life.vertex.node.id)
    if end.from_ not in ("READY", "RUNNING") or mine is None:
        return None
    found: list[tuple[int, str]] = []
    for join in state.graph.vertices:
        ready = story.first_ready(join.node.id)
        if join.join_policy not in state.rules.cancelling or join.index == life.vertex.index:
            continue
        if ready is None or not ready < story.place[end]:
            continue
        later = state.phase != "cancelled" or story.of[life.vertex.node.id][-2].from_ == "RETRYING"
        at_once = story.at_once(ready, max(mine, ready), story.place[end])
        meets = at_once or (mine < ready and later)
        if meets and state.graph.ways_out.all_pass(life.vertex.index, join.index):
            found.append((ready, join.node.id))
    return min(found)[1] if found else None


def _compensated(story: Story, life: Life) -> Iterator[str]:
    graph = story.state.graph
    lives = story.state.main.lives
    undo = []
    for link in life.vertex.compensations:
        if link.target in lives and applies(story.state, life, link):
            name = graph.vertices[link.target].node.id
            ready = next((seen for seen in story.of.get(name, ()) if seen.to == "READY"), None)
            earlier = ready is not None and not story.unwinding(ready)
            undo.append(f"{name} (which had run already)" if earlier else name)
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
