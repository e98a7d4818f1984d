"""From the generator's model to the bytes of a document and the plan of a run."""

from collections.abc import Iterator
from typing import Final
from xml.sax.saxutils import quoteattr

from suite.corpus.plan import Answer, IdlePoint, Plan, Point
from suite.fuzz.model import (
    FORWARD,
    Case,
    Edge,
    Example,
    Loop,
    Model,
    Node,
    Schedule,
    Wait,
    node_id,
    outputs_read,
    value_of,
)

__all__ = ["render_document", "render_plan"]

_HEAD: Final = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<harness xmlns="https://harnessxml.com/spec/1.0" id="fuzz" specVersion="1.0"{entry}>\n'
)


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


def _seconds(milliseconds: int) -> str:
    """A duration; an initial delay of 10 ms elapses at an idle point (§8.1.1)."""
    return f"PT{milliseconds / 1000:g}S"


def _retry(node: Node) -> str:
    extra = f' multiplier="{node.factor}"' if node.factor != 2 else ""
    if node.cap:
        extra += f' maxDelay="{_seconds(node.cap)}"'
    if node.excluded:
        extra += ' retryOn="unavailable"'
    return (
        f'      <retry maxAttempts="{node.attempts}" backoff="{node.backoff}" '
        f'initialDelay="{_seconds(node.delay)}" jitter="false"{extra}/>\n'
    )


def _loop(name: str, loop: Loop) -> str:
    if loop.kind == "times":
        what = f'count="{len(loop.fates)}"'
    else:  # the items are what the guard of the body says
        items = ", ".join("false" if fate == "skip" else "true" for fate in loop.fates)
        what = f'over="${{[{items}]}}"'
    extra = ' var="entry" indexVar="place"' if loop.named else ""
    if loop.concurrency > 1:
        extra += f' maxConcurrency="{loop.concurrency}"'
    if loop.policy != "fail":
        extra += f' onItemFailure="{loop.policy}"'
    return (
        f'      <loop kind="{loop.kind}" {what} maxIterations="{loop.limit}"{extra}>\n'
        f'        <body ref="{node_id(0, name)}"/>\n      </loop>\n'
    )


def _guard(loop: Loop | None) -> str:
    """The guard of a body: it tells iterations apart by the item, or by the index (§7.2.3)."""
    if loop is None or "skip" not in loop.fates:
        return ""
    if loop.kind == "forEach":
        return "entry" if loop.named else "item"
    index = "place" if loop.named else "index"
    skipped = (number for number, fate in enumerate(loop.fates) if fate == "skip")
    return " and ".join(f"{index} != {number}" for number in skipped)


def _attributes(name: str, node: Node) -> str:
    words = [f'id="{name}" type="{node.kind}"']
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


def _node(name: str, node: Node, into: list[Edge], outputs: list[str], guard: str) -> str:
    """One node element; children in the order of §3.1."""
    inputs = "".join(_input(n, edge) for n, edge in enumerate(into) if edge.type == "data")
    ports = {
        "flag": '        <output name="flag" type="boolean"/>\n',
        "value": '        <output name="value"/>\n',
    }
    children = _group("inputs", inputs) + _group("outputs", "".join(map(ports.get, outputs)))  # type: ignore[arg-type]
    if node.guard != "none":
        children += f'      <guard when="${{{node.guard}}}"/>\n'
    elif guard:
        children += f'      <guard when="${{{guard}}}"/>\n'
    if node.attempts > 1:
        children += _retry(node)
    children += _group("cases", "".join(map(_case, node.cases)))
    if node.loop is not None:
        children += _loop(name, node.loop)
    attributes = _attributes(name, node)
    if not children:
        return f"    <node {attributes}/>\n"
    return f"    <node {attributes}>\n{children}    </node>\n"


