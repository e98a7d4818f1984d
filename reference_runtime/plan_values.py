"""What may stand in a plan: values that JSON can hand on, and texts; faults are one short line."""

from __future__ import annotations

import math
import re
import sys
from typing import Any, Final

from reference_runtime.expressions.values import MAX_NESTING

__all__ = [
    "TOO_LONG",
    "PlanError",
    "check_text",
    "check_value",
    "find_huge_number",
    "read_seconds",
    "told",
]

#: Most characters of a value that a message shows.
_SHOWN: Final = 80
#: Half of a surrogate pair.
_HALF: Final = re.compile("[\ud800-\udfff]")

#: Digits of a number, as TOML may write them.
_NUMBER: Final = re.compile(r"[0-9][0-9_]*")
#: Most digits of a whole number that Python reads.
_DIGITS: Final = sys.int_info.default_max_str_digits
#: What is said of a number that has more.
TOO_LONG: Final = f"a number has more than {_DIGITS:,} digits"


class PlanError(ValueError):
    """A plan is malformed, or names what the document does not have; one line."""


def told(value: Any) -> str:
    """Return a value as a message shows it: in one line of bounded length."""
    try:
        text = repr(value)
    except ValueError:
        # Python writes no whole number of more than some thousand digits.
        return "a number of too many digits"
    except RecursionError:
        return "a value nested too deep"
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def check_text(value: Any, where: str, *, empty: bool = False) -> None:
    """Refuse what is no text of whole characters.

    Args:
        value: what should be a text.
        where: its place in the plan.
        empty: whether nothing will do, too.

    Raises:
        PlanError: it is something else.
    """
    if value is None and empty:
        return
    if not isinstance(value, str):
        raise PlanError(f"{where}: expected a text, observed {told(value)}")
    if _HALF.search(value):
        raise PlanError(
            f"{where}: expected whole characters, observed half of one in {told(value)}"
        )


def check_value(value: Any, where: str) -> None:
    """Refuse what JSON does not know, or what not every reader of JSON can hold.

    Raises:
        PlanError: a number is not finite, a text has half a character, the value is too deep, or
            it is something else than null, boolean, number, text, list and table.
    """
    level: list[tuple[Any, str]] = [(value, where)]
    for _ in range(MAX_NESTING + 1):
        inner: list[tuple[Any, str]] = []
        for part, place in level:
            if isinstance(part, dict):
                for name in part:
                    check_text(name, f"{place}: name")
                inner.extend((one, f"{place}.{name}") for name, one in part.items())
            elif isinstance(part, list):
                inner.extend((one, f"{place}[{number}]") for number, one in enumerate(part))
            else:
                _check_scalar(part, place)
        if not inner:
            return
        level = inner
    raise PlanError(f"{where}: expected a value nested at most {MAX_NESTING} deep")


def _check_scalar(value: Any, where: str) -> None:
    if isinstance(value, str):
        check_text(value, where)
    elif isinstance(value, float) and not math.isfinite(value):
        raise PlanError(f"{where}: expected a JSON value, observed {value!r}")
    elif not isinstance(value, bool | int | float | None):
        raise PlanError(f"{where}: expected a JSON value, observed {told(value)}")


def read_seconds(value: Any, where: str) -> float:
    """Read a number of seconds; nothing is none.

    Raises:
        PlanError: it is none, negative, or not finite.
    """
    if value is None:
        return 0
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 <= value <= sys.float_info.max:
        raise PlanError(f"{where}: expected seconds, observed {told(value)}")
    return float(value)


def find_huge_number(text: str) -> str:
    """Say where a number stands that is too long to be read; it is somewhere in the text."""
    for number, line in enumerate(text.splitlines(), start=1):
        if any(len(digits.replace("_", "")) > _DIGITS for digits in _NUMBER.findall(line)):
            return f"line {number}: {TOO_LONG}"
    return TOO_LONG
