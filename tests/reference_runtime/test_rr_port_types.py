"""Types at the two ends of a data edge (HX-3201)."""

import pytest

from reference_runtime.validation.port_types import fits
from tests.strategies_documents import document, findings


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("string", "string"),
        ("pose6d", "pose6d"),
        ("string", "json"),
        ("array<map<string,boolean>>", "json"),
        ("integer", "number"),
        ("array<integer>", "array<number>"),
        ("map<string, integer>", "map<string,number>"),
        ("map<string,array<integer>>", "map<string,array<number>>"),
        ("array<string>", "array<json>"),
        ("array<" * 99 + "x", "array<" * 99 + "x"),
    ],
)
def test_types_that_go_together(source, target):
    assert fits(source, target)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("string", "boolean"),
        ("number", "integer"),
        ("json", "string"),
        ("String", "string"),
        ("array<number>", "array<integer>"),
        ("array<string>", "map<string,string>"),
        ("map<string,string>", "map<integer,string>"),
        ("array<" * 99 + "x" + ">" * 99, "array<" * 99 + "y" + ">" * 99),
    ],
)
def test_types_that_do_not(source, target):
    assert not fits(source, target)


def edge_between(source, target, kind="data"):
    """Two nodes with ports of these types, joined by an edge."""
    nodes = (
        f'<node id="a" type="task"><outputs><output name="x"{source}/></outputs></node>'
        f'<node id="b" type="task"><inputs><input name="y" required="false"{target}/></inputs>'
        "</node>"
    )
    return document(nodes, f'<edge from="a" to="b" type="{kind}" fromPort="x" toPort="y"/>')


def test_finding_names_both_types():
    (finding,) = findings(edge_between(' type="string"', ' type="boolean"'))

    assert ("HX-3201", "string → boolean", "edge 'a' → 'b'") == (
        finding.code,
        finding.value,
        finding.near,
    )


@pytest.mark.parametrize(
    ("source", "target", "kind"),
    [
        ("", ' type="boolean"', "data"),
        (' type="string"', "", "data"),
        ("", "", "data"),
        (' type="string"', ' type="boolean"', "control"),
    ],
)
def test_nothing_to_compare(source, target, kind):
    assert () == findings(edge_between(source, target, kind))
