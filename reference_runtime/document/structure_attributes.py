"""Attributes of one element against the grammar (§2.2)."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from reference_runtime.document.advice import Advice
from reference_runtime.document.finding import Finding
from reference_runtime.document.grammar import (
    NAMESPACE,
    TYPE_NAMES,
    XSI,
    Attribute,
    Element,
    allowed_values,
    name_meant,
)
from reference_runtime.document.lexical import LexicalError
from reference_runtime.document.meant import Meant
from reference_runtime.document.source import Source, clip, local_name, namespace_of

__all__ = ["check_attributes"]


def check_attributes(
    element: etree._Element, rule: Element, source: Source, advice: Advice, meant: Meant
) -> Iterator[Finding]:
    """Yield faults of present attributes in document order, then those of missing ones.

    One that was meant to be a missing one is no second fault, unless the missing one has a code
    of its own; its value is looked at as well.
    """
    there: set[str] = set()
    # Values are asked for one by one: lxml takes quadratic time for those of all attributes.
    for key in element.attrib:
        attribute = str(key)
        if attribute in rule.attributes:
            value = element.get(attribute, "")
            yield from _value(element, attribute, rule.attributes[attribute], value, source, advice)
            continue
        yield from _stranger(element, attribute, rule, source, advice)
        target = meant.attribute(element, attribute, rule)
        if target is not None and target not in there:
            there.add(target)
            value, fact = element.get(attribute, ""), rule.attributes[target]
            yield from _value(element, _local(attribute), fact, value, source, advice)
    for attribute, fact in rule.attributes.items():
        is_told = attribute in there and fact.missing_code == "HX-1001"
        if fact.required and element.get(attribute) is None and not is_told:
            yield source.finding(
                fact.missing_code,
                "error",
                element,
                "",
                f"{local_name(element)} needs the attribute {attribute!r}. Add it.",
            )


def _stranger(
    element: etree._Element, attribute: str, rule: Element, source: Source, advice: Advice
) -> Iterator[Finding]:
    """Report an attribute that the element does not have."""
    name, namespace = local_name(element), namespace_of(attribute)
    if namespace == XSI:
        yield from _schema_attribute(element, attribute, source)
        return
    code = "HX-1001" if namespace else "HX-1003"
    if not namespace:
        close = advice.close_to(attribute, rule.attributes)
        message = (
            f"{name} has no attribute {clip(attribute)!r} in version 1.0; it may have "
            f"{', '.join(rule.attributes) or 'none'}.{close} Correct or remove it."
        )
    elif namespace == NAMESPACE:
        message = (
            f"{name} carries the attribute {clip(_local(attribute))!r} under a prefix; the "
            "attributes of the format have none. Remove the prefix."
        )
    else:
        message = (
            f"{name} carries the attribute {clip(attribute)!r} of another namespace. "
            "Other vocabularies belong into an extension element: move it there."
        )
    yield source.finding(code, "error", element, attribute, message)


def _local(attribute: str) -> str:
    return attribute.rpartition("}")[2]


def _schema_attribute(element: etree._Element, attribute: str, source: Source) -> Iterator[Finding]:
    """Check an attribute of the schema language: places of schemas are free, the rest is not."""
    name, text = _local(attribute), element.get(attribute, "")
    if name in {"schemaLocation", "noNamespaceSchemaLocation"}:
        return
    prefix, _, type_name = text.strip().rpartition(":")
    own = TYPE_NAMES.get(name_meant(element.tag) or "")
    namespace = element.nsmap.get(prefix or None)
    if name == "type" and own == type_name and namespace == NAMESPACE:
        return
    yield source.finding(
        "HX-1001",
        "error",
        element,
        text,
        f"{local_name(element)}/@xsi:{clip(name)} is {clip(text)!r}; the schema gives every "
        "element its type, and none may be nil. Remove the attribute.",
    )


def _value(  # noqa: PLR0913, PLR0917 - one fault needs place, rule, value and both helpers
    element: etree._Element,
    name: str,
    fact: Attribute,
    text: str,
    source: Source,
    advice: Advice,
) -> Iterator[Finding]:
    where = f"{local_name(element)}/@{name}"
    if fact.values:
        if text not in fact.values:
            yield source.finding(
                fact.value_code or "HX-1001",
                "error",
                element,
                text,
                f"{where} is {clip(text)!r}, expected one of {allowed_values(fact)}."
                f"{advice.close_to(text, fact.values)} Use one of these.",
            )
        return
    try:
        fact.read(text)
    except LexicalError as error:
        yield source.finding(
            fact.value_code or error.code,
            "error",
            element,
            text,
            f"{where} is {clip(text)!r}, expected {error.expected}. Correct the value.",
        )
