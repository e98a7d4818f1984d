"""What a value of ``--runtime`` means."""

import re
import shlex
from typing import Final

import msgspec

from suite.protocol.exchange import TargetError

__all__ = ["FORMS", "CommandTarget", "PublishedTarget", "PythonTarget", "Target", "parse_target"]

#: The forms of ``--runtime``, as messages and the documentation show them.
FORMS: Final = (
    "adapter:pkg.mod[:attribute]",
    "pkg.mod:attribute",
    "cmd:program args…",
    "harnessxml-cli:path",
)

_NAME: Final = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"
_PYTHON: Final = re.compile(rf"(?P<module>{_NAME})(?::(?P<attribute>{_NAME}))?")
_DEFAULT_ATTRIBUTE: Final = "adapter"


class PythonTarget(msgspec.Struct, frozen=True):
    """A Python object: module and (perhaps dotted) attribute."""

    module: str
    attribute: str

    def __str__(self) -> str:
        """Write the target without its scheme."""
        return f"{self.module}:{self.attribute}"


class CommandTarget(msgspec.Struct, frozen=True):
    """A program and its arguments."""

    words: tuple[str, ...]


class PublishedTarget(msgspec.Struct, frozen=True):
    """The published command-line runtime: the path of its binary."""

    path: str


Target = PythonTarget | CommandTarget | PublishedTarget


def parse_target(text: str) -> Target:
    """Read a value of ``--runtime``.

    Raises:
        TargetError: it has none of ``FORMS``; one line.
    """
    scheme, colon, rest = text.partition(":")
    match scheme:
        case "adapter":
            return _python(text, rest)
        case "cmd":
            return _command(text, rest)
        case "harnessxml-cli":
            if not rest:
                raise _wrong(text, "no program is named")
            return PublishedTarget(rest)
    if not colon:
        raise _wrong(text, "a scheme or an attribute is missing")
    return _python(text, text)


def _python(text: str, name: str) -> PythonTarget:
    match = _PYTHON.fullmatch(name)
    if match is None:
        raise _wrong(text, f"{name!r} is not a module with an optional attribute")
    return PythonTarget(match["module"], match["attribute"] or _DEFAULT_ATTRIBUTE)


def _command(text: str, line: str) -> CommandTarget:
    try:
        words = tuple(shlex.split(line))
    except ValueError as error:
        raise _wrong(text, f"the command line cannot be split ({error})") from None
    if not words:
        raise _wrong(text, "no program is named")
    return CommandTarget(words)


def _wrong(text: str, why: str) -> TargetError:
    return TargetError(f"--runtime={text}: {why}; expected one of {', '.join(FORMS)}")
