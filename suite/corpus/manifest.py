"""The manifest: what a release of the corpus holds and demands; generated, frozen per release.

``python -m suite.corpus.manifest --write`` makes it anew, ``--check`` says whether it is
current.
"""

import argparse
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from suite.corpus.case import LEVELS, Level
from suite.corpus.catalogue import Corpus, CorpusError, load_corpus
from suite.corpus.cites import certain_cites, cites_of
from suite.corpus.files import MANIFEST
from suite.corpus.needs import needs_of

__all__ = [
    "VERSION",
    "Manifest",
    "ManifestEntry",
    "RequiredSet",
    "main",
    "make_manifest",
    "outdated",
    "read_manifest",
    "render_manifest",
]

#: Version of the corpus; ``since`` and ``withdrawn`` refer to it.
VERSION: Final = "0.1.0"

_Ids = tuple[str, ...]


class ManifestEntry(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True
):
    """One scenario.

    Attributes:
        level: level at which it counts.
        since: version of the corpus that brought it.
        controlled: whether it needs more of a runtime than running a plan and showing traces.
        withdrawn: version that took it away; its id is never used again.
    """

    level: Level
    since: str
    controlled: bool = False
    withdrawn: str | None = None


class RequiredSet(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel", kw_only=True
):
    """Requirements that one level adds to the ones before it, by mode.

    ``trace_only`` leaves out what no runtime has to show that merely runs a plan and tells its
    transitions: every scenario needs more, or leaves another legal course that shows nothing.
    A requirement that only scenarios of a higher level show is asked for there.
    """

    full_control: _Ids
    trace_only: _Ids


class Manifest(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True
):
    """What a release of the corpus holds and demands.

    Attributes:
        format: version of this format.
        corpus: version of the corpus.
        digest: ``sha256:…`` over all files but this one.
        scenarios: id → entry.
        requirements: requirement → scenarios that assert it or what it restates.
        same: requirement → requirements of the same content.
        required: level → requirements that it adds.
    """

    format: Literal[1] = 1
    corpus: str
    digest: Annotated[str, msgspec.Meta(pattern="^sha256:[0-9a-f]{64}$")]
    scenarios: dict[str, ManifestEntry]
    requirements: dict[str, _Ids]
    same: dict[str, _Ids] = {}
    required: dict[Level, RequiredSet]


def make_manifest(corpus: Corpus, previous: Manifest | None = None) -> Manifest:
    """Build the manifest of a corpus; what ``previous`` knows keeps its ``since``."""
    known = previous.scenarios if previous is not None else {}
    entries = {
        # What was withdrawn stays so: an id that comes back is a problem for the self-check.
        key: msgspec.structs.replace(
            known.get(key) or ManifestEntry(level=scenario.case.text.level, since=VERSION),
            level=scenario.case.text.level,
            controlled=needs_of(scenario).full_control,
        )
        for key, scenario in corpus.scenarios.items()
    }
    for key, entry in known.items():
        if key not in entries:
            gone = entry.withdrawn or VERSION
            entries[key] = msgspec.structs.replace(entry, withdrawn=gone)
    same = _same(corpus)
    showing = _showing(corpus, same)
    return Manifest(
        corpus=VERSION,
        digest=corpus.digest,
        scenarios=dict(sorted(entries.items())),
        requirements=showing,
        same=same,
        required=_required(corpus, showing, same, entries),
    )


def _same(corpus: Corpus) -> dict[str, _Ids]:
    """Return requirement → restatements of it and what it restates, where there are any."""
    same: dict[str, list[str]] = {}
    for key, requirement in corpus.ledger.items():
        if requirement.restates is not None:
            same.setdefault(key, []).append(requirement.restates)
            same.setdefault(requirement.restates, []).append(key)
    return {key: tuple(others) for key, others in same.items()}


