"""The one error for everything that an adapter sends and the protocol does not allow."""

from collections.abc import Iterable
from itertools import islice
from typing import Final

__all__ = ["Breach", "Gone", "cut", "listed", "quote", "quoted"]

#: Characters of a value that are shown.
_VALUE: Final = 200

#: Values of a list that are shown.
_VALUES: Final = 20


class Breach(Exception):  # noqa: N818 -- a breach of the protocol is no error of ours
    """The adapter sent what the protocol does not allow; the text is the hint for its author."""


class Gone(Exception):  # noqa: N818 -- an ended program is no error of ours
    """The adapter's program ended; the text says how."""


def quote(data: bytes, size: int = 120) -> str:
    """Show the beginning of what was received, printable, with its length when it is cut."""
    text = repr(data[:size].decode("utf-8", "backslashreplace"))
    return text if len(data) <= size else f"{text}… ({len(data)} bytes)"


def cut(text: str, size: int = _VALUE) -> str:
    """Return the beginning of a text, with its length when it is cut; cut again it is the same."""
    if len(text) <= size:
        return text
    told = f"… ({len(text)} characters)"
    return f"{text[: size - len(told)]}{told}"


def quoted(value: object) -> str:
    """Show a value of a runtime's own, in quotes where it is a text."""
    if isinstance(value, str) and len(value) > _VALUE:
        return f"{value[:_VALUE]!r}… ({len(value)} characters)"
    return cut(repr(value), _VALUE + 2)


def listed(values: Iterable[str]) -> str:
    """Show the first of some values of a runtime's own, and how many there are."""
    rest = iter(values)
    shown = ", ".join(cut(value) for value in islice(rest, _VALUES))
    more = sum(1 for _ in rest)
    return f"{shown} and {more} more" if more else shown
