"""Rules of what surrounds a node: who it acts as, what it may do, what it trusts (§9, §11)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Final

from reference_runtime.document.model import Artifact, Security

__all__ = ["SURROUNDINGS", "SurroundingsRules", "denials", "in_force", "without_secrets"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SurroundingsRules:
    """The part of the rules about security and about what lies outside of the document.

    Attributes:
        in_force: §11.2, security of a node, by that of the document and its own.
        denials: §11, what the environment may deny to a node, as (kind, name).
        codes: §11.3, §11.4, §11.6, code of a denial by its kind; without one it has no effect.
        label: §9.3, classification that a node finds on an artifact, by that of the artifact
            and its own: that of the artifact.
        unsigned_refused: §11.8, whether a document is refused that lacks a required signature.
        verifies: §9.2.1, whether the digest of an artifact is compared.
        told: §11.7, what is told of a text, by the values of resolved credentials.
    """

    in_force: Callable[[Security | None, Security | None], Security | None]
    denials: Callable[[Security], tuple[tuple[str, str], ...]]
    codes: Mapping[str, str]
    label: Callable[[str | None, str | None], str | None]
    unsigned_refused: bool
    verifies: Callable[[Artifact], bool]
    told: Callable[[str, Collection[str]], str]


def in_force(whole: Security | None, own: Security | None) -> Security | None:
    """What a node says about itself wins, attribute by attribute."""
    if whole is None or own is None:
        return own or whole
    return Security(
        principal=whole.principal if own.principal is None else own.principal,
        classification=own.classification or whole.classification,
        isolation=whole.isolation if own.isolation is None else own.isolation,
        permissions=own.permissions or whole.permissions,
    )


def denials(security: Security) -> tuple[tuple[str, str], ...]:
    """Principal and isolation before the permissions, which belong to the principal."""
    one = (("principal", security.principal), ("isolation", security.isolation))
    named = tuple((kind, name) for kind, name in one if name is not None)
    return (*named, *(("permission", item.action) for item in security.permissions))


def without_secrets(text: str, secrets: Collection[str]) -> str:
    """Whoever wrote the text; the longest first, as one secret may hold another."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, "[secret]")
    return text


SURROUNDINGS: Final = SurroundingsRules(
    in_force=in_force,
    denials=denials,
    codes={"principal": "HX-4201", "isolation": "HX-4201", "permission": "HX-4202"},
    label=lambda artifact, _reader: artifact,
    unsigned_refused=True,
    verifies=lambda artifact: artifact.digest is not None,
    told=without_secrets,
)
