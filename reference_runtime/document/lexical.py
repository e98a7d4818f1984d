"""Simple types of the schema (§2.1 of the format): their spelling and their values.

Every reader returns the value of a text or raises ``LexicalError``. White space around
booleans, numbers, durations and times is dropped, as XSD's collapse facet says; identifiers and
closed lists are compared as they stand.
"""

from __future__ import annotations

import calendar
import re
import sys
from typing import NoReturn

__all__ = [
    "LARGEST",
    "LexicalError",
    "collapse",
    "read_boolean",
    "read_data_type",
    "read_date_time",
    "read_decimal",
    "read_duration",
    "read_identifier",
    "read_max_attempts",
    "read_positive",
    "read_spec_version",
    "read_text",
    "read_uri",
]

_XML_SPACE = " \t\r\n"
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*")
_SPEC_VERSION = re.compile(r"1\.\d+")
_VERSION = re.compile(r"(\d+)\.\d+")
_POSITIVE = re.compile(r"\+?0*[1-9][0-9]*")
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")
_DURATION = re.compile(
    r"P(?:(?P<d>[0-9]+)D)?"
    r"(?P<t>T(?:(?P<h>[0-9]+)H)?(?:(?P<m>[0-9]+)M)?(?:(?P<s>[0-9]+(?:\.[0-9]+)?)S)?)?"
)
_CALENDAR = re.compile(r"-?P(?=.*[0-9][YM])([0-9]+Y)?([0-9]+M)?([0-9]+D)?(T[0-9HMS.]+)?")
_CALENDAR_UNIT = re.compile(r"-?P([0-9]+Y|[0-9]+M)")
_DATE_TIME = re.compile(
    r"-?(?P<year>[1-9][0-9]{4,}|(?!0000)[0-9]{4})-(?P<month>0[1-9]|1[0-2])-(?P<day>[0-2][0-9]|3[01])"
    r"T((?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?|24:00:00(?:\.0+)?)"
    r"(?:Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)?"
)
#: Digits at the end of a year that decide whether it is a leap year: 400 divides 10,000.
_YEAR_DIGITS = 4
#: A percent sign that begins no escape; a scheme; an address of the sixth version in brackets.
_BARE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_IN_BRACKETS = re.compile(r"(?:[^@\[\]]*@)?\[[^\[\]]*\](?::[0-9]*)?")
_BRACKET = re.compile(r"[\[\]]")
_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_BOOLEAN = {"true": True, "1": True, "false": False, "0": False}
#: Longest identifier (§2.3).
_MAX_IDENTIFIER = 255
#: Seconds that longer durations are read as; the schema bounds none.
_LONGEST_DURATION = 1e24
#: What larger whole numbers are read as; the schema bounds none.
LARGEST = 10**1000
_MAX_DIGITS = 1000
_MAX_ATTEMPTS = 1000


class LexicalError(ValueError):
    """A text that is no value of its type; ``code`` says under which code to report it."""

    def __init__(self, expected: str, code: str = "HX-1001") -> None:
        super().__init__(expected)
        self.expected = expected
        self.code = code


def collapse(text: str) -> str:
    """Return the text without white space at its ends (XSD collapse, for texts of one word)."""
    return text.strip(_XML_SPACE)


def _refuse(expected: str, code: str = "HX-1001") -> NoReturn:
    raise LexicalError(expected, code)


def read_text(text: str) -> str:
    """Any text is a string or an expression at this layer."""
    return text


def read_uri(text: str) -> str:
    """Read a URI reference; the text is kept as it stands.

    XSD 1.0 lets any character be escaped by who reads; what stays wrong is wrong in RFC 2396, or
    in RFC 2732, which allows brackets around an address of a host and in queries.
    """
    uri = collapse(text)
    if _BARE_PERCENT.search(uri):
        _refuse("two hexadecimal digits after each %; a percent sign itself is %25")
    rest, _, fragment = uri.partition("#")
    if "#" in fragment:
        _refuse("one # at most; another one is %23")
    scheme = _SCHEME.match(rest)
    rest = rest[scheme.end() :] if scheme else rest
    if scheme and not rest.startswith("/"):
        return text
    path = rest.partition("?")[0]
    if not scheme and ":" in path.partition("/")[0]:
        _refuse("a scheme such as https before the first colon; a colon itself is %3A")
    if path.startswith("//"):
        host, _, path = path[2:].partition("/")
        if _BRACKET.search(host) and _IN_BRACKETS.fullmatch(host) is None:
            _refuse("brackets only around the whole address of a host, such as [::1]")
    if _BRACKET.search(path):
        _refuse("no brackets in a path; they are %5B and %5D")
    return text


