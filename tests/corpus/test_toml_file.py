import pytest

from comparator.golden import Golden
from suite.corpus.case import CaseText
from suite.corpus.toml_file import CorpusError, read_toml


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        pytest.param(
            '[paths]\na = { is = "READY", cites = ["x"] }\nb = { is = 3, cites = ["x"] }',
            "g.toml: paths.b.is: expected str, observed 3",
            id="value-under-a-free-key",
        ),
        pytest.param(
            '[paths]\nb = { is = "", cites = [] }',
            "g.toml: paths.b.cites: expected array of length >= 1, observed []",
            id="too-short",
        ),
        pytest.param(
            '[paths]\nb = { is = "" }',
            "g.toml: paths.b: Object missing required field `cites`",
            id="missing",
        ),
        pytest.param(
            '[outcome]\nis = "perhaps"\ncites = ["x"]',
            "g.toml: outcome.is: Invalid enum value 'perhaps'",
            id="enumeration",
        ),
        pytest.param(
            "steps = 1", "g.toml: top level: Object contains unknown field `steps`", id="unknown"
        ),
        pytest.param(
            '[[choices]]\ninterpretation = "A1"\noptions = [{ reading = "a" }]',
            "g.toml: choices.0.options: expected array of length >= 2",
            id="inside-a-list",
        ),
        pytest.param(
            '[[choices]]\ninterpretation = "A1"\n'
            'options = [{ reading = "a" }, { reading = "b", paths = { n = { is = 1 } } }]',
            "g.toml: choices.0.options.1.paths.n",
            id="free-key-inside-a-list",
        ),
    ],
)
def test_error_names_file_key_expected_and_observed(text, sentence):
    with pytest.raises(CorpusError) as caught:
        read_toml(text.encode(), Golden, "g.toml")

    assert sentence in str(caught.value)


def test_faulty_key_is_named_even_beside_sound_ones():
    text = (
        b'description = "Something is so."\nlevel = "core"\n[plans.x.steps]\na = "ok"\nb = "never"'
    )
    with pytest.raises(CorpusError, match=r"c\.toml: plans\.x\.steps\.b: .*observed 'never'"):
        read_toml(text, CaseText, "c.toml")


def test_broken_toml_names_the_file():
    with pytest.raises(CorpusError, match=r"c\.toml: expected TOML, observed Invalid value"):
        read_toml(b"a = ", CaseText, "c.toml")


def test_other_encoding_names_the_file():
    with pytest.raises(CorpusError, match=r"c\.toml: expected UTF-8"):
        read_toml(b"a = '\xff'", CaseText, "c.toml")
