"""Documents with other ids mean the same, and nobody notices but who knows them by heart."""

import re

import pytest

from suite.corpus.catalogue import load_corpus
from suite.corpus.facts_reader import read_facts
from suite.corpus.plan import Plan, PlanText, StepText, read_plan
from suite.protocol.exchange import Exchange
from suite.protocol.messages import Finding
from suite.protocol.request import Request
from suite.protocol.transcript import Entry, Transcript
from suite.runner.renaming import Renaming
from tests.pytest_runs import run, run_pytest
from tests.runner.test_other_runtimes import FOLDER

BY_HEART = "--runtime=adapter:by_heart"

DOCUMENT = """\
<harness xmlns="https://harnessxml.com/spec/1.0" id="grove" specVersion="1.0" entry="alder">
  <!-- alder first -->
  <nodes>
    <node id="alder" type="task" impl="step"><outputs><output name="x"/></outputs></node>
    <node id='birch' type="task" impl="step" when="${alder.x == 'pine' and -alder.x &lt; 1}">
      <inputs><input name="y" value="${alder.x} of 2"/></inputs>
    </node>
    <node id="Birch" type="loop"><loop kind="times"><body ref="cedar"/></loop></node>
    <node id="cedar" type="task" impl="step"/>
    <node id="maple" type="task" impl="maple"/>
  </nodes>
  <edges>
    <edge from="alder" to="birch" type="error"/>
    <edge from="birch" to="Birch" condition="${ birch.grove == cedar.birch.x }"/>
  </edges>
</harness>
"""


def request(document, plan=None, **companions):
    return Request(
        document=document.encode(),
        companions={uri: text.encode() for uri, text in companions.items()},
        plan=plan,
        limit=1.0,
        known_nodes=frozenset({"alder", "birch"}),
        undoing=frozenset({"birch"}),
    )


def shown(document, seed=5):
    """The document as the runtime sees it, and what it sees instead of each id."""
    asked = request(document)
    text = Renaming(seed).of(asked.document, {}).hide(asked).document.decode()
    own, others = (re.findall(r"[A-Za-z]\w*", t) for t in (document, text))
    return text, {a: b for a, b in zip(own, others, strict=True) if a != b}


def test_all_places_of_an_id_are_replaced():
    text, names = shown(DOCUMENT)
    back = text
    for own, other in names.items():
        back = back.replace(other, own)

    assert {"grove", "alder", "birch", "Birch", "cedar"} == names.keys()
    assert names["Birch"] == names["birch"].capitalize()
    assert len(set(names.values())) == len(names)
    assert f"{{ {names['birch']}.grove == {names['cedar']}.birch.x }}" in text
    assert f"{{{names['alder']}.x == 'pine' and -{names['alder']}.x &lt; 1}}" in text
    assert back == DOCUMENT


@pytest.mark.parametrize(
    ("place", "kept"),
    [
        pytest.param('value="alder"', {"alder"}, id="text"),
        pytest.param('value="$${alder.x}"', {"alder"}, id="escaped"),
        pytest.param("value=\"${birch.x + 'alder.x'}\"", {"alder"}, id="literal"),
        pytest.param('value="${birch.alder}"', set(), id="later-name"),
        pytest.param('value="${1-alder.x}"', set(), id="behind-a-sign"),
        pytest.param('value="${alder-x.y}"', set(), id="longer-id"),
        pytest.param('value="${alder}"', {"alder"}, id="bare"),
        pytest.param('default="${alder.x}"', {"alder"}, id="no-expression"),
        pytest.param('uri="file:alder.txt"', {"alder"}, id="file"),
        pytest.param('ext:id="alder"', {"alder"}, id="foreign-attribute"),
        pytest.param('to="alder.x"', {"alder"}, id="id-with-dot"),
        pytest.param('to="alder"', set(), id="reference"),
    ],
)
def test_an_id_that_occurs_as_something_else_stays(place, kept):
    document = f'<harness id="h1"><node id="alder"/><node id="birch"/><other {place}/></harness>'
    _, names = shown(document)

    assert {"alder", "birch", "h1"} - kept == names.keys() - {"h"} | {"h1"}


@pytest.mark.parametrize(
    "document",
    [
        pytest.param('<?xml version="1.0" encoding="latin-1"?><h id="alder"/>', id="encoding"),
        pytest.param('<h id="alder" to="&#97;lder"/>', id="character-reference"),
        pytest.param('<!DOCTYPE h><h id="alder"/>', id="type-declaration"),
        pytest.param('<?go alder?><h id="alder"/>', id="processing-instruction"),
        pytest.param('<h id="alder"><![CDATA[ alder ]]></h>', id="character-data"),
    ],
)
def test_a_document_that_may_mean_more_stays(document):
    assert {} == shown(document)[1]


