"""What may stand in a plan, and how a message shows what may not."""

import pytest

from reference_runtime.expressions.values import MAX_NESTING
from reference_runtime.plan_values import (
    PlanError,
    check_text,
    check_value,
    find_huge_number,
    read_seconds,
    told,
)


def nested(depth, inner=1):
    """A list in a list, so many deep."""
    for _ in range(depth):
        inner = [inner]
    return inner


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a\nb", "'a\\nb'"),
        ("\ud800", "'\\ud800'"),
        ("x" * 200, f"'{'x' * 78}…"),
        (10**5000, "a number of too many digits"),
        ([10**5000], "a number of too many digits"),
        (nested(100_000), "a value nested too deep"),
    ],
    ids=["lines", "half a character", "long", "huge", "huge inside", "deep"],
)
def test_value_is_told_in_one_short_line(value, text):
    assert text == told(value)


def reason(check, *args, **options):
    """What a check says; empty when it has nothing to say."""
    try:
        check(*args, **options)
    except PlanError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([None, True, 0, -1.5, "ä\U0001f600", [], {"a": [{"b": None}]}], ""),
        (10**5000, ""),
        (nested(MAX_NESTING), ""),
        (nested(MAX_NESTING + 1), f"here: expected a value nested at most {MAX_NESTING} deep"),
        ({"a": [1, float("-inf")]}, "here.a[1]: expected a JSON value, observed -inf"),
        (
            [{"a": "\udc00"}],
            "here[0].a: expected whole characters, observed half of one in '\\udc00'",
        ),
        ({1: 2}, "here: name: expected a text, observed 1"),
        ([b"x"], "here[0]: expected a JSON value, observed b'x'"),
    ],
    ids=["json", "huge", "deep", "too deep", "infinite", "half a character", "name", "bytes"],
)
def test_values_are_those_of_json(value, text):
    assert text == reason(check_value, value, "here")


@pytest.mark.parametrize(
    ("value", "empty", "text"),
    [
        ("", False, ""),
        (None, True, ""),
        (None, False, "here: expected a text, observed None"),
        (3, True, "here: expected a text, observed 3"),
    ],
)
def test_text_is_text(value, empty, text):
    assert text == reason(check_text, value, "here", empty=empty)


@pytest.mark.parametrize(
    ("value", "seconds"), [(None, 0), (0, 0), (3, 3), (0.5, 0.5), (1e300, 1e300)]
)
def test_seconds_are_read(value, seconds):
    assert seconds == read_seconds(value, "here")


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), 10**400, True, "3", [], {}])
def test_other_seconds_are_refused(value):
    assert reason(read_seconds, value, "here").startswith("here: expected seconds, observed ")


@pytest.mark.parametrize(
    ("text", "place"),
    [(f"a\n{'1' * 4301}", "line 2: "), (f"a\n\n{'1_' * 4301}1", "line 3: "), ("1" * 4300, "")],
)
def test_huge_number_is_found(text, place):
    assert f"{place}a number has more than 4,300 digits" == find_huge_number(text)
