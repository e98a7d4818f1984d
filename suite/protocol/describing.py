"""What an adapter says of itself when it starts: whether it will do, and why not, in one line."""

import re
from typing import Final

from suite.protocol.exchange import AdapterDidNotStart, Exchange
from suite.protocol.messages import PROTOCOL, Description

__all__ = ["same_description", "unfit"]

#: Characters of a reason that are shown in one line.
_SHOWN: Final = 500

#: A virtual clock that nobody could move: the suite would not know by how much.
_UNMOVED: Final = ("interactive", "virtual", "settle")

#: How the telling line of an error output looks, whatever the language.
_ERROR: Final = re.compile(r"([Ee]rror|Exception|fatal|panic)\b")


def same_description(known: Description, described: Description) -> None:
    """Make sure that an adapter says the same of itself at every start.

    Raises:
        AdapterDidNotStart: it does not; scenarios were chosen by what it said first.
    """
    fields = [f for f in known.__struct_fields__ if getattr(known, f) != getattr(described, f)]
    if fields:
        raise AdapterDidNotStart(
            f"expected the description of the first start, observed other {', '.join(fields)}"
        )


def unfit(exchange: Exchange, answer: object) -> str | None:
    """Say in one line why an answer to describe is none, None when it is fine."""
    if isinstance(answer, Description) and exchange.kind == "ended":
        lowest, highest = PROTOCOL
        if (answer.control, answer.clock, answer.quiescence) == _UNMOVED:
            return (
                "quiescence settle goes with clock wall: a virtual clock is moved by the timer "
                "that idle tells"
            )
        for word, text in (("name", answer.name), ("version", answer.version)):
            if not text.isprintable():
                return f"description: expected a {word} that can be shown, observed {text!a}"
        if lowest <= answer.protocol <= highest:
            return None
        return (
            f"expected protocol version {lowest} to {highest}, observed {answer.protocol}; "
            "another version of the suite may speak it"
        )
    if exchange.kind == "ended":
        return "expected a description as the first message, observed another one"
    said = "" if exchange.kind == "protocol-error" else _telling(exchange.stderr_tail)
    detail = exchange.detail.splitlines() or [""]
    # Of a crash the first line names the error; the frames below it would drown it.
    told = detail[:1] if exchange.kind == "crash" else detail
    reason = " ".join(f"{exchange.kind}: {' '.join(told)}".split())
    return f"{reason[:_SHOWN]}{said[:_SHOWN]}"


def _telling(stderr: str) -> str:
    """Return the line of an error output that says most, in brackets; empty without one."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if _ERROR.search(line)]
    return f" (stderr: {(errors or lines)[-1]})" if lines else ""
