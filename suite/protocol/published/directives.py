"""Plans in the syntax of the published command-line runtime, as far as it can say them.

One directive a line: ``node[@attempt] ok key=value …``, ``node[@attempt] fail [class]
[message…]``, ``node[@attempt] timeout``; ``#`` starts a comment.
"""

import json
import math
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from comparator.address import Address, parse_address
from comparator.facts import STEP_TYPES, Facts
from suite.corpus.plan import Answer, Plan

__all__ = ["InexpressibleError", "directives_of"]

_WORD: Final = re.compile(r"[^\s#=]+")
#: Text that is read as text: no blank, no comment, and nothing that may be read as another value,
#: as a quotation or as a second key.
_TEXT: Final = re.compile(r"[^\s#\[\],='\"{}\\]+")
_OTHER: Final = re.compile(r"true|false|null|[+-]?(\d|\.\d|inf|nan).*", re.IGNORECASE)


class InexpressibleError(ValueError):
    """The syntax has no words for something in the plan; one line."""


def directives_of(plan: Plan, facts: Facts, read: Collection[tuple[str, str]]) -> str:
    """Return the plan as a text of directives.

    Args:
        plan: what the attempts answer.
        facts: of the document; ``*`` is written out for each node with a step.
        read: (node, output) that something in the document reads.

    Raises:
        InexpressibleError: naming what cannot be said.
    """
    for name, words in _OUTSIDE.items():
        if getattr(plan, name):
            raise InexpressibleError(f"its plans cannot say {words}")
    lines = list(_lines(plan, facts, _by_node(read)))
    return "".join(f"{line}\n" for line in lines)


_OUTSIDE: Final = {
    "events": "that an event arrives",
    "cancel": "that the instance is cancelled",
    "unresolvable": "that a resource cannot be resolved",
    "bad_digests": "that a digest is wrong",
    "refused": "what the environment denies",
    "secrets": "what a credential resolves to",
}


def _by_node(read: Collection[tuple[str, str]]) -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = {}
    for node, output in read:
        found.setdefault(node, set()).add(output)
    return found


def _lines(plan: Plan, facts: Facts, read: Mapping[str, set[str]]) -> Iterator[str]:
    """Write every answer, the more specific ones instead of what ``*`` says."""
    steps = [node.id for node in facts.nodes.values() if node.type in STEP_TYPES]
    said: set[tuple[str, int | None]] = set()
    for answer in sorted(plan.answers, key=lambda a: a.node.startswith("*")):
        address = parse_address(answer.node)
        if address.iteration:
            raise InexpressibleError("its plans cannot address an iteration")
        if answer.hold is not None or answer.after is not None:
            raise InexpressibleError("its plans cannot hold an answer back")
        for node in steps if address.node == "*" else [address.node]:
            if (node, address.attempt) not in said:
                said.add((node, address.attempt))
                yield _line(Address(node, (), address.attempt), answer, facts, read.get(node, ()))


def _line(address: Address, answer: Answer, facts: Facts, read: Collection[str]) -> str:
    who = address.node if address.attempt is None else f"{address.node}@{address.attempt}"
    if answer.result == "hang":
        if facts.nodes[address.node].on_timeout is None:
            raise InexpressibleError(f"{who} never answers, and without a timeout nothing ends it")
        return f"{who} timeout"
    if answer.result == "fail":
        return " ".join([who, "fail", *_failure(answer)])
    left_out = sorted(set(read) - set(answer.outputs))
    if left_out:
        raise InexpressibleError(
            f"{who} leaves out the output {left_out[0]!r}, which it would fill with a default"
        )
    return " ".join([who, "ok", *(f"{_key(k)}={_value(v)}" for k, v in answer.outputs.items())])


def _failure(answer: Answer) -> Iterator[str]:
    if answer.error_class is not None:
        if not _WORD.fullmatch(answer.error_class):
            raise InexpressibleError(f"the error class {answer.error_class!r} is no single word")
        yield answer.error_class
        # Nothing is judged by the text, so that what starts a comment may be left out.
        yield from (answer.message or "").replace("#", "").split()


def _key(name: str) -> str:
    if not _WORD.fullmatch(name):
        raise InexpressibleError(f"the output {name!r} is no single word")
    return name


def _value(value: Any, *, listed: bool = False) -> str:
    if value is None or isinstance(value, bool | int):
        return json.dumps(value)
    if isinstance(value, float) and math.isfinite(value):
        return json.dumps(value)
    if isinstance(value, list) and not listed:
        return f"[{','.join(_value(item, listed=True) for item in value)}]"
    if isinstance(value, str) and _TEXT.fullmatch(value) and not _OTHER.fullmatch(value):
        return value
    raise InexpressibleError(f"its plans cannot write the value {value!r}")
