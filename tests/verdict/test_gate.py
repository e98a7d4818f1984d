import pytest

from suite.corpus.needs import Needs
from suite.verdict.gate import gate, highest_level, mode_of
from tests.verdict_builder import describe

SCRIPTED = {"control": "scripted", "features": ()}


@pytest.mark.parametrize(
    ("needs", "changes", "status", "sentence"),
    [
        pytest.param({"open_steps": 2}, {"open_steps": 1}, "inapplicable", "2 steps", id="serial"),
        pytest.param({"cancel": True}, {"features": ()}, "unsupported", "cancel", id="cancel"),
        pytest.param({"events": True}, {"features": ()}, "unsupported", "events", id="events"),
        pytest.param({"faults": True}, {"features": ()}, "unsupported", "faults", id="faults"),
        pytest.param({"codes": True}, {"features": ()}, "not-run", "feature codes", id="codes"),
        pytest.param({"virtual_clock": True}, {"clock": "wall"}, "not-run", "clock", id="wall"),
        pytest.param(
            {"idle_states": True}, {"quiescence": "settle"}, "not-run", "quiescent", id="settle"
        ),
        pytest.param({"cancel": True}, SCRIPTED, "not-run", "no way to tell", id="s-cancel"),
        pytest.param({"holds": True}, SCRIPTED, "not-run", "held back", id="s-holds"),
        pytest.param({"idle": True}, SCRIPTED, "not-run", "quiescent", id="s-idle"),
        pytest.param({"idle_states": True}, SCRIPTED, "not-run", "quiescent", id="s-idle-states"),
        pytest.param({"virtual_clock": True}, SCRIPTED, "not-run", "clock", id="s-clock"),
        pytest.param({"iterations": True}, SCRIPTED, "not-run", "iterations", id="s-iterations"),
        pytest.param({"calls": True}, SCRIPTED, "not-run", "feature calls", id="s-calls"),
        pytest.param({"codes": True}, SCRIPTED, "not-run", "feature codes", id="s-codes"),
        pytest.param(
            {"open_steps": 2, "holds": True},
            SCRIPTED | {"open_steps": 1},
            "inapplicable",
            "openSteps is 1",
            id="s-serial",
        ),
    ],
)
def test_what_is_missing_keeps_a_scenario_from_running(needs, changes, status, sentence):
    barred = gate(Needs(**needs), "executing", describe(**changes))

    assert barred is not None
    assert barred[0] == status
    assert sentence in barred[1]


@pytest.mark.parametrize(
    ("needs", "changes"),
    [
        pytest.param(Needs(), SCRIPTED, id="nothing-needed"),
        pytest.param(Needs(open_steps=9), {"open_steps": 0}, id="no-limit"),
        pytest.param(Needs(open_steps=2), {"open_steps": 2}, id="enough-steps"),
        pytest.param(Needs(holds=True, idle=True), {"quiescence": "settle"}, id="silence-is-idle"),
        pytest.param(Needs(iterations=True, calls=True), {"features": ()}, id="interactive"),
        pytest.param(
            Needs(calls=True, iterations=True, codes=True, cancel=True, events=True, faults=True),
            {"control": "scripted"},
            id="scripted-with-all-features",
        ),
        pytest.param(
            Needs(virtual_clock=True, idle=True, idle_states=True, holds=True, codes=True),
            {},
            id="everything-there",
        ),
    ],
)
def test_a_scenario_runs_when_nothing_is_missing(needs, changes):
    assert gate(needs, "executing", describe(**changes)) is None


@pytest.mark.parametrize(
    ("levels", "level", "runs"),
    [
        pytest.param(("core",), "core", True, id="declared"),
        pytest.param(("core",), "executing", False, id="above"),
        pytest.param(("full",), "core", False, id="left-out-below-a-higher-one"),
        pytest.param((), "core", False, id="none-declared"),
    ],
)
def test_levels_that_are_not_declared_are_unsupported(levels, level, runs):
    barred = gate(Needs(), level, describe(levels=levels))

    assert (barred is None) == runs
    assert barred is None or barred[0] == "unsupported"


@pytest.mark.parametrize(
    ("levels", "declared"),
    [
        pytest.param((), "none", id="none"),
        pytest.param(("core", "executing"), "core, executing", id="two"),
    ],
)
def test_the_declared_levels_are_told(levels, declared):
    barred = gate(Needs(), "full", describe(levels=levels))

    assert barred == ("unsupported", f"level full is not declared (declared: {declared})")


def test_all_lacks_are_told():
    barred = gate(Needs(holds=True, calls=True, codes=True), "core", describe(**SCRIPTED))

    assert barred is not None
    assert barred[1] == (
        "needs answers held back, a look at step calls (feature calls), "
        "a look at run-time codes (feature codes)"
    )


def test_highest_level_ignores_the_order_of_the_list():
    assert highest_level(describe(levels=("full", "core"))) == "full"
    assert highest_level(describe(levels=())) is None


@pytest.mark.parametrize(
    ("changes", "mode"),
    [
        pytest.param({}, "full control", id="everything"),
        pytest.param({"open_steps": 4}, "full control", id="several-steps"),
        pytest.param({"control": "scripted"}, "trace only", id="scripted"),
        pytest.param({"open_steps": 1}, "trace only", id="serial"),
        pytest.param({"clock": "wall"}, "trace only", id="wall"),
        pytest.param({"quiescence": "settle"}, "trace only", id="settle"),
    ],
)
def test_mode_says_how_much_is_controlled_and_seen(changes, mode):
    assert mode_of(describe(**changes)) == mode
