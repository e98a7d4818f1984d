"""Iteration variables: in the body, and nowhere else (HX-3102)."""

import time

import pytest

from reference_runtime.document.parser import parse
from reference_runtime.validation import validate
from reference_runtime.validation.scopes import Scopes
from reference_runtime.validation.view import View
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


def scopes(nodes, edges=""):
    """Scopes of a document."""
    content = document(nodes, edges)
    parsed = parse(content)
    return Scopes(View(parsed.harness, parsed.source, content))


def test_visible_names_are_those_of_all_loops_around():
    inner = (
        "m:loop <loop kind='times' count='1' indexVar='j' maxIterations='1'><body ref='b'/></loop>"
    )
    found = scopes(f"{LOOP.format(chr(32), 'm')}\n{inner}\nb\nh\na", "b-!>h")

    assert {"item", "index", "j"} == found.visible("h")
    assert {"item", "index"} == found.visible("m")
    assert set() == found.visible("a")


@pytest.mark.parametrize(
    ("edges", "node", "loop"),
    [
        ("", "b", "l"),
        ("", "m", "l"),
        ("", "l", None),
        ("b-!>h", "h", "l"),
        ("m-!>h", "h", "l"),
        ("b-!>h m-!>h", "h", "l"),
        ("b-!>h h-!>k", "k", "l"),
        ("l-!>h", "h", None),
        ("b-!>h a-!>h", "h", None),
        ("b-!>h a->h", "h", None),
        ("b-!>h a-~>h", "h", None),
        ("b-!>h h-!>k k-!>h", "h", None),
        ("a-~>b", "b", None),
        ("a-~>l", "b", None),
    ],
)
def test_loop_encloses_what_runs_in_it_and_nowhere_else(edges, node, loop):
    inner = "m:loop <loop kind='times' count='1' maxIterations='1'><body ref='b'/></loop>"
    found = scopes(f"{LOOP.format(chr(32), 'm')}\n{inner}\nb\nh\nk\na", edges)

    assert loop == found.enclosing(node)


def test_target_of_a_decision_is_enclosed_by_no_loop():
    decision = "b:decision <cases><case when='${true}' to='t'/><otherwise to='t'/></cases>"
    found = scopes(f"{LOOP.format(chr(32), 'b')}\n{decision}\nt")

    assert ("l", None) == (found.enclosing("b"), found.enclosing("t"))


def test_long_chains_of_handlers_are_searched_once():
    size = 3000
    nodes = [LOOP.format("", "h0")] + [f"h{n} {READ.format('${item}')}" for n in range(size)]
    edges = [f"h{n}-!>h{n + 1}" for n in range(size - 1)]
    found = scopes("\n".join(nodes), " ".join(edges))
    started = time.process_time()
    seen = [found.sees(f"h{n}", "item") and found.iterates(f"h{n}") for n in range(size)]

    assert all(seen)
    assert time.process_time() - started < 0.5
