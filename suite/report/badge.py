"""The badge of an assessment: an SVG of our own and JSON for a shields endpoint."""

import json
from html import escape
from string import Template
from typing import Final

from suite.verdict.levels import NAMES, Assessment, LevelResult

__all__ = ["LABEL", "badge_words", "endpoint", "svg"]

#: What the badge is about.
LABEL: Final = "HarnessXML 1.0"

#: Result of the level that the badge shows → colour and its name at shields.
_COLOURS: Final[dict[str, tuple[str, str]]] = {
    "reached": ("#2b7a0b", "brightgreen"),
    "incomplete": ("#9a6700", "yellow"),
    "failed": ("#b42318", "red"),
    "not assessed": ("#57606a", "lightgrey"),
}

#: Widths of characters in tenths of a pixel at 11 px of a common sans-serif typeface.
_NARROW: Final = frozenset("iljftrI.,:;|!'() ")
_WIDE: Final = frozenset("mwMWHXLQOGDNU%@")
_TENTHS: Final = {"narrow": 42, "normal": 69, "wide": 92}
_PADDING: Final = 7

_SVG: Final = Template(
    """\
<svg xmlns="http://www.w3.org/2000/svg" width="$width" height="20" role="img" \
aria-label="$title">
<title>$title</title>
<clipPath id="r"><rect width="$width" height="20" rx="3"/></clipPath>
<g clip-path="url(#r)">
<rect width="$left" height="20" fill="#24292f"/>
<rect x="$left" width="$right" height="20" fill="$colour"/>
</g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="$label_at" y="14" textLength="$label_length">$label</text>
<text x="$words_at" y="14" textLength="$words_length">$words</text>
</g>
</svg>
"""
)


def badge_words(assessment: Assessment) -> tuple[str, str]:
    """Return the words on the right and the result that colours them.

    The highest level that was reached speaks; without one, the declared level says how far
    the run came.
    """
    reached = assessment.reached
    if reached is not None:
        return f"{NAMES[reached.level]} ({assessment.mode})", "reached"
    judged: LevelResult | None = assessment.judged
    if judged is None or judged.result == "not assessed":
        return "not assessed", "not assessed"
    return f"{judged.result} {judged.shown}/{judged.required}", judged.result


def svg(assessment: Assessment) -> str:
    """Draw the badge."""
    words, result = badge_words(assessment)
    label_length, words_length = _width(LABEL), _width(words)
    left, right = label_length + 2 * _PADDING, words_length + 2 * _PADDING
    return _SVG.substitute(
        width=left + right,
        left=left,
        right=right,
        colour=_COLOURS[result][0],
        title=escape(f"{LABEL}: {words}"),
        label=escape(LABEL),
        words=escape(words),
        label_at=left / 2,
        words_at=left + right / 2,
        label_length=label_length,
        words_length=words_length,
    )


def endpoint(assessment: Assessment) -> str:
    """Return the JSON that shields.io reads from an endpoint."""
    words, result = badge_words(assessment)
    return json.dumps(
        {
            "schemaVersion": 1,
            "label": LABEL,
            "message": words,
            "color": _COLOURS[result][1],
            "isError": result == "failed",
        },
        indent=1,
    )


def _width(text: str) -> int:
    """Return about how many pixels the text takes; ``textLength`` makes it exact."""
    kinds = ("narrow" if c in _NARROW else "wide" if c in _WIDE else "normal" for c in text)
    return round(sum(_TENTHS[kind] for kind in kinds) / 10)
