"""The gate as a whole: one pass, one order, and no harness with an error."""

import re
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reference_runtime.document.finding import MAX_FINDINGS
from reference_runtime.validation import GATE, Finding, validate
from reference_runtime.validation.catalogue import CATALOGUE
from tests.strategies_documents import RICH, TASK, document, drawn_texts


def test_valid_document_is_executable():
    validated = validate(RICH.encode())

    assert validated.findings == ()
    assert validated.harness is not None
    assert validated.harness.id == "rich"


def test_invalid_document_is_not():
    assert validate(document(attributes='entry="zz"')).harness is None
    assert validate(b"<a/>").harness is None
    assert validate(b"").harness is None


def test_warning_alone_keeps_a_document_executable():
    rule = CATALOGUE[0]
    warning = type(rule)(rule.code, rule.section, "warning", rule.check)
    validated = validate(document(TASK + TASK), replace(GATE, rules=(warning,)))

    assert ["warning"] == [finding.severity for finding in validated.findings]
    assert validated.harness is not None


def test_findings_stand_in_the_order_of_the_document():
    text = document(
        '<node id="a" type="task" idempotent="0">\n<retry maxAttempts="1"/></node>\n'
        '<node id="b" type="task" joinPolicy="quorum"/>',
        '\n<edge from="a" to="zz"/>\n<edge from="b" to="a" x="1"/>',
    )

    assert [(2, "HX-3301"), (3, "HX-2401"), (4, "HX-2001"), (5, "HX-1003")] == [
        (finding.line, finding.code) for finding in validate(text).findings
    ]


def test_every_row_of_the_table_is_complete():
    for rule in CATALOGUE:
        group = r"HX-[1-3]\d{3}" if rule.severity == "error" else r"HX-[1-4]\d{3}"

        assert re.fullmatch(group, rule.code)
        assert re.fullmatch(r"\d+(\.\d+)*", rule.section)
        assert rule.check.__doc__


@pytest.mark.parametrize("change", [b"", b" ", b"\n", b"<!-- -->"], ids=repr)
def test_layout_does_not_change_the_verdict(change):
    text = RICH.encode().replace(b"\n  <hx:nodes>", change + b"<hx:nodes>")

    assert validate(text).findings == ()


@st.composite
def _attribute_changes(draw):
    """The rich document with a few attribute values replaced by drawn texts."""
    places = [match.span(1) for match in re.finditer(r'="([^"]*)"', RICH)]
    text = RICH
    for start, end in sorted(draw(st.sets(st.sampled_from(places), max_size=3)), reverse=True):
        value = draw(drawn_texts)
        for char, escape in (("&", "&amp;"), ("<", "&lt;"), ('"', "&quot;")):
            value = value.replace(char, escape)
        text = text[:start] + value + text[end:]
    return text.encode()


@given(_attribute_changes())
@example(RICH.replace('namespace="urn:v"', 'namespace="["').encode())
def test_any_values_give_a_verdict(text):
    validated = validate(text)
    errors = [finding for finding in validated.findings if finding.severity == "error"]

    assert (validated.harness is None) == bool(errors)
    for finding in validated.findings:
        assert isinstance(finding, Finding)
        assert finding.line >= 1
        assert finding.message.endswith(".")


def test_number_of_findings_is_bounded():
    validated = validate(document("<x/>" * 3000, '<edge from="a" to="b"/>' * 3000))

    assert len(validated.findings) == MAX_FINDINGS
    assert validated.findings[-1].message.endswith("more findings than these 1000.")
    assert "more findings" not in validated.findings[-2].message


def test_errors_are_told_before_warnings():
    nodes = "".join(f'<node id="n{n}" type="task"/>' for n in range(1500))
    validated = validate(document(TASK + nodes, '<edge from="a" to="zz"/>', attributes='entry="a"'))
    told = [finding.code for finding in validated.findings]

    assert (MAX_FINDINGS, "HX-2001", None) == (len(told), told[-1], validated.harness)


def test_companions_are_looked_at_with_the_document():
    text = document('<node id="s" type="subworkflow"><subworkflow href="x"/></node>')

    assert [] == [finding.code for finding in validate(text).findings]
    assert ["HX-3002"] == [one.code for one in validate(text, companions={"x": text}).findings]
