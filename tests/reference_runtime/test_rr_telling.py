"""What tells a deviant from the rules, and the adapter that is all of them."""

import asyncio
import json
import subprocess
import sys
from base64 import b64encode
from dataclasses import replace
from types import SimpleNamespace

import pytest

from reference_runtime.deviants import DEVIANTS
from reference_runtime.deviants.chosen import adapter, serial
from reference_runtime.deviants.deviant import Deviant, changed
from reference_runtime.deviants.telling import telling
from reference_runtime.rules import RULES
from tests.strategies_runtime import document

DIAMOND = document("a b c j", "a->b a->c b->j c->j")
NOTHING = {"answers": []}


def told(doc, *deviants, plan=NOTHING):
    return telling(doc, plan, deviants)


def deviant(name="d", **changes):
    return Deviant(name, "r", "says", replace(RULES, **changes))


@pytest.mark.parametrize(
    ("changes", "differs"),
    [
        pytest.param({}, False, id="nothing"),
        pytest.param({"met": changed(RULES.met, all=lambda _t: False)}, True, id="other answer"),
        pytest.param({"met": changed(RULES.met, any=lambda _t: False)}, False, id="other row"),
        pytest.param(
            {"met": changed(RULES.met, all=lambda t: not t.open and bool(t.satisfied))},
            False,
            id="same answer",
        ),
        pytest.param({"terminal": RULES.terminal - {"SUCCEEDED"}}, True, id="member asked for"),
        pytest.param({"terminal": RULES.terminal - {"FAILED"}}, False, id="member not asked for"),
        pytest.param({"unprepared": ("FAILED",)}, False, id="not looked at"),
        pytest.param({"gated": False}, True, id="looked at, no difference"),
        pytest.param({"legal": changed(RULES.legal, PENDING=frozenset())}, False, id="permission"),
    ],
)
def test_only_what_makes_a_difference_is_told(changes, differs):
    expected = differs and "gated" not in changes

    assert (["d"] if expected else []) == told(DIAMOND, deviant(**changes))


def test_a_run_that_breaks_off_differs():
    def broken(_tally):
        raise ValueError("broken")

    assert ["d"] == told(DIAMOND, deviant(met=changed(RULES.met, all=broken)))


def test_an_endless_run_differs(monkeypatch):
    monkeypatch.setattr("reference_runtime.deviants.telling._ENDLESS", 0.05)

    def endless(_tally):
        while True:
            pass

    assert ["d"] == told(DIAMOND, deviant(met=changed(RULES.met, all=endless)))


def test_other_findings_differ_whether_or_not_anything_runs():
    refusing = replace(RULES.gate, rules=())
    name = "dangling_edge_as_schema_fault"
    lax = replace(DEVIANTS[name], rules=replace(RULES, gate=refusing))
    dangling = document("a", "a->b")

    assert [name] == told(dangling, DEVIANTS[name], plan=None)
    assert [] == told(DIAMOND, lax, plan=None)


INNER = document("a b", "a->b")
OUTER = (
    "s:subworkflow <subworkflow href='inner.hxml' digest='sha256:00'/>",
    "",
)


@pytest.mark.parametrize("name", ["subworkflow_digest_ignored", "missing_subworkflow_succeeds"])
def test_what_happens_to_companions_differs(name):
    outer = document(*OUTER)
    found = telling(outer, NOTHING, [DEVIANTS[name]], {"inner.hxml": INNER})

    assert [name] == found


def test_a_document_inside_passes_the_gate_of_the_deviant():
    name = "dangling_edge_as_schema_fault"
    lax = replace(DEVIANTS[name], rules=replace(RULES, gate=replace(RULES.gate, rules=())))
    outer = document("s:subworkflow <subworkflow href='inner.hxml'/>", "")

    assert [name] == telling(outer, NOTHING, [lax], {"inner.hxml": document("a", "a->b")})


def test_the_process_reads_scenarios_from_its_input():
    line = {"id": "s", "document": b64encode(DIAMOND).decode(), "plan": NOTHING}
    names = ["all_fires_on_first", "any_waits_for_all"]
    done = subprocess.run(
        [sys.executable, "-m", "reference_runtime.deviants", "telling", *names],
        input=f"{json.dumps(line)}\n",
        capture_output=True,
        text=True,
        check=True,
    )

    assert {"all_fires_on_first": ["s"], "any_waits_for_all": []} == json.loads(done.stdout)


def session():
    seen = []
    return seen, SimpleNamespace(
        unresolvable=(),
        bad_digests=(),
        refused=(),
        secrets={},
        companions={},
        transition=lambda node, _from, to, **_others: seen.append((node, to)),
        invalid=lambda findings: findings,
    )


@pytest.mark.parametrize(
    ("companions", "skipped"),
    [({}, False), ({"deviant:untaken_branch_skipped": b"", "other": b""}, True)],
    ids=["rules", "deviant"],
)
@pytest.mark.parametrize("chosen", [adapter, serial], ids=["adapter", "serial"])
def test_a_companion_chooses_the_deviant(chosen, companions, skipped):
    doc = document(
        "d:decision <cases><case when='${true}' to='t'/><otherwise to='u'/></cases>\n"
        "t:barrier\nu:barrier",
        "d->t d->u",
    )
    seen, world = session()
    asyncio.run(chosen.run(doc, world, companions))

    assert skipped == (("u", "SKIPPED") in seen)


def test_the_adapters_say_how_many_steps_they_open():
    assert [0, 1] == [chosen.describe()["openSteps"] for chosen in (adapter, serial)]


def test_a_companion_chooses_who_validates():
    doc = document("a", "a->b")
    name = "dangling_edge_as_schema_fault"
    codes = [
        {finding["code"] for finding in adapter.validate(doc, companions)}
        for companions in ({}, {f"deviant:{name}": b""})
    ]

    assert codes[0] != codes[1]
