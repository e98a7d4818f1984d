"""The one error for everything that an adapter sends and the protocol does not allow."""

__all__ = ["Breach", "Gone", "quote"]


class Breach(Exception):  # noqa: N818 -- a breach of the protocol is no error of ours
    """The adapter sent what the protocol does not allow; the text is the hint for its author."""


class Gone(Exception):  # noqa: N818 -- an ended program is no error of ours
    """The adapter's program ended; the text says how."""


def quote(data: bytes, size: int = 120) -> str:
    """Show the beginning of what was received, printable, with its length when it is cut."""
    text = repr(data[:size].decode("utf-8", "backslashreplace"))
    return text if len(data) <= size else f"{text}… ({len(data)} bytes)"
