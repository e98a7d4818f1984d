"""Check goldens against their documents, the lifecycle, the ledger and the open points."""

from collections.abc import Iterator
from itertools import pairwise

from comparator.address import parse_address, parse_event
from comparator.compare import compare
from comparator.facts import STEP_TYPES, Facts, Node
from comparator.golden import Choice, Golden, PathEntry, Section
from comparator.lifecycle import IDEMPOTENT_ONLY, INITIAL, LEGAL, UNDER_TIMEOUT_SKIP
from comparator.observation import Observation
from comparator.trace import Trace
from suite.corpus.case import LEVELS, Scenario
from suite.corpus.catalogue import Corpus
from suite.corpus.cites import cites_of, entries_of
from suite.corpus.golden_file import sections_of

__all__ = ["check_cites", "check_golden"]

#: Paths that expect nothing to happen, or nothing in particular.
_NOTHING = frozenset({"", "*"})


def check_cites(scenario: Scenario, corpus: Corpus) -> Iterator[str]:
    """Yield the cites that name no requirement, or one that no run can show."""
    for cite in cites_of(scenario):
        requirement = corpus.ledger.get(cite)
        if requirement is None:
            yield f"{scenario.id}: cites: expected the id of a requirement, observed {cite!r}"
        elif requirement.unobservable is not None:
            yield (
                f"{scenario.id}: cites: {cite} is listed as unobservable: "
                f"{requirement.unobservable}"
            )


def check_golden(scenario: Scenario, golden: Golden, facts: Facts, corpus: Corpus) -> Iterator[str]:
    """Yield what is wrong with a golden."""
    where = f"{scenario.id}: golden"
    for key, cites in entries_of(golden):
        if len(set(cites)) < len(cites):
            yield f"{where}: {key}: cites: expected each once, observed {', '.join(cites)}"
    for prefix, section in sections_of(golden):
        for address, path in section.paths.items():
            yield from _check_path(f"{where}: {prefix}paths.{address}", address, path, facts)
        for name in _addressed(section):
            if name not in facts.nodes:
                yield f"{where}: {prefix}{name}: expected a node of the document, observed none"
        for call in section.calls:
            node = facts.nodes.get(parse_address(call.node).node)
            if node is not None and node.type not in STEP_TYPES:
                yield f"{where}: {call.node}: expected a node with a step, observed a {node.type}"
        yield from _check_events(f"{where}: {prefix}order", golden, section)
    yield from _check_listed(where, golden, facts)
    yield from _check_positive(where, golden)
    for choice in golden.choices:
        yield from _check_readings(where, choice, corpus)
    yield from _check_disjoint(where, golden)
    yield from _check_empty_run(scenario, golden, facts)


def _check_path(where: str, address: str, path: PathEntry, facts: Facts) -> Iterator[str]:
    node = facts.nodes.get(parse_address(address).node)
    if node is None:
        yield f"{where}: expected a node of the document, observed none"
        return
    if path.is_ in _NOTHING:
        return
    for pair in pairwise([INITIAL, *path.is_.split(" ")]):
        if not _legal(pair, node):
            yield f"{where}: expected legal pairs (§6.2), observed {pair[0]} → {pair[1]}"


def _legal(pair: tuple[str, str], node: Node) -> bool:
    if pair in IDEMPOTENT_ONLY:
        return node.idempotent
    if pair in UNDER_TIMEOUT_SKIP:
        return node.on_timeout == "skip"
    return pair[1] in LEGAL[pair[0]]


def _addressed(section: Section) -> Iterator[str]:
    """Yield the nodes that entries other than paths are about."""
    for rule in section.order:
        for event in (rule.event, *rule.after):
            yield parse_event(event).node
    for call in section.calls:
        yield parse_address(call.node).node
    for timer in section.timers:
        yield parse_address(timer.node).node
    for idle in section.at_idle:
        for address in idle.states:
            yield parse_address(address).node
    for code in section.codes:
        if code.node is not None:
            yield parse_address(code.node).node


