"""Deviants: wrong starts (§4.5, §5.2)."""

from __future__ import annotations

from typing import Final

from reference_runtime.deviants.deviant import Row, changed, flow
from reference_runtime.rule_parts.flow import Entry
from reference_runtime.rules import RULES

__all__ = ["ENTRIES"]


def _with_late_handlers(entry: Entry) -> bool:
    """The entry set with nodes that have error edges only and stand behind a root."""
    late = entry.named is None and entry.ways == {"error"} and entry.earlier > 0
    return late or RULES.flow.entry(entry)


ENTRIES: Final[tuple[Row, ...]] = (
    (
        "entry_has_to_be_first",
        "5.2-entry-attribute-is-sole-start",
        "the node that @entry names starts only if no node without incoming edges stands before it",
        flow(entry=lambda e: not e.ways if e.named is None else e.named and not e.earlier),
    ),
    (
        "roots_start_beside_entry",
        "5.2-other-roots-not-started-with-entry",
        "the other nodes without incoming edges start together with @entry",
        flow(entry=lambda entry: bool(entry.named) or not entry.ways),
    ),
    (
        "entry_awaits_its_edges",
        "5.2-entry-node-ignores-its-own-incoming-edges",
        "the node that @entry names waits for its incoming edges",
        flow(entry=lambda entry: entry.named is not False and not entry.ways),
    ),
    (
        "first_root_only",
        "5.2-default-entry-set-all-roots",
        "of several nodes without incoming edges only the first one starts",
        flow(entry=lambda e: not e.ways and not e.earlier if e.named is None else e.named),
    ),
    (
        "dependent_node_starts",
        "5.2-incoming-edge-of-any-type-disqualifies",
        "a node with dependency edges only is started at once",
        flow(entry=lambda e: e.ways <= {"dependency"} if e.named is None else e.named),
    ),
    (
        "handler_behind_root_starts",
        "5.2-error-handler-waits-for-failure",
        "a node with error edges only starts at once if it stands behind a root",
        flow(entry=_with_late_handlers),
    ),
    (
        "compensation_edge_walked",
        "4.5-compensation-edge-never-forward",
        "a compensation edge is followed like a control edge after its source has succeeded",
        flow(joining=changed(RULES.flow.joining, compensation="control")),
    ),
)
