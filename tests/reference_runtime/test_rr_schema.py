"""The schema gives the verdict, the tables explain it: both must say the same."""

import copy
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from reference_runtime.document.advice import Advice
from reference_runtime.document.grammar import ELEMENTS, NAMESPACE, TYPE_NAMES
from reference_runtime.document.schema import SCHEMA_FILE, check_schema, load_schema
from reference_runtime.document.source import Source
from reference_runtime.document.structure import explain
from tests.strategies_documents import RICH, codes, document, findings

PARSER = etree.XMLParser(remove_comments=True)
ROOT = etree.fromstring(RICH.encode(), PARSER)
NAMES = sorted(ELEMENTS)
ATTRIBUTES = sorted({name for element in ELEMENTS.values() for name in element.attributes})
TEXTS = (
    "", "a", "true", "1", "0", " 1 ", "+7", "-1", "1.5", ".5", "5.", "1e3", "01", "1001", "1000",
    "PT1S", " PT1S", "P1M", "P1Y2M3DT4H", "PT", "P", "P1DT", "P1W", "PT.5S", "-PT1S", "-P1Y",
    "task", " task", "any", "all", "forEach", "control", "model", "1.0", "2.0", "1.", "1.10",
    "1a", "é", "x" * 256, "100%", "http://[", "a[1]", "1:a", "a#b#c", "http://[::1]/",
    "2026-08-04T09:00:00Z", "2026-13-04T09:00:00Z", "a b", "\n", "inout",
)  # fmt: skip


def explained(root):
    """Codes that the tables give, whatever the schema says."""
    return [one.code for one in explain(root, Source(etree.tostring(root), root), Advice())]


def test_rich_document_is_accepted_by_both():
    assert load_schema().validate(ROOT)
    assert explained(ROOT) == []


def remove(draw, element):
    """Take one child of the element away."""
    if len(element):
        element.remove(draw(st.sampled_from(list(element))))


def rename(draw, element):
    """Give the element another name of the vocabulary."""
    if element.getparent() is not None:
        element.tag = f"{{{NAMESPACE}}}{draw(st.sampled_from(NAMES))}"


def drop_attribute(draw, element):
    """Take one attribute away."""
    if keys := sorted(key for key in element.attrib if not key.startswith("{")):
        del element.attrib[draw(st.sampled_from(keys))]


def set_attribute(draw, element):
    """Set one attribute of the element, or of the vocabulary, to some text."""
    keys = sorted(key for key in element.attrib if not key.startswith("{"))
    element.set(draw(st.sampled_from([*keys * 5, *ATTRIBUTES])), draw(st.sampled_from(TEXTS)))


def add_child(draw, element):
    """Put a new element of any kind somewhere inside."""
    names = [f"{{{NAMESPACE}}}{name}" for name in (*NAMES, "zzz")]
    child = etree.Element(draw(st.sampled_from([*names, "{urn:x}x", "x"])))
    element.insert(draw(st.integers(0, len(element))), child)


def copy_child(draw, element):
    """Put a copy of another element somewhere inside."""
    others = list(element.getroottree().getroot().iter("*"))[1:]
    if others:
        child = copy.deepcopy(draw(st.sampled_from(others)))
        element.insert(draw(st.integers(0, len(element))), child)


def set_text(draw, element):
    """Give the element some text."""
    element.text = draw(st.sampled_from(TEXTS))


DAMAGES = (remove, rename, drop_attribute, set_attribute, add_child, copy_child, set_text)


@st.composite
def damaged(draw):
    """The rich document with one or two random changes."""
    root = copy.deepcopy(ROOT)
    for damage in draw(st.lists(st.sampled_from(DAMAGES), min_size=1, max_size=2)):
        damage(draw, draw(st.sampled_from(list(root.iter("*")))))
    return etree.fromstring(etree.tostring(root), PARSER)


@given(damaged())
def test_tables_explain_exactly_what_the_schema_rejects(root):
    assert load_schema().validate(root) == (explained(root) == [])


def test_full_schema_checks_keys_and_references_too():
    root = etree.fromstring(document(edges='<edge from="a" to="zz"/>'))

    assert load_schema().validate(root)
    assert not load_schema(references=True).validate(root)
    assert load_schema(references=True).validate(ROOT)


