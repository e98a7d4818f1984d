from typing import get_args

from suite.verdict.status import EXIT, STATUSES, Status


def test_every_status_has_its_row():
    assert set(STATUSES) == set(get_args(Status))


def test_whatever_is_red_fails_in_pytest_and_nothing_else():
    assert [s for s, row in STATUSES.items() if row.red != (row.pytest == "failed")] == []


def test_only_a_pass_is_green():
    assert [s for s, row in STATUSES.items() if row.pytest == "passed"] == ["pass"]


def test_exit_codes_are_those_of_pytest_and_one_more():
    assert sorted(EXIT.values()) == [0, 1, 2, 3, 4, 5, 6]
    assert (EXIT["ok"], EXIT["failed"], EXIT["nothing"], EXIT["incomplete"]) == (0, 1, 5, 6)
