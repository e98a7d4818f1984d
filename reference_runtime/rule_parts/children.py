"""Rules of subworkflows: what is loaded, what goes in and out, how the child's end counts (§3.2.7).

The text gives a node and its code for documents that cannot be loaded; how values travel and
how outcomes translate it leaves open (A153). Readings: the instance of the child gets the inputs
of the node by name, at its source nodes and at inputs that nothing inside feeds; the outputs of
the node are taken by name from sinks and from other nodes that nothing follows; every outcome but
``succeeded`` fails the attempt.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from reference_runtime.document.model import Node

__all__ = ["CHILDREN", "ChildRules", "digest_matches"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildRules:
    """The part of the rules about subworkflows.

    Attributes:
        intact: §3.2.7, whether bytes have the declared digest, None for none declared.
        validates: §5.1, whether a document inside passes the gate that every document passes.
        repeats: §1.7, whether a document is executed again in a run.
        missing: §14.2, state of a node whose document cannot be had.
        nesting: most documents inside each other, the outermost one included.
        receives: whether a node delivers the inputs of the subworkflow node as its outputs.
        delivers: what the subworkflow node takes as its outputs from a node, ``inputs`` or
            ``outputs``, by the node and the number of its outgoing forward edges.
        ends: §5.7, whether the attempt ends with the child, by the outcome of the child.
        succeeded: whether the attempt has succeeded, by the outcome of the child.
        stops_child: §5.3.2, §8.4.1, whether the child is cancelled with its node.
    """

    intact: Callable[[bytes, str | None], bool]
    validates: bool
    repeats: bool
    missing: str
    nesting: int
    receives: Callable[[Node], bool]
    delivers: Callable[[Node, int], tuple[str, ...]]
    ends: Callable[[str], bool]
    succeeded: Callable[[str], bool]
    stops_child: bool


def digest_matches(document: bytes, digest: str | None) -> bool:
    """Compare ``algorithm:hex``; a digest that cannot be computed does not match."""
    if digest is None:
        return True
    algorithm, _, expected = digest.strip().partition(":")
    name = algorithm.strip().lower()
    plain = name.replace("-", "") if name.startswith("sha-") else name
    if plain not in hashlib.algorithms_available or plain.startswith("shake"):
        return False
    return hashlib.new(plain, document, usedforsecurity=False).hexdigest() == expected.lower()


def _delivers(node: Node, onward: int) -> tuple[str, ...]:
    """Data leave at sinks (§3.2.8), else at the nodes that nothing follows."""
    if node.type == "sink":
        return ("inputs", "outputs")
    return () if onward else ("outputs",)


CHILDREN: Final = ChildRules(
    intact=digest_matches,
    validates=True,
    repeats=True,
    missing="FAILED",
    nesting=1_000,
    receives=lambda node: node.type == "source",
    delivers=_delivers,
    ends=lambda _outcome: True,
    succeeded=lambda outcome: outcome == "succeeded",
    stops_child=True,
)
