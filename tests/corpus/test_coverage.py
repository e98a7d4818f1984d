"""Every requirement of the specification is accounted for."""

from suite.corpus.catalogue import load_corpus
from suite.corpus.ledger import is_gap
from suite.corpus.manifest import make_manifest


def test_no_requirement_is_without_scenario_and_reason():
    corpus = load_corpus()
    showing = make_manifest(corpus).requirements

    assert [] == [key for key, found in corpus.ledger.items() if is_gap(found, showing[key])]
