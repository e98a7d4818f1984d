"""The judge: a pure function from scenario, facts and exchange to a verdict."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from comparator.compare import compare, impossible_steps
from comparator.difference import Comparison
from comparator.explain import explain
from comparator.facts import Facts
from suite.corpus.case import Level, Scenario
from suite.corpus.cites import cites_of, followed_cites
from suite.corpus.facts_reader import read_facts
from suite.corpus.golden_file import sections_of
from suite.protocol.breach import listed
from suite.protocol.exchange import Exchange
from suite.protocol.messages import Description
from suite.verdict.documents import errors_of, judge_findings, misplaced, missing_advice
from suite.verdict.gate import highest_level
from suite.verdict.observe import observe, open_together
from suite.verdict.status import Status
from suite.verdict.verdict import Verdict

__all__ = ["Verdict", "judge"]

#: Exchanges that end without anything to compare.
_BROKEN: Final[dict[str, Status]] = {
    "crash": "crash",
    "timeout": "timeout",
    "protocol-error": "protocol-error",
    "unable": "not-run",
}

#: What a finding without its place, or at another one, breaks.
_PLACE: Final = ("13.5-diagnostic-content",)

#: What codes about documents begin with (§13.2).
_OF_DOCUMENTS: Final = ("HX-1", "HX-2", "HX-3")

#: Outcomes of an instance that was not refused.
_WENT_WELL: Final = frozenset({"succeeded", "compensated"})

#: Exchanges that break a requirement of their own where the trace shows nothing wrong.
_STUCK: Final = {"deadlock": ("5.7-complete-when-nothing-can-move",)}


def judge(  # noqa: PLR0913  each part of a verdict comes from elsewhere
    scenario: Scenario,
    facts: Facts | None,
    exchange: Exchange,
    description: Description,
    *,
    statements: Mapping[str, str] | None = None,
    level: Level | None = None,
) -> Verdict:
    """Return the verdict on one exchange.

    Args:
        scenario: what was run, with plan and golden for execution cases.
        facts: of the scenario's document; read from it when None and needed.
        exchange: what came of it.
        description: what the implementation says of itself.
        statements: requirement id → statement, for the explanation.
        level: level that is being assessed; by default the highest declared one.
    """
    broken = _BROKEN.get(exchange.kind)
    if exchange.kind == "unable" and scenario.golden is not None:
        facts = read_facts(scenario.case.document) if facts is None else facts
        seen = _impossible(scenario, facts, exchange, description, statements or {})
        if seen is not None:
            return seen
    if broken is not None:
        return _without_differences(scenario, broken, exchange.detail)
    if scenario.golden is None:
        return _judge_document(scenario, exchange)
    if exchange.kind == "findings":
        codes = listed(errors_of(exchange.findings)) or "no error"
        return _without_differences(
            scenario,
            "fail",
            f"expected a run of a valid document, observed it refused with {codes}",
        )
    facts = read_facts(scenario.case.document) if facts is None else facts
    secrets = any(section.absent_text for _, section in sections_of(scenario.golden))
    observation = observe(exchange.transcript, description, text=secrets)
    comparison = compare(facts, scenario.golden, observation, level or highest_level(description))
    lines = (
        explain(facts, comparison, statements or {}, observation) if comparison.differences else []
    )
    return _verdict(scenario, exchange, description, comparison, lines)


def _impossible(
    scenario: Scenario,
    facts: Facts,
    exchange: Exchange,
    description: Description,
    statements: Mapping[str, str],
) -> Verdict | None:
    """Return the verdict on steps that no lifecycle has, of a run that shows too little else."""
    observation = observe(exchange.transcript, description, text=False)
    found = tuple(impossible_steps(facts, observation.trace.transitions))
    if not found:
        return None
    comparison = Comparison(found, told=observation.trace.outcome is not None)
    lines = explain(facts, comparison, statements, observation)
    return _verdict(scenario, exchange, description, comparison, lines)


def _verdict(
    scenario: Scenario,
    exchange: Exchange,
    description: Description,
    comparison: Comparison,
    lines: list[str],
) -> Verdict:
    """Add to the comparison what only the messages show: deadlock and the serial declaration."""
    reasons: list[str] = []
    if exchange.kind == "deadlock":
        reasons += exchange.detail.splitlines() or ["nothing moves, and no timer is due"]
    most = description.open_steps
    together = open_together(exchange.transcript) if most else 0
    if together > most:
        reasons.append(
            f"expected at most {most} steps open together, as declared by "
            f"openSteps; observed {together}"
        )
    reasons += lines
    failed = bool(reasons or comparison.differences)
    unseen = comparison.unobservable and reasons == lines
    return Verdict(
        scenario=scenario.id,
        status="not-run" if unseen else "fail" if failed else "pass",
        reason=reasons[0] if reasons else "differs from the golden" if failed else "",
        cites=cites_of(scenario) if failed else _shown(scenario, comparison),
        blamed=() if unseen else comparison.blamed or _STUCK.get(exchange.kind, ()),
        differences=comparison.differences,
        readings=comparison.readings,
        notes=comparison.notes if comparison.told else {**comparison.notes, "outcome-missing": 1},
        unjudged=comparison.unjudged,
        text=tuple(reasons),
    )


def _shown(scenario: Scenario, comparison: Comparison) -> tuple[str, ...]:
    """Return what a passing run showed: nothing of outcomes where it did not tell its own."""
    chosen = [reading.option for reading in comparison.readings]
    return followed_cites(scenario, chosen, outcome=comparison.told)


def _judge_document(scenario: Scenario, exchange: Exchange) -> Verdict:
    text = scenario.case.text
    if text.refused or (text.run and exchange.kind != "findings"):
        return _judge_refusal(scenario, exchange)
    if exchange.kind != "findings":
        return _without_differences(
            scenario,
            "protocol-error",
            f"expected findings in answer to validate, observed {exchange.kind}",
        )
    fault = judge_findings(scenario.case, exchange.findings)
    if fault is not None:
        return _refused(scenario, fault)
    place = misplaced(scenario.case, exchange.findings)
    if place is not None:
        return _refused(scenario, place, blamed=_PLACE)
    notes = missing_advice(scenario.case, exchange.findings)
    return Verdict(scenario=scenario.id, status="pass", cites=cites_of(scenario), notes=notes)


def _judge_refusal(scenario: Scenario, exchange: Exchange) -> Verdict:
    """Judge a run that had to be refused, and not for what a validator finds in the document.

    An environment refuses a valid document (§11.8) by the end of a run in which nothing moved, or
    by errors that say nothing against the document itself.
    """
    kinds = Counter(str(e.message.get("type")) for e in exchange.transcript.entries)
    moves = f"{kinds['transition']} transitions and {kinds['invoke']} step calls"
    outcome = next((e.message.get("outcome") for e in exchange.transcript.entries[-1:]), None)
    still = not (kinds["transition"] or kinds["invoke"]) and outcome not in _WENT_WELL
    errors = errors_of(exchange.findings)
    surroundings = bool(errors) and not any(code.startswith(_OF_DOCUMENTS) for code in errors)
    if scenario.case.text.refused and (surroundings or (exchange.kind == "ended" and still)):
        return Verdict(scenario=scenario.id, status="pass", cites=cites_of(scenario))
    seen = f"a run of {moves}" + (f" with the outcome {outcome}" if outcome else "")
    if exchange.kind == "findings":
        seen = f"it called invalid, with {listed(errors)}" if errors else "it accepted"
    return _refused(scenario, f"expected the document refused, observed {seen}")


def _refused(scenario: Scenario, fault: str, *, blamed: tuple[str, ...] = ()) -> Verdict:
    """Return the verdict on an answer that is wrong about a document."""
    cites = cites_of(scenario)
    return Verdict(
        scenario=scenario.id,
        status="fail",
        reason=fault,
        cites=cites,
        blamed=blamed or cites,
        text=(fault,),
    )


def _without_differences(scenario: Scenario, status: Status, detail: str) -> Verdict:
    lines = tuple(detail.splitlines()) or (status,)
    return Verdict(
        scenario=scenario.id,
        status=status,
        reason=lines[0],
        cites=cites_of(scenario),
        text=lines,
    )
