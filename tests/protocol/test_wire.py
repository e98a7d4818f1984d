"""Lines over two pipes: what is sent when, and what becomes of a pipe that is full."""

import os
import time

import pytest

from suite.protocol.wire import Bounds, Wire


class Plain(Wire):
    """A wire whose other end is this test."""

    def farewell(self):
        return "is gone"

    def alive(self):
        return True

    def end(self, *, politely):  # noqa: ARG002 -- the signature of every wire
        self._let_go()


@pytest.fixture
def ends():
    """A wire, and the descriptors of its other end: to read from and to write to."""
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    wire = Plain(ours_out, ours_in, None, Bounds())
    os.set_blocking(theirs_in, False)
    yield wire, theirs_in, theirs_out
    wire.end(politely=False)
    os.close(theirs_in)
    os.close(theirs_out)


def test_lines_go_out_together_before_anything_is_waited_for(ends):
    wire, reader, _ = ends
    wire.send(b"1")
    wire.send(b"2")
    with pytest.raises(BlockingIOError):
        os.read(reader, 100)
    nothing = wire.receive(0.0)

    assert (None, b"1\n2\n") == (nothing, os.read(reader, 100))


def test_a_line_that_has_come_is_handed_out_before_anything_is_sent(ends):
    wire, reader, writer = ends
    os.write(writer, b"a\nb\n")
    first = wire.receive(time.monotonic() + 5)
    wire.send(b"1")
    second = wire.receive(0.0)
    with pytest.raises(BlockingIOError):
        os.read(reader, 100)

    assert (b"a", b"b") == (first, second)


def test_what_a_full_pipe_does_not_take_follows_later(ends):
    wire, reader, _ = ends
    sent = b"x" * 300_000
    wire.send(sent)
    taken = bytearray()
    while len(taken) <= len(sent):
        wire.receive(0.0)
        taken += os.read(reader, 1 << 20)

    assert sent + b"\n" == taken
