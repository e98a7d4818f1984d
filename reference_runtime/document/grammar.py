"""The document grammar (§2.2 of the format) as tables: elements, children, attributes.

The same facts stand in ``harness-1.0.xsd``. What libxml2 accepts by that is valid; what it
refuses, these tables explain with code, place and advice, or accept where libxml2 is too narrow.
An element means the same under every parent, so its local name is its key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from reference_runtime.document import lexical

__all__ = [
    "ELEMENTS",
    "LOCAL_NAMES",
    "NAMESPACE",
    "TYPE_NAMES",
    "XSI",
    "Attribute",
    "Child",
    "Element",
    "allowed_values",
    "name_meant",
]

#: Namespace of all 1.x documents (§2.6).
NAMESPACE = "https://harnessxml.com/spec/1.0"
#: Attributes of this namespace belong to the schema language (§2.7).
XSI = "http://www.w3.org/2001/XMLSchema-instance"


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute: reader or closed list, and the codes of its faults."""

    read: Callable[[str], Any] = lexical.read_text
    values: tuple[str, ...] = ()
    required: bool = False
    missing_code: str = "HX-1001"
    value_code: str | None = None


@dataclass(frozen=True, slots=True)
class Child:
    """A child element: how often, and the code when a required one is missing."""

    name: str
    required: bool = False
    many: bool = False
    missing_code: str = "HX-1001"


@dataclass(frozen=True, slots=True)
class Element:
    """An element. Content is children, ``text``, or ``foreign`` elements of other namespaces."""

    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    children: tuple[Child, ...] = ()
    content: Literal["children", "text", "foreign"] = "children"
    ordered: bool = True
    read_text: Callable[[str], Any] = lexical.read_text


def _children(text: str) -> tuple[Child, ...]:
    """Children from e.g. ``description? property* node+``."""
    return tuple(
        Child(part.rstrip("?*+"), required=part[-1] not in "?*", many=part[-1] in "*+")
        for part in text.split()
    )


def _required(attribute: Attribute) -> Attribute:
    return Attribute(attribute.read, attribute.values, required=True)


def allowed_values(attribute: Attribute) -> str:
    """The closed list of an attribute as words."""
    return ", ".join(attribute.values)


STRING = Attribute()
URI = Attribute(lexical.read_uri)
IDENTIFIER = Attribute(lexical.read_identifier)
BOOLEAN = Attribute(lexical.read_boolean)
POSITIVE = Attribute(lexical.read_positive)
DURATION = Attribute(lexical.read_duration)
CLASSIFICATION = Attribute(values=("public", "internal", "confidential", "restricted"))
NODE_TYPE = Attribute(
    values=(
        "task",
        "inference",
        "transform",
        "decision",
        "loop",
        "parallel",
        "barrier",
        "subworkflow",
        "source",
        "sink",
        "wait",
        "human",
    ),
    required=True,
    value_code="HX-1003",  # §13.2 names node types; other closed lists are HX-1001 (A179)
)
EDGE_TYPE = Attribute(values=("control", "data", "dependency", "error", "compensation"))
RESOURCE_TYPE = Attribute(
    values=("model", "compute", "datastore", "queue", "device", "service", "secretstore"),
    required=True,
)
ARTIFACT_TYPE = Attribute(
    values=("dataset", "model", "document", "image", "binary", "config", "log", "report"),
    required=True,
)

_TEXT = Element(content="text")
_TIME = Element(content="text", read_text=lexical.read_date_time)
_PORT = Element(
    {
        "name": _required(IDENTIFIER),
        "type": Attribute(lexical.read_data_type),
        "required": BOOLEAN,
        "default": STRING,
        "value": STRING,
    },
    _children("description?"),
)

