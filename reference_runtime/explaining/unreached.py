"""Why a node stayed PENDING, followed back to where the way to it ended (§5.3.3, §6.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from reference_runtime.engine.graph import Link
from reference_runtime.engine.lives import Life
from reference_runtime.explaining.edges import Resolved, applies, short, undoing, undone_by
from reference_runtime.explaining.story import Story
from reference_runtime.rules import INITIAL

__all__ = ["pending"]

#: Steps back that the reason of an unreachable node is followed.
_DEEPEST: Final = 6


def pending(story: Story, life: Life) -> Iterator[str]:
    """Yield why a node is PENDING in the end: it still waits, or was never reached."""
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
        resolved = story.resolved(link)
        if resolved.status == "open":
            yield f"open: {resolved.why}"


def _chain(story: Story, life: Life) -> Iterator[str]:
    """Follow the reason back, one line a step."""
    indent = "  "
    for step in range(_DEEPEST + 1):
        links = _telling(story, life)
        if not links:
            yield f"{indent * step}since {_no_way(story, life)}"
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


def _no_way(story: Story, life: Life) -> str:
    """Why nothing starts a node that no edge could start in the run itself."""
    state = story.state
    links = undoing(state.graph, life)
    if not links:
        return "no way leads to it"
    if state.phase != "unwinding":
        return "only unwinding would start it"
    told = []
    for link in links:
        source, name = state.main.lives.get(link.source), state.graph.vertices[link.source].node.id
        if source is None:
            told.append(f"{name} runs in iterations of a loop only")
        elif source not in state.completed:
            told.append(
                f"{name} did not succeed" if source.state != INITIAL else f"{name} never ran"
            )
        elif not applies(state, source, link) and link.edge is not None:
            told.append(f"{short(link.edge.condition or '')} was not true")
    if len(told) < len(links):
        return f"its turn to undo {undone_by(state, life)} never came"
    return f"there was nothing for it to undo: {', '.join(told)}"


def _telling(story: Story, life: Life) -> list[Resolved]:
    """The negative edges that made a node unreachable, those with an own reason first."""
    links: Sequence[Link] = (*life.vertex.incoming, *life.vertex.errors_in)
    if life.reason == "unchosen":
        links = [link for link in life.vertex.incoming if link.routed] or links
    elif life.reason == "starved":
        links = [link for link in life.vertex.incoming if link.starves] or links
    told = [(link, story.resolved(link)) for link in links]
    found = [_starving(life, link, r) for link, r in told if r.status == "negative"]
    own = [r for r in found if not r.elsewhere] or found
    return sorted(own, key=lambda resolved: resolved.cause is not None)


def _starving(life: Life, link: Link, resolved: Resolved) -> Resolved:
    """Add what a node misses that is unreachable for want of a required input (§5.3.3)."""
    if life.reason != "starved" or link.edge is None or not link.starves:
        return resolved
    return resolved._replace(
        why=f"{resolved.why}, and nothing else delivers its required input {link.edge.to_port}"
    )
