"""Chapter 2 as tables: which elements and attributes there are, in which order, of which type.

Part of the two small runtimes of this folder; see ``small_gate``. A line of ``ELEMENTS`` is an
element, its children as a regular expression over names, and its attributes: ``!`` marks those
that are required, the word after the colon is their type.
"""

from __future__ import annotations

import re

from small_document import NS
from small_tree import Fault

ELEMENTS = {
    "harness": (
        "metadata?security?resources?artifacts?nodes edges?extension*",
        "id!:Id specVersion!:Version name: entry:Id",
    ),
    "metadata": (
        (
            "(?:title|description|author|organization|license|documentVersion|created|modified"
            "|tags|provenance)*"
        ),
        "",
    ),
    "tags": ("tag+", ""),
    "provenance": ("generator?source*signature?", ""),
    "generator": ("", "name!: version: vendor:"),
    "source": ("", "uri!: type: digest:"),
    "signature": ("", "algorithm!: value!: keyId:"),
    "security": ("permission*", "principal: classification:Label isolation:"),
    "permission": ("", "action!: resource!:"),
    "resources": ("resource+", ""),
    "resource": (
        "description?property*credential?extension*",
        "id!:Id type!:Resource name: provider: uri:",
    ),
    "credential": ("", "ref!: store:"),
    "artifacts": ("artifact+", ""),
    "artifact": (
        "description?property*extension*",
        "id!:Id type!:Artifact name: uri: mediaType: digest: classification:Label",
    ),
    "property": ("", "name!:Id value!:"),
    "nodes": ("node+", ""),
    "node": (
        (
            "description?inputs?outputs?config?resourceRef*artifactRef*guard?retry?timeout?cases?"
            "loop?subworkflow?wait?security?extension*"
        ),
        (
            "id!:Id type!:Node name: impl: idempotent:Boolean joinPolicy:Join quorum:Positive "
            "compensates:Id"
        ),
    ),
    "inputs": ("input+", ""),
    "outputs": ("output+", ""),
    "input": ("description?", "name!:Id type:Some required:Boolean default: value:"),
    "output": ("description?", "name!:Id type:Some required:Boolean default: value:"),
    "config": ("property+", ""),
    "resourceRef": ("", "ref!:Id role:"),
    "artifactRef": ("", "ref!:Id direction:Direction"),
    "guard": ("", "when!:"),
    "retry": (
        "",
        (
            "maxAttempts!:Attempts backoff:Backoff initialDelay:Duration maxDelay:Duration "
            "multiplier:Decimal jitter:Boolean retryOn:"
        ),
    ),
    "timeout": ("", "duration!:Duration onTimeout:OnTimeout"),
    "cases": ("case+otherwise?", ""),
    "case": ("", "when!: to!:Id"),
    "otherwise": ("", "to!:Id"),
    "loop": (
        "body",
        (
            "kind!:Loop over: var:Id indexVar:Id while: count:Positive maxIterations!:Positive "
            "maxConcurrency:Positive onItemFailure:OnItem"
        ),
    ),
    "body": ("", "ref!:Id"),
    "subworkflow": ("", "href!: digest: specVersion:Version"),
    "wait": ("", "duration:Duration until: event:"),
    "edges": ("edge*", ""),
    "edge": (
        "description?extension*",
        "id:Id from!:Id to!:Id type:Edge fromPort:Id toPort:Id condition:",
    ),
    "extension": (None, "namespace!: required:Boolean"),
    **dict.fromkeys(
        ("title", "description", "author", "organization", "license", "documentVersion", "tag"),
        (None, ""),
    ),
    "created": (None, ""),
    "modified": (None, ""),
}
TEXTS = {name for name, (children, _) in ELEMENTS.items() if children is None} - {"extension"}
DATE = r"-?[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9:]+)?"
#: Whitespace around a value counts only for what is text to the schema.
TYPES = {
    "": r"[\s\S]*",
    "Some": r"[\s\S]+",
    "Id": r"[A-Za-z_][A-Za-z0-9_.\-]{0,254}",
    "Version": r"1\.[0-9]+",
    "Boolean": r"\s*(true|false|1|0)\s*",
    "Positive": r"\s*\+?0*[1-9][0-9]*\s*",
    "Attempts": r"\s*\+?0*([1-9][0-9]{0,2}|1000)\s*",
    "Decimal": r"\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*",
    "Duration": r"\s*P(?=.)([0-9]+D)?(T(?=[0-9])([0-9]+H)?([0-9]+M)?([0-9]+(\.[0-9]+)?S)?)?\s*",
    "Label": "public|internal|confidential|restricted",
    "Resource": "model|compute|datastore|queue|device|service|secretstore",
    "Artifact": "dataset|model|document|image|binary|config|log|report",
    "Node": "task|inference|transform|decision|loop|parallel|barrier|subworkflow|source|sink|wait"
    "|human",
    "Join": "all|any|quorum",
    "Direction": "in|out|inout",
    "Backoff": "none|fixed|linear|exponential",
    "OnTimeout": "fail|skip|retry",
    "OnItem": "fail|continue|break",
    "Loop": "forEach|while|until|times",
    "Edge": "control|data|dependency|error|compensation",
}
CALENDAR = re.compile(r"\s*-?P(?=.*[0-9])([0-9]+Y)?([0-9]+M)?([0-9]+D)?(T[0-9HMS.]+)?\s*")
OWN_CODES = {
    ("harness", "nodes"): "HX-1102",
    ("nodes", "node"): "HX-1102",
    ("cases", "case"): "HX-2206",
}


