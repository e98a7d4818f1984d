"""Elements that belong to one node type."""

import pytest

from tests.strategies_documents import codes, document, findings

PARTS = {
    "decision": ("HX-2201", '<cases><case when="${true}" to="t"/></cases>'),
    "loop": (
        "HX-2202",
        '<loop kind="times" count="1" maxIterations="1"><body ref="t"/></loop>',
    ),
    "subworkflow": ("HX-2203", '<subworkflow href="urn:x"/>'),
    "wait": ("HX-2204", '<wait event="e"/>'),
}
OTHERS = ("task", "transform", "parallel", "barrier", "source", "sink", "human")
TARGET = '<node id="t" type="task"/>'


def node(node_type, content):
    """A document with one node of that type beside a target."""
    return document(f'<node id="n" type="{node_type}">{content}</node>{TARGET}')


@pytest.mark.parametrize("node_type", PARTS)
def test_own_element(node_type):
    code, part = PARTS[node_type]

    assert codes(node(node_type, part)) == []
    assert codes(node(node_type, "")) == [code]


@pytest.mark.parametrize("node_type", PARTS)
@pytest.mark.parametrize("other", OTHERS)
def test_element_of_another_type(node_type, other):
    code, part = PARTS[node_type]

    assert codes(node(other, part)) == [code]


def test_one_for_the_other_is_two_faults():
    assert sorted(codes(node("loop", PARTS["wait"][1]))) == ["HX-2202", "HX-2204"]


def test_unknown_type_is_one_fault():
    assert codes(node("lop", PARTS["loop"][1])) == ["HX-1003"]


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ('duration="PT1S"', []),
        ('until="${true}"', []),
        ('event="e"', []),
        ("", ["HX-2205"]),
        ('duration="PT1S" event="e"', ["HX-2205"]),
        ('duration="PT0S" until="${true}" event=""', ["HX-2205"]),
        ('duration="soon"', ["HX-1001"]),
    ],
)
def test_wait_names_exactly_one_thing(attributes, expected):
    assert expected == codes(node("wait", f"<wait {attributes}/>"))


LOOP = '<loop kind="{}" {} maxIterations="3"><body ref="t"/></loop>'


@pytest.mark.parametrize(
    ("kind", "attributes", "expected"),
    [
        ("forEach", 'over="${[1]}"', []),
        ("forEach", "", ["HX-2207"]),
        ("forEach", 'count="1"', ["HX-2207"]),
        ("while", 'while="${true}"', []),
        ("while", "", ["HX-2207"]),
        ("until", 'while="${true}"', []),
        ("until", 'over="${[1]}"', ["HX-2207"]),
        ("times", 'count="3"', []),
        ("times", "", ["HX-2207"]),
        ("times", 'count="4"', ["HX-2208"]),
        ("times", 'count="0"', ["HX-1001"]),
        ("forEach", 'over="${[1]}" count="9"', []),
        ("foreach", 'over="${[1]}"', ["HX-1001"]),
    ],
)
def test_loop_kind(kind, attributes, expected):
    assert expected == codes(node("loop", LOOP.format(kind, attributes)))


MODELS = '<resources><resource id="m" type="model"/><resource id="q" type="queue"/></resources>'


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('<resourceRef ref="m"/>', []),
        ('<resourceRef ref="q"/><resourceRef ref="m"/>', []),
        ('<resourceRef ref="q"/>', ["HX-2501"]),
        ('<resourceRef ref="q" role="model"/>', ["HX-2501"]),
        ("", ["HX-2501"]),
        ('<resourceRef ref="zz"/>', ["HX-2002"]),
    ],
)
def test_inference_uses_a_model(content, expected):
    text = document(f'<node id="n" type="inference">{content}</node>', before=MODELS)

    assert expected == codes(text)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ('maxIterations="1"', ["HX-1001"]),
        ('kind="for" maxIterations="1"', ["HX-1001"]),
        ('kind="times" count="3"', ["HX-1001"]),
        ('kind="times" count="3" maxIterations="none"', ["HX-1001"]),
        (f'kind="times" count="3" maxIterations="{"9" * 40}"', []),
        (f'kind="times" count="{"9" * 40}" maxIterations="{"9" * 39}"', ["HX-2208"]),
        (f'kind="times" count="{"9" * 40}" maxIterations="{"9" * 40}"', []),
    ],
    ids=["no kind", "kind", "no bound", "bound", "large bound", "large count", "equal"],
)
def test_wrong_attribute_of_a_loop_is_one_fault(attributes, expected):
    assert expected == codes(node("loop", f'<loop {attributes}><body ref="t"/></loop>'))


def test_first_of_two_resources_of_one_id_counts():
    twice = '<resource id="r" type="model"/><resource id="r" type="queue"/>'
    inference = '<node id="n" type="inference"><resourceRef ref="r"/></node>'

    assert ["HX-1101"] == codes(document(inference, before=f"<resources>{twice}</resources>"))


def test_endless_count_is_shown_shortened():
    loop = f'<loop kind="times" count="{"9" * 900}" maxIterations="2"><body ref="t"/></loop>'
    (finding,) = findings(node("loop", loop))

    assert "HX-2208" == finding.code
    assert f"counts {'9' * 120}…, above maxIterations 2." in finding.message
