"""What came of one request to a runtime, and the errors that keep a runtime from being asked."""

from typing import Literal

import msgspec

from suite.protocol.messages import Finding
from suite.protocol.transcript import Transcript

__all__ = [
    "AdapterDidNotStart",
    "Exchange",
    "Kind",
    "Late",
    "SuiteFault",
    "TargetError",
    "one_line",
    "printable",
]

#: ended: the run sent ``end``; findings: a verdict on the document; crash: the adapter died or
#: sent ``fault``; timeout: the limit passed; protocol-error: it sent what docs/protocol.md does
#: not allow; deadlock: nothing moves and the suite has nothing left to do; unable: there is no
#: way to tell this runtime what the scenario asks for, so that nothing was run.
Kind = Literal["ended", "findings", "crash", "timeout", "protocol-error", "deadlock", "unable"]


def printable(text: str) -> str:
    """Return text of a runtime's own as it can be shown: nothing in it steers a terminal."""
    if text.isprintable():
        return text
    return "".join(
        c if c in "\n\t" or c.isprintable() else c.encode("unicode_escape").decode() for c in text
    )


def one_line(text: str) -> str:
    """Return text of a runtime's own as it can be shown in a line of ours."""
    return printable(text).replace("\n", "\\n")


class TargetError(ValueError):
    """The value of ``--runtime`` (or an option beside it) names nothing that can be started."""


class AdapterDidNotStart(RuntimeError):  # noqa: N818 -- named after the status line that users read
    """The adapter gave no usable description; the text is one line."""


class SuiteFault(RuntimeError):  # noqa: N818 -- named after the status
    """The suite was about to send what its own protocol does not allow; no runtime is to blame."""


class Late(msgspec.Struct, frozen=True):
    """What an adapter did after its answer was complete and before it was asked again.

    Attributes:
        kind: a message too many, or its end.
        detail: one line for people.
        stderr_tail: last lines that it wrote to stderr since the request began.
        ago: how many requests were made after the one that this belongs to.
    """

    kind: Literal["crash", "protocol-error"]
    detail: str
    stderr_tail: str = ""
    ago: int = 0


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """One request and what came of it.

    Attributes:
        kind: see ``Kind``.
        transcript: every message of the request in order; of an exchange that broke off (crash,
            timeout, protocol-error), at most the first and the last 500, or 256 KiB of each.
        findings: the answer when ``kind`` is findings.
        detail: one or more lines for people; empty for ended and findings.
        stderr_tail: last lines that the adapter wrote to stderr during the request.
        seconds: real duration.
    """

    kind: Kind
    transcript: Transcript
    findings: tuple[Finding, ...] = ()
    detail: str = ""
    stderr_tail: str = ""
    seconds: float = 0.0
