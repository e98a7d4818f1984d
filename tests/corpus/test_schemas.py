import json

import pytest
from jsonschema import Draft202012Validator

from suite.corpus import schemas
from suite.corpus.schemas import FORMATS, faults, load_schema, make_schema, outdated
from suite.corpus.schemas.__main__ import main


@pytest.mark.parametrize("name", FORMATS)
def test_published_schema_equals_the_type(name):
    assert make_schema(name) == load_schema(name)


@pytest.mark.parametrize("name", FORMATS)
def test_published_schema_is_a_schema(name):
    Draft202012Validator.check_schema(load_schema(name))

    assert name == load_schema(name)["title"]


def test_every_published_file_has_a_format():
    assert outdated() == []


def test_unknown_keys_are_refused():
    assert list(faults("golden", {"odd": 1})) == [
        "top level: Additional properties are not allowed ('odd' was unexpected)"
    ]


def test_the_place_of_a_fault_is_named():
    (fault,) = faults("golden", {"paths": {"a": {"is": 1, "cites": ["x"]}}})

    assert fault.startswith("paths.a.is: 1 is not of type")


def test_stale_missing_and_left_over_schemas_are_told(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(schemas, "_HERE", tmp_path)
    (tmp_path / "odd.json").write_text("{}")

    assert main(["--check"]) == 1
    assert len(capsys.readouterr().out.splitlines()) == 14
    assert main(["--write"]) == 0
    assert sorted(FORMATS) == sorted(path.stem for path in tmp_path.glob("*.json"))
    (tmp_path / "golden.json").write_text(json.dumps({"title": "golden"}))
    assert outdated() == ["golden"]
