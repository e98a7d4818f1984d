import msgspec
import pytest

from suite.corpus.manifest import Manifest, ManifestEntry, RequiredSet
from suite.verdict.levels import LevelResult, assess
from suite.verdict.status import STATUSES
from suite.verdict.verdict import Verdict
from tests.verdict_builder import describe

MANIFEST = Manifest(
    corpus="0.1.0",
    digest="sha256:" + "0" * 64,
    scenarios={
        "valid/t/v": ManifestEntry(level="core", since="0.1.0"),
        "execution/t/x.one": ManifestEntry(level="executing", since="0.1.0"),
        "execution/t/x.two": ManifestEntry(level="executing", since="0.1.0", controlled=True),
        "execution/t/y.three": ManifestEntry(level="full", since="0.1.0"),
        "execution/t/z.old": ManifestEntry(level="core", since="0.1.0", withdrawn="0.1.0"),
    },
    requirements={
        "c": ("valid/t/v",),
        "e": ("execution/t/x.one", "execution/t/x.two"),
        "e2": ("execution/t/x.two",),
        "f": ("execution/t/y.three",),
    },
    required={
        "core": RequiredSet(full_control=("c",), trace_only=("c",)),
        "executing": RequiredSet(full_control=("e", "e2"), trace_only=("e",)),
        "full": RequiredSet(full_control=("f",), trace_only=("f",)),
    },
)


def of(key: str, status: str, blamed: tuple[str, ...] = ()) -> Verdict:
    """Return a verdict that asserts what the manifest says of the scenario."""
    cites = tuple(r for r, scenarios in MANIFEST.requirements.items() if key in scenarios)
    return Verdict(scenario=key, status=status, blamed=blamed, cites=cites)


def verdicts(**statuses: str) -> list[Verdict]:
    """Return a verdict per scenario, all passing unless said otherwise, by last part of the id."""
    return [
        of(key, statuses.get(key[-3:].strip("./"), "pass"))
        for key, entry in MANIFEST.scenarios.items()
        if entry.withdrawn is None
    ]


def results(changes: dict[str, Verdict | None], **description) -> list[LevelResult]:
    by_id = {v.scenario: v for v in verdicts()} | changes
    kept = {k: v for k, v in by_id.items() if v is not None}
    return list(assess(MANIFEST, kept, describe(**description)).levels)


def verdict(key: str, status: str, blamed: tuple[str, ...] = ()) -> dict[str, Verdict]:
    return {key: of(key, status, blamed)}


def words(levels: list[LevelResult]) -> list[str]:
    return [level.result for level in levels]


FULL = {"levels": ("full",)}


def test_all_levels_are_reached_when_everything_passes():
    assessment = assess(MANIFEST, verdicts(), describe(**FULL))

    assert words(list(assessment.levels)) == ["reached", "reached", "reached"]
    assert assessment.mode == "full control"
    assert assessment.complete
    assert assessment.reached is not None
    assert assessment.reached.level == "full"
    assert assessment.reached == LevelResult(level="full", result="reached", required=4, shown=4)


def test_levels_that_are_not_declared_are_not_assessed():
    found = results(verdict("execution/t/y.three", "unsupported"))

    assert words(found) == ["reached", "reached", "not assessed"]
    assert found[2].unsupported == ("f",)


def test_a_failure_fails_its_level_and_those_above_only():
    found = results(verdict("execution/t/x.two", "fail", ("e2",)), **FULL)

    assert words(found) == ["reached", "failed", "failed"]
    assert found[1].failed == ("e2",)
    assert found[1].not_shown == ("e",)
    assert found[1].shown == 1


def test_a_failure_that_blames_nobody_fails_all_that_the_scenario_asserts():
    found = results(verdict("execution/t/x.two", "crash"), **FULL)

    assert found[1].failed == ("e", "e2")


def test_a_failure_without_required_cites_fails_the_level_too():
    scenarios = MANIFEST.scenarios | {"valid/t/w": ManifestEntry(level="core", since="0.1.0")}
    manifest = Manifest(
        corpus="0.1.0",
        digest=MANIFEST.digest,
        scenarios=scenarios,
        requirements=MANIFEST.requirements,
        required=MANIFEST.required,
    )
    failing = Verdict(scenario="valid/t/w", status="fail", blamed=("advice",))
    found = assess(manifest, [*verdicts(), failing], describe(**FULL))

    assert found.levels[0].result == "failed"
    assert found.levels[0].shown == 1


@pytest.mark.parametrize("status", STATUSES)
def test_only_a_pass_shows(status):
    found = results(verdict("valid/t/v", status))

    assert (found[0].result == "reached") == (status == "pass")
    assert (found[0].shown == 1) == (status == "pass")


