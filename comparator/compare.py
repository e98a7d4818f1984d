"""Compare one observed run with what the document and the golden demand."""

from collections.abc import Iterator

from comparator.attempts import attempt_differences
from comparator.causality import in_causal_order
from comparator.choices import choose, domain
from comparator.clocks import backwards
from comparator.difference import Comparison, Difference
from comparator.evidence import Evidence
from comparator.facts import Facts
from comparator.form import as_key
from comparator.golden import Golden
from comparator.graph import Graph
from comparator.legality import LEFT_OPEN
from comparator.licences import unlicensed
from comparator.loop_ends import loop_end_differences
from comparator.observation import Observation
from comparator.order import unjustified
from comparator.paths import LEGALITY_ONLY, expected_paths, path_differences, unlisted
from comparator.sections import section_differences
from comparator.tags import misplaced_tags
from comparator.walk import Run, walk

__all__ = ["compare"]


def compare(
    facts: Facts, golden: Golden, observation: Observation, level: str | None = None
) -> Comparison:
    """Return how the run differs from what is demanded; linear in transitions and edges.

    Args:
        facts: the document.
        golden: what is expected of the scenario.
        observation: what was seen of the run.
        level: level that is judged (core, executing, full), which rules out some readings.

    Raises:
        AddressError: the golden names a node or an iteration that the document does not have.
        ValueError: no option of a choice is accepted at ``level``.
    """
    run = Run(Graph(facts), observation.trace.transitions)
    walk(run)
    evidence = Evidence(run, observation, golden)
    paths = expected_paths(evidence, golden.paths)
    domains = [domain(evidence, choice) for choice in golden.choices]
    chosen = [
        choose(evidence, choice, about, level)
        for choice, about in zip(golden.choices, domains, strict=True)
    ]
    differences = [
        *_of_the_trace(run, observation),
        *path_differences(evidence, paths),
        *unlisted(run, (paths, *domains)),
        *loop_end_differences(evidence),
        *attempt_differences(evidence),
        *section_differences(evidence, golden),
    ]
    for choice in chosen:
        differences += choice.differences
    unjudged = [
        address
        for section in (golden, *(choice.option for choice in chosen))
        for address, entry in section.paths.items()
        if entry.is_ == LEGALITY_ONLY
    ]
    return Comparison(
        differences=in_causal_order(run, differences),
        readings=tuple(choice.reading for choice in chosen),
        notes=_notes(run),
        told=observation.trace.outcome is not None,
        unjudged=tuple(unjudged),
    )


def _notes(run: Run) -> dict[str, int]:
    untimed = sum(transition.at is None for transition in run.transitions)
    return {**run.notes, "time-missing": untimed} if untimed else run.notes


def _of_the_trace(run: Run, observation: Observation) -> Iterator[Difference]:
    """Yield what is wrong with the trace whatever the golden says."""
    unclear = run.keys.unclear
    found = [
        *run.breaches(),
        *unjustified(run),
        *unlicensed(run, cancelled=observation.cancelled, outcome=observation.trace.outcome),
        *backwards(run),
        *misplaced_tags(run),
        *_left_open(run),
    ]
    for difference in found:
        if not unclear or difference.key is None or difference.key.node not in unclear:
            yield difference


def _left_open(run: Run) -> Iterator[Difference]:
    if any(history.state in LEFT_OPEN for history in set(run.at.values())):
        for where, history in run.at.items():
            if history.state in LEFT_OPEN and as_key(where).node in run.graph.facts.nodes:
                yield Difference(
                    kind="left-open",
                    cites=(LEFT_OPEN[history.state],),
                    key=as_key(where),
                    observed=history.state,
                )
