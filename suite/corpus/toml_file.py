"""Read a TOML file of the corpus into its type; an error names file, key, expected, observed."""

import re
import tomllib
from typing import Any, TypeVar

import msgspec

__all__ = ["CorpusError", "read_toml", "to_type"]

_T = TypeVar("_T")

#: msgspec's sentence and, when the fault is not at the top, its path: ``$.paths[...].cites[0]``.
_FAULT = re.compile(r"(?P<text>.*?)(?: - at `(?:key in )?(?P<path>\$.*)`)?", re.DOTALL)
_TOKEN = re.compile(r"\.(?P<name>[^.\[\]]+)|\[(?P<item>\d+|\.\.\.)\]")
_WISH = re.compile(r"Expected (?P<wish>.*?)(?:, got .*)?", re.DOTALL)


class CorpusError(ValueError):
    """A file of the corpus is not written as docs/formats.md says; the text names the place."""


def read_toml(data: bytes, type_: type[_T], name: str) -> _T:
    """Read ``data``, the content of the file ``name``, as a value of ``type_``.

    Raises:
        CorpusError: the bytes are no TOML, or a key has another form than the type demands.
    """
    try:
        raw = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise CorpusError(f"{name}: expected UTF-8, observed {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise CorpusError(f"{name}: expected TOML, observed {error}") from error
    return to_type(raw, type_, name)


def to_type(raw: Any, type_: type[_T], name: str) -> _T:
    """Turn decoded data of the file ``name`` into a value of ``type_``.

    Raises:
        CorpusError: see ``read_toml``.
    """
    try:
        return msgspec.convert(raw, type_)
    except msgspec.ValidationError as error:
        raise CorpusError(_sentence(raw, type_, name, str(error))) from error


def _sentence(raw: Any, type_: type[Any], name: str, fault: str) -> str:
    """Say where the fault lies, what was expected and what stands there."""
    match = _FAULT.fullmatch(fault)
    text = match["text"] if match else fault
    keys = _keys(raw, type_, (match["path"] if match else None) or "$")
    place = ".".join(str(key) for key in keys) or "top level"
    wish = _WISH.fullmatch(text)
    if wish is None:
        return f"{name}: {place}: {text}"
    observed = _walk(raw, keys)
    return f"{name}: {place}: expected {wish['wish'].replace('`', '')}, observed {observed!r}"


def _keys(raw: Any, type_: type[Any], path: str) -> list[str | int]:
    """Turn msgspec's path into keys; it writes ``[...]`` for any key of a table."""
    keys: list[str | int] = []
    for token in _TOKEN.finditer(path):
        if token["name"] is not None:
            keys.append(token["name"])
        elif token["item"] != "...":
            keys.append(int(token["item"]))
        else:
            table = _walk(raw, keys)
            names = list(table) if isinstance(table, dict) else []
            keys.append(next((n for n in names if _faulty(raw, type_, keys, n)), "..."))
    return keys


def _faulty(raw: Any, type_: type[Any], keys: list[str | int], name: str) -> bool:
    """Tell whether the data is still faulty below ``keys`` with ``name`` as its only entry."""
    try:
        msgspec.convert(_only(raw, keys, name), type_)
    except msgspec.ValidationError as error:
        return "[...]" in str(error)
    return False


def _only(raw: Any, keys: list[str | int], name: str) -> Any:
    """Copy ``raw`` with the table at ``keys`` reduced to ``name``."""
    if not keys:
        return {name: raw[name]}
    head, *tail = keys
    if isinstance(raw, dict):
        return {**raw, head: _only(raw[head], tail, name)}
    return [_only(item, tail, name) if i == head else item for i, item in enumerate(raw)]


def _walk(raw: Any, keys: list[str | int]) -> Any:
    """Return what stands at ``keys``, None where they lead nowhere."""
    for key in keys:
        try:
            raw = raw[key]
        except (KeyError, IndexError, TypeError):
            return None
    return raw