def test_fault_of_an_address_has_its_value_and_place():
    text = document('<node id="a" type="subworkflow"><subworkflow href="http://[" /></node>')
    (finding,) = findings(text)

    assert ("HX-1001", "node 'a'", "http://[") == (finding.code, finding.near, finding.value)
    assert text.decode().index("<subworkflow") + 1 == finding.column
    assert finding.message.startswith("subworkflow/@href is 'http://[', expected brackets only")


def test_faults_of_all_addresses_are_found_beside_others():
    resource = (
        '<resource id="r" type="queue" uri="100%" x="1"><extension namespace="1:"/></resource>'
    )
    source = '<metadata><provenance><source uri="a#b#c"/></provenance></metadata>'
    child = '<node id="a" type="subworkflow"><subworkflow href=":"/></node>'
    before = f"{source}<resources>{resource}</resources>"

    assert ["a#b#c", "100%", "x", "1:", ":"] == [
        one.value for one in findings(document(child, before=before)) if one.severity == "error"
    ]


ADDRESSES = st.lists(
    st.sampled_from([
        *("a", "1", "é", " ", "/", "//", "?", "#", "]", "[::1]", "%", "%20", ":", "@", "urn:"),
        *("https:", "+", "-", ".", "..", "{", "|", "\\", "<", "&", "=", ";", "例"),
    ]),
    max_size=6,
).map("".join)  # fmt: skip
HREF = etree.fromstring(
    document('<node id="a" type="subworkflow"><subworkflow href="x"/></node>'), PARSER
)


@given(ADDRESSES)
def test_tables_refuse_no_address_that_libxml2_accepts(text):
    HREF[0][0][0].set("href", text)

    assert load_schema().validate(HREF) <= (explained(HREF) == [])


#: Attributes with a URI that libxml2 refuses, or accepts, and the tables otherwise.
LARGER = {
    "brackets in a query": '<resource id="r" type="queue" uri="s3://b/k?x=1&amp;y=[2]"/>',
    "port of letters": '<resource id="r" type="queue" uri="https://h:port/x"/>',
    "large port": '<resource id="r" type="queue" uri="https://h:99999999999/x"/>',
}


@pytest.mark.parametrize("resource", LARGER.values(), ids=LARGER)
@pytest.mark.parametrize("size", [0, 4000], ids=["small", "large"])
def test_address_that_libxml2_does_not_know_is_valid(resource, size):
    text = document(before=f"<resources>{resource}</resources>{'<!---->' * size}")

    assert [] == codes(text)


LONG = {
    "duration": '<node id="a" type="task"><timeout duration="PT9223372036854775808S"/></node>',
    "duration of days": f'<node id="a" type="task"><timeout duration="P{"9" * 40}D"/></node>',
    "fraction": f'<node id="a" type="task"><timeout duration="PT0.{"1" * 40}S"/></node>',
    "bound of a loop": '<node id="l" type="loop"><loop kind="times" count="1" maxIterations="'
    f'{"9" * 40}"><body ref="a"/></loop></node><node id="a" type="task"/>',
    "multiplier": '<node id="a" type="task"><retry maxAttempts="2" multiplier="1.'
    f'{"1" * 40}"/></node>',
}


@pytest.mark.parametrize("nodes", LONG.values(), ids=LONG)
def test_number_that_libxml2_does_not_hold_is_valid(nodes):
    assert [] == codes(document(nodes))


def test_year_that_libxml2_does_not_hold_is_valid():
    moment = f"{'9' * 30}-01-01T00:00:00Z"

    assert [] == codes(document(before=f"<metadata><created>{moment}</created></metadata>"))


XSI_NAMES = (
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xmlns:hx="https://harnessxml.com/spec/1.0" xmlns:v="urn:v"'
)


@pytest.mark.parametrize(
    "attribute",
    [
        *('xsi:type="v:tFormalExpression"', 'xsi:type="hx:Node"', 'xsi:type="zz"'),
        *('xsi:type="p:x"', 'xsi:nil="true"', 'xsi:nil="zz"', 'xsi:schemaLocation="a"'),
        *('xsi:other="1"', 'v:a="1"'),
    ],
)
@pytest.mark.parametrize("size", [0, 4000], ids=["small", "large"])
def test_foreign_element_says_of_itself_what_it_wants(attribute, size):
    inner = f"<v:x {attribute}><v:y {attribute}/></v:x>"
    text = document(
        f'<node id="a" type="task"><extension namespace="u">{inner}</extension></node>'
        f"{'<!---->' * size}",
        attributes=XSI_NAMES,
    )

    assert [] == codes(text)


