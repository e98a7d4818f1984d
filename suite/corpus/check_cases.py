"""Check the metadata of cases: ids, descriptions, cites, codes, neighbours."""

import re
from collections.abc import Iterator
from typing import Final

from suite.corpus.case import Case
from suite.corpus.catalogue import Corpus

__all__ = ["check_case"]

_KEBAB: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_DEMANDS: Final = re.compile(
    r"\b(should|must|tests?|tested|testing|checks?|checked|checking)\b", re.IGNORECASE
)


def check_case(case: Case, corpus: Corpus) -> Iterator[str]:
    """Yield what is wrong with the metadata of a case."""
    text = case.text
    for part in (*case.id.split("/"), *text.plans):
        if not _KEBAB.fullmatch(part):
            yield f"{case.id}: expected kebab-case, observed {part!r}"
    word = _DEMANDS.search(text.description)
    if word is not None:
        yield f"{case.id}: description: expected a statement of what is so, observed {word[0]!r}"
    if case.group == "execution":
        if text.cites:
            yield f"{case.id}: cites: expected in the goldens' entries, observed in the case"
    elif not text.cites:
        yield f"{case.id}: cites: expected one to three requirements, observed none"
    if case.group == "invalid":
        yield from _check_invalid(case, corpus)
    elif text.codes or text.any_of or text.also or text.neighbour or text.run:
        yield f"{case.id}: codes, any-of, also, neighbour and run belong to invalid cases only"


def _check_invalid(case: Case, corpus: Corpus) -> Iterator[str]:
    text = case.text
    if not text.codes and not text.any_of:
        yield f"{case.id}: expected codes or any-of, observed neither"
    if len(text.any_of) == 1:
        yield f"{case.id}: any-of: expected two codes or more, observed one; write codes"
    twice = sorted(set(text.codes) & {*text.any_of, *text.also} | set(text.any_of) & set(text.also))
    if twice:
        yield f"{case.id}: {', '.join(twice)}: expected in one list, observed in several"
    neighbour = corpus.cases.get(text.neighbour or "")
    if neighbour is None or neighbour.group == "invalid":
        yield (
            f"{case.id}: neighbour: expected the id of the nearest case with a valid document, "
            f"observed {text.neighbour!r}"
        )
