"""Differences as text for the author of a runtime: place, expected, observed, what to do.

The words are in ``comparator.templates``; no other module of the project makes sentences
about differences. Lines that begin with ``BAR`` quote the trace and depend on how the run was
interleaved; all others are the same for every interleaving of it.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from comparator.difference import Comparison, Difference
from comparator.facts import Facts
from comparator.observation import Observation
from comparator.templates import TEMPLATES
from comparator.trace import Key, Transition, key_of

__all__ = ["BAR", "explain"]

#: Begins the lines that quote the trace.
BAR: Final = "   | "
_SHOWN: Final = 5
_BEFORE: Final = 2
_AFTER: Final = 1
_NAMED: Final = 6
_QUOTED: Final = 60


def explain(
    facts: Facts, comparison: Comparison, statements: Mapping[str, str], observation: Observation
) -> list[str]:
    """Return the explanation line by line, nothing for a run without differences.

    Args:
        facts: the document.
        comparison: result of comparing the run with its golden.
        statements: requirement id → its statement.
        observation: the run.
    """
    differences = comparison.differences
    followers: dict[int, list[Difference]] = {}
    for difference in differences:
        for cause in difference.causes:
            followers.setdefault(cause, []).append(difference)
    roots = [number for number, difference in enumerate(differences) if not difference.causes]
    lines: list[str] = []
    for count, number in enumerate(roots[:_SHOWN], 1):
        lines.append(f"{count}. {_headline(facts, differences[number])}")
        lines += _body(differences[number], statements, observation)
        lines += _consequences(followers.get(number, []))
        lines.append(f"   do: {TEMPLATES[differences[number].kind].advice}")
    if len(roots) > _SHOWN:
        lines.append(f"and {len(roots) - _SHOWN} more differences that do not follow from these")
    return lines


def _headline(facts: Facts, difference: Difference) -> str:
    headline = TEMPLATES[difference.kind].headline
    if difference.key is None:
        return f"the instance: {headline}"
    node = facts.nodes.get(difference.key.node)
    line = f" (line {node.line})" if node is not None and node.line else ""
    return f"{difference.key}{line}: {headline}"


def _body(
    difference: Difference, statements: Mapping[str, str], observation: Observation
) -> Iterator[str]:
    template = TEMPLATES[difference.kind]
    yield from _around(difference, observation.trace.transitions)
    yield f"   expected: {template.expected(difference)}"
    yield f"   observed: {template.observed(difference)}"
    for cite in difference.cites:
        section = cite.partition("-")[0]
        statement = statements.get(cite)
        yield f"   §{section}: {statement or ''} [{cite}]".replace(":  [", ": [")


def _around(difference: Difference, transitions: tuple[Transition, ...]) -> Iterator[str]:
    """Quote the trace at the place, or where the lifecycle ended if something is missing."""
    if difference.key is None and difference.place is None:
        return
    place = difference.place
    if place is None:
        last = _last_of(difference.key, transitions)
        if last is None:
            yield f"{BAR}no transition of {difference.key} among {len(transitions)}"
            return
        yield f"{BAR}nothing after transition {last + 1} of {len(transitions)}"
        place = last
    else:
        yield f"{BAR}at transition {min(place + 1, len(transitions))} of {len(transitions)}"
    for number in range(max(0, place - _BEFORE), min(len(transitions), place + _AFTER + 1)):
        transition = transitions[number]
        mark = ">" if number == place else " "
        yield f"{BAR}{mark} {number + 1} {_written(transition)}"


def _written(transition: Transition) -> str:
    attempt = "" if transition.attempt is None else f" @{transition.attempt}"
    told = (transition.error_class, transition.code, _shortened(transition.message))
    error = ", ".join(text for text in told if text is not None)
    step = f"{key_of(transition)} {transition.from_}→{transition.to}{attempt}"
    return f"{step} ({error})" if error else step


def _shortened(message: str | None) -> str | None:
    """Quote the beginning of a message, on one line whatever it holds."""
    if message is None or len(message) <= _QUOTED:
        return None if message is None else repr(message)
    return f"{message[:_QUOTED]!r}…"


def _last_of(key: Key | None, transitions: tuple[Transition, ...]) -> int | None:
    """Return the place of the last transition of a lifecycle, of its node if none is named."""
    found = None
    for place, transition in enumerate(transitions):
        if key is not None and transition.node == key.node:
            if key.steps and transition.iteration and key_of(transition) != key:
                continue
            found = place
    return found


def _consequences(followers: list[Difference]) -> Iterator[str]:
    if not followers:
        return
    names = dict.fromkeys("the instance" if f.key is None else str(f.key) for f in followers)
    shown = list(names)[:_NAMED]
    rest = len(names) - len(shown)
    more = f" and {rest} more" if rest > 0 else ""
    word = "difference" if len(followers) == 1 else "differences"
    yield f"   from this follow {len(followers)} {word}: {', '.join(shown)}{more}"
