"""Documents cut and changed at random places: always a verdict, never an exception."""

import random
import re

import pytest

from reference_runtime.validation import validate
from tests.strategies_documents import RICH, codes

BYTES = RICH.encode()
#: Pieces that mean something to an XML parser, to the schema or to expressions.
PIECES = (
    *(b"<", b">", b"&", b'"', b"'", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?x?>", b"</hx:node>"),
    *(b"&a;", b"&#0;", b"&#x1F333;", b"\xef\xbb\xbf", b"\xff", b"\0", b"${", b"}", b"<!DOCTYPE a>"),
    *(b' xmlns="x"', b' xmlns:p="u" p:q="1"', b"<hx:node/>", b" ", b"9" * 50, b"\xed\xa0\x80"),
)


def mutated(seed):
    """The rich document with one to five pieces taken away, put in, doubled or replaced."""
    draw = random.Random(seed)
    text = bytearray(BYTES)
    for _ in range(draw.randint(1, 5)):
        at = draw.randrange(len(text))
        end = at + draw.randint(0, 60)
        piece = draw.choice((b"", draw.choice(PIECES), bytes(text[at:end]) * 2, draw.randbytes(2)))
        text[at : draw.choice((at, end))] = piece
    return bytes(text)


def incomplete(text):
    """Findings without a code, a line of the document, a severity or a message."""
    lines = len(re.findall(rb"\r\n|\r|\n", text)) + 1
    return [
        one
        for one in validate(text).findings
        if not re.fullmatch(r"HX-\d{4}", one.code)
        or not 1 <= one.line <= lines
        or one.severity not in {"error", "warning"}
        or not one.message
    ]


@pytest.mark.parametrize("block", range(10))
def test_changed_documents_get_complete_findings(block):
    texts = [mutated(seed) for seed in range(block * 100, block * 100 + 100)]

    assert [] == [one for text in texts for one in incomplete(text)]


def test_changed_documents_get_the_same_findings_again():
    texts = [mutated(seed) for seed in range(100)]

    assert [validate(text) for text in texts] == [validate(text) for text in texts]


def test_documents_cut_anywhere_are_malformed():
    whole = BYTES.rstrip()
    found = {tuple(codes(whole[:end])) for end in range(0, len(whole), 3)}

    assert {("HX-1001",)} == found


def test_documents_begun_anywhere_are_malformed():
    found = {tuple(codes(BYTES[start:])) for start in range(1, len(BYTES) - 20, 3)}

    assert {("HX-1001",)} == found - {tuple(codes(BYTES))}
