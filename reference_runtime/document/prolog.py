"""What is refused before an XML parser sees it: size, encoding, DOCTYPE.

A document type is where entities, external files and most attacks on parsers come from, and the
format has none. The check reads only the prolog, so it costs nothing.
"""

from __future__ import annotations

import re

from reference_runtime.document.finding import Finding

__all__ = ["MAX_BYTES", "UTF8_MARK", "check_prolog", "stop"]

#: Largest document that is read; 100,000 nodes with edges take about 7 MiB, with much in them 30.
MAX_BYTES = 32 * 1024 * 1024

#: May begin a document; no place counts it.
UTF8_MARK = b"\xef\xbb\xbf"
#: First bytes → encoding; longer marks first. Without a mark, '<' shows the width of units.
_OTHER_ENCODINGS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"<\x00\x00\x00", "UTF-32"),
    (b"\x00\x00\x00<", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
    (b"<\x00", "UTF-16"),
    (b"\x00<", "UTF-16"),
    (b"\x4c\x6f\xa7\x94", "EBCDIC"),
)
_DECLARED = re.compile(rb"<\?xml\s[^>]*?\bencoding\s*=\s*[\"']([^\"'>]*)[\"']")
_UTF8_NAMES = {"utf-8", "utf8"}
_MISC = re.compile(rb"\s+|<!--.*?-->|<\?.*?\?>", re.DOTALL)


def stop(code: str, document: bytes, at: int, value: str, message: str) -> Finding:
    """Make the one finding after which nothing else can be checked (§14.6); ``at`` in bytes."""
    before = document[:at]
    start = before.rfind(b"\n") + 1
    return Finding(
        code=code,
        severity="error",
        line=before.count(b"\n") + 1,
        column=len(before[start:].decode("utf-8", "replace")) + 1,
        near="",
        value=value,
        message=f"{message} Nothing after this place was checked.",
    )


def _check_encoding(document: bytes) -> Finding | None:
    for mark, encoding in _OTHER_ENCODINGS:
        if document.startswith(mark):
            message = f"The document is {encoding}, expected UTF-8. Save it as UTF-8."
            return stop("HX-1005", document, 0, encoding, message)
    declared = _DECLARED.match(document)
    if declared is not None:
        name = declared[1].decode("ascii", "replace")
        if name.lower() not in _UTF8_NAMES:
            message = (
                f"The document declares the encoding {name[:40]!r}, expected UTF-8. "
                "Save it as UTF-8 and correct the declaration."
            )
            return stop("HX-1005", document, declared.start(1), name[:40], message)
    try:
        document.decode("utf-8")
    except UnicodeDecodeError as error:
        value = document[error.start : error.start + 1].hex()
        message = f"The byte 0x{value} is not UTF-8 here ({error.reason}). Save it as UTF-8."
        return stop("HX-1005", document, error.start, f"0x{value}", message)
    return None


def check_prolog(document: bytes) -> Finding | None:
    """Return why a document cannot be parsed at all, None if it may be tried."""
    if len(document) > MAX_BYTES:
        message = (
            f"Limit of this runtime, not of the format: the document has {len(document)} bytes, "
            f"at most {MAX_BYTES} are read. Split it into subworkflows."
        )
        return stop("HX-1001", b"", 0, "", message)
    body = document.removeprefix(UTF8_MARK)
    fault = _check_encoding(body)
    if fault is not None:
        return fault
    at = 0
    while (match := _MISC.match(body, at)) is not None:
        at = match.end()
    if body.startswith(b"<!DOCTYPE", at):
        message = (
            "The document has a DOCTYPE; the format has no document type and no entities beyond "
            "the five of XML. Remove it."
        )
        return stop("HX-1001", body, at, "<!DOCTYPE", message)
    return None
