"""From elements to the immutable model (chapter 1).

The reading is forgiving, so that one pass can report every fault: where the schema layer has
found something wrong, a default or an empty text stands in, and nothing is executed anyway.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from reference_runtime.document.convert_node import read_node
from reference_runtime.document.model import (
    Artifact,
    Credential,
    Edge,
    Harness,
    Resource,
)
from reference_runtime.document.reading import (
    Children,
    line_of,
    read_children,
    read_extensions,
    read_properties,
    read_security,
    typed,
)
from reference_runtime.document.source import Source

__all__ = ["read_harness"]


def _items(sections: Children, section: str, item: str) -> Iterator[etree._Element]:
    """Yield the items of a section, and those that stand beside it by mistake."""
    for block in sections.get(section, ()):
        yield from read_children(block).get(item, ())
    yield from sections.get(item, ())


def _resource(element: etree._Element, source: Source) -> Resource:
    children = read_children(element)
    credentials = children.get("credential")
    resource = Resource(
        id=element.get("id", ""),
        type=element.get("type", ""),
        name=element.get("name"),
        provider=element.get("provider"),
        uri=element.get("uri"),
        properties=read_properties(children.get("property", []), source),
        credential=Credential(ref=credentials[0].get("ref", ""), store=credentials[0].get("store"))
        if credentials
        else None,
        extensions=read_extensions(children, source),
        line=line_of(element),
    )
    source.remember(resource, element)
    return resource


def _artifact(element: etree._Element, source: Source) -> Artifact:
    children = read_children(element)
    artifact = Artifact(
        id=element.get("id", ""),
        type=element.get("type", ""),
        name=element.get("name"),
        uri=element.get("uri"),
        media_type=element.get("mediaType"),
        digest=element.get("digest"),
        classification=typed(element, "classification", None),
        properties=read_properties(children.get("property", []), source),
        extensions=read_extensions(children, source),
        line=line_of(element),
    )
    source.remember(artifact, element)
    return artifact


def _edge(element: etree._Element, source: Source) -> Edge:
    edge = Edge(
        source=element.get("from", ""),
        target=element.get("to", ""),
        type=typed(element, "type", "control"),
        id=element.get("id"),
        from_port=element.get("fromPort"),
        to_port=element.get("toPort"),
        condition=element.get("condition"),
        extensions=read_extensions(read_children(element), source) if len(element) else (),
        line=line_of(element),
    )
    source.remember(edge, element)
    return edge


def read_harness(root: etree._Element, source: Source) -> Harness:
    """Read the whole document from its root element."""
    sections = read_children(root)
    harness = Harness(
        id=root.get("id", ""),
        spec_version=root.get("specVersion", ""),
        nodes=tuple(read_node(item, source) for item in _items(sections, "nodes", "node")),
        edges=tuple(_edge(item, source) for item in _items(sections, "edges", "edge")),
        name=root.get("name"),
        entry=root.get("entry"),
        resources=tuple(
            _resource(item, source) for item in _items(sections, "resources", "resource")
        ),
        artifacts=tuple(
            _artifact(item, source) for item in _items(sections, "artifacts", "artifact")
        ),
        security=read_security(sections),
        extensions=read_extensions(sections, source),
    )
    source.remember(harness, root)
    return harness
