"""Forgiving access to elements and attributes, for building the model.

Faults are reported by the schema layer; here a wrong attribute reads as its default, so that
the rest of the document can still be checked in the same pass.
"""

from __future__ import annotations

from typing import Any, cast

from lxml import etree

from reference_runtime.document.grammar import ELEMENTS, name_meant
from reference_runtime.document.lexical import LexicalError
from reference_runtime.document.model import Extension, Permission, Property, Security
from reference_runtime.document.source import Source

__all__ = [
    "Children",
    "line_of",
    "read_children",
    "read_extensions",
    "read_properties",
    "read_security",
    "typed",
]

#: Core child elements of an element by local name, each list in document order.
Children = dict[str, list[Any]]


def line_of(element: etree._Element) -> int:
    """Line that libxml2 knows for an element."""
    line: Any = element.sourceline
    return cast("int", line) or 0


def read_children(element: etree._Element) -> Children:
    """Sort the core children of an element by name; others are the schema layer's affair."""
    children: Children = {}
    for child in element:
        name = name_meant(child.tag)
        if name is not None:
            children.setdefault(name, []).append(child)
    return children


def typed(element: etree._Element, name: str, default: Any, *, wrong: Any = None) -> Any:
    """Value of an attribute by the grammar's type; ``wrong`` (else the default) if misspelt.

    A word outside a closed list stays as it is: no rule knows it, so none speaks about it.
    """
    text = element.get(name)
    if text is None:
        return default
    attribute = ELEMENTS[name_meant(element.tag) or ""].attributes[name]
    fallback = default if wrong is None else wrong
    if attribute.values:
        return text
    try:
        return attribute.read(text)
    except LexicalError:
        return fallback


def read_properties(elements: list[etree._Element], source: Source) -> tuple[Property, ...]:
    """Read property elements (§1.3.2)."""
    properties = []
    for item in elements:
        one = Property(name=item.get("name", ""), value=item.get("value", ""), line=line_of(item))
        source.remember(one, item)
        properties.append(one)
    return tuple(properties)


def read_extensions(children: Children, source: Source) -> tuple[Extension, ...]:
    """Read what an element carries of other vocabularies (§2.8); contents stay unread."""
    extensions = []
    for item in children.get("extension", ()):
        extension = Extension(
            namespace=item.get("namespace", ""),
            required=typed(item, "required", default=False),
            line=line_of(item),
        )
        source.remember(extension, item)
        extensions.append(extension)
    return tuple(extensions)


def read_security(children: Children) -> Security | None:
    """Read the security element of a node or of the document (§1.1)."""
    for item in children.get("security", ()):
        return Security(
            principal=item.get("principal"),
            classification=typed(item, "classification", None),
            isolation=item.get("isolation"),
            permissions=tuple(
                Permission(action=one.get("action", ""), resource=one.get("resource", ""))
                for one in read_children(item).get("permission", ())
            ),
        )
    return None
