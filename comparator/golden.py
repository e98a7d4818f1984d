"""Expected results: what a run must show, each entry with the requirements it stands on.

The same values are what people write in ``expected_traces/**.toml`` (keys in kebab-case; see
docs/formats.md). All addresses and events are text in the forms of ``comparator.address``.
"""

from typing import Annotated, Any, Literal

import msgspec

__all__ = [
    "CallEntry",
    "Choice",
    "Cites",
    "CodeEntry",
    "Golden",
    "IdleEntry",
    "Option",
    "OrderEntry",
    "Outcome",
    "OutcomeEntry",
    "PathEntry",
    "Section",
    "TextEntry",
    "TimerEntry",
]

#: One to three requirement ids of the ledger.
Cites = Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=3)]

#: §5.7.
Outcome = Literal["succeeded", "failed", "compensated", "cancelled"]


class _Entry(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename="kebab",
    omit_defaults=True,
    kw_only=True,
):
    """Base of all entries: the requirements that a deviation from it breaks."""

    cites: Cites


class PathEntry(_Entry, frozen=True, kw_only=True):
    """States that a node passes through after PENDING, as words with single blanks.

    ``""`` stays PENDING; ``"*"`` means that only legality is judged.
    """

    is_: str = msgspec.field(name="is")


class OrderEntry(_Entry, frozen=True, kw_only=True):
    """``event`` comes after at least ``at_least`` (all when absent) of the events ``after``."""

    event: str
    after: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    at_least: Annotated[int, msgspec.Meta(ge=1)] | None = None


class CallEntry(_Entry, frozen=True, kw_only=True):
    """Step calls of a node, of one iteration of it, or (``node@2``) of one attempt.

    Attributes:
        count: number of calls; 0 means never called.
        inputs: inputs delivered with every such call, compared whole by name and value.
        aborts: number of these calls that the runtime aborted.
    """

    node: str
    count: Annotated[int, msgspec.Meta(ge=0)] | None = None
    inputs: dict[str, Any] | None = None
    aborts: Annotated[int, msgspec.Meta(ge=0)] | None = None


class TimerEntry(_Entry, frozen=True, kw_only=True):
    """Virtual seconds between RUNNING→RETRYING and RETRYING→READY before attempt ``node@n``.

    Either ``delay`` or the closed interval ``between`` (jitter).
    """

    node: str
    delay: Annotated[float, msgspec.Meta(ge=0)] | None = None
    between: tuple[float, float] | None = None


class IdleEntry(_Entry, frozen=True, kw_only=True):
    """States at the ``idle``-th time (1-based) that nothing can move without the suite.

    Attributes:
        states: address → state; nodes that are not listed are not judged here.
        timer: virtual seconds until the runtime's next timer is due.
    """

    idle: Annotated[int, msgspec.Meta(ge=1)]
    states: dict[str, str]
    timer: Annotated[float, msgspec.Meta(ge=0)] | None = None


class CodeEntry(_Entry, frozen=True, kw_only=True):
    """A run-time code reported for ``node``; any of the listed ones will do."""

    node: str | None = None
    any_of: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]


class OutcomeEntry(_Entry, frozen=True, kw_only=True):
    """How the instance ends (§5.7)."""

    is_: Outcome = msgspec.field(name="is")


class TextEntry(_Entry, frozen=True, kw_only=True):
    """Text that occurs nowhere in what the runtime sends (secrets, §11.7)."""

    text: Annotated[str, msgspec.Meta(min_length=4)]


class Section(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename="kebab",
    omit_defaults=True,
    kw_only=True,
):
    """The entries that a golden's fixed part and each option of a choice may have."""

    paths: dict[str, PathEntry] = {}
    order: tuple[OrderEntry, ...] = ()
    calls: tuple[CallEntry, ...] = ()
    timers: tuple[TimerEntry, ...] = ()
    at_idle: tuple[IdleEntry, ...] = ()
    codes: tuple[CodeEntry, ...] = ()
    outcome: OutcomeEntry | None = None
    absent_text: tuple[TextEntry, ...] = ()


class Option(Section, frozen=True, kw_only=True):
    """One reading of an open point with all that it entails, set together.

    Attributes:
        reading: letter of the reading in ``cases/interpretations.toml``.
        preferred: whether the suite prefers it; exactly one option of a choice is.
        up_to: highest level for which the option is accepted (``executing``), None for all.
    """

    reading: str
    preferred: bool = False
    up_to: Literal["core", "executing"] | None = None


class Choice(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", kw_only=True):
    """An open point: any one of the options passes, and the report notes which."""

    interpretation: str
    options: Annotated[tuple[Option, ...], msgspec.Meta(min_length=2)]


class Golden(Section, frozen=True, kw_only=True):
    """All that is expected of one scenario: a fixed part and choices over disjoint nodes."""

    choices: tuple[Choice, ...] = ()
