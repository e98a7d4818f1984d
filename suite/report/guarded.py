"""A file that is written bit by bit while programs run that may change or delete it."""

import os
import stat
from pathlib import Path
from shutil import copyfileobj
from tempfile import NamedTemporaryFile, TemporaryFile
from typing import IO, Final

__all__ = ["GuardedFile"]

#: Bytes that are compared at once.
_CHUNK: Final = 1 << 20

#: How what stands in the place of the file is opened: neither a pipe nor a link leads anywhere.
_WARILY: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW


class GuardedFile:
    """A new file, and a copy without a name: what others do is noticed at the end and undone.

    What is no regular file, such as a pipe, is only written.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file: IO[bytes] = path.open("wb")
        self._path = path.resolve()
        regular = stat.S_ISREG(os.fstat(self._file.fileno()).st_mode)
        self._copy = _unnamed(self._path.parent) if regular else None

    def write(self, data: bytes) -> None:
        """Write; the data reaches the file at once."""
        self._file.write(data)
        self._file.flush()
        if self._copy is not None:
            self._copy.write(data)

    def finish(self) -> str:
        """Close the file; say in one line what others did to it, nothing if they did nothing."""
        damage = ""
        if self._copy is not None:
            damage = self._damage(self._copy)
            if damage:
                damage = f"{self._path}: {damage}; {self._restore(self._copy)}"
        self.close()
        return damage

    def close(self) -> None:
        """Close the file as it is."""
        self._file.close()
        if self._copy is not None:
            self._copy.close()

    def _damage(self, copy: IO[bytes]) -> str:
        ours = os.fstat(self._file.fileno())
        try:
            if not os.path.samestat(os.lstat(self._path), ours):
                return "another file took its place during the run"
            with open(self._path, "rb", opener=_warily) as found:
                if not os.path.samestat(os.fstat(found.fileno()), ours):
                    return "another file took its place during the run"
                copy.seek(0)
                return "" if _same(found, copy) else "changed by others during the run"
        except FileNotFoundError:
            return "deleted during the run"
        except OSError as error:
            return f"cannot be read back after the run ({error.strerror})"

    def _restore(self, copy: IO[bytes]) -> str:
        """Put what was written in the place of whatever is there now, and say how it went."""
        mode = stat.S_IMODE(os.fstat(self._file.fileno()).st_mode)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            whole = _saved(copy, self._path, self._path.parent, mode)
        except OSError as error:
            try:
                whole = _saved(copy, self._path, None, mode)
            except OSError:
                return f"it cannot be written again: {error.strerror}"
            return f"what was written is in {whole}: {error.strerror}"
        try:
            whole.replace(self._path)
        except OSError as error:
            return f"what was written is in {whole}: {error.strerror}"
        return "it was written again"


def _warily(path: str, _: int) -> int:
    return os.open(path, _WARILY)


def _saved(copy: IO[bytes], path: Path, folder: Path | None, mode: int) -> Path:
    """Write the copy to a new file in a folder, where that is None in that of temporary files."""
    copy.seek(0)
    with NamedTemporaryFile(
        dir=folder, prefix=f"{path.stem}-", suffix=path.suffix, delete=False
    ) as whole:
        try:
            copyfileobj(copy, whole)
            os.fchmod(whole.fileno(), mode)
            whole.flush()
        except OSError:
            Path(whole.name).unlink()
            raise
    return Path(whole.name)


def _unnamed(folder: Path) -> IO[bytes]:
    """Open a file that nobody else finds, on the same disk where that can be had."""
    try:
        return TemporaryFile(dir=folder)
    except OSError:
        return TemporaryFile()


def _same(first: IO[bytes], second: IO[bytes]) -> bool:
    """Whether the rest of two files is the same."""
    while True:
        chunk = first.read(_CHUNK)
        if chunk != second.read(_CHUNK):
            return False
        if not chunk:
            return True