def read_data_type(text: str) -> str:
    """Read a port type: an open list, but never empty (§4.2)."""
    return text or _refuse("a type name such as string, number or array<T>")


def read_identifier(text: str) -> str:
    """Read an identifier (§2.3); nothing is trimmed."""
    if _IDENTIFIER.fullmatch(text) is None:
        _refuse("a letter or underscore, then letters, digits, underscores, dots or hyphens")
    if len(text) > _MAX_IDENTIFIER:
        _refuse(f"at most {_MAX_IDENTIFIER} characters, not {len(text)}")
    return text


def read_spec_version(text: str) -> str:
    """Read a version of the format; another major has a code of its own (§15.5)."""
    if _SPEC_VERSION.fullmatch(text):
        return text
    version = _VERSION.fullmatch(text)
    if version is not None:
        _refuse("a version 1.x: other majors have other rules", "HX-1002")
    return _refuse("MAJOR.MINOR with major 1, such as 1.0", "HX-1002")


def read_boolean(text: str) -> bool:
    """Read ``true``, ``false``, ``1`` or ``0``."""
    value = _BOOLEAN.get(collapse(text))
    return value if value is not None else _refuse("true, false, 1 or 0")


def read_positive(text: str) -> int:
    """Read a positive integer, at most ``LARGEST``."""
    number = collapse(text)
    if _POSITIVE.fullmatch(number) is None:
        _refuse("a whole number of at least 1")
    digits = number.lstrip("+0")
    return int(digits) if len(digits) <= _MAX_DIGITS else LARGEST


def read_max_attempts(text: str) -> int:
    """Read the bound of a retry policy, 1 to 1000 (§8.1)."""
    number = read_positive(text)
    return number if number <= _MAX_ATTEMPTS else _refuse(f"1 to {_MAX_ATTEMPTS}")


def read_decimal(text: str) -> float:
    """Read a decimal number without exponent; what no double holds is the largest one."""
    number = collapse(text)
    if _DECIMAL.fullmatch(number) is None:
        _refuse("a decimal number such as 1.5")
    return max(-sys.float_info.max, min(float(number), sys.float_info.max))


def read_duration(text: str) -> float:
    """Read a duration of days, hours, minutes and seconds, in seconds (§13.2, HX-3401)."""
    duration = collapse(text)
    match = _DURATION.fullmatch(duration)
    parts = {name: match[name] for name in _SECONDS if match[name]} if match else {}
    if match is not None and parts and match["t"] != "T":
        seconds = sum(float(part) * _SECONDS[name] for name, part in parts.items())
        return min(seconds, _LONGEST_DURATION)
    if _CALENDAR.fullmatch(duration) and _CALENDAR_UNIT.match(duration):
        _refuse("days, hours, minutes and seconds only: years and months vary", "HX-3401")
    return _refuse("a duration such as PT30S, PT0.5S, PT1H30M or P1DT2H")


def read_date_time(text: str) -> str:
    """Read a date with time (§12.1); its text is kept, metadata never changes behaviour."""
    moment = collapse(text)
    match = _DATE_TIME.fullmatch(moment)
    if match is None:
        return _refuse("a time such as 2026-08-04T09:00:00Z")
    year, month, day = int(match["year"][-_YEAR_DIGITS:]), int(match["month"]), int(match["day"])
    days = calendar.monthrange(year or 400, month)[1]
    return moment if 1 <= day <= days else _refuse(f"a day from 01 to {days} in this month")
