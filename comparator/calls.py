"""Step calls that a golden lists: how often, with which inputs, aborted or not."""

from collections.abc import Iterator, Sequence

from comparator.address import parse_address
from comparator.difference import Difference
from comparator.evidence import Evidence, unobservable
from comparator.golden import CallEntry, Section
from comparator.observation import Call
from comparator.trace import Key
from comparator.values import describe_difference, same

__all__ = ["call_differences"]


def call_differences(evidence: Evidence, section: Section) -> Iterator[Difference]:
    """Hold the calls against the section's entries."""
    steps = evidence.steps
    for entry in section.calls:
        key = evidence.key(entry.node.partition("@")[0])
        if steps is None:
            yield unobservable(entry.cites, key, "step calls")
            continue
        attempt = parse_address(entry.node).attempt
        # An address without iteration stands for all iterations of a body.
        single = bool(key.steps) or attempt is not None
        if single and (key.node in steps.ambiguous or key.node in evidence.run.keys.unclear):
            yield unobservable(entry.cites, key, "step calls with their iterations")
            continue
        yield from _entry(entry, key, steps.of(key if key.steps else key.node, attempt))


def _entry(entry: CallEntry, key: Key, calls: Sequence[Call]) -> Iterator[Difference]:
    def difference(
        kind: str, expected: object, observed: object, place: int | None = None, **detail: object
    ) -> Difference:
        return Difference(
            kind=kind,
            cites=entry.cites,
            key=key,
            place=place,
            expected=expected,
            observed=observed,
            detail={"entry": entry.node, **detail},
        )

    if entry.count is not None and len(calls) != entry.count:
        beyond = calls[entry.count].place if len(calls) > entry.count else None
        yield difference("call-count", entry.count, len(calls), beyond)
    aborts = sum(call.aborts for call in calls)
    if entry.aborts is not None and aborts != entry.aborts:
        yield difference("call-aborts", entry.aborts, aborts)
    if entry.inputs is None:
        return
    if not calls and entry.count is None:
        yield difference("call-inputs", entry.inputs, None)
    for call in calls:
        if not same(entry.inputs, call.inputs):
            lines = describe_difference(entry.inputs, call.inputs)
            yield difference("call-inputs", entry.inputs, call.inputs, call.place, lines=lines)
