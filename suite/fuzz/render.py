"""From the generator's model to the bytes of a document and the plan of a run."""

from typing import Final
from xml.sax.saxutils import quoteattr

from suite.corpus.plan import Answer, IdlePoint, Plan
from suite.fuzz.model import (
    Case,
    Edge,
    Example,
    Model,
    Node,
    Schedule,
    node_id,
    outputs_read,
    value_of,
)

__all__ = ["render_document", "render_plan"]

_HEAD: Final = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<harness xmlns="https://harnessxml.com/spec/1.0" id="fuzz" specVersion="1.0"{entry}>\n'
)
#: Delay before a retry in seconds; short, so that it elapses at an idle point (§8.1.1).
_BACKOFF: Final = "PT0.01S"


def _input(number: int, edge: Edge) -> str:
    """One input; its name is the edge's place among the forward edges into the node."""
    extra = {"starving": "", "default": ' default="none"', "optional": ' required="false"'}
    return f'        <input name="in{number}"{extra[edge.feeds]}/>\n'


def _case(case: Case) -> str:
    target = node_id(case.target)
    if case.when == "otherwise":
        return f'        <otherwise to="{target}"/>\n'
    test = f"{node_id(case.reads)}.flag" if case.when == "flag" else case.when
    return f'        <case when="${{{test}}}" to="{target}"/>\n'


def _attributes(index: int, node: Node) -> str:
    words = [f'id="{node_id(index)}" type="{node.kind}"']
    if node.kind == "task":
        words.append('impl="step"')
    if not node.idempotent:
        words.append('idempotent="false"')
    if node.join != "all":
        words.append(f'joinPolicy="{node.join}"')
    if node.join == "quorum":
        words.append(f'quorum="{node.quorum}"')
    return " ".join(words)


def _group(name: str, content: str) -> str:
    return f"      <{name}>\n{content}      </{name}>\n" if content else ""


def _node(index: int, node: Node, into: list[Edge], reads: set[tuple[int, str]]) -> str:
    """One node element; children in the order of §3.1."""
    inputs = "".join(_input(n, edge) for n, edge in enumerate(into) if edge.type == "data")
    outputs = '        <output name="flag" type="boolean"/>\n' if (index, "flag") in reads else ""
    outputs += '        <output name="value"/>\n' if (index, "value") in reads else ""
    children = _group("inputs", inputs) + _group("outputs", outputs)
    if node.guard != "none":
        children += f'      <guard when="${{{node.guard}}}"/>\n'
    classes = ' retryOn="unavailable"' if node.excluded else ""
    if node.attempts > 1:
        children += (
            f'      <retry maxAttempts="{node.attempts}" backoff="fixed" '
            f'initialDelay="{_BACKOFF}" jitter="false"{classes}/>\n'
        )
    children += _group("cases", "".join(map(_case, node.cases)))
    attributes = _attributes(index, node)
    return (
        f"    <node {attributes}>\n{children}    </node>\n"
        if children
        else (f"    <node {attributes}/>\n")
    )


def _edge(number: int, edge: Edge, places: dict[int, int]) -> str:
    ends = f'from="{node_id(edge.source)}" to="{node_id(edge.target)}"'
    extra = "" if edge.type == "control" else f' type="{edge.type}"'
    if edge.type == "data":
        extra += f' fromPort="value" toPort="in{places[number]}"'
    if edge.condition != "none":
        test = f"{node_id(edge.source)}.flag" if edge.condition == "flag" else edge.condition
        extra += f" condition={quoteattr(f'${{{test}}}')}"
    return f'    <edge id="e{number}" {ends}{extra}/>\n'


def render_document(model: Model) -> bytes:
    """Write the workflow as a document."""
    into: list[list[Edge]] = [[] for _ in model.nodes]
    places: dict[int, int] = {}
    for number, edge in enumerate(model.edges):
        if edge.type != "error":
            places[number] = len(into[edge.target])
            into[edge.target].append(edge)
    reads = outputs_read(model)
    nodes = "".join(_node(i, node, into[i], reads) for i, node in enumerate(model.nodes))
    edges = "".join(_edge(n, edge, places) for n, edge in enumerate(model.edges))
    text = _HEAD.format(entry=f' entry="{node_id(0)}"' if model.entry else "")
    text += f"  <nodes>\n{nodes}  </nodes>\n"
    if edges:
        text += f"  <edges>\n{edges}  </edges>\n"
    return (text + "</harness>\n").encode()


def _answers(
    index: int, node: Node, schedule: Schedule, reads: set[tuple[int, str]]
) -> list[Answer]:
    wait = schedule.waits[index]
    after = wait / 1000 if isinstance(wait, int) else None
    hold = IdlePoint() if wait == "idle" else None
    name = node_id(index)
    failing = node.failures >= node.attempts_due
    found = [
        Answer(node=f"{name}@{n}", result="fail", error_class="transient", after=after, hold=hold)
        for n in range(1, 1 if failing else node.failures + 1)
    ]
    if failing:
        last = Answer(node=name, result="fail", error_class="transient", after=after, hold=hold)
    else:
        outputs: dict[str, object] = {"flag": node.flag} if (index, "flag") in reads else {}
        if (index, "value") in reads:
            outputs["value"] = value_of(index)
        last = Answer(node=name, result="ok", outputs=outputs, after=after, hold=hold)
    return [*found, last]


def render_plan(example: Example) -> Plan:
    """Write the planned answers and the schedule as a plan of the corpus."""
    nodes = example.model.nodes
    reads = outputs_read(example.model)
    return Plan(
        answers=tuple(
            answer
            for index in example.schedule.order
            if nodes[index].kind == "task"
            for answer in _answers(index, nodes[index], example.schedule, reads)
        )
    )