def test_digest_of_a_companion_stays_right():
    asked = request('<h id="alder" digest="sha256:1"/>', child='<h id="birch"/>')

    assert asked is Renaming(5).of(asked.document, asked.companions).hide(asked)


def test_seed_decides():
    first, again, other = (shown(DOCUMENT, seed)[0] for seed in (5, 5, 6))

    assert first == again
    assert first != other
    assert (DOCUMENT, {}) == shown(DOCUMENT, 0)


def test_plan_and_answers_are_led_there_and_back():
    steps = {
        "alder@2": StepText(ok={"x": "alder"}, hold_until="birch[cedar:0] RUNNING"),
        "maple": "ok",
    }
    text = PlanText(steps=steps, cancel="cedar RUNNING", unresolvable=("alder",))
    asked = request(DOCUMENT, read_plan(text))
    names = Renaming(5).of(asked.document, {})
    hidden = names.hide(asked)
    alder = hidden.plan.answers[0].node.removesuffix("@2")
    there = {"type": "transition", "node": alder, "from": "PENDING", "to": "READY"}
    run = {"type": "run", "plan": {"answers": [{"node": alder}]}}
    finding = Finding("HX-3002", near=alder, value=f"${{{alder}.x}}")
    exchange = Exchange(
        kind="findings",
        transcript=Transcript((Entry("suite", 0.0, run), Entry("runtime", 0.0, there))),
        findings=(finding,),
    )
    back = names.reveal(exchange, asked)
    sent, transition = (entry.message for entry in back.transcript.entries)

    assert isinstance(hidden.plan, Plan)
    assert hidden.plan.answers[0].outputs == {"x": "alder"}
    assert "alder" != alder
    assert (alder,) == hidden.plan.unresolvable
    assert hidden.known_nodes.isdisjoint({"alder", "birch"})
    assert transition == {**there, "node": "alder"}
    assert ["alder@2", "maple"] == [answer["node"] for answer in sent["plan"]["answers"]]
    assert ("alder", "${alder.x}") == (back.findings[0].near, back.findings[0].value)


@pytest.mark.parametrize("seed", [1, 2])
def test_corpus_keeps_its_meaning(seed):
    corpus = load_corpus()
    renaming = Renaming(seed)
    kept = 0
    for case in corpus.cases.values():
        asked = Request(document=case.document, companions=case.companions, plan=None, limit=1.0)
        names = renaming.of(case.document, case.companions)
        hidden = names.hide(asked).document
        kept += hidden == case.document
        assert len(case.document) == len(hidden)
        if case.group == "execution":
            own, seen = map(repr, map(read_facts, (case.document, hidden)))
            assert own == names.text(seen)

    assert kept < len(corpus.cases) / 50


def test_who_knows_the_corpus_by_heart_is_found_out():
    select = ("--hx-select", "execution/joins/all-diamond.trace", "-q", "-p", "no:cacheprovider")
    plain = run_pytest(FOLDER, BY_HEART, *select)
    renamed = run_pytest(FOLDER, BY_HEART, *select, "--hx-rename=9")

    assert 0 == plain.code
    assert 1 == renamed.code
    assert "--hx-rename=9" in renamed.out


def test_certify_shows_other_ids_each_time(tmp_path):
    words = ("certify", "--hx-select", "execution/joins/all-diamond.trace", "--out", str(tmp_path))
    target = "--runtime=adapter:reference_runtime"
    fresh = [run(tmp_path, *words, target, module="suite.cli").line("corpus:") for _ in range(2)]
    plain = run(tmp_path, *words, target, "--hx-rename=0", module="suite.cli").line("corpus:")

    assert all("with other ids (--hx-rename=" in line for line in fresh)
    assert fresh[0] != fresh[1]
    assert "other ids" not in plain


def test_case_tells_what_the_ids_were(tmp_path):
    shown = run(
        tmp_path, "case", "execution/joins/all-diamond", "--hx-rename=9", module="suite.cli"
    )
    names = re.findall(r"^(\w+) is shown to the runtime as (\w+)$", shown.out, re.MULTILINE)
    case = load_corpus().cases["execution/joins/all-diamond"]

    assert dict(names) == Renaming(9).of(case.document, {}).shown
    assert len(names) > 3
