"""What all commands share: output, arguments whose faults take one line, loading the corpus."""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import NoReturn

from suite.corpus.catalogue import Corpus, CorpusError, load_corpus
from suite.verdict.status import EXIT

__all__ = ["Arguments", "UsageError", "corpus_or_exit", "flush", "open_streams", "say"]


class UsageError(Exception):
    """The command was called in a way that cannot be meant; one line."""


class Arguments(argparse.ArgumentParser):
    """A parser that raises ``UsageError`` instead of printing its usage."""

    def __init__(self, command: str, description: str, epilog: str = "") -> None:
        super().__init__(
            prog=f"hxconf {command}",
            description=description,
            epilog=epilog,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    def read(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Parse arguments; options may stand before, between and after the rest.

        With ``--`` among them they may not stand between: what follows it is no option, which
        only the plain way of parsing knows.

        Raises:
            UsageError: they cannot be meant.
        """
        parse = self.parse_args if "--" in arguments else self.parse_intermixed_args
        return parse(list(arguments))

    def error(self, message: str) -> NoReturn:
        """Turn a fault into one line.

        Raises:
            UsageError: always.
        """
        raise UsageError(f"{self.prog.partition(' ')[2]}: {message}")


def open_streams() -> None:
    """Make streams that are closed lead nowhere, and let no character be too much for one."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until the end
            setattr(sys, name, nowhere)
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def say(line: str) -> None:
    """Write a line to standard output.

    Raises:
        UsageError: it cannot be written.
    """
    with _written():
        sys.stdout.write(f"{line}\n")


def flush() -> None:
    """Write what has been said.

    Raises:
        UsageError: it cannot be written.
    """
    with _written():
        sys.stdout.flush()


@contextmanager
def _written() -> Iterator[None]:
    """Lead standard output nowhere once it cannot be written, also at exit.

    Who reads a pipe and goes has seen enough: that is no fault.
    """
    try:
        yield
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise UsageError(f"standard output: {error.strerror}") from error


def corpus_or_exit() -> Corpus:
    """Load the corpus of this distribution; a fault in it ends the command with its sentence."""
    try:
        return load_corpus()
    except CorpusError as error:
        sys.stderr.write(f"hxconf: the corpus is at fault: {error}\n")
        sys.exit(EXIT["suite-fault"])
