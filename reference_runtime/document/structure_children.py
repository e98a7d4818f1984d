"""Children of one element against the grammar: known, in place, often enough (§2.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lxml import etree

from reference_runtime.document.advice import Advice
from reference_runtime.document.finding import Finding
from reference_runtime.document.grammar import LOCAL_NAMES, NAMESPACE, Element
from reference_runtime.document.meant import Meant
from reference_runtime.document.source import Source, clip, local_name, namespace_of

__all__ = ["check_children", "known_children"]


def known_children(
    element: etree._Element, rule: Element, meant: Meant
) -> dict[etree._Element, str]:
    """Children of the core vocabulary, with the local names that they have or are meant to have.

    Those without a namespace are one fault, whatever they hold.
    """
    children = {}
    for child in element:
        name = LOCAL_NAMES.get(child.tag)
        if name is None or not child.attrib:
            is_core = namespace_of(str(child.tag)) == NAMESPACE
            name = meant.child(child, rule) if is_core else None
        if name is not None:
            children[child] = name
    return children


def _stranger(
    child: etree._Element, parent: str, names: list[str], source: Source, advice: Advice
) -> Finding:
    """Report a child that the core vocabulary does not know."""
    name, namespace = local_name(child), namespace_of(str(child.tag))
    if namespace != NAMESPACE:
        kind = f"of namespace {clip(namespace)!r}" if namespace else "without namespace"
        return source.finding(
            "HX-1006",
            "error",
            child,
            name,
            f"{parent} holds the element {clip(name)!r} {kind}. "
            "Move it into an extension element, or give it the namespace of the format.",
        )
    allowed = f"may hold {', '.join(names)}" if names else "may not hold any element"
    return source.finding(
        "HX-1003",
        "error",
        child,
        name,
        f"Version 1.0 has no element {clip(name)!r}; {parent} {allowed}."
        f"{advice.close_to(name, names)} Correct or remove it.",
    )


def _place_fault(child: etree._Element, parent: str, message: str, source: Source) -> Finding:
    return source.finding("HX-1001", "error", child, local_name(child), f"{parent} {message}")


def check_children(
    element: etree._Element,
    rule: Element,
    source: Source,
    advice: Advice,
    known: Mapping[etree._Element, str],
) -> Iterator[Finding]:
    """Yield faults of the children of an element, then of those that are missing.

    ``known`` are its children of the core vocabulary, with the names that they are meant to have.
    """
    parent = local_name(element)
    names = [child.name for child in rule.children]
    order = {name: position for position, name in enumerate(names)}
    seen: dict[str, int] = {}
    strangers = False
    reached = 0
    for child in element:
        name = LOCAL_NAMES.get(child.tag)
        if name is None:
            strangers = True
            yield _stranger(child, parent, names, source, advice)
            continue
        if name not in order:
            allowed = f"only {', '.join(names)}" if names else "nor any other element"
            close = "" if known[child] == name else f" Did you mean {known[child]!r}?"
            message = f"may not hold {name!r}, {allowed}.{close} Move or remove it."
            yield _place_fault(child, parent, message, source)
            continue
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1 and not rule.children[order[name]].many:
            message = f"holds {name!r} more than once. Merge or remove the second one."
            yield _place_fault(child, parent, message, source)
        elif rule.ordered and order[name] < reached:
            message = (
                f"holds {name!r} after {names[reached]!r}. "
                f"Move it: the order is {', '.join(names)}."
            )
            yield _place_fault(child, parent, message, source)
        reached = max(reached, order[name])
    for child_rule in rule.children:
        # A stranger may be the missing element, misspelt: one report is enough.
        if child_rule.required and child_rule.name not in seen and not strangers:
            yield source.finding(
                child_rule.missing_code,
                "error",
                element,
                "",
                f"{parent} needs the element {child_rule.name!r}. Add it.",
            )
