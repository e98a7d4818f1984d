"""Durations of the format (§2.1 of the schema: days, hours, minutes, seconds) in seconds."""

import re
from typing import Final

__all__ = ["NEVER", "DurationError", "parse_duration"]

#: Seconds from which on a duration does not elapse in a run.
NEVER: Final = 3600.0

_DURATION = re.compile(
    r"P(?:(?P<d>\d+)D)?(?P<t>T(?:(?P<h>\d+)H)?(?:(?P<m>\d+)M)?(?:(?P<s>\d+(?:\.\d+)?)S)?)?"
)
_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}


class DurationError(ValueError):
    """The text is no duration of the format."""


def parse_duration(text: str) -> float:
    """Return the seconds of e.g. ``PT0.05S`` or ``P1DT2H``.

    Raises:
        DurationError: another form, or no component at all.
    """
    match = _DURATION.fullmatch(text)
    parts = {name: match[name] for name in _SECONDS if match[name]} if match else {}
    if match is None or not parts or match["t"] == "T":
        raise DurationError(f"duration {text!r}: expected a form like PT0.05S, PT1H or P1DT2H")
    return sum(float(value) * _SECONDS[name] for name, value in parts.items())
