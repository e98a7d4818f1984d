"""The files of a corpus: where they lie, which there are, and their digest."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from suite.corpus.toml_file import CorpusError

__all__ = [
    "CASES",
    "GOLDENS",
    "INTERPRETATIONS",
    "LEDGER",
    "MANIFEST",
    "digest_of",
    "locate_root",
    "read_files",
]

#: Directory of cases, ledger, interpretations and manifest.
CASES: Final = "cases"

#: Directory of goldens.
GOLDENS: Final = "expected_traces"

LEDGER: Final = "cases/requirements.toml"
INTERPRETATIONS: Final = "cases/interpretations.toml"

#: Generated from the rest, hence not part of the digest.
MANIFEST: Final = "cases/manifest.json"


def locate_root() -> Path:
    """Return the directory that holds both directories: of a checkout, or inside the wheel.

    Raises:
        CorpusError: neither place has them.
    """
    package = Path(__file__).resolve().parent.parent
    places = (package.parent, package / "_corpus")
    for place in places:
        if (place / CASES).is_dir() and (place / GOLDENS).is_dir():
            return place
    raise CorpusError(
        f"corpus: expected {CASES}/ and {GOLDENS}/ in {places[0]} or {places[1]}, observed neither"
    )


def read_files(root: Path) -> dict[str, bytes]:
    """Read every file of the corpus: path relative to ``root`` with ``/`` → bytes, sorted.

    Names that begin with a dot are no part of a corpus.

    Raises:
        CorpusError: ``root`` has not both directories.
    """
    files: dict[str, bytes] = {}
    for top in (CASES, GOLDENS):
        if not (root / top).is_dir():
            raise CorpusError(f"{root}: expected the directory {top}/, observed none")
        for name, path in _below(str(root / top), top):
            with open(path, "rb") as file:  # noqa: PTH123 -- one of thousands, at every start
                files[name] = file.read()
    return dict(sorted(files.items()))


def _below(folder: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield (name, path) of every file below a folder."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _below(entry.path, f"{name}/{entry.name}")
            elif entry.is_file():
                yield f"{name}/{entry.name}", entry.path


def digest_of(files: Mapping[str, bytes]) -> str:
    """Return ``sha256:…`` over names and contents, whatever the order of ``files``."""
    total = hashlib.sha256()
    for name in sorted(files):
        if name != MANIFEST:
            total.update(name.encode())
            total.update(b"\0")
            total.update(hashlib.sha256(files[name]).digest())
    return f"sha256:{total.hexdigest()}"
