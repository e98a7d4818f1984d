"""The places of a document where expressions stand (§10.1), with what each of them compiles to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from reference_runtime.document.model import Edge, Harness, Node
from reference_runtime.document.source import Source
from reference_runtime.expressions.syntax import Declaration, Reference
from reference_runtime.expressions.template import Template, compile_template, names_in
from reference_runtime.expressions.values import ExpressionSyntaxError

__all__ = ["LONGEST_TEXT", "Compiled", "Place", "Site", "compile_sites", "names_read", "sites"]

#: Element and attribute of an expression; ``output`` values and defaults are plain strings.
Place = Literal[
    "input/@value",
    "guard/@when",
    "case/@when",
    "loop/@over",
    "loop/@while",
    "wait/@until",
    "edge/@condition",
]


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the document where an expression may stand.

    Attributes:
        where: the model value (or element) that stands at the place to report.
        place: element and attribute.
        text: text of the attribute.
        owner: id of the node that evaluates it, for a condition the source of the edge.
        edge: the edge of a condition.
    """

    where: object
    place: Place
    text: str
    owner: str
    edge: Edge | None = None


#: Characters of a text with expressions that are read.
LONGEST_TEXT = 1_000_000

#: A site and its compiled text, or what keeps the text from being compiled.
Compiled = tuple[Site, Template | ExpressionSyntaxError]


def _node_sites(source: Source, node: Node) -> Iterator[tuple[object, Place, str | None]]:
    """Yield place and text of a node's expressions, None where there is none."""
    for port in node.inputs:
        yield port, "input/@value", port.value
    if node.guard is not None:
        yield source.part_of(node, "guard"), "guard/@when", node.guard
    for case in node.decision.cases if node.decision is not None else ():
        yield case, "case/@when", case.when
    if node.loop is not None:
        yield node.loop, "loop/@over", node.loop.over
        yield node.loop, "loop/@while", node.loop.condition
    if node.wait is not None:
        yield node.wait, "wait/@until", node.wait.until


def sites(harness: Harness, source: Source) -> Iterator[Site]:
    """Yield every place of §10.1 in document order, nodes before edges."""
    for node in harness.nodes:
        for where, place, text in _node_sites(source, node):
            if text is not None:
                yield Site(where, place, text, node.id)
    for edge in harness.edges:
        if edge.condition is not None:
            yield Site(edge, "edge/@condition", edge.condition, edge.source, edge)


def compile_sites(harness: Harness, source: Source) -> Iterator[Compiled]:
    """Compile every text of a document."""
    for site in sites(harness, source):
        if len(site.text) > LONGEST_TEXT and "${" in site.text:
            message = f"A text with expressions has at most {LONGEST_TEXT} characters."
            yield site, ExpressionSyntaxError(message, position=LONGEST_TEXT)
            continue
        try:
            yield site, compile_template(site.text, harness.node_by_id)
        except ExpressionSyntaxError as error:
            yield site, error


def names_read(compiled: Iterable[Compiled]) -> Iterator[tuple[Site, Reference | Declaration]]:
    """Yield every name that an expression can read, once for each site."""
    for site, result in compiled:
        if isinstance(result, Template):
            for name in dict.fromkeys(names_in(result)):
                yield site, name
