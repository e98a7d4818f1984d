"""Where a document starts, that it goes forward, and what only unwinding may reach."""

import itertools

import pytest

from tests.strategies_documents import codes, document, findings


def nodes(names):
    """Task nodes of these names."""
    return "".join(f'<node id="{name}" type="task"/>' for name in names)


def edge(source, target, kind="control"):
    """One edge."""
    return f'<edge from="{source}" to="{target}" type="{kind}"/>'


@pytest.mark.parametrize("kind", ["control", "dependency", "error", "compensation"])
def test_incoming_edge_of_any_type_takes_a_node_out_of_the_entry_set(kind):
    edges = edge("a", "b") + edge("b", "a", kind)
    found = codes(document(nodes("ab"), edges))

    assert "HX-3001" in found
    assert ("HX-3003" in found) == (kind in {"control", "dependency"})


def test_error_edges_alone_leave_only_the_empty_entry_set():
    (finding,) = findings(document(nodes("ab"), edge("a", "b", "error") + edge("b", "a", "error")))

    assert ("HX-3001", "harness 'h'") == (finding.code, finding.near)


def test_entry_fills_the_entry_set():
    edges = edge("a", "b") + edge("b", "a", "error")

    assert codes(document(nodes("ab"), edges, attributes='entry="a"')) == []


def test_edge_from_nowhere_does_not_empty_the_entry_set():
    assert codes(document(nodes("a"), edge("zz", "a"))) == ["HX-2001"]


def test_unlinked_target_and_body_leave_something_to_start():
    decision = (
        '<node id="d" type="decision"><cases><case when="${true}" to="t"/></cases></node>'
        + nodes("t")
    )
    loop = (
        '<node id="l" type="loop"><loop kind="times" count="1" maxIterations="1">'
        '<body ref="w"/></loop></node>' + nodes("w")
    )
    edges = edge("l", "d") + edge("d", "l", "error")

    assert ["HX-3005", "HX-3005"] == codes(document(decision + loop, edges))


@pytest.mark.parametrize(
    ("edges", "path"),
    [
        (edge("b", "b"), "b → b"),
        (edge("b", "c") + edge("c", "b"), "b → c → b"),
        (edge("b", "c") + edge("c", "b", "dependency"), "b → c → b"),
        (edge("c", "d", "dependency") + edge("d", "b") + edge("b", "c"), "b → c → d → b"),
        (edge("b", "c") + edge("b", "c") + edge("c", "b"), "b → c → b"),
    ],
    ids=["self", "two", "mixed types", "three", "parallel edges"],
)
def test_cycle_beside_a_root(edges, path):
    (finding,) = findings(document(nodes("abcd"), edge("a", "b") + edges))

    assert ("HX-3003", path) == (finding.code, finding.value)


def test_cycle_through_a_data_edge():
    node = (
        '<node id="b" type="task"><inputs><input name="x" required="false"/></inputs></node>'
        '<node id="c" type="task"><outputs><output name="x"/></outputs></node>'
    )
    data = '<edge from="c" to="b" type="data" fromPort="x" toPort="x"/>'

    assert codes(document(nodes("a") + node, edge("a", "b") + edge("b", "c") + data)) == ["HX-3003"]


def test_two_cycles_are_two_findings():
    edges = edge("a", "b") + edge("b", "b") + edge("a", "c") + edge("c", "d") + edge("d", "c")

    assert codes(document(nodes("abcd"), edges)) == ["HX-3003", "HX-3003"]


@pytest.mark.parametrize("kind", ["error", "compensation"])
def test_back_edges_of_other_types_are_no_cycle(kind):
    edges = edge("a", "b") + edge("b", "c") + edge("c", "b", kind)

    assert "HX-3003" not in codes(document(nodes("abc"), edges))


def test_route_is_no_edge_of_a_cycle():
    decision = '<node id="d" type="decision"><cases><case when="${true}" to="a"/></cases></node>'

    assert codes(document(nodes("a") + decision, edge("a", "d"))) == []


def test_long_cycle_is_shown_in_short():
    names = [f"n{number}" for number in range(20)]
    edges = "".join(edge(one, two) for one, two in zip(names, names[1:] + names[:1], strict=True))
    (finding,) = findings(document(nodes(["r", *names]), edge("r", "n3") + edges))

    assert finding.value == "n0 → n1 → n2 → n3 → n4 → n5 → n6 → n7 → … → n0"
    assert "none of these 20 node(s)" in finding.message


def test_large_document_is_checked_without_recursion():
    names = [f"n{number}" for number in range(5_000)]
    edges = "".join(edge(one, two) for one, two in itertools.pairwise(names))

    assert codes(document(nodes(names), edges)) == []
    assert codes(document(nodes(names), edges + edge("n4999", "n1"))) == ["HX-3003"]


UNDO = edge("a", "u", "compensation") + edge("a", "b")


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ("", []),
        (edge("a", "u"), ["HX-2005"]),
        (edge("b", "u"), ["HX-2005"]),
        (edge("b", "u", "dependency"), []),
        (edge("b", "u", "error"), []),
        (edge("u", "b"), []),
    ],
    ids=["none", "from the entry", "further on", "dependency", "error", "leaving"],
)
def test_forward_edge_into_a_compensation_target(extra, expected):
    assert expected == codes(document(nodes("abu"), UNDO + extra))


def test_edge_between_compensating_nodes_is_no_forward_path():
    edges = UNDO + edge("b", "v", "compensation") + edge("u", "v")

    assert codes(document(nodes("abuv"), edges)) == []


def test_forward_path_through_a_route_counts():
    decision = '<node id="d" type="decision"><cases><case when="${true}" to="t"/></cases></node>'
    edges = edge("a", "d") + edge("t", "u") + edge("a", "u", "compensation")

    assert codes(document(nodes("atu") + decision, edges, attributes='entry="a"')) == ["HX-2005"]