def test_foreign_element_hides_no_fault():
    foreign = '<extension namespace="u"><v:x xsi:type="zz"/></extension>'
    text = document(
        f'<node id="a" type="task">{foreign}</node><node id="b" type="tusk"/>',
        attributes=XSI_NAMES,
    )

    assert ["HX-1003"] == [one.code for one in findings(text) if one.severity == "error"]


@pytest.mark.parametrize(
    ("attribute", "expected"),
    [
        ('xsi:schemaLocation="urn:x http://localhost:9/x.xsd"', []),
        ('xsi:noNamespaceSchemaLocation="x.xsd"', []),
        ('xsi:type="hx:Node"', []),
        ('xsi:type="hx:Edge"', ["hx:Edge"]),
        ('xsi:type="v:Node"', ["v:Node"]),
        ('xsi:type="p:Node"', ["p:Node"]),
        ('xsi:nil="false"', ["false"]),
        ('xsi:other="1"', ["1"]),
        ('hx:id="b"', ["{https://harnessxml.com/spec/1.0}id"]),
    ],
)
def test_attributes_of_the_schema_language(attribute, expected):
    text = document(f'<node id="a" type="task" {attribute}/>', attributes=XSI_NAMES)
    faulty = text.replace(b"</nodes>", b'<node id="z" type="tusk"/></nodes>')

    assert expected == [one.value for one in findings(text)]
    assert [*expected, "tusk"] == [one.value for one in findings(faulty)]


def test_types_that_elements_may_repeat_are_those_of_the_schema():
    tree = etree.parse(SCHEMA_FILE)
    elements = tree.iter("{http://www.w3.org/2001/XMLSchema}element")
    named = {one.get("name"): one.get("type", "") for one in elements}

    assert TYPE_NAMES == {
        name: own.removeprefix("hx:") for name, own in named.items() if own.startswith("hx:")
    }


def test_harness_in_foreign_content_is_checked():
    inner = f'<harness xmlns="{NAMESPACE}" id="i" specVersion="1.0"><nodes/></harness>'
    foreign = f'<v:x xmlns:v="urn:v"><v:y>{inner}</v:y></v:x>'
    text = document(
        f'<node id="a" type="task"><extension namespace="u">{foreign}</extension></node>'
    )

    assert ["HX-1102"] == codes(text)


def test_text_in_a_credential_is_not_shown():
    resource = '<resource id="r" type="service"><credential ref="a">hunter2</credential></resource>'
    (finding,) = findings(document(before=f"<resources>{resource}</resources>"))

    assert ("HX-1001", "…") == (finding.code, finding.value)
    assert "hunter2" not in finding.message


@pytest.mark.parametrize(
    "inner",
    [
        "<created>hunter2</created>",
        '<retry maxAttempts="hunter2"/>',
        "<description/>hunter2",
        "<x>hunter2</x>",
    ],
)
@pytest.mark.parametrize("name", ["credential", "Credential"])
def test_nothing_in_a_credential_is_shown(name, inner):
    resource = f'<resource id="r" type="service"><{name} ref="a">{inner}</{name}></resource>'
    found = findings(document(before=f"<resources>{resource}</resources>"))

    assert "error" in {one.severity for one in found}
    assert [] == [one for one in found if "hunter2" in f"{one.value}{one.message}"]


def test_blanks_in_a_credential_have_no_value():
    resource = '<resource id="r" type="service"><credential ref="a"> </credential></resource>'
    (finding,) = findings(document(before=f"<resources>{resource}</resources>"))

    assert ("HX-1001", "") == (finding.code, finding.value)


@pytest.mark.parametrize(
    ("inner", "message"),
    [
        ("<title/>", "description may not hold 'title', nor any other element."),
        ("<zz/>", "Version 1.0 has no element 'zz'; description may not hold any element."),
    ],
    ids=["known", "unknown"],
)  # fmt: skip
def test_message_about_an_element_that_holds_none(inner, message):
    text = document(f'<node id="a" type="task"><description>{inner}</description></node>')

    assert [message] == [one.message[: len(message)] for one in findings(text)]


def test_attribute_under_the_prefix_of_the_format():
    text = document('<node id="a" type="task" h:quorum="1"/>', attributes=f'xmlns:h="{NAMESPACE}"')
    (finding,) = findings(text)

    assert "node carries the attribute 'quorum' under a prefix" in finding.message


