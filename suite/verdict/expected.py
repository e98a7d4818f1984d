"""Expected failures: a reviewed list of what is known to fail; stale or unknown lines are red."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec

from suite.corpus.toml_file import CorpusError, read_toml
from suite.verdict.status import STATUSES
from suite.verdict.verdict import Verdict

__all__ = [
    "Expected",
    "ExpectedError",
    "ExpectedFile",
    "apply_expected",
    "check_known",
    "load_expected",
    "stale_lines",
]

_Text = Annotated[str, msgspec.Meta(min_length=1)]


class ExpectedError(ValueError):
    """The file is malformed or names what the corpus does not have; a usage error."""


class Expected(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One known failure: of a scenario, or of every scenario in which a requirement is blamed.

    Attributes:
        scenario: id; exactly one of scenario and requirement is given.
        requirement: id.
        status: exact status that is expected.
        reason: why it is accepted for now.
        link: where it is tracked.
    """

    status: Literal["fail", "crash", "timeout", "protocol-error", "flaky"]
    reason: _Text
    link: _Text
    scenario: str | None = None
    requirement: str | None = None

    def matches(self, verdict: Verdict) -> bool:
        """Whether the line is about this verdict, whatever its status."""
        if self.scenario is not None:
            return self.scenario == verdict.scenario
        return self.requirement in verdict.blamed

    def __str__(self) -> str:
        """Write the line for messages."""
        what = (
            f"requirement {self.requirement}"
            if self.scenario is None
            else f"scenario {self.scenario}"
        )
        return f"{what}: {self.status}"


class ExpectedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    expected: tuple[Expected, ...] = ()


#: Skipped before it ran: says nothing about whether a line is stale.
_SILENT: Final = frozenset({"not-run", "suite-fault"})


def load_expected(path: Path) -> tuple[Expected, ...]:
    """Read the file.

    Raises:
        ExpectedError: it cannot be read, is malformed, or a line names neither or both of
            scenario and requirement.
    """
    try:
        file = read_toml(path.read_bytes(), ExpectedFile, str(path))
    except OSError as error:
        raise ExpectedError(f"{path}: expected a readable file, observed {error}") from error
    except CorpusError as error:
        raise ExpectedError(str(error)) from error
    for index, line in enumerate(file.expected):
        if (line.scenario is None) == (line.requirement is None):
            raise ExpectedError(
                f"{path}: expected.{index}: expected either scenario or requirement, "
                "observed both or neither"
            )
    return file.expected


def check_known(
    expected: Iterable[Expected], scenarios: Mapping[str, Any], ledger: Mapping[str, Any]
) -> None:
    """Refuse lines about what the corpus does not have.

    Raises:
        ExpectedError: naming every such line.
    """
    unknown = [
        str(line)
        for line in expected
        if (line.scenario is not None and line.scenario not in scenarios)
        or (line.requirement is not None and line.requirement not in ledger)
    ]
    if unknown:
        raise ExpectedError(f"expected failures not in this corpus: {'; '.join(unknown)}")


def apply_expected(verdict: Verdict, expected: Iterable[Expected]) -> Verdict:
    """Turn an expected failure into xfail, and a stale line about this scenario into xpass."""
    lines = [line for line in expected if line.matches(verdict)]
    agreeing = next((line for line in lines if line.status == verdict.status), None)
    if agreeing is not None:
        reason = f"{agreeing.reason} ({agreeing.link}): {verdict.reason}"
        return msgspec.structs.replace(verdict, status="xfail", reason=reason)
    stale = next((line for line in lines if line.scenario is not None), None)
    if stale is None or verdict.status in _SILENT:
        return verdict
    if STATUSES[verdict.status].red and verdict.status != "flaky":
        reason = f"listed as {stale.status}, observed {verdict.status}: {verdict.reason}"
    else:
        reason = f"listed as {stale.status}, observed {verdict.status}; remove the line"
    return msgspec.structs.replace(verdict, status="xpass", reason=reason)


def stale_lines(expected: Iterable[Expected], verdicts: Iterable[Verdict]) -> tuple[Expected, ...]:
    """Return the lines by which no verdict of a complete run became xfail.

    ``verdicts`` are those that ``apply_expected`` returned.
    """
    failing = [verdict for verdict in verdicts if verdict.status == "xfail"]
    return tuple(line for line in expected if not any(line.matches(v) for v in failing))
