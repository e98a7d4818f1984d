"""What the outside world is going to do in a scripted run, and what it waits for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from reference_runtime.defaults import default_outputs
from reference_runtime.document.model import Harness, Node
from reference_runtime.engine.effects import Invoke, Path, Transition
from reference_runtime.plans import Address, Answer, Moment, Plan, Planned

__all__ = ["Act", "Answers", "Moments"]


@dataclass(slots=True, eq=False)
class Act:
    """Something that the outside world is going to do; calling it does it.

    Attributes:
        order: kind and place in the plan, the order of releases when nothing else moves.
        due: virtual seconds before which it does not happen.
        hold: moment before which it does not happen, None when that has passed.
        about: the call that it answers, the name of the event, or None to cancel the run.
        action: what it does to the run, with ``given``.
        waits: whether it is still to be handed to the scheduler.
    """

    order: tuple[int, int]
    due: float
    hold: Moment | None
    about: Invoke | str | None
    action: Callable[..., None]
    given: tuple[Any, ...] = ()
    waits: bool = True

    def __call__(self) -> None:
        """Do it."""
        self.action(*self.given)


@dataclass(slots=True, eq=False)
class _Held:
    """Acts that are held back for a node to enter a state, and whether it has."""

    address: Address
    acts: list[Act] = field(default_factory=list)
    passed: bool = False


#: Node or ``*``, state, and the indexes of iterations; addresses may name the loops besides.
_Key = tuple[str, str, tuple[int, ...]]


class Moments:
    """The states that acts are held back for; a transition looks at those of its node only."""

    def __init__(self, plan: Plan) -> None:
        self._at: dict[_Key, list[_Held]] = {}
        cancel = () if plan.cancel is None else (plan.cancel,)
        holds = (planned.answer.hold for planned in plan.answers)
        for moment in (*holds, *(moment for _, moment in plan.events), *cancel):
            if moment is not None and moment.address is not None:
                held = self._at.setdefault(_key(moment.address, moment.state), [])
                if all(other.address != moment.address for other in held):
                    held.append(_Held(moment.address))
        self.states = frozenset(state for _, state, _ in self._at)

    def _find(self, moment: Moment) -> _Held | None:
        """What is held for a moment, None for idleness."""
        if moment.address is None:
            return None
        found = self._at[_key(moment.address, moment.state)]
        return next(held for held in found if held.address == moment.address)

    def passed(self, moment: Moment) -> bool:
        """Whether a moment has passed already."""
        held = self._find(moment)
        return held is not None and held.passed

    def hold(self, moment: Moment, act: Act) -> bool:
        """Keep an act until its moment; tell whether it has one, other than idleness."""
        held = self._find(moment)
        if held is not None:
            held.acts.append(act)
        return held is not None

    def held(self) -> Iterator[Act]:
        """Yield what is kept."""
        for found in self._at.values():
            for held in found:
                yield from held.acts

    def release(self, seen: Transition) -> Iterator[Act]:
        """Give out the acts whose moment a transition is."""
        if seen.to not in self.states:
            return
        for name, indexes in product((seen.node, "*"), _iterations(seen.iteration)):
            for held in self._at.get((name, seen.to, indexes), ()):
                if held.address.covers(seen.node, seen.iteration):
                    held.passed = True
                    released, held.acts = held.acts, []
                    yield from released


def _iterations(path: Path) -> tuple[tuple[int, ...], ...]:
    """What may be said about the iterations around a node: their indexes, or nothing."""
    return (tuple([index for _, index in path]), ()) if path else ((),)


def _key(address: Address, state: str) -> _Key:
    return address.node, state, tuple([index for _, index in address.iteration])


#: What an answer is for beside the node: an attempt, and indexes of iterations.
_Which = tuple[int | None, tuple[int, ...]]


class Answers:
    """The planned answers by what they are for, so that a large plan costs no search."""

    def __init__(self, plan: Plan, harness: Harness) -> None:
        self._unplanned = plan.unplanned
        self._harness = harness
        self._after_all = len(plan.answers)
        self._planned: dict[str, dict[_Which, list[Planned]]] = {}
        for planned in plan.answers:
            address = planned.address
            which = (address.attempt, tuple(index for _, index in address.iteration))
            self._planned.setdefault(address.node, {}).setdefault(which, []).append(planned)

    def find(self, invoke: Invoke, inner: Node | None = None) -> tuple[Answer, int]:
        """Give the most specific answer (``Address.weight``), and its place in the plan.

        ``inner`` declares a node in a subworkflow, of which ``*`` does not speak.
        """
        if self._planned:
            names = (invoke.node,) if inner else (invoke.node, "*")
            tables = [self._planned[name] for name in names if name in self._planned]
            iterations = _iterations(invoke.iteration) if tables else ()
            for attempt, which, table in product((invoke.attempt, None), iterations, tables):
                for planned in table.get((attempt, which), ()):
                    if planned.address.covers(invoke.node, invoke.iteration, invoke.attempt):
                        return planned.answer, planned.place
        if inner is not None:
            return Answer("ok", default_outputs(inner)), self._after_all
        return self._unplanned(self._harness.node_by_id[invoke.node]), self._after_all
