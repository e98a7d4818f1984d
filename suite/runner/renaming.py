"""Other ids for the runtime than those in the corpus, so that nobody passes by heart.

With a seed the runtime gets every document with other ids, in the plan as well, and what it
answers is led back before anything is judged: goldens, verdicts and reports know the ids of the
corpus only. A runtime that executes what it reads does not notice.

An id is replaced only where the document leaves no doubt that it is one: everywhere it is the
whole value of an attribute that holds an id, or the first name of a path in an expression. One
that occurs in another way (in a text, as a port) stays, and so does everything in a document that
is not plain UTF-8, uses references to characters, or has a digest of another one. Equal letters
become equal letters, so that lengths, places and what differs by case only are kept.
"""

import re
import string
from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache
from random import Random
from typing import Any, Final
from zlib import crc32

import msgspec
from msgspec.structs import replace

from suite.corpus.plan import Answer, EventAt, IdlePoint, Plan, Point
from suite.protocol.exchange import Exchange
from suite.protocol.request import Request
from suite.protocol.transcript import Entry, Transcript

__all__ = ["Names", "Renaming"]

#: Ids that are replaced; one with a dot could be taken for a path, a long one is told cut.
_ID: Final = re.compile(r"[A-Za-z_][\w-]{0,63}", re.ASCII)

#: Something that is written like an id, as a whole; numbers and what follows a dot are none.
_WORD: Final = re.compile(r"\d[\w.]*|\.[\w-]*|([A-Za-z_][\w-]*)", re.ASCII)

_ATTRIBUTE: Final = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')""")
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_EXPRESSION: Final = re.compile(r"(?<!\$)\$\{[^}]*\}")

#: In an expression: a text, a number, a later name of a path, or the first one.
_PART: Final = re.compile(
    r"""'[^']*'|"[^"]*"|&quot;.*?&quot;|&apos;.*?&apos;|\d[\w.]*|\.[\w-]*|([A-Za-z_][\w-]*)(?=\.)""",
    re.ASCII,
)

#: §2 to §8: attributes whose whole value may be an id, and those that hold expressions (§10).
_HOLD_IDS: Final = frozenset({"id", "from", "to", "entry", "ref", "compensates"})
_HOLD_EXPRESSIONS: Final = frozenset({"value", "when", "condition", "over", "while", "until"})

#: What makes the text of a document more than what is to be seen.
_OPAQUE: Final = re.compile(
    r"&#|<!DOCTYPE|<!\[CDATA\[|<\?(?!xml\s)|encoding\s*=\s*.(?!utf-8)", re.IGNORECASE
)

#: Words that mean something else in an expression (§10), and such as secrets are called by.
_TAKEN: Final = frozenset(
    {"true", "false", "null", "and", "or", "not", "in", "config", "artifact", "resource"}
) | {"item", "index", "key", "pass", "pwd", "secret", "token"}

#: Fields of messages that hold ids, of the suite and of the runtime.
_OF_A_PLAN: Final = frozenset({"plan", "unresolvable", "badDigests", "secrets"})
_OF_A_RUNTIME: Final = frozenset({"node", "iteration", "codes", "findings", "message"})

_TRIES: Final = 20


