"""What looks like a secret, and how a finding shows it: never the value (§14.5).

Sure are the header of a private key and keys whose issuer gives them a prefix and a length.
Other shapes often are secrets: a beginning of such a key with digits, a signed token, a password
inside an address. Both kinds are hidden in every message.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["HIDDEN", "hidden", "is_perhaps_secret", "is_secret", "mask", "mask_message"]

#: What stands in a message for text that is not shown.
HIDDEN: Final = "…"

#: Shapes that are nothing but a secret; a key begins and ends at the edge of a word.
_SECRETS: Final = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"
    r"|\bgh[pousr]_[A-Za-z0-9]{36,}\b"
    r"|\bgithub_pat_[A-Za-z0-9_]{60,}\b"
    r"|\bglpat-[0-9A-Za-z_-]{20,}"
    r"|\bxox[abprs]-[0-9A-Za-z-]{20,}"
    r"|\bsk-(?:[a-z]+-)?[A-Za-z0-9]{32,}\b"
    r"|\bsk-ant-[a-z0-9]+-[0-9A-Za-z_-]{40,}"
    r"|\b[rs]k_live_[0-9A-Za-z]{16,}\b"
    r"|\bAIza[0-9A-Za-z_-]{35}"
)

#: Shapes that often are one. What follows the @ of an image's digest makes no password of a tag.
_PERHAPS: Final = re.compile(
    r"(?<![A-Za-z0-9_-])(?:sk|pk|rk|gh[pousr]|xox[abprs]|glpat|npm|hf)[-_]"
    r"(?=[A-Za-z0-9_-]{0,60}[0-9])[A-Za-z0-9_-]{16,}"
    r"|\bhf_[A-Za-z]{30,60}\b"
    r"|\bSG\.[A-Za-z0-9_-]{20,30}\.[A-Za-z0-9_-]{20,}"
    r"|\b(?:dop_v1|shp(?:at|ca|pa|ss))_[0-9a-f]{32,}\b"
    r"|\bya29\.(?=[A-Za-z0-9_-]{0,60}[0-9])[A-Za-z0-9_-]{20,}"
    r"|(?<=[Bb]earer )(?=[A-Za-z0-9._~+/-]{0,60}[0-9])[A-Za-z0-9._~+/-]{16,}"
    r"|(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+"
    r"|\b[a-z][a-z0-9+.-]{1,20}://[^/\s:@$]{0,200}:[^/\s@${]{1,200}@(?!(?:sha\d+|md5|blake\w+):)"
)

#: Both, with all that may belong to a private key, and signed tokens that end early.
_SHOWN_MASKED: Final = re.compile(
    rf"-----BEGIN [A-Z0-9 ]{{0,40}}PRIVATE KEY[^'\"]*|{_SECRETS.pattern}|{_PERHAPS.pattern}"
    r"|(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9_-]+)*"
)
#: What some shape above contains; most texts hold none of these, and looking is cheap.
_MARKS: Final = (
    *("BEGIN ", "AKIA", "ASIA", "AIza", "eyJ", "://", "glpat", "npm", "hf-", "hf_"),
    *("SG.", "dop_v1_", "shp", "ya29.", "earer "),
    *("xox", "sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "github_pat_"),
    *(f"gh{letter}{end}" for letter in "pousr" for end in "-_"),
)
#: What a message quotes, if it is long enough to be a piece of a secret.
_QUOTED: Final = re.compile(r"'([^'\n]{8,})'")
#: Characters of a text that are searched: looking at thirty million takes too long.
_SEARCHED: Final = 2_000_000
#: Characters of a secret that a message shows, and of how many at least.
_SHOWN: Final = 4
_LONG: Final = 16


def _find(shapes: re.Pattern[str], text: str) -> re.Match[str] | None:
    marked = any(mark in text for mark in _MARKS)
    return shapes.search(text, 0, _SEARCHED) if marked else None


def is_secret(text: str) -> bool:
    """Tell whether a text holds what can only be a secret."""
    return _find(_SECRETS, text) is not None


def is_perhaps_secret(text: str) -> bool:
    """Tell whether a text holds what often is a secret."""
    return _find(_PERHAPS, text) is not None


def _hide(match: re.Match[str]) -> str:
    scheme, is_address, _ = match[0].partition("://")
    if is_address:
        return f"{scheme}://{HIDDEN}@"
    return f"{match[0][:_SHOWN]}{HIDDEN}" if len(match[0]) >= _LONG else HIDDEN


def mask(text: str) -> str:
    """Return the text with the beginning only of whatever looks like a secret."""
    if _find(_SHOWN_MASKED, text) is None:
        return text
    return _SHOWN_MASKED.sub(_hide, text)


def hidden(text: str) -> str:
    """Return of a text with a secret only how that begins; nothing of any other text."""
    match = _find(_SHOWN_MASKED, text)
    return HIDDEN if match is None else _hide(match)


def mask_message(text: str, value: str) -> str:
    """Mask a message about a value: neither secrets nor quoted pieces of those in the value."""
    if _find(_SHOWN_MASKED, value) is None:
        return mask(text)
    secrets = "\n".join(match[0] for match in _SHOWN_MASKED.finditer(value))
    pieces = _QUOTED.sub(lambda piece: f"'{HIDDEN}'" if piece[1] in secrets else piece[0], text)
    return mask(pieces)
