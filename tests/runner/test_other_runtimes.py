"""Other runtimes meet the same corpus: two small right ones, and wrappers that tamper.

The small ones are written from the specification alone, their validators too, so that goldens and
codes that the reference runtime shares by mistake do not pass here.
"""

import re
from functools import cache
from pathlib import Path

import pytest

from tests.pytest_runs import run_pytest
from tests.runtimes.telling import DISHONEST, LEGAL

FOLDER = Path(__file__).parents[1] / "runtimes"
SERIAL = "cmd:python3 serial.py"
UNUSUAL = "adapter:concurrent_runtime:unusual"

#: Topics in which runtimes differ most, where a whole run would take long for what it adds.
TOPICS = ("-k", "execution and (joins or loops or unwinding or cancellation)")

#: The same, and the runtime is shown other ids, in the plan as well.
RENAMED = (*TOPICS, "--hx-rename", "4")

#: Readings that ``UNUSUAL`` follows, none of them the preferred one.
ACCEPTED = (
    "A05 b, A08 c, A116 b, A120 b, A121 b, A143 b, A147 b, A15 b, A16 b, A17 b, A18 d, A21 b, "
    "A30 b, A31 b, A39 b, A47 b, A57 b, A66 b, A70 b, A75 b, A91 b, A92 b, A93 b, A94 b, P b, T b, "
    "U b, V b"
)

#: Scenarios of which every transition is forced, so that any tampering shows.
FORCED = (
    "execution/joins/all-diamond.trace",
    "execution/guards/skipped-successors-run.trace",
    "execution/retry/handler-after-last-attempt.recovered",
    "execution/decisions/first-true-case.trace",
)

#: Scenarios about codes in which nodes fail and others do not.
TELLING = (
    "execution/guards/guard-null.codes",
    "execution/expressions/order-of-text-and-number.codes",
)


@cache
def run_against(target, *options):
    return run_pytest(FOLDER, f"--runtime={target}", "-q", "-p", "no:cacheprovider", *options)


@cache
def whole(target, order, area):
    """The whole corpus in that order, and random documents of one area."""
    rename = "3" if order.startswith("shuffle") else "0"
    extra = ("--hx-order", order, "--hx-rename", rename, "--hx-fuzz", area)
    return run_against(target, *extra, "--hx-fuzz-examples", "80")


def counts(ran):
    """The result line as status → number."""
    words = ran.line("result:").split("selected: ")[1].split(", ")
    return {status: int(number) for number, status in (word.split(" ", 1) for word in words)}


@pytest.mark.parametrize(
    ("target", "order", "area", "others"),
    [
        pytest.param(SERIAL, "reverse", "mixed", {"inapplicable"}, id="serial-reverse"),
        pytest.param(SERIAL, "shuffle:3", "loops", {"inapplicable"}, id="serial-shuffled"),
        pytest.param(UNUSUAL, "reverse", "unwinding", set(), id="unusual-reverse"),
        pytest.param(UNUSUAL, "shuffle:3", "cancellation", set(), id="unusual-shuffled"),
    ],
)
def test_right_runtime_passes_whatever_it_claims(target, order, area, others):
    ran = whole(target, order, area)
    result = counts(ran)

    assert f"fuzz/{area}: pass, 80 random documents" in ran.out
    assert 0 == ran.code
    assert {"pass", *others} == set(result)
    assert result["pass"] > 900


@pytest.mark.parametrize(
    ("target", "areas"),
    [
        pytest.param(SERIAL, ("mixed", "loops"), id="serial"),
        pytest.param(UNUSUAL, ("unwinding", "cancellation"), id="unusual"),
    ],
)
def test_order_of_cases_and_other_ids_change_no_verdict(target, areas):
    backwards, mixed = map(whole, (target, target), ("reverse", "shuffle:3"), areas)

    assert counts(backwards) == counts(mixed)


def test_corpus_accepts_readings_that_are_not_preferred():
    ran = whole(UNUSUAL, "reverse", "unwinding")
    found = re.findall(r"^open point (\w+), reading (\w)", ran.out, re.MULTILINE)
    observed = {f"{point} {reading}" for point, reading in found}

    assert set(ACCEPTED.split(", ")) <= observed
    assert "A08 a" not in observed