def _showing(corpus: Corpus, same: dict[str, _Ids]) -> dict[str, _Ids]:
    """Return requirement → scenarios; what shows the one shows its restatement."""
    cited: dict[str, set[str]] = {key: set() for key in corpus.ledger}
    for key, scenario in corpus.scenarios.items():
        for cite in cites_of(scenario):
            cited.setdefault(cite, set()).add(key)
    return {
        key: tuple(sorted(scenarios.union(*(cited[other] for other in same.get(key, ())))))
        for key, scenarios in cited.items()
    }


def _required(
    corpus: Corpus,
    showing: dict[str, _Ids],
    same: dict[str, _Ids],
    entries: dict[str, ManifestEntry],
) -> dict[Level, RequiredSet]:
    by_traces: dict[str, set[str]] = {key: set() for key in corpus.ledger}
    for key, scenario in corpus.scenarios.items():
        for cite in () if entries[key].controlled else certain_cites(scenario):
            for requirement in (cite, *same.get(cite, ())):
                by_traces.setdefault(requirement, set()).add(key)
    needed = {key: r.level for key, r in corpus.ledger.items() if r.required}
    full = {key: _shown_at(own, showing[key], entries) for key, own in needed.items()}
    traces = {
        key: _shown_at(own, by_traces[key], entries)
        for key, own in needed.items()
        # Without a scenario there is nothing that could excuse a runtime.
        if by_traces[key] or not showing[key]
    }
    return {
        level: RequiredSet(
            full_control=tuple(key for key, at in full.items() if at == level),
            trace_only=tuple(key for key, at in traces.items() if at == level),
        )
        for level in _levels()
    }


def _shown_at(own: Level, showing: Iterable[str], entries: Mapping[str, ManifestEntry]) -> Level:
    """Return the level that asks for a requirement: the lowest one that has a scenario for it."""
    lowest = min((LEVELS.index(entries[key].level) for key in showing), default=0)
    return _levels()[max(LEVELS.index(own), lowest)]


def _levels() -> tuple[Level, ...]:
    return tuple(msgspec.convert(LEVELS, tuple[Level, ...]))


def read_manifest(data: bytes | None) -> Manifest:
    """Read ``Corpus.manifest``.

    Raises:
        CorpusError: there is none, or it is malformed.
    """
    if data is None:
        raise CorpusError(f"{MANIFEST}: expected the frozen manifest, observed none; {_REMEDY}")
    try:
        return msgspec.json.decode(data, type=Manifest)
    except msgspec.DecodeError as error:
        raise CorpusError(f"{MANIFEST}: {error}; {_REMEDY}") from error


_REMEDY: Final = "write it with python -m suite.corpus.manifest --write"


def render_manifest(manifest: Manifest) -> bytes:
    """Return the manifest as the file holds it."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"


def outdated(corpus: Corpus) -> str | None:
    """Return what is wrong with the manifest on disk, None when it is current."""
    try:
        previous = read_manifest(corpus.manifest)
    except CorpusError as error:
        return str(error)
    if render_manifest(make_manifest(corpus, previous)) != corpus.manifest:
        return f"{MANIFEST}: expected what the files now give, observed something else; {_REMEDY}"
    return None


def main(arguments: list[str] | None = None) -> int:
    """Write or check the manifest; 0 when it is current, 1 when not, 3 for a faulty corpus."""
    parser = argparse.ArgumentParser(prog="python -m suite.corpus.manifest", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", action="store_true", help="write cases/manifest.json")
    what.add_argument("--check", action="store_true", help="say whether it is current")
    parser.add_argument("--root", type=Path, help="directory with cases/ and expected_traces/")
    options = parser.parse_args(arguments)
    try:
        corpus = load_corpus(options.root)
        if options.write:
            previous = None if corpus.manifest is None else read_manifest(corpus.manifest)
            (corpus.root / MANIFEST).write_bytes(render_manifest(make_manifest(corpus, previous)))
            return 0
    except CorpusError as error:
        print(error, file=sys.stderr)  # noqa: T201  a command talks to its user
        return 3
    problem = outdated(corpus)
    if problem is not None:
        print(problem, file=sys.stderr)  # noqa: T201  a command talks to its user
    return 0 if problem is None else 1


if __name__ == "__main__":
    sys.exit(main())
