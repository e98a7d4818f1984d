import json
from xml.etree import ElementTree as ET

import pytest

from suite.report.badge import LABEL, badge_words, endpoint, svg
from suite.verdict.levels import Assessment, LevelResult

_SVG = "{http://www.w3.org/2000/svg}"


def level(name: str, result: str, shown: int = 96, required: int = 299) -> LevelResult:
    return LevelResult(level=name, result=result, required=required, shown=shown)


def assessment(*levels: LevelResult, declared="executing", mode="full control") -> Assessment:
    return Assessment(mode=mode, declared=declared, levels=levels, complete=True)


@pytest.mark.parametrize(
    ("value", "words", "result", "colour"),
    [
        pytest.param(
            assessment(level("core", "reached"), level("executing", "reached")),
            "Executing (full control)",
            "reached",
            "brightgreen",
            id="reached",
        ),
        pytest.param(
            assessment(level("core", "reached"), level("executing", "failed"), mode="trace only"),
            "Core (trace only)",
            "reached",
            "brightgreen",
            id="the-highest-reached",
        ),
        pytest.param(
            assessment(level("core", "incomplete", 1, 2), level("executing", "incomplete")),
            "incomplete 96/299",
            "incomplete",
            "yellow",
            id="incomplete",
        ),
        pytest.param(
            assessment(level("core", "failed"), level("executing", "failed")),
            "failed 96/299",
            "failed",
            "red",
            id="failed",
        ),
        pytest.param(
            assessment(level("core", "not assessed"), level("executing", "not assessed")),
            "not assessed",
            "not assessed",
            "lightgrey",
            id="selection",
        ),
        pytest.param(
            assessment(level("core", "not assessed"), declared=None),
            "not assessed",
            "not assessed",
            "lightgrey",
            id="nothing-declared",
        ),
    ],
)
def test_words_and_colour_follow_the_result(value, words, result, colour):
    assert badge_words(value) == (words, result)
    assert json.loads(endpoint(value)) == {
        "schemaVersion": 1,
        "label": LABEL,
        "message": words,
        "color": colour,
        "isError": result == "failed",
    }


def drawn(result: str = "reached") -> ET.Element:
    return ET.fromstring(svg(assessment(level("core", result), declared="core")))


def test_the_picture_has_a_title_for_those_who_do_not_see_it():
    root = drawn()

    assert root.get("role") == "img"
    assert root.get("aria-label") == "HarnessXML 1.0: Core (full control)"
    assert root.findtext(f"{_SVG}title") == "HarnessXML 1.0: Core (full control)"


def test_both_halves_fill_the_width_and_hold_their_text():
    root = drawn()
    left, right = root.findall(f"{_SVG}g/{_SVG}rect")
    texts = root.findall(f"{_SVG}g/{_SVG}text")
    width = int(root.get("width"))

    assert int(left.get("width")) + int(right.get("width")) == width
    assert right.get("x") == left.get("width")
    assert [t.text for t in texts] == [LABEL, "Core (full control)"]
    for text, half, start in zip(texts, (left, right), (0, int(left.get("width"))), strict=True):
        length, middle = int(text.get("textLength")), float(text.get("x"))
        assert middle - length / 2 > start
        assert middle + length / 2 < start + int(half.get("width"))
        assert 5 * len(text.text) < length < 9 * len(text.text)


def test_colours_tell_results_apart():
    fills = {
        drawn(result).findall(f"{_SVG}g/{_SVG}rect")[1].get("fill")
        for result in ("reached", "incomplete", "failed", "not assessed")
    }

    assert len(fills) == 4
