"""Gate, second run, breaker and expected failures, with a runtime that follows a script."""

import pytest

from suite.corpus.catalogue import load_corpus
from suite.protocol.exchange import (
    AdapterDidNotStart,
    Exchange,
    Late,
    SuiteFault,
    TargetError,
)
from suite.protocol.messages import Finding
from suite.protocol.transcript import Transcript
from suite.runner import opening as opening_module
from suite.runner import runner as module
from suite.runner.opening import Opening
from suite.runner.runner import BREAKER, Runner
from suite.runner.settings import SettingError, Settings
from suite.verdict.expected import Expected
from tests.corpus_builder import corpus_files, write_corpus
from tests.verdict_builder import describe, ended, pair_messages, run_messages, walk

VALID, RUN = "valid/edges/pair", "execution/flow/pair.plain"

ACCEPTED = Exchange(kind="findings", transcript=Transcript())
REFUSED = Exchange(kind="findings", transcript=Transcript(), findings=(Finding("HX-1001"),))
CRASH = Exchange(kind="crash", transcript=Transcript(), detail="exited with code 3")
TIMEOUT = Exchange(kind="timeout", transcript=Transcript(), detail="no end within 10 s")
GOOD = ended(*run_messages(*pair_messages()))
BAD = ended(*run_messages(*walk("b", "READY", "RUNNING", "SUCCEEDED")))


class Scripted:
    """Answers every request from one list; counts processes and the silence it was granted."""

    def __init__(self, exchanges, **described):
        self.exchanges = list(exchanges)
        self.description = describe(**described)
        self.opened = 0
        self.patience = []
        self.lates = []
        self.ahead = []

    def open(self, *_target, **_options):
        self.opened += 1
        return self

    def ask(self, request):
        if request.plan is not None:
            self.patience.append(request.settle_factor)
            assert (set(request.known_nodes), set(request.undoing)) == ({"a", "b"}, set())
        return self.exchanges.pop(0)

    def ask_ahead(self, request):
        self.ahead.append(request.plan is not None)

    def take_late(self):
        return self.lates.pop(0) if self.lates else None

    def close(self, *, politely=True):
        pass


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return load_corpus(write_corpus(tmp_path_factory.mktemp("corpus"), corpus_files()))


@pytest.fixture
def execute(corpus, monkeypatch):
    def execute(runtime, *identifiers, expected=(), **settings):
        monkeypatch.setattr(module, "open_runtime", runtime.open)
        runner = Runner(corpus, Settings(target="x:y", **settings), expected)
        return [runner.execute(corpus.scenarios[i]).verdict for i in identifiers]

    return execute


def test_a_pass_takes_one_request_of_one_process(execute):
    runtime = Scripted([ACCEPTED, GOOD])
    verdicts = execute(runtime, VALID, RUN)

    assert ["pass", "pass"] == [verdict.status for verdict in verdicts]
    assert 1 == runtime.opened
    assert [1.0] == runtime.patience


@pytest.mark.parametrize(
    ("first", "second", "status"),
    [
        (REFUSED, REFUSED, "fail"),
        (REFUSED, ACCEPTED, "flaky"),
        (CRASH, ACCEPTED, "flaky"),
        (CRASH, REFUSED, "flaky"),
        (TIMEOUT, TIMEOUT, "timeout"),
    ],
    ids=["same failure", "then passes", "crash then passes", "two failures", "same timeout"],
)
def test_a_failure_is_run_again_in_a_fresh_process(execute, first, second, status):
    runtime = Scripted([first, second])
    (verdict,) = execute(runtime, VALID)

    assert status == verdict.status
    assert 2 == runtime.opened


def test_a_flaky_verdict_tells_both(execute):
    (verdict,) = execute(Scripted([CRASH, REFUSED]), VALID)

    assert "crash, then fail in a fresh process" == verdict.reason
    assert verdict.reason == verdict.text[0]
    assert "exited with code 3" in verdict.text


@pytest.mark.parametrize(("second", "status"), [(GOOD, "pass"), (BAD, "fail")], ids=["ok", "bad"])
def test_a_settling_runtime_gets_four_times_the_silence(execute, second, status):
    runtime = Scripted([BAD, second], quiescence="settle")
    (verdict,) = execute(runtime, RUN)

    assert status == verdict.status
    assert [1.0, 4.0] == runtime.patience


