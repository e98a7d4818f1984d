"""Paths: which states each node and iteration passed through, against what the golden lists."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from comparator.difference import Difference
from comparator.evidence import Evidence, unobservable
from comparator.form import Where, as_key
from comparator.golden import PathEntry
from comparator.trace import Key
from comparator.walk import Run

__all__ = ["LEGALITY_ONLY", "Expected", "expected_paths", "path_differences", "unlisted"]

#: The path that leaves everything but legality unjudged.
LEGALITY_ONLY: Final = "*"

#: §7.2.2: kind of loop → requirement broken by an iteration too many.
_TOO_MANY: Final = {
    "forEach": "7.2.2-foreach-once-per-element",
    "while": "7.2.2-while-tests-before",
    "until": "7.2.2-until-tests-after",
    "times": "7.2.2-times-exact",
}
#: §6.5: policy → requirement broken by an iteration after a failed one.
_AFTER_FAILURE: Final = {"fail": "6.5-fail-policy", "break": "6.5-break-policy"}

Expected = Mapping[Where, PathEntry]


def expected_paths(evidence: Evidence, paths: Mapping[str, PathEntry]) -> Expected:
    """Return the entries by lifecycle."""
    run = evidence.run
    if not run.graph.extent and run.at.keys() >= paths.keys():
        # The common case: every address is a node of the main flow.
        return dict(paths.items())
    where = evidence.where
    return {where(address): entry for address, entry in paths.items()}


def path_differences(evidence: Evidence, expected: Expected) -> list[Difference]:
    """Return one difference for each listed lifecycle that took another path."""
    at, unclear = evidence.run.at, evidence.run.keys.unclear
    differing: dict[Where, str] = {}
    for where, entry in expected.items():
        history = at.get(where)
        word = "" if history is None else history.word
        if entry.is_ not in {word, LEGALITY_ONLY}:
            differing[where] = word
    if unclear:
        differing = {w: word for w, word in differing.items() if as_key(w).node not in unclear}
    places = evidence.places_of_all(differing)
    return [
        _difference(as_key(where), expected[where], word, places[where])
        for where, word in differing.items()
    ]


def _difference(key: Key, entry: PathEntry, observed: str, places: list[int]) -> Difference:
    wanted, had = entry.is_.split(), observed.split()
    index = 0
    while index < min(len(wanted), len(had)) and wanted[index] == had[index]:
        index += 1
    return Difference(
        kind="path",
        cites=entry.cites,
        key=key,
        place=places[index] if index < len(places) else None,
        expected=entry.is_,
        observed=observed,
        detail={"index": index},
    )


def unlisted(run: Run, listed: Iterable[Expected]) -> Iterator[Difference]:
    """Yield a difference for each lifecycle that moved although no path lists it."""
    tables = tuple(listed)
    extra: dict[Where, str] = {}
    if len(tables) != 1 or not run.at.keys() <= tables[0].keys():
        for where, history in run.at.items():
            if history.length and not any(where in table for table in tables):
                extra[where] = history.word
    places = run.places(extra)
    for where, word in extra.items():
        key = as_key(where)
        free = any(_leaves_open(table, key) for table in tables)
        if key.node in run.graph.facts.nodes and key.node not in run.keys.unclear and not free:
            yield Difference(
                kind="unlisted",
                cites=_cites_of_unlisted(run, key),
                key=key,
                place=next(iter(places[where]), None),
                expected="",
                observed=word,
                detail={"index": 0},
            )
    for node in run.keys.unclear:
        cites = ("6.5-each-iteration-has-own-lifecycle",)
        yield unobservable(cites, Key(node), "iterations of concurrent loops by name")


def _leaves_open(table: Expected, key: Key) -> bool:
    """Whether a bare body, which means each of its iterations, may take any path."""
    entry = table.get(Key(key.node)) if key.steps else None
    return entry is not None and entry.is_ == LEGALITY_ONLY


def _cites_of_unlisted(run: Run, key: Key) -> tuple[str, ...]:
    if key.node not in run.graph.bodies:
        return ("6.6-no-disagreement-on-facts",)
    if not key.steps:
        return ("7.2.6-body-runs-only-as-iteration",)
    loop = run.graph.loops.get(key.steps[-1][0])
    if loop is None:
        return ("6.5-each-iteration-has-own-lifecycle",)
    cites = [_TOO_MANY.get(loop.kind, "6.5-each-iteration-has-own-lifecycle")]
    if key.node in run.first_failure and loop.on_item_failure in _AFTER_FAILURE:
        cites.insert(0, _AFTER_FAILURE[loop.on_item_failure])
    return tuple(cites)
