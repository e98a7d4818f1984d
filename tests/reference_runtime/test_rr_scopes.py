"""Iteration variables: in the body, and nowhere else (HX-3102)."""

import pytest

from reference_runtime.validation import validate
from tests.strategies_runtime import document

LOOP = "l:loop <loop kind='forEach' over='${{[1]}}' {} maxIterations='1'><body ref='{}'/></loop>"
READ = "<inputs><input name='i' value='{}'/></inputs>"


def found(nodes, edges="", entry="l"):
    """(code, value) of the errors."""
    verdict = validate(document(nodes, edges, entry))
    return [(one.code, one.value) for one in verdict.findings if one.severity == "error"]


@pytest.mark.parametrize("text", ["${item}", "${index}", "${item.member}"])
def test_body_sees_the_variables(text):
    assert [] == found(f"{LOOP.format('', 'b')}\nb {READ.format(text)}")


@pytest.mark.parametrize("name", ["item", "index"])
def test_other_nodes_do_not(name):
    nodes = f"{LOOP.format('', 'b')}\nb\na {READ.format('${' + name + '}')}"

    assert [("HX-3102", name)] == found(nodes, "l->a")


def test_own_names_replace_the_defaults():
    names = "var='leaf' indexVar='place'"

    assert [] == found(f"{LOOP.format(names, 'b')}\nb {READ.format('${leaf + place}')}")
    assert [("HX-3103", "item")] == found(f"{LOOP.format(names, 'b')}\nb {READ.format('${item}')}")
    assert [("HX-3102", "leaf")] == found(
        f"{LOOP.format(names, 'b')}\nb\na {READ.format('${leaf}')}", "l->a"
    )


def test_document_without_loops_has_no_variables():
    assert [("HX-3102", "item")] == found(f"a {READ.format('${item}')}", entry="a")


def test_node_of_that_name_is_a_node():
    out = "<outputs><output name='x'/></outputs>"

    assert [] == found(f"item {out}\na {READ.format('${item.x}')}", "item->a", entry="item")
    assert [("HX-3103", "item.y")] == found(
        f"item {out}\na {READ.format('${item.y}')}", "item->a", entry="item"
    )


def test_handler_of_the_body_sees_them():
    assert [] == found(f"{LOOP.format('', 'b')}\nb\nh {READ.format('${item}')}", "b-!>h")


def test_target_of_a_body_that_decides_sees_them():
    decision = "b:decision <cases><case when='${index == 0}' to='t'/></cases>"

    assert [] == found(f"{LOOP.format('', 'b')}\n{decision}\nt {READ.format('${item}')}")


def test_inner_body_sees_the_variables_of_both_loops():
    inner = (
        "m:loop <loop kind='times' count='1' var='k' indexVar='j' maxIterations='1'>"
        "<body ref='b'/></loop>"
    )
    outer = LOOP.format("var='leaf' indexVar='place'", "m")

    assert [] == found(f"{outer}\n{inner}\nb {READ.format('${leaf + place + j}')}")


def test_attributes_of_the_loop_stand_outside_its_body():
    loop = (
        "l:loop <loop kind='while' while='${index &lt; 3}' maxIterations='9'><body ref='b'/></loop>"
    )

    assert [("HX-3102", "index")] == found(f"{loop}\nb")


def test_condition_counts_for_its_source():
    nodes = f"{LOOP.format('', 'b')}\nb\na"

    assert [] == found(nodes, "b-!>a[${index==0}]")
    assert [("HX-3102", "index")] == found(nodes, "l->a[${index==0}]")
