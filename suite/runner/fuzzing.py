"""A fuzz campaign as a record; kept apart because most runs need none of its machinery."""

from typing import Final

from suite.fuzz.areas import UnknownAreaError, area_of
from suite.fuzz.campaign import CampaignResult, run_campaign
from suite.fuzz.writer import failure_text, write_case
from suite.protocol.exchange import AdapterDidNotStart
from suite.report.results import Record
from suite.runner.runner import Runner
from suite.runner.settings import SettingError, Settings
from suite.runner.tally import FUZZ

__all__ = ["check_area", "fuzz"]

_EXAMPLES: Final = 200


def check_area(area: str) -> None:
    """Refuse an area that does not exist.

    Raises:
        SettingError: naming the areas.
    """
    try:
        area_of(area)
    except UnknownAreaError as error:
        raise SettingError(f"--hx-fuzz: {error}") from error


def fuzz(runner: Runner, area: str, settings: Settings) -> Record:
    """Run a campaign and return what came of it as a record."""
    try:
        runtime = runner.lend()
    except AdapterDidNotStart as error:
        return Record(id=f"{FUZZ}{area}", status="crash", reason=str(error))
    result = run_campaign(
        runtime,
        area,
        settings.fuzz_examples or _EXAMPLES,
        settings.fuzz_seed or 0,
        limit=settings.limit,
    )
    told = f"{result.examples} random documents, seed {result.seed}"
    late = runtime.take_late()
    if late is not None:
        return Record(
            id=f"{FUZZ}{area}",
            status=late.kind,
            reason=f"{late.detail} (within {told})",
            seconds=result.seconds,
            stderr=late.stderr_tail,
        )
    if result.failure is None:
        return Record(id=f"{FUZZ}{area}", status="pass", reason=told, seconds=result.seconds)
    return _failed(result, told, settings)


def _failed(result: CampaignResult, told: str, settings: Settings) -> Record:
    failure = result.failure
    if failure is None:
        raise ValueError("a clean campaign has no failure")
    lines = failure_text(result, failure).splitlines()
    if settings.fuzz_out is not None:
        lines += [f"written: {path}" for path in write_case(result, settings.fuzz_out)]
    kind = failure.exchange.kind
    status = kind if kind in ("crash", "timeout", "protocol-error") else "fail"
    first = str(failure.findings[0]) if failure.findings else kind
    return Record(
        id=f"{FUZZ}{result.area}",
        status=status if failure.reproducible else "flaky",
        reason=f"{first} (after {told})",
        blamed=failure.findings[0].requirements if failure.findings else (),
        text=tuple(lines),
        seconds=result.seconds,
        stderr=failure.exchange.stderr_tail,
    )
