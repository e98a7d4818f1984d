"""What a run is asked to do, read from option texts with one clear line for every wrong one."""

import difflib
import math
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast, get_args

import msgspec

from suite.corpus.case import LEVELS, Level

__all__ = ["Order", "SettingError", "Settings", "read_settings", "rerun_options"]


class SettingError(ValueError):
    """An option has a value that cannot be meant; the text is one line for the user."""


class Order(msgspec.Struct, frozen=True):
    """Order in which scenarios run: document, reverse or shuffle with a seed."""

    kind: str = "document"
    seed: int = 0


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """One run.

    Attributes:
        target: value of ``--runtime``.
        python: interpreter for a Python adapter, None for ours.
        settle: seconds of silence taken as idle.
        limit: seconds for one case.
        level: highest level that is run and assessed.
        select: ids, folders of ids or patterns; empty means everything.
        rename: seed of the ids that the runtime sees, 0 for those of the corpus.
        confirm: whether a failure is run again in a fresh process before it is believed.
        fuzz: area of random documents, None for none.
        fuzz_examples: number of random documents, None for the campaign's own default.
        fuzz_seed: seed of the random documents, None for the campaign's own default.
        fuzz_out: folder for what they find.
    """

    target: str
    python: str | None = None
    in_process: bool = False
    settle: float = 0.25
    limit: float = 10.0
    level: Level = "full"
    order: Order = Order()
    expected: Path | None = None
    results: Path | None = None
    select: tuple[str, ...] = ()
    rename: int = 0
    confirm: bool = True
    fuzz: str | None = None
    fuzz_examples: int | None = None
    fuzz_seed: int | None = None
    fuzz_out: Path | None = None

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels that are run: the one asked for and those below it."""
        return LEVELS[: LEVELS.index(self.level) + 1]


def read_settings(options: Mapping[str, Any]) -> Settings:
    """Read options by name without dashes, e.g. ``hx-limit``; absent or None means default.

    Raises:
        SettingError: a value is wrong, empty, or goes with another option that is missing.
    """
    text = {name: value for name, value in options.items() if value not in (None, False)}
    for name, value in text.items():
        if value == "" or (isinstance(value, list) and "" in value):
            raise SettingError(f"--{name}: needs a value")
    for name in ("hx-fuzz-examples", "hx-fuzz-seed", "hx-fuzz-out"):
        if name in text and "hx-fuzz" not in text:
            raise SettingError(f"--{name}: goes with --hx-fuzz=AREA, which is missing")
    return Settings(
        target=text["runtime"],
        python=_python(text.get("hx-python")),
        in_process=bool(text.get("hx-in-process", False)),
        settle=_seconds(text, "hx-settle", 0.25),
        limit=_seconds(text, "hx-limit", 10.0),
        level=_level(text.get("hx-level", "full")),
        order=_order(text.get("hx-order", "document")),
        expected=_readable(text.get("hx-expected")),
        results=_writable(text.get("hx-results")),
        select=tuple(text.get("hx-select", ())),
        rename=_number(text, "hx-rename", least=0) or 0,
        fuzz=text.get("hx-fuzz"),
        fuzz_examples=_number(text, "hx-fuzz-examples", least=1),
        fuzz_seed=_number(text, "hx-fuzz-seed", least=0),
        fuzz_out=_folder(text.get("hx-fuzz-out")),
    )


def rerun_options(settings: Settings) -> tuple[str, ...]:
    """Return the options of a run that bear on one scenario's verdict, where they were given."""
    plain = Settings(target=settings.target)
    given = [
        f"--hx-{name}={getattr(settings, name):g}"
        for name in ("settle", "limit")
        if getattr(settings, name) != getattr(plain, name)
    ]
    if settings.python is not None:
        given.append(f"--hx-python={settings.python}")
    if settings.level != plain.level:
        given.append(f"--hx-level={settings.level}")
    if settings.rename:
        given.append(f"--hx-rename={settings.rename}")
    return (*given, *(["--hx-in-process"] if settings.in_process else []))


def _seconds(text: Mapping[str, Any], name: str, default: float) -> float:
    if name not in text:
        return default
    try:
        seconds = float(text[name])
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise SettingError(f"--{name}: expected seconds above 0, observed {text[name]!r}")
    return seconds


def _number(text: Mapping[str, Any], name: str, *, least: int) -> int | None:
    if name not in text:
        return None
    value = str(text[name])
    if not re.fullmatch(r"\d{1,18}", value) or int(value) < least:
        raise SettingError(f"--{name}: expected a whole number from {least} on, observed {value!r}")
    return int(value)


def _level(value: str) -> Level:
    for level in get_args(Level):
        if value == level:
            return cast("Level", level)
    near = difflib.get_close_matches(value, LEVELS, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise SettingError(f"--hx-level: expected one of {', '.join(LEVELS)}, observed {value!r}{hint}")


def _order(value: str) -> Order:
    if value in ("document", "reverse"):
        return Order(value)
    match = re.fullmatch(r"shuffle:(\d{1,18})", value)
    if match is None:
        raise SettingError(
            f"--hx-order: expected document, reverse or shuffle:SEED with a whole number, "
            f"observed {value!r}"
        )
    return Order("shuffle", int(match[1]))


def _python(value: str | None) -> str | None:
    if value is None:
        return None
    found = shutil.which(value)
    if found is None:
        raise SettingError(f"--hx-python: {value!r} is no program that can be run")
    return found


def _readable(value: str | None) -> Path | None:
    if value is None:
        return None
    path = Path(value)
    if not path.is_file():
        raise SettingError(f"--hx-expected: there is no file {value!r}")
    return path


def _writable(value: str | None) -> Path | None:
    if value is None:
        return None
    path = Path(value).absolute()
    if path.is_dir() or not path.parent.is_dir():
        raise SettingError(f"--hx-results: expected a file in an existing folder, got {value!r}")
    return path


def _folder(value: str | None) -> Path | None:
    if value is None:
        return None
    path = Path(value).absolute()
    if path.exists() and not path.is_dir():
        raise SettingError(f"--hx-fuzz-out: expected a folder, {value!r} is a file")
    return path
