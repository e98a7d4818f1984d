import json

import pytest

from suite.corpus.catalogue import CorpusError, load_corpus
from suite.corpus.manifest import (
    VERSION,
    ManifestEntry,
    RequiredSet,
    main,
    make_manifest,
    outdated,
    read_manifest,
    render_manifest,
)
from tests.corpus_builder import GOLDEN, corpus_files, write_corpus


def test_what_shows_a_requirement_shows_its_restatement(tmp_path):
    manifest = make_manifest(load_corpus(write_corpus(tmp_path, corpus_files())))

    assert manifest.requirements["5.3-runs"] == ("execution/flow/pair.plain",)
    assert manifest.requirements["5.3-again"] == ("execution/flow/pair.plain",)
    assert manifest.requirements["13.2-hx-2001"] == ("invalid/edges/dangling", "valid/edges/pair")
    assert manifest.requirements["6.6-advice"] == ()


def test_required_sets_hold_neither_advice_nor_the_unobservable(tmp_path):
    required = make_manifest(load_corpus(write_corpus(tmp_path, corpus_files()))).required

    assert required["core"].full_control == ("13.2-hx-2001",)
    assert required["executing"].full_control == ("5.3-runs", "5.3-again", "5.7-ends")
    assert required["full"].full_control == ()


def test_trace_only_leaves_out_what_only_full_control_shows(tmp_path):
    files = corpus_files()
    files["cases/execution/flow/pair.toml"] += "[plans.calls]\n"
    files["expected_traces/flow/pair.calls.toml"] = (
        GOLDEN.replace("5.7-ends", "5.3-runs")
        + '[[calls]]\nnode = "a"\ncount = 1\ncites = ["5.7-ends"]'
    )
    files["expected_traces/flow/pair.plain.toml"] = GOLDEN.replace("5.7-ends", "5.3-runs")
    required = make_manifest(load_corpus(write_corpus(tmp_path, files))).required

    assert required["executing"].full_control == ("5.3-runs", "5.3-again", "5.7-ends")
    assert required["executing"].trace_only == ("5.3-runs", "5.3-again")


def test_trace_only_leaves_out_what_only_one_of_several_legal_courses_shows(tmp_path):
    files = corpus_files()
    path = '{ is = "READY RUNNING SUCCEEDED", cites = ["%s"] }'
    files["expected_traces/flow/pair.plain.toml"] = GOLDEN.replace(
        f"b = {path % '5.3-runs'}", ""
    ).replace("5.7-ends", "5.3-runs") + (
        '[[choices]]\ninterpretation = "A91"\n'
        f'options = [{{ reading = "a", preferred = true, paths.b = {path % "5.7-ends"} }}, '
        f'{{ reading = "b", paths.b = {path % "5.3-runs"} }}]'
    )
    required = make_manifest(load_corpus(write_corpus(tmp_path, files))).required

    assert "5.7-ends" in required["executing"].full_control
    assert "5.7-ends" not in required["executing"].trace_only


def test_a_requirement_that_a_higher_level_shows_is_asked_for_there(tmp_path):
    files = corpus_files()
    case = "cases/execution/flow/pair.toml"
    files[case] = files[case].replace('level = "executing"', 'level = "full"')
    required = make_manifest(load_corpus(write_corpus(tmp_path, files))).required

    assert required["executing"] == RequiredSet(full_control=(), trace_only=())
    assert required["full"].full_control == ("5.3-runs", "5.3-again", "5.7-ends")
    assert required["full"].trace_only == ("5.3-runs", "5.3-again", "5.7-ends")


def test_a_requirement_without_scenario_stays_required_in_both_modes(tmp_path):
    files = corpus_files()
    files["expected_traces/flow/pair.plain.toml"] = GOLDEN.replace("5.7-ends", "5.3-runs")
    required = make_manifest(load_corpus(write_corpus(tmp_path, files))).required

    assert "5.7-ends" in required["executing"].full_control
    assert "5.7-ends" in required["executing"].trace_only


def test_since_is_kept_and_vanished_scenarios_are_withdrawn(tmp_path):
    corpus = load_corpus(write_corpus(tmp_path, corpus_files()))
    old = json.loads(render_manifest(make_manifest(corpus)))
    old["scenarios"]["valid/edges/pair"]["since"] = "0.0.1"
    old["scenarios"]["valid/edges/gone"] = {"level": "core", "since": "0.0.1"}
    old["scenarios"]["valid/edges/older"] = {
        "level": "core",
        "since": "0.0.1",
        "withdrawn": "0.0.2",
    }
    manifest = make_manifest(corpus, read_manifest(json.dumps(old).encode()))

    assert ManifestEntry(level="core", since="0.0.1") == manifest.scenarios["valid/edges/pair"]
    assert manifest.scenarios["execution/flow/pair.plain"].since == VERSION
    assert manifest.scenarios["valid/edges/gone"].withdrawn == VERSION
    assert manifest.scenarios["valid/edges/older"].withdrawn == "0.0.2"


def test_the_written_manifest_is_current(tmp_path):
    root = write_corpus(tmp_path, corpus_files())

    assert outdated(load_corpus(root)) is None
    assert main(["--check", "--root", str(root)]) == 0


def test_a_changed_file_makes_the_manifest_out_of_date(tmp_path, capsys):
    root = write_corpus(tmp_path, corpus_files())
    golden = root / "expected_traces/flow/pair.plain.toml"
    golden.write_text(golden.read_text() + "# a remark\n")

    assert main(["--check", "--root", str(root)]) == 1
    assert "observed something else; write it with" in capsys.readouterr().err
    assert main(["--write", "--root", str(root)]) == 0
    assert main(["--check", "--root", str(root)]) == 0


def test_writing_twice_gives_the_same_bytes(tmp_path):
    root = write_corpus(tmp_path, corpus_files())
    first = (root / "cases/manifest.json").read_bytes()
    main(["--write", "--root", str(root)])

    assert first == (root / "cases/manifest.json").read_bytes()


def test_a_missing_manifest_is_told(tmp_path, capsys):
    root = write_corpus(tmp_path, corpus_files(), manifest=False)

    assert main(["--check", "--root", str(root)]) == 1
    assert "observed none; write it with" in capsys.readouterr().err


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"{", id="torn"),
        pytest.param(b'{"format": 1}', id="fields-missing"),
        pytest.param(b'{"format": 2}', id="other-format"),
    ],
)
def test_a_malformed_manifest_is_refused(data):
    with pytest.raises(CorpusError, match=r"cases/manifest\.json: "):
        read_manifest(data)


def test_a_faulty_corpus_has_no_manifest(tmp_path, capsys):
    files = corpus_files() | {"cases/valid/edges/odd.hxml": ""}
    root = write_corpus(tmp_path, files, manifest=False)

    assert main(["--write", "--root", str(root)]) == 3
    assert "odd.hxml" in capsys.readouterr().err
    assert not (root / "cases/manifest.json").exists()
