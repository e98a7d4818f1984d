import pytest

from suite.corpus.catalogue import load_corpus
from suite.corpus.interpretations import meeting, read_interpretations
from suite.corpus.toml_file import CorpusError
from tests.corpus_builder import INTERPRETATIONS, corpus_files, write_corpus

CHOICE = """
[[choices]]
interpretation = "A91"
options = [{ reading = "a", preferred = true }, { reading = "b" }]
"""


def test_open_points_have_their_id():
    assert read_interpretations(INTERPRETATIONS.encode())["A91"].id == "A91"


def test_the_preferred_reading_exists():
    text = INTERPRETATIONS.replace('preferred = "a"', 'preferred = "c"')
    with pytest.raises(CorpusError, match=r"A91\.preferred: expected one of a, b, observed 'c'"):
        read_interpretations(text.encode())


def test_an_open_point_has_two_readings():
    text = INTERPRETATIONS.replace(', b = "They become CANCELLED."', "")
    with pytest.raises(CorpusError, match=r"A91\.readings: expected object of length >= 2"):
        read_interpretations(text.encode())


def test_scenarios_that_meet_an_open_point_are_computed(tmp_path):
    files = corpus_files()
    files["expected_traces/flow/pair.plain.toml"] += CHOICE
    corpus = load_corpus(write_corpus(tmp_path, files))

    assert meeting("A91", corpus.scenarios) == ("execution/flow/pair.plain",)
    assert meeting("A92", corpus.scenarios) == ()