def _edge(number: int, edge: Edge, place: int, scope: str) -> str:
    ends = f'from="{node_id(edge.source, scope)}" to="{node_id(edge.target, scope)}"'
    extra = "" if edge.type == "control" else f' type="{edge.type}"'
    if edge.type == "data":
        extra += f' fromPort="value" toPort="in{place}"'
    if edge.condition != "none":
        test = f"{node_id(edge.source)}.flag" if edge.condition == "flag" else edge.condition
        extra += f" condition={quoteattr(f'${{{test}}}')}"
    return f'    <edge id="e{number}" {ends}{extra}/>\n'


class _Writer:
    """Collects the node and edge elements of a workflow and of the bodies in it."""

    def __init__(self) -> None:
        self.nodes: list[str] = []
        self.edges: list[str] = []

    def write(self, model: Model, scope: str = "", loop: Loop | None = None) -> None:
        """Write one workflow, perhaps the body of a loop."""
        into: list[list[Edge]] = [[] for _ in model.nodes]
        reads = outputs_read(model)
        for edge in model.edges:
            place = len(into[edge.target])
            if edge.type in FORWARD:
                into[edge.target].append(edge)
            self.edges.append(_edge(len(self.edges), edge, place, scope))
        for index, node in enumerate(model.nodes):
            name = node_id(index, scope)
            outputs = [port for port in ("flag", "value") if (index, port) in reads]
            guard = _guard(loop) if index == 0 else ""
            self.nodes.append(_node(name, node, into[index], outputs, guard))
            if node.loop is not None:
                self.write(node.loop.body, name, node.loop)


def render_document(model: Model) -> bytes:
    """Write the workflow as a document."""
    writer = _Writer()
    writer.write(model)
    text = _HEAD.format(entry=f' entry="{node_id(0)}"' if model.entry else "")
    text += f"  <nodes>\n{''.join(writer.nodes)}  </nodes>\n"
    if writer.edges:
        text += f"  <edges>\n{''.join(writer.edges)}  </edges>\n"
    return (text + "</harness>\n").encode()


def _answers(address: str, node: Node, wait: Wait, outputs: dict[str, object]) -> Iterator[Answer]:
    after = wait / 1000 if isinstance(wait, int) else None
    hold = IdlePoint() if wait == "idle" else None
    failing = node.failures >= node.attempts_due
    for n in range(1, 1 if failing else node.failures + 1):
        yield Answer(
            node=f"{address}@{n}", result="fail", error_class="transient", after=after, hold=hold
        )
    if failing:
        yield Answer(node=address, result="fail", error_class="transient", after=after, hold=hold)
    else:
        yield Answer(node=address, result="ok", outputs=outputs, after=after, hold=hold)


def _iterations(name: str, loop: Loop, path: tuple[int, ...]) -> Iterator[Answer]:
    """Answers of the iterations of a loop, which stands in the iteration ``path`` itself."""
    order = range(len(loop.fates))
    for number in reversed(order) if loop.backwards else order:
        wait = loop.waits[number % len(loop.waits)]
        place = (*path, number)
        for index, node in enumerate(loop.iteration(number).nodes):
            inner = node_id(index, name)
            if node.loop is not None:
                yield from _iterations(inner, node.loop, place)
            elif node.failures or wait != "now":
                yield from _answers(f"{inner}[{','.join(map(str, place))}]", node, wait, {})


def _planned(model: Model, schedule: Schedule) -> Iterator[Answer]:
    reads = outputs_read(model)
    for index in schedule.order:
        node = model.nodes[index]
        if node.loop is not None:
            yield from _iterations(node_id(index), node.loop, ())
        elif node.kind == "task":
            outputs: dict[str, object] = {"flag": node.flag} if (index, "flag") in reads else {}
            if (index, "value") in reads:
                outputs["value"] = value_of(index)
            yield from _answers(node_id(index), node, schedule.waits[index], outputs)


def render_plan(example: Example) -> Plan:
    """Write the planned answers and the schedule as a plan of the corpus."""
    cancel = example.schedule.cancel
    at = Point(node_id(cancel[0]), cancel[1]) if cancel is not None else None
    return Plan(answers=tuple(_planned(example.model, example.schedule)), cancel=at)
