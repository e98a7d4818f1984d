"""Read a golden from TOML and make sure that its addresses, events and states can be judged."""

from collections.abc import Iterator

from comparator.address import AddressError, parse_address, parse_event
from comparator.golden import Golden, Section
from comparator.lifecycle import STATES
from suite.corpus.toml_file import CorpusError, read_toml

__all__ = ["read_golden", "sections_of"]


def read_golden(data: bytes, name: str) -> Golden:
    """Read the golden in the file ``name``.

    Raises:
        CorpusError: the file is malformed; the text names the key, what was expected and what
            stands there.
    """
    golden = read_toml(data, Golden, name)
    for where, section in sections_of(golden):
        for place, text in _faults(section):
            raise CorpusError(f"{name}: {where}{place}: {text}")
    for index, choice in enumerate(golden.choices):
        preferred = {option.reading for option in choice.options if option.preferred}
        if len(preferred) != 1:
            raise CorpusError(
                f"{name}: choices.{index}: expected exactly one preferred reading, "
                f"observed {', '.join(sorted(preferred)) or 'none'}"
            )
    return golden


def sections_of(golden: Golden) -> Iterator[tuple[str, Section]]:
    """Yield the fixed part and every option with the prefix of its keys."""
    yield "", golden
    for index, choice in enumerate(golden.choices):
        for number, option in enumerate(choice.options):
            yield f"choices.{index}.options.{number}.", option


def _faults(section: Section) -> Iterator[tuple[str, str]]:
    """Yield (key, sentence) for whatever the types alone let pass."""
    for address, path in section.paths.items():
        yield from _address(f"paths.{address}", address, attempt=False)
        words = path.is_.split(" ") if path.is_ not in ("", "*") else []
        for word in words:
            yield from _state(f"paths.{address}.is", word)
    for index, rule in enumerate(section.order):
        for event in (rule.event, *rule.after):
            yield from _event(f"order.{index}", event)
        if rule.at_least is not None and rule.at_least > len(rule.after):
            yield (
                f"order.{index}.at-least",
                f"expected at most {len(rule.after)}, observed {rule.at_least}",
            )
    yield from _call_faults(section)
    yield from _observation_faults(section)


def _observation_faults(section: Section) -> Iterator[tuple[str, str]]:
    for index, idle in enumerate(section.at_idle):
        for address, state in idle.states.items():
            yield from _address(f"at-idle.{index}.states", address, attempt=False)
            yield from _state(f"at-idle.{index}.states.{address}", state)
        if not idle.states and idle.timer is None:
            yield f"at-idle.{index}", "expected states or timer, observed neither"
    for index, code in enumerate(section.codes):
        if code.node is not None:
            yield from _address(f"codes.{index}.node", code.node, attempt=False)


def _call_faults(section: Section) -> Iterator[tuple[str, str]]:
    for index, call in enumerate(section.calls):
        yield from _address(f"calls.{index}.node", call.node, attempt=True)
        if call.count is None and call.inputs is None and call.aborts is None:
            yield f"calls.{index}", "expected count, inputs or aborts, observed none of them"
        if call.count == 0 and (call.inputs is not None or call.aborts):
            yield f"calls.{index}", "expected a count above 0 beside inputs or aborts, observed 0"
    for index, timer in enumerate(section.timers):
        yield from _address(f"timers.{index}.node", timer.node, attempt=True)
        if (timer.delay is None) == (timer.between is None):
            yield f"timers.{index}", "expected either delay or between, observed both or neither"
        elif timer.between is not None and not 0 <= timer.between[0] <= timer.between[1]:
            yield (
                f"timers.{index}.between",
                f"expected 0 <= low <= high, observed {timer.between!r}",
            )
        if "@" not in timer.node:
            yield (
                f"timers.{index}.node",
                f"expected an address with its attempt like a@2, observed {timer.node!r}",
            )


def _address(place: str, text: str, *, attempt: bool) -> Iterator[tuple[str, str]]:
    try:
        address = parse_address(text)
    except AddressError as error:
        yield place, str(error)
        return
    if address.node == "*":
        yield place, f"expected a node, observed {text!r}"
    if address.attempt is not None and not attempt:
        yield place, f"expected no attempt here, observed {text!r}"


def _event(place: str, text: str) -> Iterator[tuple[str, str]]:
    try:
        parse_event(text)
    except AddressError as error:
        yield place, str(error)


def _state(place: str, word: str) -> Iterator[tuple[str, str]]:
    if word not in STATES:
        yield place, f"expected states out of {', '.join(STATES)}, observed {word!r}"
