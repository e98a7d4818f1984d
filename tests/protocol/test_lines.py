"""Splitting of streams, and the kept end of them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suite.protocol.breach import Breach
from suite.protocol.lines import Flood, Lines, Tail


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=5))
def test_lines_do_not_depend_on_how_the_stream_was_cut(data, cuts):
    lines = Lines(1000, 1000)
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    for start, end in pairwise(places):
        lines.feed(data[start:end])
    *expected, rest = data.split(b"\n")
    taken = list(iter(lines.take, None))

    assert (expected, rest) == (taken, lines.rest)


@pytest.mark.parametrize(
    ("first", "second"), [(b"", b"12345"), (b"123", b"45"), (b"1\n", b"12345\n")], ids=repr
)
def test_line_longer_than_allowed_is_a_breach(first, second):
    lines = Lines(4, 100)
    lines.feed(first)

    with pytest.raises(Breach, match="longer than 4 bytes"):
        lines.feed(second)


def test_line_as_long_as_allowed_is_taken():
    lines = Lines(4, 100)
    lines.feed(b"1234\n")

    assert b"1234" == lines.take()


def test_flood_is_counted_between_resets():
    lines = Lines(10, 10)
    lines.feed(b"12345\n")
    lines.reset()
    lines.feed(b"123456789\n")

    with pytest.raises(Flood, match="more than 10 bytes"):
        lines.feed(b"1")


@given(st.lists(st.text("ab\n", max_size=30), max_size=20))
def test_tail_is_an_end_of_the_stream_within_its_size(chunks):
    tail = Tail(20)
    for chunk in chunks:
        tail.feed(chunk.encode())
    whole = "".join(chunks)
    kept = tail.text()

    assert whole.endswith(kept)
    assert len(kept) <= 20
    assert kept == whole or len(whole) > 20


def test_tail_shorter_than_its_size_is_everything():
    tail = Tail(20)
    tail.feed(b"one\ntwo\n")

    assert "one\ntwo\n" == tail.text()


def test_tail_begins_at_a_line_where_something_was_cut():
    tail = Tail(8)
    tail.feed(b"first line\nlast\n")

    assert "last\n" == tail.text()


def test_tail_is_empty_after_reset():
    tail = Tail(8)
    tail.feed(b"x" * 100)
    tail.reset()
    tail.feed(b"y")

    assert "y" == tail.text()
