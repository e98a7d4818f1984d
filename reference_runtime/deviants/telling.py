"""Find which scenarios tell a deviant from the rules, without asking anybody to judge.

Most scenarios of a corpus never come to the one place where a deviant is wrong. The rules play
each scenario once and note every look into their tables and every question to their functions.
A deviant that has the same answers to all of them would have done the same; the others play the
scenario, too, and only a run that differs tells anything.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field, is_dataclass
from functools import lru_cache
from random import Random
from typing import Any, cast

from reference_runtime.deviants import DEVIANTS
from reference_runtime.deviants.deviant import Deviant
from reference_runtime.document.model import Harness
from reference_runtime.engine.lives import Life
from reference_runtime.plans import Plan, read_plan
from reference_runtime.rules import RULES, Rules
from reference_runtime.script import play
from reference_runtime.validation import Validated, validate

__all__ = ["telling"]

#: Parts of the rules that only tell whether the engine may do what others have made it do.
_PERMISSIONS = frozenset({"legal", "exceptions"})

#: Parts whose use is not noted: whoever replaces them is always asked.
_WHOLE = frozenset({"gate"})

#: Seconds after which a run counts as endless.
_ENDLESS = 1.0

#: Names that lead to a part of the rules.
_Path = tuple[str, ...]


@dataclass(slots=True)
class _Notes:
    """Parts that were looked at, and the questions that were put to functions."""

    looks: set[_Path] = field(default_factory=set)
    calls: dict[_Path, list[tuple[Any, ...]]] = field(default_factory=dict)


class _Group:
    """Rules, or a theme of them, that note what is taken from them."""

    def __init__(self, rules: Any, notes: _Notes, path: _Path = ()) -> None:
        self._rules = rules
        self._notes = notes
        self._path = path

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._rules, name)
        if name not in _WHOLE:
            value = _noting(value, self._notes, (*self._path, name))
        setattr(self, name, value)
        return value


class _Members(AbstractSet[Any]):
    """A set that notes what it is asked for."""

    def __init__(self, members: frozenset[Any], notes: _Notes, path: _Path) -> None:
        self._members = members
        self._notes = notes
        self._path = path

    def __contains__(self, member: object) -> bool:
        self._notes.looks.add((*self._path, str(member)))
        return member in self._members

    def __iter__(self) -> Iterator[Any]:
        self._notes.looks.add(self._path)
        return iter(self._members)

    def __len__(self) -> int:
        self._notes.looks.add(self._path)
        return len(self._members)


class _Table(Mapping[Any, Any]):
    """A table that notes which of its rows are read."""

    def __init__(self, table: Mapping[Any, Any], notes: _Notes, path: _Path) -> None:
        self._table = table
        self._notes = notes
        self._path = path

    def __getitem__(self, key: Any) -> Any:
        path = (*self._path, str(key))
        self._notes.looks.add(path)
        return _noting(self._table[key], self._notes, path)

    def __iter__(self) -> Iterator[Any]:
        self._notes.looks.add(self._path)
        return iter(self._table)

    def __len__(self) -> int:
        self._notes.looks.add(self._path)
        return len(self._table)


def _noting(value: Any, notes: _Notes, path: _Path) -> Any:
    """Make a part of the rules note its use."""
    if is_dataclass(value):
        return _Group(value, notes, path)
    if isinstance(value, Mapping):
        return _Table(value, notes, path)
    if isinstance(value, frozenset):
        return _Members(value, notes, path)
    if not callable(value):
        notes.looks.add(path)
        return value
    asked = notes.calls.setdefault(path, [])

    def ask(*arguments: Any) -> Any:
        # A lifecycle goes on counting; the question is about what it has counted so far.
        kept = tuple(item.count if isinstance(item, Life) else item for item in arguments)
        if kept not in asked:
            asked.append(kept)
        return value(*arguments)

    return ask


class _EndlessError(Exception):
    """A run takes longer than any scenario."""


@contextmanager
def _limited() -> Iterator[None]:
    """Raise in the main thread when something is endless."""

    def ring(_number: int, _frame: object) -> None:
        raise _EndlessError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, _ENDLESS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _same_answers(
    old: Callable[..., Any], new: Callable[..., Any], asked: Sequence[tuple[Any, ...]]
) -> bool:
    """Whether two functions agree; one that throws dice is not asked again."""
    if any(isinstance(argument, Random) for arguments in asked for argument in arguments):
        return False
    try:
        with _limited():
            return all(old(*arguments) == new(*arguments) for arguments in asked)
    except Exception:  # noqa: BLE001 - a function that raises gives no answer
        return False


def _comes_up(deviant: Deviant, notes: _Notes) -> bool:
    """Whether something that a deviant replaces made a difference."""
    for path, (old, new) in deviant.replaced.items():
        if path[0] in _PERMISSIONS:
            continue
        if callable(old) and callable(new):
            if not _same_answers(old, new, notes.calls.get(path, ())):
                return True
        elif path in notes.looks or path in notes.calls or path[:-1] in notes.looks:
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Scene:
    """A scenario, its document as the rules read it."""

    harness: Harness | None
    plan: Plan | None
    companions: Mapping[str, bytes]

    def shown(self, rules: Rules, open_steps: int) -> object:
        """Everything that a run shows; of a run that breaks off, how it does."""
        if self.harness is None or self.plan is None:
            return None
        try:
            with _limited():
                played = play(
                    self.harness,
                    self.plan,
                    rules=rules,
                    open_steps=open_steps,
                    companions=self.companions,
                )
        except Exception as error:  # noqa: BLE001 - whatever a deviant does is what it shows
            return repr(error)
        return played.outcome, played.effects


@lru_cache(maxsize=256)
def _validated(document: bytes, name: str, companions: tuple[tuple[str, bytes], ...]) -> Validated:
    return validate(document, DEVIANTS[name].rules.gate, companions=dict(companions))


def telling(
    document: bytes,
    plan: Mapping[str, Any] | None,
    deviants: Sequence[Deviant],
    companions: Mapping[str, bytes] | None = None,
) -> list[str]:
    """Names of the deviants that treat a scenario otherwise than the rules do.

    Without a plan the scenario asks for the verdict on the document only. Companions are the
    documents that it uses, by URI.
    """
    given = companions or {}
    validated = validate(document, RULES.gate, companions=given)
    scene = _Scene(validated.harness, None if plan is None else read_plan(plan), given)
    found: list[str] = []
    for open_steps in (0, 1):
        notes = _Notes()
        expected = scene.shown(cast("Rules", _Group(RULES, notes)), open_steps)
        for deviant in deviants:
            if deviant.serial != bool(open_steps):
                continue
            if deviant.rules.gate is RULES.gate:
                doubted = _comes_up(deviant, notes)
            elif _validated(document, deviant.name, tuple(given.items())) != validated:
                found.append(deviant.name)
                continue
            else:
                # The gate is passed again by documents inside.
                doubted = bool(given)
            if doubted and scene.shown(deviant.rules, open_steps) != expected:
                found.append(deviant.name)
    return found
