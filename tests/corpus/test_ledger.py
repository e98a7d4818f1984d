import pytest

from suite.corpus.catalogue import load_corpus
from suite.corpus.ledger import read_ledger, statements
from suite.corpus.toml_file import CorpusError
from tests.corpus_builder import LEDGER


def test_recommendations_and_what_no_run_shows_are_not_required():
    ledger = read_ledger(LEDGER.encode())

    assert {"5.3-runs", "5.3-again", "5.7-ends", "13.2-hx-2001"} == {
        key for key, requirement in ledger.items() if requirement.required
    }


def test_statements_are_looked_up_by_id():
    assert statements(read_ledger(LEDGER.encode()))["5.7-ends"] == "The run succeeds."


def test_a_restatement_of_nothing_is_refused():
    text = LEDGER.replace('restates = "5.3-runs"', 'restates = "5.3-ran"')
    with pytest.raises(CorpusError, match=r"requirements\.5\.3-again\.restates: .*'5\.3-ran'"):
        read_ledger(text.encode())


def test_the_ledger_of_the_checkout_keeps_its_order_and_sections():
    ledger = load_corpus().ledger

    assert [key for key, r in ledger.items() if not key.startswith(f"{r.section}-")] == []
    assert all(key == requirement.id for key, requirement in ledger.items())
