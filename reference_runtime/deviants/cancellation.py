"""Deviants: wrong cancellation by joins, and joins that fire again (§5.3.2)."""

from __future__ import annotations

from typing import Final

from reference_runtime.deviants.deviant import Row

__all__ = ["CANCELLATION"]

CANCELLATION: Final[tuple[Row, ...]] = (
    (
        "any_does_not_cancel",
        "5.3.2-any-cancels-exclusive-running-siblings",
        "the losing branches of an any join go on",
        {"cancelling": frozenset()},
    ),
    (
        "any_cancels_shared_branches",
        "5.3.2-any-spares-branches-with-other-targets",
        "an any join also cancels branches that lead to other nodes",
        {"spares_shared": False},
    ),
    (
        "quorum_cancels",
        "5.3.2-no-cancellation-for-all-or-quorum",
        "a satisfied quorum cancels the remaining branches",
        {"cancelling": frozenset({"any", "quorum"})},
    ),
)
