"""What a misspelt name was meant to be, so that one slip is one finding.

A slip is another case, one letter too many, too few or wrong, or two that changed places; only the
names that may stand at the place are compared, and exactly one of them has to fit. A name without
the namespace of the format, or an attribute under its prefix, means the name itself. All of these
are faults and reported; then the document is read as it was meant, and what follows from the slip
alone (references to what stands in a misspelt container, say) is none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from lxml import etree

from reference_runtime.document.grammar import LOCAL_NAMES, NAMESPACE, Element, name_meant

__all__ = ["Meant", "is_slip", "mend"]

#: Comparisons that one document is worth; a slip beyond them is only a stranger.
_BUDGET = 20_000
#: Shorter names are too much alike, longer ones are no slips.
_SHORTEST, _LONGEST = 3, 64


def is_slip(name: str, other: str) -> bool:
    """Tell whether two names differ by one slip of the pen, or in case only."""
    one, two = name.casefold(), other.casefold()
    if one == two:
        return True
    if abs(len(one) - len(two)) > 1 or min(len(one), len(two)) < _SHORTEST:
        return False
    at = next(
        (at for at, (left, right) in enumerate(zip(one, two, strict=False)) if left != right),
        min(len(one), len(two)),
    )
    one, two = one[at:], two[at:]
    swapped = one[1:2] + one[:1] + one[2:]
    return two in {one[1:], swapped} or one == two[1:] or one[1:] == two[1:]


class Meant:
    """Answers for one document."""

    def __init__(self) -> None:
        self._left = _BUDGET

    def _slip(self, name: str, names: Collection[str]) -> str | None:
        """Return the one of some names that this one is a slip of."""
        if len(name) > _LONGEST or len(names) > self._left:
            return None
        self._left -= len(names)
        alike = [other for other in names if is_slip(name, other)]
        return alike[0] if len(alike) == 1 else None

    def child(self, child: etree._Element, rule: Element) -> str | None:
        """Return the local name that a child of an element has or was meant to have."""
        known = LOCAL_NAMES.get(child.tag)
        if known is not None and (len(child) == 0 or child.attrib):
            return known
        allowed = [one.name for one in rule.children]
        if known is not None:
            # A bare element around others that may not stand here: <input><input name="x"/>…
            return known if known in allowed else self._slip(known, allowed) or known
        tag = str(child.tag)
        namespace, _, name = tag.rpartition("}")
        if namespace.removeprefix("{") not in {"", NAMESPACE}:
            return None
        if name in allowed:
            return name
        return self._slip(name, allowed) or name_meant(tag)

    def attribute(self, element: etree._Element, attribute: str, rule: Element) -> str | None:
        """Return the missing attribute that one was meant to be that the element does not have."""
        namespace, _, name = attribute.rpartition("}")
        if not namespace:
            target = self._slip(name, rule.attributes)
        else:
            is_core = namespace == f"{{{NAMESPACE}" and name in rule.attributes
            target = name if is_core else None
        return target if target is not None and element.get(target) is None else None


def mend(root: etree._Element, elements: Mapping[str, Element]) -> None:
    """Give elements and attributes the names that they were meant to have, in place."""
    meant = Meant()
    waiting = [(root, name_meant(root.tag) or "")]
    while waiting:
        element, name = waiting.pop()
        rule = elements[name]
        for key in element.attrib:
            attribute = str(key)
            if attribute not in rule.attributes:
                target = meant.attribute(element, attribute, rule)
                if target is not None:
                    element.set(target, element.get(attribute, ""))
        if rule.content != "children":
            continue
        for child in element:
            child_name = meant.child(child, rule)
            if child_name is not None:
                if LOCAL_NAMES.get(child.tag) != child_name:
                    child.tag = f"{{{NAMESPACE}}}{child_name}"
                waiting.append((child, child_name))
