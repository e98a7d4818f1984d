"""Documents that contain themselves by way of their subworkflows (§3.2.7, HX-3002).

Only documents that were given are looked at, never a file or an address (§13.4, A192). A document
is known by the URI under which it was given, and the one that is judged by its bytes as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote, urldefrag, urljoin

from reference_runtime.document.model import Harness
from reference_runtime.document.parser import parse
from reference_runtime.validation.rule import Fault, Rule
from reference_runtime.validation.view import View

__all__ = ["RULES"]

#: Name of the document that is judged; URIs of others are never empty.
_SELF = ""
#: Where the document stands that is judged: nobody knows, and deep enough for its references.
_HERE = f"http://_/{'_/' * 64}"
#: What stands in a URI as it is; an href may hold other characters, too (xs:anyURI).
_URI = "%/:?#[]@!$&'()*+,;=~"
#: Documents of a chain that a message names.
_SHOWN = 8


class _Documents:
    """The documents given, and which of them each one uses; read when they are asked for."""

    def __init__(self, view: View) -> None:
        self._companions = {_joined(_HERE, uri): data for uri, data in view.companions.items()}
        self._own = view.document
        self._uses: dict[str, list[str]] = {_SELF: self._links(view.harness, _HERE)}

    def find(self, href: str, base: str) -> str | None:
        """Find the document that a reference means, None if it was not given."""
        uri = _joined(base, href)
        data = self._companions.get(uri)
        if data is None:
            return None
        # The same bytes in another folder are another document: its references differ.
        beside = "/" not in uri.removeprefix(_HERE)
        return _SELF if beside and data == self._own else uri

    def _links(self, harness: Harness, base: str) -> list[str]:
        hrefs = (node.subworkflow.href for node in harness.nodes if node.subworkflow is not None)
        found = (self.find(href, base) for href in hrefs)
        return [uri for uri in found if uri is not None]

    def uses(self, uri: str) -> list[str]:
        """Documents that a document uses; one that cannot be read uses none (HX-4109)."""
        if uri not in self._uses:
            harness = parse(self._companions[uri]).harness
            self._uses[uri] = [] if harness is None else self._links(harness, uri)
        return self._uses[uri]


def _joined(base: str, href: str) -> str:
    """Resolve a reference; one that cannot be resolved stands for itself."""
    try:
        return quote(urldefrag(urljoin(base, href)).url, safe=_URI)
    except ValueError:
        return href


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
    using = [node for node in view.harness.nodes if node.subworkflow is not None]
    if not using or not view.companions:
        return
    documents, done = _Documents(view), set[str]()
    for node in using:
        href = node.subworkflow.href if node.subworkflow is not None else ""
        first = documents.find(href, _HERE)
        chain = [] if first is None else _chain(documents, first, done)
        if chain:
            names = [uri.removeprefix(_HERE) or "this document" for uri in (_SELF, *chain)]
            shown = [*names[:_SHOWN], *(["…", names[-1]] if len(names) > _SHOWN else [])]
            yield Fault(
                view.source.part_of(node, "subworkflow"),
                href,
                f"Node {node.id!r} runs a document that runs itself: {' → '.join(shown)}. "
                "Break the chain; repetition is what loop nodes are for.",
            )


RULES = (Rule("HX-3002", "3.2.7", "error", recursive_subworkflows),)
