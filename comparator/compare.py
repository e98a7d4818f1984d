"""Compare one observed run with what the document and the golden demand."""

from collections.abc import Collection, Iterator, Sequence

from comparator.attempts import attempt_differences
from comparator.causality import in_causal_order
from comparator.choices import choose, domain
from comparator.clocks import backwards
from comparator.codes import unfounded_codes
from comparator.difference import Comparison, Difference
from comparator.evidence import Evidence
from comparator.facts import Facts
from comparator.form import as_key
from comparator.golden import Golden
from comparator.graph import Graph
from comparator.legality import LEFT_OPEN, broken_by_pair
from comparator.licences import unlicensed
from comparator.lifecycle import INITIAL
from comparator.loop_ends import loop_end_differences
from comparator.observation import Observation
from comparator.order import unjustified
from comparator.paths import LEGALITY_ONLY, expected_paths, path_differences, unlisted
from comparator.sections import section_differences
from comparator.tags import misplaced_tags
from comparator.trace import Key, Transition
from comparator.walk import Run, walk

__all__ = ["compare", "impossible_steps"]


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
    followed = (golden, *(choice.option for choice in chosen))
    differences += unfounded_codes(evidence, golden, followed)
    unjudged = [
        address
        for section in followed
        for address, entry in section.paths.items()
        if entry.is_ == LEGALITY_ONLY
    ]
    return Comparison(
        differences=in_causal_order(run, differences, _withheld(evidence)),
        readings=tuple(choice.reading for choice in chosen),
        notes=_notes(run),
        told=observation.trace.outcome is not None,
        unjudged=tuple(unjudged),
    )


def _withheld(evidence: Evidence) -> set[Key]:
    """Return whose step has no answer, and no time limit by which it ends without one."""
    run, observation = evidence.run, evidence.observation
    if not observation.answering:
        return set()
    return {
        Key(call.node, tuple((step.loop, step.index) for step in call.iteration))
        for call in observation.calls or ()
        if call.answered is None
        and not call.aborts
        and call.node in run.graph.facts.nodes
        and run.graph.facts.nodes[call.node].on_timeout is None
    }


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
    yield from impossible_steps(run.graph.facts, run.transitions, frozenset(unclear))


def impossible_steps(
    facts: Facts, transitions: Sequence[Transition], nodes: Collection[str] | None = None
) -> Iterator[Difference]:
    """Yield the first step of each node that §6.2 forbids whatever the iteration is.

    Args:
        facts: the document.
        transitions: the trace, or as much of it as was seen.
        nodes: nodes to look at, None for all.
    """
    found: dict[str, Difference] = {}
    for place, transition in enumerate(transitions if nodes is None or nodes else ()):
        name, from_, to = transition.node, transition.from_, transition.to
        node = facts.nodes.get(name)
        # A150: creation entries.
        if node is None or from_ == to == INITIAL or (nodes is not None and name not in nodes):
            continue
        broken = broken_by_pair(node, from_, to)
        if broken and name not in found:
            found[name] = Difference(
                kind="illegal-pair",
                cites=broken,
                key=Key(name),
                place=place,
                observed=f"{from_}→{to}",
            )
    yield from found.values()


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