@pytest.mark.parametrize(
    ("status", "result"),
    [
        pytest.param("not-run", "incomplete", id="not-run"),
        pytest.param("inapplicable", "incomplete", id="inapplicable"),
        pytest.param("unsupported", "incomplete", id="unsupported"),
        pytest.param("xfail", "failed", id="xfail"),
        pytest.param("xpass", "failed", id="xpass"),
        pytest.param("flaky", "failed", id="flaky"),
        pytest.param("suite-fault", "failed", id="suite-fault"),
    ],
)
def test_every_gap_has_its_word(status, result):
    assert words(results(verdict("valid/t/v", status)))[0] == result


@pytest.mark.parametrize(
    ("status", "result"),
    [
        pytest.param("inapplicable", "reached", id="inapplicable"),
        pytest.param("not-run", "incomplete", id="not-run"),
        pytest.param("unsupported", "incomplete", id="unsupported"),
    ],
)
def test_what_was_not_seen_beside_a_pass_leaves_a_part_unseen(status, result):
    assert results(verdict("execution/t/x.one", status))[1].result == result


def test_a_pass_shows_only_what_the_run_followed():
    followed = {"valid/t/v": Verdict(scenario="valid/t/v", status="pass", cites=("another",))}

    assert results(followed)[0].not_shown == ("c",)


def test_a_restatement_is_shown_by_what_shows_the_other():
    manifest = msgspec.structs.replace(
        MANIFEST,
        requirements=MANIFEST.requirements | {"twin": ("valid/t/v",)},
        same={"twin": ("c",), "c": ("twin",)},
        required={"core": RequiredSet(full_control=("twin",), trace_only=())},
    )

    assert assess(manifest, verdicts(), describe()).levels[0].result == "reached"


def test_lists_tell_the_kinds_of_gaps_apart():
    manifest = Manifest(
        corpus="0.1.0",
        digest=MANIFEST.digest,
        scenarios=MANIFEST.scenarios,
        requirements=MANIFEST.requirements | {"none": ()},
        required=MANIFEST.required
        | {"core": RequiredSet(full_control=("c", "none", "gone"), trace_only=())},
    )
    by_id = {v.scenario: v for v in verdicts()} | verdict("valid/t/v", "unsupported")
    found = assess(manifest, by_id, describe()).levels[0]

    assert found == LevelResult(
        level="core",
        result="incomplete",
        required=3,
        shown=0,
        unsupported=("c",),
        without_scenario=("none", "gone"),
    )


def test_zero_of_zero_is_not_reached():
    manifest = Manifest(
        corpus="0.1.0",
        digest=MANIFEST.digest,
        scenarios={},
        requirements={},
        required={"core": RequiredSet(full_control=(), trace_only=())},
    )
    found = assess(manifest, [], describe(levels=("core",)))

    assert words(list(found.levels)) == ["incomplete"]
    assert found.reached is None


def test_the_mode_decides_what_is_required():
    found = results(verdict("execution/t/x.two", "not-run"), control="scripted")

    assert found[1].result == "reached"
    assert found[1].required == 2
    assert results(verdict("execution/t/x.two", "not-run"))[1].result == "incomplete"


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(
            lambda: assess(MANIFEST, verdicts(), describe(), complete=False), id="selection"
        ),
        pytest.param(lambda: assess(MANIFEST, verdicts()[1:], describe()), id="missing-verdict"),
    ],
)
def test_no_level_is_assessed_when_something_was_left_out(make):
    found = make()

    assert set(words(list(found.levels))) == {"not assessed"}
    assert not found.complete
    assert found.reached is None


def test_without_declared_level_nothing_is_assessed():
    found = assess(MANIFEST, verdicts(), describe(levels=()))

    assert set(words(list(found.levels))) == {"not assessed"}
    assert found.judged is None


def test_the_run_is_about_the_declared_level():
    found = assess(MANIFEST, verdicts(), describe())

    assert found.judged is not None
    assert found.judged.level == "executing"


def test_withdrawn_scenarios_are_not_missed():
    assert assess(MANIFEST, verdicts(), describe()).complete


@pytest.mark.parametrize(
    ("status", "blamed", "executing"),
    [
        pytest.param("unsupported", (), "reached", id="declared-off"),
        pytest.param("not-run", (), "reached", id="not-run"),
        pytest.param("fail", ("e",), "failed", id="failed-for-it"),
        pytest.param("fail", ("f",), "reached", id="failed-for-another"),
    ],
)
def test_scenarios_of_a_higher_level_count_against_a_lower_one_only_by_failing(
    status, blamed, executing
):
    both = {**MANIFEST.requirements, "e": ("execution/t/x.one", "execution/t/y.three")}
    manifest = msgspec.structs.replace(MANIFEST, requirements=both)
    found = {v.scenario: v for v in verdicts()}
    found |= {
        key: Verdict(scenario=key, status="pass", cites=("e",)) for key in ("execution/t/x.one",)
    }
    found["execution/t/y.three"] = Verdict(
        scenario="execution/t/y.three", status=status, blamed=blamed, cites=("e", "f")
    )
    levels = assess(manifest, found, describe()).levels

    assert executing == ("failed" if levels[1].failed else levels[1].result)
