"""Other runtimes meet the same corpus: two small right ones, and wrappers that tamper."""

from pathlib import Path

import pytest

from tests.pytest_runs import run_pytest

FOLDER = Path(__file__).parents[1] / "runtimes"
SERIAL = "--runtime=cmd:python3 serial.py"

#: Scenarios of which every transition is forced, so that any tampering shows.
FORCED = (
    "execution/joins/all-diamond.trace",
    "execution/guards/skipped-successors-run.trace",
    "execution/retry/handler-after-last-attempt.recovered",
    "execution/decisions/first-true-case.trace",
)


def counts(ran):
    """The result line as status → number."""
    words = ran.line("result:").split("selected: ")[1].split(", ")
    return {status: int(number) for number, status in (word.split(" ", 1) for word in words)}


@pytest.mark.parametrize(
    ("target", "others"),
    [
        pytest.param(SERIAL, {"inapplicable", "unsupported"}, id="serial"),
        pytest.param(
            "--runtime=adapter:concurrent_runtime", {"not-run", "unsupported"}, id="concurrent"
        ),
        pytest.param("--runtime=adapter:reference_runtime:serial", {"inapplicable"}, id="one-step"),
        pytest.param("--runtime=adapter:reference_runtime:scripted", {"not-run"}, id="scripted"),
        pytest.param("--runtime=adapter:reference_runtime:random_5", set(), id="random"),
        pytest.param("--runtime=adapter:wrappers:shuffled_3", {"not-run"}, id="shuffled"),
    ],
)
def test_right_runtime_passes_whatever_it_claims(target, others):
    ran = run_pytest(FOLDER, target, "-q", "-p", "no:cacheprovider")
    result = counts(ran)

    assert 0 == ran.code
    assert {"pass", *others} == set(result)
    assert result["pass"] > 30


@pytest.mark.parametrize("order", ["reverse", "shuffle:3"])
def test_order_of_cases_changes_no_verdict(order):
    ran = run_pytest(FOLDER, SERIAL, "-q", "-p", "no:cacheprovider", "--hx-order", order)

    assert 0 == ran.code
    assert {"pass", "inapplicable", "unsupported"} == set(counts(ran))


@pytest.mark.parametrize(
    ("target", "area"),
    [
        pytest.param(SERIAL, "joins", id="serial-joins"),
        pytest.param(SERIAL, "failures", id="serial-failures"),
    ],
)
def test_right_runtime_passes_random_documents(target, area):
    ran = run_pytest(
        FOLDER, target, "-q", "-p", "no:cacheprovider", "-k", "fuzz", "--hx-fuzz", area,
        "--hx-fuzz-examples", "200",
    )  # fmt: skip

    assert f"fuzz/{area}: pass, 200 random documents" in ran.out
    assert 0 == ran.code


@pytest.mark.parametrize(
    "wrapper", ["drop_1", "drop_3", "repeat_2", "falsify_3", "falsify_6", "early_3", "early_6"]
)
def test_tampering_is_never_passed(wrapper):
    ran = run_pytest(
        FOLDER, f"--runtime=adapter:wrappers:{wrapper}", "-q", "-p", "no:cacheprovider",
        *(part for name in FORCED for part in ("--hx-select", name)),
    )  # fmt: skip

    assert 1 == ran.code
    assert set(counts(ran)) <= {"fail", "protocol-error"}
