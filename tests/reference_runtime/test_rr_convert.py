"""Every element and attribute reaches the model; faulty ones read as defaults."""

from reference_runtime.document.model import (
    Artifact,
    ArtifactRef,
    Case,
    Credential,
    Decision,
    Edge,
    Extension,
    Loop,
    Permission,
    Port,
    Property,
    Resource,
    ResourceRef,
    Retry,
    Security,
    Subworkflow,
    Timeout,
    Wait,
)
from reference_runtime.document.parser import parse
from tests.strategies_documents import RICH, document


def read(text):
    """The harness of a document with its lines taken away."""
    harness = parse(text).harness

    assert harness is not None
    return harness


def flat(value):
    """A model value without lines, for comparison."""
    if isinstance(value, tuple):
        return tuple(flat(item) for item in value)
    if not hasattr(value, "__slots__"):
        return value
    fields = {name: flat(getattr(value, name)) for name in value.__slots__ if name != "line"}
    return (type(value).__name__, fields)


RICH_HARNESS = read(RICH.encode())
EXTENSION = Extension("urn:v")


def test_document_attributes():
    harness = RICH_HARNESS

    assert ("rich", "1.0", "Rich", "a") == (
        harness.id,
        harness.spec_version,
        harness.name,
        harness.entry,
    )
    assert ["a", "d", "l", "s", "w", "u"] == [node.id for node in harness.nodes]
    assert harness.nodes[0] is harness.node_by_id["a"]


def test_document_sections():
    expected = (
        Security("p", "internal", "process", (Permission("read", "r"),)),
        (
            Resource(
                "m",
                "model",
                "M",
                "p",
                "urn:m",
                (Property("k", "v"),),
                Credential("KEY", "vault"),
                (EXTENSION,),
            ),
        ),
        (
            Artifact(
                "f",
                "document",
                "F",
                "urn:f",
                "text/plain",
                "sha256:1",
                "public",
                (Property("k", "v"),),
                (EXTENSION,),
            ),
        ),
        (EXTENSION,),
    )
    harness = RICH_HARNESS
    actual = (harness.security, harness.resources, harness.artifacts, harness.extensions)

    assert flat(expected) == flat(actual)


def test_node_with_everything():
    node = RICH_HARNESS.nodes[0]
    expected = (
        (Port("i", "number", required=False, default="1"), Port("j", value="${1 + 1}")),
        (Port("o", "array<number>"),),
        (Property("c", "7"),),
        (ResourceRef("m", "model"),),
        (ArtifactRef("f", "inout"),),
        "${true}",
        Retry(3, "linear", 0.5, 90061.0, 1.5, jitter=False, retry_on=("timeout", "transient")),
        Timeout(10.0, "retry"),
        Security("q"),
        (EXTENSION,),
    )
    actual = (
        node.inputs,
        node.outputs,
        node.config,
        node.resource_refs,
        node.artifact_refs,
        node.guard,
        node.retry,
        node.timeout,
        node.security,
        node.extensions,
    )

    assert flat(expected) == flat(actual)
    assert ("inference", "A", "x", True, "any", 2) == (
        node.type,
        node.name,
        node.impl,
        node.idempotent,
        node.join_policy,
        node.quorum,
    )


def test_type_specific_elements():
    decision, loop, subworkflow, wait, undo = RICH_HARNESS.nodes[1:]
    expected = (
        Decision((Case("l", "${a.o == null}"), Case("s"))),
        Loop("forEach", "w", 5, "${a.o}", "e", "n", "${true}", 4, 2, "break"),
        Subworkflow("urn:child", "sha256:2", "1.1"),
        Wait(event="go"),
        "a",
    )
    actual = (
        decision.decision,
        loop.loop,
        subworkflow.subworkflow,
        wait.wait,
        undo.compensates,
    )

    assert flat(expected) == flat(actual)


def test_edges():
    expected = (
        Edge("a", "d", "control", "e1", condition="${true}", extensions=(EXTENSION,)),
        Edge("a", "u", "compensation"),
        Edge("s", "a", "error"),
    )

    assert flat(expected) == flat(RICH_HARNESS.edges)


def test_defaults_of_a_bare_document():
    node, edge = (
        read(document(edges='<edge from="a" to="a"/>')).nodes[0],
        read(document(edges='<edge from="a" to="a"/>')).edges[0],
    )

    assert (True, "all", None, (), None) == (
        node.idempotent,
        node.join_policy,
        node.quorum,
        node.inputs,
        node.retry,
    )
    assert ("control", None, None) == (edge.type, edge.from_port, edge.condition)


def test_defaults_of_policies():
    node = read(
        document(
            '<node id="a" type="loop"><retry maxAttempts="2"/><loop kind="times" count="1" '
            'maxIterations="1"><body ref="b"/></loop></node>'
        )
    ).nodes[0]

    assert flat(Retry(2, "exponential", 1.0, None, 2.0, jitter=True, retry_on=None)) == flat(
        node.retry
    )
    assert flat(Loop("times", "b", 1, None, "item", "index", None, 1, 1, "fail")) == flat(node.loop)


def test_faulty_values_read_as_defaults_and_keep_the_rest():
    parsed = parse(
        document(
            '<node type="tsk" idempotent="maybe" quorum="-1"><retry maxAttempts="no" jitter="2"/>'
            '</node><node id="b" type="task"/>'
        )
    )

    assert parsed.harness is not None
    first, second = parsed.harness.nodes
    assert ("", "tsk", True, 0) == (first.id, first.type, first.idempotent, first.quorum)
    assert flat(Retry(1)) == flat(first.retry)
    assert second.id == "b"


def test_empty_retry_on_is_not_an_absent_one():
    node = read(document('<node id="a" type="task"><retry maxAttempts="2" retryOn=""/></node>'))

    assert node.nodes[0].retry is not None
    assert node.nodes[0].retry.retry_on == ()
