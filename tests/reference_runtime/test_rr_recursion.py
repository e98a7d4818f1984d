"""Documents that run themselves through their subworkflows (HX-3002)."""

import time

import pytest

from reference_runtime.validation import validate
from tests.strategies_documents import document


def using(*hrefs, name="x"):
    """A document that runs these as subworkflows."""
    nodes = "".join(
        f'<node id="{name}{n}" type="subworkflow"><subworkflow href="{href}"/></node>'
        for n, href in enumerate(hrefs)
    )
    return document(nodes or f'<node id="{name}" type="task"/>')


def found(text, **companions):
    """(code, value) of the findings; a companion's name stands for name.hxml."""
    given = {f"{name}.hxml": text for name, text in companions.items()}
    return [(one.code, one.value) for one in validate(text, companions=given).findings]


@pytest.mark.parametrize(
    "companions",
    [
        {"b": using(name="b")},
        {},
        {"b": using("c.hxml", name="b"), "c": using(name="c")},
        {"b": b"<not"},
        {"b": b"<other/>"},
        {"z": using("z.hxml", name="z")},
    ],
    ids=["leaf", "not given", "chain", "malformed", "no harness", "unused"],
)
def test_without_recursion(companions):
    assert [] == found(using("b.hxml"), **companions)


@pytest.mark.parametrize(
    ("text", "companions"),
    [
        (using("a.hxml"), {"a": using("a.hxml")}),
        (using("b.hxml"), {"b": using("a.hxml"), "a": using("b.hxml")}),
        (using("b.hxml"), {"b": using("c.hxml"), "c": using("a.hxml"), "a": using("b.hxml")}),
        (using("b.hxml"), {"b": using("b.hxml", name="b")}),
        (using("b.hxml"), {"b": using("c.hxml", name="b"), "c": using("b.hxml", name="c")}),
    ],
    ids=["itself", "two", "three", "a companion by itself", "two companions"],
)
def test_recursion_at_any_depth(text, companions):
    value = "a.hxml" if text == using("a.hxml") else "b.hxml"

    assert [("HX-3002", value)] == found(text, **companions)


def test_each_reference_that_recurs_is_reported_with_its_chain():
    text = using("b.hxml", "leaf.hxml", "b.hxml")
    companions = {"b.hxml": using("a.hxml"), "a.hxml": text, "leaf.hxml": using()}
    findings = validate(text, companions=companions).findings

    assert ["node 'x0'", "node 'x2'"] == [one.near for one in findings]
    assert "this document → b.hxml → this document" in findings[0].message


@pytest.mark.parametrize("href", ["", " ", "#d", "#"], ids=repr)
def test_reference_without_a_path_is_the_document_itself(href):
    (finding,) = validate(using(href)).findings

    assert ("HX-3002", 1, "node 'x0'") == (finding.code, finding.line, finding.near)
    assert "this document → this document" in finding.message


def test_missing_reference_is_no_empty_one():
    text = using("b.hxml").replace(b' href="b.hxml"', b"")

    assert ["HX-1001"] == [one.code for one in validate(text).findings]
    assert [] == found(using("b.hxml"), b=text)


def test_companion_that_refers_to_itself_without_a_path():
    assert [("HX-3002", "b.hxml")] == found(using("b.hxml"), b=using("#d", name="b"))


@pytest.mark.parametrize(
    ("href", "uri"),
    [
        ("./a.hxml", "a.hxml"),
        ("sub/../a.hxml", "a.hxml"),
        ("%61.hxml", "a.hxml"),
        ("a%c3%a4.hxml", "aä.hxml"),
        ("FILE:/x/../x/a.hxml", "file://localhost/x/a.hxml"),
        ("http://H:80/a", "http://h/%61"),
        ("../x/a.hxml#part", "./../x/a.hxml"),
    ],
)
def test_one_document_has_many_spellings(href, uri):
    text = using(href)

    assert ["HX-3002"] == [one.code for one in validate(text, companions={uri: text}).findings]


def test_references_of_unknown_schemes_are_relative_as_well():
    companions = {"flow://x/b": using("c"), "flow://x/c": using("./b")}
    text = using("flow://x/b")

    assert ["HX-3002"] == [one.code for one in validate(text, companions=companions).findings]


def test_document_used_twice_is_not_recursive():
    diamond = {
        "b": using("d.hxml", name="b"),
        "c": using("d.hxml", name="c"),
        "d": using(name="d"),
    }

    assert [] == found(using("b.hxml", "c.hxml"), **diamond)


def test_references_are_relative_to_the_document_that_holds_them():
    text = using("sub/b.hxml")
    companions = {"sub/b.hxml": using("../a.hxml#part"), "a.hxml": text}

    assert ["HX-3002"] == [one.code for one in validate(text, companions=companions).findings]


def test_reference_that_is_no_uri_is_left_alone():
    text = using("b.hxml")
    companions = {"b.hxml": using("http://[", name="b")}

    assert () == validate(text, companions=companions).findings


def test_long_chain_is_walked_without_recursion():
    length = 3000
    companions = {f"{n}.hxml": using(f"{n + 1}.hxml") for n in range(length)}
    text = using("0.hxml")
    companions[f"{length}.hxml"] = text
    (finding,) = validate(text, companions=companions).findings

    assert ("HX-3002", True) == (finding.code, "6.hxml → … → this document" in finding.message)


def test_same_bytes_in_another_folder_are_another_document():
    text = using("sub/a.hxml")
    companions = {"a.hxml": text, "sub/a.hxml": text}

    assert () == validate(text, companions=companions).findings


def test_reference_may_hold_what_a_uri_escapes():
    text = using("b c.hxml")
    companions = {"a.hxml": text, "b%20c.hxml": using("a.hxml")}

    assert ["HX-3002"] == [one.code for one in validate(text, companions=companions).findings]


def test_documents_used_by_many_nodes_are_walked_once():
    def seconds(number):
        links = {f"{n}.hxml": using(f"{n + 1}.hxml") for n in range(number)}
        text = using(*links)
        before = time.process_time()
        found = validate(text, companions={**links, f"{number}.hxml": using()}).findings
        return time.process_time() - before, found

    small, large = seconds(200), seconds(1600)

    assert () == large[1]
    assert large[0] < 30 * small[0]
