"""The explanation of a document under a plan, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reference_runtime.document.model import Harness
from reference_runtime.engine.effects import Report
from reference_runtime.explaining.reasons import reasons
from reference_runtime.explaining.story import Story
from reference_runtime.plans import Plan
from reference_runtime.script import Script, StuckError

__all__ = ["explain"]


def explain(
    harness: Harness,
    plan: Plan,
    nodes: tuple[str, ...] = (),
    companions: Mapping[str, bytes] | None = None,
) -> Iterator[str]:
    """Run a valid document under a plan and yield what to say of its nodes.

    Args:
        harness: a valid document.
        plan: what happens outside.
        nodes: ids of nodes of the document; empty means all of them.
        companions: URI → bytes of documents that it may refer to.
    """
    script = Script(harness, plan, companions=companions)
    try:
        end = f"outcome: {script.to_end().outcome}"
    except StuckError as error:
        end = f"no outcome: {error}"
    if script.played.refusal:
        yield f"refused: {script.played.refusal}"
        return
    state = script.run.state
    reports: list[Report] = script.played.reports()
    story = Story(state, script.played.transitions(), reports)
    for name in nodes or tuple(node.id for node in harness.nodes):
        vertex = state.graph.vertices[state.graph.index[name]]
        place = f", line {vertex.node.line}" if vertex.node.line else ""
        yield f"{name} ({vertex.node.type}{place})"
        yield from (f"  {line}" for line in story.needs.of(vertex))
        first, *rest = reasons(story, name)
        yield f"  → {first}"
        yield from (f"    {line}" for line in rest)
    yield end
