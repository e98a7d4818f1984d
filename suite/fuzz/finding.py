"""A finding of the fuzzer: what a run did against which sentences."""

import msgspec

__all__ = ["Finding"]


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """One disagreement between a run and the text.

    Attributes:
        requirements: ids of the ledger, most specific first; empty when no run came about.
        node: id of the node, empty for the whole instance.
        place: where in the run, e.g. ``transition 7`` or ``end``.
        expected: what the text demands there.
        observed: what was seen.
    """

    requirements: tuple[str, ...]
    node: str
    place: str
    expected: str
    observed: str

    def __str__(self) -> str:
        """Write the finding on one line."""
        who = f"{self.node}, " if self.node else ""
        cites = f" [{', '.join(self.requirements)}]" if self.requirements else ""
        return f"{who}{self.place}: expected {self.expected}; observed {self.observed}{cites}"
