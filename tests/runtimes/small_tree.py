"""A document as elements that know their line and their parent, read with expat.

Part of the two small runtimes of this folder; see ``small_gate``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree import ElementTree
from xml.parsers import expat

DECLARED = re.compile(rb"^\s*<\?xml[^>]*encoding\s*=\s*[\"']([\w.-]+)")


class Placed(ElementTree.Element):
    """An element, and where it stands."""

    line = 0
    parent = None
    #: Where it holds text of its own.
    says = ""


@dataclass(frozen=True)
class Fault:
    """What is wrong with an element."""

    code: str
    at: Placed | None = None
    value: str | None = None
    severity: str = "error"

    def near(self):
        """The nearest id: of an edge without one that of its source, else from outside."""
        around = self.at
        while around is not None:
            if name := around.get("id", around.get("from")):
                return name
            around = around.parent
        return None

    def finding(self):
        """The fault in the words of the protocol."""
        found = {
            "code": self.code,
            "severity": self.severity,
            "line": None if self.at is None else self.at.line,
            "near": self.near(),
            "value": self.value,
        }
        return {key: value for key, value in found.items() if value is not None}


class Unreadable(Exception):  # noqa: N818 -- it is what it says
    """A document that has no tree, with the code of that."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


def read(content):
    """The root of a document, or ``Unreadable``."""
    declared = DECLARED.match(content)
    try:
        content.decode()
    except UnicodeDecodeError:
        raise Unreadable("HX-1005") from None
    if b"\0" in content or (declared and declared[1].lower() not in (b"utf-8", b"utf8")):
        raise Unreadable("HX-1005")
    parser = expat.ParserCreate(namespace_separator="}")
    open_, roots = [], []

    def name(word):
        return "{" + word if "}" in word else word

    def start(tag, attributes):
        element = Placed(name(tag), {name(k): v for k, v in attributes.items()})
        element.line = parser.CurrentLineNumber
        if open_:
            element.parent = open_[-1]
            open_[-1].append(element)
        else:
            roots.append(element)
        open_.append(element)

    def text(words):
        open_[-1].says += words

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _tag: open_.pop()
    parser.CharacterDataHandler = text
    try:
        parser.Parse(content, True)  # noqa: FBT003 -- expat takes it by position only
    except expat.ExpatError:
        raise Unreadable("HX-1001") from None
    return roots[0]
