"""Principals, isolation, permissions, signatures, and digests of artifacts (§9, §11)."""

import pytest

from tests.strategies_runtime import harness, plan, shown

WHOLE = (
    "<security principal='auditor' isolation='vm'>"
    "<permission action='net' resource='*'/></security>"
)


@pytest.mark.parametrize(
    ("refused", "code"),
    [
        ("principal:auditor", "HX-4201"),
        ("isolation:vm", "HX-4201"),
        ("permission:net", "HX-4202"),
        ("principal:other", None),
        ("permission:disk", None),
    ],
)
def test_denial_fails_the_node_before_its_step(refused, code):
    run = shown(harness("a", before=WHOLE), plan(refused=[refused]))

    assert ({"a": code} if code else {}) == run.codes
    assert (0 if code else 1) == len(run.calls)
    assert f"READY RUNNING {'FAILED' if code else 'SUCCEEDED'}" == run.paths["a"]


@pytest.mark.parametrize(
    ("own", "refused", "code"),
    [
        ("principal='me'", "principal:auditor", None),
        ("principal='me'", "principal:me", "HX-4201"),
        ("principal='me'", "isolation:vm", "HX-4201"),
        ("isolation='none'", "isolation:vm", None),
    ],
)
def test_what_a_node_says_overrides_the_document(own, refused, code):
    run = shown(harness(f"a <security {own}/>", before=WHOLE), plan(refused=[refused]))

    assert ({"a": code} if code else {}) == run.codes


def test_permissions_of_a_node_replace_those_of_the_document():
    own = "<security><permission action='disk' resource='*'/></security>"
    doc = harness(f"a {own}\nb", before=WHOLE)

    assert {"b": "HX-4202"} == shown(doc, plan(refused=["permission:net"])).codes
    assert {"a": "HX-4202"} == shown(doc, plan(refused=["permission:disk"])).codes


def test_denial_can_be_handled():
    doc = harness("a\nh <security principal='me'/>", "a-!>h", before=WHOLE)
    run = shown(doc, plan(refused=["principal:auditor"]))

    assert ("READY RUNNING SUCCEEDED", "succeeded") == (run.paths["h"], run.outcome)


def test_false_guard_comes_before_the_denial():
    doc = harness("a <guard when='${false}'/>", before=WHOLE)

    assert "READY SKIPPED" == shown(doc, plan(refused=["principal:auditor"])).paths["a"]


def test_document_without_a_required_signature_is_refused():
    run = shown(harness("a b", "a->b"), plan(refused=["unsigned"]))

    assert ({"a": "", "b": ""}, "", []) == (run.paths, run.outcome, run.calls)
    assert "no good signature" in run.played.refusal


@pytest.mark.parametrize(
    ("digest", "codes"),
    [(" digest='sha256:0'", {"a": "HX-4105"}), ("", {})],
    ids=["declared", "none"],
)
def test_digest_of_an_artifact_is_compared_where_there_is_one(digest, codes):
    before = f"<artifacts><artifact id='f' type='model'{digest}/></artifacts>"
    doc = harness("a <artifactRef ref='f'/>", before=before)

    assert codes == shown(doc, plan(badDigests=["f"])).codes


def test_classification_has_no_effect():
    doc = harness("a <security classification='restricted'/>")

    assert "succeeded" == shown(doc, plan(refused=["principal:x"])).outcome
