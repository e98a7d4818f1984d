"""Warnings: told, and never a reason to refuse."""

import pytest

from reference_runtime.validation import validate
from tests.strategies_documents import document as xml
from tests.strategies_runtime import document

OUT = "<outputs><output name='x'/></outputs>"
IN = "<inputs><input name='y'{}/></inputs>"


def warned(text):
    """(code, nearest id) of the findings of a valid document."""
    verdict = validate(text)

    assert verdict.harness is not None
    return [(one.code, one.near) for one in verdict.findings]


def test_control_edge_beside_a_data_edge():
    nodes = f"a {OUT}\nb {IN.format('')}"

    assert [("HX-2300", "edge 'a' → 'b'")] == warned(document(nodes, "a=x:y=>b a->b"))
    assert [] == warned(document(nodes, "a=x:y=>b a..>b"))
    assert [] == warned(document(f"{nodes}\nc", "a=x:y=>b b->c a->c"))


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (IN.format(""), ["HX-2100"]),
        (IN.format(" default='1'"), []),
        (IN.format(" required='false'"), []),
        (f"{IN.format('')}<guard when='${{p.v}}'/>", []),
        (f"{IN.format('')}<guard when='${{true}}'/>", ["HX-2100"]),
    ],
    ids=["required", "default", "optional", "same guard", "another guard"],
)
def test_guarded_producer_of_a_required_input(target, expected):
    guard = "<outputs><output name='x'/></outputs><guard when='${p.v}'/>"
    nodes = f"p <outputs><output name='v'/></outputs>\na {guard}\nb {target}"
    codes = [code for code, _ in warned(document(nodes, "p->a a=x:y=>b"))]

    assert expected == codes


def test_ids_that_differ_only_in_case():
    ports = (
        '<node id="b" type="task"><outputs><output name="x"/><output name="X"/></outputs></node>'
    )
    text = xml(
        f'<node id="a" type="task"/><node id="A" type="task"/>{ports}',
        before='<resources><resource id="r" type="model"/>'
        '<resource id="R" type="model"/></resources>',
    )

    assert [
        ("HX-1100", "resource 'R'"),
        ("HX-1100", "node 'A'"),
        ("HX-1100", "node 'b'"),
    ] == warned(text)


def test_duplicates_are_no_doubt():
    verdict = validate(xml('<node id="a" type="task"/><node id="a" type="task"/>'))

    assert ["HX-1101"] == [one.code for one in verdict.findings]


def test_node_that_nothing_leads_to():
    assert [("HX-3005", "node 'c'")] == warned(document("a b c", "a->b", entry="a"))
    assert [("HX-3005", "node 'a'")] == warned(document("a b h", "b-!>h a->b", entry="b"))


@pytest.mark.parametrize(
    ("nodes", "edges"),
    [
        ("a\nb\nc", "a->b b-!>c"),
        ("a\nu\nv", "a-~>u u->v"),
        ("a:decision <cases><case when='${true}' to='t'/></cases>\nt", ""),
        ("a:loop <loop kind='times' count='1' maxIterations='1'><body ref='b'/></loop>\nb", ""),
    ],
    ids=["handler", "undoing", "case target", "body"],
)
def test_what_edges_cases_and_loops_lead_to(nodes, edges):
    assert [] == warned(document(nodes, edges, entry="a"))


def test_nothing_is_said_about_reach_where_nothing_starts():
    for text in (document("a b", "a->b b-!>a"), document("a b", "a->b", entry="zz")):
        assert "HX-3005" not in [one.code for one in validate(text).findings]
