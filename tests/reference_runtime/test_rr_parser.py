"""The hardened parser: hostile and broken documents, and a clean one."""

import socket

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reference_runtime.document.parser import MAX_DEPTH, parse
from tests.strategies_documents import RICH, document

BOMB = b"""<?xml version="1.0"?>
<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>
<a>&c;&c;&c;</a>"""

BROKEN = {
    "empty": (b"", "Write a harness element"),
    "blank": (b" \n ", "Start tag expected"),
    "text": (b"harness", "Start tag expected"),
    "null byte alone": (b"\0", "Write a harness element"),
    "null byte inside": (b"<a\0/>", "Char 0x0"),
    "truncated": (document()[:-4], "Correct the XML"),
    "truncated in a tag": (b"<harness id=", "Correct the XML"),
    "mismatched tags": (b"<a><b></a></b>", "mismatch"),
    "two roots": (b"<a/><b/>", "Extra content"),
    "repeated attribute": (b'<a b="1" b="2"/>', "redefined"),
    "unquoted attribute": (b"<a b=1/>", "Correct the XML"),
    "bare less-than": (b'<a b="<"/>', "Correct the XML"),
    "bare ampersand": (b"<a>a & b</a>", "Write &amp; for it."),
    "unknown entity": (b"<a>&nbsp;</a>", "Only &lt; &gt; &amp;"),
    "control character": (b"<a>\x01</a>", "Char value 1"),
    "null reference": (b"<a>&#0;</a>", "Correct the XML"),
    "undeclared prefix": (b"<x:a/>", "Declare the prefix"),
    "too deep": (b"<a>" * 100_000, f"not of the format: elements may be nested {MAX_DEPTH} deep."),
    "name of a namespace, and a fault": (
        '<a xmlns="urn:ä"><b></a>'.encode(),
        "Opening and ending tag mismatch",
    ),
    "name of a namespace, and an entity": ('<a xmlns="urn:ä">&x;</a>'.encode(), "Only &lt;"),
    "two marks": (b"\xef\xbb\xbf" * 2 + document(), "Start tag expected"),
    "doctype bomb": (BOMB, "DOCTYPE"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "words"), BROKEN.values(), ids=BROKEN)
def test_broken_document_gives_one_finding_with_place(text, words):
    parsed = parse(text)
    (finding,) = parsed.findings

    assert parsed.harness is None
    assert ("HX-1001", "error") == (finding.code, finding.severity)
    assert finding.line >= 1
    assert finding.column is not None
    assert finding.message.endswith("Nothing after this place was checked.")
    assert words in finding.message


@pytest.mark.parametrize(
    ("inside", "column", "value"),
    [
        ("<b></c>", 4, "</c"),
        ("<b c='1' c='2'/>", 10, "c"),
        ("<b c='&x;'/>", 7, "&x;"),
        ("<b c='ä &x;'/>", 9, "&x;"),
        ("a & b", 3, "&"),
        ("&#0;", 1, "&#0;"),
        ("<b c='<'/>", 7, "<"),
        ("<b c=hush/>", 6, ""),
        ("<b c='1'dd='2'/>", 9, ""),
        ("<x:b/>", 1, "<x:b"),
        ("<?xml x?>", 1, "<?xml"),
        ("\x01", 1, "\x01"),
        ("<b>]]></b>", 4, ""),
    ],
)
def test_finding_about_malformed_xml_points_to_the_piece(inside, column, value):
    head, end = document().decode().split("<nodes>")
    (finding,) = parse(f"{head}<nodes><node id='n1'>\n{inside}{end}".encode()).findings

    assert (2, column, value, "node 'n1'") == (
        finding.line,
        finding.column,
        finding.value,
        finding.near,
    )


def test_nearest_id_is_that_of_an_element_that_is_open():
    text = "<node id='n1'/><node id='n2'><inputs>\n<input name='x'></inputs></node>"
    (finding,) = parse(document(text)).findings

    assert ("node 'n2'", 2, 17) == (finding.near, finding.line, finding.column)
    assert "tag mismatch: input line 2 and inputs" in finding.message


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (b"<a>\n <!-- x -->\n  <!-- y\n <b/></a>", (3, 3), "Close it with -->."),
        (b"<a>\n <![CDATA[x\n</a>", (2, 2), "Close it with ]]>."),
        (b"\xef\xbb\xbf<!-- <a/>", (1, 1), "Close it with -->."),
    ],
    ids=["comment", "section", "after a mark"],
)
def test_place_of_what_is_never_closed_is_its_beginning(text, place, words):
    (finding,) = parse(text).findings

    assert place == (finding.line, finding.column)
    assert words in finding.message


