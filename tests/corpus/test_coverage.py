"""Every requirement of the chapters that the corpus covers is accounted for."""

import pytest

from suite.corpus.catalogue import load_corpus
from suite.corpus.ledger import is_gap
from suite.corpus.manifest import make_manifest

#: Chapters of which every sentence has a scenario, or a reason why none can exist.
COVERED = ("1", "5", "6")


@pytest.mark.parametrize("chapter", COVERED)
def test_chapter_has_no_gap(chapter):
    corpus = load_corpus()
    showing = make_manifest(corpus).requirements

    gaps = [
        key
        for key, requirement in corpus.ledger.items()
        if requirement.section.partition(".")[0] == chapter and is_gap(requirement, showing[key])
    ]

    assert [] == gaps
