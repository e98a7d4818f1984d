"""URIs as names of documents: what a reference resolves to, in one spelling (RFC 3986).

Where a document stands that has no URI is not known. It is the empty URI, and what its references
resolve to stays relative, with ``..`` in front where they lead out of its folder.
"""

from __future__ import annotations

import re
from typing import Final, cast
from urllib.parse import quote

__all__ = ["is_beside", "resolve"]

#: Parts of any text as a reference (appendix B); the fragment is dropped.
_PARTS: Final = re.compile(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]*):)?(?://(?P<authority>[^/?#]*))?"
    r"(?P<path>[^?#]*)(?P<query>\?[^#]*)?(?:#.*)?",
    re.DOTALL,
)
#: What stands in a URI as it is; an href may hold other characters, too (xs:anyURI).
_URI: Final = "%/:?#[]@!$&'()*+,;=~"
_COLON: Final = re.compile(r"[^/]*:")
_ESCAPED: Final = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED: Final = re.compile(r"[A-Za-z0-9._~-]")
#: Port that a scheme has when none is named (§6.2.3 there).
_PORTS: Final = {"http": ":80", "https": ":443"}
_XML_SPACE: Final = " \t\r\n"


def _one_spelling(escape: re.Match[str]) -> str:
    """Write an escape with capitals, or as the character that needs none."""
    character = chr(int(escape[1], 16))
    return character if _UNRESERVED.fullmatch(character) else escape[0].upper()


def _without_dots(path: str) -> str:
    """Walk ``.`` and ``..``; a relative path keeps those that lead out of its folder."""
    absolute = path.startswith("/")
    kept: list[str] = []
    segments = path.removeprefix("/").split("/")
    for segment in segments:
        if segment == ".." and kept and kept[-1] != "..":
            kept.pop()
        elif segment == ".." and absolute:
            continue
        elif segment != ".":
            kept.append(segment)
    if segments[-1] == "." or (segments[-1] == ".." and kept[-1:] != [".."]):
        kept.append("")
    walked = "/".join(kept)
    if absolute:
        return f"/{walked}"
    # The folder of the document is not the document, and a colon ends no scheme here.
    return f"./{walked}" if not walked or walked[0] == "/" or _COLON.match(walked) else walked


def _parts(text: str) -> re.Match[str]:
    """Take a text apart; every text has these parts."""
    return cast("re.Match[str]", _PARTS.fullmatch(text))


def _authority(scheme: str, authority: str | None) -> str | None:
    if scheme == "file":
        return "" if authority is None or authority.lower() == "localhost" else authority.lower()
    if authority is None:
        return None
    user, at, host = authority.rpartition("@")
    return f"{user}{at}{host.lower().removesuffix(_PORTS.get(scheme, ':')).removesuffix(':')}"


def resolve(base: str, reference: str) -> str:
    """Resolve a reference against the URI of its document (§5.2.2 there), without its fragment.

    Two spellings that mean the same by the rules of URIs come out the same; nothing is looked up.
    """
    text = _ESCAPED.sub(_one_spelling, quote(reference.strip(_XML_SPACE), safe=_URI))
    own, above = _parts(text), _parts(base)
    scheme = (own["scheme"] or above["scheme"] or "").lower()
    authority, path, query = own["authority"], own["path"], own["query"]
    if own["scheme"] is None and authority is None:
        authority = above["authority"]
        if not path:
            path, query = above["path"], query or above["query"]
        elif not path.startswith("/"):
            folder = above["path"].rpartition("/")[0]
            rooted = "/" in above["path"] or (authority is not None and not above["path"])
            path = f"{folder}/{path}" if rooted else path
    authority = _authority(scheme, authority)
    if authority is not None and not path.startswith("/"):
        path = f"/{path}"
    start = f"{scheme}:" * bool(scheme) + ("" if authority is None else f"//{authority}")
    opaque = scheme and not path.startswith("/")
    return f"{start}{_without_dots(path) if path and not opaque else path}{query or ''}"


def is_beside(uri: str) -> bool:
    """Tell whether a document stands in the folder of the document whose place is not known."""
    return not _parts(uri)["scheme"] and "/" not in uri.partition("?")[0]
