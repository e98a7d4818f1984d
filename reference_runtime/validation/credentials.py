"""Rules about secrets: a document names where a secret is kept and never holds one (§1.5).

Sure are the header of a private key and keys whose issuer gives them a prefix and a length.
A literal under the name of a password is only suspicious: a warning (§11.7).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from reference_runtime.validation.rule import Fault, Rule
from reference_runtime.validation.view import View

__all__ = ["RULES"]

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

#: Shapes that often are one: the beginning of such a key with digits in what follows, a signed
#: token, and a password inside an address.
_PERHAPS: Final = re.compile(
    r"\b(?:sk|pk|rk|gh[pousr]|xox[abprs]|glpat|npm|hf)[-_]"
    r"(?=[A-Za-z0-9_-]{0,60}[0-9])[A-Za-z0-9_-]{16,}"
    r"|\beyJ[A-Za-z0-9_-]{10,999}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+"
    r"|\b[a-z][a-z0-9+.-]{1,20}://[^/\s:@$]{1,200}:[^/\s@$]{1,200}@"
)

#: Names of properties under which a literal is suspicious.
_NAMES: Final = re.compile(
    r"(?:^|[._-])(?:pass(?:word|wd|phrase)?|secret|token|api[._-]?key|private[._-]?key)$",
    re.IGNORECASE,
)
_EXPRESSION: Final = re.compile(r"(?<!\$)\$\{")
#: Characters of a secret that a message shows.
_SHOWN: Final = 4


def _literals(view: View) -> Iterator[tuple[object, str, str, str]]:
    """Yield (where, place, name, text) of every property and port value."""
    harness = view.harness
    for resource in harness.resources:
        for one in resource.properties:
            yield one, "property", one.name, one.value
    for artifact in harness.artifacts:
        for one in artifact.properties:
            yield one, "property", one.name, one.value
    for node in harness.nodes:
        for one in node.config:
            yield one, "config/property", one.name, one.value
        for port in (*node.inputs, *node.outputs):
            for place, text in (("@value", port.value), ("@default", port.default)):
                if text is not None:
                    yield port, f"port {place}", port.name, text


def _fault(where: object, place: str, name: str, text: str, what: str) -> Fault:
    shown = f"{text.strip()[:_SHOWN]}…"
    return Fault(
        where,
        shown,
        f"{place} {name!r} holds {what} ({shown}); a document refers to a secret and never "
        'holds one. Declare a resource with <credential ref="…"/>.',
    )


def literal_secrets(view: View) -> Iterator[Fault]:
    """No property and no port value holds a secret."""
    for where, place, name, text in _literals(view):
        if _SECRETS.search(text):
            yield _fault(where, place, name, text, "a credential")


def suspicious_literals(view: View) -> Iterator[Fault]:
    """A literal under the name of a secret, or of the look of one, is worth a look."""
    for where, place, name, text in _literals(view):
        named = text.strip() and not _EXPRESSION.search(text) and _NAMES.search(name)
        if (named or _PERHAPS.search(text)) and not _SECRETS.search(text):
            yield _fault(where, place, name, text, "what may be a credential")


RULES = (
    Rule("HX-3501", "1.5", "error", literal_secrets),
    Rule("HX-3501", "11.7", "warning", suspicious_literals),
)
