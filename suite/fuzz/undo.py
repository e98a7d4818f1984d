"""Compensation (§8.4): when a compensating node may run, and when its source is COMPENSATED."""

from suite.fuzz.model import node_id
from suite.fuzz.seen import Seen

__all__ = [
    "compensated",
    "must_be_compensated",
    "outcomes",
    "undo_cancelled",
    "undo_ready",
    "undo_runs",
]

_ANY = frozenset({"failed", "compensated"})


def _begun(seen: Seen, target: int) -> bool:
    """Whether a compensating node has started its work; A96: its states may not be shown."""
    return seen.states[target] not in ("PENDING", "READY") or seen.called[target] > 0


def _worked(seen: Seen, target: int) -> bool:
    """Whether its work is done, as far as that is shown (A96)."""
    if seen.steps[target]:
        return seen.states[target] == "SUCCEEDED"
    return not seen.run.calls or seen.answers[target] == "ok"


def _spoiled(seen: Seen, target: int) -> bool:
    """Whether it has failed for good."""
    if seen.steps[target]:
        return seen.states[target] == "FAILED"
    node = seen.model.nodes[target]
    return seen.answers[target] == "fail" and seen.called[target] >= node.attempts_due


def undo_ready(seen: Seen, target: int) -> None:
    """§8.4.1: only in unwinding, only for what SUCCEEDED, and only along a live edge (A106)."""
    edge = seen.graph.undoes[target]
    if edge is None:
        return
    name = node_id(edge.source)
    cites: tuple[str, ...]
    if not seen.unwinding and not seen.perhaps_unwinding:
        cites = (
            "4.5-compensation-edge-never-forward",
            "5.2-compensation-handler-waits-for-unwinding",
        )
        seen.report(cites, target, "PENDING, as nothing is unwinding", "PENDING to READY")
    elif seen.states[edge.source] != "SUCCEEDED":
        cites = ("8.4.1-only-succeeded-compensated",)
        expected = f"PENDING, as {name} is {seen.states[edge.source]}"
        seen.report(cites, target, expected, "PENDING to READY")
    elif edge.condition == "false":
        cites = ("4.6-false-condition-not-traversed",)
        expected = f"PENDING, as its edge from {name} is false"
        seen.report(cites, target, expected, "PENDING to READY")


def undo_runs(seen: Seen, target: int) -> None:
    """§8.4.1: the latest completion is undone first, in the order of this run (A98)."""
    edge = seen.graph.undoes[target]
    if edge is None or edge.source not in seen.done:
        return
    place = seen.done.index(edge.source)
    for later in seen.done[place + 1 : seen.settled]:
        other = seen.graph.undone[later]
        if other is None or other.condition == "false" or later in _open_sources(seen):
            continue
        if not _begun(seen, other.target) and seen.states[later] == "SUCCEEDED":
            cites = ("8.4.1-reverse-completion-order",)
            expected = f"{node_id(other.target)} first, as {node_id(later)} completed later"
            seen.report(cites, target, expected, "READY to RUNNING")


def undo_cancelled(seen: Seen, target: int) -> None:
    """Unwinding cancels forward work; only a cancel from outside ends a compensation."""
    if not seen.run.cancel:
        cites = ("8.4.1-compensate-succeeded-with-edge",)
        seen.report(cites, target, "its own end, as it compensates", "CANCELLED")


def compensated(seen: Seen, source: int) -> None:
    """§6.2: after the work of the compensating node, and only with one."""
    edge = seen.graph.undone[source]
    if not seen.unwinding and not seen.perhaps_unwinding:
        cites: tuple[str, ...] = ("6.2-no-compensated-outside-unwinding",)
        if "FAILED" in seen.states:
            cites = (*cites, "8.4.1-handled-failure-no-compensation")
        seen.report(cites, source, "SUCCEEDED, as nothing undoes it", "COMPENSATED")
    elif edge is None or edge.condition == "false":
        cites = ("8.4.1-without-edge-stays-succeeded",)
        seen.report(cites, source, "SUCCEEDED, as nothing undoes it", "COMPENSATED")
    elif _spoiled(seen, edge.target):
        cites = ("8.4.3-failed-compensation-recorded", "6.2-succeeded-compensated")
        seen.report(cites, source, "SUCCEEDED, as its compensation failed", "COMPENSATED")
    elif not _worked(seen, edge.target):
        cites = ("6.2-succeeded-compensated", "4.5-compensation-direction")
        expected = f"SUCCEEDED until {node_id(edge.target)} has done its work"
        seen.report(cites, source, expected, "COMPENSATED")


def _open_sources(seen: Seen) -> set[int]:
    """Sources on a losing branch: their results are discarded, their undo is open (A53)."""
    return seen.losing() if seen.fired else set()


def _compensates(seen: Seen) -> bool:
    """Whether §8.4 binds the runtime: at level Full, and where it has begun to compensate."""
    begun = any(
        edge is not None and _begun(seen, edge.target) and seen.states[edge.target] != "CANCELLED"
        for edge in seen.graph.undone
    )
    return seen.run.full or begun or "COMPENSATED" in seen.states


def must_be_compensated(seen: Seen) -> None:
    """§8.4.1, at the end: everything that had SUCCEEDED before and has a live edge."""
    if not seen.unwinding or seen.run.cancel or not _compensates(seen):
        return
    spared = _open_sources(seen)
    for source in seen.done[: seen.settled]:  # what ends later may be spared too (A93, A95)
        edge = seen.graph.undone[source]
        if edge is None or edge.condition == "false" or source in spared:
            continue
        if seen.states[source] == "SUCCEEDED" and not _spoiled(seen, edge.target):
            others_failed = any(
                e is not None and _spoiled(seen, e.target) for e in seen.graph.undone
            )
            cites: tuple[str, ...] = ("8.4.1-compensate-succeeded-with-edge",)
            if others_failed:
                cites = ("8.4.3-failed-compensation-continues", *cites)
            seen.report(cites, source, "COMPENSATED before the end", "SUCCEEDED")


def outcomes(seen: Seen) -> tuple[frozenset[str], tuple[str, ...]]:
    """§5.7, §8.4: outcomes that an unhandled failure may have, and the sentences."""
    edges = [edge for edge in seen.graph.undone if edge is not None]
    if any(_spoiled(seen, edge.target) for edge in edges):
        return frozenset({"failed"}), ("8.4.3-failed-compensation-outcome", "5.7-outcome-failed")
    if any(edge.condition == "false" for edge in edges):  # A106
        return _ANY, ("5.7-outcome-failed",)
    if "COMPENSATED" in seen.states:
        cites = ("5.7-outcome-compensated", "8.4.1-compensated-outcome")
        return frozenset({"compensated"}), cites
    due = any(seen.graph.undone[source] is not None for source in seen.done[: seen.settled])
    if due and not seen.run.full:
        return frozenset({"failed"}), ("5.7-outcome-failed",)
    return _ANY, ("5.7-outcome-failed",)  # A05