def _check_events(where: str, golden: Golden, section: Section) -> Iterator[str]:
    """An event that no path passes through could never be ordered."""
    own = [section.paths] if section is not golden else [o.paths for _, o in sections_of(golden)]
    for rule in section.order:
        for text in (rule.event, *rule.after):
            event = parse_event(text)
            address = text.rpartition(":")[0]
            paths = [p[address].is_ for p in (golden.paths, *own) if address in p]
            if not any(
                path == "*" or path.split().count(event.state) >= event.occurrence for path in paths
            ):
                yield f"{where}: expected an event that a path passes through, observed {text!r}"


def _check_listed(where: str, golden: Golden, facts: Facts) -> Iterator[str]:
    """Every declared node has a path, whichever options a run follows."""
    fixed = {parse_address(address).node for address in golden.paths}
    chosen: set[str] = set()
    for index, choice in enumerate(golden.choices):
        per_option = [{parse_address(a).node for a in o.paths} - fixed for o in choice.options]
        for number, nodes in enumerate(per_option):
            missing = set().union(*per_option) - nodes
            if missing:
                yield (
                    f"{where}: choices.{index}.options.{number}: expected paths of "
                    f"{', '.join(sorted(missing))} as in the other options, observed none"
                )
        chosen |= set().union(*per_option)
    for node in facts.nodes:
        if node not in fixed | chosen:
            yield f"{where}: paths: expected every declared node, observed none of {node!r}"


def _check_positive(where: str, golden: Golden) -> Iterator[str]:
    """A runtime that does nothing at all fails every scenario."""
    if _happens(golden) or any(all(_happens(o) for o in c.options) for c in golden.choices):
        return
    yield f"{where}: paths: expected a node that runs in every reading, observed none"


def _happens(section: Section) -> bool:
    return any(path.is_ not in _NOTHING for path in section.paths.values())


def _check_empty_run(scenario: Scenario, golden: Golden, facts: Facts) -> Iterator[str]:
    """The comparator understands every address, and a run of nothing passes at no level."""
    nothing = Observation(trace=Trace(()), calls=(), idles=(), reports=())
    for level in LEVELS[LEVELS.index(scenario.case.text.level) :]:
        try:
            passes = not compare(facts, golden, nothing, level).differences
        except ValueError as error:
            yield f"{scenario.id}: golden: at level {level}: {error}"
            return
        if passes:
            yield f"{scenario.id}: golden: expected an empty run to fail at level {level}"


def _check_readings(where: str, choice: Choice, corpus: Corpus) -> Iterator[str]:
    where = f"{where}: choice {choice.interpretation}"
    point = corpus.interpretations.get(choice.interpretation)
    if point is None:
        yield f"{where}: expected an entry of interpretations.toml, observed none"
        return
    letters = {option.reading for option in choice.options}
    if letters != set(point.readings):
        yield (
            f"{where}: expected one option or more for each of the readings "
            f"{', '.join(point.readings)}, observed {', '.join(sorted(letters))}"
        )
    preferred = {option.reading for option in choice.options if option.preferred}
    if preferred != {point.preferred}:
        observed = ", ".join(sorted(preferred))
        yield f"{where}: preferred: expected {point.preferred}, observed {observed}"


def _check_disjoint(where: str, golden: Golden) -> Iterator[str]:
    """No address has its path from two places, and no choice is made twice."""
    owners = [set(golden.paths)]
    owners += [set().union(*(o.paths for o in c.options)) for c in golden.choices]
    for index, owner in enumerate(owners):
        for other in owners[index + 1 :]:
            for address in sorted(owner & other):
                yield f"{where}: paths.{address}: expected in one place, observed in two"
    outcomes = sum(any(o.outcome for o in c.options) for c in golden.choices)
    if outcomes + (golden.outcome is not None) > 1:
        yield f"{where}: outcome: expected in one place, observed in several"
    for index, choice in enumerate(golden.choices):
        have = [o.outcome is not None for o in choice.options]
        if any(have) and not all(have):
            yield f"{where}: choices.{index}: outcome: expected in every option or in none"
