"""Quorums and retries."""

import pytest

from tests.strategies_documents import codes, document, findings

THREE = '<node id="a" type="task"/><node id="b" type="task"/><node id="j" type="task" {}/>'
EDGES = '<edge from="a" to="j"/><edge from="b" to="j"/>'


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ('joinPolicy="quorum" quorum="1"', []),
        ('joinPolicy="quorum" quorum="2"', []),
        ('joinPolicy="quorum" quorum="3"', ["HX-2402"]),
        ('joinPolicy="quorum"', ["HX-2401"]),
        ('joinPolicy="all" quorum="9"', []),
        ('quorum="9"', []),
        ('joinPolicy="quorum" quorum="0"', ["HX-1001"]),
        ('joinPolicy="Quorum"', ["HX-1001"]),
    ],
)
def test_quorum(attributes, expected):
    assert expected == codes(document(THREE.format(attributes), EDGES))


def test_each_edge_counts():
    nodes = (
        '<node id="a" type="task"><outputs><output name="x"/><output name="y"/></outputs></node>'
        '<node id="j" type="task" joinPolicy="quorum" quorum="2"><inputs><input name="x"/>'
        '<input name="y"/></inputs></node>'
    )
    edges = "".join(
        f'<edge from="a" to="j" type="data" fromPort="{port}" toPort="{port}"/>' for port in "xy"
    )

    assert codes(document(nodes, edges)) == []
    assert codes(document(nodes.replace('"2"', '"3"'), edges)) == ["HX-2402"]


def test_any_quorum_exceeds_no_edges():
    (finding,) = findings(document('<node id="a" type="task" joinPolicy="quorum" quorum="1"/>'))

    assert ("HX-2402", "1") == (finding.code, finding.value)


RETRY = '<node id="a" type="{}" idempotent="{}"><retry maxAttempts="{}"/></node>'


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (RETRY.format("task", "true", "3"), []),
        (RETRY.format("task", "false", "3"), ["HX-3301"]),
        (RETRY.format("task", "0", "3"), ["HX-3301"]),
        (RETRY.format("task", "false", "1"), ["HX-3301"]),
        (RETRY.format("transform", "false", "2"), ["HX-3301"]),
        ('<node id="a" type="task" idempotent="false"/>', []),
        ('<node id="a" type="task"><retry maxAttempts="2"/></node>', []),
    ],
)
def test_retry_of_what_must_not_run_twice(node, expected):
    assert expected == codes(document(node))


def test_place_is_the_retry_element():
    (finding,) = findings(document('<node id="a" type="task" idempotent="false">\n'
                                   '<retry maxAttempts="3"/></node>'))  # fmt: skip

    assert (2, 1, "node 'a'", "3") == (finding.line, finding.column, finding.near, finding.value)
