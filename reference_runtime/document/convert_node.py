"""From a node element to a node of the model (§1.3, §3)."""

from __future__ import annotations

import itertools
from typing import Any

from lxml import etree

from reference_runtime.document.lexical import LARGEST
from reference_runtime.document.model import (
    ArtifactRef,
    Case,
    Decision,
    Loop,
    Node,
    Port,
    ResourceRef,
    Retry,
    Subworkflow,
    Timeout,
    Wait,
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

__all__ = ["read_node"]

#: What a number is read as that is there but wrong: no rule about a missing one may speak.
_PRESENT = 0


def _ports(children: Children, section: str, item: str, source: Source) -> tuple[Port, ...]:
    ports = []
    blocks = (read_children(block).get(item, ()) for block in children.get(section, ()))
    # By mistake they may stand beside their section.
    for element in itertools.chain(*blocks, children.get(item, ())):
        port = Port(
            name=element.get("name", ""),
            type=element.get("type"),
            required=typed(element, "required", default=True, wrong=False),
            default=element.get("default"),
            value=element.get("value"),
            line=line_of(element),
        )
        source.remember(port, element)
        ports.append(port)
    return tuple(ports)


def _resource_refs(children: Children, source: Source) -> tuple[ResourceRef, ...]:
    references = []
    for element in children.get("resourceRef", ()):
        reference = ResourceRef(
            ref=element.get("ref", ""), role=element.get("role"), line=line_of(element)
        )
        source.remember(reference, element)
        references.append(reference)
    return tuple(references)


def _artifact_refs(children: Children, source: Source) -> tuple[ArtifactRef, ...]:
    references = []
    for element in children.get("artifactRef", ()):
        reference = ArtifactRef(
            ref=element.get("ref", ""),
            direction=typed(element, "direction", "in"),
            line=line_of(element),
        )
        source.remember(reference, element)
        references.append(reference)
    return tuple(references)


def _retry(element: etree._Element) -> Retry:
    classes = element.get("retryOn")
    return Retry(
        max_attempts=typed(element, "maxAttempts", 1),
        backoff=typed(element, "backoff", "exponential"),
        initial_delay=typed(element, "initialDelay", 1.0),
        max_delay=typed(element, "maxDelay", None),
        multiplier=typed(element, "multiplier", 2.0),
        jitter=typed(element, "jitter", default=True),
        retry_on=None if classes is None else tuple(classes.split()),
    )


def _timeout(element: etree._Element) -> Timeout:
    return Timeout(
        duration=typed(element, "duration", 0.0), on_timeout=typed(element, "onTimeout", "fail")
    )


def _decision(element: etree._Element, source: Source) -> Decision:
    children = read_children(element)
    cases = []
    for name in ("case", "otherwise"):
        for item in children.get(name, ()):
            when = item.get("when", "") if name == "case" else None
            case = Case(to=item.get("to", ""), when=when, line=line_of(item))
            source.remember(case, item)
            cases.append(case)
    decision = Decision(cases=tuple(cases))
    source.remember(decision, element)
    return decision


def _loop(element: etree._Element, source: Source) -> Loop:
    bodies = read_children(element).get("body", ())
    # A bound that is missing or wrong has its own finding: no count exceeds it.
    loop = Loop(
        kind=typed(element, "kind", ""),
        body=bodies[0].get("ref", "") if bodies else "",
        max_iterations=typed(element, "maxIterations", LARGEST),
        over=element.get("over"),
        var=element.get("var", "item"),
        index_var=element.get("indexVar", "index"),
        condition=element.get("while"),
        count=typed(element, "count", None, wrong=_PRESENT),
        max_concurrency=typed(element, "maxConcurrency", 1),
        on_item_failure=typed(element, "onItemFailure", "fail"),
        line=line_of(element),
    )
    source.remember(loop, element)
    return loop


def _subworkflow(element: etree._Element) -> Subworkflow:
    return Subworkflow(
        href=element.get("href", ""),
        digest=element.get("digest"),
        spec_version=element.get("specVersion"),
    )


def _wait(element: etree._Element, source: Source) -> Wait:
    wait = Wait(
        duration=typed(element, "duration", None, wrong=0.0),
        until=element.get("until"),
        event=element.get("event"),
    )
    source.remember(wait, element)
    return wait


def _parts(element: etree._Element, source: Source) -> dict[str, Any]:
    """Read what stands inside a node; of an element that may stand once, the first counts."""
    children = read_children(element)
    first = {name: items[0] for name, items in children.items()}
    return {
        "inputs": _ports(children, "inputs", "input", source),
        "outputs": _ports(children, "outputs", "output", source),
        "config": read_properties(
            read_children(first["config"]).get("property", []) if "config" in first else [],
            source,
        ),
        "resource_refs": _resource_refs(children, source),
        "artifact_refs": _artifact_refs(children, source),
        "guard": first["guard"].get("when", "") if "guard" in first else None,
        "retry": _retry(first["retry"]) if "retry" in first else None,
        "timeout": _timeout(first["timeout"]) if "timeout" in first else None,
        "decision": _decision(first["cases"], source) if "cases" in first else None,
        "loop": _loop(first["loop"], source) if "loop" in first else None,
        "subworkflow": _subworkflow(first["subworkflow"]) if "subworkflow" in first else None,
        "wait": _wait(first["wait"], source) if "wait" in first else None,
        "security": read_security(children),
        "extensions": read_extensions(children, source),
    }


def read_node(element: etree._Element, source: Source) -> Node:
    """Read a node; large documents are mostly nodes with nothing inside."""
    parts = _parts(element, source) if len(element) else {}
    node = Node(
        id=element.get("id", ""),
        type=element.get("type", ""),
        name=element.get("name"),
        impl=element.get("impl"),
        idempotent=typed(element, "idempotent", default=True),
        join_policy=typed(element, "joinPolicy", "all"),
        quorum=typed(element, "quorum", None, wrong=_PRESENT),
        compensates=element.get("compensates"),
        line=line_of(element),
        **parts,
    )
    source.remember(node, element)
    return node
