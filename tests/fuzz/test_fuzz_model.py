import pytest

from suite.fuzz.model import Case, Edge, Loop, Model, Node, all_ids, healed, outputs_read
from suite.fuzz.validity import problems

TASK = Node()


def decision(*cases, **settings):
    return Node(kind="decision", cases=cases, **settings)


PLAIN = Model((TASK,))


def loop(body=PLAIN, kind="forEach", **settings):
    return Node(kind="loop", loop=Loop(body, kind=kind, **settings))


def looped(node):
    return Model((TASK, node), (Edge(0, 1),), entry=True)


def undone(*, source=TASK, undo=TASK, extra=(), condition="none"):
    edges = (Edge(0, 1, "compensation", condition), *extra)
    return Model((source, undo, TASK), edges)


HANDLED = Model((TASK, TASK), (Edge(0, 1, "error"),))

SOUND = {
    "undo": undone(extra=(Edge(0, 2),)),
    "undo-by-a-false-edge": undone(condition="false"),
    "loop": looped(loop(fates=("ok", "fail", "skip"))),
    "handled-body": looped(loop(HANDLED)),
    "nested": looped(loop(Model((loop(),)), kind="times")),
    "other-root-beside-entry": Model((TASK, TASK), entry=True),
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
    "undo-of-decision": (
        Model(
            (decision(Case(1)), TASK, TASK), (Edge(0, 1), Edge(0, 2, "compensation")), entry=True
        ),
        "undo of a decision",
    ),
    "undo-without-step": (undone(undo=Node(kind="barrier")), "without a step"),
    "guarded-undo": (undone(undo=Node(guard="true")), "A100"),
    "undo-by-two": (undone(extra=(Edge(0, 1),)), "A104"),
    "two-undos": (undone(extra=(Edge(0, 2, "compensation"),)), "A103"),
    "edge-out-of-undo": (undone(extra=(Edge(1, 2),)), "A105"),
    "dynamic-undo": (undone(condition="flag"), "A106"),
    "loop-without-entry": (Model((TASK, loop()), (Edge(0, 1),)), "A113"),
    "loop-on-task": (looped(Node(loop=Loop(Model((TASK,))))), "wrong kind"),
    "data-into-loop": (Model((TASK, loop()), (Edge(0, 1, "data"),), entry=True), "or loop"),
    "times-nothing": (looped(loop(kind="times", fates=())), "HX-2208"),
    "times-above-limit": (looped(loop(kind="times", fates=("ok",) * 2, limit=1)), "HX-2208"),
    "no-concurrency": (looped(loop(concurrency=0)), "bad bound"),
    "guarded-inner-loop": (looped(loop(Model((loop(),)), fates=("skip",))), "A126"),
    "guarded-body": (looped(loop(Model((Node(guard="true"),)))), "no plain body"),
    "chain-in-body": (looped(loop(Model((TASK, TASK), (Edge(0, 1),)))), "A115"),
    "failing-handler": (
        looped(loop(Model((TASK, Node(failures=1)), HANDLED.edges))),
        "A116",
    ),
    "faulty-body": (looped(loop(Model((Node(idempotent=False, attempts=2),)))), "HX-3301"),
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


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"backoff": "none"}, [0, 0, 0]),
        ({"backoff": "fixed"}, [20, 20, 20]),
        ({"backoff": "linear", "factor": 3}, [60, 120, 180]),
        ({"backoff": "exponential", "factor": 3}, [20, 60, 180]),
        ({"backoff": "exponential", "factor": 3, "cap": 50}, [20, 50, 50]),
    ],
)
def test_delays_follow_the_strategy(settings, expected):
    node = Node(attempts=4, delay=20, **settings)

    assert expected == [node.delay_before(attempt) for attempt in (2, 3, 4)]


def test_iterations_do_what_their_fate_says():
    body = Model((Node(failures=1),))
    spec = Loop(body, fates=("ok", "fail", "skip"))

    assert [
        Model((TASK,)),
        body,
        Model((Node(guard="false"),)),
        Model((TASK,)),
    ] == [spec.iteration(number) for number in range(4)]


def test_healing_reaches_inner_loops():
    inner = Loop(Model((Node(failures=1),)), fates=("fail", "ok"))
    model = Model((Node(kind="loop", loop=inner), Node(failures=2, attempts=2)))
    healthy = healed(model)

    assert ("ok", "ok") == healthy.nodes[0].loop.fates
    assert 0 == healthy.nodes[1].failures


def test_ids_of_bodies_begin_with_their_loop():
    model = looped(loop(Model((loop(HANDLED),))))

    assert ["n0", "n1", "n1n0", "n1n0n0", "n1n0n1"] == list(all_ids(model))
