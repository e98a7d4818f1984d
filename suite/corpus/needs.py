"""What a scenario needs of an implementation, computed from plan and golden, never authored."""

from collections.abc import Mapping

import msgspec

from comparator.address import parse_address
from comparator.facts import STEP_TYPES, Facts, Node
from comparator.golden import Golden
from suite.corpus.case import Scenario
from suite.corpus.facts_reader import read_facts
from suite.corpus.golden_file import sections_of
from suite.corpus.plan import IdlePoint, Plan, Point

__all__ = ["Needs", "needs_of"]


class Needs(msgspec.Struct, frozen=True, kw_only=True):
    """Needs of one scenario.

    Attributes:
        open_steps: step calls that are open together at some point.
        holds: answers are held back, or come later than at once.
        iterations: the plan addresses iterations.
        virtual_clock: times are judged as numbers.
        idle: the suite acts at quiescent points.
        idle_states: states or timers are judged at quiescent points.
        cancel: the instance is cancelled from outside.
        events: external events are delivered.
        faults: resources or digests are made to fail.
        secrets: credentials resolve to what the plan says.
        calls: step calls are judged.
        codes: run-time codes are judged.
    """

    open_steps: int = 1
    holds: bool = False
    iterations: bool = False
    virtual_clock: bool = False
    idle: bool = False
    idle_states: bool = False
    cancel: bool = False
    events: bool = False
    faults: bool = False
    secrets: bool = False
    calls: bool = False
    codes: bool = False

    @property
    def full_control(self) -> bool:
        """Whether a runtime that merely runs a plan and shows its transitions falls short."""
        return self != Needs()


def needs_of(scenario: Scenario, facts: Facts | None = None) -> Needs:
    """Return what the scenario needs; ``facts`` of its document spare reading it again.

    A scenario that only asks for the verdict on a document needs at most an environment.
    """
    plan, golden = scenario.plan, scenario.golden
    if plan is None or golden is None:
        return Needs(faults=bool(scenario.case.text.refused))
    sections = [section for _, section in sections_of(golden)]
    points = [
        *(answer.hold for answer in plan.answers),
        *(event.at for event in plan.events),
        plan.cancel,
    ]
    return Needs(
        open_steps=_open_steps(scenario, plan, golden, facts),
        holds=any(a.hold is not None or a.after is not None for a in plan.answers),
        iterations=any(parse_address(a.node).iteration for a in plan.answers),
        virtual_clock=any(
            s.timers or any(entry.timer is not None for entry in s.at_idle) for s in sections
        ),
        idle=any(isinstance(point, IdlePoint) for point in points),
        idle_states=any(s.at_idle for s in sections),
        cancel=plan.cancel is not None,
        events=bool(plan.events),
        faults=bool(plan.unresolvable or plan.bad_digests or plan.refused),
        secrets=bool(plan.secrets),
        calls=any(s.calls for s in sections),
        codes=any(s.codes for s in sections),
    )


def _open_steps(scenario: Scenario, plan: Plan, golden: Golden, facts: Facts | None) -> int:
    """Return how many step calls are open together in every run that follows the golden."""
    held = _held_together(plan)
    stopped = [a for a, path in golden.paths.items() if path.is_.endswith("RUNNING CANCELLED")]
    aborted = [call.node for call in golden.calls if call.aborts]
    if held == 0 and not golden.at_idle and not stopped and not aborted:
        return 1
    nodes = (read_facts(scenario.case.document) if facts is None else facts).nodes
    together = [
        sum(state == "RUNNING" and _has_step(a, nodes) for a, state in entry.states.items())
        for entry in golden.at_idle
    ]
    # A step is stopped by what another step did meanwhile, unless its own timeout ends it, or
    # the suite cancels the instance, which stops all that are open at once.
    stopped = [address for address in stopped if _has_step(address, nodes)]
    aborted = [address for address in aborted if not _may_time_out(address, nodes)]
    racing = 0
    if stopped or aborted:
        racing = max(1, len(stopped)) if plan.cancel is not None else 2
    return max(1, held, racing, *together)


def _held_together(plan: Plan) -> int:
    """Return how many steps are open while answers are held: these, and one that lets one go.

    An answer that is held until another one of them has been asked for needs no third step.
    """
    holds = {a.node: a.hold for a in plan.answers if isinstance(a.hold, Point)}
    asking = {node for node, hold in holds.items() if hold.state == "RUNNING"}
    if asking and all(holds[node].node in holds.keys() - asking for node in asking):
        return max(len(holds), 1 + len(holds) - len(asking))
    return 1 + len(holds) if holds else 0


def _has_step(address: str, nodes: Mapping[str, Node]) -> bool:
    node = nodes.get(parse_address(address).node)
    return node is not None and node.type in STEP_TYPES


def _may_time_out(address: str, nodes: Mapping[str, Node]) -> bool:
    node = nodes.get(parse_address(address).node)
    return node is not None and node.on_timeout is not None
