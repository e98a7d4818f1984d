"""Addresses of nodes, iterations, attempts and events, as cases and messages write them.

==========================  ==========================================================
``a``                       node ``a`` in the main flow
``body[1]``                 node ``body`` in iteration 1 (0-based, §7.2.3) of its loop
``body[0,2]``               nested loops, outermost first
``body[outer:0,inner:2]``   the same with the loops named, needed when several share a body
``a@2``                     attempt 2 of ``a`` (1-based, §8.1)
``a:RUNNING#2``             the event "``a`` enters RUNNING for the second time"
``*``                       every node (plans only)
==========================  ==========================================================

Identifiers (§2.3) contain none of the delimiters, so the forms never clash.
"""

import re
from typing import NamedTuple

from comparator.lifecycle import STATES

__all__ = ["Address", "AddressError", "Event", "Step", "parse_address", "parse_event"]

_IDENTIFIER = r"[A-Za-z_][A-Za-z0-9_.\-]*"
_STEP = re.compile(rf"(?:(?P<loop>{_IDENTIFIER}):)?(?P<index>0|[1-9]\d*)")
_ADDRESS = re.compile(
    rf"(?P<node>{_IDENTIFIER}|\*)(?:\[(?P<steps>[^\]]+)\])?(?:@(?P<attempt>[1-9]\d*))?"
)


class AddressError(ValueError):
    """An address or an event is not written in one of the forms above."""


class Step(NamedTuple):
    """One loop level; ``number`` is 0-based, ``loop`` None where the document leaves one choice."""

    loop: str | None
    number: int


class Address(NamedTuple):
    """A node with, optionally, its iteration (outermost loop first) and attempt (1-based)."""

    node: str
    iteration: tuple[Step, ...] = ()
    attempt: int | None = None

    def __str__(self) -> str:
        """Write the address in its canonical form."""
        steps = ",".join(
            str(s.number) if s.loop is None else f"{s.loop}:{s.number}" for s in self.iteration
        )
        return (
            self.node
            + (f"[{steps}]" if steps else "")
            + ("" if self.attempt is None else f"@{self.attempt}")
        )


class Event(NamedTuple):
    """The ``occurrence``-th time (1-based) that a node in an iteration enters ``state``."""

    node: str
    iteration: tuple[Step, ...]
    state: str
    occurrence: int

    def __str__(self) -> str:
        """Write the event in its canonical form."""
        number = "" if self.occurrence == 1 else f"#{self.occurrence}"
        return f"{Address(self.node, self.iteration)}:{self.state}{number}"


def parse_address(text: str) -> Address:
    """Read ``node[iteration]@attempt``.

    Raises:
        AddressError: ``text`` has another form.
    """
    match = _ADDRESS.fullmatch(text)
    if match is None:
        raise AddressError(
            f"address {text!r}: expected node, node[0], node[loop:0,inner:1] or any of them "
            "with @attempt"
        )
    steps = []
    for part in (match["steps"] or "").split(",") if match["steps"] else []:
        step = _STEP.fullmatch(part.strip())
        if step is None:
            raise AddressError(f"address {text!r}: {part!r} is no 0-based index or loop:index")
        steps.append(Step(step["loop"], int(step["index"])))
    attempt = match["attempt"]
    return Address(match["node"], tuple(steps), None if attempt is None else int(attempt))


def parse_event(text: str) -> Event:
    """Read ``node[iteration]:STATE#occurrence``; the occurrence defaults to 1.

    Raises:
        AddressError: ``text`` has another form or names no state of §6.1.
    """
    where, colon, what = text.rpartition(":")
    state, _, number = what.partition("#")
    if not colon or state not in STATES or (number and not re.fullmatch(r"[1-9]\d*", number)):
        raise AddressError(
            f"event {text!r}: expected node:STATE or node:STATE#2, STATE one of {', '.join(STATES)}"
        )
    address = parse_address(where)
    if address.attempt is not None:
        raise AddressError(f"event {text!r}: an event counts occurrences (#2), not attempts (@2)")
    return Event(address.node, address.iteration, state, int(number or 1))
