"""Why the schema rejects a document: the tables of ``grammar`` applied to every element (§13.2).

Specific codes come first (A175): unknown names are HX-1003, foreign elements HX-1006, an empty
``nodes`` HX-1102, an empty ``cases`` HX-2206, calendar durations HX-3401, versions HX-1002; what
is left is HX-1001.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lxml import etree

from reference_runtime.document.advice import Advice
from reference_runtime.document.finding import Finding
from reference_runtime.document.grammar import ELEMENTS, NAMESPACE, Element, name_meant
from reference_runtime.document.lexical import LexicalError
from reference_runtime.document.masking import HIDDEN
from reference_runtime.document.meant import Meant
from reference_runtime.document.source import Source, clip, local_name, namespace_of
from reference_runtime.document.structure_attributes import check_attributes
from reference_runtime.document.structure_children import check_children, known_children

__all__ = ["explain"]

_HARNESS = f"{{{NAMESPACE}}}harness"
_CREDENTIAL = "credential"
_XML_SPACE = " \t\r\n"


def explain(
    root: etree._Element,
    source: Source,
    advice: Advice,
    elements: Mapping[str, Element] = ELEMENTS,
) -> Iterator[Finding]:
    """Check the root and every known element below it, in document order, without recursion."""
    meant = Meant()
    waiting = [(root, name_meant(root.tag) or "")]
    while waiting:
        element, name = waiting.pop()
        rule = elements[name]
        yield from check_attributes(element, rule, source, advice, meant)
        yield from _text(element, rule, source, is_credential=name == _CREDENTIAL)
        if rule.content == "foreign":
            yield from _foreign(element, source)
            inner = list(_documents_within(element))
            waiting.extend((document, "harness") for document in reversed(inner))
        elif len(element) or rule.children:
            children = known_children(element, rule, meant)
            yield from check_children(element, rule, source, advice, children)
            # What stands in a credential may be the secret: it is refused and not looked at.
            if name != _CREDENTIAL:
                waiting.extend(reversed(children.items()))


def _text(
    element: etree._Element, rule: Element, source: Source, *, is_credential: bool
) -> Iterator[Finding]:
    if rule.content == "text":
        name, text = local_name(element), element.text or ""
        try:
            rule.read_text(text)
        except LexicalError as error:
            yield source.finding(
                error.code,
                "error",
                element,
                text,
                f"{name} is {clip(text)!r}, expected {error.expected}. Correct the text.",
            )
        return
    if not len(element) and not element.text:
        return
    empty = rule.content == "children" and not rule.children
    for piece in (element.text, *(child.tail for child in element)):
        if piece and (empty or piece.strip(_XML_SPACE)):
            text = piece.strip(_XML_SPACE)
            name = local_name(element)
            wish = "nothing, not even blanks" if empty else "elements only"
            # Whoever writes into a credential may have written the secret itself (§14.5).
            secret = is_credential and bool(text)
            shown = "text" if secret else f"the text {clip(text)!r}"
            yield source.finding(
                "HX-1001",
                "error",
                element,
                HIDDEN if secret else text,
                f"{name} holds {shown}, expected {wish}. Remove it.",
            )
            return


def _foreign(element: etree._Element, source: Source) -> Iterator[Finding]:
    for child in element:
        namespace = namespace_of(str(child.tag))
        if namespace in {"", NAMESPACE}:
            kind = "of the core vocabulary" if namespace else "without namespace"
            name = local_name(child)
            yield source.finding(
                "HX-1001",
                "error",
                child,
                name,
                f"extension holds the element {clip(name)!r} {kind}. "
                "Give it a namespace of your own.",
            )


def _documents_within(extension: etree._Element) -> Iterator[etree._Element]:
    """Yield the harness elements in foreign content: of all it holds, the schema knows these."""
    waiting = [child for child in extension if namespace_of(str(child.tag)) not in {"", NAMESPACE}]
    waiting.reverse()
    while waiting:
        element = waiting.pop()
        if element.tag == _HARNESS:
            yield element
        else:
            waiting.extend(reversed(element))
