"""Statuses of a scenario: the closed list, and what each means to pytest, JUnit and the exit."""

from typing import Final, Literal, NamedTuple

__all__ = ["EXIT", "STATUSES", "Meaning", "Status"]

Status = Literal[
    "pass",
    "fail",
    "crash",
    "timeout",
    "protocol-error",
    "suite-fault",
    "unsupported",
    "inapplicable",
    "not-run",
    "xfail",
    "xpass",
    "flaky",
]


class Meaning(NamedTuple):
    """What a status counts as.

    Attributes:
        pytest: outcome of the item.
        red: whether the run fails by it.
        judged: whether the runtime was executed and judged, so that the run was not empty.
        whose: whose fault it points at.
        says: what it means, for reports.
    """

    pytest: Literal["passed", "failed", "skipped"]
    red: bool
    judged: bool
    whose: Literal["nobody", "runtime", "adapter", "suite", "user"]
    says: str


#: Every status of every scenario is one row; the counts of all rows add up to the selection.
STATUSES: Final[dict[Status, Meaning]] = {
    "pass": Meaning(
        "passed", red=False, judged=True, whose="nobody", says="behaves as the text demands"
    ),
    "fail": Meaning(
        "failed",
        red=True,
        judged=True,
        whose="runtime",
        says="breaks a sentence of the specification",
    ),
    "crash": Meaning(
        "failed",
        red=True,
        judged=True,
        whose="adapter",
        says="the adapter died or raised in the middle of a case",
    ),
    "timeout": Meaning(
        "failed", red=True, judged=True, whose="adapter", says="no end within the case's time limit"
    ),
    "protocol-error": Meaning(
        "failed",
        red=True,
        judged=True,
        whose="adapter",
        says="the adapter sent what the protocol does not allow",
    ),
    "suite-fault": Meaning(
        "failed",
        red=True,
        judged=False,
        whose="suite",
        says="the suite or its corpus is at fault; please report it",
    ),
    "unsupported": Meaning(
        "skipped",
        red=False,
        judged=False,
        whose="runtime",
        says="declared off by the runtime; blocks the level",
    ),
    "inapplicable": Meaning(
        "skipped",
        red=False,
        judged=False,
        whose="nobody",
        says="a runtime with so few open steps cannot show it (§5.4)",
    ),
    "not-run": Meaning(
        "skipped",
        red=False,
        judged=False,
        whose="adapter",
        says="something needed to run or observe it is missing",
    ),
    "xfail": Meaning(
        "skipped",
        red=False,
        judged=True,
        whose="runtime",
        says="fails as the list of expected failures says",
    ),
    "xpass": Meaning(
        "failed",
        red=True,
        judged=True,
        whose="user",
        says="listed as an expected failure, but the listed status is stale",
    ),
    "flaky": Meaning(
        "failed",
        red=True,
        judged=True,
        whose="runtime",
        says="a second run in a fresh process gave another verdict",
    ),
}

#: Exit codes, pytest's numbers throughout; 6 is our own (``hxconf certify``).
EXIT: Final = {
    "ok": 0,
    "failed": 1,
    "interrupted": 2,
    "suite-fault": 3,
    "usage": 4,
    "nothing": 5,
    "incomplete": 6,
}
