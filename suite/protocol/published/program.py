"""One call of a program that prints and exits, within bounds."""

from collections.abc import Sequence

import msgspec

from suite.protocol.breach import Breach, Gone, quote
from suite.protocol.exchange import Kind, printable
from suite.protocol.lines import Flood
from suite.protocol.process import Child, Watch, describe_exit
from suite.protocol.wire import Bounds

__all__ = ["Broken", "Output", "call"]


class Broken(Exception):  # noqa: N818 -- how the program failed is a result, no error of ours
    """The program did not print and exit; ``kind`` is that of the exchange."""

    def __init__(self, kind: Kind, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind


class Output(msgspec.Struct, frozen=True):
    """What a program printed and how it ended."""

    text: str
    code: int
    stderr: str


def call(words: Sequence[str], watch: Watch, bounds: Bounds, deadline: float) -> Output:
    """Run a program to its end.

    Args:
        words: program and arguments.
        watch: ends the program should the suite die.
        bounds: how much output is put up with.
        deadline: ``time.monotonic`` after which it is ended.

    Raises:
        OSError: it cannot be started.
        Broken: it was killed, printed without end, or did not end in time.
        Breach: what it printed is no text.
    """
    child = Child(words, watch, bounds)
    child.strict = False
    lines: list[bytes] = []
    try:
        while True:
            line = child.receive(deadline)
            if line is None:
                raise Broken("timeout", _unended(lines))
            lines.append(line)
    except Gone:
        lines.append(child.rest)
    except Flood as error:
        raise Broken("timeout", str(error)) from error
    finally:
        killed = child.alive()
        child.end(politely=False)
    if killed:
        raise Broken("timeout", "the program closed its standard output and runs on")
    code = child.returncode
    if code is None:
        raise Broken("crash", "the process that watches the program was killed")
    if code < 0:
        raise Broken("crash", f"the program {describe_exit(code)}{_said(child.stderr_tail)}")
    try:
        text = b"\n".join(lines).decode("utf-8")
    except UnicodeDecodeError as error:
        around = error.object[max(0, error.start - 20) : error.start + 20]
        raise Breach(
            f"the output is not UTF-8 (byte {error.start}), near {quote(around)}"
        ) from None
    return Output(text, code, child.stderr_tail)


def _unended(lines: list[bytes]) -> str:
    last = f"; the last line: {quote(lines[-1])}" if lines else ""
    return f"no end within the limit, {len(lines)} lines printed{last}"


def _said(stderr: str) -> str:
    lines = [line for line in printable(stderr).splitlines() if line.strip()]
    return f" (stderr: {lines[-1]})" if lines else ""
