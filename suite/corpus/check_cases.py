"""Check the metadata of cases: ids, descriptions, cites, codes, neighbours."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Final

from suite.corpus.case import Case
from suite.corpus.catalogue import Corpus

__all__ = ["check_case"]

_KEBAB: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_INVALID_ONLY: Final = (
    "codes",
    "any-of",
    "also",
    "advised",
    "where",
    "neighbour",
    "run",
    "refused",
)

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
    else:
        stray = [key for key in _INVALID_ONLY if getattr(text, key.replace("-", "_"))]
        if stray:
            yield f"{case.id}: {', '.join(stray)}: expected in invalid cases only"


def _check_invalid(case: Case, corpus: Corpus) -> Iterator[str]:
    text = case.text
    if text.refused and not text.run:
        yield f"{case.id}: refused: expected together with run, observed alone"
    if not (text.codes or text.any_of or text.refused):
        yield f"{case.id}: expected codes, any-of or refused, observed none"
    stray = [code for code in text.advised if code not in text.any_of]
    if stray:
        yield f"{case.id}: advised: expected codes of any-of, observed {', '.join(stray)}"
    if len(text.any_of) == 1:
        yield f"{case.id}: any-of: expected two codes or more, observed one; write codes"
    lists = (text.codes, text.any_of, text.also)
    twice = sorted(code for code, n in Counter(chain(*map(set, lists))).items() if n > 1)
    if twice:
        yield f"{case.id}: {', '.join(twice)}: expected in one list, observed in several"
    neighbour = corpus.cases.get(text.neighbour or "")
    if neighbour is None or neighbour.group == "invalid":
        yield (
            f"{case.id}: neighbour: expected the id of the nearest case with a valid document, "
            f"observed {text.neighbour!r}"
        )