class Names:
    """The ids of one document and its companions, and what the runtime sees instead.

    Attributes:
        shown: id → what the runtime sees, of those that are replaced.
    """

    def __init__(self, shown: Mapping[str, str]) -> None:
        self.shown = shown
        self._own = {other: name for name, other in shown.items()}

    def hide(self, request: Request) -> Request:
        """Return the request with the ids that the runtime sees."""
        if not self.shown:
            return request
        return replace(
            request,
            document=self._document(request.document),
            companions={uri: self._document(data) for uri, data in request.companions.items()},
            plan=None if request.plan is None else self._plan(request.plan),
            known_nodes=None if request.known_nodes is None else self._all(request.known_nodes),
            undoing=self._all(request.undoing),
        )

    def reveal(self, exchange: Exchange, request: Request) -> Exchange:
        """Return what came of a hidden request with the ids of the corpus.

        Args:
            exchange: as the runtime has it.
            request: before it was hidden.
        """
        if not self.shown:
            return exchange
        entries = (
            Entry(entry.source, entry.at, self._message(entry, request))
            for entry in exchange.transcript.entries
        )
        findings = (
            replace(
                finding,
                near=self._text(finding.near),
                value=self._text(finding.value),
                message=self._text(finding.message),
            )
            for finding in exchange.findings
        )
        return replace(
            exchange,
            transcript=Transcript(tuple(entries)),
            findings=tuple(findings),
            detail=self.text(exchange.detail),
        )

    def text(self, text: str) -> str:
        """Return a text of the runtime, or about it, with the ids of the corpus."""
        return _WORD.sub(lambda match: self._own.get(match[0], match[0]), text)

    def _text(self, text: str | None) -> str | None:
        return None if text is None else self.text(text)

    def _document(self, data: bytes) -> bytes:
        """Return a document in which all places of the ids are known to be such."""
        return self._hidden(data.decode()).encode()

    def _all(self, names: Collection[str]) -> frozenset[str]:
        return frozenset(self.shown.get(name, name) for name in names)

    def _hidden(self, text: str) -> str:
        return _WORD.sub(lambda match: self.shown.get(match[0], match[0]), text)

    def _plan(self, plan: Plan) -> Plan:
        return replace(
            plan,
            answers=tuple(self._answer(answer) for answer in plan.answers),
            events=tuple(EventAt(event.name, self._point(event.at)) for event in plan.events),
            cancel=None if plan.cancel is None else self._point(plan.cancel),
            unresolvable=tuple(map(self._hidden, plan.unresolvable)),
            bad_digests=tuple(map(self._hidden, plan.bad_digests)),
            secrets={self._hidden(place): secret for place, secret in plan.secrets.items()},
        )

    def _answer(self, answer: Answer) -> Answer:
        hold = None if answer.hold is None else self._point(answer.hold)
        return replace(answer, node=self._hidden(answer.node), hold=hold)

    def _point(self, point: Point | IdlePoint) -> Point | IdlePoint:
        if isinstance(point, IdlePoint):
            return point
        return replace(point, node=self._hidden(point.node))

    def _message(self, entry: Entry, request: Request) -> dict[str, Any]:
        """Return a message as it would be without other ids; values that steps exchange stay."""
        message = dict(entry.message)
        if entry.source == "suite":
            if message.get("type") == "run":
                plain = msgspec.to_builtins(request.message(1, scripted="plan" in message))
                message.update((key, plain[key]) for key in _OF_A_PLAN & message.keys())
            return message
        for key in _OF_A_RUNTIME & message.keys():
            message[key] = self._revealed(message[key])
        return message

    def _revealed(self, value: Any) -> Any:
        """Return a value with every text in it revealed."""
        match value:
            case str():
                return self.text(value)
            case list() | tuple():
                return [self._revealed(item) for item in value]
            case dict():
                return {key: self._revealed(item) for key, item in value.items()}
            case _:
                return value


class Renaming:
    """Chooses the names for every document.

    Args:
        seed: the same one gives the same names; 0 leaves all ids as they are.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._of = lru_cache(2)(self._choose)

    def of(self, document: bytes, companions: Mapping[str, bytes]) -> Names:
        """Return the names for a document and those that it refers to."""
        return self._of((document, *companions.values())) if self._seed else _PLAIN

    def _choose(self, documents: tuple[bytes, ...]) -> Names:
        texts = [_plain_text(data) for data in documents]
        known = [text for text in texts if text is not None]
        digested = len(known) > 1 and any("digest" in text for text in known)
        if len(known) < len(texts) or digested:
            return _PLAIN
        ids = set().union(*(_ids(text) for text in known))
        for text in known:
            ids -= _otherwise(text, ids)
        words = {word for text in known for word in _WORD.findall(text)} | _TAKEN
        chance = Random(f"{self._seed}:{crc32(documents[0])}")  # noqa: S311 - names, no secret
        for _ in range(_TRIES):
            shown = _permuted(ids, chance)
            if words.isdisjoint(shown.values()):
                return Names(shown)
        return _PLAIN


def _plain_text(data: bytes) -> str | None:
    """Return the text of a document, None where it may mean more than is to be seen."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return None if _OPAQUE.search(text) else _COMMENT.sub("", text)


def _ids(text: str) -> set[str]:
    """Return all ids that a document declares and that can be replaced."""
    values = {v or w for name, v, w in _ATTRIBUTE.findall(text) if name == "id"}
    return {value for value in values if _ID.fullmatch(value)}


def _otherwise(text: str, ids: AbstractSet[str]) -> AbstractSet[str]:
    """Return those of the ids that occur in places that may be something else."""

    def without_ids(match: re.Match[str]) -> str:
        name, value = match[1], match[2] or match[3] or ""
        if name in _HOLD_IDS and value in ids:
            return name
        if name in _HOLD_EXPRESSIONS:
            value = _EXPRESSION.sub(lambda found: _PART.sub(_without_root, found[0]), value)
        return f"{name} {value}"

    return ids & set(_WORD.findall(_ATTRIBUTE.sub(without_ids, text)))


def _without_root(match: re.Match[str]) -> str:
    return "" if match[1] else match[0]


def _permuted(ids: Iterable[str], chance: Random) -> dict[str, str]:
    """Return what is seen instead of each id: the same letters for the same letters."""
    letters = chance.sample(string.ascii_lowercase, 26)
    mixed = "".join(letters)
    table = str.maketrans(string.ascii_lowercase + string.ascii_uppercase, mixed + mixed.upper())
    return {name: name.translate(table) for name in sorted(ids)}


_PLAIN: Final = Names({})
