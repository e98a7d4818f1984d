import pytest

from suite.corpus import files as module
from suite.corpus.files import digest_of, locate_root, read_files
from suite.corpus.toml_file import CorpusError


def test_digest_does_not_depend_on_the_order_of_files():
    files = {"cases/b": b"1", "cases/a": b"2"}

    assert digest_of(files) == digest_of(dict(reversed(files.items())))


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"cases/a": b"2", "cases/c": b"1"}, id="name"),
        pytest.param({"cases/a": b"1", "cases/b": b"2"}, id="contents-swapped"),
        pytest.param({"cases/a": b"2", "cases/b": b"1", "cases/c": b""}, id="one-more"),
        pytest.param({"cases/a": b"2"}, id="one-less"),
    ],
)
def test_digest_notices_every_change(other):
    assert digest_of({"cases/a": b"2", "cases/b": b"1"}) != digest_of(other)


def test_digest_leaves_the_manifest_out():
    files = {"cases/a": b"1"}

    assert digest_of(files) == digest_of(files | {"cases/manifest.json": b"{}"})


def test_hidden_files_are_no_part_of_a_corpus(tmp_path):
    (tmp_path / "expected_traces").mkdir()
    (tmp_path / "cases" / ".cache").mkdir(parents=True)
    (tmp_path / "cases" / ".cache" / "x").write_text("x")
    (tmp_path / "cases" / ".x").write_text("x")
    (tmp_path / "cases" / "y").write_text("y")

    assert read_files(tmp_path) == {"cases/y": b"y"}


def test_the_corpus_inside_a_wheel_is_found(tmp_path, monkeypatch):
    inside = tmp_path / "suite" / "_corpus"
    (inside / "cases").mkdir(parents=True)
    (inside / "expected_traces").mkdir()
    monkeypatch.setattr(module, "__file__", str(tmp_path / "suite" / "corpus" / "files.py"))

    assert inside == locate_root()


def test_a_package_without_corpus_names_both_places(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "__file__", str(tmp_path / "suite" / "corpus" / "files.py"))
    with pytest.raises(CorpusError, match="observed neither"):
        locate_root()
