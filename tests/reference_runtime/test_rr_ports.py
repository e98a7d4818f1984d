"""Inputs and data edges."""

import pytest

from tests.strategies_documents import codes, document, findings

NODES = (
    '<node id="a" type="task"><inputs><input name="in" required="false"/></inputs>'
    '<outputs><output name="out"/><output name="more"/></outputs></node>'
    '<node id="b" type="task"><inputs><input name="x" {}/></inputs>'
    '<outputs><output name="y"/></outputs><config><property name="k" value="v"/></config></node>'
)
EDGE = '<edge from="a" to="b" type="data" fromPort="{}" toPort="{}"/>'
FED = EDGE.format("out", "x")
CONTROL = '<edge from="a" to="b"/>'

CASES = {
    "fed by an edge": ("", FED, []),
    "fed by a value": ('value="1"', CONTROL, []),
    "fed by an empty value": ('value=""', CONTROL, []),
    "optional and unfed": ('required="false"', CONTROL, []),
    "optional in short": ('required="0"', CONTROL, []),
    "unfed": ("", CONTROL, ["HX-2101"]),
    "said to be required": ('required="true"', CONTROL, ["HX-2101"]),
    "only a default": ('default="1"', CONTROL, ["HX-2101"]),
    "default and edge": ('default="1"', FED, []),
    "stray ports on a control edge": (
        "",
        '<edge from="a" to="b" fromPort="out" toPort="x"/>',
        ["HX-2101"],
    ),
    "value and edge": ('value="1"', FED, ["HX-2102"]),
    "optional, value and edge": ('required="false" value="1"', FED, ["HX-2102"]),
    "no fromPort": ("", '<edge from="a" to="b" type="data" toPort="x"/>', ["HX-2301"]),
    "no toPort": (
        'required="false"',
        '<edge from="a" to="b" type="data" fromPort="out"/>',
        ["HX-2301"],
    ),
    "no port at all": ('required="false"', '<edge from="a" to="b" type="data"/>', ["HX-2301"]),
    "fromPort of nothing": ("", EDGE.format("outt", "x"), ["HX-2302"]),
    "fromPort names an input": ("", EDGE.format("in", "x"), ["HX-2302"]),
    "fromPort differs in case": ("", EDGE.format("Out", "x"), ["HX-2302"]),
    "toPort of nothing": ('required="false"', EDGE.format("out", "z"), ["HX-2303"]),
    "toPort names an output": ('required="false"', EDGE.format("out", "y"), ["HX-2303"]),
    "toPort names a config property": ('required="false"', EDGE.format("out", "k"), ["HX-2303"]),
    "two edges": ("", FED + EDGE.format("more", "x"), ["HX-2304"]),
    "the same edge twice": ("", FED + FED, ["HX-2304"]),
    "two edges with exclusive conditions": (
        "",
        FED.replace("/>", ' condition="${true}"/>') + FED.replace("/>", ' condition="${false}"/>'),
        ["HX-2304"],
    ),
    "three edges": ("", FED * 3, ["HX-2304", "HX-2304"]),
    "source that is not declared": ("", FED.replace('"a"', '"zz"'), ["HX-2001"]),
    "misspelt edge type": ("", FED.replace('"data"', '"dta"'), ["HX-1001"]),
}


@pytest.mark.parametrize(("attributes", "edges", "expected"), CASES.values(), ids=CASES)
def test_port_rule(attributes, edges, expected):
    assert expected == codes(document(NODES.format(attributes), edges))


def test_two_inputs_of_one_edge_each():
    nodes = (
        '<node id="a" type="task"><outputs><output name="out"/></outputs></node>'
        '<node id="b" type="task"><inputs><input name="x"/><input name="y"/></inputs></node>'
    )

    assert codes(document(nodes, EDGE.format("out", "x") + EDGE.format("out", "y"))) == []


def test_one_output_feeds_many():
    nodes = (
        '<node id="a" type="task"><outputs><output name="out"/></outputs></node>'
        '<node id="b" type="task"><inputs><input name="x"/></inputs></node>'
        '<node id="c" type="task"><inputs><input name="x"/></inputs></node>'
    )
    edges = FED + FED.replace('to="b"', 'to="c"')

    assert codes(document(nodes, edges)) == []


def test_messages_say_what_to_do():
    texts = {
        "HX-2101": ("", CONTROL),
        "HX-2302": ("", EDGE.format("outt", "x")),
        "HX-2303": ('required="false"', EDGE.format("out", "xx")),
    }
    actual = {
        code: findings(document(NODES.format(attributes), edges))[0].message
        for code, (attributes, edges) in texts.items()
    }

    assert actual == {
        "HX-2101": "Node 'b' requires the input 'x', which has neither edge nor value. "
        'Add a data edge or a value, or say required="false".',
        "HX-2302": "Node 'a' has no output 'outt'. Did you mean 'out'? "
        "Correct fromPort, or declare the output.",
        "HX-2303": "Node 'b' has no input 'xx'. Did you mean 'x'? "
        "Correct toPort, or declare the input.",
    }


def test_nodes_of_one_id_have_their_ports_together():
    twice = "".join(
        f'<node id="a" type="task"><outputs><output name="{name}"/></outputs></node>'
        for name in ("out", "more")
    )
    reader = '<node id="b" type="task"><inputs><input name="x"/></inputs></node>'

    assert ["HX-1101"] == codes(document(f"{twice}{reader}", FED))


def test_wrong_required_is_one_fault():
    text = '<node id="a" type="task"><inputs><input name="x" required="yes"/></inputs></node>'

    assert ["HX-1001"] == codes(document(text))
