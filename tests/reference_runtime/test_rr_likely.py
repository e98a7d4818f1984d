"""What follows from a fault alone is no finding; what is wrong by itself always is (A175)."""

import pytest

from tests.strategies_documents import codes, document, findings

NODES = (
    '<node id="fetch" type="task"><outputs><output name="out"/></outputs></node>'
    '<node id="store" type="task"><inputs><input name="stock"/></inputs></node>'
)
EDGES = (
    '<edge id="one" from="fetch" to="store" type="data" fromPort="out" toPort="stock"/>'
    '<edge id="two" from="fetch" to="store" condition="${fetch.out == 1}" type="dependency"/>'
)
LOOP = (
    '<node id="each" type="loop"><loop kind="times" count="2" maxIterations="2">'
    '<body ref="work"/></loop></node>'
    '<node id="work" type="task"><guard when="${item == 1}"/></node>'
)


def changed(right, wrong, nodes=NODES, edges=EDGES, **more):
    """Codes of a valid document after one change everywhere."""
    assert right in nodes + edges
    assert [] == codes(document(nodes, edges, **more))
    return codes(document(nodes.replace(right, wrong), edges.replace(right, wrong), **more))


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('node id="store"', 'node id=" store"'),
        ('node id="store"', 'node id="-store"'),
        ('node id="store"', 'node name="store"'),
        ('node id="fetch"', 'node id="fe tch"'),
        ('node id="fetch"', 'node name="Fetch"'),
    ],
)
def test_id_that_cannot_be_read_is_the_only_finding(right, wrong):
    assert ["HX-1001"] == changed(right, wrong)


def test_name_that_may_be_a_missing_id_is_told_once():
    found = findings(document(NODES.replace(' id="store"', ""), EDGES))

    assert ["HX-1001", "HX-2001"] == [one.code for one in found]
    assert "Is it the node that has no id?" in found[1].message


def test_more_names_than_missing_ids_are_all_told():
    nodes = NODES.replace(' id="store"', "")
    found = codes(document(nodes, f'{EDGES}<edge from="fetch" to="other"/>'))

    assert 3 == found.count("HX-2001")


@pytest.mark.parametrize("kind", ["resource", "artifact"])
def test_ids_of_other_kinds(kind):
    declared = f'<{kind}s><{kind} id=" it" type="model"/></{kind}s>'
    node = f'<node id="a" type="task"><{kind}Ref ref="{{}}"/></node>'

    assert ["HX-1001"] == codes(document(node.format("it"), before=declared))
    assert 2 == len(codes(document(node.format("that"), before=declared)))


@pytest.mark.parametrize(
    ("right", "wrong", "expected"),
    [
        (' to="store" type="data"', ' to="stroe" type="data"', "HX-2001"),
        (' to="store" type="data"', ' to="Store" type="data"', "HX-2001"),
        (' to="store" type="data"', ' type="data"', "HX-1001"),
        (' toPort="stock"', "", "HX-2301"),
        (' toPort="stock"', ' toPort="stokc"', "HX-2303"),
    ],
)
def test_input_that_a_faulty_edge_was_meant_to_feed(right, wrong, expected):
    assert [expected] == changed(right, wrong)


@pytest.mark.parametrize(
    ("right", "wrong", "expected"),
    [
        (' to="store" type="data"', ' to="shelf" type="data"', {"HX-2001", "HX-2101"}),
        (' toPort="stock"', ' toPort="shelf"', {"HX-2303", "HX-2101"}),
        (
            '<input name="stock"/>',
            '<input name="stock"/><input name="more"/>',
            {"HX-2101"},
        ),
    ],
)
def test_input_that_is_not_fed_all_the_same(right, wrong, expected):
    assert expected == set(changed(right, wrong))


def test_edges_without_an_end_feed_as_many_inputs_as_there_are_edges():
    twice = NODES + NODES.replace("fetch", "seek").replace("store", "keep")
    edges = EDGES + EDGES.replace("fetch", "seek").replace("store", "keep").replace('id="', 'id="x')
    one = edges.replace(' to="store" type="data"', ' type="data"')
    both = one.replace(' to="keep" type="data"', ' to="nowhere" type="data"')

    assert ["HX-1001"] == codes(document(twice, one))
    assert 2 == codes(document(twice, both)).count("HX-2101")


@pytest.mark.parametrize(
    ("name", "declared"), [("n3", "n2"), ("node13", "node12"), ("nodea", "nodeb"), ("an", "in")]
)
def test_names_that_count_are_no_slips(name, declared):
    nodes = f'<node id="{declared}" type="task"><inputs><input name="i"/></inputs></node>'
    edge = f'<edge from="{declared}" to="{name}" type="data" fromPort="o" toPort="i"/>'

    assert "HX-2101" in codes(document(nodes, edge))


def test_quorum_counts_edges_that_were_meant():
    nodes = (
        '<node id="a" type="task"/><node id="joins" type="task" joinPolicy="quorum" quorum="2"/>'
    )
    edge = '<edge from="a" to="joins"/>'

    assert ["HX-2001"] == changed(
        '<edge id="e" from="a" to="joins"/>',
        '<edge id="e" from="a" to="jions"/>',
        nodes,
        f'{edge}<edge id="e" from="a" to="joins"/>',
    )
    assert ["HX-2402", "HX-2001"] == codes(
        document(nodes, f'{edge}<edge id="e" from="a" to="elsewhere"/>')
    )


@pytest.mark.parametrize(
    ("right", "wrong"), [('<body ref="work"/>', '<body ref="wrok"/>'), ('ref="work"', 'ref=""')]
)
def test_variable_of_a_loop_whose_body_is_no_node(right, wrong):
    assert ["HX-1001"] == changed(right, wrong, LOOP, "")


def test_variable_in_the_condition_of_an_edge_from_no_node():
    end = '<node id="end" type="task"/>'
    edge = '<edge from="{}" to="end" type="error" condition="${{item == 1}}"/>'

    assert [] == codes(document(LOOP + end, edge.format("work")))
    assert ["HX-2001"] == codes(document(LOOP + end, edge.format("wrok")))


def test_variable_of_no_loop_at_all_is_told_wherever_it_stands():
    edge = '<edge from="b" to="a" condition="${item == 1}"/>'

    assert {"HX-2001", "HX-3102"} == set(codes(document(edges=edge)))


def test_nodes_that_a_faulty_edge_cut_off_are_no_doubt():
    nodes = (
        '<node id="start" type="task"/><node id="middle" type="task"/><node id="end" type="task"/>'
    )
    edges = '<edge from="start" to="middle"/><edge from="middle" to="end"/>'

    assert ["HX-2001"] == codes(
        document(nodes, edges.replace('to="middle"', 'to="midle"'), attributes='entry="start"')
    )
    assert ["HX-2001"] == codes(
        document(nodes, edges.replace('from="start"', 'from="begin"'), attributes='entry="start"')
    )
    assert ["HX-3005", "HX-3005", "HX-2001"] == codes(
        document(nodes, edges.replace('to="middle"', 'to="other"'), attributes='entry="start"')
    )
