"""Rules about what each node type needs and what no other type may have (§3, §7)."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from reference_runtime.document.grammar import NODE_TYPE
from reference_runtime.document.model import Loop, Wait
from reference_runtime.document.source import clip
from reference_runtime.validation.rule import Fault, Rule
from reference_runtime.validation.view import View

__all__ = ["RULES"]

#: Code → node type, its element, and the field of the model.
_OWN_ELEMENT = {
    "HX-2201": ("decision", "cases", "decision"),
    "HX-2202": ("loop", "loop", "loop"),
    "HX-2203": ("subworkflow", "subworkflow", "subworkflow"),
    "HX-2204": ("wait", "wait", "wait"),
}
#: Loop kind → the attribute it needs, and the field of the model.
_LOOP_NEEDS = {
    "forEach": ("over", "over"),
    "while": ("while", "condition"),
    "until": ("while", "condition"),
    "times": ("count", "count"),
}


def own_element(code: str, view: View) -> Iterator[Fault]:
    """Check that a type has its element and that no other type has it."""
    node_type, element, field = _OWN_ELEMENT[code]
    for node in view.harness.nodes:
        present = getattr(node, field) is not None
        if node.type == node_type and not present:
            yield Fault(
                node, "", f"Node {node.id!r} is of type {node_type}. Add the element {element!r}."
            )
        elif present and node.type != node_type and node.type in NODE_TYPE.values:
            yield Fault(
                view.source.part_of(node, element),
                element,
                f"Node {node.id!r} is of type {node.type}; only type {node_type} has the element "
                f"{element!r}. Remove the element, or change the type.",
            )


def _loops(view: View) -> Iterator[tuple[str, Loop]]:
    return (
        (node.id, node.loop)
        for node in view.harness.nodes
        if node.loop is not None and node.type == "loop"
    )


def wait_for_one_thing(view: View) -> Iterator[Fault]:
    """A wait names exactly one of duration, until and event (§3.2.9)."""
    for node in view.harness.nodes:
        if node.wait is not None and node.type == "wait":
            given = [name for name in Wait.__slots__ if getattr(node.wait, name) is not None]
            if len(given) != 1:
                yield Fault(
                    node.wait,
                    " ".join(given),
                    f"Node {node.id!r} waits for {' and '.join(given) or 'nothing'}. "
                    "Give exactly one of duration, until and event.",
                )


def loop_kind_attribute(view: View) -> Iterator[Fault]:
    """Each kind of loop needs its own attribute; until uses while, too (§7.2.2)."""
    for name, loop in _loops(view):
        # A kind that is missing or unknown has its own finding.
        attribute, field = _LOOP_NEEDS.get(loop.kind, ("", "kind"))
        if getattr(loop, field) is None:
            yield Fault(
                loop,
                "",
                f"The loop {name!r} is of kind {loop.kind}. Add the attribute {attribute!r}.",
            )


def count_above_bound(view: View) -> Iterator[Fault]:
    """A counted loop stays within its bound; equality is fine (§7.2.1)."""
    for name, loop in _loops(view):
        if loop.kind == "times" and loop.count is not None and loop.count > loop.max_iterations:
            yield Fault(
                loop,
                str(loop.count),
                f"The loop {name!r} counts {clip(str(loop.count))}, above maxIterations "
                f"{clip(str(loop.max_iterations))}. Raise maxIterations, or lower count.",
            )


def inference_without_model(view: View) -> Iterator[Fault]:
    """An inference node uses a resource of type model (§3.2.2)."""
    for node in view.harness.nodes:
        if node.type != "inference":
            continue
        used = [view.resources.get(reference.ref) for reference in node.resource_refs]
        # An undeclared resource has its own finding, and nobody knows its type.
        if all(resource is not None and resource.type != "model" for resource in used):
            yield Fault(
                node,
                "",
                f"The inference node {node.id!r} refers to no resource of type model. "
                "Add a resourceRef to one.",
            )


RULES = (
    *(Rule(code, "3", "error", functools.partial(own_element, code)) for code in _OWN_ELEMENT),
    Rule("HX-2205", "3.2.9", "error", wait_for_one_thing),
    Rule("HX-2207", "7.2.2", "error", loop_kind_attribute),
    Rule("HX-2208", "7.2.1", "error", count_above_bound),
    Rule("HX-2501", "3.2.2", "error", inference_without_model),
)
