"""What expressions say (chapter 10): a parser of its own, which makes functions of them.

Part of the two small runtimes of this folder; see ``small_flow``. Where the text is silent:
``not`` binds as the other signs do and ``??`` closer than a comparison (A161), ``and``, ``or`` and
``??`` leave their right side alone when the left one decides (A162), and null is no operand of
logic and functions (A163).
"""

from __future__ import annotations

import json
import re
from functools import cache
from operator import ge, gt, le, lt

TOKEN = re.compile(
    r"""\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<text>'[^']*'|"[^"]*")|(?P<name>[A-Za-z_]\w*)"""
    r"""|(?P<sign>&&|\|\||\?\?|[=!<>]=|[-+*/%<>!()\[\],.])|(?P<end>$))"""
)
EXPRESSION = re.compile(r"\$\$\{|\$\{((?:[^}'\"]|'[^']*'|\"[^\"]*\")*)\}")
ORDERS = {"<": lt, "<=": le, ">": gt, ">=": ge}
CONSTANTS = {"true": True, "false": False, "null": None}


class CodeError(Exception):
    """A run-time fault with its HX code."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


class Malformed(Exception):  # noqa: N818 -- it is what it says
    """Text that is no expression, HX-3101."""


def evaluate(text, names):
    """A template; ``names`` tells what is meant, see ``small_names``."""

    def part(match):
        return _parsed(match[1])[0](names)

    whole = EXPRESSION.fullmatch(text)
    if whole and whole[1] is not None:
        return part(whole)
    return EXPRESSION.sub(lambda m: "${" if m[1] is None else _text(part(m)), text)


def _text(value):
    return value if isinstance(value, str) else json.dumps(value)


def mentions(text):
    """What the expressions in a text mention: kind, name and, of an output, its name."""
    if "${" in EXPRESSION.sub("", text):
        raise Malformed(text)
    parts = [match[1] for match in EXPRESSION.finditer(text) if match[1] is not None]
    return [mention for part in parts for mention in _parsed(part)[1]]


@cache
def _parsed(source):
    """An expression as a function of what its names mean, and what it mentions."""
    parser = _Parser(source)
    found = parser.either()
    parser.expect("")
    return found, parser.mentioned


class _Parser:
    """One method for each level of binding, the loosest first; each makes a function."""

    def __init__(self, source):
        self.tokens = []
        self.mentioned = []
        at = 0
        while match := TOKEN.match(source, at):
            self.tokens.append((match.lastgroup, match[match.lastgroup]))
            at = match.end()
            if match.lastgroup == "end":
                break
        else:
            raise Malformed
        self.tokens.reverse()

    def sees(self, *words):
        """Take the next token if it is one of these words."""
        kind, word = self.tokens[-1]
        if kind in ("text", "number") or word not in words:
            return None
        if kind != "end":
            self.tokens.pop()
        return word or "end"

    def expect(self, word):
        if not self.sees(word):
            raise Malformed

    def either(self):
        left = self.both()
        while self.sees("or", "||"):
            left = _either(left, self.both())
        return left

    def both(self):
        left = self.compared()
        while self.sees("and", "&&"):
            left = _both(left, self.compared())
        return left

    def compared(self):
        left = self.coalesced()
        if word := self.sees("==", "!=", "in", *ORDERS):
            return _applied(_COMPARISONS[word], left, self.coalesced())
        return left

    def coalesced(self):
        left = self.sum()
        while self.sees("??"):
            left = _coalesced(left, self.sum())
        return left

    def sum(self):
        left = self.product()
        while word := self.sees("+", "-"):
            left = _applied(_ARITHMETIC[word], left, self.product())
        return left

    def product(self):
        left = self.signed()
        while word := self.sees("*", "/", "%"):
            left = _applied(_ARITHMETIC[word], left, self.signed())
        return left

    def signed(self):
        if self.sees("-"):
            return _applied(_negated, self.signed())
        if self.sees("not", "!"):
            return _applied(_inverted, self.signed())
        found = self.primary()
        while self.sees("."):
            found = _applied(_member(self.word()), found)
        return found

    def word(self):
        kind, word = self.tokens.pop()
        if kind != "name":
            raise Malformed
        return word

    def primary(self):
        if self.sees("("):
            found = self.either()
            self.expect(")")
            return found
        if self.sees("["):
            return _applied(lambda *elements: list(elements), *self.listed("]"))
        kind, word = self.tokens[-1]
        if kind in ("number", "text"):
            self.tokens.pop()
            value = json.loads(word) if kind == "number" else word[1:-1]
            return lambda _names: value
        return self.named(self.word())

    def named(self, name):
        if self.sees("("):
            return self.call(name)
        if name in CONSTANTS:
            return lambda _names: CONSTANTS[name]
        if not self.sees("."):
            self.mentioned.append(("variable", name, None))
            return lambda names: names.variable(name)
        member = self.word()
        self.mentioned.append(("output", name, member))
        return lambda names: names.member(name, member)

    def call(self, name):
        kind, word = self.tokens[-1]
        arguments = self.listed(")")
        if name in ("artifact", "resource") and len(arguments) == 1:
            if kind == "text":
                self.mentioned.append((name, word[1:-1], None))
            (wanted,) = arguments
            return lambda names: names.declared(name, wanted(names))
        if name not in _FUNCTIONS:
            self.mentioned.append(("function", name, None))
        return _applied(_FUNCTIONS.get(name), *arguments)

    def listed(self, end):
        found = []
        while not self.sees(end):
            if found:
                self.expect(",")
            found.append(self.either())
        return found


def _applied(function, *parts):
    return lambda names: function(*(part(names) for part in parts))


def _either(left, right):
    return lambda names: _boolean(left(names)) or _boolean(right(names))


def _both(left, right):
    return lambda names: _boolean(left(names)) and _boolean(right(names))


def _coalesced(left, right):
    def chosen(names):
        value = left(names)
        return right(names) if value is None else value

    return chosen


# --- what operators and functions do -----------------------------------------------------------


def _is_number(value):
    return type(value) in (int, float)


def _must(holds):
    if not holds:
        raise CodeError("HX-4106")


def _boolean(value):
    _must(isinstance(value, bool))
    return value


def _inverted(value):
    return not _boolean(value)


def _negated(value):
    _must(_is_number(value))
    return -value


def _member(name):
    def member(value):
        _must(value is None or isinstance(value, dict))
        return None if value is None else value.get(name)

    return member


def same(left, right):
    """§10.5: nothing is converted, inside lists and maps neither."""
    if _is_number(left) and _is_number(right):
        return left == right
    if type(left) is not type(right):
        return False
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[k], right[k]) for k in left)
    return left == right


def _element(value, elements):
    _must(isinstance(elements, list))
    return any(same(value, element) for element in elements)


def _ordered(order):
    def compare(left, right):
        numbers = _is_number(left) and _is_number(right)
        _must(numbers or (isinstance(left, str) and isinstance(right, str)))
        return order(left, right)

    return compare


def _numeric(function):
    def apply(*values):
        _must(all(map(_is_number, values)))
        return function(*values)

    return apply


def _sum(left, right):
    texts = isinstance(left, str) and isinstance(right, str)
    _must(texts or (_is_number(left) and _is_number(right)))
    return left + right


def _quotient(left, right):
    _must(right != 0)
    value = left / right
    return int(value) if value.is_integer() else value


def _rest(left, right):
    _must(right != 0)
    return left % right


def _textual(function):
    def apply(*values):
        _must(all(isinstance(value, str) for value in values))
        return function(*values)

    return apply


def _length(value):
    _must(isinstance(value, (str, list, dict)))
    return len(value)


def _has(value, key):
    if isinstance(value, list):
        return _element(key, value)
    _must(isinstance(value, dict) and isinstance(key, str))
    return key in value


_COMPARISONS = {
    "==": same,
    "!=": lambda left, right: not same(left, right),
    "in": _element,
    **{word: _ordered(order) for word, order in ORDERS.items()},
}
_ARITHMETIC = {
    "+": _sum,
    "-": _numeric(lambda left, right: left - right),
    "*": _numeric(lambda left, right: left * right),
    "/": _numeric(_quotient),
    "%": _numeric(_rest),
}
_FUNCTIONS = {
    "len": _length,
    "has": _has,
    "empty": lambda value: not _length(value),
    "lower": _textual(str.lower),
    "upper": _textual(str.upper),
    "contains": _textual(lambda whole, part: part in whole),
    "abs": _numeric(abs),
    "min": _numeric(min),
    "max": _numeric(max),
    "round": _numeric(round),
}