#: Local name → element of the core vocabulary.
ELEMENTS: dict[str, Element] = {
    "harness": Element(
        {
            "id": _required(IDENTIFIER),
            "specVersion": Attribute(
                lexical.read_spec_version, required=True, missing_code="HX-1002"
            ),
            "name": STRING,
            "entry": IDENTIFIER,
        },
        (
            *_children("metadata? security? resources? artifacts?"),
            Child("nodes", required=True, missing_code="HX-1102"),
            *_children("edges? extension*"),
        ),
    ),
    "metadata": Element(
        children=_children(
            "title? description? author? organization? license? documentVersion? "
            "created? modified? tags? provenance?"
        ),
        ordered=False,
    ),
    "title": _TEXT,
    "description": _TEXT,
    "author": _TEXT,
    "organization": _TEXT,
    "license": _TEXT,
    "documentVersion": _TEXT,
    "created": _TIME,
    "modified": _TIME,
    "tags": Element(children=_children("tag+")),
    "tag": _TEXT,
    "provenance": Element(children=_children("generator? source* signature?")),
    "generator": Element({"name": _required(STRING), "version": STRING, "vendor": STRING}),
    "source": Element({"uri": _required(URI), "type": STRING, "digest": STRING}),
    "signature": Element(
        {"algorithm": _required(STRING), "value": _required(STRING), "keyId": STRING}
    ),
    "security": Element(
        {"principal": STRING, "classification": CLASSIFICATION, "isolation": STRING},
        _children("permission*"),
    ),
    "permission": Element({"action": _required(STRING), "resource": _required(STRING)}),
    "resources": Element(children=_children("resource+")),
    "resource": Element(
        {
            "id": _required(IDENTIFIER),
            "type": RESOURCE_TYPE,
            "name": STRING,
            "provider": STRING,
            "uri": URI,
        },
        _children("description? property* credential? extension*"),
    ),
    "credential": Element({"ref": _required(STRING), "store": STRING}),
    "artifacts": Element(children=_children("artifact+")),
    "artifact": Element(
        {
            "id": _required(IDENTIFIER),
            "type": ARTIFACT_TYPE,
            "name": STRING,
            "uri": URI,
            "mediaType": STRING,
            "digest": STRING,
            "classification": CLASSIFICATION,
        },
        _children("description? property* extension*"),
    ),
    "property": Element({"name": _required(IDENTIFIER), "value": _required(STRING)}),
    "nodes": Element(children=(Child("node", required=True, many=True, missing_code="HX-1102"),)),
    "node": Element(
        {
            "id": _required(IDENTIFIER),
            "type": NODE_TYPE,
            "name": STRING,
            "impl": STRING,
            "idempotent": BOOLEAN,
            "joinPolicy": Attribute(values=("all", "any", "quorum")),
            "quorum": POSITIVE,
            "compensates": IDENTIFIER,
        },
        _children(
            "description? inputs? outputs? config? resourceRef* artifactRef* guard? retry? "
            "timeout? cases? loop? subworkflow? wait? security? extension*"
        ),
    ),
    "inputs": Element(children=_children("input+")),
    "input": _PORT,
    "outputs": Element(children=_children("output+")),
    "output": _PORT,
    "config": Element(children=_children("property+")),
    "resourceRef": Element({"ref": _required(IDENTIFIER), "role": STRING}),
    "artifactRef": Element(
        {"ref": _required(IDENTIFIER), "direction": Attribute(values=("in", "out", "inout"))}
    ),
    "guard": Element({"when": _required(STRING)}),
    "retry": Element(
        {
            "maxAttempts": Attribute(lexical.read_max_attempts, required=True),
            "backoff": Attribute(values=("none", "fixed", "linear", "exponential")),
            "initialDelay": DURATION,
            "maxDelay": DURATION,
            "multiplier": Attribute(lexical.read_decimal),
            "jitter": BOOLEAN,
            "retryOn": STRING,
        }
    ),
    "timeout": Element(
        {"duration": _required(DURATION), "onTimeout": Attribute(values=("fail", "skip", "retry"))}
    ),
    "cases": Element(
        children=(
            Child("case", required=True, many=True, missing_code="HX-2206"),
            Child("otherwise"),
        )
    ),
    "case": Element({"when": _required(STRING), "to": _required(IDENTIFIER)}),
    "otherwise": Element({"to": _required(IDENTIFIER)}),
    "loop": Element(
        {
            "kind": Attribute(values=("forEach", "while", "until", "times"), required=True),
            "over": STRING,
            "var": IDENTIFIER,
            "indexVar": IDENTIFIER,
            "while": STRING,
            "count": POSITIVE,
            "maxIterations": _required(POSITIVE),
            "maxConcurrency": POSITIVE,
            "onItemFailure": Attribute(values=("fail", "continue", "break")),
        },
        (Child("body", required=True),),
    ),
    "body": Element({"ref": _required(IDENTIFIER)}),
    "subworkflow": Element(
        {
            "href": _required(URI),
            "digest": STRING,
            # HX-1002 is about the document's own version.
            "specVersion": Attribute(lexical.read_spec_version, value_code="HX-1001"),
        }
    ),
    "wait": Element({"duration": DURATION, "until": STRING, "event": STRING}),
    "edges": Element(children=_children("edge*")),
    "edge": Element(
        {
            "id": IDENTIFIER,
            "from": _required(IDENTIFIER),
            "to": _required(IDENTIFIER),
            "type": EDGE_TYPE,
            "fromPort": IDENTIFIER,
            "toPort": IDENTIFIER,
            "condition": STRING,
        },
        _children("description? extension*"),
    ),
    "extension": Element({"namespace": _required(URI), "required": BOOLEAN}, content="foreign"),
}

#: Name in Clark notation → local name, for the elements of the core vocabulary.
LOCAL_NAMES: dict[object, str] = {f"{{{NAMESPACE}}}{name}": name for name in ELEMENTS}
_BY_SMALL_LETTERS = {name.casefold(): name for name in ELEMENTS}


def name_meant(tag: object) -> str | None:
    """Local name that a tag has, or would have if its letters had the right case.

    A name of the wrong case is a fault; what the element holds is read as meant all the same.
    """
    known = LOCAL_NAMES.get(tag)
    if known is not None:
        return known
    namespace, _, name = str(tag).rpartition("}")
    return _BY_SMALL_LETTERS.get(name.casefold()) if namespace == f"{{{NAMESPACE}" else None


#: Elements whose type has a name in the schema, which ``xsi:type`` may repeat.
TYPE_NAMES = {
    **{name: name.capitalize() for name in ("metadata", "provenance", "security", "property")},
    **{name: name.capitalize() for name in ("resource", "artifact", "node", "loop", "edge")},
    "input": "Port",
    "output": "Port",
    "extension": "Extension",
}
