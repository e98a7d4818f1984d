"""From the bytes of a line to a message, with a hint that its sender can act on."""

import math
import re
from typing import Any, Final, get_args

import msgspec

from suite.protocol.breach import Breach, quote
from suite.protocol.messages import FromRuntime, Invoke

__all__ = ["DEEPEST", "decode", "tag_of"]

#: Deepest nesting of a value in a message; more is a mistake, and would break tools downstream.
DEEPEST: Final = 64

_BOM: Final = "\ufeff"

#: Escapes of a JSON text one after the other; group 1 is half of a surrogate pair without the
#: other half, unless the text breaks off in the middle of the pair.
_ESCAPES: Final = re.compile(
    r"\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}"
    r"|\\(ud[89a-f][0-9a-f]{2})(?!(?:\\(?:u[0-9a-f]{0,3})?)?$)"
    r"|\\.",
    re.IGNORECASE | re.DOTALL,
)

_OURS: Final = "which belongs to the protocol; print to standard error instead"
_DECODER: Final = msgspec.json.Decoder(FromRuntime)
_TAGS: Final = {type_: str(type_.__struct_config__.tag) for type_ in get_args(FromRuntime)}


def decode(line: bytes) -> FromRuntime:
    """Read a message.

    Raises:
        Breach: the line is no message of the protocol; the text says why and shows it.
    """
    try:
        message = _DECODER.decode(line)
    except RecursionError:
        raise Breach(f"a value is nested deeper than {DEEPEST}: {quote(line)}") from None
    except msgspec.ValidationError as error:
        raise Breach(f"{_reason(line, str(error))}: {quote(line)}") from None
    except (msgspec.DecodeError, ValueError) as error:
        raise Breach(f"{_malformed(line, str(error))}: {quote(line)}") from None
    if type(message) is Invoke and message.inputs:
        _check_value(message.inputs, line)
    return message


def tag_of(message: FromRuntime) -> str:
    """Return the message's ``type``."""
    return _TAGS[type(message)]


def _reason(line: bytes, text: str) -> str:
    """Name what a well-formed line lacks."""
    if not line.lstrip().startswith(b"{"):
        return f"not a message but another JSON value ({text[0].lower()}{text[1:]})"
    if "`$.type`" in text:
        return f"unknown message type ({text})"
    return text


def _malformed(line: bytes, text: str) -> str:
    """Name what keeps a line from being JSON."""
    try:
        start = line.decode().lstrip()
    except UnicodeDecodeError as error:
        return f"not UTF-8 (byte {error.start})"
    causes = {
        "an empty line": not start,
        "a byte order mark before the message; leave it out": start.startswith(_BOM),
        f"text on standard output, {_OURS}": not start.startswith("{"),
        "a lone surrogate in a string": any(e[1] for e in _ESCAPES.finditer(start)),
        "NaN is not JSON": "NaN" in start,
        "Infinity is not JSON": "Infinity" in start,
        "half a JSON value": "truncated" in text,
    }
    return next((cause for cause, so in causes.items() if so), f"not JSON ({text})")


def _check_value(inputs: Any, line: bytes) -> None:
    """Refuse what other JSON readers cannot hold: huge integers, endless nesting."""
    level: list[Any] = [inputs]
    for _ in range(DEEPEST):
        inner: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                inner.extend(value.values())
            elif isinstance(value, list):
                inner.extend(value)
            elif isinstance(value, int) and not _fits(value):
                raise Breach(f"a number is larger than any JSON reader holds: {quote(line)}")
        if not inner:
            return
        level = inner
    raise Breach(f"a value is nested deeper than {DEEPEST}: {quote(line)}")


def _fits(value: int) -> bool:
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False
