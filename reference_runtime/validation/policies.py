"""Rules about join and retry policies (§5.3.1, §1.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from reference_runtime.validation.rule import Fault, Rule
from reference_runtime.validation.view import View

__all__ = ["RULES"]


def quorum_without_number(view: View) -> Iterator[Fault]:
    """The policy quorum needs a number; there is no default (§5.3.1)."""
    for node in view.harness.nodes:
        if node.join_policy == "quorum" and node.quorum is None:
            yield Fault(
                node,
                "",
                f"Node {node.id!r} joins by quorum but does not say how many. "
                "Add the attribute quorum.",
            )


def quorum_too_large(view: View) -> Iterator[Fault]:
    """A quorum is at most the number of incoming edges; each edge counts (A41, A63)."""
    joining = [node for node in view.harness.nodes if node.join_policy == "quorum"]
    if not joining:
        return
    incoming = Counter(edge.target for edge in view.harness.edges)
    for node in joining:
        if node.quorum is None or node.quorum <= incoming[node.id]:
            continue
        # Edges with a slip in their target, or with none, have findings of their own.
        if node.quorum > incoming[node.id] + view.likely.edges_meant(node):
            yield Fault(
                node,
                str(node.quorum),
                f"Node {node.id!r} wants {node.quorum} incoming edges satisfied, it has "
                f"{incoming[node.id]}. Lower quorum, or add edges.",
            )


def retry_of_non_idempotent(view: View) -> Iterator[Fault]:
    """A node that must not run twice has no retry policy, whatever its bound (§1.3)."""
    for node in view.harness.nodes:
        if not node.idempotent and node.retry is not None:
            yield Fault(
                view.source.part_of(node, "retry"),
                str(node.retry.max_attempts),
                f'Node {node.id!r} is idempotent="false" and has a retry policy. '
                "Remove one of the two.",
            )


RULES = (
    Rule("HX-2401", "5.3.1", "error", quorum_without_number),
    Rule("HX-2402", "5.3.1", "error", quorum_too_large),
    Rule("HX-3301", "1.3", "error", retry_of_non_idempotent),
)
