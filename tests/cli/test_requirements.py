"""``hxconf requirements``: the ledger, and what shows each sentence."""

import pytest


@pytest.mark.parametrize(
    ("wish", "line"),
    [
        pytest.param("1.7-representation-is-free", "  no run can show it: ", id="unobservable"),
        pytest.param(
            "5.3.1-unreached",
            "",
            id="nothing",
        ),
        pytest.param("6.6-entry-timestamp", "  noted in every run: time-missing", id="noted"),
        pytest.param(
            "5.5-guard-false-skips", "  says the same as 6.2-ready-skipped", id="restated"
        ),
        pytest.param(
            "5.3.3-failed-source-does-not-block-join", "  one reading of open point U", id="reading"
        ),
    ],
)
def test_requirement_says_what_accounts_for_it(hxconf, wish, line):
    code, out, _ = hxconf("requirements", wish)

    assert (0 if line else 5) == code
    assert bool(line) == any(text.startswith(line) for text in out)


def test_section_holds_its_subsections_and_not_its_neighbours(hxconf):
    _, out, _ = hxconf("requirements", "§5.3", "--scenarios")

    heads = {line.split()[0] for line in out if line.startswith("§")}
    assert {"§5.3", "§5.3.1", "§5.3.2", "§5.3.3"} == heads
    assert "    execution/joins/all-diamond.trace" in out


def test_gaps_are_what_nothing_accounts_for(hxconf):
    _, out, _ = hxconf("requirements", "--gaps")

    assert all("0 scenarios" in line for line in out[2::3])
