"""Check the documents and plans of execution cases: neutral ids, times, planned outputs."""

import re
from collections.abc import Collection, Iterator
from typing import Final

from comparator.address import parse_address
from comparator.facts import STEP_TYPES, Facts
from suite.corpus.case import Case, Scenario
from suite.corpus.durations import NEVER
from suite.corpus.golden_file import sections_of
from suite.corpus.needs import needs_of
from suite.corpus.plan import Plan, Point, StepText
from suite.corpus.survey import Survey

__all__ = ["SHORT", "check_document", "check_plan"]

#: Seconds that what is planned to elapse takes at most; what must not elapse takes ``NEVER``.
SHORT: Final = 0.05

#: Fragments that would tell a runtime, or a reader, what becomes of a node.
_TELLING: Final = (
    "abort",
    "cancel",
    "compens",
    "error",
    "expect",
    "fail",
    "never",
    "pending",
    "quorum",
    "reach",
    "ready",
    "retry",
    "running",
    "skip",
    "succe",
    "taken",
    "timeout",
    "undo",
    "valid",
)

#: Open points about what starts without an ``entry`` attribute.
_ABOUT_ENTRY: Final = frozenset({"A66", "A113"})

#: Kind of declared time → state that a node passes through when the time matters.
_STATE_OF: Final = {"retry": "RETRYING", "timeout": "RUNNING", "wait": "RUNNING"}


def check_document(
    case: Case, facts: Facts, seen: Survey, open_points: Collection[str]
) -> Iterator[str]:
    """Yield what is wrong with a document; ``open_points`` are those that its goldens meet."""
    for node in facts.nodes:
        if any(part in node.lower() for part in _TELLING):
            yield f"{case.id}: node {node!r}: expected a neutral word, observed a telling one"
        if not re.fullmatch(r"[a-z][a-z0-9]*", node):
            yield f"{case.id}: node {node!r}: expected lower-case letters and digits"
    for clash in seen.clashes:
        yield f"{case.id}: expected node ids in references only, observed {clash}"
    for fault in seen.faults:
        yield f"{case.id}: {fault}"
    branching = [key for key, node in facts.nodes.items() if node.decision or node.loop]
    if branching and facts.entry is None and not _ABOUT_ENTRY & set(open_points):
        yield (
            f"{case.id}: expected the attribute entry beside the decision or loop "
            f"{branching[0]!r}, or a choice about {' or '.join(sorted(_ABOUT_ENTRY))}"
        )


def check_plan(scenario: Scenario, plan: Plan, facts: Facts, seen: Survey) -> Iterator[str]:
    """Yield what is wrong with a plan."""
    where = f"{scenario.id}: plan"
    yield from _check_addresses(where, plan, facts)
    for resource in plan.unresolvable:
        if resource not in seen.resources:
            yield f"{where}: unresolvable: expected a declared resource, observed {resource!r}"
    for artifact in plan.bad_digests:
        if artifact not in seen.artifacts:
            yield f"{where}: bad-digests: expected a declared artifact, observed {artifact!r}"
    for key in plan.secrets:
        if key not in seen.credentials:
            yield f"{where}: secrets: expected a declared credential as store/ref, observed {key!r}"
    yield from _check_times(scenario, plan, facts, seen)
    yield from _check_outputs(scenario, facts, seen)


def _check_addresses(where: str, plan: Plan, facts: Facts) -> Iterator[str]:
    for answer in plan.answers:
        address = parse_address(answer.node)
        node = facts.nodes.get(address.node)
        if address.node == "*":
            continue
        if node is None:
            yield f"{where}: {answer.node}: expected a node of the document, observed none"
        elif node.type not in STEP_TYPES:
            yield f"{where}: {answer.node}: expected a node with a step, observed a {node.type}"
    for point in (*(a.hold for a in plan.answers), *(e.at for e in plan.events), plan.cancel):
        if isinstance(point, Point) and parse_address(point.node).node not in facts.nodes:
            yield f"{where}: {point.node}: expected a node of the document, observed none"


def _check_times(scenario: Scenario, plan: Plan, facts: Facts, seen: Survey) -> Iterator[str]:
    """Without numbers in the golden a time elapses at once or not at all."""
    if needs_of(scenario, facts).virtual_clock:
        return
    times = [(f"plan: {a.node}: after", a.after) for a in plan.answers if a.after is not None]
    times += [
        (f"node {delay.node!r}: {delay.kind}", delay.seconds)
        for delay in seen.delays
        if _passes(scenario, delay.node, _STATE_OF[delay.kind])
    ]
    for what, seconds in times:
        if SHORT < seconds < NEVER:
            yield (
                f"{scenario.id}: {what}: expected at most {SHORT} s, at least {NEVER:.0f} s, or a "
                f"golden with times; observed {seconds:g} s"
            )


def _check_outputs(scenario: Scenario, facts: Facts, seen: Survey) -> Iterator[str]:
    """An output that something reads is planned; ``{ ok = {} }`` leaves it out on purpose."""
    for key, port in sorted(seen.reads):
        node = facts.nodes.get(key)
        if node is None or node.type not in STEP_TYPES or not _passes(scenario, key, "SUCCEEDED"):
            continue
        steps = _steps(scenario, key)
        if not steps:
            yield f"{scenario.id}: plan: {key}: expected the output {port!r}, observed no answer"
        for address, step in steps.items():
            delivered = step.ok if isinstance(step, StepText) else None
            failing = isinstance(step, StepText) and step.ok is None
            on_purpose = delivered == {}
            if not failing and step != "hang" and not on_purpose and port not in (delivered or {}):
                yield (
                    f"{scenario.id}: plan: {address}: expected the output {port!r}, which the "
                    "document reads, or { ok = {} }; observed neither"
                )


def _steps(scenario: Scenario, node: str) -> dict[str, str | StepText]:
    """Return the steps of the plan as written that are about ``node``, else those about ``*``."""
    plan = scenario.id.rpartition(".")[2]
    steps = scenario.case.text.plans[plan].steps
    named = {a: step for a, step in steps.items() if parse_address(a).node == node}
    return named or {a: step for a, step in steps.items() if parse_address(a).node == "*"}


def _passes(scenario: Scenario, node: str, state: str) -> bool:
    """Whether some path of the node, of whatever iteration and option, holds the state."""
    golden = scenario.golden
    if golden is None:
        return False
    return any(
        path.is_ == "*" or state in path.is_.split()
        for _, section in sections_of(golden)
        for address, path in section.paths.items()
        if parse_address(address).node == node
    )
