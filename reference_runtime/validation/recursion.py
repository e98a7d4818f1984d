"""Documents that contain themselves by way of their subworkflows (§3.2.7, HX-3002).

Only documents that were given are looked at, never a file or an address (§13.4, A192). A document
is known by the URI under which it was given, and the one that is judged by its bytes as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from reference_runtime.document.model import Harness, Node
from reference_runtime.document.parser import parse
from reference_runtime.document.source import Source
from reference_runtime.validation.rule import Fault, Rule
from reference_runtime.validation.uris import is_beside, resolve
from reference_runtime.validation.view import View

__all__ = ["RULES"]

#: URI of the document that is judged, relative to itself; references without a path mean it.
_SELF = ""
#: Documents of a chain that a message names.
_SHOWN = 8


def _references(harness: Harness, source: Source) -> Iterator[tuple[Node, str]]:
    """Yield the nodes that name a document, and the name; a missing one is no empty one."""
    for node in harness.nodes:
        if node.subworkflow is not None:
            href = source.part_of(node, "subworkflow").get("href")
            if href is not None:
                yield node, href


class _Documents:
    """The documents given, and which of them each one uses; read when they are asked for."""

    def __init__(self, view: View) -> None:
        self._companions = {resolve(_SELF, uri): data for uri, data in view.companions.items()}
        self._own = view.document
        self._uses = {_SELF: self._found(view.harness, view.source, _SELF)}

    def find(self, href: str, base: str) -> str | None:
        """Find the document that a reference means, None if it was not given."""
        uri = resolve(base, href)
        if uri == _SELF:
            return _SELF
        data = self._companions.get(uri)
        if data is None:
            return None
        # The same bytes in another folder are another document: its references differ.
        return _SELF if data == self._own and is_beside(uri) else uri

    def _found(self, harness: Harness, source: Source, base: str) -> list[str]:
        hrefs = dict.fromkeys(href for _, href in _references(harness, source))
        found = (self.find(href, base) for href in hrefs)
        return [uri for uri in found if uri is not None]

    def uses(self, uri: str) -> list[str]:
        """Documents that a document uses; one that cannot be read uses none (HX-4109)."""
        if uri not in self._uses:
            read = parse(self._companions[uri])
            self._uses[uri] = (
                []
                if read.harness is None or read.source is None
                else self._found(read.harness, read.source, uri)
            )
        return self._uses[uri]


def _chain(documents: _Documents, first: str, done: set[str]) -> list[str]:
    """Walk from a document to one that comes again; empty if none does.

    ``done`` are documents that lead to none; it grows.
    """
    if first == _SELF or first in done:
        return [_SELF] if first == _SELF else []
    path, work = [first], [iter(documents.uses(first))]
    open_ = {_SELF, first}
    while work:
        following = next(work[-1], None)
        if following is None:
            work.pop()
            done.add(path[-1])
            open_.discard(path.pop())
        elif following in open_:
            return [*path, following]
        elif following not in done:
            path.append(following)
            open_.add(following)
            work.append(iter(documents.uses(following)))
    return []


def recursive_subworkflows(view: View) -> Iterator[Fault]:
    """No document runs itself as its own subworkflow, at any depth."""
    references = list(_references(view.harness, view.source))
    if not references:
        return
    documents, done = _Documents(view), set[str]()
    for node, href in references:
        first = documents.find(href, _SELF)
        chain = [] if first is None else _chain(documents, first, done)
        if chain:
            names = [uri or "this document" for uri in (_SELF, *chain)]
            shown = [*names[:_SHOWN], *(["…", names[-1]] if len(names) > _SHOWN else [])]
            yield Fault(
                view.source.part_of(node, "subworkflow"),
                href,
                f"Node {node.id!r} runs a document that runs itself: {' → '.join(shown)}. "
                "Break the chain; repetition is what loop nodes are for.",
            )


RULES = (Rule("HX-3002", "3.2.7", "error", recursive_subworkflows),)
