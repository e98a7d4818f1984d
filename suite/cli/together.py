"""Documents that are given together: which of them each one uses, by the URIs it has for them.

A reference means a document when it leads to the file that was given, whatever its spelling: by
another path, through a link, as a ``file:`` URI, with percent signs. Links are followed as names;
no file is opened, and nothing of another host is looked up (§13.4). Only documents from which a
way leads back to a document are sent along: no others can be part of a recursion (HX-3002).
"""

import os
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from typing import Final, NamedTuple
from urllib.parse import unquote_to_bytes

__all__ = ["Given", "companions_of"]

#: Attribute values that may be references, in whatever encoding of ASCII.
_HREF: Final = re.compile(rb"\bhref\s*=\s*(?:\"([^\"<]*)\"|'([^'<]*)')")
#: Documents without it use no other documents.
_SUBWORKFLOW: Final = b"subworkflow"
#: Scheme, authority, path and query of a reference (RFC 3986, appendix B).
_PARTS: Final = re.compile(r"(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(\?[^#]*)?", re.DOTALL)
_LOCAL: Final = (None, "", "localhost")
#: URIs that one document can have for another one, by the folders between them; with links that
#: lead upwards there is no end of them.
_SPELLINGS: Final = 16


class Given(NamedTuple):
    """A document; ``path`` is the name of its file, None if it is not known to have one."""

    path: str | None
    data: bytes


def _place(path: str | None) -> str:
    """Path from which references start: that of the file as it was named."""
    if path is None:
        return f"{os.getcwd()}/"  # noqa: PTH109 - text, as all of it
    named = os.path.abspath(path)  # noqa: PTH100 - links stay links
    real = os.path.realpath(path)
    return named if os.path.realpath(named) == real else real


def _hrefs(data: bytes) -> list[str]:
    """Return what may be a reference to a document, each once."""
    plain = data.replace(b"\0", b"")
    if _SUBWORKFLOW not in plain:
        return []
    found = dict.fromkeys(one or other for one, other in _HREF.findall(plain))
    return [unescape(text.decode("utf-8", "replace")).strip() for text in found]


def _file_meant(href: str, place: str) -> str | None:
    """Return the path to which a reference of the document at ``place`` leads on this host."""
    parts = _PARTS.match(href)
    scheme, authority, path, query = parts.groups() if parts else (None, None, "", None)
    if (scheme or "file").lower() != "file" or (authority or "").lower() not in _LOCAL or query:
        return None
    if not path:
        return place if scheme is None and authority is None else None
    name = os.fsdecode(unquote_to_bytes(path))
    if "\0" in name:
        return None
    # Not more than one slash in front: two of them would mean another host on some systems.
    joined = os.path.join(os.path.dirname(place), re.sub("^/+", "/", name))  # noqa: PTH118, PTH120
    return os.path.normpath(joined)


def _uri_of(base: str, href: str) -> str:
    """Return what a reference resolves to, relative where the base is; without fragment."""
    reference = href.partition("#")[0]
    parts, above = _PARTS.match(reference), _PARTS.match(base)
    if not base or parts is None or above is None or parts[1] is not None or parts[2] is not None:
        return reference
    head = base[: above.start(3)]
    path = posixpath.join(posixpath.dirname(above[3]), parts[3]) if parts[3] else above[3]
    return f"{head}{posixpath.normpath(path)}"


#: Document by its number → its references and the numbers of the documents that they mean.
_Uses = list[list[tuple[str, int]]]


def _uses(documents: Sequence[Given]) -> _Uses:
    places = [_place(document.path) for document in documents]
    by_name: dict[str, int] = {}
    for number, document in reversed(list(enumerate(documents))):
        if document.path is not None:
            by_name[os.path.realpath(places[number])] = number
    for number, document in reversed(list(enumerate(documents))):
        if document.path is not None:
            by_name[places[number]] = number

    def meant(number: int, href: str) -> int | None:
        path = _file_meant(href, places[number])
        if path is None or path in by_name:
            return number if path == places[number] else by_name.get(path or "")
        return by_name.get(os.path.realpath(path))

    uses: _Uses = []
    for number, document in enumerate(documents):
        found = ((href, meant(number, href)) for href in _hrefs(document.data))
        uses.append([(href, other) for href, other in found if other is not None])
    return uses


def _leading_back(uses: _Uses) -> set[int]:
    """Return the documents from which a way leads to a document that comes again."""
    users: dict[int, list[int]] = {}
    left = [len(used) for used in uses]
    for number, used in enumerate(uses):
        for _, other in used:
            users.setdefault(other, []).append(number)
    waiting = [number for number, count in enumerate(left) if not count]
    for number in waiting:
        for user in users.get(number, ()):
            left[user] -= 1
            if not left[user]:
                waiting.append(user)
    return {number for number, count in enumerate(left) if count}


def companions_of(documents: Sequence[Given]) -> Iterator[Mapping[str, bytes]]:
    """Yield for each document the others that it uses, at any depth, by their URIs.

    A URI is the one that the document itself has for it, or to which the references in its
    companions resolve; the document is among them where it is named by a path.
    """
    uses = _uses(documents)
    back = _leading_back(uses)
    for number in range(len(documents)):
        companions: dict[str, bytes] = {}
        waiting = [("", number)] if number in back else []
        for base, user in waiting:
            for href, used in uses[user]:
                uri = _uri_of(base, href)
                if used not in back or not uri or uri in companions:
                    continue
                if len(companions) < _SPELLINGS * len(back):
                    companions[uri] = documents[used].data
                    waiting.append((uri, used))
        yield companions
