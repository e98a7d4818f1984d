"""Rules about secrets: a document names where a secret is kept and never holds one (§1.5).

Sure are the shapes that ``masking`` knows for sure. Its other shapes, and a literal under the
name of a password, are only suspicious: a warning (§11.7).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from reference_runtime.document.masking import HIDDEN, hidden, is_perhaps_secret, is_secret
from reference_runtime.validation.rule import Fault, Rule
from reference_runtime.validation.view import View

__all__ = ["RULES"]

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


#: What to do about a secret, by the place at which it stands.
_ADVICE: Final = {
    "credential/@ref": "Remove it, and name the secret as its store knows it.",
    "resource/@uri": 'Take it out of the address, and name it in <credential ref="…"/>.',
}
_OTHER_ADVICE: Final = 'Declare a resource with <credential ref="…"/>.'


def _fault(where: object, place: str, text: str, what: str) -> Fault:
    """Report a secret with its beginning, if it has a beginning that all of its kind share."""
    shown = hidden(text)
    told = "" if shown == HIDDEN else f" ({shown})"
    return Fault(
        where,
        shown,
        f"{place} holds {what}{told}; a document refers to a secret and never "
        f"holds one. {_ADVICE.get(place, _OTHER_ADVICE)}",
    )


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
        if is_secret(text):
            yield _fault(where, f"{place} {name!r}", text, "a credential")
    for where, place, text in _references(view):
        if is_secret(text):
            yield _fault(where, place, text, "a credential")


def suspicious_literals(view: View) -> Iterator[Fault]:
    """A literal under the name of a secret, or of the look of one, is worth a look."""
    for where, place, name, text in _literals(view):
        if (_is_named(name, text) or is_perhaps_secret(text)) and not is_secret(text):
            yield _fault(where, f"{place} {name!r}", text, "what may be a credential")
    for where, place, text in _references(view):
        if is_perhaps_secret(text) and not is_secret(text):
            yield _fault(where, place, text, "what may be a credential")


RULES = (
    Rule("HX-3501", "1.5", "error", literal_secrets),
    Rule("HX-3501", "11.7", "warning", suspicious_literals),
)
