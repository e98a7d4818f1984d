"""Transitions and traces: the values in which every runtime's run is written down (§6.6)."""

from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from comparator.lifecycle import STATES

if TYPE_CHECKING:
    State = str
else:
    # A closed list lets msgspec share one string per state instead of making two per entry: a
    # long trace takes half the time and memory. Python code may hold any text in its place;
    # whether it is a state is judged (``unknown-state``).
    State = Literal[tuple(STATES)]

__all__ = ["Key", "LoopStep", "Trace", "Transition", "key_of"]


class LoopStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One loop level of an iteration; the index is 0-based (§7.2.3)."""

    loop: str
    index: int


class Transition(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename="camel",
    omit_defaults=True,
    gc=False,
):
    """One state change of one node.

    Attributes:
        node: id of the node.
        from_: state left.
        to: state entered.
        iteration: loop levels around the node, outermost first; empty in the main flow.
        attempt: 1-based attempt (§8.1), None where the runtime does not tell.
        error_class: class of the failure (§14.3) on entries that end an attempt.
        code: run-time code HX-4xxx where a rule names one (§14.2).
        message: free text, never compared.
        at: seconds since the run began by the runtime's clock, never compared.
    """

    node: str
    from_: State = msgspec.field(name="from")
    to: State
    iteration: tuple[LoopStep, ...] = ()
    attempt: int | None = None
    error_class: str | None = None
    code: str | None = None
    message: str | None = None
    at: float | None = None


class Key(NamedTuple):
    """What owns a lifecycle: a node in one iteration (§6.5), as (loop, index) steps."""

    node: str
    steps: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        """Write the key as an address (see ``comparator.address``)."""
        inner = ",".join(str(index) for _, index in self.steps)
        return f"{self.node}[{inner}]" if inner else self.node


class Trace(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The transitions of one run in the order in which they were observed, and its outcome.

    ``outcome`` is one of succeeded, failed, compensated, cancelled (§5.7), or None when the
    runtime did not report one.
    """

    transitions: tuple[Transition, ...]
    outcome: str | None = None


def key_of(transition: Transition) -> Key:
    """Return whose lifecycle the transition belongs to."""
    return Key(transition.node, tuple((step.loop, step.index) for step in transition.iteration))