def test_without_confirmation_a_failure_is_believed_at_once(execute):
    (verdict,) = execute(Scripted([REFUSED]), VALID, confirm=False)

    assert "fail" == verdict.status


def test_crashes_in_a_row_trip_the_breaker(execute):
    runtime = Scripted([CRASH, TIMEOUT] + [CRASH] * BREAKER)
    verdicts = execute(runtime, *[VALID] * (BREAKER + 2), confirm=False)

    assert ["crash", "timeout", "crash", "crash", "crash", "not-run", "not-run"] == [
        verdict.status for verdict in verdicts
    ]
    assert verdicts[-1].reason.startswith("adapter unhealthy: 5 crashes or timeouts in a row")


def test_an_answer_between_crashes_resets_the_breaker(execute):
    runtime = Scripted(([CRASH] * 4 + [ACCEPTED]) * 3)
    verdicts = execute(runtime, *[VALID] * 15, confirm=False)

    assert 3 == sum(verdict.status == "pass" for verdict in verdicts)


def test_only_the_first_crash_in_a_row_is_run_again(execute):
    runtime = Scripted([CRASH] * 6)
    execute(runtime, *[VALID] * 5)

    assert [] == runtime.exchanges


def test_what_the_runtime_cannot_do_is_not_asked_of_it(execute):
    runtime = Scripted([], levels=("core",))
    (verdict,) = execute(runtime, RUN)

    assert "unsupported" == verdict.status
    assert ("5.3-runs", "5.7-ends") == verdict.cites


def test_an_expected_failure_is_applied_after_the_second_run(execute):
    line = Expected(status="fail", reason="known", link="#7", scenario=VALID)
    (verdict,) = execute(Scripted([REFUSED, REFUSED]), VALID, expected=(line,))

    assert "xfail" == verdict.status


def test_an_adapter_that_does_not_start_any_more_is_a_crash(execute):
    runtime = Scripted([REFUSED])
    opening = runtime.open

    def once(target, **options):
        if runtime.opened:
            raise AdapterDidNotStart("gone")
        return opening(target, **options)

    runtime.open = once
    (verdict,) = execute(runtime, VALID)

    assert "flaky" == verdict.status
    assert "fail, then crash in a fresh process" == verdict.reason


def test_a_wrong_target_is_the_users_fault(corpus, monkeypatch):
    def refuse(*_target, **_options):
        raise TargetError("no such scheme")

    monkeypatch.setattr(module, "open_runtime", refuse)

    with pytest.raises(SettingError, match="no such scheme"):
        Runner(corpus, Settings(target="x")).start()


@pytest.mark.parametrize(
    ("asked", "declared", "level"),
    [("full", ("core",), "core"), ("core", ("full",), "core"), ("executing", (), None)],
)
def test_the_level_judged_is_the_lower_of_asked_and_declared(corpus, asked, declared, level):
    runner = Runner(corpus, Settings(target="x", level=asked))

    assert level == runner._level(describe(levels=declared))


def test_a_start_that_fails_counts_once_for_the_breaker(execute):
    runtime = Scripted([CRASH])
    opening = runtime.open

    def once(target, **options):
        if runtime.opened:
            raise AdapterDidNotStart("gone")
        return opening(target, **options)

    runtime.open = once
    verdicts = execute(runtime, *[VALID] * (BREAKER + 1))

    assert ["crash"] * BREAKER + ["not-run"] == [verdict.status for verdict in verdicts]


def test_what_follows_an_answer_is_a_verdict_on_the_scenario_before(corpus, monkeypatch):
    runtime = Scripted([ACCEPTED, GOOD])
    one_too_many = Late("protocol-error", "one too many", "tail", ago=1)
    runtime.lates = [None, one_too_many, None, Late("crash", "gone")]
    monkeypatch.setattr(module, "open_runtime", runtime.open)
    runner = Runner(corpus, Settings(target="x:y"))
    before = [runner.execute(corpus.scenarios[i]).verdict.status for i in (VALID, RUN)]
    first = runner.take_late()
    runner.close()
    second, third = runner.take_late(), runner.take_late()
    found = [(e.verdict.scenario, e.verdict.status, e.verdict.reason) for e in first + second]

    assert ["pass", "pass"] == before
    assert [(VALID, "protocol-error", "one too many"), (RUN, "crash", "gone")] == found
    assert "tail" == first[0].exchange.stderr_tail
    assert [] == third


