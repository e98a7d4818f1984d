"""Places of findings: line, column, nearest id."""

import pytest

from reference_runtime.document.parser import parse
from reference_runtime.document.source import LONGEST_VALUE, clip
from tests.strategies_documents import TASK, document, findings


def test_place_is_where_the_start_tag_begins():
    text = document(TASK, '\n\n  <edge\n    from="a"\n    to="zz"/>')
    (finding,) = findings(text)

    assert (3, 3) == (finding.line, finding.column)


def test_column_counts_characters():
    text = document('<node id="ü" type="task"/><node id="a" type="task" x="1"/>'.replace("ü", "b"))
    moved = document('<!--€€€--><node id="b" type="task"/><node id="a" type="task" x="1"/>')
    before, after = findings(text)[0].column, findings(moved)[0].column

    assert before is not None
    assert before + len("<!--€€€-->") == after


def test_nearest_id():
    port = '<node id="n" type="task"><inputs><input name="1"/></inputs></node>'
    edge = '<edge id="e" from="n" to="zz"/><edge from="n" to="yy"/>'

    assert ["node 'n'", "node 'n'", "edge 'e'", "edge 'n' → 'yy'"] == [
        finding.near for finding in findings(document(port, edge))
    ]


def test_nearest_id_of_the_document_itself():
    (finding,) = findings(document(attributes='entry="zz"'))

    assert finding.near == "harness 'h'"


def test_document_that_the_second_parser_refuses_keeps_the_line():
    text = b'<?xml version="1.1"?>\n' + document(attributes='entry="zz"')
    (finding,) = findings(text)

    assert ("HX-2001", 2) == (finding.code, finding.line)


def test_long_values_are_shortened():
    long = "x" * 100_000
    (finding,) = findings(document(attributes=f'entry="{long[:250]}"'))

    assert len(finding.value) == LONGEST_VALUE + 1
    assert clip("short") == "short"


def test_element_of_an_unknown_value_is_the_root():
    parsed = parse(document())

    assert parsed.source is not None
    assert parsed.source.line_of(object()) == 1


def test_long_names_are_cut_and_the_advice_is_kept():
    (finding,) = findings(
        document(f'<node id="a" type="task"><guard when="${{{"x" * 5000}.y}}"/></node>')
    )

    assert 1001 == len(finding.message)
    assert finding.message.endswith("Correct or declare it.")


@pytest.mark.parametrize(
    "stray",
    ['<v:x xmlns:v="urn:v" id="z"/>', '<guard when="${true}" id="z"/>'],
    ids=["foreign", "without ids"],
)
def test_stray_ids_are_no_names(stray):
    (finding,) = findings(document(f'<node id="n" type="task">{stray}</node>'))

    assert "node 'n'" == finding.near


def test_places_around_a_name_that_the_second_parser_refuses():
    text = document('<node id="a" type="tusk"/><node t\ufeffype="x" id="bä" type="tusk"/>')
    columns = sorted({one.column or 0 for one in findings(text)})
    line = text.decode()

    assert [line.index("<node id") + 1, line.index("<node t") + 1] == columns


def test_mark_at_the_beginning_is_no_column():
    text = document(TASK, attributes='entry="zz"')
    (plain,), (marked,) = findings(text), findings(b"\xef\xbb\xbf" + text)

    assert plain == marked


def test_secret_at_the_end_of_what_is_shown_is_not_cut_in_two():
    key = "ghp_" + "A1b2" * 10
    shown = clip(f"{'x' * 110} {key}")

    assert f"{'x' * 110} ghp_…" == shown


def test_long_token_is_hidden_though_its_end_is_not_looked_at():
    assert "eyJA…" == clip(f"eyJ{'A1b2' * 2000}.eyJ{'A1b2' * 2000}.x")


def test_no_field_of_a_finding_shows_a_secret():
    key = "A1b2" * 10
    nodes = (
        f'<node id="ghp_{key}" type="glpat-{key}">ghp_{key}<guard when="${{1 + ghp_{key} +}}"/>'
        f"</node>"
    )
    found = findings(document(nodes, f'<edge from="ghp_{key}" to="sk-{key}"/>'))

    assert {"HX-1003", "HX-1001", "HX-2001", "HX-3101"} == {one.code for one in found}
    assert [] == [one for one in found if "A1b2A1b2" in f"{one.value}{one.message}{one.near}"]


@pytest.mark.parametrize("name", ["Edges", "EDGES"])
def test_name_in_the_wrong_case_brings_no_other_finding(name):
    nodes = (
        '<node id="a" type="task"><outputs><output name="o"/></outputs></node>'
        '<node id="b" type="task"><inputs><input name="i"/></inputs></node>'
    )
    edge = '<edge from="a" to="b" type="data" fromPort="o" toPort="i"/>'
    text = document(nodes, edge).replace(b"edges>", f"{name}>".encode())

    assert [("HX-1003", name)] == [(one.code, one.value) for one in findings(text)]


def test_elements_under_a_name_in_the_wrong_case_are_checked():
    nodes = '<node id="a" type="task"/><Node id="b" type="task"><Guard when="${"/></Node>'
    found = findings(document(nodes, '<edge from="a" to="b"/>'))

    assert ["HX-1003", "HX-1003", "HX-3101"] == [one.code for one in found]
    assert found[1].column == found[2].column


def test_element_of_another_namespace_is_never_meant():
    text = document(TASK, attributes='entry="zz"', after='<Edges xmlns="urn:x"><edge/></Edges>')

    assert ["HX-2001", "HX-1006"] == [one.code for one in findings(text)]
