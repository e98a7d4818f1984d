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
    r"|\b[a-z][a-z0-9+.-]{1,20}://[^/\s:@$]{0,200}:[^/\s@${]{1,200}@"
)

#: Names of properties under which a literal is suspicious, also at the end of dbPassword and the
#: like. Most tokens are pieces of text: with a capital they count beside what they open.
_NAMES: Final = re.compile(
    r"(?:^|[._-])(?i:pass(?:word|wd|phrase)?|pwd|secret|token|(?:api|private|access|secret)[._-]?key)$"
    r"|(?<=[a-z0-9])(?:Pass(?:word|wd|phrase)|Pwd|Secret|(?:Api|Private|Access|Secret)[kK]ey)$"
    r"|(?i:access|auth|bearer|refresh|session|api)[Tt]oken$"
)
_EXPRESSION: Final = re.compile(r"(?<!\$)\$\{")
#: Texts that stand for a value from elsewhere, or for none.
_PLACEHOLDER: Final = re.compile(
    r"\$\$?\{[^}]*\}|\{\{[^}]*\}\}|\$[A-Z_][A-Z0-9_]*|%\w+%|<[^<>]*>|[*.]+|true|false|"
)
#: What some shape above contains; most texts hold none of these, and looking is cheap.
_MARKS: Final = (
    *("BEGIN ", "AKIA", "ASIA", "AIza", "eyJ", "://", "glpat", "npm", "hf-", "hf_"),
    *("xox", "sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "github_pat_"),
    *(f"gh{letter}{end}" for letter in "pousr" for end in "-_"),
)
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


def _references(view: View) -> Iterator[tuple[object, str, str]]:
    """Yield (where, place, text) of references and addresses: no secret stands there (§1.5)."""
    for resource in view.harness.resources:
        if resource.uri is not None:
            yield resource, "resource/@uri", resource.uri
        if resource.credential is not None:
            where = view.source.part_of(resource, "credential")
            yield where, "credential/@ref", resource.credential.ref
    for artifact in view.harness.artifacts:
        if artifact.uri is not None:
            yield artifact, "artifact/@uri", artifact.uri


def _fault(where: object, place: str, text: str, what: str) -> Fault:
    shown = f"{text.strip()[:_SHOWN]}…"
    return Fault(
        where,
        shown,
        f"{place} holds {what} ({shown}); a document refers to a secret and never "
        'holds one. Declare a resource with <credential ref="…"/>.',
    )


def _has(shapes: re.Pattern[str], text: str) -> bool:
    return any(mark in text for mark in _MARKS) and shapes.search(text) is not None


def _is_named(name: str, text: str) -> bool:
    """Tell whether a literal stands under the name of a secret."""
    return (
        _NAMES.search(name) is not None
        and _PLACEHOLDER.fullmatch(text.strip()) is None
        and _EXPRESSION.search(text) is None
    )


def literal_secrets(view: View) -> Iterator[Fault]:
    """No property and no port value holds a secret."""
    for where, place, name, text in _literals(view):
        if _has(_SECRETS, text):
            yield _fault(where, f"{place} {name!r}", text, "a credential")
    for where, place, text in _references(view):
        if _has(_SECRETS, text):
            yield _fault(where, place, text, "a credential")


def suspicious_literals(view: View) -> Iterator[Fault]:
    """A literal under the name of a secret, or of the look of one, is worth a look."""
    for where, place, name, text in _literals(view):
        if (_is_named(name, text) or _has(_PERHAPS, text)) and not _has(_SECRETS, text):
            yield _fault(where, f"{place} {name!r}", text, "what may be a credential")
    for where, place, text in _references(view):
        if _has(_PERHAPS, text) and not _has(_SECRETS, text):
            yield _fault(where, place, text, "what may be a credential")


RULES = (
    Rule("HX-3501", "1.5", "error", literal_secrets),
    Rule("HX-3501", "11.7", "warning", suspicious_literals),
)