def test_message_of_the_parser_shows_no_secret():
    key = "ghp_" + "A1b2" * 10
    (finding,) = parse(f"<a><{key}></a>".encode()).findings

    assert "tag mismatch: ghp_… line 1" in finding.message


@pytest.mark.parametrize("name", ["urn:ä", "http://例.example/ns", "http://h/a[1]"])
def test_names_of_namespaces_may_be_any_text(name):
    foreign = f'<v:x xmlns:v="{name}"/><y xmlns="{name}"/>'
    nodes = f'<node id="a" type="task"><extension namespace="urn:u">{foreign}</extension></node>'

    assert () == parse(document(nodes)).findings
    assert () == parse(document(nodes + "<!---->" * 4000)).findings


@pytest.mark.parametrize("size", [11_000_000, 30_000_000], ids=["11 MB", "30 MB"])
def test_long_texts_are_read(size):
    long = "x" * size
    inner = f'<description>{long}</description><extension namespace="u"/>'

    assert () == parse(document(f'<node id="a" type="task">{inner}</node>')).findings
    assert () == parse(document(attributes=f'name="{long}"')).findings


ROOTS = {
    "other name": b'<workflow xmlns="https://harnessxml.com/spec/1.0"/>',
    "other namespace": b'<harness xmlns="https://harnessxml.com/spec/9"/>',
    "namespace of a minor version": b'<harness xmlns="https://harnessxml.com/spec/1.2"/>',
    "no namespace": b"<harness/>",
}


@pytest.mark.parametrize("text", ROOTS.values(), ids=ROOTS)
def test_other_root_is_one_plain_schema_fault(text):
    parsed = parse(text)

    assert parsed.harness is None
    assert ["HX-1001"] == [finding.code for finding in parsed.findings]
    assert "nothing inside it was checked" in parsed.findings[0].message


def test_nothing_is_fetched(monkeypatch):
    def refuse(*_args, **_kwargs):
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    parsed = parse(RICH.encode())

    assert parsed.findings == ()


def test_prefix_is_irrelevant():
    plain = document('<node id="a" type="task"><guard when="x"/></node>')
    prefixed = (
        b'<p:harness xmlns:p="https://harnessxml.com/spec/1.0" id="h" specVersion="1.0">'
        b'<p:nodes><p:node id="a" type="task"><p:guard when="x"/></p:node></p:nodes></p:harness>'
    )

    assert parse(plain).harness == parse(prefixed).harness


def test_deepest_document_that_is_read():
    def nested(depth):
        inner = b"<v:x>" * depth + b"</v:x>" * depth
        return document(after=f'<extension namespace="v">{inner.decode()}</extension>').replace(
            b"<harness ", b'<harness xmlns:v="urn:v" '
        )

    assert parse(nested(MAX_DEPTH - 2)).findings == ()
    assert ["HX-1001"] == [finding.code for finding in parse(nested(MAX_DEPTH - 1)).findings]


def test_comments_and_instructions_are_no_content():
    text = document(
        '<!-- a --><node id="a" type="task"><?p i?><guard when="x"><!-- --></guard></node>'
    )

    assert parse(text).findings == ()


@given(st.binary(max_size=60))
@example(b"\xef\xbb\xbf")
@example(b"<?xml")
@example(b"<!")
@example(b"<!--")
def test_any_bytes_give_findings_and_no_exception(data):
    parsed = parse(data)

    assert parsed.harness is None
    assert parsed.findings != ()


@given(st.integers(min_value=0), st.binary(min_size=0, max_size=3))
def test_any_damage_is_survived(position, damage):
    text = RICH.encode()
    at = position % len(text)
    parsed = parse(text[:at] + damage + text[at + 1 :])

    assert parsed.harness is not None or parsed.findings != ()


def test_ids_of_extensions_mean_nothing():
    ids = (
        '<x xmlns="urn:x" xml:id="9 9"/><x xmlns="urn:x" xml:id="a"/><x xmlns="urn:x" xml:id="a"/>'
    )
    text = document(f'<node id="a" type="task"><extension namespace="u">{ids}</extension></node>')

    assert () == parse(text).findings