def test_accepted_document_costs_no_explanation(monkeypatch):
    root = etree.fromstring(document())
    monkeypatch.setattr("reference_runtime.document.schema.explain", None)

    assert check_schema(root, Source(document(), root), Advice()) == ()


NODE = '<node id="a" type="task">{}</node>'
WRONG = {
    "missing id": (document('<node type="task"/>'), ["HX-1001"]),
    "missing node type": (document('<node id="a"/>'), ["HX-1001"]),
    "identifier": (document('<node id="1a" type="task"/>'), ["HX-1001"]),
    "order of sections": (
        document().replace(b"<edges></edges>", b"").replace(b"<nodes>", b"<edges/><nodes>"),
        ["HX-1001"],
    ),
    "order in a node": (
        document(NODE.format('<guard when="${true}"/><outputs><output name="o"/></outputs>')),
        ["HX-1001"],
    ),
    "second section": (document(after="<edges/>"), ["HX-1001"]),
    "element in the wrong parent": (document(NODE.format('<case when="" to="a"/>')), ["HX-1001"]),
    "text": (document(NODE.format("hello")), ["HX-1001"]),
    "missing maxIterations": (
        document(
            '<node id="l" type="loop"><loop kind="times" count="1"><body ref="a"/></loop></node>'
            '<node id="a" type="task"/>'
        ),
        ["HX-1001"],
    ),
    "attempts": (document(NODE.format('<retry maxAttempts="1001"/>')), ["HX-1001"]),
    "edge type": (document(edges='<edge from="a" to="a" type="signal"/>', attributes='entry="a"'),
                  ["HX-1001"]),
    "join policy": (document('<node id="a" type="task" joinPolicy="most"/>'), ["HX-1001"]),
    "node type": (document('<node id="a" type="tsk"/>'), ["HX-1003"]),
    "unknown attribute": (document('<node id="a" type="task" pririty="1"/>'), ["HX-1003"]),
    "known attribute elsewhere": (document(attributes='quorum="1"'), ["HX-1003"]),
    "unknown element": (document(NODE.format('<gard when="${true}"/>')), ["HX-1003"]),
    "unknown element in place of a required one": (
        document('<nod id="a" type="task"/>'),
        ["HX-1003"],
    ),
    "foreign attribute": (
        document('<node id="a" type="task" xmlns:v="urn:v" v:x="1"/>'),
        ["HX-1001"],
    ),
    "foreign element": (document(NODE.format('<x xmlns="urn:x"/>')), ["HX-1006"]),
    "element without namespace": (document(NODE.format('<x xmlns=""/>')), ["HX-1006"]),
    "core element in an extension": (
        document(NODE.format('<extension namespace="u"><node id="b" type="task"/></extension>')),
        ["HX-1001"],
    ),
    "no version": (document().replace(b' specVersion="1.0"', b""), ["HX-1002"]),
    "other major": (document().replace(b'"1.0"', b'"2.0"'), ["HX-1002"]),
    "malformed version": (document().replace(b'"1.0"', b'"1"'), ["HX-1002"]),
    "newer minor with an unknown attribute": (
        document('<node id="a" type="task" shiny="1"/>').replace(b'"1.0"', b'"1.9"'),
        ["HX-1003"],
    ),
    "version of a child document": (
        document(
            '<node id="a" type="subworkflow"><subworkflow href="x" specVersion="2.0"/></node>'
        ),
        ["HX-1001"],
    ),
    "empty nodes": (document(""), ["HX-1102"]),
    "no nodes": (document("").replace(b"<nodes></nodes>", b""), ["HX-1102"]),
    "empty cases": (
        document('<node id="a" type="decision"><cases><otherwise to="b"/></cases></node>'
                 '<node id="b" type="task"/>'),
        ["HX-2206"],
    ),
    "calendar duration": (document(NODE.format('<timeout duration="P1M"/>')), ["HX-3401"]),
    "other duration": (document(NODE.format('<timeout duration="PT"/>')), ["HX-1001"]),
    "empty resources": (document(before="<resources/>"), ["HX-1001"]),
    "classification": (document(before='<security classification="secret"/>'), ["HX-1001"]),
    "time": (document(before="<metadata><created>now</created></metadata>"), ["HX-1001"]),
    "metadata twice": (
        document(before="<metadata><title/><title/></metadata>"),
        ["HX-1001"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), WRONG.values(), ids=WRONG)
def test_schema_fault_has_exactly_its_code(text, expected):
    assert expected == codes(text)


RIGHT = {
    "minutes are no months": document(NODE.format('<timeout duration="PT1M"/>')),
    "newer minor": document().replace(b'"1.0"', b'"1.9"'),
    "no edges section": document().replace(b"<edges></edges>", b""),
    "metadata in any order": document(before="<metadata><title/><author/></metadata>").replace(
        b"<title/><author/>", b"<author/><title/>"
    ),
    "most attempts": document(NODE.format('<retry maxAttempts="1000"/>')),
    "longest id": document(f'<node id="{"x" * 255}" type="task"/>'),
    "ids that differ in case": document('<node id="a" type="task"/><node id="A" type="task"/>'),
    "task without impl": document(),
}


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_neighbour_is_valid(text):
    assert [] == [one.code for one in findings(text) if one.severity == "error"]


def test_messages_name_the_close_word_and_end_with_advice():
    text = document(NODE.format('<gard when="${true}"/>'), attributes='nam="x"')
    messages = [finding.message for finding in findings(text)]

    assert ["Did you mean 'name'?", "Did you mean 'guard'?"] == [
        message[message.index("Did") :].removesuffix(" Correct or remove it.")
        for message in messages
    ]


def test_all_faults_are_found_in_one_pass():
    text = document(
        '<node id="a" type="tsk" x="1"><timeout duration="P1Y"/></node>',
        '<edge from="a" to="zz"/>',
        attributes='entry="yy"',
    ).replace(b'"1.0"', b'"2.0"')

    assert sorted(["HX-1002", "HX-1003", "HX-1003", "HX-3401", "HX-2001", "HX-2001"]) == sorted(
        codes(text)
    )


def test_blanks_around_a_time_are_dropped():
    times = "<metadata><created>\n 2026-08-04T09:00:00Z </created></metadata>"

    assert [] == codes(document(before=times))


@pytest.mark.parametrize("size", [0, 4000], ids=["small", "large"])
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('<node id="a" type="task"/>', []),
        ('<node id="a" type="task"><extension namespace="u"><b xmlns="u"/></extension></node>', []),
        ('<node id="a" type="tusk"/>', ["HX-1003"]),
        ('<node id="a" type="task"><retry maxAttempts="0"/></node>', ["HX-1001"]),
        ('<node id="a" type="subworkflow"><subworkflow href="http://["/></node>', ["HX-1001"]),
    ],
    ids=["plain", "relative namespace", "unknown type", "bad number", "bad URI"],
)
def test_size_changes_no_verdict(content, expected, size):
    assert expected == codes(document(f"{content}{'<!---->' * size}"))


