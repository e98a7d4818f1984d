"""Misspelt names are one finding each, and the document is read as it was meant (§13.5, A175)."""

import pytest

from reference_runtime.document.meant import is_slip
from tests.strategies_documents import RICH, codes, document, findings

NODES = (
    '<node id="fetch" type="task"><outputs><output name="out"/></outputs></node>'
    '<node id="store" type="task"><inputs><input name="in"/></inputs></node>'
    '<node id="think" type="inference"><resourceRef ref="model"/></node>'
)
EDGES = (
    '<edge id="one" from="fetch" to="store" type="data" fromPort="out" toPort="in"/>'
    '<edge id="two" from="store" to="think" condition="${fetch.out == 1}"/>'
)
RESOURCES = '<resources><resource id="model" type="model"/></resources>'
WHOLE = document(NODES, EDGES, before=RESOURCES).decode()


@pytest.mark.parametrize(
    ("name", "other", "expected"),
    [
        ("edgs", "edges", True),
        ("eedges", "edges", True),
        ("nodse", "nodes", True),
        ("nades", "nodes", True),
        ("Id", "id", True),
        ("NODES", "nodes", True),
        ("ondse", "nodes", False),
        ("nods", "edges", False),
        ("to", "tu", False),
        ("input", "inputs", True),
        ("wait", "waits", True),
        ("", "id", False),
    ],
)
def test_what_a_slip_is(name, other, expected):
    assert (expected, expected) == (is_slip(name, other), is_slip(other, name))


def test_the_whole_document_is_valid():
    assert [] == codes(WHOLE.encode())


@pytest.mark.parametrize(
    ("right", "wrong", "code"),
    [
        ("edges>", "edgs>", "HX-1003"),
        ("edges>", "Edges>", "HX-1003"),
        ("nodes>", "nodse>", "HX-1003"),
        ("resources>", "ressources>", "HX-1003"),
        ("outputs>", "outpts>", "HX-1003"),
        ("inputs>", "imputs>", "HX-1003"),
        ("<outputs><output ", "<outputs><outputt ", "HX-1003"),
        ('<node id="fetch"', '<node Id="fetch"', "HX-1003"),
        ('<resource id="model"', '<resource ID="model"', "HX-1003"),
        (' from="fetch"', ' form="fetch"', "HX-1003"),
        (' to="store"', ' To="store"', "HX-1003"),
        ("toPort", "toport", "HX-1003"),
        ("fromPort", "formPort", "HX-1003"),
        (' type="data"', ' typ="data"', "HX-1003"),
        ("<resourceRef", "<resurceRef", "HX-1003"),
        ("<edges>", '<edges xmlns="">', "HX-1006"),
        ("<nodes>", '<nodes xmlns="">', "HX-1006"),
        ("<resources>", '<resources xmlns="">', "HX-1006"),
        ("inputs>", "input>", "HX-1001"),
        ("outputs>", "output>", "HX-1001"),
        (
            '<node id="fetch"',
            '<node xmlns:x="https://harnessxml.com/spec/1.0" x:id="fetch"',
            "HX-1001",
        ),
    ],
)
def test_one_slip_is_one_finding(right, wrong, code):
    assert right in WHOLE

    assert [code] == codes(WHOLE.replace(right, wrong).encode())


@pytest.mark.parametrize(
    ("nodes", "code"),
    [
        ('<node id="a" type="wait"><wiat duration="PT1S"/></node>', "HX-1003"),
        ('<node id="a" type="wait"><wait duraton="PT1S"/></node>', "HX-1003"),
        ('<node id="a" type="subworkflow"><subworkflow ref="x"/></node>', "HX-1003"),
        ('<node id="a" type="task"><inputs><input name="i" valu="1"/></inputs></node>', "HX-1003"),
        ('<node id="a" type="decision"><casses><otherwise to="a"/></casses></node>', "HX-1003"),
        ('<node id="a" type="decision"><case><case when="${1}" to="a"/></case></node>', "HX-1001"),
    ],
)
def test_slip_in_what_a_type_needs_is_told_first_and_hides_nothing_of_its_own(nodes, code):
    found = codes(document(nodes))

    assert code == found[0]
    assert not {"HX-2201", "HX-2203", "HX-2204", "HX-2205", "HX-2101"} & set(found)


def test_items_outside_of_their_section_are_read():
    loose = WHOLE.replace("<edges>", "").replace("</edges>", "")

    assert ["HX-1001"] * 2 == codes(loose.encode())

    loose = WHOLE.replace("<inputs>", "").replace("</inputs>", "")

    assert ["HX-1001"] == codes(loose.encode())


def test_missing_section_of_nodes_is_told_beside_loose_nodes():
    loose = WHOLE.replace("<nodes>", "").replace("</nodes>", "")

    assert {"HX-1102", "HX-1001"} == set(codes(loose.encode()))


def test_missing_version_keeps_its_own_code():
    assert ["HX-1002", "HX-1003"] == codes(WHOLE.replace("specVersion", "specversion").encode())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (WHOLE.replace("edges>", "edgs>").replace('to="think"', 'to="thick"'), "HX-2001"),
        (WHOLE.replace("nodes>", "nodse>").replace("toPort", "toport x="), None),
        (WHOLE.replace("nodes>", "nodse>").replace(' type="task"', ' type="job"', 1), "HX-1003"),
        (WHOLE.replace("edges>", "edgs>").replace('to="store"', 'to="st ore"'), "HX-1001"),
        (WHOLE.replace(' type="data"', ' typ="dat"'), "HX-1001"),
    ],
)
def test_what_is_wrong_inside_of_a_misspelt_element_is_found_too(text, expected):
    found = codes(text.encode())

    assert (expected is None and found == ["HX-1001"]) or {"HX-1003", expected} <= set(found)


def test_content_of_a_misspelt_credential_is_not_shown():
    inside = '<resource id="r" type="model"><credental>hush-hush</credental></resource>'
    found = findings(document(before=f"<resources>{inside}</resources>"))

    assert {"HX-1001", "HX-1003"} == {one.code for one in found}
    assert "hush" not in repr(found)


def test_foreign_elements_are_never_taken_for_those_of_the_format():
    alien = '<v:nodes xmlns:v="urn:v"><v:node id="b" type="task"/></v:nodes>'

    assert ["HX-1006", "HX-2001"] == sorted(
        codes(
            document(edges='<edge from="a" to="b"/>').replace(
                b"<edges>", f"{alien}<edges>".encode()
            )
        )
    )


def test_extension_keeps_what_looks_like_the_format():
    text = RICH.replace("<v:x/>", '<v:nodse/><nodes xmlns="urn:w"/>')

    assert [] == codes(text.encode())


def test_every_name_of_the_format_can_be_misspelt():
    names = {"metadata", "artifacts", "property", "credential", "guard", "retry", "timeout", "body"}
    found = {
        name: codes(RICH.replace(f"hx:{name}", f"hx:{name[0]}{name[2:]}").encode())
        for name in names
    }

    assert {name: {"HX-1003"} for name in names} == {
        name: set(each) for name, each in found.items()
    }
