import pytest

from reference_runtime.validation import validate
from suite.corpus.facts_reader import read_facts
from suite.corpus.plan import Answer, IdlePoint, Plan, Point
from suite.fuzz.areas import AREAS
from suite.fuzz.model import Case, Edge, Example, Loop, Model, Node, Schedule, all_ids
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
        assert set(read_facts(document).nodes) == set(all_ids(model))


LOOPED = Model(
    (
        Node(attempts=3, backoff="linear", delay=1500, factor=3, cap=2000),
        Node(
            kind="loop",
            loop=Loop(
                Model((Node(failures=1), Node()), (Edge(0, 1, "error"),)),
                fates=("ok", "fail", "skip"),
                limit=3,
                policy="break",
                concurrency=2,
                waits=("now", "idle"),
                named=True,
            ),
        ),
        Node(),
    ),
    (Edge(0, 1), Edge(0, 2, "compensation", "false")),
    entry=True,
)

LOOPED_DOCUMENT = """\
<?xml version="1.0" encoding="UTF-8"?>
<harness xmlns="https://harnessxml.com/spec/1.0" id="fuzz" specVersion="1.0" entry="n0">
  <nodes>
    <node id="n0" type="task" impl="step">
      <retry maxAttempts="3" backoff="linear" initialDelay="PT1.5S" jitter="false" \
multiplier="3" maxDelay="PT2S"/>
    </node>
    <node id="n1" type="loop">
      <loop kind="forEach" over="${[true, true, false]}" maxIterations="3" var="entry" \
indexVar="place" maxConcurrency="2" onItemFailure="break">
        <body ref="n1n0"/>
      </loop>
    </node>
    <node id="n1n0" type="task" impl="step">
      <guard when="${entry}"/>
    </node>
    <node id="n1n1" type="task" impl="step"/>
    <node id="n2" type="task" impl="step"/>
  </nodes>
  <edges>
    <edge id="e0" from="n0" to="n1"/>
    <edge id="e1" from="n0" to="n2" type="compensation" condition="${false}"/>
    <edge id="e2" from="n1n0" to="n1n1" type="error"/>
  </edges>
</harness>
"""


def test_loops_delays_and_undos_are_written_out():
    assert LOOPED_DOCUMENT == render_document(LOOPED).decode()


def test_iterations_are_answered_by_address():
    schedule = Schedule((0, 1, 2), ("now",) * 3)
    answers = render_plan(Example(LOOPED, schedule)).answers

    assert (
        Answer(node="n0", result="ok"),
        Answer(node="n1n0[1]", result="fail", error_class="transient", hold=IdlePoint()),
        Answer(node="n1n1[1]", result="ok", hold=IdlePoint()),
        Answer(node="n2", result="ok"),
    ) == answers


def test_counted_iterations_are_told_apart_by_their_index():
    node = Node(
        kind="loop", loop=Loop(Model((Node(),)), kind="times", fates=("skip", "ok", "skip"))
    )
    text = render_document(Model((Node(), node), (Edge(0, 1),), entry=True)).decode()

    assert '<loop kind="times" count="3"' in text
    assert '<guard when="${index != 0 and index != 2}"/>' in text


@pytest.mark.parametrize(
    ("cancel", "expected"),
    [(None, None), ((0, "FAILED"), Point("n0", "FAILED"))],
)
def test_cancel_is_part_of_the_plan(cancel, expected):
    example = Example(Model((Node(),)), Schedule((0,), ("now",), cancel))

    assert expected == render_plan(example).cancel
