import pytest

from reference_runtime.validation import validate
from suite.corpus.facts_reader import read_facts
from suite.corpus.plan import Answer, IdlePoint, Plan
from suite.fuzz.areas import AREAS
from suite.fuzz.model import Case, Edge, Example, Model, Node, Schedule
from suite.fuzz.render import render_document, render_plan
from tests.fuzz_simulator import draw, seeded

SMALL = Model(
    (
        Node(flag=False),
        Node(kind="decision", cases=(Case(2, "flag", 0), Case(3, "otherwise"))),
        Node(attempts=2, failures=1, excluded=True),
        Node(join="quorum", quorum=1, guard="false", idempotent=False),
    ),
    (
        Edge(0, 1),
        Edge(1, 2),
        Edge(1, 3),
        Edge(0, 3, "data", "flag", "default"),
        Edge(2, 3, "error"),
    ),
    entry=True,
)

DOCUMENT = """\
<?xml version="1.0" encoding="UTF-8"?>
<harness xmlns="https://harnessxml.com/spec/1.0" id="fuzz" specVersion="1.0" entry="n0">
  <nodes>
    <node id="n0" type="task" impl="step">
      <outputs>
        <output name="flag" type="boolean"/>
        <output name="value"/>
      </outputs>
    </node>
    <node id="n1" type="decision">
      <cases>
        <case when="${n0.flag}" to="n2"/>
        <otherwise to="n3"/>
      </cases>
    </node>
    <node id="n2" type="task" impl="step">
      <retry maxAttempts="2" backoff="fixed" initialDelay="PT0.01S" jitter="false" \
retryOn="unavailable"/>
    </node>
    <node id="n3" type="task" impl="step" idempotent="false" joinPolicy="quorum" quorum="1">
      <inputs>
        <input name="in1" default="none"/>
      </inputs>
      <guard when="${false}"/>
    </node>
  </nodes>
  <edges>
    <edge id="e0" from="n0" to="n1"/>
    <edge id="e1" from="n1" to="n2"/>
    <edge id="e2" from="n1" to="n3"/>
    <edge id="e3" from="n0" to="n3" type="data" fromPort="value" toPort="in1" \
condition="${n0.flag}"/>
    <edge id="e4" from="n2" to="n3" type="error"/>
  </edges>
</harness>
"""


def test_document_says_what_the_model_says():
    document = render_document(SMALL)

    assert DOCUMENT == document.decode()


def test_plan_says_what_the_steps_answer_and_when():
    plan = render_plan(Example(SMALL, Schedule((3, 2, 1, 0), ("idle", "now", 7, "now"))))
    outputs = {"flag": False, "value": "value of 0"}

    assert plan == Plan(
        answers=(
            Answer(node="n3", result="ok"),
            Answer(node="n2", result="fail", error_class="transient", after=0.007),
            Answer(node="n0", result="ok", outputs=outputs, hold=IdlePoint()),
        )
    )


def test_attempts_that_fail_first_are_planned_one_by_one():
    model = Model((Node(attempts=3, failures=2),))
    plan = render_plan(Example(model, Schedule((0,), ("now",))))

    assert [("n0@1", "fail"), ("n0@2", "fail"), ("n0", "ok")] == [
        (answer.node, answer.result) for answer in plan.answers
    ]


@pytest.mark.parametrize("name", AREAS)
def test_rendered_documents_are_valid_for_both_readers(name):
    rng = seeded(37)
    for _ in range(150):
        model = draw(rng, name).model
        document = render_document(model)
        errors = [f for f in validate(document).findings if f.severity == "error"]

        assert errors == []
        assert len(read_facts(document).nodes) == len(model.nodes)
