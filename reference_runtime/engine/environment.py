"""What a run finds around itself: resources, bytes and permissions, and other documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["UNSIGNED", "Environment"]

#: Member of ``Environment.refused`` for a document without a good signature (§11.8).
UNSIGNED = "unsigned"


@dataclass(frozen=True, slots=True)
class Environment:
    """The surroundings of an instance and of the subworkflows in it.

    Attributes:
        unresolvable: ids of resources that cannot be resolved (HX-4102).
        bad_digests: ids of artifacts whose bytes do not have their digest (HX-4105).
        refused: what is denied: ``principal:NAME``, ``isolation:NAME``, ``permission:ACTION``
            (HX-4201, HX-4202), or ``unsigned``.
        companions: URI → bytes of documents that subworkflow nodes may name; nothing is fetched.
        secrets: ``store/ref`` of a credential → what it resolves to.
    """

    unresolvable: frozenset[str] = frozenset()
    bad_digests: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()
    companions: Mapping[str, bytes] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)
