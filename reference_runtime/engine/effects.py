"""What a run does that is seen from outside: transitions, step calls, aborts, reports.

What happens in the instance of a subworkflow is told as ``Inner``: it is part of no trace, but
somebody has to answer its step calls.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from reference_runtime.document.model import Node

__all__ = ["Abort", "Effect", "Inner", "Invoke", "Path", "Report", "Transition", "new_tuple"]

#: Makes a named tuple from a row of all of its values, in one step.
new_tuple: Final = tuple.__new__

#: Loop levels around a node, outermost first: (loop id, 0-based iteration).
Path = tuple[tuple[str, int], ...]


class Transition(NamedTuple):
    """One state change (§6.6), ``at`` in virtual seconds.

    ``attempt`` is 1-based, None for a node that is left out before it was READY.
    """

    node: str
    from_: str
    to: str
    iteration: Path
    attempt: int | None
    error_class: str | None
    code: str | None
    message: str | None
    at: float


class Invoke(NamedTuple):
    """The step of a node is called; ``number`` is 1-based in the run, negative when inner."""

    number: int
    node: str
    iteration: Path
    attempt: int
    inputs: dict[str, Any]


class Abort(NamedTuple):
    """A step call is given up."""

    number: int


class Report(NamedTuple):
    """A run-time code that belongs to no transition (§14.4), with the attempt that it is about."""

    code: str
    node: str
    message: str
    iteration: Path = ()
    attempt: int | None = None


class Inner(NamedTuple):
    """Something that happens in a subworkflow.

    Attributes:
        within: ids of the subworkflow nodes around it, outermost first.
        effect: what happens there.
        node: the declaration of the node, None for an abort.
    """

    within: tuple[str, ...]
    effect: Transition | Invoke | Abort | Report
    node: Node | None


Effect = Transition | Invoke | Abort | Report | Inner
