"""Draw a document for the terminal: a row for each node, a lane for each way out of it.

Nodes come in an order in which sources stand above their targets where that is possible. Under
a node its edges, case routes and loop body each open a lane, which runs to the row of the target
and ends there in an arrow head.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from comparator.facts import Edge, Facts, Node

__all__ = ["draw"]

#: More ways than this are no picture any more; their rows name the target instead.
_MOST_LANES: Final = 24
_STEP: Final = 2


class _Way(NamedTuple):
    """A way from one node to another: an edge, a case route or a body, as drawn."""

    source: str
    target: str
    label: str


class _Lane(NamedTuple):
    """A vertical line between two rows; ``out`` is the row of its way, ``into`` of its target."""

    out: int
    into: int
    column: int


def draw(facts: Facts) -> list[str]:
    """Return the lines of the drawing."""
    ways = list(_ways(facts))
    rows: list[tuple[str, str | None]] = []
    at: dict[str, int] = {}
    starts: dict[int, _Way] = {}
    for name in _sources_first(facts, ways):
        at[name] = len(rows)
        rows.append((_node(facts, facts.nodes[name]), None))
        own = [way for way in ways if way.source == name]
        for number, way in enumerate(own, 1):
            starts[len(rows)] = way
            rows.append((f"  {'╰' if number == len(own) else '├'} {way.label}", way.target))
    lanes = _lanes(starts, at)
    if len({lane.column for lane in lanes}) > _MOST_LANES:
        return [text if target is None else f"{text} → {target}" for text, target in rows]
    left = max((len(text) for text, _ in rows), default=0) + 1
    return [_row(text, number, lanes, left) for number, (text, _) in enumerate(rows)]


def _ways(facts: Facts) -> Iterator[_Way]:
    for edge in facts.edges:
        if edge.target in facts.nodes:
            yield _Way(edge.source, edge.target, _edge(edge))
    linked = {(edge.source, edge.target) for edge in facts.edges}
    for node in facts.nodes.values():
        for target in node.decision.targets if node.decision else ():
            if target in facts.nodes and (node.id, target) not in linked:
                yield _Way(node.id, target, "route")
        if node.loop is not None and node.loop.body in facts.nodes:
            yield _Way(node.id, node.loop.body, "body")


def _edge(edge: Edge) -> str:
    ports = f" {edge.from_port}→{edge.to_port}" if edge.from_port or edge.to_port else ""
    condition = {"absent": "", "dynamic": " if …"}.get(edge.condition, f" if {edge.condition}")
    return f"{edge.type}{ports}{condition}"


def _node(facts: Facts, node: Node) -> str:
    words = [node.type]
    if node.id == facts.entry:
        words.append("entry")
    if node.join != "all":
        words.append(node.join + (f" {node.quorum}" if node.join == "quorum" else ""))
    if node.guard != "absent":
        words.append("guarded" if node.guard == "dynamic" else f"guard {node.guard}")
    if node.max_attempts > 1:
        words.append(f"{node.max_attempts} attempts")
    if not node.idempotent:
        words.append("not idempotent")
    if node.on_timeout is not None:
        words.append(f"timeout: {node.on_timeout}")
    if node.loop is not None:
        loop = node.loop
        together = f", {loop.max_concurrency} together" if loop.max_concurrency > 1 else ""
        words.append(f"{loop.kind}, on failure {loop.on_item_failure}{together}")
    return f"{node.id}  {' · '.join(words)}"


def _sources_first(facts: Facts, ways: list[_Way]) -> list[str]:
    """Order the nodes; of a cycle, the first in document order comes first."""
    missing = dict.fromkeys(facts.nodes, 0)
    for way in ways:
        missing[way.target] += way.source != way.target
    left = dict.fromkeys(facts.nodes)
    order: list[str] = []
    while left:
        name = next((name for name in left if not missing[name]), next(iter(left)))
        del left[name]
        order.append(name)
        for way in ways:
            if way.source == name and way.target != name:
                missing[way.target] -= 1
    return order


def _lanes(starts: dict[int, _Way], at: dict[str, int]) -> list[_Lane]:
    """Give every way the innermost column that is free along its whole length."""
    lanes: list[_Lane] = []
    for out, way in sorted(starts.items(), key=lambda item: abs(at[item[1].target] - item[0])):
        into = at[way.target]
        top, bottom = sorted((out, into))
        taken = {
            lane.column
            for lane in lanes
            if top <= max(lane.out, lane.into) and min(lane.out, lane.into) <= bottom
        }
        column = next(number for number in range(len(starts)) if number not in taken)
        lanes.append(_Lane(out, into, column))
    return lanes


def _row(text: str, number: int, lanes: list[_Lane], left: int) -> str:
    """Draw one row: its text, the lanes that it meets, and the lanes that pass by."""
    ends = [lane for lane in lanes if number in (lane.out, lane.into)]
    reach = max((lane.column for lane in ends), default=-1)
    passing = {
        lane.column
        for lane in lanes
        if min(lane.out, lane.into) < number < max(lane.out, lane.into)
    }
    cells = []
    for column in range(max((lane.column for lane in lanes), default=-1) + 1):
        met = [lane for lane in ends if lane.column == column]
        line = "─" if column < reach else " "
        if met:
            up = any(min(lane.out, lane.into) < number for lane in met)
            down = any(max(lane.out, lane.into) > number for lane in met)
            mark = {(True, True): "┤", (True, False): "╯", (False, True): "╮"}[up, down]
            if line == "─":
                mark = {"┤": "┼", "╯": "┴", "╮": "┬"}[mark]
        else:
            mark = ("┼" if line == "─" else "│") if column in passing else line
        cells.append(mark + line * (_STEP - 1))
    if reach < 0:
        return f"{text}{' ' * (left - len(text))} {' '.ljust(_STEP)}{''.join(cells)}".rstrip()
    head = "◀" if any(lane.into == number for lane in ends) else "─"
    dashes = "─" * (left - len(text))
    return f"{text} {head}{dashes}{'─' * (_STEP - 1)}{''.join(cells)}".rstrip()