def test_fault_of_an_address_has_its_place_in_a_large_document():
    tasks = "".join(f'<node id="n{n}" type="task"/>\n' for n in range(4000))
    child = '<node id="c" type="subworkflow"><subworkflow href="http://["/></node>'
    (finding,) = findings(document(f"{tasks}{child}"))

    assert ("HX-1001", 4001, "node 'c'") == (finding.code, finding.line, finding.near)


def test_many_faults_among_many_siblings_are_found_in_linear_time():
    def seconds(number):
        tasks = "".join(f'<node id="n{n}" type="tusk"/>' for n in range(number))
        before = time.process_time()
        found = codes(document(tasks))
        return time.process_time() - before, found

    small, large = seconds(5000), seconds(40_000)

    assert ["HX-1003"] * 1000 == large[1]
    assert large[0] < 30 * small[0]


def test_many_attributes_are_read_in_linear_time():
    def seconds(number):
        attributes = " ".join(f'a{n}=""' for n in range(number))
        before = time.process_time()
        found = codes(document(f'<node id="a" type="task" {attributes}/>'))
        return time.process_time() - before, found

    small, large = seconds(5000), seconds(40_000)

    assert ["HX-1003"] * 1000 == large[1]
    assert large[0] < 30 * small[0]


def test_texts_of_many_pieces_are_read_in_linear_time():
    def seconds(number):
        text = f"<description>{'x&lt;' * number}</description>{'<!---->' * 4000}"
        before = time.process_time()
        found = codes(document(f'<node id="a" type="task">{text}</node>'))
        return time.process_time() - before, found

    small, large = seconds(150_000), seconds(1_200_000)

    assert [] == large[1]
    assert large[0] < 30 * small[0]
