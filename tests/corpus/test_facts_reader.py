import pytest

from comparator.facts import Decision, Edge, Facts, Loop, Node
from suite.corpus.facts_reader import MAX_BYTES, FactsError, read_facts
from tests.corpus_builder import document


def facts_of(nodes: str, edges: str = "", attributes: str = "") -> Facts:
    return read_facts(document(nodes, edges, attributes).encode())


def test_defaults_are_those_of_the_schema():
    facts = facts_of('<node id="a" type="task"/>')

    assert Facts("h", {"a": Node("a", "task", line=3)}) == facts


def test_declarations_that_bear_on_a_verdict_are_read():
    facts = facts_of(
        '<node id="a" type="task" idempotent="0" joinPolicy="quorum" quorum="2">'
        '<guard when="${ false }"/><retry maxAttempts="3" retryOn="transient rate_limit"/>'
        '<timeout duration="PT1H" onTimeout="skip"/></node>',
        attributes='entry="a"',
    )

    assert facts.entry == "a"
    assert facts.nodes["a"] == Node(
        id="a",
        type="task",
        idempotent=False,
        join="quorum",
        quorum=2,
        guard="false",
        max_attempts=3,
        retry_on=("transient", "rate_limit"),
        on_timeout="skip",
        line=3,
    )


def test_timeout_without_attribute_fails():
    facts = facts_of('<node id="a" type="task"><timeout duration="PT1H"/></node>')

    assert facts.nodes["a"].on_timeout == "fail"


def test_edges_keep_their_place_and_types():
    facts = facts_of(
        '<node id="a" type="task"/><node id="b" type="task"/>',
        '<edge from="a" to="b" condition="${true}"/>'
        '<edge from="a" to="b" type="data" fromPort="x" toPort="y"/>'
        '<edge from="a" to="b" type="error" condition="${a.x == 1}"/>',
    )

    assert facts.edges == (
        Edge(0, "a", "b", condition="true"),
        Edge(1, "a", "b", "data", from_port="x", to_port="y"),
        Edge(2, "a", "b", "error", condition="dynamic"),
    )


@pytest.mark.parametrize(
    ("text", "constant"),
    [
        pytest.param("${true}", "true", id="true"),
        pytest.param(" ${ false } ", "false", id="false-with-blanks"),
        pytest.param("true", "dynamic", id="a-string"),
        pytest.param("${!true}", "dynamic", id="an-operation"),
        pytest.param("${true}${true}", "dynamic", id="two-parts"),
    ],
)
def test_only_a_lone_literal_is_constant(text, constant):
    facts = facts_of(f'<node id="a" type="task"><guard when="{text}"/></node>')

    assert constant == facts.nodes["a"].guard


@pytest.mark.parametrize(
    ("attributes", "starving"),
    [
        pytest.param("", ("y",), id="required"),
        pytest.param('required="false"', (), id="optional"),
        pytest.param('default="1"', (), id="default"),
        pytest.param('value="1"', (), id="value"),
    ],
)
def test_an_input_starves_when_only_a_data_edge_feeds_it(attributes, starving):
    facts = facts_of(
        '<node id="a" type="task"/><node id="b" type="task"><inputs>'
        f'<input name="y" {attributes}/><input name="z"/></inputs></node>',
        '<edge from="a" to="b" type="data" fromPort="x" toPort="y"/>',
    )

    assert starving == facts.nodes["b"].starving


def test_decision_targets_are_in_document_order_and_otherwise_is_last():
    facts = facts_of(
        '<node id="d" type="decision"><cases><case when="${false}" to="c"/>'
        '<case when="${true}" to="a"/><case when="${true}" to="c"/><otherwise to="b"/>'
        "</cases></node>"
    )

    assert facts.nodes["d"].decision == Decision(("c", "a", "b"))


def test_loops_are_read_with_their_defaults():
    facts = facts_of(
        '<node id="l" type="loop"><loop kind="times" count="3" maxIterations="5">'
        '<body ref="w"/></loop></node>'
    )

    assert facts.nodes["l"].loop == Loop("w", "times", 5)


def test_elements_of_other_vocabularies_are_not_read():
    facts = facts_of(
        '<node id="a" type="task"><extension namespace="urn:x"><x:retry xmlns:x="urn:x" '
        'maxAttempts="9"/></extension></node>'
    )

    assert facts.nodes["a"].max_attempts == 1


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        pytest.param(b"<harness", "well-formed", id="torn"),
        pytest.param(b"", "well-formed", id="empty"),
        pytest.param(b"<harness/>", "expected the root", id="other-namespace"),
        pytest.param(
            b'<!DOCTYPE harness [<!ENTITY e "x">]><harness>&e;</harness>',
            "no document type",
            id="entities",
        ),
        pytest.param(
            b'<!DOCTYPE harness SYSTEM "http://localhost:1/x.dtd"><harness/>',
            "no document type",
            id="external-subset",
        ),
        pytest.param(b" " * (MAX_BYTES + 1), "at most", id="too-large"),
        pytest.param(b"<a>" * 5000 + b"</a>" * 5000, "well-formed", id="too-deep"),
    ],
)
def test_unsafe_or_broken_documents_are_refused(data, sentence):
    with pytest.raises(FactsError, match=sentence):
        read_facts(data)


def test_entities_of_a_document_type_are_not_fetched(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("top secret")
    data = f'<!DOCTYPE h [<!ENTITY e SYSTEM "{secret.as_uri()}">]><h>&e;</h>'
    with pytest.raises(FactsError) as caught:
        read_facts(data.encode())

    assert "top secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("nodes", "sentence"),
    [
        pytest.param(
            '<node id="a" type="task" quorum="two"/>', "quorum: expected a number", id="n"
        ),
        pytest.param('<node id="a" type="task" joinPolicy="most"/>', "one of all, any", id="word"),
        pytest.param('<node id="a" type="task" idempotent="yes"/>', "a boolean", id="flag"),
    ],
)
def test_attributes_without_sense_are_refused(nodes, sentence):
    with pytest.raises(FactsError, match=sentence):
        facts_of(nodes)
