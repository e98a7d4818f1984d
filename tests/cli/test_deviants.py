"""The deviants as the command runs them: which scenarios, how many, and what it says."""

import pytest

from suite.cli.bench import Known, Trial, execute_all, known_deviants, telling
from suite.cli.deviants import score, trial
from suite.corpus.catalogue import load_corpus
from suite.verdict.verdict import Verdict

QUORUM = "execution/joins/quorum-two-of-three"
KNOWN = Known("5.3.1-quorum-not-below-count", "says")


@pytest.fixture(scope="module")
def corpus():
    return load_corpus()


def tried(*scenarios, requirement=KNOWN.requirement, thorough=True):
    return Trial(known=Known(requirement, "says"), scenarios=scenarios, told=1, thorough=thorough)


def verdict(scenario, status, *blamed):
    return Verdict(scenario=scenario, status=status, blamed=blamed)


@pytest.mark.parametrize(
    ("verdicts", "killers", "good"),
    [
        pytest.param([verdict("a", "fail", "r1")], ("a",), True, id="killed"),
        pytest.param([verdict("a", "fail", "r2")], (), False, id="other"),
        pytest.param([verdict("b", "pass")], (), False, id="survived"),
        pytest.param([verdict("a", "fail", "r1")] * 3, ("a",) * 3, False, id="wide"),
        pytest.param([verdict("a", "crash")], (), False, id="crash"),
        pytest.param([verdict("b", "unsupported")], (), False, id="nothing judged"),
    ],
)
def test_a_deviant_is_killed_for_its_own_requirement_and_precisely(verdicts, killers, good):
    result = score("d", tried("a", requirement="r1"), verdicts, 10)

    assert killers == result.killers
    assert good == result.good


def test_scenarios_that_cite_the_requirement_come_first_and_whole_cases_last(corpus):
    citing = [s for s in corpus.scenarios if s.startswith(f"{QUORUM}.")]
    tried = trial(corpus, KNOWN, ["execution/joins/all-diamond.trace", citing[-1]], named=False)

    assert (citing[-1], "execution/joins/all-diamond.trace") == tried.scenarios[:2]
    assert set(citing) <= set(tried.scenarios)
    assert 2 == tried.told


@pytest.mark.parametrize(
    ("told", "named", "thorough"), [(1, False, False), (1, True, True), (10**6, False, True)]
)
def test_one_killer_is_enough_unless_a_deviant_may_be_wide(corpus, told, named, thorough):
    scenarios = list(corpus.scenarios)[:told]

    assert thorough == trial(corpus, KNOWN, scenarios, named=named).thorough


def test_the_reference_runtime_lists_deviants_of_requirements_in_the_ledger(corpus):
    known, unbreakable = known_deviants()
    broken = {one.requirement for one in known.values()}

    assert broken | set(unbreakable) <= set(corpus.ledger)
    assert set() == broken & set(unbreakable)


def test_only_scenarios_that_can_show_a_deviant_are_told(corpus):
    told = telling(corpus, ["quorum_off_by_one", "cancelled_is_failed"])

    assert f"{QUORUM}.idle" in told["quorum_off_by_one"]
    assert all(corpus.scenarios[s].plan.cancel for s in told["cancelled_is_failed"])
    assert len(told["quorum_off_by_one"]) < len(corpus.scenarios) / 10


def test_scenarios_are_told_with_the_documents_they_use(corpus):
    told = telling(corpus, ["subworkflow_digest_ignored"])

    assert "execution/subworkflows/digest-differs.trace" in told["subworkflow_digest_ignored"]


def test_a_trial_ends_with_the_first_killer(corpus):
    scenarios = ("execution/joins/all-diamond.trace", f"{QUORUM}.idle", f"{QUORUM}.trace")
    trials = {
        "quorum_off_by_one": tried(*scenarios, thorough=False),
        "any_waits_for_all": tried(*scenarios),
    }
    verdicts = execute_all(corpus, trials)

    assert ["pass", "fail"] == [v.status for v in verdicts["quorum_off_by_one"]]
    assert ["pass", "pass", "pass"] == [v.status for v in verdicts["any_waits_for_all"]]


def test_deviants_are_run_by_name(hxconf):
    code, out, _ = hxconf("deviants", "quorum_off_by_one")

    assert 0 == code
    assert out[0].startswith("killed: quorum_off_by_one (5.3.1-quorum-not-below-count)")
    assert f"  {QUORUM}.idle" in out
    assert ["section 5.3.1: 1 of 1", "1 of 1 killed for their own requirement"] == out[-2:]


def test_a_deviant_that_waits_in_ready_runs_with_one_open_step(hxconf):
    code, out, _ = hxconf("deviants", "ready_nodes_left_ready")

    assert 0 == code
    assert out[0].startswith("killed: ready_nodes_left_ready ")