def test_a_late_message_is_a_verdict_on_the_scenario_that_it_names(corpus, monkeypatch):
    runtime = Scripted([ACCEPTED, GOOD, GOOD, GOOD])
    late = [Late("protocol-error", "of the first", ago=3), Late("protocol-error", "of it", ago=1)]
    runtime.lates = [None, None, None, *late]
    monkeypatch.setattr(module, "open_runtime", runtime.open)
    runner = Runner(corpus, Settings(target="x:y"))
    for identifier in (VALID, RUN, RUN, RUN):
        runner.execute(corpus.scenarios[identifier])
    found = [(e.verdict.scenario, e.verdict.reason) for e in runner.take_late()]

    assert [(VALID, "of the first"), (RUN, "of it")] == found


def test_a_late_message_of_a_request_without_scenario_is_no_verdict(corpus, monkeypatch):
    runtime = Scripted([ACCEPTED, GOOD])
    runtime.lates = [None, Late("protocol-error", "of the campaign", ago=1)]
    monkeypatch.setattr(module, "open_runtime", runtime.open)
    runner = Runner(corpus, Settings(target="x:y"))
    runner.execute(corpus.scenarios[VALID])
    runner.lend()
    runner.execute(corpus.scenarios[RUN])

    assert [] == runner.take_late()


def test_what_follows_a_failure_that_is_run_again_is_its_own_affair(corpus, monkeypatch):
    runtime = Scripted([REFUSED, REFUSED])
    runtime.lates = [None, Late("crash", "gone")]
    monkeypatch.setattr(module, "open_runtime", runtime.open)
    runner = Runner(corpus, Settings(target="x:y"))
    verdict = runner.execute(corpus.scenarios[VALID]).verdict

    assert ("fail", []) == (verdict.status, runner.take_late())


@pytest.mark.parametrize(
    ("exchange", "described", "ahead"),
    [
        (ACCEPTED, {}, [True]),
        (REFUSED, {}, [True]),
        (CRASH, {}, []),
        (TIMEOUT, {}, []),
        (ACCEPTED, {"levels": ("core",)}, []),
    ],
    ids=["pass", "failure", "crash", "timeout", "following is not for it"],
)
def test_the_runtime_is_asked_ahead_for_what_follows(
    corpus, monkeypatch, exchange, described, ahead
):
    runtime = Scripted([exchange, exchange], **described)
    monkeypatch.setattr(module, "open_runtime", runtime.open)
    runner = Runner(corpus, Settings(target="x:y"))
    runner.execute(corpus.scenarios[VALID], corpus.scenarios[RUN])

    assert ahead == runtime.ahead


def test_a_message_of_ours_that_is_none_is_a_fault_of_the_suite(corpus, monkeypatch):
    def wrong(*_request):
        raise SuiteFault("made it wrong")

    runtime = Scripted([])
    runtime.ask = wrong
    monkeypatch.setattr(module, "open_runtime", runtime.open)
    verdict = Runner(corpus, Settings(target="x:y")).execute(corpus.scenarios[VALID]).verdict

    assert ("suite-fault", "made it wrong") == (verdict.status, verdict.reason)


def test_a_start_under_way_is_the_first_start(corpus, monkeypatch):
    runtime = Scripted([ACCEPTED])
    monkeypatch.setattr(opening_module, "open_runtime", runtime.open)
    settings = Settings(target="x:y")
    runner = Runner(corpus, settings, opening=Opening(settings))
    described = runner.start()

    assert (runtime.description, 1) == (described, runtime.opened)


def test_a_start_that_nobody_asks_for_is_ended(corpus, monkeypatch):
    runtime = Scripted([])
    closed = []
    runtime.close = lambda *, politely: closed.append(politely)
    monkeypatch.setattr(opening_module, "open_runtime", runtime.open)
    settings = Settings(target="x:y")
    Runner(corpus, settings, opening=Opening(settings)).close()

    assert [False] == closed


def test_a_start_under_way_that_fails_is_told_to_who_asks(corpus, monkeypatch):
    def refuse(*_target, **_options):
        raise AdapterDidNotStart("gone")

    monkeypatch.setattr(opening_module, "open_runtime", refuse)
    settings = Settings(target="x:y")
    with pytest.raises(AdapterDidNotStart, match="gone"):
        Runner(corpus, settings, opening=Opening(settings)).start()
