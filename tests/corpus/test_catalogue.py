import pytest

from suite.corpus.catalogue import CorpusError, load_corpus, locate_root, read_corpus
from suite.corpus.facts_reader import read_facts
from tests.corpus_builder import PAIR, corpus_files, write_corpus


def test_a_corpus_is_read_whole(tmp_path):
    corpus = load_corpus(write_corpus(tmp_path, corpus_files()))

    assert list(corpus.cases) == [
        "execution/flow/pair",
        "invalid/edges/dangling",
        "valid/edges/pair",
    ]
    assert list(corpus.scenarios) == [
        "execution/flow/pair.plain",
        "invalid/edges/dangling",
        "valid/edges/pair",
    ]
    assert corpus.scenarios["execution/flow/pair.plain"].golden.outcome.is_ == "succeeded"
    assert corpus.cases["valid/edges/pair"].document == PAIR.encode()
    assert corpus.scenarios["valid/edges/pair"].plan is None
    assert list(corpus.interpretations) == ["A91"]
    assert corpus.ledger["5.3-again"].restates == "5.3-runs"
    assert corpus.manifest is not None


def test_companions_travel_with_the_case(tmp_path):
    files = corpus_files()
    files["cases/execution/flow/pair.toml"] += (
        'steps = { a = "ok" }\n[companions]\n"urn:child" = "pair-child.hxml"\n'
    )
    files["cases/execution/flow/pair-child.hxml"] = "child"
    corpus = load_corpus(write_corpus(tmp_path, files))

    assert corpus.cases["execution/flow/pair"].companions == {"urn:child": b"child"}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        pytest.param(
            {"cases/valid/edges/other.hxml": PAIR},
            "cases/valid/edges/other.hxml: expected a document with its case",
            id="orphan-document",
        ),
        pytest.param(
            {"expected_traces/flow/pair.odd.toml": "x"},
            "expected_traces/flow/pair.odd.toml: expected a document with its case, or a golden",
            id="orphan-golden",
        ),
        pytest.param(
            {"cases/execution/flow/pair.toml": None},
            "cases/execution/flow/pair.hxml: expected a document with its case",
            id="document-without-case",
        ),
        pytest.param(
            {"cases/valid/edges/pair.hxml": None},
            "pair.toml: expected the document cases/valid/edges/pair.hxml beside it",
            id="case-without-document",
        ),
        pytest.param(
            {"expected_traces/flow/pair.plain.toml": None},
            "plans.plain: expected the golden expected_traces/flow/pair.plain.toml",
            id="plan-without-golden",
        ),
        pytest.param(
            {
                "cases/execution/flow/pair.toml": 'description = "Two nodes."\nlevel = "full"',
                "expected_traces/flow/pair.plain.toml": None,
            },
            "plans: expected at least one, observed none",
            id="no-plan",
        ),
        pytest.param(
            {"cases/execution/flow/pair.toml": 'description = "Two."\nlevel = "full"\n[plans.x]'},
            "description: expected str of length >= 10",
            id="malformed-case",
        ),
        pytest.param(
            {
                "cases/execution/flow/pair.toml": 'description = "Two nodes."\nlevel = "full"\n'
                '[plans.plain.steps]\na = { after = "soon", ok = {} }'
            },
            "pair.toml: plans.plain: step 'a': duration 'soon'",
            id="malformed-plan",
        ),
        pytest.param(
            {
                "cases/valid/edges/pair.toml": 'description = "Two nodes."\nlevel = "core"\n'
                '[plans.x]\n[companions]\n"urn:x" = "none.hxml"'
            },
            "companions.urn:x: expected cases/valid/edges/none.hxml",
            id="companion-missing",
        ),
        pytest.param(
            {"cases/valid/pair.toml": 'description = "Two nodes."\nlevel = "core"'},
            "cases/valid/pair.toml: expected cases/<valid|invalid|execution>/<topic>",
            id="wrong-folder",
        ),
        pytest.param(
            {"cases/requirements.toml": "format = 2\nrequirements = {}"},
            "cases/requirements.toml: format: Invalid enum value 2",
            id="ledger",
        ),
    ],
)
def test_what_does_not_belong_together_is_told(tmp_path, change, sentence):
    files = {k: v for k, v in {**corpus_files(), **change}.items() if v is not None}
    root = write_corpus(tmp_path, files, manifest=False)
    _, problems = read_corpus(root)

    assert [p for p in problems if sentence in p]
    with pytest.raises(CorpusError):
        load_corpus(root)


def test_valid_cases_have_no_plans(tmp_path):
    files = corpus_files()
    files["cases/valid/edges/pair.toml"] += "[plans.x]\n"
    _, problems = read_corpus(write_corpus(tmp_path, files, manifest=False))

    assert problems == [
        "cases/valid/edges/pair.toml: plans: expected none in valid/, observed some"
    ]


def test_many_problems_are_cut_to_the_first(tmp_path):
    files = corpus_files() | {f"cases/valid/edges/x{n}.hxml": "" for n in range(8)}
    root = write_corpus(tmp_path, files, manifest=False)
    with pytest.raises(CorpusError, match="and 3 more"):
        load_corpus(root)


def test_a_directory_without_corpus_is_told(tmp_path):
    with pytest.raises(CorpusError, match="expected the directory cases/"):
        load_corpus(tmp_path)


def test_the_corpus_of_the_checkout_is_found_and_loads():
    corpus = load_corpus()

    assert (locate_root() / "cases" / "requirements.toml").is_file()
    assert len(corpus.ledger) >= 441


def test_every_execution_document_of_the_checkout_has_facts():
    for case in load_corpus().cases.values():
        if case.group == "execution":
            assert read_facts(case.document).nodes
