"""What is shown of a runtime's own words: enough to know them by."""

import pytest

from suite.protocol.breach import cut, listed, quote, quoted

LONG = "x" * 900_000


@pytest.mark.parametrize(
    ("text", "size", "shown"),
    [
        pytest.param("abc", 3, "abc", id="short"),
        pytest.param("a" * 100, 30, "a" * 12 + "… (100 characters)", id="long"),
    ],
)
def test_a_long_text_is_cut_with_its_length(text, size, shown):
    assert shown == cut(text, size)


def test_a_text_that_was_cut_is_not_cut_again():
    assert cut(LONG) == cut(cut(LONG))
    assert len(cut(LONG)) <= 200


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        pytest.param("a'b", '"a\'b"', id="text"),
        pytest.param("\n", "'\\n'", id="control"),
        pytest.param("x" * 200, repr("x" * 200), id="just-short-enough"),
        pytest.param(LONG, f"{'x' * 200!r}… (900000 characters)", id="long"),
        pytest.param(7, "7", id="number"),
        pytest.param(None, "None", id="nothing"),
    ],
)
def test_a_value_is_shown_in_quotes(value, shown):
    assert shown == quoted(value)


def test_a_value_of_any_kind_is_cut():
    assert len(quoted([LONG])) < 250


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        pytest.param([], "", id="none"),
        pytest.param(["a", "b"], "a, b", id="few"),
        pytest.param(["a"] * 20, ", ".join(["a"] * 20), id="just-few-enough"),
        pytest.param(["a"] * 45_000, ", ".join(["a"] * 20) + " and 44980 more", id="many"),
    ],
)
def test_a_list_is_shown_with_the_number_of_the_rest(values, shown):
    assert shown == listed(iter(values))


def test_each_of_a_list_is_cut():
    assert len(listed([LONG] * 3)) < 650


def test_bytes_are_shown_as_text_with_their_length():
    assert "'ab'… (3 bytes)" == quote(b"abc", 2)
