"""The examples of docs/formats.md are read by the code and agree with each other."""

import json
import re
import tomllib
from pathlib import Path

import msgspec
import pytest

from comparator.facts import Facts
from comparator.golden import Golden, Section
from comparator.trace import Trace
from suite.corpus.case import Case, CaseText, Scenario
from suite.corpus.catalogue import load_corpus
from suite.corpus.check_goldens import check_cites, check_golden
from suite.corpus.check_runs import check_plan
from suite.corpus.cites import cites_of
from suite.corpus.facts_reader import read_facts
from suite.corpus.golden_file import read_golden
from suite.corpus.interpretations import read_interpretations
from suite.corpus.ledger import read_ledger
from suite.corpus.manifest import read_manifest
from suite.corpus.plan import PlanText, read_plan
from suite.corpus.schemas import FORMATS, faults
from suite.corpus.survey import survey
from suite.corpus.toml_file import read_toml
from suite.protocol.exchange import Exchange
from suite.protocol.messages import FromRuntime, ToRuntime
from suite.protocol.transcript import Transcript
from suite.report.results import read_results
from suite.verdict.expected import load_expected
from suite.verdict.judge import judge
from tests.verdict_builder import describe

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+) ([\w-]+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def blocks(name: str) -> list[str]:
    return [text for _, found, text in BLOCKS if found == name]


def story() -> Scenario:
    """Return the scenario ``trace`` of the page's first case."""
    text = read_toml(blocks("case")[0].encode(), CaseText, "page")
    return Scenario(
        id="execution/joins/any-race.trace",
        case=Case(
            id="execution/joins/any-race",
            group="execution",
            text=text,
            document=blocks("document")[0].encode(),
        ),
        plan=read_plan(text.plans["trace"]),
        golden=read_golden(blocks("golden")[0].encode(), "page"),
    )


@pytest.mark.parametrize(
    ("language", "name", "text"),
    [pytest.param(*block, id=f"{n}-{block[1]}") for n, block in enumerate(BLOCKS)],
)
def test_every_example_is_valid_by_its_published_schema(language, name, text):
    if language == "xml":
        assert read_facts(text.encode()).nodes
    else:
        value = tomllib.loads(text) if language == "toml" else json.loads(text)
        assert list(faults(name, value)) == []


def test_every_format_has_an_example():
    assert set(FORMATS) == {name for language, name, _ in BLOCKS if language != "xml"}


def test_every_example_is_read_by_its_type(tmp_path):
    for text in blocks("case"):
        for plan in read_toml(text.encode(), CaseText, "page").plans.values():
            read_plan(plan)
    ledger = read_ledger(blocks("ledger")[0].encode())
    points = read_interpretations(blocks("interpretations")[0].encode())
    manifest = read_manifest(blocks("manifest")[0].encode())
    path = tmp_path / "expected.toml"
    path.write_text(blocks("expected")[0], "utf-8")
    trace = msgspec.json.decode(blocks("trace")[0], type=Trace)

    assert len(ledger) == 5
    assert list(points) == ["A91"]
    assert manifest.required["executing"].trace_only == ("5.3.1-any-fires-on-first",)
    assert len(load_expected(path)) == 2
    assert len(trace.transitions) == 3


def test_messages_are_messages():
    for text in blocks("message-from-runtime"):
        assert msgspec.json.decode(text, type=FromRuntime)
    for text in blocks("message-to-runtime"):
        assert msgspec.json.decode(text, type=ToRuntime)


def test_plan_as_sent_is_the_plan_as_written():
    sent = msgspec.json.encode(story().plan)

    assert json.loads(blocks("plan")[0]) == json.loads(sent)


def test_facts_are_those_of_the_document():
    facts = msgspec.json.decode(blocks("facts")[0], type=Facts)

    assert facts == read_facts(blocks("document")[0].encode())


def test_transcript_passes_the_golden_and_the_record_says_so():
    transcript = msgspec.json.decode(blocks("transcript")[0], type=Transcript)
    for entry in transcript.entries:
        kind = FromRuntime if entry.source == "runtime" else ToRuntime
        msgspec.convert(entry.message, kind)
    verdict = judge(story(), None, Exchange(kind="ended", transcript=transcript), describe())
    header, record, footer = (json.dumps(json.loads(text)) for text in blocks("results"))
    results = read_results(f"{header}\n{record}\n".encode())

    assert verdict.status == "pass"
    assert results.records[story().id].verdict() == verdict
    assert json.loads(footer)["type"] == "footer"


def test_goldens_of_the_page_are_sound():
    corpus = load_corpus()
    for text, document in zip(blocks("golden"), blocks("document"), strict=True):
        facts = read_facts(document.encode())
        scenario = msgspec.structs.replace(
            story(),
            case=msgspec.structs.replace(story().case, document=document.encode()),
            golden=read_golden(text.encode(), "page"),
        )

        assert list(check_golden(scenario, scenario.golden, facts, corpus)) == []
        assert list(check_cites(scenario, corpus)) == []
    assert (
        list(
            check_plan(
                story(),
                story().plan,
                read_facts(story().case.document),
                survey(story().case.document),
            )
        )
        == []
    )
    assert cites_of(story())


def test_the_second_golden_uses_every_section():
    golden = read_golden(blocks("golden")[1].encode(), "page")
    used = {
        name
        for section in (golden, *(o for c in golden.choices for o in c.options))
        for name in Section.__struct_fields__
        if getattr(section, name)
    }

    assert used == set(Section.__struct_fields__)
    assert Golden.__struct_fields__[-1] == "choices"
    assert golden.choices


def test_the_plan_with_every_key_has_every_key():
    text = read_toml(blocks("case")[2].encode(), CaseText, "page").plans["everything"]

    assert [f for f in PlanText.__struct_fields__ if not getattr(text, f)] == []


def test_every_reported_fault_has_its_row():
    rows = re.findall(r"^\| (\d+(?:, \d+)?) \|", PAGE, re.MULTILINE)

    assert [int(n) for row in rows for n in row.split(", ")] == list(range(1, 27))
