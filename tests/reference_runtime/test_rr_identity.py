"""Duplicate names and required extensions."""

import pytest

from tests.strategies_documents import TASK, codes, document, findings

PORT = '<{0} name="x" required="false"/>'
PORTS = f'<node id="a" type="task"><{{0}}s>{PORT}{PORT}</{{0}}s></node>'
RESOURCES = '<resources><resource id="m" type="model"/><resource id="m" type="queue"/></resources>'
ARTIFACTS = '<artifacts><artifact id="f" type="log"/><artifact id="f" type="log"/></artifacts>'
EDGES = '<edge id="e" from="a" to="b"/><edge id="e" from="a" to="b"/>'
TWO = '<node id="a" type="task"/><node id="b" type="task"/>'


@pytest.mark.parametrize(
    "text",
    [
        document(TASK + TASK),
        document(PORTS.format("input")),
        document(PORTS.format("output")),
        document(before=RESOURCES),
        document(before=ARTIFACTS),
        document(TWO, EDGES),
    ],
    ids=["nodes", "inputs", "outputs", "resources", "artifacts", "edges"],
)
def test_duplicate_name(text):
    assert codes(text) == ["HX-1101"]


def test_every_repetition_is_reported_with_the_first_place():
    one, two = findings(document("\n".join([TASK] * 3)))

    assert (2, 3) == (one.line, two.line)
    assert one.message == "Node 'a' exists already on line 1. Rename one of the two."


def test_name_spaces_are_separate():
    node = (
        '<node id="a" type="task"><inputs><input name="a" required="false"/></inputs>'
        '<outputs><output name="a"/></outputs></node><node id="b" type="task"/>'
    )
    before = (
        '<resources><resource id="a" type="model"/></resources>'
        '<artifacts><artifact id="a" type="log"/></artifacts>'
    )

    assert codes(document(node, '<edge id="a" from="a" to="b"/>', before=before)) == []


def test_edges_without_id_are_no_duplicates():
    assert codes(document(TWO, '<edge from="a" to="b"/><edge from="a" to="b"/>')) == []


EXTENSION = '<extension namespace="urn:x" required="{}"/>'
CARRIERS = {
    "document": document(after=EXTENSION),
    "node": document(f'<node id="a" type="task">{EXTENSION}</node>'),
    "edge": document(TWO, f'<edge from="a" to="b">{EXTENSION}</edge>'),
    "resource": document(
        before=f'<resources><resource id="m" type="model">{EXTENSION}</resource></resources>'
    ),
    "artifact": document(
        before=f'<artifacts><artifact id="f" type="log">{EXTENSION}</artifact></artifacts>'
    ),
}


@pytest.mark.parametrize("text", CARRIERS.values(), ids=CARRIERS)
@pytest.mark.parametrize("form", ["true", "1"])
def test_required_extension_is_refused_wherever_it_stands(text, form):
    (finding,) = findings(text.replace(b"{}", form.encode()))

    assert ("HX-1004", "urn:x") == (finding.code, finding.value)


@pytest.mark.parametrize("text", CARRIERS.values(), ids=CARRIERS)
def test_other_extensions_are_ignored(text):
    assert codes(text.replace(b"{}", b"false")) == []
