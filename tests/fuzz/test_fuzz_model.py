import pytest

from suite.fuzz.model import Case, Edge, Model, Node, outputs_read, problems

TASK = Node()


def decision(*cases, **settings):
    return Node(kind="decision", cases=cases, **settings)


SOUND = {
    "one-node": Model((TASK,)),
    "two-roots": Model((TASK, TASK, Node(join="any")), (Edge(0, 2), Edge(1, 2))),
    "routes": Model(
        (TASK, decision(Case(2, "flag", 0), Case(3, "otherwise")), TASK, TASK),
        (Edge(0, 1), Edge(1, 2), Edge(1, 3)),
        entry=True,
    ),
}

FAULTY = {
    "backwards": (Model((TASK, TASK), (Edge(1, 0),)), "goes backwards"),
    "twice": (Model((TASK, TASK), (Edge(0, 1), Edge(0, 1))), "A41"),
    "data-from-barrier": (
        Model((Node(kind="barrier"), TASK), (Edge(0, 1, "data"),)),
        "without outputs",
    ),
    "starving-any": (
        Model((TASK, Node(join="any")), (Edge(0, 1, "data", feeds="starving"),)),
        "A58",
    ),
    "starving-retry": (
        Model((TASK, Node(attempts=2)), (Edge(0, 1, "data", feeds="starving"),)),
        "A13",
    ),
    "condition-on-error": (Model((TASK, TASK), (Edge(0, 1, "error", "true"),)), "A86"),
    "flag-of-skipped": (
        Model((Node(guard="false"), TASK), (Edge(0, 1, condition="flag"),)),
        "A40",
    ),
    "flag-of-failing": (Model((Node(failures=1), TASK), (Edge(0, 1, condition="flag"),)), "A40"),
    "flag-of-starving": (
        Model(
            (TASK, TASK, TASK),
            (Edge(0, 1, "data", feeds="starving"), Edge(1, 2, condition="flag")),
        ),
        "A40",
    ),
    "no-entry": (Model((decision(Case(1)), TASK), (Edge(0, 1),)), "A66"),
    "second-root": (
        Model((decision(Case(1)), TASK, TASK), (Edge(0, 1),), entry=True),
        "second root",
    ),
    "otherwise-alone": (
        Model((decision(Case(1, "otherwise")), TASK), (Edge(0, 1),), entry=True),
        "HX-2206",
    ),
    "otherwise-first": (
        Model(
            (decision(Case(1, "otherwise"), Case(2)), TASK, TASK),
            (Edge(0, 1), Edge(0, 2)),
            entry=True,
        ),
        "otherwise is not last",
    ),
    "case-without-edge": (
        Model((decision(Case(1)), TASK), (Edge(0, 1, "dependency"),), entry=True),
        "second edge from a decision",
    ),
    "case-without-any-edge": (
        Model((TASK, decision(Case(2)), TASK), (Edge(0, 1), Edge(0, 2)), entry=True),
        "no single route",
    ),
    "control-past-cases": (
        Model((decision(Case(1)), TASK, TASK), (Edge(0, 1), Edge(0, 2)), entry=True),
        "A74",
    ),
    "conditional-route": (
        Model((decision(Case(1)), TASK), (Edge(0, 1, condition="true"),), entry=True),
        "A78",
    ),
    "skipped-decision": (
        Model((decision(Case(1), guard="false"), TASK), (Edge(0, 1),), entry=True),
        "A73",
    ),
    "target-with-any": (
        Model(
            (TASK, decision(Case(2)), Node(join="any")),
            (Edge(0, 1), Edge(1, 2), Edge(0, 2)),
            entry=True,
        ),
        "A69",
    ),
    "case-reads-nothing": (
        Model(
            (Node(guard="false"), decision(Case(2, "flag", 0)), TASK),
            (Edge(0, 1), Edge(1, 2)),
            entry=True,
        ),
        "missing output",
    ),
    "error-into-target": (
        Model((TASK, decision(Case(2)), TASK), (Edge(0, 1), Edge(1, 2), Edge(0, 2, "error"))),
        "error edge into a case target",
    ),
    "quorum-above-edges": (
        Model((TASK, Node(join="quorum", quorum=2)), (Edge(0, 1),)),
        "quorum 2 of 1",
    ),
    "any-on-root": (Model((Node(join="any"),)), "A62"),
    "failing-barrier": (Model((Node(kind="barrier", failures=1),)), "without a step"),
    "retry-non-idempotent": (Model((Node(idempotent=False, attempts=2),)), "HX-3301"),
    "classes-without-policy": (Model((Node(excluded=True),)), "retry policy"),
    "cases-on-task": (Model((Node(cases=(Case(1),)), TASK), (Edge(0, 1),)), "wrong kind"),
}


@pytest.mark.parametrize("model", SOUND.values(), ids=SOUND)
def test_sound_model_has_no_problems(model):
    found = problems(model)

    assert found == []


@pytest.mark.parametrize(("model", "words"), FAULTY.values(), ids=FAULTY)
def test_fault_is_named(model, words):
    found = problems(model)

    assert any(words in text for text in found), found


def test_outputs_read_names_values_and_flags():
    model = SOUND["routes"]
    more = Model(model.nodes, (*model.edges, Edge(2, 3, "data")), entry=True)

    assert outputs_read(more) == {(0, "flag"), (2, "value")}


@pytest.mark.parametrize(
    ("node", "expected"),
    [(Node(), 1), (Node(attempts=3), 3), (Node(attempts=3, excluded=True), 1)],
    ids=["single", "policy", "class-not-listed"],
)
def test_attempts_due_follows_policy_and_class(node, expected):
    assert expected == node.attempts_due