def schema_faults(root):
    """Layer 1 of chapter 13."""
    if root.tag != f"{NS}harness":
        yield Fault("HX-1001", root)
        return
    yield from _element(root)


def _element(element):
    name = element.tag.removeprefix(NS)
    children, declared = ELEMENTS[name]
    yield from _attributes(element, declared)
    if name == "extension":
        yield from _extension(element)
        return
    yield from _text(element, name, empty=children == "")
    known = []
    for child in element:
        tag = child.tag.removeprefix(NS)
        if child.tag.startswith("{") and not child.tag.startswith(NS):
            yield Fault("HX-1006", child, child.tag)
        elif tag == child.tag or tag not in ELEMENTS:
            yield Fault("HX-1003", child, tag)
        else:
            known.append(child)
    yield from _order(element, name, children, [c.tag.removeprefix(NS) for c in known])
    for child in known:
        yield from _element(child)


def _extension(element):
    if element.get("required", "").strip() in ("true", "1"):
        yield Fault("HX-1004", element, element.get("namespace"))
    for child in element:
        if child.tag.startswith(NS) or not child.tag.startswith("{"):
            yield Fault("HX-1001", child)


def _text(element, name, *, empty):
    """Blanks are no text, but where the schema has an element empty they are too much."""
    said = element.says if empty else element.says.strip()
    if said and name not in TEXTS:
        yield Fault("HX-1001", element, said)
    if name in ("created", "modified") and not re.fullmatch(DATE, said):
        yield Fault("HX-1001", element, said)


def _order(element, name, children, tags):
    pattern = re.sub(r"[A-Za-z]+", lambda m: f"(?:{m[0]},)", children or "").replace(" ", "")
    given = "".join(f"{tag}," for tag in tags)
    twice = name == "metadata" and len(set(tags)) < len(tags)
    if twice or not re.fullmatch(pattern, given):
        lacking = next((c for (n, t), c in OWN_CODES.items() if n == name and t not in tags), None)
        yield Fault(lacking or "HX-1001", element)


def _attributes(element, declared):
    types = dict(part.split(":") for part in declared.split())
    known = {key.rstrip("!"): type_ for key, type_ in types.items()}
    for key, value in element.attrib.items():
        if key.startswith("{"):
            if not key.startswith("{http://www.w3.org/2001/XMLSchema-instance}"):
                yield Fault("HX-1001", element, key)
        elif key not in known:
            yield Fault("HX-1003", element, key)
        elif not re.fullmatch(TYPES[known[key]], value):
            yield Fault(_wrong(element, known[key], value), element, value)
    for key in types:
        if key.endswith("!") and key[:-1] not in element.attrib:
            yield Fault("HX-1002" if key == "specVersion!" else "HX-1001", element)


def _wrong(element, type_, value):
    if type_ == "Node":
        return "HX-1003"
    if type_ == "Version" and element.tag == f"{NS}harness":
        return "HX-1002"
    calendar = CALENDAR.fullmatch(value) if type_ == "Duration" else None
    if calendar and (calendar[1] or calendar[2]) and "-" not in value:
        return "HX-3401"
    return "HX-1001"