@pytest.mark.parametrize(
    ("target", "options", "others"),
    [
        # The longest delay of the corpus that elapses is 50 ms: silence of 80 ms is idleness, and
        # a failure by a stall of the machine is repeated at four times that.
        pytest.param(
            "adapter:concurrent_runtime",
            ("--hx-settle", "0.08", "-k", "loops or unwinding or cancellation"),
            {"not-run"},
            id="concurrent",
        ),
        pytest.param(
            "adapter:concurrent_runtime:plain",
            (*TOPICS, "--hx-fuzz", "joins", "--hx-fuzz-examples", "80"),
            set(),
            id="plain",
        ),
        pytest.param("adapter:concurrent_runtime:mixed_21", TOPICS, set(), id="mixed"),
        pytest.param("adapter:reference_runtime:serial", TOPICS, {"inapplicable"}, id="one-step"),
        pytest.param("adapter:reference_runtime:scripted", RENAMED, {"not-run"}, id="scripted"),
        pytest.param("adapter:reference_runtime:random_5", (), set(), id="random"),
        pytest.param("adapter:nameless", (), {"not-run"}, id="nameless"),
        pytest.param(
            "adapter:nameless:in_traces", ("-k", "loops or decisions"), {"not-run"}, id="in-traces"
        ),
        pytest.param("adapter:wrappers:shuffled_3", TOPICS, {"not-run"}, id="shuffled"),
    ],
)
def test_every_right_runtime_passes(target, options, others):
    ran = run_against(target, *options)
    result = counts(ran)

    assert 0 == ran.code
    assert {"pass", *others} <= set(result) <= {"pass", "unsupported", *others}
    assert result["pass"] > 40


@pytest.mark.parametrize(
    ("name", "scenarios", "readings"),
    [
        pytest.param("blaming", "condition or compensation", "A39 c, A98 b", id="blaming"),
        pytest.param("patient", "during-backoff and trace", "Y b", id="patient"),
    ],
)
def test_corpus_accepts_further_readings(name, scenarios, readings):
    ran = run_against(f"adapter:concurrent_runtime:{name}", "-k", scenarios)
    found = re.findall(r"^open point (\w+), reading (\w)", ran.out, re.MULTILINE)
    observed = {f"{point} {reading}" for point, reading in found}

    assert {"pass"} == set(counts(ran))
    assert set(readings.split(", ")) <= observed


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("core", "level: Core reached (full control)"),
        ("executing", "level: Core reached; Executing reached (full control)"),
        (
            "two_steps",
            "level: Core reached; Executing reached; Full reached (full control)",
        ),
        ("executing_serial", "level: Core reached; Executing reached (trace only)"),
    ],
)
def test_runtime_that_claims_less_reaches_what_it_claims(name, line):
    assert line == run_against(f"adapter:claims_less:{name}").line("level:")


@pytest.mark.parametrize("wrapper", ["drop_3", "repeat_2", "falsify_6", "early_3"])
def test_tampering_is_never_passed(wrapper):
    ran = run_pytest(
        FOLDER, f"--runtime=adapter:wrappers:{wrapper}", "-q", "-p", "no:cacheprovider",
        *(part for name in FORCED for part in ("--hx-select", name)),
    )  # fmt: skip

    assert 1 == ran.code
    assert set(counts(ran)) <= {"fail", "protocol-error"}


@pytest.mark.parametrize("way", LEGAL)
def test_codes_may_be_told_in_any_way(way):
    ran = run_against(f"adapter:telling:as_{way}", "--hx-select", "*.codes")

    assert (0, {"pass"}) == (ran.code, set(counts(ran)))


@pytest.mark.parametrize("way", DISHONEST)
def test_codes_that_nothing_failed_for_are_never_passed(way):
    chosen = (part for name in TELLING for part in ("--hx-select", name))
    ran = run_against(f"adapter:telling:as_{way}", *chosen)

    assert (1, {"fail"}) == (ran.code, set(counts(ran)))
