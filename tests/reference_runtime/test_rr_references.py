"""References that lead nowhere, and compensations that disagree."""

import pytest

from tests.strategies_documents import TASK, codes, document, findings

TWO = '<node id="alpha" type="task"/><node id="beta" type="task"/>'
DECISION = '<node id="d" type="decision"><cases><case when="${{true}}" to="{}"/>{}</cases></node>'


@pytest.mark.parametrize(
    ("edge", "value"),
    [
        ('<edge from="alpha" to="betta"/>', "betta"),
        ('<edge from="alhpa" to="beta"/>', "alhpa"),
        ('<edge from="Alpha" to="beta"/>', "Alpha"),
        ('<edge from="alpha" to="zz" type="compensation"/>', "zz"),
    ],
    ids=["to", "from", "case matters", "any type"],
)
def test_dangling_end(edge, value):
    (finding,) = findings(document(TWO, edge))

    assert ("HX-2001", value) == (finding.code, finding.value)


def test_close_node_is_suggested():
    (finding,) = findings(document(TWO, '<edge from="alpha" to="betta"/>'))

    assert finding.message == (
        "edge/@to names the node 'betta', which is not declared. "
        "Did you mean 'beta'? Correct the name."
    )


def test_both_ends_are_reported():
    assert codes(document(TWO, '<edge from="x" to="y"/>')) == ["HX-2001", "HX-2001"]


def test_dangling_entry():
    (finding,) = findings(document(attributes='entry="zz"'))

    assert ("HX-2001", "zz", "harness 'h'") == (finding.code, finding.value, finding.near)


def test_resource_and_artifact_are_no_nodes():
    before = '<resources><resource id="m" type="model"/></resources>'

    assert codes(document(TASK, '<edge from="a" to="m"/>', before=before)) == ["HX-2001"]


@pytest.mark.parametrize(
    "nodes",
    [
        TASK + DECISION.format("zz", ""),
        TASK + DECISION.format("a", '<otherwise to="zz"/>'),
        TASK + '<node id="l" type="loop"><loop kind="times" count="1" maxIterations="1">'
        '<body ref="zz"/></loop></node>',
    ],
    ids=["case", "otherwise", "body"],
)
def test_dangling_route_is_a_plain_schema_fault(nodes):
    (finding,) = findings(document(nodes))

    assert ("HX-1001", "zz") == (finding.code, finding.value)


def test_dangling_resource_and_artifact():
    node = '<node id="a" type="task"><resourceRef ref="{}"/><artifactRef ref="{}"/></node>'
    before = (
        '<resources><resource id="m" type="model"/></resources>'
        '<artifacts><artifact id="f" type="log"/></artifacts>'
    )

    assert codes(document(node.format("m", "f"), before=before)) == []
    assert codes(document(node.format("f", "m"), before=before)) == ["HX-2002", "HX-2003"]
    assert codes(document(node.format("a", "a"))) == ["HX-2002", "HX-2003"]


UNDO = '<node id="a" type="task"/><node id="b" type="task"/><node id="u" type="task" {}/>'
BACK = '<edge from="a" to="b"/><edge from="a" to="u" type="compensation"/>'


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ("", []),
        ('compensates="a"', []),
        ('compensates="b"', ["HX-2004"]),
        ('compensates="zz"', ["HX-2004"]),
    ],
    ids=["absent", "same", "other", "unknown"],
)
def test_compensates_agrees_with_the_edge(attributes, expected):
    assert expected == codes(document(UNDO.format(attributes), BACK))


def test_compensates_without_an_edge_says_nothing():
    assert codes(document(UNDO.format('compensates="b"'), '<edge from="a" to="u"/>')) == []
