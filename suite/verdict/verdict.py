"""The verdict on one scenario as a value."""

import msgspec

from comparator.difference import Difference, Reading
from suite.verdict.status import STATUSES, Status

__all__ = ["Verdict"]


class Verdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of one scenario, and why.

    Attributes:
        scenario: id.
        status: row of ``suite.verdict.status``.
        reason: one line; empty for a pass.
        cites: requirements that the scenario asserts; of a pass those that the run showed, which
            leaves out what only the readings that it did not follow cite.
        blamed: requirements that the first divergence breaks; empty where nothing was compared.
        differences: in causal order.
        readings: of open points, as observed.
        notes: recommendations that were not followed, as kind → count.
        unjudged: addresses of which only legality was judged.
        text: explanation for people, a line each.
    """

    scenario: str
    status: Status
    reason: str = ""
    cites: tuple[str, ...] = ()
    blamed: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    readings: tuple[Reading, ...] = ()
    notes: dict[str, int] = {}
    unjudged: tuple[str, ...] = ()
    text: tuple[str, ...] = ()

    @property
    def red(self) -> bool:
        """Whether the run fails by it."""
        return STATUSES[self.status].red
